#pragma once
// Which structs have a table, and the small ones that only exist while reading.

#include "scene/values.h"

#include <array>
#include <optional>
#include <string>

namespace hydrolith::schema {

// --- Parts of values ----------------------------------------------------------------------------

/// {axis, angle} or {quaternion}.
struct RotationPart {
  Vec3 axis = Vec3::UnitY();
  double angle = 0;                // [deg]
  std::vector<double> quaternion;  // w, x, y, z
  Quat rotation() const;
};

/// {keyframes, interpolation} of a function of time; the values depend on the key.
struct KeyframesPart {
  Interpolation interpolation = Interpolation::linear;
};

// --- Repetition ---------------------------------------------------------------------------------

struct ArrayRepeat {
  std::array<int, 3> count = {1, -1, -1};  // second -1: a line along `step`
  Vec3 step = Vec3::Zero();                // [m]
  bool centred = false;
  std::string index;
};
struct RingRepeat {
  int count = 1;
  double radius = 1;            // [m]
  std::optional<Vec3> axis;     // none: y, in 2D z
  double start = 0, arc = 360;  // [deg]
  bool turn = true;
  std::string index;
};
struct AlternatePart {
  Vec3 at = Vec3::Zero();  // [m]
  Quat rotate = Quat::Identity();
};
struct StackRepeat {
  int count = 1;
  Vec3 step = Vec3::Zero();  // [m]
  double turn = 0;           // [deg] per level
  AlternatePart alternate;
  std::string index;
};
struct RepeatPart {
  std::optional<ArrayRepeat> array;
  std::optional<RingRepeat> ring;
  std::optional<StackRepeat> stack;
};

/// Several bodies placed and repeated as one.
struct GroupPart {
  Vec3 at = Vec3::Zero();  // [m]
  Quat rotate = Quat::Identity();
};

/// Reads `bodies` and writes all repetitions out into reader.scene.
void read_bodies(Reader& reader, const Node& node);

/// Reads `parameters`, each of which may use those above it.
void read_parameters(Reader& reader, const Node& node);

// --- Words --------------------------------------------------------------------------------------

template <>
struct EnumNames<BodyKind> {
  static constexpr std::pair<std::string_view, BodyKind> names[] = {
      {"dynamic", BodyKind::dynamic},
      {"static", BodyKind::fixed},
      {"kinematic", BodyKind::kinematic}};
};
template <>
struct EnumNames<Coupling> {
  static constexpr std::pair<std::string_view, Coupling> names[] = {
      {"monolithic", Coupling::monolithic},
      {"interlinked", Coupling::interlinked},
      {"weak", Coupling::weak}};
};
template <>
struct EnumNames<LiquidSolver> {
  static constexpr std::pair<std::string_view, LiquidSolver> names[] = {
      {"iisph", LiquidSolver::iisph}, {"dfsph", LiquidSolver::dfsph}};
};
template <>
struct EnumNames<SolverMethod> {
  static constexpr std::pair<std::string_view, SolverMethod> names[] = {
      {"automatic", SolverMethod::automatic},
      {"nncg", SolverMethod::nncg},
      {"jacobi", SolverMethod::jacobi}};
};
template <>
struct EnumNames<VolumeMeasure> {
  static constexpr std::pair<std::string_view, VolumeMeasure> names[] = {
      {"automatic", VolumeMeasure::automatic},
      {"cells", VolumeMeasure::cells},
      {"kernel", VolumeMeasure::kernel}};
};
template <>
struct EnumNames<BoundaryPressure> {
  static constexpr std::pair<std::string_view, BoundaryPressure> names[] = {
      {"balanced", BoundaryPressure::balanced},
      {"zero", BoundaryPressure::zero},
      {"mirrored", BoundaryPressure::mirrored},
      {"mls", BoundaryPressure::mls}};
};
template <>
struct EnumNames<ContactMeasure> {
  static constexpr std::pair<std::string_view, ContactMeasure> names[] = {
      {"distance", ContactMeasure::distance}, {"volumes", ContactMeasure::volumes}};
};
template <>
struct EnumNames<HybridCoupling> {
  static constexpr std::pair<std::string_view, HybridCoupling> names[] = {
      {"unified", HybridCoupling::unified}, {"iterative", HybridCoupling::iterative}};
};
template <>
struct EnumNames<FrictionCone> {
  static constexpr std::pair<std::string_view, FrictionCone> names[] = {
      {"cone", FrictionCone::cone}, {"pyramid", FrictionCone::pyramid}};
};
template <>
struct EnumNames<FrictionSolve> {
  static constexpr std::pair<std::string_view, FrictionSolve> names[] = {
      {"bounds", FrictionSolve::bounds}, {"staggered", FrictionSolve::staggered}};
};
template <>
struct EnumNames<ViscositySolve> {
  static constexpr std::pair<std::string_view, ViscositySolve> names[] = {
      {"automatic", ViscositySolve::automatic},
      {"always", ViscositySolve::always},
      {"never", ViscositySolve::never}};
};
template <>
struct EnumNames<HeightReading> {
  static constexpr std::pair<std::string_view, HeightReading> names[] = {
      {"filled", HeightReading::filled}, {"highest", HeightReading::highest}};
};
template <>
struct EnumNames<EngineKind> {
  static constexpr std::pair<std::string_view, EngineKind> names[] = {
      {"particles", EngineKind::particles}, {"hybrid", EngineKind::hybrid}};
};
template <>
struct EnumNames<EmitterOpening> {
  static constexpr std::pair<std::string_view, EmitterOpening> names[] = {
      {"disc", EmitterOpening::disc}, {"rectangle", EmitterOpening::rectangle}};
};
template <>
struct EnumNames<Interpolation> {
  static constexpr std::pair<std::string_view, Interpolation> names[] = {
      {"linear", Interpolation::linear},
      {"smooth", Interpolation::smooth},
      {"step", Interpolation::step}};
};
template <>
struct EnumNames<ExpectWhen> {  // `at` is said by `time`
  static constexpr std::pair<std::string_view, ExpectWhen> names[] = {
      {"end", ExpectWhen::end},
      {"min", ExpectWhen::min},
      {"max", ExpectWhen::max},
      {"mean", ExpectWhen::mean},
      {"always", ExpectWhen::always}};
};

// --- Tables -------------------------------------------------------------------------------------

// clang-format off
template <> const Object<Scene>& table<Scene>();                          // schema.cpp
template <> const Object<TimeStepSpec>& table<TimeStepSpec>();
template <> const Object<SolverSpec>& table<SolverSpec>();
template <> const Object<HybridSpec>& table<HybridSpec>();
template <> const Object<Box3>& table<Box3>();
template <> const Object<OutputSpec>& table<OutputSpec>();
template <> const Object<PictureSpec>& table<PictureSpec>();
template <> const Object<Camera>& table<Camera>();
template <> const Object<ProbeSpec>& table<ProbeSpec>();
template <> const Object<ExpectSpec>& table<ExpectSpec>();

template <> const Object<MaterialSpec>& table<MaterialSpec>();            // schema_bodies.cpp
template <> const Object<GrainSpec>& table<GrainSpec>();
template <> const Object<FrictionPairSpec>& table<FrictionPairSpec>();
template <> const Object<LiquidSpec>& table<LiquidSpec>();
template <> const Object<EmitterSpec>& table<EmitterSpec>();
template <> const Object<OutletSpec>& table<OutletSpec>();
template <> const Object<BodySpec>& table<BodySpec>();
template <> const Object<GroupPart>& table<GroupPart>();
template <> const Object<MotionSpec>& table<MotionSpec>();
template <> const Object<MotionKey>& table<MotionKey>();
template <> const Object<LoadSpec>& table<LoadSpec>();

template <> const Object<RotationPart>& table<RotationPart>();            // schema_repeat.cpp
template <> const Object<KeyframesPart>& table<KeyframesPart>();
template <> const Object<RepeatPart>& table<RepeatPart>();
template <> const Object<ArrayRepeat>& table<ArrayRepeat>();
template <> const Object<RingRepeat>& table<RingRepeat>();
template <> const Object<StackRepeat>& table<StackRepeat>();
template <> const Object<AlternatePart>& table<AlternatePart>();

template <> const Object<Shape>& table<Shape>();                          // schema_shapes.cpp
template <> const Object<BoxShape>& table<BoxShape>();
template <> const Object<SphereShape>& table<SphereShape>();
template <> const Object<EllipsoidShape>& table<EllipsoidShape>();
template <> const Object<CylinderShape>& table<CylinderShape>();
template <> const Object<CapsuleShape>& table<CapsuleShape>();
template <> const Object<ConeShape>& table<ConeShape>();
template <> const Object<TorusShape>& table<TorusShape>();
template <> const Object<WedgeShape>& table<WedgeShape>();
template <> const Object<PlateShape>& table<PlateShape>();
template <> const Object<RoundedBoxShape>& table<RoundedBoxShape>();
template <> const Object<HalfSpaceShape>& table<HalfSpaceShape>();
template <> const Object<HeightFieldShape>& table<HeightFieldShape>();
template <> const Object<TetrapodShape>& table<TetrapodShape>();
template <> const Object<ChainLinkShape>& table<ChainLinkShape>();
template <> const Object<GearShape>& table<GearShape>();
template <> const Object<BoltShape>& table<BoltShape>();
template <> const Object<NutShape>& table<NutShape>();
template <> const Object<TextShape>& table<TextShape>();
template <> const Object<DuckShape>& table<DuckShape>();
template <> const Object<MeshShape>& table<MeshShape>();
template <> const Object<UnionShape>& table<UnionShape>();
template <> const Object<IntersectionShape>& table<IntersectionShape>();
template <> const Object<DifferenceShape>& table<DifferenceShape>();
template <> const Object<BlendShape>& table<BlendShape>();
// clang-format on

/// The sections of the reference, in order.
std::vector<const ObjectInfo*> all_objects();

}  // namespace hydrolith::schema
