#pragma once
// A Simulation as Python holds it: safe to use from any thread, at any time.

#include "bindings.h"

#include <thread>

namespace hydrolith::python {

/// All members are guarded by the GIL. From the beginning of a step to its end no other thread may
/// look; the one that takes the step may in on_step.
struct PySimulation {
  enum class Activity { idle, in_on_step, busy };

  std::unique_ptr<Simulation> own;   // none if it belongs to run()
  Simulation* simulation = nullptr;  // none once that run has ended
  Activity activity = Activity::idle;
  std::thread::id worker;             // that is in on_step
  py::object on_step;                 // a callable or empty
  std::shared_ptr<Objects> objects_;  // a copy, made when first asked for

  /// The simulation, between steps. Throws Error if a step is on, or if its run has ended.
  Simulation& at_rest() const;
  std::shared_ptr<Objects> objects();
};

/// Busy until the end of its life; throws Error unless at rest.
class Claim {
 public:
  explicit Claim(PySimulation& s) : s_(s), before_(s.activity) {
    s.at_rest();
    s.activity = PySimulation::Activity::busy;
  }
  ~Claim() { s_.activity = before_; }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

 private:
  PySimulation& s_;
  PySimulation::Activity before_;
};

/// Refuses to step, or to write the state down, from inside on_step.
void require_idle(const PySimulation& s);

/// Calls callback(simulation) from inside a step; takes the GIL.
void call_on_step(PySimulation& s, const py::object& self, const py::object& callback);

/// Index of a body given by name, index or Body.
std::size_t to_body(PySimulation& s, const py::handle& from);

/// Looks at one body of a simulation.
struct BodyView {
  py::object owner;  // keeps `simulation`
  PySimulation* simulation;
  std::size_t index;
};

void bind_body(py::module_& m);
void bind_state(py::module_& m);
/// Checkpoint, and what the class Simulation does with it.
void bind_checkpoint(py::module_& m, py::class_<PySimulation>& simulation);

}  // namespace hydrolith::python

template <>
class pybind11::detail::type_caster<hydrolith::python::PySimulation>
    : public hydrolith::python::BuiltCaster<hydrolith::python::PySimulation> {};
