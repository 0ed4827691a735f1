#include "render/ray_scene.h"

#include "core/check.h"
#include "surface/corner_normals.h"

#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hydrolith {

namespace {

/// Embree's device. Its trees depend on the number of threads that build them, and with them which
/// of two surfaces at the same distance is met first. A device made under a limit of one thread
/// keeps building with one, and the pictures are the same bits on every machine.
DeviceOwner make_device() {
  const oneapi::tbb::global_control one_thread(oneapi::tbb::global_control::max_allowed_parallelism,
                                               1);
  DeviceOwner device(rtcNewDevice(nullptr));
  require(device != nullptr, "renderer: Embree cannot start on this machine (error {})",
          static_cast<int>(rtcGetDeviceError(nullptr)));
  return device;
}

/// Builds the scene's tree. Throws Error if memory runs out.
void commit(RTCDevice device, const SceneOwner& scene) {
  rtcCommitScene(scene.get());
  const RTCError error = rtcGetDeviceError(device);
  require(error == RTC_ERROR_NONE, "renderer: Embree could not build its tree ({})",
          error == RTC_ERROR_OUT_OF_MEMORY ? "out of memory"
                                           : fmt::format("error {}", static_cast<int>(error)));
}

GeometryOwner make_geometry(RTCDevice device, RTCGeometryType type) {
  return GeometryOwner(rtcNewGeometry(device, type));
}

template <class T>
T* new_buffer(const GeometryOwner& geometry, RTCBufferType type, RTCFormat format, std::size_t n) {
  return static_cast<T*>(rtcSetNewGeometryBuffer(geometry.get(), type, 0, format, sizeof(T), n));
}

/// A scene of this one geometry; empty for no geometry.
SceneOwner scene_of(RTCDevice device, const GeometryOwner& geometry) {
  SceneOwner scene(rtcNewScene(device));
  if (geometry) {
    rtcCommitGeometry(geometry.get());
    rtcAttachGeometry(scene.get(), geometry.get());
  }
  commit(device, scene);
  return scene;
}

GeometryOwner triangles(RTCDevice device, const SurfaceMesh& mesh) {
  if (mesh.triangles.empty()) return nullptr;
  GeometryOwner geometry = make_geometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  std::copy(
      mesh.vertices.begin(), mesh.vertices.end(),
      new_buffer<Vec3f>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, mesh.vertices.size()));
  std::copy(mesh.triangles.begin(), mesh.triangles.end(),
            new_buffer<std::array<std::uint32_t, 3>>(geometry, RTC_BUFFER_TYPE_INDEX,
                                                     RTC_FORMAT_UINT3, mesh.triangles.size()));
  return geometry;
}

GeometryOwner lines(RTCDevice device, const std::vector<std::array<Vec3f, 2>>& edges, float width) {
  if (edges.empty()) return nullptr;
  GeometryOwner geometry = make_geometry(device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
  auto* ends =
      new_buffer<Sphere>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, 2 * edges.size());
  auto* first =
      new_buffer<std::uint32_t>(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT, edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    first[e] = static_cast<std::uint32_t>(2 * e);
    for (int k = 0; k < 2; ++k)
      ends[2 * e + k] = {edges[e][k].x(), edges[e][k].y(), edges[e][k].z(), 0.5f * width};
  }
  return geometry;
}

GeometryOwner spheres_geometry(RTCDevice device, const std::vector<Sphere>& spheres) {
  if (spheres.empty()) return nullptr;
  GeometryOwner geometry = make_geometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
  std::copy(
      spheres.begin(), spheres.end(),
      new_buffer<Sphere>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, spheres.size()));
  return geometry;
}

void check(const SurfaceMesh& mesh, std::size_t index) {
  for (const auto& t : mesh.triangles)
    for (const std::uint32_t v : t)
      require(v < mesh.vertices.size(), "renderer: mesh {} names vertex {} but has only {}", index,
              v, mesh.vertices.size());
}

RTCRay embree_ray(const SceneRay& ray, float from, float limit) {
  RTCRay r{};
  r.org_x = ray.origin.x(), r.org_y = ray.origin.y(), r.org_z = ray.origin.z();
  r.dir_x = ray.direction.x(), r.dir_y = ray.direction.y(), r.dir_z = ray.direction.z();
  r.tnear = from, r.tfar = limit;
  r.mask = ~0u;
  return r;
}

/// True and filled if something was met between `from` and `limit`.
bool trace(RTCScene scene, const SceneRay& ray, float from, float limit, RTCRayHit& found) {
  found.ray = embree_ray(ray, from, limit);
  found.hit.geomID = found.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(scene, &context, &found);
  return found.hit.geomID != RTC_INVALID_GEOMETRY_ID;
}

Vec3f geometric_normal(const RTCHit& hit) {
  return Vec3f(hit.Ng_x, hit.Ng_y, hit.Ng_z).normalized();
}

bool usable(const Pose& pose) {
  return pose.position.allFinite() && pose.orientation.coeffs().allFinite();
}

}  // namespace

