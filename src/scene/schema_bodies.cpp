// The table of liquids, bodies and what belongs to them.

#include "scene/tables.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace hydrolith::schema {

namespace {

void check_period(Reader& reader, const Node& node, double from, double until) {
  if (reader.sound && from >= until)
    reader.fault(node, "until",
                 fmt::format("must be later than from ({:.6g} s), but is {:.6g} s", from, until));
}

void check_emitter(Reader& reader, const Node& node, EmitterSpec& emitter) {
  if (node.kind != Node::map) return;
  if (!node.find("speed") && !node.find("rate"))
    reader.fault(node, "give the flow: speed [m/s] or rate [m^3/s]");
  if (node.find("speed") && node.find("rate"))
    reader.fault(node, "rate", "give either speed or rate, not both");
  if (!reader.sound) return;
  const bool disc = emitter.opening == EmitterOpening::disc;
  if (disc && (node.find("width") || node.find("height")))
    reader.fault(node, node.find("width") ? "width" : "height",
                 "a disc has a radius; width and height need `opening: rectangle`");
  if (!disc && node.find("radius"))
    reader.fault(node, "radius", "a rectangle has width and height, not a radius");
  check_period(reader, node, emitter.from, emitter.until);
  if (node.find("liquid")) return;
  if (reader.scene.liquids.size() == 1)
    emitter.liquid = reader.scene.liquids[0].name;
  else
    reader.fault(node, "liquid",
                 reader.scene.liquids.empty()
                     ? "this key is required. The scene has no liquid to feed."
                     : "this key is required where there are several liquids");
}

/// Degrees written as a plain number, with or without the unit.
std::optional<double> plain_number(const Node& node) {
  if (node.kind != Node::scalar) return {};
  char* end = nullptr;
  const double value = std::strtod(node.text.c_str(), &end);
  const std::string_view rest = end;
  if (end == node.text.c_str() || (!rest.empty() && rest != " deg" && rest != "deg")) return {};
  return value;
}

/// Keyframes are poses, so what lies between two is the short way round: a written turn of more
/// than half a circle would be lost.
void check_keyframe_turns(Reader& reader, const Node& node) {
  const Node* keys = node.find("keyframes");
  if (!keys || !reader.sound) return;
  const auto in_list = reader.enter("keyframes");
  for (std::size_t i = 0; i < keys->items.size(); ++i) {
    const Node* rotate = keys->items[i].find("rotate");
    const Node* angle = rotate && rotate->kind == Node::map ? rotate->find("angle") : rotate;
    const std::optional<double> degrees = angle ? plain_number(*angle) : std::nullopt;
    if (!degrees || std::abs(*degrees) <= 180) continue;
    const auto step = reader.enter(i);
    reader.fault(keys->items[i], "rotate",
                 fmt::format("keyframes turn the short way, so {:g} degrees cannot be told from "
                             "{:g}. Write an angle between -180 and 180, put keys between, or use "
                             "`rotation: {{axis, rate}}`",
                             *degrees, std::remainder(*degrees, 360)));
  }
}

void check_motion(Reader& reader, const Node& node, MotionSpec& motion) {
  if (node.kind != Node::map) return;
  const bool moving = node.find("velocity") || node.find("rotation");
  if (motion.driven && (moving || node.find("keyframes")))
    reader.fault(node, "driven", "a driven body has no motion of its own; leave one of them out");
  if (!moving && !node.find("keyframes") && !motion.driven)
    reader.fault(node, "give velocity, rotation, keyframes or driven: true");
  if (moving && node.find("keyframes"))
    reader.fault(node, "keyframes",
                 "keyframes give the whole pose; leave velocity and rotation out");
  if (node.find("interpolation") && !node.find("keyframes"))
    reader.fault(node, "interpolation", "only keyframes are interpolated");
  check_keyframe_turns(reader, node);
  for (std::size_t i = 1; i < motion.keyframes.size() && reader.sound; ++i) {
    if (motion.keyframes[i - 1].time < motion.keyframes[i].time) continue;
    const auto in_list = reader.enter("keyframes");
    const auto step = reader.enter(i);
    reader.fault(node.find("keyframes")->items[i], "time",
                 fmt::format("keyframe times must rise, but {:.6g} s follows {:.6g} s",
                             motion.keyframes[i].time, motion.keyframes[i - 1].time));
  }
}

bool is_unbounded(const Shape& shape) {
  return shape.inside_out || std::holds_alternative<HalfSpaceShape>(shape.kind);
}

void check_body(Reader& reader, const Node& node, BodySpec& body) {
  if (node.kind != Node::map) return;
  if (node.find("mass") && node.find("density"))
    reader.fault(node, "mass", "give either mass or density, not both");
  if (!reader.sound) return;
  const std::string_view kind = name_of(body.kind);
  if (body.kind == BodyKind::kinematic && !node.find("motion"))
    reader.fault(node, "motion", "this key is required: a kinematic body moves as prescribed");
  if (body.kind != BodyKind::kinematic && node.find("motion"))
    reader.fault(node, "motion",
                 fmt::format("only a kinematic body has a motion; this one is {}", kind));
  if (body.kind != BodyKind::dynamic && node.find("loads"))
    reader.fault(node, "loads",
                 fmt::format("only a dynamic body feels loads; this one is {}", kind));
  for (const std::string_view key : {"velocity", "angular_velocity"})
    if (body.kind != BodyKind::dynamic && node.find(key))
      reader.fault(node, key,
                   body.kind == BodyKind::fixed
                       ? "a static body does not move"
                       : "a kinematic body moves by its motion; put the velocity there");
  if (body.kind == BodyKind::dynamic && is_unbounded(body.shape))
    reader.fault(node, "shape",
                 body.shape.inside_out ? "a shape turned inside out is unbounded; the body must be "
                                         "static or kinematic"
                                       : "a half_space is unbounded; the body must be static or "
                                         "kinematic");
}

const Object<MotionSpec>& rotation_table() {
  static const Object<MotionSpec> object{
      {"motion.rotation", "Steady or changing rotation about an axis.", ""},
      {key("axis", &MotionSpec::rotation_axis).as(Type::direction).says("Direction of the axis."),
       key("centre", &MotionSpec::rotation_centre)
           .unit("m")
           .otherwise("the body's position")
           .says("A point on the axis."),
       key("rate", &MotionSpec::rotation_rate)
           .unit("rad/s")
           .required()
           .says("Angular velocity, as a function of time if wanted.")},
      [](Reader& reader, const Node& node, MotionSpec& motion) {
        if (reader.two_d() && !node.find("axis")) motion.rotation_axis = Vec3::UnitZ();
      }};
  return object;
}

/// A coefficient, or a mapping with one along and one across a direction.
template <class T>
Field<T> friction_key() {
  return Field<T>{describe_key<TimeFunction>("friction"),
                  [](Reader& reader, const Node& node, const KeyInfo& key, T& object) {
                    if (node.kind == Node::map && !node.find("keyframes"))
                      return read_value(reader, node, key, object.grain);
                    read_value(reader, node, key, object.friction);
                  },
                  nullptr}
      .template or_a<GrainSpec>()
      .at_least(0);
}

template <class T>
Field<T> torsional_friction_key() {
  return key("torsional_friction", &T::torsional_friction)
      .unit("m")
      .at_least(0)
      .otherwise("0")
      .says("Torque about the normal of a contact is at most this length times the normal force.");
}

template <class T>
Field<T> seal_key() {
  return key("seal", &T::seal)
      .otherwise("no")
      .says(
          "No liquid gets between it and what it touches, and none pushes there. Otherwise liquid "
          "at the rim of a gap, however narrow, carries its pressure into it, falling to zero "
          "towards dry rims (`engine: hybrid` and `volumes: cells`; with `volumes: kernel` nothing "
          "pushes there either way).");
}

template <class T>
Field<T> rolling_friction_key() {
  return key("rolling_friction", &T::rolling_friction)
      .unit("m")
      .at_least(0)
      .otherwise("0")
      .says("Torque against rolling is at most this length times the normal force.");
}

}  // namespace

