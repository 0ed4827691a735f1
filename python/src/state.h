#pragma once
// The state of a simulation as arrays, and how Python changes it.

#include "simulation.h"

namespace hydrolith::python {

/// liquid, bodies, body(), set_body_pose() ... of the class Simulation.
void bind_controls(py::class_<PySimulation>& type);

}  // namespace hydrolith::python
