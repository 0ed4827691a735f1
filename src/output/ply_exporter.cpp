// PLY: a text header that names the columns, then rows of little-endian bytes.

#include "output/exporter.h"
#include "output/files.h"
#include "output/run_folder.h"
#include "output/run_names.h"
#include "output/world_mesh.h"

#include <fmt/format.h>

#include <bit>
#include <numeric>

namespace hydrolith {
namespace fs = std::filesystem;
static_assert(std::endian::native == std::endian::little, "PLY rows are copied as they are");

namespace {

template <class T>
void append_bytes(std::string& out, const T* values, std::size_t count) {
  out.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

std::string header(const Frame& frame, const std::string& elements) {
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment hydrolith {}\n"
      "comment frame {} step {} time {} s\n{}end_header\n",
      HYDROLITH_VERSION, frame.index, frame.step, frame.time, elements);
}

/// PLY names have no spaces. Velocity gets the names that other tools know.
std::string property_lines(const Field& field) {
  std::string name = field.name;
  for (char& c : name)
    if (static_cast<unsigned char>(c) <= ' ') c = '_';
  if (field.components == 1) return fmt::format("property float {}\n", name);
  const std::string stem = name == "velocity" ? "v" : name + "_";
  return fmt::format("property float {0}x\nproperty float {0}y\nproperty float {0}z\n", stem);
}

std::string liquid_ply(const Frame& frame, const LiquidFrame& liquid) {
  std::string elements =
      fmt::format("element vertex {}\nproperty float x\nproperty float y\nproperty float z\n",
                  liquid.position.size());
  std::size_t row_bytes = 3 * sizeof(float) + sizeof(std::uint32_t);
  for (const Field& field : liquid.fields) {
    elements += property_lines(field);
    row_bytes += static_cast<std::size_t>(field.components) * sizeof(float);
  }
  std::string out = header(frame, elements + "property uint id\n");
  out.reserve(out.size() + row_bytes * liquid.position.size());
  for (std::size_t i = 0; i < liquid.position.size(); ++i) {
    append_bytes(out, liquid.position[i].data(), 3);
    for (const Field& field : liquid.fields) {
      const auto components = static_cast<std::size_t>(field.components);
      append_bytes(out, &field.values[i * components], components);
    }
    append_bytes(out, &liquid.id[i], 1);
  }
  return out;
}

std::string mesh_ply(const Frame& frame, const WorldMesh& mesh) {
  std::string elements = fmt::format("element vertex {}\n", mesh.vertices.size());
  elements += "property float x\nproperty float y\nproperty float z\n";
  if (!mesh.normals.empty())
    elements += "property float nx\nproperty float ny\nproperty float nz\n";
  if (!mesh.velocities.empty())
    elements += "property float vx\nproperty float vy\nproperty float vz\n";
  elements += fmt::format("element face {}\nproperty list uchar int vertex_indices\n{}",
                          mesh.triangles.size(), mesh.body.empty() ? "" : "property uint body\n");
  std::string out = header(frame, elements);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    for (const auto* column : {&mesh.vertices, &mesh.normals, &mesh.velocities})
      if (!column->empty()) append_bytes(out, (*column)[i].data(), 3);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    out += '\3';
    append_bytes(out, mesh.triangles[i].data(), 3);
    if (!mesh.body.empty()) append_bytes(out, &mesh.body[i], 1);
  }
  return out;
}

class PlyExporter final : public FrameExporter {
 public:
  PlyExporter(const fs::path& folder, const Objects& objects, LiquidMesher mesher)
      : root_(folder), objects_(objects), mesher_(std::move(mesher)) {
    names_ = file_names(liquid_object_names(objects, mesher_ != nullptr), {"bodies"});
    for (const std::string& name : names_) make_folder(root_ / name);
    if (!objects.bodies.empty()) make_folder(root_ / "bodies");
    all_bodies_.resize(objects.bodies.size());
    std::iota(all_bodies_.begin(), all_bodies_.end(), 0u);
  }

  void write(const Frame& frame) override {
    for (std::size_t i = 0; i < names_.size(); ++i)
      write_file_atomically(path(names_[i], frame), mesher_ ? mesh_ply(frame, mesher_(frame, i))
                                                            : liquid_ply(frame, frame.liquids[i]));
    if (!all_bodies_.empty())
      write_file_atomically(path("bodies", frame),
                            mesh_ply(frame, merge_bodies(objects_, frame, all_bodies_)));
  }

 private:
  fs::path path(const std::string& name, const Frame& frame) const {
    return root_ / name / numbered_name(name, frame.index, ".ply");
  }

  const fs::path root_;
  const Objects& objects_;
  const LiquidMesher mesher_;
  std::vector<std::string> names_;         // of the liquids, as file names
  std::vector<std::uint32_t> all_bodies_;  // 0, 1, 2, ...
};

}  // namespace

std::unique_ptr<FrameExporter> make_ply_exporter(const fs::path& folder, const Objects& objects,
                                                 LiquidMesher mesher) {
  return std::make_unique<PlyExporter>(folder, objects, std::move(mesher));
}

}  // namespace hydrolith
