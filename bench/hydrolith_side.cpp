#include "bullet_sides.h"

#include <fmt/format.h>

namespace hydrolith::bench {

namespace {

class HydrolithSide : public Side {
 public:
  explicit HydrolithSide(const SceneFile& scene) : simulation_(scene) {}
  void step() override { simulation_.step(); }
  double time() const override { return simulation_.time(); }
  std::vector<BodyFrame> bodies() const override { return simulation_.frame().bodies; }
  std::string discretisation() const override {
    return fmt::format("spacing {:.3g} mm, {} samples", 1e3 * simulation_.objects().spacing,
                       simulation_.size().body_particles);
  }

 private:
  Simulation simulation_;
};

}  // namespace

std::unique_ptr<Side> hydrolith_side(const SceneFile& scene) {
  return std::make_unique<HydrolithSide>(scene);
}

}  // namespace hydrolith::bench
