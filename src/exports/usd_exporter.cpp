// USD as text (.usda), one file for the whole run: time codes are numbers of frames, metres,
// seconds. Liquids are Points or a Mesh with time samples; bodies are Meshes with their pose as
// time samples, or as a value where they never move. Bodies of the same shape refer to one
// description.

#include "exports/formats.h"
#include "exports/mesh_sources.h"
#include "exports/usd_text.h"
#include "surface/corner_normals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

std::string extent_of(const std::vector<Vec3f>& points) {
  Box3 box;
  for (const Vec3f& x : points)
    if (x.allFinite()) box.include(x.cast<double>());
  if (box.empty()) box = {Vec3::Zero(), Vec3::Zero()};
  return usd_array(std::vector<Vec3f>{box.lo.cast<float>(), box.hi.cast<float>()});
}

std::string colour_line(const Vec3f& colour, const std::string& indent) {
  return fmt::format(
      "{0}color3f[] primvars:displayColor = {1} (\n{0}    interpolation = \"constant\"\n{0})\n",
      indent, usd_array(std::vector<Vec3f>{colour}));
}

/// The attributes of a mesh, with a normal for each corner: round shapes look round, edges stay
/// sharp.
std::string mesh_lines(const SurfaceMesh& mesh, const std::string& indent) {
  const std::vector<std::uint32_t> counts(mesh.triangles.size(), 3);
  std::vector<std::uint32_t> corners;
  for (const auto& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  const NormalList list = list_normals(mesh, crease_angle);
  std::vector<Vec3f> normals;
  for (const auto& triangle : list.of_corner)
    for (const std::uint32_t n : triangle) normals.push_back(list.normal[n]);
  return fmt::format(
      "{0}float3[] extent = {1}\n{0}int[] faceVertexCounts = {2}\n"
      "{0}int[] faceVertexIndices = {3}\n"
      "{0}normal3f[] normals = {4} (\n{0}    interpolation = \"faceVarying\"\n{0})\n"
      "{0}point3f[] points = {5}\n{0}uniform token subdivisionScheme = \"none\"\n",
      indent, extent_of(mesh.vertices), usd_array(counts), usd_array(corners), usd_array(normals),
      usd_array(mesh.vertices));
}

/// Names of fields other than velocity become primvars.
std::string primvar_name(const std::string& field) { return usd_names({field})[0]; }

class UsdExporter final : public RunExporter {
 public:
  UsdExporter(const Objects& objects, const ExportSettings& settings)
      : objects_(objects),
        file_(settings.folder / "run.usda"),
        rate_(settings.frame_rate),
        mesher_(make_mesher(objects, settings)),
        motions_(objects.bodies.size()),
        users_(objects.meshes.size()) {
    make_folder(settings.folder);
    for (const BodyInfo& body : objects.bodies) ++users_[body.mesh];
    std::vector<std::string> names = liquid_object_names(objects, mesher_ != nullptr);
    for (const BodyInfo& body : objects.bodies) names.push_back(body.name);
    names_ = usd_names(names);
    const auto scratch = std::make_shared<ScratchFile>(settings.folder);
    samples_.assign(names_.size(), UsdSamples(scratch));
  }

  void write(const Frame& frame) override {
    if (!first_) first_ = frame.index;
    last_ = frame.index;
    const std::size_t liquids = frame.liquids.size();
    for (std::size_t i = 0; i < liquids; ++i)
      if (mesher_)
        add_surface(samples_[i], frame.index, mesher_(frame, i));
      else
        add_particles(samples_[i], frame.index, frame.liquids[i]);
    for (std::size_t b = 0; b < frame.bodies.size(); ++b)
      add_pose(b, frame.index, frame.bodies[b].pose);
  }

  void finish() override {
    WholeFile file(file_);
    file.write(head());
    for (std::size_t i = 0; i < objects_.liquids.size(); ++i) write_liquid(file, i);
    for (std::size_t b = 0; b < objects_.bodies.size(); ++b) write_body(file, b);
    file.write("}\n\n");
    write_shapes(file);
    file.commit();
  }

 private:
  struct Motion {
    Pose first, last;
    bool moves = false;
  };

  void add_pose(std::size_t b, std::int64_t frame, Pose pose) {
    Motion& motion = motions_[b];
    if (frame == first_) motion.first = motion.last = pose;
    pose.orientation = nearer_to(motion.last.orientation, pose.orientation);
    motion.moves = motion.moves || pose.position != motion.first.position ||
                   pose.orientation.coeffs() != motion.first.orientation.coeffs();
    motion.last = pose;
    UsdSamples& samples = samples_[objects_.liquids.size() + b];
    samples.add(translate, frame, usd_tuple(pose.position));
    samples.add(orient, frame, usd_tuple(pose.orientation));
  }

  static void add_particles(UsdSamples& samples, std::int64_t frame, const LiquidFrame& liquid) {
    samples.add("float3[] extent", frame, extent_of(liquid.position));
    samples.add("int64[] ids", frame, usd_array(std::span<const std::uint32_t>(liquid.id)));
    samples.add("point3f[] points", frame, usd_array(liquid.position));
    for (const Field& field : liquid.fields) {
      std::vector<Vec3f> vectors;
      for (std::size_t i = 0; field.components == 3 && i + 2 < field.values.size(); i += 3)
        vectors.emplace_back(field.values[i], field.values[i + 1], field.values[i + 2]);
      const std::string name = "primvars:" + primvar_name(field.name);
      if (field.components == 3 && field.name == "velocity")
        samples.add("vector3f[] velocities", frame, usd_array(vectors));
      else if (field.components == 3)
        samples.add("float3[] " + name, frame, usd_array(vectors), "interpolation = \"vertex\"");
      else
        samples.add("float[] " + name, frame, usd_array(std::span<const float>(field.values)),
                    "interpolation = \"vertex\"");
    }
  }

  static void add_surface(UsdSamples& samples, std::int64_t frame, const WorldMesh& mesh) {
    const std::vector<std::uint32_t> counts(mesh.triangles.size(), 3);
    std::vector<std::uint32_t> corners;
    corners.reserve(3 * mesh.triangles.size());
    for (const auto& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
    samples.add("float3[] extent", frame, extent_of(mesh.vertices));
    samples.add("int[] faceVertexCounts", frame, usd_array(counts));
    samples.add("int[] faceVertexIndices", frame, usd_array(corners));
    samples.add("point3f[] points", frame, usd_array(mesh.vertices));
    samples.add("normal3f[] normals", frame, usd_array(mesh.normals), "interpolation = \"vertex\"");
    if (!mesh.velocities.empty())
      samples.add("vector3f[] velocities", frame, usd_array(mesh.velocities));
  }

  std::string head() const {
    const Vec3& up = objects_.up;
    const bool y = up.isApprox(Vec3::UnitY(), 1e-6), z = up.isApprox(Vec3::UnitZ(), 1e-6);
    std::string text = fmt::format(
        "#usda 1.0\n(\n    defaultPrim = \"run\"\n    doc = {}\n    endTimeCode = {}\n"
        "    framesPerSecond = {}\n    metersPerUnit = 1\n    startTimeCode = {}\n"
        "    timeCodesPerSecond = {}\n    upAxis = \"{}\"\n)\n\ndef Xform \"run\" (\n"
        "    kind = \"component\"\n)\n{{\n",
        quoted_text(fmt::format("hydrolith {}: {}", HYDROLITH_VERSION, objects_.title)), last_,
        rate_, first_.value_or(0), rate_, z ? "Z" : "Y");
    if (!y && !z)  // USD knows no other axis: turn everything
      text += fmt::format(
          "    quatd xformOp:orient = {}\n"
          "    uniform token[] xformOpOrder = [\"xformOp:orient\"]\n\n",
          usd_tuple(turn_up_to_y(up)));
    return text;
  }

  void write_liquid(WholeFile& file, std::size_t i) {
    file.write(fmt::format("    def {} \"{}\"\n    {{\n", mesher_ ? "Mesh" : "Points", names_[i]));
    file.write(colour_line(objects_.liquids[i].colour, "        "));
    if (mesher_)
      file.write("        uniform token subdivisionScheme = \"none\"\n");
    else
      file.write(fmt::format(
          "        float[] widths = [{}] (\n            interpolation = \"constant\"\n        )\n",
          static_cast<float>(objects_.spacing)));
    samples_[i].copy_to(file.descriptor(), "        ");
    file.write("    }\n\n");
  }

  void write_body(WholeFile& file, std::size_t b) {
    const BodyInfo& body = objects_.bodies[b];
    const std::size_t i = objects_.liquids.size() + b;
    const bool shared = users_[body.mesh] > 1;
    const std::string indent = "        ";
    file.write(fmt::format(
        "    def Mesh \"{}\"{}\n    {{\n", names_[i],
        shared ? fmt::format(" (\n{}references = </shapes/shape_{}>\n    )", indent, body.mesh)
               : ""));
    if (!shared) file.write(mesh_lines(objects_.meshes[body.mesh], indent));
    file.write(colour_line(body.colour, indent));
    if (body.container)  // the tank must not hide what is in it
      file.write(
          "        float[] primvars:displayOpacity = [0.15] (\n"
          "            interpolation = \"constant\"\n        )\n");
    file.write(
        "        uniform token[] xformOpOrder = [\"xformOp:translate\", "
        "\"xformOp:orient\"]\n");
    const Motion& motion = motions_[b];
    if (motion.moves)
      samples_[i].copy_to(file.descriptor(), indent);
    else
      file.write(fmt::format("{0}{1} = {2}\n{0}{3} = {4}\n", indent, translate,
                             usd_tuple(motion.first.position), orient,
                             usd_tuple(motion.first.orientation)));
    file.write("    }\n\n");
  }

  /// Shapes that several bodies have. A class is not drawn by itself.
  void write_shapes(WholeFile& file) {
    if (std::all_of(users_.begin(), users_.end(), [](int n) { return n < 2; })) return;
    file.write("class \"shapes\"\n{\n");
    for (std::size_t m = 0; m < users_.size(); ++m)
      if (users_[m] > 1)
        file.write(fmt::format("    class Mesh \"shape_{}\"\n    {{\n{}    }}\n\n", m,
                               mesh_lines(objects_.meshes[m], "        ")));
    file.write("}\n");
  }

  static constexpr const char* translate = "double3 xformOp:translate";
  static constexpr const char* orient = "quatd xformOp:orient";

  const Objects& objects_;
  const fs::path file_;
  const double rate_;  // [1/s]
  const LiquidMesher mesher_;
  std::vector<std::string> names_;   // liquids, then bodies
  std::vector<UsdSamples> samples_;  // the same
  std::vector<Motion> motions_;      // of the bodies
  std::vector<int> users_;           // bodies that have a mesh, for each
  std::optional<std::int64_t> first_;
  std::int64_t last_ = 0;  // frames
};

}  // namespace

std::unique_ptr<RunExporter> make_usd_exporter(const Objects& objects,
                                               const ExportSettings& settings) {
  return std::make_unique<UsdExporter>(objects, settings);
}

}  // namespace hydrolith
