// glTF: bodies as nodes with keyframes of their pose; of a liquid one surface for each frame, shown
// one after the other by keys of their scale (1 in its frame, else 0), since meshes of glTF cannot
// change.

#include "exports/formats.h"
#include "exports/gltf_file.h"
#include "exports/mesh_sources.h"
#include "output/files.h"
#include "output/run_folder.h"

#include <fmt/format.h>

#include <map>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

constexpr float glass = 0.15f, water = 0.7f;  // opacity of tanks and of liquids

std::string translation(const Vec3& x) {
  return fmt::format("\"translation\":[{},{},{}]", x.x(), x.y(), x.z());
}
std::string rotation(const Quat& q) {
  return fmt::format("\"rotation\":[{},{},{},{}]", q.x(), q.y(), q.z(), q.w());
}

class GltfExporter final : public RunExporter {
 public:
  GltfExporter(const Objects& objects, const ExportSettings& settings)
      : objects_(objects),
        file_(settings.folder / "run.glb"),
        mesher_(make_mesher(objects, settings)),
        poses_(objects.bodies.size()) {
    make_folder(settings.folder);
    for (const LiquidInfo& liquid : objects.liquids)
      liquid_materials_.push_back(gltf_.material(liquid.name, liquid.colour, water, 0.05f));
  }

  void write(const Frame& frame) override {
    times_.push_back(static_cast<float>(frame.time - (times_.empty() ? frame.time : start_)));
    if (times_.size() == 1) start_ = frame.time;
    for (std::size_t b = 0; b < poses_.size(); ++b) {
      Pose pose = frame.bodies[b].pose;
      // Of the two quaternions of an orientation the one nearer to the last: the short way round.
      if (!poses_[b].empty() &&
          poses_[b].back().orientation.coeffs().dot(pose.orientation.coeffs()) < 0)
        pose.orientation.coeffs() *= -1;
      poses_[b].push_back(pose);
    }
    for (std::size_t i = 0; i < frame.liquids.size(); ++i) add_surface(frame, i);
  }

  void finish() override {
    if (times_.empty()) return;
    const int key_times = gltf_.times(times_);
    for (std::size_t b = 0; b < poses_.size(); ++b) add_body(b, key_times);
    for (const Shown& s : shown_) show(s);
    write_file_atomically(file_, gltf_.finish(objects_.title, rotation(turn_up_to_y(objects_.up))));
  }

 private:
  struct Shown {
    int node;
    std::size_t frame;  // in times_
  };

  void add_surface(const Frame& frame, std::size_t liquid) {
    const WorldMesh mesh = mesher_(frame, liquid);
    if (mesh.triangles.empty()) return;
    const std::string name =
        fmt::format("{}_surface_{:06}", objects_.liquids[liquid].name, frame.index);
    const int positions = gltf_.vectors(mesh.vertices), normals = gltf_.vectors(mesh.normals);
    const int number = gltf_.mesh(name, positions, normals, gltf_.indices(mesh.triangles),
                                  liquid_materials_[liquid]);
    shown_.push_back({gltf_.node(name, number, ""), times_.size() - 1});
  }

  /// Bodies of the same shape and look share a mesh; meshes share their vertices.
  int mesh_of(const BodyInfo& body) {
    const SurfaceMesh& mesh = objects_.meshes[body.mesh];
    if (mesh.triangles.empty()) return -1;
    const auto look = std::make_tuple(body.mesh, body.colour.x(), body.colour.y(), body.colour.z(),
                                      body.container);
    if (const auto known = looks_.find(look); known != looks_.end()) return known->second;
    auto shape = shapes_.find(body.mesh);
    if (shape == shapes_.end()) {
      const int positions = gltf_.vectors(mesh.vertices);
      shape = shapes_.emplace(body.mesh, std::pair(positions, gltf_.indices(mesh.triangles))).first;
    }
    const std::string& name = objects_.body_objects[body.object];
    const int material = gltf_.material(name, body.colour, body.container ? glass : 1.0f, 0.6f);
    return looks_[look] = gltf_.mesh(name, shape->second.first, -1, shape->second.second, material);
  }

  void add_body(std::size_t b, int key_times) {
    const std::vector<Pose>& poses = poses_[b];
    std::vector<Vec3f> positions;
    std::vector<Quat> turns;
    bool moves = false, turned = false;
    for (const Pose& p : poses) {
      positions.push_back(p.position.cast<float>());
      turns.push_back(p.orientation);
      moves = moves || p.position != poses[0].position;
      turned = turned || p.orientation.coeffs() != poses[0].orientation.coeffs();
    }
    const int node =
        gltf_.node(objects_.bodies[b].name, mesh_of(objects_.bodies[b]),
                   translation(poses[0].position) + "," + rotation(poses[0].orientation));
    if (moves) gltf_.animate(node, "translation", key_times, gltf_.vectors(positions), "LINEAR");
    if (turned) gltf_.animate(node, "rotation", key_times, gltf_.quaternions(turns), "LINEAR");
  }

  void show(const Shown& s) {
    if (times_.size() == 1) return;  // always there
    std::vector<float> keys;
    std::vector<Vec3f> scales;
    const auto key = [&](std::size_t frame, float scale) {
      keys.push_back(times_[frame]);
      scales.push_back(Vec3f::Constant(scale));
    };
    if (s.frame > 0) key(0, 0);
    key(s.frame, 1);
    if (s.frame + 1 < times_.size()) key(s.frame + 1, 0);
    const int key_times = gltf_.times(keys);
    gltf_.animate(s.node, "scale", key_times, gltf_.vectors(scales), "STEP");
  }

  const Objects& objects_;
  const fs::path file_;
  const LiquidMesher mesher_;
  GltfFile gltf_;
  std::vector<int> liquid_materials_;
  double start_ = 0;                      // [s] of the first frame
  std::vector<float> times_;              // [s] after it
  std::vector<std::vector<Pose>> poses_;  // of each body, a frame each
  std::vector<Shown> shown_;
  std::map<std::tuple<std::uint32_t, float, float, float, bool>, int> looks_;
  std::map<std::uint32_t, std::pair<int, int>> shapes_;  // positions, indices
};

}  // namespace

std::unique_ptr<RunExporter> make_gltf_exporter(const Objects& objects,
                                                const ExportSettings& settings) {
  return std::make_unique<GltfExporter>(objects, settings);
}

}  // namespace hydrolith