template <>
const Object<GrainSpec>& table<GrainSpec>() {
  static const Object<GrainSpec> object{
      {"friction.grain",
       "Friction that depends on the direction of sliding: the limit is an ellipse. A surface "
       "square to the direction has `across` all over. Of two bodies with a grain that of the one "
       "named first in the scene counts, the other has the geometric mean of its two coefficients.",
       "materials:\n  ski: {friction: {along: 0.05, across: 0.6, direction: [1, 0, 0]}}"},
      {key("along", &GrainSpec::along)
           .at_least(0)
           .required()
           .says("Coulomb coefficient for sliding along the direction."),
       key("across", &GrainSpec::across)
           .at_least(0)
           .required()
           .says("Coulomb coefficient for sliding across it."),
       key("direction", &GrainSpec::direction)
           .as(Type::direction)
           .says("The direction, in the body's own axes.")}};
  return object;
}

template <>
const Object<MaterialSpec>& table<MaterialSpec>() {
  static const Object<MaterialSpec> object{
      {"materials", "What bodies are made of, by name. A body's own keys come first.",
       "materials:\n  oak: {density: 700, friction: 0.4, colour: chocolate}\n"
       "bodies:\n  - shape: {box: [1, 1, 1]}\n    material: oak"},
      {key("density", &MaterialSpec::density).unit("kg/m^3").positive().says("Mass per volume."),
       friction_key<MaterialSpec>().says("Coulomb coefficient, as a function of time if wanted."),
       torsional_friction_key<MaterialSpec>(), rolling_friction_key<MaterialSpec>(),
       seal_key<MaterialSpec>(),
       key("colour", &MaterialSpec::colour).as(Type::colour).says("Colour in pictures.")}};
  return object;
}

