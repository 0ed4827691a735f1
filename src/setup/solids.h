#pragma once
// From the bodies of a scene to meshes, masses and poses: what every engine needs first.

#include "geometry/mesh.h"
#include "geometry/mesh_distance.h"
#include "geometry/section.h"
#include "rigid/bodies.h"
#include "sampling/fill.h"
#include "scene/scene.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hydrolith {

/// One distinct shape, shared by all bodies that have it. The body frame has the axes of the
/// shape's own frame and its origin at the centre of mass (static and kinematic bodies: at the
/// shape's origin).
struct SolidShape {
  Shape source;  // what it was made from
  BodyKind kind = BodyKind::dynamic;
  double resolution = 0;  // [m] of its surface (BodySpec::resolution or the spacing)
  TriangleMesh mesh;      // [m] body frame, closed unless the body is static and says so
  Polygons outline;       // [m] body frame; 2D only
  // What cells are cut by: the same with fewer triangles, and where it is round with the volume of
  // the shape itself, not of its chords. Empty where it is no other.
  TriangleMesh cut;                      // [m] 3D only
  Polygons cut_outline;                  // [m] 2D only
  Vec3 shape_origin = Vec3::Zero();      // [m] the shape's own origin in the body frame
  double volume = 0;                     // [m^3], 2D: [m^2] times unit depth
  Mat3 unit_inertia = Mat3::Zero();      // [m^5] about the centre, at density 1
  bool container = false;                // turned inside out
  std::optional<MeshDistance> distance;  // to the mesh

  const TriangleMesh& mesh_to_cut_by() const { return cut.empty() ? mesh : cut; }
  const Polygons& outline_to_cut_by() const {
    return cut_outline.loops.empty() ? outline : cut_outline;
  }
};

struct Solids {
  std::vector<SolidShape> shapes;
  std::vector<std::uint32_t> shape_of;                 // body -> shapes
  RigidBodies bodies;                                  // in the order of Scene::bodies
  Box3 box = {Vec3::Constant(-1), Vec3::Constant(1)};  // [m] unbounded shapes are cut to it
  std::vector<std::string> notes;                      // what was repaired, for the log
};

/// Meshes every distinct shape, computes masses and places the bodies. Throws SceneError with
/// everything that is wrong: open meshes with a density, unbounded dynamic bodies, empty shapes.
Solids build_solids(const Scene& scene);

/// Signed distance to all solids at their present poses, at most `reach` [m] away from them
/// (farther is `reach`); round ones as cells are cut by them. Refers to `solids`.
Obstacles obstacles(const Solids& solids, double reach, int dimensions);

/// What the frames of a run refer to.
Objects describe(const Scene& scene, const Solids& solids);

}  // namespace hydrolith
