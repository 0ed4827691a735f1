#pragma once
// What rays can meet, in Embree's hands: one tree for each mesh, instances of them for the bodies,
// spheres for the particles. Everything is stored relative to an origin near the picture's middle,
// so that single precision serves scenes far from the world's origin too.

#include "hydrolith/frame.h"

#include "render/colour.h"

#include <embree3/rtcore.h>

#include <array>
#include <memory>
#include <type_traits>
#include <vector>

namespace hydrolith {

// Owners of Embree's objects.
template <auto release>
struct Release {
  template <class T>
  void operator()(T* p) const {
    release(p);
  }
};
template <class Handle, auto release>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release<release>>;
using DeviceOwner = Owned<RTCDevice, rtcReleaseDevice>;
using SceneOwner = Owned<RTCScene, rtcReleaseScene>;
using GeometryOwner = Owned<RTCGeometry, rtcReleaseGeometry>;

/// A ray in coordinates relative to the scene's origin.
struct SceneRay {
  Vec3f origin;     // [m]
  Vec3f direction;  // unit
};

/// What a ray met first.
struct Hit {
  float t = 0;                     // [m] along the ray
  Vec3f normal = Vec3f::Zero();    // unit, smoothed, towards the viewer
  Vec3f facing = Vec3f::Zero();    // unit, of the true surface, towards the viewer
  Colour colour = Colour::Zero();  // of the surface
  bool liquid = false;
  bool line = false;  // an outline
};

/// The meshes of a run, prepared once: tree, normals and, for containers and in two
/// dimensions, the edges to draw.
class MeshTrees {
 public:
  /// Throws Error for triangles that name vertices the mesh has not, or bodies without mesh.
  MeshTrees(const Objects& objects, double line_width);

  RTCDevice device() const { return device_.get(); }
  RTCScene scene(std::uint32_t mesh) const { return meshes_[mesh].surface.get(); }
  RTCScene edges(std::uint32_t mesh) const { return meshes_[mesh].edges.get(); }
  const std::vector<std::array<Vec3f, 3>>& normals(std::uint32_t mesh) const {
    return meshes_[mesh].normals;
  }

 private:
  struct MeshTree {
    std::vector<std::array<Vec3f, 3>> normals;
    SceneOwner surface, edges;  // edges: null unless they are drawn
  };
  DeviceOwner device_;
  std::vector<MeshTree> meshes_;
};

/// Particles to draw: the finite ones, as spheres.
struct Sphere {
  float x, y, z, radius;  // [m] relative to the scene's origin
};
struct Spheres {
  std::vector<Sphere> shape;
  std::vector<Colour> colour;
};

/// One frame, ready for rays.
class RayScene {
 public:
  RayScene(const MeshTrees& meshes, const Objects& objects, const Frame& frame, Spheres spheres,
           const Vec3& origin);

  /// The nearest opaque surface; a hit at t > 0 or false.
  bool meet(const SceneRay& ray, Hit& hit) const;
  /// The nearest inner side of a container or outline before `limit`.
  bool meet_veil(const SceneRay& ray, float limit, Hit& hit) const;
  /// Is anything opaque nearer than `limit`? Containers let light through.
  bool blocked(const SceneRay& ray, float limit) const;

 private:
  struct Placed {
    std::uint32_t mesh;
    Eigen::Matrix3f rotation;
    Colour colour;
  };
  void add_body(std::size_t index, const BodyFrame& body, const Objects& objects,
                const Vec3& origin);
  void add_instance(RTCScene to, RTCScene what, unsigned id, const Pose& pose, const Vec3& origin);
  void describe_body(const RTCRayHit& found, const SceneRay& ray, std::size_t body, Hit& hit) const;

  const MeshTrees& meshes_;
  Spheres spheres_;
  std::vector<Placed> bodies_;
  SceneOwner opaque_, veils_;
};

}  // namespace hydrolith