template <>
const Object<FrictionPairSpec>& table<FrictionPairSpec>() {
  static const Object<FrictionPairSpec> object{
      {"friction", "Friction between two materials, in place of what each would give by itself.",
       "materials: {ice: {friction: 0.1}, rubber: {friction: 0.9}}\n"
       "friction:\n  - {between: [ice, rubber], coefficient: 0.15}"},
      {key<FrictionPairSpec, std::vector<std::string>>(
           "between",
           +[](FrictionPairSpec& pair, const std::vector<std::string>& names) {
             if (names.size() == 2) pair.a = names[0], pair.b = names[1];
           })
           .refers_to(Refers::material)
           .required()
           .says("The two materials; the same one twice is allowed."),
       key("coefficient", &FrictionPairSpec::coefficient)
           .at_least(0)
           .required()
           .says("Coulomb coefficient, as a function of time if wanted."),
       torsional_friction_key<FrictionPairSpec>().otherwise("of the two materials"),
       rolling_friction_key<FrictionPairSpec>().otherwise("of the two materials")},
      [](Reader& reader, const Node& node, FrictionPairSpec&) {
        const Node* between = node.find("between");
        if (between && between->kind == Node::list && between->items.size() != 2)
          reader.fault(node, "between",
                       fmt::format("expected two materials, found {}", between->items.size()));
      }};
  return object;
}

template <>
const Object<LiquidSpec>& table<LiquidSpec>() {
  static const Object<LiquidSpec> object{
      {"liquids",
       "Liquids, each filling a shape at the start, fed by emitters, or both. Liquid is "
       "never put inside a body.",
       "liquids:\n  - name: water\n    shape: {box: [1, 0.5, 1], at: [0, 0.25, 0]}\n"
       "    viscosity: 1 mPa s"},
      {key("name", &LiquidSpec::name)
           .as(Type::name)
           .otherwise("liquid1, liquid2, ...")
           .says("Name, for emitters and outlets."),
       key("shape", &LiquidSpec::shape)
           .otherwise("empty at the start")
           .says("What it fills at the start."),
       key("density", &LiquidSpec::density)
           .unit("kg/m^3")
           .positive()
           .says("Mass per volume at rest."),
       key("viscosity", &LiquidSpec::viscosity)
           .unit("Pa s")
           .at_least(0)
           .says("Dynamic viscosity; with a flow index that at a shear rate of 1/s."),
       key("flow_index", &LiquidSpec::flow_index)
           .positive()
           .says(
               "Exponent n of the shear stress, viscosity * rate^n: below 1 the liquid thins when "
               "sheared, above it thickens (engine `hybrid`)."),
       key("yield_stress", &LiquidSpec::yield_stress)
           .unit("Pa")
           .at_least(0)
           .says("Shear stress below which it stands like a solid (Bingham; engine `hybrid`)."),
       key("max_viscosity", &LiquidSpec::max_viscosity)
           .unit("Pa s")
           .positive()
           .otherwise("1000 times viscosity")
           .says("Viscosity at rest of a liquid with flow index or yield stress."),
       key("surface_tension", &LiquidSpec::surface_tension)
           .unit("N/m")
           .at_least(0)
           .says("Surface tension."),
       key("velocity", &LiquidSpec::velocity)
           .unit("m/s")
           .says("Velocity at the start, in the axes of the world (groups do not turn it); where "
                 "wanted, expressions in the place x, y, z [m]."),
       key("colour", &LiquidSpec::colour).as(Type::colour).says("Colour in pictures.")}};
  return object;
}

