#pragma once
// Meshes for exporters: surfaces of liquids, and text fit for the formats.

#include "exports/run_exporter.h"
#include "output/exporter.h"

namespace hydrolith {

/// The surface of a liquid as these settings want it; none unless they ask for surfaces.
LiquidMesher make_mesher(const Objects& objects, const ExportSettings& settings);

/// Tells of particles that a surface leaves out, if there are any.
void warn_of_left_out(const ExportSettings& settings, const Frame& frame, const std::string& liquid,
                      std::size_t left_out);

/// The rotation that turns `up` to y, for formats whose y is up.
Quat turn_up_to_y(const Vec3& up);

/// Of the two quaternions of an orientation the one nearer to `last`: keys go the short way round.
Quat nearer_to(const Quat& last, const Quat& orientation);

/// A text in quotes with escapes, as JSON and USD read it.
std::string quoted_text(std::string_view text);

}  // namespace hydrolith
