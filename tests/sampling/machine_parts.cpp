#include "geometry/build_mesh.h"
#include "geometry/mesh_distance.h"
#include "sampling/surface.h"

#include <doctest/doctest.h>

#include <string>

using namespace hydrolith;

namespace {

struct Part {
  const char* name;
  Shape::Variant kind;
  double h;  // [m]
};

}  // namespace

TEST_CASE("threads, teeth and blended shapes are sampled evenly, on and below their surface") {
  for (const Part& part :
       {Part{"bolt, 4 h a turn", BoltShape{}, 0.005}, Part{"bolt, 1 h a turn", BoltShape{}, 0.02},
        Part{"nut", NutShape{}, 0.005}, Part{"gear", GearShape{}, 0.03},
        Part{"duck", DuckShape{}, 0.05}, Part{"chain link", ChainLinkShape{}, 0.01},
        Part{"tetrapod", TetrapodShape{}, 0.05}, Part{"rounded box", RoundedBoxShape{}, 0.05}}) {
    Shape shape;
    shape.kind = part.kind;
    const TriangleMesh mesh = build_mesh(shape, {.resolution = part.h});
    const MeshDistance distance(mesh);
    for (const double inset : {0.0, 0.5}) {
      CAPTURE(std::string(part.name));
      CAPTURE(inset);
      const SurfaceSamples s = sample_surface(mesh, {.spacing = part.h, .inset = inset * part.h});
      const Evenness e = evenness(s.position, part.h);
      CHECK(e.volume_spread < 0.1);
      CHECK(e.nearest_min >= 0.8 * (1 - 1e-6));
      CHECK(e.nearest_max <= 1.2 * (1 + 1e-6));
      // Half-space planes of an inset meet inside the body; 0.1 h for the facets of the mesh.
      double highest = -1;
      for (const Vec3& x : s.position) highest = std::max(highest, distance.signed_distance(x));
      CHECK(highest < 0.1 * part.h);
    }
  }
}