template <>
const Object<EmitterSpec>& table<EmitterSpec>() {
  static const Object<EmitterSpec> object{
      {"emitters", "Flat openings through which liquid enters.",
       "liquids: [{name: water}]\nemitters:\n  - {liquid: water, radius: 5 cm, at: [0, 1, 0], "
       "direction: [1, 0, 0], speed: 2, until: 3}"},
      {key("name", &EmitterSpec::name).as(Type::name).otherwise("emitter1, ...").says("Name."),
       key("liquid", &EmitterSpec::liquid)
           .refers_to(Refers::liquid)
           .otherwise("the only liquid")
           .says("The liquid it feeds."),
       key("opening", &EmitterSpec::opening).says("Form of the opening."),
       key("radius", &EmitterSpec::radius).unit("m").positive().says("Radius of a disc."),
       key("width", &EmitterSpec::width).unit("m").positive().says("Width of a rectangle."),
       key("height", &EmitterSpec::height).unit("m").positive().says("Height of a rectangle."),
       key("at", &EmitterSpec::at).unit("m").says("Centre of the opening."),
       key("direction", &EmitterSpec::direction)
           .as(Type::direction)
           .says("Where the liquid goes; normal of the opening."),
       key("speed", &EmitterSpec::speed)
           .unit("m/s")
           .at_least(0)
           .says("Speed of the liquid, as a function of time if wanted; or give rate."),
       key("rate", &EmitterSpec::rate)
           .unit("m^3/s")
           .at_least(0)
           .says("Volume per time, as a function of time if wanted; or give speed."),
       key("from", &EmitterSpec::from).unit("s").at_least(0).says("Starts at this time."),
       key("until", &EmitterSpec::until)
           .unit("s")
           .at_least(0)
           .otherwise("unlimited")
           .says("Stops at this time."),
       key("volume", &EmitterSpec::volume)
           .unit("m^3")
           .positive()
           .otherwise("unlimited")
           .says("Stops after this much liquid.")},
      check_emitter};
  return object;
}

template <>
const Object<OutletSpec>& table<OutletSpec>() {
  static const Object<OutletSpec> object{
      {"outlets", "Regions in which liquid vanishes.",
       "outlets:\n  - {shape: {box: [0.2, 0.2, 1], at: [2, 0, 0]}, rate: 10 l/s}"},
      {key("name", &OutletSpec::name).as(Type::name).otherwise("outlet1, ...").says("Name."),
       key("shape", &OutletSpec::shape).required().says("The region."),
       key("liquid", &OutletSpec::liquid)
           .refers_to(Refers::liquid)
           .otherwise("every liquid")
           .says("Takes only this liquid."),
       key("rate", &OutletSpec::rate)
           .unit("m^3/s")
           .positive()
           .otherwise("unlimited")
           .says("Takes at most this volume per time."),
       key("from", &OutletSpec::from).unit("s").at_least(0).says("Starts at this time."),
       key("until", &OutletSpec::until)
           .unit("s")
           .at_least(0)
           .otherwise("unlimited")
           .says("Stops at this time."),
       key("volume", &OutletSpec::volume)
           .unit("m^3")
           .positive()
           .otherwise("unlimited")
           .says("Stops after this much liquid.")},
      [](Reader& reader, const Node& node, OutletSpec& outlet) {
        check_period(reader, node, outlet.from, outlet.until);
      }};
  return object;
}

