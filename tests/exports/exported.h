#pragma once
// Runs to export, and exports of them.

#include "exports/run_exporter.h"
#include "output/fixtures.h"

namespace hydrolith::test {

/// Frames of the sample scene; particles of the first liquid close enough to have a surface.
inline Frame export_frame(const Objects& objects, std::int64_t index, std::size_t particles = 50) {
  Frame frame = sample_frame(objects, index, particles);
  for (LiquidFrame& liquid : frame.liquids)
    for (Vec3f& x : liquid.position) x *= 0.05f;
  for (BodyFrame& body : frame.bodies)
    body.forces = BodyForces{.pressure = {Vec3(1, 2, 3), Vec3(4, 5, 6)},
                             .viscosity = {},
                             .contact = {},
                             .friction = {Vec3(7, 8, 9), Vec3(0.1, 0.2, 0.3)}};
  return frame;
}

/// Exports frames 3, 4 and 5.
inline void export_to(const fs::path& folder, const Objects& objects, const std::string& name,
                      const std::string& liquid = "", int compression = 0) {
  const ExportFormat& format = find_export_format(name);
  ExportSettings settings;
  settings.run = folder;
  settings.folder = folder;
  settings.liquid = choose_liquid(format, liquid);
  settings.compression = compression;
  settings.frame_rate = 30;
  const auto exporter = format.make(objects, settings);
  for (const int index : {3, 4, 5}) exporter->write(export_frame(objects, index));
  exporter->finish();
}

}  // namespace hydrolith::test
