// OpenVDB: for every liquid and frame a file with three grids of the same voxels: `surface`, a
// level set of the surface mesh; `density`, the share of liquid, 0 to 1; `velocity` [m/s].

#include "hydrolith/error.h"

#include "exports/formats.h"

#ifdef HYDROLITH_VDB

#include "exports/mesh_sources.h"
#include "output/deflate.h"
#include "output/files.h"
#include "output/run_folder.h"
#include "output/run_names.h"
#include "surface/liquid_tiles.h"

#include <fmt/format.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

constexpr float half_width = 3;    // [voxels] of the level set, as OpenVDB's tools expect
constexpr float faintest = 0.01f;  // [-] shares below are no liquid

openvdb::math::Transform::Ptr transform_of(double voxel, double z_shift) {
  auto transform = openvdb::math::Transform::createLinearTransform(voxel);
  transform->postTranslate(openvdb::Vec3d(0, 0, z_shift * voxel));
  return transform;
}

openvdb::FloatGrid::Ptr level_set(const LiquidSurface& surface,
                                  const openvdb::math::Transform::Ptr& transform) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  for (const Vec3f& x : surface.mesh.vertices) points.emplace_back(x.x(), x.y(), x.z());
  for (const auto& [a, b, c] : surface.mesh.triangles) triangles.emplace_back(a, b, c);
  auto grid =
      openvdb::tools::meshToLevelSet<openvdb::FloatGrid>(*transform, points, triangles, half_width);
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  grid->setName("surface");
  return grid;
}

struct Volumes {
  openvdb::FloatGrid::Ptr density = openvdb::FloatGrid::create(0);
  openvdb::Vec3SGrid::Ptr velocity = openvdb::Vec3SGrid::create(openvdb::Vec3s(0));
};

void add_tile(const LiquidTile& tile, openvdb::FloatGrid::Accessor& density,
              openvdb::Vec3SGrid::Accessor& velocity) {
  const TileField& share = tile.share;
  for (int z = 0; z < share.size; ++z)
    for (int y = 0; y < share.size; ++y)
      for (int x = 0; x < share.size; ++x) {
        const float s = share.at(x, y, z);
        if (s < faintest) continue;
        const openvdb::Coord at(share.first[0] + x, share.first[1] + y, share.first[2] + z);
        density.setValue(at, std::min(s, 1.0f));
        if (tile.has_momentum)
          velocity.setValue(
              at, openvdb::Vec3s(tile.momentum[0].at(x, y, z) / s, tile.momentum[1].at(x, y, z) / s,
                                 tile.momentum[2].at(x, y, z) / s));
      }
}

Volumes volumes(const LiquidFrame& liquid, const Objects& objects, const SurfaceOptions& options,
                const openvdb::math::Transform::Ptr& transform) {
  Volumes v;
  auto density = v.density->getAccessor();
  auto velocity = v.velocity->getAccessor();
  visit_liquid_tiles(liquid, objects.spacing, objects.dimensions, options,
                     [&](const LiquidTile& tile) { add_tile(tile, density, velocity); });
  v.density->setTransform(transform);
  v.density->setGridClass(openvdb::GRID_FOG_VOLUME);
  v.density->setName("density");
  v.velocity->setTransform(transform);
  v.velocity->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  v.velocity->setName("velocity");
  return v;
}

/// OpenVDB marks every file with a random number in text, after magic number, three version numbers
/// and a flag. The same frame gives the same bytes: the mark is made from the content.
std::string without_chance(std::string bytes) {
  constexpr std::size_t at = 8 + 3 * 4 + 1, length = 36;
  if (bytes.size() < at + length || bytes[at + 8] != '-' || bytes[at + 23] != '-') return bytes;
  bytes.replace(at, length, length, '0');
  const std::uint32_t sum = crc32_of(bytes);
  bytes.replace(at, length,
                fmt::format("{:08x}-0000-4000-8000-{:012x}", sum, bytes.size() & 0xffffffffffff));
  return bytes;
}

void write_vdb(const fs::path& file, const openvdb::GridPtrVec& grids, const Frame& frame) {
  openvdb::MetaMap about;
  about.insertMeta("creator", openvdb::StringMetadata("hydrolith " HYDROLITH_VERSION));
  about.insertMeta("time", openvdb::DoubleMetadata(frame.time));
  about.insertMeta("frame", openvdb::Int64Metadata(frame.index));
  const fs::path temporary = file.parent_path() / ("." + file.filename().string() + ".tmp");
  try {
    openvdb::io::File out(temporary.string());
    // Zip is no choice for level sets and densities: OpenVDB leaves them as they are then.
    out.setCompression(openvdb::io::COMPRESS_ACTIVE_MASK |
                       (openvdb::io::Archive::hasBloscCompression() ? openvdb::io::COMPRESS_BLOSC
                                                                    : openvdb::io::COMPRESS_ZIP));
    out.write(grids, about);
    out.close();
    write_file_atomically(file, without_chance(read_file(temporary)));
    ::unlink(temporary.c_str());
  } catch (const std::exception& e) {
    ::unlink(temporary.c_str());
    throw IoError(fmt::format("{}: cannot write: {}", file.string(), e.what()));
  }
}

class VdbExporter final : public RunExporter {
 public:
  VdbExporter(const Objects& objects, const ExportSettings& settings)
      : objects_(objects),
        folder_(settings.folder),
        options_(settings.surface),
        settings_(settings) {
    static std::once_flag once;
    std::call_once(once, [] { openvdb::initialize(); });
    std::vector<std::string> liquids;
    for (const LiquidInfo& liquid : objects.liquids) liquids.push_back(liquid.name);
    if (liquids.empty())
      throw Error("vdb holds liquids, and none is chosen; for bodies use usd, gltf or obj");
    names_ = file_names(liquids, {});
    for (const std::string& name : names_) make_folder(folder_ / name);
  }

  void write(const Frame& frame) override {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const LiquidFrame& liquid = frame.liquids[i];
      const double voxel = options_.cell * objects_.spacing;
      const LiquidSurface surface =
          liquid_surface(liquid, objects_.spacing, objects_.dimensions, options_);
      warn_of_left_out(settings_, frame, objects_.liquids[i].name, surface.left_out);
      const bool flat = objects_.dimensions == 2;
      const Volumes v = volumes(liquid, objects_, options_, transform_of(voxel, flat ? -0.5 : 0));
      openvdb::GridPtrVec grids = {level_set(surface, transform_of(voxel, 0)), v.density};
      if (!surface.velocity.empty()) grids.push_back(v.velocity);
      write_vdb(folder_ / names_[i] / numbered_name(names_[i], frame.index, ".vdb"), grids, frame);
    }
  }

 private:
  const Objects& objects_;
  const fs::path folder_;
  const SurfaceOptions options_;
  const ExportSettings settings_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<RunExporter> make_vdb_exporter(const Objects& objects,
                                               const ExportSettings& settings) {
  return std::make_unique<VdbExporter>(objects, settings);
}

}  // namespace hydrolith

#else

namespace hydrolith {

std::unique_ptr<RunExporter> make_vdb_exporter(const Objects&, const ExportSettings&) {
  throw Error(
      "this build has no OpenVDB: install libopenvdb-dev and libboost-dev, configure again with "
      "-DHYDROLITH_VDB=ON and build");
}

}  // namespace hydrolith

#endif
