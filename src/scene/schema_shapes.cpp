// The table of shapes. Tags stand in the order of Shape::Variant.

#include "scene/tables.h"

#include <fmt/format.h>

namespace hydrolith::schema {

namespace {

/// A key of Shape that makes it a shape of one kind.
template <class K>
Field<Shape> tag(std::string name) {
  Field<Shape> field;
  field.info = describe_key<K>(std::move(name));
  field.info.sentence = table<K>().sentence;
  field.read = [](Reader& r, const Node& n, const KeyInfo&, Shape& shape) {
    K kind{};
    table<K>().read(r, n, kind);
    shape.kind = std::move(kind);
  };
  return field;
}

template <class K>
void check_shapes(Reader& reader, const Node& node, K& kind) {
  if (reader.sound && kind.shapes.empty()) reader.fault(node, "at least one shape is needed");
}

void check_order(Reader& reader, const Node& node, std::string_view key, bool good,
                 std::string_view rule, double value) {
  if (reader.sound && !good)
    reader.fault(node, key, fmt::format("must be {}, but is {:.6g} m", rule, value));
}

}  // namespace

template <>
const Object<BoxShape>& table<BoxShape>() {
  static const Object<BoxShape> object{{"box", "A box, centred.", "box: {size: [2, 1, 0.5]}"},
                                       {key("size", &BoxShape::size)
                                            .as(Type::size)
                                            .unit("m")
                                            .positive()
                                            .shorthand()
                                            .says("Lengths of the edges along x, y and z.")}};
  return object;
}

template <>
const Object<SphereShape>& table<SphereShape>() {
  static const Object<SphereShape> object{
      {"sphere", "A ball.", "sphere: {radius: 0.5}"},
      {key("radius", &SphereShape::radius).unit("m").positive().shorthand().says("Radius.")}};
  return object;
}

template <>
const Object<EllipsoidShape>& table<EllipsoidShape>() {
  static const Object<EllipsoidShape> object{
      {"ellipsoid", "A ball stretched along x, y and z.", "ellipsoid: {radii: [0.5, 0.3, 0.4]}"},
      {key("radii", &EllipsoidShape::radii)
           .as(Type::size)
           .unit("m")
           .positive()
           .shorthand()
           .says("Half axes along x, y and z.")}};
  return object;
}

template <>
const Object<CylinderShape>& table<CylinderShape>() {
  static const Object<CylinderShape> object{
      {"cylinder", "A cylinder around y, centred.", "cylinder: {radius: 0.2, height: 1}"},
      {key("radius", &CylinderShape::radius).unit("m").positive().says("Radius."),
       key("height", &CylinderShape::height).unit("m").positive().says("Length along y.")}};
  return object;
}

template <>
const Object<CapsuleShape>& table<CapsuleShape>() {
  static const Object<CapsuleShape> object{
      {"capsule", "A cylinder around y with round caps, centred.",
       "capsule: {radius: 0.2, height: 1}"},
      {key("radius", &CapsuleShape::radius).unit("m").positive().says("Radius of body and caps."),
       key("height", &CapsuleShape::height)
           .unit("m")
           .positive()
           .says("Whole length along y, caps included.")},
      [](Reader& reader, const Node& node, CapsuleShape& s) {
        check_order(reader, node, "height", s.height >= 2 * s.radius, "at least twice the radius",
                    s.height);
      }};
  return object;
}

template <>
const Object<ConeShape>& table<ConeShape>() {
  static const Object<ConeShape> object{
      {"cone", "A cone around y with its base below, or a frustum.",
       "cone: {radius: 0.5, height: 1}"},
      {key("radius", &ConeShape::radius).unit("m").positive().says("Radius of the base."),
       key("height", &ConeShape::height)
           .unit("m")
           .positive()
           .says("Height along y; the base is at "
                 "-height/2."),
       key("top_radius", &ConeShape::top_radius)
           .unit("m")
           .at_least(0)
           .says("Radius at the top; 0 is a pointed cone.")}};
  return object;
}

template <>
const Object<TorusShape>& table<TorusShape>() {
  static const Object<TorusShape> object{
      {"torus", "A ring lying in the xz plane.", "torus: {radius: 0.5, tube: 0.15}"},
      {key("radius", &TorusShape::radius)
           .unit("m")
           .positive()
           .says("From the centre to the middle of the tube."),
       key("tube", &TorusShape::tube).unit("m").positive().says("Radius of the tube.")},
      [](Reader& reader, const Node& node, TorusShape& s) {
        check_order(reader, node, "tube", s.tube < s.radius, "less than the radius of the ring",
                    s.tube);
      }};
  return object;
}

template <>
const Object<WedgeShape>& table<WedgeShape>() {
  static const Object<WedgeShape> object{
      {"wedge", "A ramp: full height at -x, none at +x.", "wedge: {size: [2, 1, 1]}"},
      {key("size", &WedgeShape::size)
           .as(Type::size)
           .unit("m")
           .positive()
           .shorthand()
           .says("Lengths along x, y and z.")}};
  return object;
}

template <>
const Object<PlateShape>& table<PlateShape>() {
  static const Object<PlateShape> object{
      {"plate", "A thin box lying flat.", "plate: {width: 2, depth: 1, thickness: 5 cm}"},
      {key("width", &PlateShape::width).unit("m").positive().says("Length along x."),
       key("depth", &PlateShape::depth).unit("m").positive().says("Length along z."),
       key("thickness", &PlateShape::thickness).unit("m").positive().says("Length along y.")}};
  return object;
}

template <>
const Object<RoundedBoxShape>& table<RoundedBoxShape>() {
  static const Object<RoundedBoxShape> object{
      {"rounded_box", "A box with rounded edges.", "rounded_box: {size: [1, 1, 1], rounding: 0.1}"},
      {key("size", &RoundedBoxShape::size)
           .as(Type::size)
           .unit("m")
           .positive()
           .says("Outer lengths along x, y and z."),
       key("rounding", &RoundedBoxShape::rounding)
           .unit("m")
           .positive()
           .says("Radius of the edges.")},
      [](Reader& reader, const Node& node, RoundedBoxShape& s) {
        check_order(reader, node, "rounding", 2 * s.rounding <= s.size.minCoeff(),
                    "at most half the shortest edge", s.rounding);
      }};
  return object;
}

template <>
const Object<HalfSpaceShape>& table<HalfSpaceShape>() {
  static const Object<HalfSpaceShape> object{
      {"half_space", "Everything on one side of a plane through the origin: a floor or a wall.",
       "half_space: {normal: [0, 1, 0]}"},
      {key("normal", &HalfSpaceShape::normal)
           .as(Type::direction)
           .shorthand()
           .says("Points from the solid to the empty side.")}};
  return object;
}

template <>
const Object<HeightFieldShape>& table<HeightFieldShape>() {
  static const Object<HeightFieldShape> object{
      {"height_field", "Ground: solid below a surface over the xz plane.",
       "height_field: {height: 0.1*sin(4*x) + 0.05*z, width: 4, depth: 2}"},
      {key("height", &HeightFieldShape::height)
           .unit("m")
           .shorthand()
           .says("Height y as an expression in x and z [m]."),
       key("file", &HeightFieldShape::file)
           .as(Type::file)
           .says("Greyscale PNG, or text with one row of numbers a line (rows along z)."),
       key("width", &HeightFieldShape::width).unit("m").positive().says("Extent along x, centred."),
       key("depth", &HeightFieldShape::depth).unit("m").positive().says("Extent along z, centred."),
       key("scale", &HeightFieldShape::scale)
           .unit("m")
           .says("Height of white in a PNG, or factor on the numbers of a text."),
       key("thickness", &HeightFieldShape::thickness)
           .unit("m")
           .positive()
           .says("Solid below the lowest point.")},
      [](Reader& reader, const Node& node, HeightFieldShape&) {
        const bool height = node.kind != Node::map || node.find("height"), file = node.find("file");
        if (height == file)
          reader.fault(node, height
                                 ? "give either height or file, not both"
                                 : "give the surface: height (an expression in x and z) or file");
      }};
  return object;
}

template <>
const Object<TetrapodShape>& table<TetrapodShape>() {
  static const Object<TetrapodShape> object{
      {"tetrapod", "A breakwater block with four legs.", "tetrapod: {size: 1.5}"},
      {key("size", &TetrapodShape::size).unit("m").positive().shorthand().says("Height over all."),
       key("leg_radius", &TetrapodShape::leg_radius)
           .unit("m")
           .positive()
           .says("Radius of a leg at its root."),
       key("taper", &TetrapodShape::taper)
           .between(0.1, 1)
           .says("Radius of a leg at its tip over that at its root.")},
      [](Reader& reader, const Node& node, TetrapodShape& s) {
        if (!node.find("leg_radius")) s.leg_radius = TetrapodShape{}.leg_radius * s.size;
        check_order(reader, node, "leg_radius", s.leg_radius < 0.4 * s.size,
                    "less than 0.4 of the size", s.leg_radius);
      }};
  return object;
}

template <>
const Object<ChainLinkShape>& table<ChainLinkShape>() {
  static const Object<ChainLinkShape> object{
      {"chain_link", "An oval link of round wire, lying in the xz plane.",
       "chain_link: {length: 0.3, width: 0.2, wire: 0.025}"},
      {key("length", &ChainLinkShape::length).unit("m").positive().says("Outer length along x."),
       key("width", &ChainLinkShape::width).unit("m").positive().says("Outer width along z."),
       key("wire", &ChainLinkShape::wire).unit("m").positive().says("Radius of the wire.")},
      [](Reader& reader, const Node& node, ChainLinkShape& s) {
        check_order(reader, node, "length", s.length >= s.width, "at least the width", s.length);
        check_order(reader, node, "wire", 4 * s.wire < s.width, "less than a quarter of the width",
                    s.wire);
      }};
  return object;
}

template <>
const Object<GearShape>& table<GearShape>() {
  static const Object<GearShape> object{
      {"gear", "A spur gear around y.", "gear: {teeth: 20, radius: 0.5}"},
      {key("teeth", &GearShape::teeth).between(3, 1000).says("Number of teeth."),
       key("radius", &GearShape::radius).unit("m").positive().says("Pitch radius."),
       key("thickness", &GearShape::thickness).unit("m").positive().says("Length along y."),
       key("bore", &GearShape::bore).unit("m").at_least(0).says("Radius of the hole; 0 is none."),
       key("tooth_height", &GearShape::tooth_height)
           .unit("m")
           .positive()
           .says("From the foot to the tip of a tooth.")},
      [](Reader& reader, const Node& node, GearShape& s) {
        check_order(reader, node, "bore", s.bore < s.radius - 0.5 * s.tooth_height,
                    "less than the radius at the foot of the teeth", s.bore);
      }};
  return object;
}

template <>
const Object<BoltShape>& table<BoltShape>() {
  static const Object<BoltShape> object{
      {"bolt", "A bolt with ISO metric thread around y, head on top.",
       "bolt: {diameter: 0.1, pitch: 0.02, length: 0.3}"},
      {key("diameter", &BoltShape::diameter)
           .unit("m")
           .positive()
           .says("Outer diameter of the thread."),
       key("pitch", &BoltShape::pitch).unit("m").positive().says("Rise of the thread in one turn."),
       key("length", &BoltShape::length).unit("m").positive().says("Length of the thread."),
       key("head_width", &BoltShape::head_width)
           .unit("m")
           .positive()
           .says("Width of the hexagon across flats."),
       key("head_height", &BoltShape::head_height).unit("m").positive().says("Height of the head."),
       key("clearance", &BoltShape::clearance)
           .unit("m")
           .at_least(0)
           .says("Taken off the flanks of the thread.")},
      [](Reader& reader, const Node& node, BoltShape& s) {
        check_order(reader, node, "pitch", s.pitch < 0.5 * s.diameter,
                    "less than half the diameter", s.pitch);
      }};
  return object;
}

template <>
const Object<NutShape>& table<NutShape>() {
  static const Object<NutShape> object{
      {"nut", "A hexagon nut that fits the bolt of the same diameter and pitch.",
       "nut: {diameter: 0.1, pitch: 0.02}"},
      {key("diameter", &NutShape::diameter).unit("m").positive().says("Diameter of the bolt."),
       key("pitch", &NutShape::pitch).unit("m").positive().says("Rise of the thread in one turn."),
       key("width", &NutShape::width).unit("m").positive().says("Width across flats."),
       key("height", &NutShape::height).unit("m").positive().says("Length along y."),
       key("clearance", &NutShape::clearance)
           .unit("m")
           .at_least(0)
           .says("Play between the flanks of nut and bolt.")},
      [](Reader& reader, const Node& node, NutShape& s) {
        check_order(reader, node, "width", s.width > s.diameter, "greater than the diameter",
                    s.width);
        check_order(reader, node, "pitch", s.pitch < 0.5 * s.diameter,
                    "less than half the diameter", s.pitch);
      }};
  return object;
}

template <>
const Object<TextShape>& table<TextShape>() {
  static const Object<TextShape> object{
      {"text", "Letters standing in the xy plane.", "text: {text: HELLO, height: 0.3}"},
      {key("text", &TextShape::text)
           .shorthand()
           .says("What is written: A to Z, 0 to 9 and some signs."),
       key("height", &TextShape::height).unit("m").positive().says("Height of a capital."),
       key("stroke", &TextShape::stroke).unit("m").positive().says("Width of a stroke."),
       key("depth", &TextShape::depth).unit("m").positive().says("Length along z.")}};
  return object;
}

template <>
const Object<DuckShape>& table<DuckShape>() {
  static const Object<DuckShape> object{
      {"duck", "A bathtub duck that looks along x.", "duck: {length: 0.4}"},
      {key("length", &DuckShape::length)
           .unit("m")
           .positive()
           .shorthand()
           .says("From beak to tail.")}};
  return object;
}

template <>
const Object<MeshShape>& table<MeshShape>() {
  static const Object<MeshShape> object{
      {"mesh", "Triangles from a file (OBJ, PLY, STL, glTF and others).", "mesh: {file: hull.obj}"},
      {key("file", &MeshShape::file).as(Type::file).required().shorthand().says("The file."),
       key("repair", &MeshShape::repair)
           .says("Close small holes, turn flipped triangles and drop degenerate ones."),
       key("weld", &MeshShape::weld)
           .unit("m")
           .at_least(0)
           .says("Vertices closer than this become one; 0 finds a distance by itself.")}};
  return object;
}

template <>
const Object<UnionShape>& table<UnionShape>() {
  static const Object<UnionShape> object{
      {"union", "All shapes together.", "union: [{sphere: 0.5}, {box: [2, 0.2, 0.2]}]"},
      {key("shapes", &UnionShape::shapes).required().shorthand().says("The shapes.")},
      check_shapes<UnionShape>};
  return object;
}

template <>
const Object<IntersectionShape>& table<IntersectionShape>() {
  static const Object<IntersectionShape> object{
      {"intersection", "What the shapes have in common.",
       "intersection: [{sphere: 0.6}, {box: [1, 1, 1]}]"},
      {key("shapes", &IntersectionShape::shapes).required().shorthand().says("The shapes.")},
      check_shapes<IntersectionShape>};
  return object;
}

template <>
const Object<DifferenceShape>& table<DifferenceShape>() {
  static const Object<DifferenceShape> object{
      {"difference", "The first shape less all others.",
       "difference: [{box: [1, 1, 1]}, {sphere: 0.6}]"},
      {key("shapes", &DifferenceShape::shapes).required().shorthand().says("The shapes.")},
      check_shapes<DifferenceShape>};
  return object;
}

template <>
const Object<BlendShape>& table<BlendShape>() {
  static const Object<BlendShape> object{
      {"blend", "All shapes together with smooth seams.",
       "blend: {radius: 0.1, shapes: [{sphere: 0.5}, {sphere: 0.3, at: [0.6, 0, 0]}]}"},
      {key("radius", &BlendShape::radius).unit("m").positive().says("Radius of the seams."),
       key("shapes", &BlendShape::shapes).required().shorthand().says("The shapes.")},
      check_shapes<BlendShape>};
  return object;
}

template <>
const Object<Shape>& table<Shape>() {
  static const Object<Shape> object = [] {
    std::vector<Field<Shape>> fields = {tag<BoxShape>("box"),
                                        tag<SphereShape>("sphere"),
                                        tag<EllipsoidShape>("ellipsoid"),
                                        tag<CylinderShape>("cylinder"),
                                        tag<CapsuleShape>("capsule"),
                                        tag<ConeShape>("cone"),
                                        tag<TorusShape>("torus"),
                                        tag<WedgeShape>("wedge"),
                                        tag<PlateShape>("plate"),
                                        tag<RoundedBoxShape>("rounded_box"),
                                        tag<HalfSpaceShape>("half_space"),
                                        tag<HeightFieldShape>("height_field"),
                                        tag<TetrapodShape>("tetrapod"),
                                        tag<ChainLinkShape>("chain_link"),
                                        tag<GearShape>("gear"),
                                        tag<BoltShape>("bolt"),
                                        tag<NutShape>("nut"),
                                        tag<TextShape>("text"),
                                        tag<DuckShape>("duck"),
                                        tag<MeshShape>("mesh"),
                                        tag<UnionShape>("union"),
                                        tag<IntersectionShape>("intersection"),
                                        tag<DifferenceShape>("difference"),
                                        tag<BlendShape>("blend")};
    ObjectInfo head{
        "shape",
        "Exactly one kind of shape, and where it stands in the frame of what it belongs "
        "to. Shapes stand around their own origin with y as their axis.",
        "cylinder: {radius: 0.2, height: 1}\nat: [0, 0.5, 0]\n"
        "rotate: {axis: [0, 0, 1], angle: 90}"};
    for (const auto& field : fields) head.one_of.push_back(field.info.name);
    fields.push_back(key("at", &Shape::at).unit("m").says("Position of the shape's origin."));
    fields.push_back(
        key("rotate", &Shape::rotate).unit("deg").says("Rotation about the shape's origin."));
    fields.push_back(key("scale", &Shape::scale)
                         .as(Type::scale)
                         .positive()
                         .says("Size as a factor, before rotation."));
    fields.push_back(key("inside_out", &Shape::inside_out)
                         .says("Swaps solid and empty: the shape becomes a container."));
    return Object<Shape>{std::move(head), std::move(fields)};
  }();
  return object;
}

}  // namespace hydrolith::schema
