#include "simulation.h"

#include <pybind11/stl/filesystem.h>

namespace hydrolith::python {

namespace {

/// All members are guarded by the GIL; whoever writes claims the simulation.
struct PyRecorder {
  py::object owner;  // keeps `simulation`
  PySimulation* simulation = nullptr;
  std::unique_ptr<Recorder> recorder;  // none once it is closed
  ~PyRecorder() {
    const py::gil_scoped_release release;  // waits for the disk
    recorder.reset();
  }
};

}  // namespace

}  // namespace hydrolith::python

template <>
class pybind11::detail::type_caster<hydrolith::python::PyRecorder>
    : public hydrolith::python::BuiltCaster<hydrolith::python::PyRecorder> {};

namespace hydrolith::python {

namespace {

std::unique_ptr<PyRecorder> open(const Self& simulation, const std::filesystem::path& folder) {
  if (!py::isinstance<PySimulation>(simulation))
    throw py::type_error("a Recorder writes down a Simulation, not a " +
                         std::string(Py_TYPE(simulation.ptr())->tp_name));
  auto made = std::make_unique<PyRecorder>();
  made->owner = simulation;
  made->simulation = &simulation.cast<PySimulation&>();
  require_idle(*made->simulation);
  const Claim claim(*made->simulation);
  const py::gil_scoped_release release;
  made->recorder = std::make_unique<Recorder>(*made->simulation->simulation, folder);
  return made;
}

void record(PyRecorder& r) {
  if (!r.recorder) throw Error("this recording is closed");
  const Claim claim(*r.simulation);
  const py::gil_scoped_release release;
  r.recorder->record(*r.simulation->simulation);
}

RunResult close(PyRecorder& r, const std::string& failure) {
  if (!r.recorder) throw Error("this recording is closed");
  const Claim claim(*r.simulation);
  const auto recorder = std::move(r.recorder);  // closed, whatever happens
  const py::gil_scoped_release release;
  return recorder->close(*r.simulation->simulation, failure);
}

void leave(PyRecorder& r, const py::object& /*type*/, const py::object& raised,
           const py::object& /*traceback*/) {
  if (r.recorder) close(r, raised.is_none() ? "" : std::string(py::repr(raised)));
}

}  // namespace

void bind_recorder(py::module_& m) {
  py::class_<PyRecorder>(
      m, "Recorder",
      "Writes the folder of a run for a program that takes the steps itself, as run() would: "
      "frames, metrics and checkpoints on the scene's schedule. Use it in a `with` block, or "
      "close() it.")
      .def(py::init(&open), py::arg("simulation"), py::arg("folder"))
      .def("record", &record,
           "After every step: writes what is due. Raises IoError, and Error if time has gone back.")
      .def("close", &close, py::arg("failure") = "",
           "Writes the last frame and a checkpoint and waits until all is on disk. The run is "
           "finished if its duration is reached, otherwise interrupted, or failed if there is a "
           "reason.")
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__", &leave, py::arg("type"), py::arg("raised"), py::arg("traceback"));
}

}  // namespace hydrolith::python
