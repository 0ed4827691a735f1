// OpenVDB files, read back by OpenVDB.

#ifdef HYDROLITH_VDB

#include "exported.h"
#include "surface/liquid_surface.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/Interpolation.h>

namespace hydrolith::test {

TEST_CASE("OpenVDB reads level set, density and velocity of a ball of liquid") {
  const TemporaryFolder folder;
  Objects objects = sample_objects();
  objects.liquids.resize(1);
  objects.spacing = 0.1;
  Frame frame{.index = 7, .step = 1, .time = 0.25, .liquids = {}, .bodies = {}};
  LiquidFrame& liquid = frame.liquids.emplace_back();
  Field velocity{"velocity", "m/s", 3, {}};
  constexpr double radius = 0.6;  // [m]
  for (int i = -7; i < 7; ++i)
    for (int j = -7; j < 7; ++j)
      for (int k = -7; k < 7; ++k) {
        const Vec3f x(0.1f * (float(i) + 0.5f), 0.1f * (float(j) + 0.5f), 0.1f * (float(k) + 0.5f));
        if (x.norm() > radius) continue;
        liquid.position.push_back(x);
        liquid.id.push_back(0);
        velocity.values.insert(velocity.values.end(), {1.0f, -2.0f, 3.0f});
      }
  liquid.fields.push_back(velocity);
  const auto exporter = find_export_format("vdb").make(
      objects, {.run = folder, .folder = folder, .liquid = LiquidAs::volume});
  frame.bodies.clear();
  exporter->write(frame);

  openvdb::initialize();
  openvdb::io::File file((folder.path() / "water" / "water_000007.vdb").string());
  file.open();
  CHECK(file.getMetadata()->metaValue<double>("time") == 0.25);
  const auto surface = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("surface"));
  const auto density = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("density"));
  const auto moving = openvdb::gridPtrCast<openvdb::Vec3SGrid>(file.readGrid("velocity"));
  CHECK(surface->getGridClass() == openvdb::GRID_LEVEL_SET);
  CHECK(density->getGridClass() == openvdb::GRID_FOG_VOLUME);
  CHECK(surface->voxelSize().x() == doctest::Approx(0.05));

  const openvdb::tools::GridSampler<openvdb::FloatGrid, openvdb::tools::BoxSampler> distance(
      *surface),
      share(*density);
  const openvdb::tools::GridSampler<openvdb::Vec3SGrid, openvdb::tools::BoxSampler> speed(*moving);
  for (const openvdb::Vec3d& axis :
       {openvdb::Vec3d(1, 0, 0), openvdb::Vec3d(0, -1, 0), openvdb::Vec3d(0, 0, 1)}) {
    // Signed distance from the sphere: a lattice of particles is round to a third of a spacing.
    CHECK(std::abs(distance.wsSample(radius * axis)) < 0.035);
    CHECK(distance.wsSample((radius + 0.1) * axis) == doctest::Approx(0.1).epsilon(0.35));
    CHECK(distance.wsSample((radius - 0.1) * axis) < -0.06);
    CHECK(share.wsSample(0.3 * axis) > 0.9);
    CHECK(share.wsSample(1.0 * axis) == 0);
    // Constant in the liquid: means of equal velocities, single precision.
    CHECK((speed.wsSample(0.3 * axis) - openvdb::Vec3s(1, -2, 3)).length() < 1e-4);
  }
  CHECK(distance.wsSample(openvdb::Vec3d(0)) < 0);
}

}  // namespace hydrolith::test

#endif
