#include "bullet_sides.h"

#include <fmt/format.h>

namespace hydrolith::bench {

namespace {

class HydrolithSide : public Side {
 public:
  explicit HydrolithSide(const SceneFile& scene) : simulation_(scene) {}
  void step() override {
    const StepReport report = simulation_.step();
    ++steps_;
    if (!report.converged) ++unconverged_;
    retries_ += report.retries;
  }
  double time() const override { return simulation_.time(); }
  std::vector<BodyFrame> bodies() const override { return simulation_.frame().bodies; }
  std::string discretisation() const override {
    return fmt::format("spacing {:.3g} mm, {} samples", 1e3 * simulation_.objects().spacing,
                       simulation_.size().body_particles);
  }

  std::string remark() const override {
    return fmt::format("{} of {} steps not converged, {} halved", unconverged_, steps_, retries_);
  }

 private:
  Simulation simulation_;
  int steps_ = 0, unconverged_ = 0, retries_ = 0;
};

}  // namespace

std::unique_ptr<Side> hydrolith_side(const SceneFile& scene) {
  return std::make_unique<HydrolithSide>(scene);
}

}  // namespace hydrolith::bench
