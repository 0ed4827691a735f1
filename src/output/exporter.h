#pragma once
// Other formats a run can write beside its own. Each writes one frame at a time, whole files only.

#include "hydrolith/frame.h"

#include "output/world_mesh.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace hydrolith {

class FrameExporter {
 public:
  virtual ~FrameExporter() = default;
  /// Throws IoError.
  virtual void write(const Frame& frame) = 0;
};

/// The surface of one liquid of a frame (surface/ knows how).
using LiquidMesher = std::function<WorldMesh(const Frame& frame, std::size_t liquid)>;

struct VtkOptions {
  int compression = 4;  ///< 0 none .. 9 smallest
  bool go_on = true;    ///< keep the times of earlier frames in the .pvd files of the folder
};

/// VTK XML for ParaView: OBJECT/OBJECT_000000.vtp for every liquid and every body entry, OBJECT.pvd
/// with the times of its frames, run.pvd with all objects. With a mesher, a liquid is the object
/// LIQUID_surface. `objects` must outlive it.
std::unique_ptr<FrameExporter> make_vtk_exporter(const std::filesystem::path& folder,
                                                 const Objects& objects, const VtkOptions& options,
                                                 LiquidMesher mesher = {});

/// Binary PLY: OBJECT/OBJECT_000000.ply for every liquid, bodies/bodies_000000.ply for all bodies
/// together. With a mesher, a liquid is the object LIQUID_surface. `objects` must outlive it.
std::unique_ptr<FrameExporter> make_ply_exporter(const std::filesystem::path& folder,
                                                 const Objects& objects, LiquidMesher mesher = {});

/// Names of the liquids as objects: as they are, or "water_surface".
std::vector<std::string> liquid_object_names(const Objects& objects, bool surface);

}  // namespace hydrolith
