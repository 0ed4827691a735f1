#include "render/water_mesh.h"

#include "core/check.h"
#include "surface/liquid_surface.h"

#include <algorithm>

namespace hydrolith {

namespace {

/// The colour of every vertex of a surface.
std::vector<Colour> vertex_colours(const LiquidSurface& surface, const LiquidInfo& liquid,
                                   const Stage& stage, ColourBy what) {
  std::vector<Colour> colours(surface.mesh.vertices.size(), liquid.colour);
  if (what == ColourBy::body || colours.empty()) return colours;
  require(what == ColourBy::speed,
          "surfaces of liquids are coloured by speed or body; for pressure draw particles");
  require(!surface.velocity.empty(),
          "liquid \"{}\" has no field \"velocity\" to colour by. Add it to output.fields and run "
          "again, or colour by body.",
          liquid.name);
  const auto lo = static_cast<float>(stage.range_min);
  const float span = static_cast<float>(stage.range_max) - lo;
  for (std::size_t v = 0; v < colours.size(); ++v)
    colours[v] = map_colour(what, span > 0 ? (surface.velocity[v].norm() - lo) / span : 0);
  return colours;
}

template <class T>
T* new_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, std::size_t n) {
  return static_cast<T*>(rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(T), n));
}

}  // namespace

WaterMesh::WaterMesh(RTCDevice device, const Objects& objects, const Frame& frame,
                     const Stage& stage, const RenderOptions& options, const Vec3& origin) {
  std::vector<Vec3f> vertices;
  for (std::size_t l = 0; options.liquid == LiquidLook::surface && l < frame.liquids.size(); ++l) {
    if (frame.liquids[l].position.empty()) continue;
    const LiquidSurface s = liquid_surface(frame.liquids[l], objects.spacing, objects.dimensions);
    const std::vector<Colour> colours =
        vertex_colours(s, objects.liquids[l], stage, options.colour_by);
    const auto first = static_cast<std::uint32_t>(vertices.size());
    for (const Vec3f& x : s.mesh.vertices)
      vertices.push_back((x.cast<double>() - origin).cast<float>());
    for (const auto& [a, b, c] : s.mesh.triangles)
      triangles_.push_back({first + a, first + b, first + c});
    normals_.insert(normals_.end(), s.normal.begin(), s.normal.end());
    colours_.insert(colours_.end(), colours.begin(), colours.end());
  }
  if (triangles_.empty()) return;
  const GeometryOwner geometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE));
  std::copy(vertices.begin(), vertices.end(),
            new_buffer<Vec3f>(geometry.get(), RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3,
                              vertices.size()));
  std::copy(triangles_.begin(), triangles_.end(),
            new_buffer<std::array<std::uint32_t, 3>>(geometry.get(), RTC_BUFFER_TYPE_INDEX,
                                                     RTC_FORMAT_UINT3, triangles_.size()));
  rtcCommitGeometry(geometry.get());
  scene_.reset(rtcNewScene(device));
  rtcAttachGeometry(scene_.get(), geometry.get());
  rtcCommitScene(scene_.get());
  require(rtcGetDeviceError(device) == RTC_ERROR_NONE,
          "renderer: Embree could not build its tree of {} triangles", triangles_.size());
}

bool WaterMesh::meet(const SceneRay& ray, float from, float limit, WaterHit& hit) const {
  if (empty()) return false;
  RTCRayHit found{};
  found.ray.org_x = ray.origin.x(), found.ray.org_y = ray.origin.y(),
  found.ray.org_z = ray.origin.z();
  found.ray.dir_x = ray.direction.x(), found.ray.dir_y = ray.direction.y(),
  found.ray.dir_z = ray.direction.z();
  found.ray.tnear = from, found.ray.tfar = limit;
  found.ray.mask = ~0u;
  found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(scene_.get(), &context, &found);
  if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
  const auto& [a, b, c] = triangles_[found.hit.primID];
  const float u = found.hit.u, v = found.hit.v;
  const Vec3f outwards(found.hit.Ng_x, found.hit.Ng_y, found.hit.Ng_z);
  const Vec3f smooth = (1 - u - v) * normals_[a] + u * normals_[b] + v * normals_[c];
  const float length = smooth.norm();
  hit.t = found.ray.tfar;
  hit.entering = outwards.dot(ray.direction) < 0;
  hit.normal = length > 0 ? Vec3f(smooth / length) : Vec3f(outwards.normalized());
  hit.colour = (1 - u - v) * colours_[a] + u * colours_[b] + v * colours_[c];
  return true;
}

}  // namespace hydrolith
