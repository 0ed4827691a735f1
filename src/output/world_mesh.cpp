#include "output/world_mesh.h"

#include "core/check.h"

namespace hydrolith {

namespace {

/// x_world = q x + c and, for a rigid body, v(x_world) = v_c + omega x (x_world - c).
void append_body(const SurfaceMesh& mesh, const BodyFrame& state, WorldMesh& out) {
  const Mat3 R = state.pose.orientation.toRotationMatrix();
  for (const Vec3f& vertex : mesh.vertices) {
    const Vec3 arm = R * vertex.cast<double>();
    out.vertices.push_back((state.pose.position + arm).cast<float>());
    out.velocities.push_back((state.velocity + state.angular_velocity.cross(arm)).cast<float>());
  }
}

}  // namespace

WorldMesh merge_bodies(const Objects& objects, const Frame& frame,
                       std::span<const std::uint32_t> bodies) {
  WorldMesh merged;
  for (const std::uint32_t b : bodies) {
    const SurfaceMesh& mesh = objects.meshes[objects.bodies[b].mesh];
    const auto first = static_cast<std::uint32_t>(merged.vertices.size());
    append_body(mesh, frame.bodies[b], merged);
    for (const auto& t : mesh.triangles)
      merged.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    merged.body.resize(merged.triangles.size(), b);
  }
  require(merged.vertices.size() < (std::size_t{1} << 31),
          "{} vertices of bodies in one file; exports hold at most 2^31", merged.vertices.size());
  return merged;
}

}  // namespace hydrolith
