// glTF: bodies as nodes with keyframes of their pose; of a liquid one surface for each frame, shown
// one after the other by keys of their scale (1 in its frame, else 0), since meshes of glTF cannot
// change.

#include "exports/formats.h"
#include "exports/gltf_file.h"
#include "exports/mesh_sources.h"
#include "output/files.h"
#include "surface/corner_normals.h"

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
        gltf_(settings.folder),
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
      if (!poses_[b].empty())
        pose.orientation = nearer_to(poses_[b].back().orientation, pose.orientation);
      poses_[b].push_back(pose);
    }
    for (std::size_t i = 0; i < frame.liquids.size(); ++i) add_surface(frame, i);
  }

  void finish() override {
    if (times_.empty()) return;
    const int key_times = gltf_.times(times_);
    for (std::size_t b = 0; b < poses_.size(); ++b) add_body(b, key_times);
    for (const Shown& s : shown_) show(s);
    gltf_.write(file_, objects_.title, rotation(turn_up_to_y(objects_.up)));
  }

 private:
  struct Shown {
    int node;
    std::size_t frame;  // in times_
  };
  struct Shape {
    int positions, normals, indices;  // numbers in the file
  };

  void add_surface(const Frame& frame, std::size_t liquid) {
    const WorldMesh mesh = mesher_(frame, liquid);
    if (mesh.triangles.empty()) return;
    const std::string name =
        fmt::format("{}_surface_{:06}", objects_.liquids[liquid].name, frame.index);
    const int positions = gltf_.vertices(mesh.vertices), normals = gltf_.vertices(mesh.normals);
    const int number = gltf_.mesh(name, positions, normals, gltf_.indices(mesh.triangles),
                                  liquid_materials_[liquid]);
    // Who does not play the animation sees the first frame alone.
    const int node = gltf_.node(name, number, times_.size() > 1 ? "\"scale\":[0,0,0]" : "");
    shown_.push_back({node, times_.size() - 1});
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
      const SplitMesh split = split_at_edges(mesh, crease_angle);
      const Shape numbers{gltf_.vertices(split.mesh.vertices), gltf_.vertices(split.normal),
                          gltf_.indices(split.mesh.triangles)};
      shape = shapes_.emplace(body.mesh, numbers).first;
    }
    const std::string& name = objects_.body_objects[body.object];
    const int material = gltf_.material(name, body.colour, body.container ? glass : 1.0f, 0.6f);
    const auto& [positions, normals, indices] = shape->second;
    return looks_[look] = gltf_.mesh(name, positions, normals, indices, material);
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
    if (moves) gltf_.animate(node, "translation", key_times, gltf_.keys(positions), "LINEAR");
    if (turned) gltf_.animate(node, "rotation", key_times, gltf_.quaternions(turns), "LINEAR");
  }

  /// From half way to the frame before until half way to the next: whoever plays whole frames at
  /// the run's rate, a little before or after their true times, sees the surface that belongs to
  /// the bodies.
  void show(const Shown& s) {
    if (times_.size() == 1) return;  // always there
    std::vector<float> keys;
    std::vector<Vec3f> scales;
    const auto key = [&](float time, float scale) {
      keys.push_back(time);
      scales.push_back(Vec3f::Constant(scale));
    };
    const auto half_way = [&](std::size_t frame) {
      return 0.5f * (times_[frame] + times_[frame + 1]);
    };
    if (s.frame > 0) key(0, 0);
    key(s.frame > 0 ? half_way(s.frame - 1) : 0, 1);
    if (s.frame + 1 < times_.size()) key(half_way(s.frame), 0);
    const int key_times = gltf_.times(keys);
    gltf_.animate(s.node, "scale", key_times, gltf_.keys(scales), "STEP");
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
  std::map<std::uint32_t, Shape> shapes_;  // by mesh
};

}  // namespace

std::unique_ptr<RunExporter> make_gltf_exporter(const Objects& objects,
                                                const ExportSettings& settings) {
  return std::make_unique<GltfExporter>(objects, settings);
}

}  // namespace hydrolith
