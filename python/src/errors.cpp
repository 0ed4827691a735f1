#include "bindings.h"
#include "pickling.h"

#include <pybind11/stl.h>

namespace hydrolith::python {

namespace {

/// Exception classes, kept for the life of the process.
struct Classes {
  PyObject *error, *io, *mesh, *scene, *simulation;
};
Classes classes;

PyObject* make_class(py::module_& m, const char* name, const char* doc, PyObject* base) {
  const std::string full = std::string("hydrolith.") + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr);
  if (!made) throw py::error_already_set();
  m.attr(name) = py::handle(made);
  return made;
}

void raise_scene_error(const SceneError& e) {
  const py::object error = py::handle(classes.scene)(e.what());
  error.attr("diagnostics") = py::cast(e.diagnostics);
  PyErr_SetObject(classes.scene, error.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const SceneError& e) {
    raise_scene_error(e);
  } catch (const IoError& e) {
    PyErr_SetString(classes.io, e.what());
  } catch (const MeshError& e) {
    PyErr_SetString(classes.mesh, e.what());
  } catch (const SimulationError& e) {
    PyErr_SetString(classes.simulation, e.what());
  } catch (const Error& e) {
    PyErr_SetString(classes.error, e.what());
  }
}

}  // namespace

void bind_errors(py::module_& m) {
  classes.error = make_class(m, "Error", "Anything that went wrong and that a person can act on.",
                             PyExc_Exception);
  classes.io = make_class(m, "IoError", "A file could not be read or written.", classes.error);
  classes.mesh = make_class(m, "MeshError", "A mesh that cannot be used as asked.", classes.error);
  classes.scene = make_class(
      m, "SceneError", "A scene with faults; `diagnostics` lists all of them.", classes.error);
  py::handle(classes.scene).attr("diagnostics") = py::tuple();
  classes.simulation =
      make_class(m, "SimulationError", "The simulation could not go on.", classes.error);
  py::register_exception_translator(&translate);

  py::class_<Diagnostic> diagnostic(m, "Diagnostic", sealed(), "One fault of a scene.");
  pickle_as(m, diagnostic, "_diagnostic", &Diagnostic::file, &Diagnostic::line, &Diagnostic::column,
            &Diagnostic::path, &Diagnostic::message);
  diagnostic.def_readonly("file", &Diagnostic::file, "File, as it was named.")
      .def_readonly("line", &Diagnostic::line, "From 1; 0 = unknown.")
      .def_readonly("column", &Diagnostic::column, "From 1; 0 = unknown.")
      .def_readonly("path", &Diagnostic::path, "The key, e.g. \"liquids[0].viscosity\".")
      .def_readonly("message", &Diagnostic::message, "What is wrong.")
      .def("__str__", &Diagnostic::text)
      .def("__repr__", [](const Diagnostic& d) { return "<Diagnostic " + d.text() + ">"; });
}

}  // namespace hydrolith::python
