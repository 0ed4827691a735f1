#pragma once
// Other formats a run can write beside its own. Each writes one frame at a time, whole files only.

#include "hydrolith/frame.h"

#include "output/run_folder.h"

#include <memory>

namespace hydrolith {

class FrameExporter {
 public:
  virtual ~FrameExporter() = default;
  /// Throws IoError.
  virtual void write(const Frame& frame) = 0;
};

/// VTK XML for ParaView in RUN/vtk: OBJECT/OBJECT_000000.vtp for every liquid and every body entry,
/// OBJECT.pvd with the times of its frames, run.pvd with all objects. Goes on with the .pvd files
/// of an earlier run in the same folder. `objects` must outlive it.
std::unique_ptr<FrameExporter> make_vtk_exporter(const std::filesystem::path& run,
                                                 const Objects& objects, int compression);

/// Binary PLY in RUN/ply: OBJECT/OBJECT_000000.ply for every liquid, bodies/bodies_000000.ply for
/// all bodies together. `objects` must outlive it.
std::unique_ptr<FrameExporter> make_ply_exporter(const std::filesystem::path& run,
                                                 const Objects& objects);

}  // namespace hydrolith
