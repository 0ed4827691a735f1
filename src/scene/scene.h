#pragma once
// A scene after reading: plain data, SI units, paths resolved, repetitions written out. The table
// in schema.cpp binds every key to a member below; the defaults here are the defaults of the
// language. build.cpp of an engine is the only reader that turns it into state.

#include "hydrolith/frame.h"
#include "hydrolith/vec.h"

#include "core/motion.h"
#include "core/shape.h"
#include "core/space_function.h"
#include "core/time_function.h"

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hydrolith {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Where in the file something stands, so that later stages can point at it.
struct SourceMark {
  int line = 0, column = 0;
  std::string path;
};

/// Fixed (`time_step: 1 ms`) or adaptive by CFL with bounds (`time_step: {cfl: 0.4, max: 4 ms}`).
struct TimeStepSpec {
  bool adaptive = true;
  double fixed = 0.001;       // [s] used if not adaptive
  double cfl = 0.4;           // [-] distance per step of the fastest particle, in spacings
  double min = 1e-5;          // [s]
  std::optional<double> max;  // [s] none: longest_step finds it
};

/// Smoothed particles, or a staggered grid with particles that carry the liquid.
enum class EngineKind { particles, hybrid };

/// `automatic` is the fastest robust solver; the others are the paper's, for comparison.
enum class SolverMethod { automatic, nncg, jacobi };
/// How liquid and bodies meet: in one system; by two pressure solvers that inform each other in
/// every iteration (Gissler et al. 2019); or with bodies that do not move while the liquid is
/// solved (Akinci et al. 2012).
enum class Coupling { monolithic, interlinked, weak };
/// The liquid's pressure in weak and interlinked coupling: Ihmsen et al. 2014, or Bender & Koschier
/// 2017.
enum class LiquidSolver { iisph, dfsph };
/// How walls and bodies push on liquid: with a kernel made so that the pressure beside them is
/// right; with the liquid's own kernel and no pressure of their own (Probst & Teschner 2023), that
/// of the particle they meet (Akinci et al. 2012) or one extrapolated to them (Band et al. 2018b).
enum class BoundaryPressure { balanced, zero, mirrored, mls };
/// How far apart bodies are: by distance to the surface, or by particle volumes as in the paper.
enum class ContactMeasure { distance, volumes };

/// What a particle's volume is: its Voronoi cell, or the kernel's number density as in the papers.
/// `automatic`: cells, unless a solver, coupling or boundary of the papers is asked for.
enum class VolumeMeasure { automatic, cells, kernel };

struct SolverSpec {
  Coupling coupling = Coupling::monolithic;
  LiquidSolver liquid = LiquidSolver::iisph;
  double volume_tolerance = 1e-4;  // [-] mean compression that iisph and dfsph leave
  SolverMethod method = SolverMethod::automatic;
  double tolerance = 1e-5;           // [-] residual
  double velocity_tolerance = 0.03;  // [-] error of the liquid's velocity, in units of g dt
  int min_iterations = 1, max_iterations = 500;
  double relaxation = 0.5;  // [-] of jacobi, nncg, iisph and dfsph
  VolumeMeasure volumes = VolumeMeasure::automatic;
  // Of cells, in units of sqrt(g / h) (the spring: of g / h).
  double volume_rate = 1.2;    // [-] at which errors of volume are undone
  double smoothing = 0.2;      // [-] of what is rough in the velocities of a flow
  double spring = 0.4;         // [-] that draws particles to the centroids of their cells
  double shift = 0.05;         // [-] of positions alone
  double calm_strain = 0.025;  // [-] rate of strain beyond which the spring gives way to
  double flow_shift = 2;       // [1] a shift by so much of the way per unit of strain
  BoundaryPressure boundary = BoundaryPressure::balanced;
  ContactMeasure contact = ContactMeasure::distance;
  double gamma = 0.7;             // [-] contact by volumes: eq. 3.2
  bool uniform_gap = false;       // contact by volumes
  double correction = 0.2;        // [-] part of an overlap of bodies undone in a step
  double correction_speed = 0.1;  // [m/s] at most, for bodies and liquid
  bool anchor = false;            // sticking contacts return to where they began to stick
  double max_travel = 4;          // [spacings] in a step; more is taken back and tried in halves
  double max_overlap = 1;         // [spacings] of bodies, likewise

  bool uses_cells() const {
    return volumes != VolumeMeasure::kernel && coupling == Coupling::monolithic &&
           method == SolverMethod::automatic && boundary == BoundaryPressure::balanced;
  }
  bool uses_dfsph() const {
    return coupling != Coupling::monolithic && liquid == LiquidSolver::dfsph;
  }
};

/// How the hybrid engine solves liquid and contacts: as one system, or in turn until they agree.
enum class HybridCoupling { unified, iterative };
/// Bounds on friction: the exact cone, or a pyramid along two fixed tangents.
enum class FrictionCone { cone, pyramid };
/// How bounds on friction and normal forces find each other: normal forces and friction in one
/// solve with the bounds of the solve before, or one after the other (Kaufman et al. 2008).
enum class FrictionSolve { bounds, staggered };
/// Whether stresses are unknowns of the solve: where the grid can see them, always, never.
enum class ViscositySolve { automatic, always, never };

/// The hybrid engine's own settings.
struct HybridSpec {
  double tolerance = 1e-6;  // [-] relative residual
  int max_iterations = 1000;
  HybridCoupling coupling = HybridCoupling::unified;
  int max_sweeps = 200;  // of `iterative`
  FrictionCone friction = FrictionCone::cone;
  FrictionSolve friction_solve = FrictionSolve::bounds;
  int friction_solves = 6;           // outer solves a step, at most
  double friction_tolerance = 1e-3;  // [-] of the sum of the bounds
  ViscositySolve viscosity = ViscositySolve::automatic;
  int viscosity_solves = 4;           // of shear-dependent liquids, a step, at most
  double viscosity_tolerance = 0.02;  // [-] change of viscosity at which they stop
  double volume_correction = 0.3;  // [-] part of an error of the liquid's density undone in a step
  bool reseed = true;              // particles are split and merged where there are few or many
  bool operator==(const HybridSpec&) const = default;
};

/// Friction that depends on the direction: an ellipse in place of a disc.
struct GrainSpec {
  TimeFunction along, across;      // [-]
  Vec3 direction = Vec3::UnitX();  // unit, body frame
  bool operator==(const GrainSpec&) const = default;
};

struct MaterialSpec {
  std::optional<double> density;             // [kg/m^3]
  std::optional<TimeFunction> friction;      // [-]
  std::optional<GrainSpec> grain;            // in place of friction
  std::optional<double> torsional_friction;  // [m]
  std::optional<double> rolling_friction;    // [m]
  std::optional<bool> seal;                  // no liquid gets between it and what it touches
  std::optional<Vec3> colour;
};

/// Friction between two named materials; overrides what the two would give by themselves.
struct FrictionPairSpec {
  std::string a, b;
  TimeFunction coefficient;                       // [-]
  std::optional<double> torsional_friction = {};  // [m]
  std::optional<double> rolling_friction = {};    // [m]
};

struct LiquidSpec {
  SourceMark mark;
  std::string name;
  std::optional<Shape> shape;           // none: filled only by emitters
  double density = 1000;                // [kg/m^3]
  double viscosity = 0.001;             // [Pa s]; with a flow index [Pa s^n]
  double flow_index = 1;                // [-] n of eta = viscosity * rate^(n - 1)
  double yield_stress = 0;              // [Pa] below which it does not flow
  std::optional<double> max_viscosity;  // [Pa s] of liquids with flow index or yield stress
  double surface_tension = 0;           // [N/m]
  SpaceFunction velocity;               // [m/s] at the start
  Vec3 colour = Vec3(0.1, 0.35, 0.7);   // [-] linear RGB

  bool is_newtonian() const { return flow_index == 1 && yield_stress == 0; }
};

enum class EmitterOpening { disc, rectangle };

/// A flat opening through which liquid enters along its normal.
struct EmitterSpec {
  SourceMark mark;
  std::string name;
  std::string liquid;  // name of the liquid it feeds
  EmitterOpening opening = EmitterOpening::disc;
  double radius = 0.1;                 // [m] disc
  double width = 0.2, height = 0.2;    // [m] rectangle
  Vec3 at = Vec3::Zero();              // [m] centre
  Vec3 direction = Vec3::UnitX();      // unit vector, normal of the opening
  std::optional<TimeFunction> speed;   // [m/s]   give speed or rate
  std::optional<TimeFunction> rate;    // [m^3/s]
  double from = 0, until = unlimited;  // [s]
  double volume = unlimited;           // [m^3] stops after that much
};

/// A region in which liquid vanishes.
struct OutletSpec {
  SourceMark mark;
  std::string name;
  Shape shape;
  std::optional<std::string> liquid;   // only this one
  double rate = unlimited;             // [m^3/s] at most
  double from = 0, until = unlimited;  // [s]
  double volume = unlimited;           // [m^3] stops after that much
};

struct BodySpec {
  SourceMark mark;
  std::string name;  // unique
  int object = 0;    // index into Scene::body_objects
  Shape shape;
  BodyKind kind = BodyKind::dynamic;
  Pose pose;                             // of the shape's origin, repetitions included
  std::optional<double> density, mass;   // [kg/m^3], [kg]; default density 1000
  std::string material;                  // "" = none
  std::optional<TimeFunction> friction;  // [-]
  std::optional<GrainSpec> grain;        // in place of friction
  std::optional<double> torsional_friction, rolling_friction;  // [m]
  std::optional<bool> seal;              // no liquid gets between it and what it touches
  std::optional<double> resolution;      // [m] of its surface; default: the spacing
  bool slip = false;                     // no viscous stress along its surface
  Vec3 velocity = Vec3::Zero();          // [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s]
  MotionSpec motion;
  std::vector<LoadSpec> loads;
  std::optional<Vec3> colour;
};

enum class ProbeKind { force, pressure, height, pose };
/// The top of the column that stands on the foot of the line, or the highest drop above it.
enum class HeightReading { filled, highest };

struct ProbeSpec {
  SourceMark mark;
  std::string name;
  ProbeKind kind = ProbeKind::pose;
  std::string body;               // force, pose
  Vec3 at = Vec3::Zero();         // [m] pressure: the point; height: foot of the line
  Vec3 direction = Vec3::Zero();  // height: direction of the line; zero = up
  HeightReading reading = HeightReading::filled;  // height
};

struct OutputSpec {
  double frame_rate = 25;  // [1/s] of simulated time
  bool vtk = false, ply = false, hdf5 = true;
  std::vector<std::string> fields = {"velocity", "pressure"};
  int compression = 4;            // 0 none .. 9 smallest
  double metrics_every = 0;       // [s] 0: every step
  double checkpoint_every = 300;  // [s] of wall time; 0: only at the end of a run
  int checkpoint_steps = 0;       // besides, every so many steps; 0: no
};

enum class ExpectWhen { end, min, max, mean, always, at };

/// metric within margin of equals, or between bounds, at the end or over the run.
struct ExpectSpec {
  SourceMark mark;
  std::string metric;  // a column of metrics.csv
  ExpectWhen when = ExpectWhen::end;
  double time = 0;  // [s] with `at`
  std::optional<double> equals;
  double margin = 0;                   // absolute
  std::optional<double> above, below;  // inclusive
};

struct PictureSpec {
  std::optional<Camera> camera;
  std::string colour_by = "speed";  // speed, pressure, body
};

struct Scene {
  std::string file;  // as the user named it; "" if from memory
  std::string name, description;
  int dimensions = 3;
  EngineKind engine = EngineKind::particles;
  double spacing = 0.05;             // [m]
  Vec3 gravity = Vec3(0, -9.81, 0);  // [m/s^2]
  double duration = 2;               // [s]
  double settle = 0;                 // [s] the liquid comes to rest around held bodies before t = 0
  TimeStepSpec time_step;
  SolverSpec solver;
  HybridSpec hybrid;
  std::optional<Box3> domain;  // [m] clips unbounded shapes; liquid leaving it is removed
  std::map<std::string, double> parameters;
  std::map<std::string, MaterialSpec> materials;
  std::vector<FrictionPairSpec> friction;
  std::vector<LiquidSpec> liquids;
  std::vector<EmitterSpec> emitters;
  std::vector<OutletSpec> outlets;
  std::vector<std::string> body_objects;  // the entries of `bodies`, before repetition
  std::vector<BodySpec> bodies;
  std::vector<ProbeSpec> probes;
  OutputSpec output;
  std::vector<ExpectSpec> expect;
  PictureSpec picture;
};

/// The longest step [s] that the scene allows; with a fixed step, that.
double longest_step(const Scene& scene);

}  // namespace hydrolith