MeshTrees::MeshTrees(const Objects& objects, double line_width) : device_(make_device()) {
  std::vector<bool> outlined(objects.meshes.size(), objects.dimensions == 2);
  for (const BodyInfo& body : objects.bodies) {
    require(body.mesh < objects.meshes.size(), "renderer: body \"{}\" names mesh {} of {}",
            body.name, body.mesh, objects.meshes.size());
    if (body.container) outlined[body.mesh] = true;
  }
  for (std::size_t m = 0; m < objects.meshes.size(); ++m) {
    const SurfaceMesh& mesh = objects.meshes[m];
    check(mesh, m);
    MeshTree tree{
        corner_normals(mesh, crease_angle), scene_of(device(), triangles(device(), mesh)), {}};
    if (outlined[m])
      tree.edges = scene_of(device(), lines(device(), sharp_edges(mesh, crease_angle),
                                            static_cast<float>(line_width)));
    meshes_.push_back(std::move(tree));
  }
}

RayScene::RayScene(const MeshTrees& meshes, const Objects& objects, const Frame& frame,
                   Spheres spheres, const Vec3& origin)
    : meshes_(meshes),
      spheres_(std::move(spheres)),
      opaque_(rtcNewScene(meshes.device())),
      veils_(rtcNewScene(meshes.device())) {
  for (std::size_t b = 0; b < frame.bodies.size(); ++b)
    add_body(b, frame.bodies[b], objects, origin);
  if (const GeometryOwner g = spheres_geometry(meshes.device(), spheres_.shape)) {
    rtcCommitGeometry(g.get());
    rtcAttachGeometryByID(opaque_.get(), g.get(), static_cast<unsigned>(frame.bodies.size()));
  }
  commit(meshes.device(), opaque_);
  commit(meshes.device(), veils_);
}

void RayScene::add_body(std::size_t index, const BodyFrame& body, const Objects& objects,
                        const Vec3& origin) {
  const BodyInfo& info = objects.bodies[index];
  bodies_.push_back({info.mesh, body.pose.orientation.toRotationMatrix().cast<float>(),
                     body_colour(info, index)});
  if (!usable(body.pose)) return;
  const auto id = static_cast<unsigned>(index);
  if (info.container)
    add_instance(veils_.get(), meshes_.scene(info.mesh), 2 * id, body.pose, origin);
  else
    add_instance(opaque_.get(), meshes_.scene(info.mesh), id, body.pose, origin);
  if (const RTCScene edges = meshes_.edges(info.mesh);
      edges && (info.container || objects.dimensions == 2))
    add_instance(veils_.get(), edges, 2 * id + 1, body.pose, origin);
}

void RayScene::add_instance(RTCScene to, RTCScene what, unsigned id, const Pose& pose,
                            const Vec3& origin) {
  const GeometryOwner instance = make_geometry(meshes_.device(), RTC_GEOMETRY_TYPE_INSTANCE);
  Eigen::Matrix<float, 3, 4> transform;  // column-major, as Embree reads it
  transform << pose.orientation.toRotationMatrix().cast<float>(),
      (pose.position - origin).cast<float>();
  rtcSetGeometryInstancedScene(instance.get(), what);
  rtcSetGeometryTransform(instance.get(), 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, transform.data());
  rtcCommitGeometry(instance.get());
  rtcAttachGeometryByID(to, instance.get(), id);
}

bool RayScene::meet(const SceneRay& ray, Hit& hit) const {
  RTCRayHit found;
  if (!trace(opaque_.get(), ray, 0, std::numeric_limits<float>::infinity(), found)) return false;
  hit = {};
  hit.t = found.ray.tfar;
  if (found.hit.instID[0] != RTC_INVALID_GEOMETRY_ID) {
    describe_body(found, ray, found.hit.instID[0], hit);
  } else {
    hit.normal = hit.facing = geometric_normal(found.hit);
    hit.colour = spheres_.colour[found.hit.primID];
    hit.liquid = true;
  }
  return true;
}

bool RayScene::meet_veil(const SceneRay& ray, float limit, Hit& hit) const {
  RTCRayHit found;
  float from = 0;
  constexpr int most_walls = 64;  // passed from outside before giving up
  for (int wall = 0; wall < most_walls && trace(veils_.get(), ray, from, limit, found); ++wall) {
    const std::size_t body = found.hit.instID[0] / 2;
    hit = {};
    hit.t = found.ray.tfar;
    hit.line = found.hit.instID[0] % 2 == 1;
    if (hit.line) {
      hit.colour = bodies_[body].colour;
      return true;
    }
    // Outwards is into the tank: its wall shows only to those who look from within.
    if ((bodies_[body].rotation * geometric_normal(found.hit)).dot(ray.direction) < 0) {
      describe_body(found, ray, body, hit);
      return true;
    }
    from = std::nextafter(found.ray.tfar * (1 + 1e-6f), limit);
  }
  return false;
}

bool RayScene::blocked(const SceneRay& ray, float limit) const {
  RTCRay r = embree_ray(ray, 0, limit);
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded1(opaque_.get(), &context, &r);
  return r.tfar < 0;
}

void RayScene::describe_body(const RTCRayHit& found, const SceneRay& ray, std::size_t body,
                             Hit& hit) const {
  const Placed& placed = bodies_[body];
  hit.colour = placed.colour;
  hit.facing = placed.rotation * geometric_normal(found.hit);
  const auto& [n0, n1, n2] = meshes_.normals(placed.mesh)[found.hit.primID];
  const float u = found.hit.u, v = found.hit.v;
  const Vec3f smooth = placed.rotation * ((1 - u - v) * n0 + u * n1 + v * n2);
  const float length = smooth.norm();
  hit.normal = length > 0 ? Vec3f(smooth / length) : hit.facing;
  if (hit.facing.dot(ray.direction) > 0) {
    hit.facing = -hit.facing;
    hit.normal = -hit.normal;
  }
}

}  // namespace hydrolith
