#include "scene/scene.h"

#include "bindings.h"
#include "pickling.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace hydrolith::python {

namespace {

using Overrides = std::vector<std::string>;

/// Faults of a dict have a key but no line.
SceneFile from_dict(const py::object& scene, const std::filesystem::path& name,
                    const Overrides& overrides) {
  const auto yaml =
      py::module_::import("hydrolith._dict").attr("to_yaml")(scene).cast<std::string>();
  const py::gil_scoped_release release;
  try {
    return SceneFile::parse(yaml, name, overrides);
  } catch (const SceneError& e) {
    std::vector<Diagnostic> faults = e.diagnostics;
    for (Diagnostic& d : faults) d.line = d.column = 0;
    throw SceneError(std::move(faults));
  }
}

}  // namespace

SceneFile to_scene(const py::handle& from) {
  if (py::isinstance<SceneFile>(from)) return from.cast<SceneFile>();
  if (py::hasattr(from, "items"))
    return from_dict(py::reinterpret_borrow<py::object>(from), "scene", {});
  if (py::isinstance<py::str>(from) && from.cast<std::string>().find('\n') != std::string::npos)
    throw py::value_error(
        "a scene is given by the path of a YAML file, and this is a text of several lines; read it "
        "with SceneFile.parse(text)");
  std::filesystem::path file;
  try {
    file = from.cast<std::filesystem::path>();
  } catch (const py::cast_error&) {
    throw py::type_error("a scene is a SceneFile, a dict or the path of a YAML file, not " +
                         std::string(Py_TYPE(from.ptr())->tp_name));
  }
  const py::gil_scoped_release release;
  return SceneFile::load(file);
}

void bind_scene(py::module_& m) {
  m.def("_scene_file", [](const std::string& yaml, const std::string& file) {
    const py::gil_scoped_release release;
    return SceneFile::parse(yaml, file);
  });
  py::class_<SceneFile>(m, "SceneFile", sealed(), "A scene that was read and found valid.")
      .def("__reduce__",
           [](const SceneFile& s) { return made_by("_scene_file", s.yaml(), s.scene().file); })
      .def_static(
          "load",
          [](const std::filesystem::path& file, const Overrides& overrides) {
            const py::gil_scoped_release release;
            return SceneFile::load(file, overrides);
          },
          py::arg("file"), py::arg("overrides") = Overrides{},
          "Reads a YAML file; overrides as \"path=value\". Raises SceneError with all faults, or "
          "IoError.")
      .def_static(
          "parse",
          [](const std::string& yaml, const std::filesystem::path& name,
             const Overrides& overrides) {
            const py::gil_scoped_release release;
            return SceneFile::parse(yaml, name, overrides);
          },
          py::arg("yaml"), py::arg("name") = std::filesystem::path("scene.yaml"),
          py::arg("overrides") = Overrides{},
          "Reads a text; `name` stands in messages, relative paths start from its folder.")
      .def_static(
          "from_dict", &from_dict, py::arg("scene"),
          py::arg("name") = std::filesystem::path("scene"), py::arg("overrides") = Overrides{},
          "Reads a dict with the keys of the scene reference; values are numbers (NumPy's too), "
          "texts such as \"5 cm\" or \"2*radius\", lists, arrays and dicts.")
      .def_property_readonly("name", &SceneFile::name, "The scene's name.")
      .def_property_readonly("duration", &SceneFile::duration, "Simulated time in all [s].")
      .def_property_readonly("yaml", &SceneFile::yaml, "The scene as run, overrides applied.")
      .def("__repr__", [](const SceneFile& s) { return "<SceneFile " + s.name() + ">"; });
}

}  // namespace hydrolith::python
