#pragma once
// A scene from a text, stepped as the hybrid engine steps it.

#include "core/check.h"
#include "hybrid/step.h"
#include "scene/reader.h"

#include <string>

namespace hydrolith::hybrid::test {

/// Must not be moved: the workspace points into the model.
struct SmallRun {
  Model m;
  State s;
  Workspace w;
  StepReport last;

  explicit SmallRun(const std::string& yaml)
      : m(build_model(read_scene_text(yaml, "small_run.yaml").scene)),
        s(initial_state(m)),
        w(m, s) {}
  SmallRun(const SmallRun&) = delete;
  SmallRun& operator=(const SmallRun&) = delete;

  void advance(int n, double dt) {
    for (int k = 0; k < n; ++k) last = step(m, s, w, dt);
  }
  std::size_t body(const std::string& name) const {
    for (std::size_t i = 0; i < m.scene.bodies.size(); ++i)
      if (m.scene.bodies[i].name == name) return i;
    throw Error(fmt::format("no body \"{}\"", name));
  }
};

}  // namespace hydrolith::hybrid::test
