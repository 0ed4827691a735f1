// The table of rotations, keyframes and repetitions.

#include "scene/tables.h"

#include <numbers>

namespace hydrolith::schema {

Quat RotationPart::rotation() const {
  if (quaternion.size() == 4)
    return Quat(quaternion[0], quaternion[1], quaternion[2], quaternion[3]).normalized();
  return Quat(Eigen::AngleAxisd(angle * std::numbers::pi / 180, axis));
}

namespace {

void check_rotation(Reader& reader, const Node& node, RotationPart& part) {
  const bool quaternion = node.find("quaternion");
  if (quaternion == (node.find("angle") != nullptr))
    reader.fault(node, "give {axis, angle} or {quaternion}");
  double norm = 0;
  for (const double q : part.quaternion) norm = std::hypot(norm, q);
  if (reader.sound && !part.quaternion.empty() && (part.quaternion.size() != 4 || norm == 0)) {
    reader.fault(node, "quaternion", "expected four numbers [w, x, y, z], not all of them 0");
    part.quaternion.clear();
  }
}

template <class R>
Field<R> index_key() {
  return key("index", &R::index)
      .as(Type::name)
      .otherwise("i, j, k, ... from the outermost")
      .says("Name of the number of the copy (from 0) in expressions.");
}

template <class R>
void check_index(Reader& reader, const Node& node, R& repeat) {
  const bool free = is_identifier(repeat.index) && !is_reserved_name(repeat.index);
  if (node.find("index") && !repeat.index.empty() && !free)
    reader.fault(node, "index", "an index is made of letters, digits and _ and is no function");
}

}  // namespace

template <>
const Object<RotationPart>& table<RotationPart>() {
  static const Object<RotationPart> object{
      {"rotation", "A rotation about an axis through the origin of what is turned.",
       "axis: [0, 0, 1]\nangle: 30"},
      {key("axis", &RotationPart::axis).as(Type::direction).says("The axis (in 2D always z)."),
       key("angle", &RotationPart::angle).unit("deg").says("Angle, counter-clockwise."),
       key("quaternion", &RotationPart::quaternion)
           .says("[w, x, y, z] in place of axis and angle.")},
      check_rotation};
  return object;
}

template <>
const Object<KeyframesPart>& table<KeyframesPart>() {
  static const Object<KeyframesPart> object{
      {"keyframes", "A value that changes with time, given at some times.",
       "keyframes: [[0, 1], [5, 0]]\ninterpolation: smooth"},
      {read_by<std::vector<double>, KeyframesPart>("keyframes",
                                                   [](Reader&, const Node&, KeyframesPart&) {})
           .required()
           .says("[[time, value], ...] with rising times [s]; before and after, the value stays."),
       key("interpolation", &KeyframesPart::interpolation)
           .says("Way between keyframes: straight, at rest at every key, or in steps.")}};
  return object;
}

template <>
const Object<ArrayRepeat>& table<ArrayRepeat>() {
  static const Object<ArrayRepeat> object{
      {"repeat.array", "A line or a grid. With an index i there are also i_x, i_y and i_z.",
       "array: {count: [4, 1, 3], step: [0.5, 0, 0.5]}"},
      {key("count", &ArrayRepeat::count)
           .at_least(0)
           .required()

           .says("Copies along the step, or [nx, ny, nz] for a grid."),
       key("step", &ArrayRepeat::step)
           .unit("m")
           .required()
           .says("From one copy to the next; in a grid the distances along x, y and z."),
       key("centred", &ArrayRepeat::centred).says("Centre the copies around `at`."),
       index_key<ArrayRepeat>()},
      check_index<ArrayRepeat>};
  return object;
}

template <>
const Object<RingRepeat>& table<RingRepeat>() {
  static const Object<RingRepeat> object{
      {"repeat.ring", "A circle or an arc. Copy 0 stands at +x of the centre, seen along the axis.",
       "ring: {count: 12, radius: 1}"},
      {key("count", &RingRepeat::count).at_least(0).required().says("Number of copies."),
       key("radius", &RingRepeat::radius).unit("m").at_least(0).required().says("Radius."),
       key("axis", &RingRepeat::axis)
           .as(Type::direction)
           .otherwise("y, in 2D z")
           .says("Axis of the circle."),
       key("start", &RingRepeat::start).unit("deg").says("Angle of the first copy."),
       key("arc", &RingRepeat::arc)
           .unit("deg")
           .says("Angle covered; less than a full circle has a copy at both ends."),
       key("turn", &RingRepeat::turn).says("Turn the copies so that their x axis points outwards."),
       index_key<RingRepeat>()},
      check_index<RingRepeat>};
  return object;
}

template <>
const Object<AlternatePart>& table<AlternatePart>() {
  static const Object<AlternatePart> object{
      {"repeat.stack.alternate", "What every second level gets in addition.", ""},
      {key("at", &AlternatePart::at).unit("m").says("Displacement."),
       key("rotate", &AlternatePart::rotate).unit("deg").says("Rotation.")}};
  return object;
}

template <>
const Object<StackRepeat>& table<StackRepeat>() {
  static const Object<StackRepeat> object{
      {"repeat.stack", "Levels, one above the other, with alternation or twist.",
       "stack: {count: 10, step: [0, 0.1, 0], alternate: {rotate: {axis: [0, 1, 0], angle: 90}}}"},
      {key("count", &StackRepeat::count).at_least(0).required().says("Number of levels."),
       key("step", &StackRepeat::step).unit("m").required().says("From one level to the next."),
       key("turn", &StackRepeat::turn)
           .unit("deg")
           .says("Rotation about the step, added per level."),
       key("alternate", &StackRepeat::alternate).says("Added at every second level."),
       index_key<StackRepeat>()},
      [](Reader& reader, const Node& node, StackRepeat& stack) {
        check_index(reader, node, stack);
        if (stack.turn != 0 && stack.step.norm() == 0)
          reader.fault(node, "turn", "a turn is about the step, which has no length");
      }};
  return object;
}

template <>
const Object<RepeatPart>& table<RepeatPart>() {
  static const Object<RepeatPart> object{
      {"repeat",
       "One way of making copies. Numbers of the body and of inner repetitions may use the "
       "index of a copy.",
       "bodies:\n  - shape: {box: [0.2, 0.1, 0.1]}\n    at: [0.1*row, 0.05, 0]\n    repeat:\n"
       "      - stack: {count: 5, step: [0, 0.1, 0], index: row}\n"
       "      - array: {count: 5 - row, step: [0.2, 0, 0]}",
       {},
       -1,
       {"array", "ring", "stack"}},
      {key("array", &RepeatPart::array).says("A line or a grid."),
       key("ring", &RepeatPart::ring).says("A circle or an arc."),
       key("stack", &RepeatPart::stack).says("Levels, with alternation or twist.")}};
  return object;
}

}  // namespace hydrolith::schema