template <>
const Object<MotionKey>& table<MotionKey>() {
  static const Object<MotionKey> object{
      {"motion.keyframes", "A pose at a time, relative to the starting pose.", ""},
      {key("time", &MotionKey::time).unit("s").required().says("When."),
       key("at", &MotionKey::at)
           .unit("m")
           .says("Displacement from the starting position, in the axes of the world."),
       key("rotate", &MotionKey::rotate)
           .unit("deg")
           .says("Rotation from the starting pose, the short way from the key before.")}};
  return object;
}

template <>
const Object<MotionSpec>& table<MotionSpec>() {
  static const Object<MotionSpec> object{
      {"motion",
       "Motion of a kinematic body: velocity and rotation, or keyframes; or `driven: true` if a "
       "program sets its velocity from step to step (docs/python.md).",
       "bodies:\n  - shape: {box: [0.1, 1, 2]}\n    kind: kinematic\n"
       "    motion: {velocity: [\"0.5*sin(2*pi*t)\", 0, 0]}\n"
       "  - shape: {gear: {}}\n    kind: kinematic\n    motion: {rotation: {axis: [0, 1, 0], rate: "
       "10 rpm}}\n"
       "  - shape: {box: [1, 0.1, 1]}\n    kind: kinematic\n    motion:\n      keyframes:\n"
       "        - {time: 0}\n        - {time: 2, at: [0, 1, 0], rotate: {axis: [0, 1, 0], angle: "
       "90}}"},
      {key("velocity", &MotionSpec::velocity)
           .unit("m/s")
           .says("Velocity in the axes of the world, as a function of time if wanted."),
       part<rotation_table>("rotation").says("Rotation about an axis."),
       key("keyframes", &MotionSpec::keyframes).says("Poses at rising times."),
       key("interpolation", &MotionSpec::interpolation).says("Way between keyframes."),
       key("driven", &MotionSpec::driven).says("Moves as a program tells it; at rest until then.")},
      check_motion};
  return object;
}

template <>
const Object<LoadSpec>& table<LoadSpec>() {
  static const Object<LoadSpec> object{
      {"loads", "Forces and torques on a dynamic body, added to everything else that acts on it.",
       "bodies:\n  - shape: {duck: 0.4}\n    loads:\n      - {force: [\"5*sin(t)\", 0, 0]}\n"
       "      - {torque: [0, 2 N m, 0], body_frame: true}"},
      {key("force", &LoadSpec::force)
           .unit("N")
           .says(
               "Force in the axes of the world, or of the body with `body_frame`; as a function of "
               "time if wanted."),
       key("torque", &LoadSpec::torque)
           .as(Type::turning_function)
           .unit("N m")
           .says("Torque, as a function of time if wanted."),
       key("at", &LoadSpec::at)
           .unit("m")
           .otherwise("centre of mass")
           .says("Where the force acts, in the frame of the body."),
       key("body_frame", &LoadSpec::body_frame).says("Directions turn with the body.")},
      [](Reader& reader, const Node& node, LoadSpec&) {
        if (node.kind == Node::map && !node.find("force") && !node.find("torque"))
          reader.fault(node, "give force, torque or both");
      }};
  return object;
}

