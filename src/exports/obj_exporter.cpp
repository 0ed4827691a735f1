// Wavefront OBJ: text, one mesh file for every liquid and frame, one for all bodies of a frame.

#include "exports/formats.h"
#include "exports/mesh_sources.h"
#include "output/files.h"
#include "output/run_folder.h"
#include "output/run_names.h"
#include "surface/corner_normals.h"

#include <fmt/format.h>

#include <iterator>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

void append_vectors(std::string& out, const char* key, const std::vector<Vec3f>& values) {
  for (const Vec3f& v : values)
    fmt::format_to(std::back_inserter(out), "{} {} {} {}\n", key, v.x(), v.y(), v.z());
}

std::string head(const Frame& frame) {
  return fmt::format("# hydrolith {}: frame {}, step {}, time {} s; metres\n", HYDROLITH_VERSION,
                     frame.index, frame.step, frame.time);
}

std::string liquid_obj(const Frame& frame, const std::string& name, const WorldMesh& mesh) {
  std::string out = head(frame) + "o " + name + "\n";
  append_vectors(out, "v", mesh.vertices);
  append_vectors(out, "vn", mesh.normals);
  for (const auto& [a, b, c] : mesh.triangles)  // counted from 1: vertex//normal
    fmt::format_to(std::back_inserter(out), "f {0}//{0} {1}//{1} {2}//{2}\n", a + 1, b + 1, c + 1);
  return out;
}

std::vector<Vec3f> turned(const std::vector<Vec3f>& normals, const Quat& turn) {
  std::vector<Vec3f> out;
  for (const Vec3f& n : normals) out.push_back((turn * n.cast<double>()).cast<float>());
  return out;
}

/// `normals` of the meshes, in the body frame: round shapes look round, edges stay sharp.
std::string bodies_obj(const Objects& objects, const Frame& frame,
                       const std::vector<std::string>& names,
                       const std::vector<NormalList>& normals) {
  std::string out = head(frame);
  std::size_t v = 1, n = 1;  // numbers of the first vertex and normal of a body
  for (std::uint32_t b = 0; b < frame.bodies.size(); ++b) {
    const WorldMesh mesh = merge_bodies(objects, frame, std::span(&b, 1));
    const NormalList& list = normals[objects.bodies[b].mesh];
    out += "o " + names[b] + "\n";
    append_vectors(out, "v", mesh.vertices);
    append_vectors(out, "vn", turned(list.normal, frame.bodies[b].pose.orientation));
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      out += "f";
      for (int k = 0; k < 3; ++k)
        fmt::format_to(std::back_inserter(out), " {}//{}", v + mesh.triangles[t][k],
                       n + list.of_corner[t][k]);
      out += "\n";
    }
    v += mesh.vertices.size();
    n += list.normal.size();
  }
  return out;
}

class ObjExporter final : public RunExporter {
 public:
  ObjExporter(const Objects& objects, const ExportSettings& settings)
      : objects_(objects), folder_(settings.folder), mesher_(make_mesher(objects, settings)) {
    names_ = file_names(liquid_object_names(objects, true), {"bodies"});
    std::vector<std::string> bodies;
    for (const BodyInfo& body : objects.bodies) bodies.push_back(body.name);
    bodies_ = file_names(bodies, {});
    for (const std::string& name : names_) make_folder(folder_ / name);
    if (bodies_.empty()) return;
    make_folder(folder_ / "bodies");
    for (const SurfaceMesh& mesh : objects.meshes)
      normals_.push_back(list_normals(mesh, crease_angle));
  }

  void write(const Frame& frame) override {
    for (std::size_t i = 0; i < names_.size(); ++i)
      write_file_atomically(path(names_[i], frame),
                            liquid_obj(frame, names_[i], mesher_(frame, i)));
    if (!bodies_.empty())
      write_file_atomically(path("bodies", frame), bodies_obj(objects_, frame, bodies_, normals_));
  }

 private:
  fs::path path(const std::string& name, const Frame& frame) const {
    return folder_ / name / numbered_name(name, frame.index, ".obj");
  }

  const Objects& objects_;
  const fs::path folder_;
  const LiquidMesher mesher_;
  std::vector<std::string> names_, bodies_;  // liquids, bodies
  std::vector<NormalList> normals_;          // parallel to Objects::meshes
};

}  // namespace

std::unique_ptr<RunExporter> make_obj_exporter(const Objects& objects,
                                               const ExportSettings& settings) {
  return std::make_unique<ObjExporter>(objects, settings);
}

}  // namespace hydrolith
