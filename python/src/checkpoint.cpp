#include "output/checkpoint_file.h"
#include "pickling.h"
#include "simulation.h"

#include <pybind11/stl/filesystem.h>

namespace hydrolith::python {

namespace {

/// Nobody changes it: shared, however often it is restored.
struct CheckpointView {
  std::shared_ptr<const Checkpoint> state;
};

CheckpointView take(PySimulation& s) {
  const Claim claim(s);
  const py::gil_scoped_release release;
  return {std::make_shared<const Checkpoint>(s.simulation->checkpoint())};
}

void restore(PySimulation& s, const AnyCheckpoint& from) {
  if (py::isinstance<CheckpointView>(from)) {
    const auto state = from.cast<const CheckpointView&>().state;
    const Claim claim(s);
    const py::gil_scoped_release release;
    s.simulation->restore(*state);
    return;
  }
  std::filesystem::path file;
  try {
    file = from.cast<std::filesystem::path>();
  } catch (const py::cast_error&) {
    throw py::type_error("restore: a Checkpoint or the path of a file is wanted, not " +
                         std::string(Py_TYPE(from.ptr())->tp_name));
  }
  const Claim claim(s);
  const py::gil_scoped_release release;
  s.simulation->restore(file);
}

void save(PySimulation& s, const std::filesystem::path& file) {
  const Claim claim(s);
  const py::gil_scoped_release release;
  s.simulation->save(file);
}

std::unique_ptr<PySimulation> load(const std::filesystem::path& file) {
  auto made = std::make_unique<PySimulation>();
  {
    const py::gil_scoped_release release;
    made->own = std::make_unique<Simulation>(Simulation::load(file));
  }
  made->simulation = made->own.get();
  return made;
}

}  // namespace

void bind_checkpoint(py::module_& m, py::class_<PySimulation>& simulation) {
  m.def("_checkpoint", [](const std::string& bytes) {
    const py::gil_scoped_release release;
    return CheckpointView{
        std::make_shared<const Checkpoint>(decode_checkpoint(bytes, "a pickled checkpoint"))};
  });
  py::class_<CheckpointView>(m, "Checkpoint", sealed(),
                             "The whole state of a simulation at one time, in memory. Simulation."
                             "checkpoint() makes it, restore() goes back to it; it can be pickled.")
      .def_property_readonly(
          "time", [](const CheckpointView& c) { return c.state->time; }, "[s]")
      .def_property_readonly(
          "step", [](const CheckpointView& c) { return c.state->step; }, "Steps taken until then.")
      .def_property_readonly(
          "scene", [](const CheckpointView& c) { return c.state->scene; },
          "The scene it is a state of, as YAML.")
      .def_property_readonly(
          "version", [](const CheckpointView& c) { return c.state->version; },
          "Of Hydrolith that made it.")
      .def("__reduce__",
           [](const CheckpointView& c) {
             std::string bytes;
             {
               const py::gil_scoped_release release;
               bytes = encode_checkpoint(*c.state, "a pickled checkpoint");
             }
             return made_by("_checkpoint", py::bytes(bytes));
           })
      .def("__repr__", [](const CheckpointView& c) {
        return "<Checkpoint of step " + std::to_string(c.state->step) +
               ", t = " + std::to_string(c.state->time) + " s>";
      });
  simulation
      .def("checkpoint", &take,
           "The whole state as it is now, but for forces applied for the next step. Going back to "
           "it by restore() is exact to the last bit, with either engine: for resets and for "
           "planning ahead.")
      .def("restore", &restore, py::arg("checkpoint"),
           "Goes back (or on) to a Checkpoint, or to a file of save() or of RUN/checkpoints. "
           "on_step stays. Raises Error, and changes nothing, if it is of another scene.")
      .def("save", &save, py::arg("file"),
           "Writes the whole state and its scene into a file (HDF5, whole or not at all). Raises "
           "IoError.")
      .def_static("load", &load, py::arg("file"),
                  "A simulation of the scene in the file, where the file left it: one of save() or "
                  "of RUN/checkpoints. Raises IoError.");
}

}  // namespace hydrolith::python
