// Formats that output/ writes during a run too: VTK and PLY.

#include "exports/formats.h"
#include "exports/mesh_sources.h"

namespace hydrolith {

namespace {

class FrameByFrame final : public RunExporter {
 public:
  explicit FrameByFrame(std::unique_ptr<FrameExporter> exporter) : exporter_(std::move(exporter)) {}
  void write(const Frame& frame) override { exporter_->write(frame); }

 private:
  std::unique_ptr<FrameExporter> exporter_;
};

}  // namespace

std::unique_ptr<RunExporter> make_vtk_run_exporter(const Objects& objects,
                                                   const ExportSettings& settings) {
  return std::make_unique<FrameByFrame>(make_vtk_exporter(
      settings.folder, objects, {.compression = settings.compression, .go_on = false},
      make_mesher(objects, settings)));
}

std::unique_ptr<RunExporter> make_ply_run_exporter(const Objects& objects,
                                                   const ExportSettings& settings) {
  return std::make_unique<FrameByFrame>(
      make_ply_exporter(settings.folder, objects, make_mesher(objects, settings)));
}

}  // namespace hydrolith
