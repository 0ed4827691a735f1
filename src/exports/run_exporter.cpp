#include "exports/run_exporter.h"

#include "hydrolith/error.h"

#include "core/suggest.h"
#include "exports/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hydrolith {

namespace {

using enum LiquidAs;

const std::array<ExportFormat, 8>& formats() {
  static const std::array<ExportFormat, 8> table = {{
      {"vtk",
       "ParaView: run.pvd with real times, a .vtp for every object and frame",
       {particles, surface, none},
       4,
       false,
       make_vtk_run_exporter},
      {"ply",
       "binary PLY: point clouds and meshes with velocities",
       {particles, surface, none},
       -1,
       false,
       make_ply_run_exporter},
      {"obj",
       "Wavefront OBJ: meshes, for any program",
       {surface, none},
       -1,
       false,
       make_obj_exporter},
      {"usd",
       "USD, one run.usda: points or surface, bodies with time samples",
       {particles, surface, none},
       -1,
       true,
       make_usd_exporter},
      {"gltf",
       "glTF, one run.glb: bodies with keyframes, surfaces that follow each other",
       {surface, none},
       -1,
       true,
       make_gltf_exporter},
      {"vdb",
       "OpenVDB: level set, density and velocity of every liquid",
       {volume},
       -1,
       false,
       make_vdb_exporter},
      {"bgeo",
       "Houdini and Partio: particles with v, id and all fields",
       {particles},
       0,
       false,
       make_bgeo_exporter},
      {"csv",
       "tables: a file for every body with pose, velocity and forces; probes",
       {none},
       -1,
       true,
       make_csv_exporter},
  }};
  return table;
}

}  // namespace

std::string_view name_of(LiquidAs liquid) {
  constexpr std::array<std::string_view, 4> names = {"none", "particles", "surface", "volume"};
  return names[static_cast<std::size_t>(liquid)];
}

std::span<const ExportFormat> export_formats() { return formats(); }

const ExportFormat& find_export_format(const std::string& name) {
  std::vector<std::string> names;
  for (const ExportFormat& format : formats()) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  throw Error(fmt::format("--to: \"{}\" is no format.{} There are {}.", name,
                          did_you_mean(name, names), fmt::join(names, ", ")));
}

LiquidAs choose_liquid(const ExportFormat& format, const std::string& name) {
  if (name.empty()) return format.liquids.front();
  std::vector<std::string> known;
  for (const LiquidAs liquid : format.liquids) {
    if (name_of(liquid) == name) return liquid;
    known.emplace_back(name_of(liquid));
  }
  throw Error(fmt::format("--liquid: {} cannot hold liquids as \"{}\"; it can: {}.", format.name,
                          name, fmt::join(known, ", ")));
}

}  // namespace hydrolith
