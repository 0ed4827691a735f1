#pragma once
// The parts of the module, and what they share.

#include "hydrolith/simulation.h"

#include "types.h"

#include <pybind11/pybind11.h>

#include <memory>

namespace hydrolith::python {

namespace py = pybind11;

/// A SceneFile, a dict, or the path of a YAML file.
SceneFile to_scene(const py::handle& from);

/// Bodies of a state or a frame in one list: `count` of them, `stride` bytes apart; count < 0: a
/// single one.
struct ForcesView {
  std::shared_ptr<const void> owner;
  const BodyForces* first = nullptr;
  py::ssize_t count = 0;
  py::ssize_t stride = sizeof(BodyForces);
};

/// A mesh and what keeps it.
struct MeshView {
  std::shared_ptr<const void> owner;
  const SurfaceMesh* mesh;
};

/// One liquid of a frame.
struct LiquidView {
  std::shared_ptr<Frame> frame;
  const LiquidFrame* liquid;
};

// In this order: later ones use the types of earlier ones.
void bind_errors(py::module_& m);
void bind_scene(py::module_& m);
void bind_objects(py::module_& m);
void bind_frame(py::module_& m);
void bind_surface(py::module_& m);
void bind_simulation(py::module_& m);
void bind_run(py::module_& m);
void bind_recorder(py::module_& m);
void bind_run_reader(py::module_& m);

}  // namespace hydrolith::python