template <>
const Object<BodySpec>& table<BodySpec>() {
  static const Object<BodySpec> object{
      {"bodies",
       "Rigid bodies: dynamic ones move by what acts on them, static ones stay, kinematic "
       "ones move as prescribed. A container is a static body whose shape is `inside_out`.",
       "bodies:\n  - name: tank\n    shape: {box: [2, 1, 1], inside_out: true}\n    kind: static\n"
       "  - name: ship\n    shape: {box: [0.4, 0.2, 0.2]}\n    at: [0, 0.3, 0]\n    density: 500"},
      {key("name", &BodySpec::name)
           .as(Type::name)
           .otherwise("box1, sphere2, ...")
           .says("Name, for probes; copies are name[0], name[1], ..."),
       key("shape", &BodySpec::shape).required().says("Its shape."),
       key("kind", &BodySpec::kind).says("What moves it."),
       key<BodySpec, Vec3>(
           "at", +[](BodySpec& b, const Vec3& x) { b.pose.position = x; },
           +[](const BodySpec& b) { return b.pose.position; })
           .unit("m")
           .says("Position of the shape's origin; repetitions are laid out around it."),
       key<BodySpec, Quat>(
           "rotate", +[](BodySpec& b, const Quat& q) { b.pose.orientation = q; })
           .unit("deg")
           .says("Rotation of the body (of every copy by itself)."),
       key("density", &BodySpec::density)
           .unit("kg/m^3")
           .positive()
           .otherwise("the material's, else 1000")
           .says("Mass per volume; or give mass."),
       key("mass", &BodySpec::mass).unit("kg").positive().says("Mass; or give density."),
       key("material", &BodySpec::material)
           .refers_to(Refers::material)
           .says("Takes density, friction, seal and colour from there."),
       friction_key<BodySpec>()
           .otherwise("the material's, else 0.5")
           .says("Coulomb coefficient, as a function of time if wanted. Two bodies have the "
                 "geometric mean of theirs, unless `friction` names their materials."),
       torsional_friction_key<BodySpec>().otherwise("the material's, else 0"),
       rolling_friction_key<BodySpec>().otherwise("the material's, else 0"),
       key("slip", &BodySpec::slip)
           .says("Viscous liquid slides along it freely; otherwise it sticks (engine "
                 "`particles`)."),
       seal_key<BodySpec>().otherwise("the material's, else no"),
       key("resolution", &BodySpec::resolution)
           .unit("m")
           .positive()
           .otherwise("spacing")
           .says("Size to which its surface is resolved, whatever the liquid's: how far apart the "
                 "points are at which it meets other bodies, how finely round shapes are "
                 "faceted, compositions meshed and meshes simplified. With the engine "
                 "`particles` at most the spacing. A body of a few spacings wants a finer "
                 "one; half the size takes four times the points and contacts. Not with liquid "
                 "on `volumes: kernel`, nor with `contact: volumes`."),
       key("velocity", &BodySpec::velocity)
           .unit("m/s")
           .says("Velocity at the start, in the axes of the world (groups do not turn it)."),
       key("angular_velocity", &BodySpec::angular_velocity)
           .as(Type::turning)
           .unit("rad/s")
           .says("Angular velocity at the start, in the axes of the world."),
       key("motion", &BodySpec::motion).says("Prescribed motion of a kinematic body."),
       key("loads", &BodySpec::loads).says("Forces and torques on a dynamic body."),
       key("colour", &BodySpec::colour)
           .as(Type::colour)
           .otherwise("the material's")
           .says("Colour in pictures."),
       read_by<std::vector<RepeatPart>, BodySpec>("repeat", [](Reader&, const Node&, BodySpec&) {})
           .or_single()
           .says("Copies of the body; several repetitions are nested, the outermost first.")},
      check_body};
  return object;
}

template <>
const Object<GroupPart>& table<GroupPart>() {
  static const Object<GroupPart> object{
      {"groups", "Several entries of `bodies` placed and repeated as one; groups may hold groups.",
       "bodies:\n  - group:\n      - {shape: {box: [1, 0.1, 1]}, at: [0, 0.5, 0]}\n"
       "      - {shape: {cylinder: {radius: 0.05, height: 0.45}}, at: [0, 0.225, 0]}\n"
       "    at: [3, 0, 0]\n    repeat: {array: {count: 4, step: [1.5, 0, 0]}}"},
      {read_by<std::vector<BodySpec>, GroupPart>("group", [](Reader&, const Node&, GroupPart&) {})
           .or_a<GroupPart>()
           .required()
           .says("The bodies, in the frame of the group."),
       key("at", &GroupPart::at).unit("m").says("Position of the group."),
       key("rotate", &GroupPart::rotate)
           .unit("deg")
           .says("Rotation of the group (every copy by itself)."),
       read_by<std::vector<RepeatPart>, GroupPart>("repeat",
                                                   [](Reader&, const Node&, GroupPart&) {})
           .or_single()
           .says("Copies of the whole group.")}};
  return object;
}

}  // namespace hydrolith::schema
