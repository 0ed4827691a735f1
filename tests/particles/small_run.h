#pragma once
// A scene from a text, stepped as the engine steps it.

#include "core/check.h"
#include "particles/build.h"
#include "particles/step.h"
#include "scene/reader.h"

#include <string>

namespace hydrolith::particles::test {

/// Must not be moved: the workspace points into the model.
struct SmallRun {
  Model m;
  State s;
  Workspace w;
  StepReport last;

  explicit SmallRun(const std::string& yaml)
      : m(build_model(read_scene_text(yaml, "small_run.yaml").scene)),
        s(initial_state(m)),
        w(m, s) {
    settle(m, s, w);
  }
  SmallRun(const SmallRun&) = delete;
  SmallRun& operator=(const SmallRun&) = delete;

  /// Calls `see(report)` after each of n steps.
  template <class F>
  void advance(int n, double dt, F&& see) {
    for (int k = 0; k < n; ++k) {
      last = step(m, s, w, dt);
      see(last);
    }
  }
  void advance(int n, double dt) {
    advance(n, dt, [](const StepReport&) {});
  }
  std::size_t body(const std::string& name) const {
    for (std::size_t i = 0; i < m.scene.bodies.size(); ++i)
      if (m.scene.bodies[i].name == name) return i;
    throw Error("no body " + name);
  }
};

}  // namespace hydrolith::particles::test
