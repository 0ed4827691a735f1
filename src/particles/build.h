#pragma once
// The only translation from a scene to the particle engine's model and state.

#include "particles/model.h"

namespace hydrolith::particles {

/// Throws SceneError with everything that cannot be built.
Model build_model(const Scene& scene);
State initial_state(const Model& model);

}  // namespace hydrolith::particles
