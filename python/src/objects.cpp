#include "arrays.h"
#include "bindings.h"

#include <pybind11/stl.h>

namespace hydrolith::python {

namespace {

py::object vertices(const MeshView& view) {
  const auto& v = view.mesh->vertices;
  return to_numpy(view.owner, v.empty() ? nullptr : v.front().data(),
                  static_cast<py::ssize_t>(v.size()), 3, sizeof(Vec3f));
}

py::object triangles(const MeshView& view) {
  const auto& t = view.mesh->triangles;
  return to_numpy(view.owner, t.empty() ? nullptr : t.front().data(),
                  static_cast<py::ssize_t>(t.size()), 3, sizeof(t[0]));
}

std::vector<MeshView> meshes(const std::shared_ptr<Objects>& objects) {
  std::vector<MeshView> all;
  for (const SurfaceMesh& mesh : objects->meshes) all.push_back({objects, &mesh});
  return all;
}

}  // namespace

void bind_objects(py::module_& m) {
  py::class_<LiquidInfo>(m, "LiquidInfo", sealed(), "A liquid of the scene.")
      .def_readonly("name", &LiquidInfo::name, "Its name.")
      .def_readonly("density", &LiquidInfo::density, "At rest [kg/m^3].")
      .def_property_readonly(
          "colour", [](const LiquidInfo& l) { return to_numpy(l.colour); }, "Linear RGB, 0 to 1.")
      .def("__repr__", [](const LiquidInfo& l) { return "<LiquidInfo " + l.name + ">"; });
  py::class_<BodyInfo>(m, "BodyInfo", sealed(), "What never changes of a body.")
      .def_readonly("name", &BodyInfo::name, "Unique: \"brick[0]\", \"brick[1]\", ...")
      .def_readonly("object", &BodyInfo::object, "Index into Objects.body_objects.")
      .def_readonly("mesh", &BodyInfo::mesh, "Index into Objects.meshes.")
      .def_property_readonly(
          "kind", [](const BodyInfo& b) { return std::string(name_of(b.kind)); },
          "\"dynamic\", \"static\" or \"kinematic\".")
      .def_readonly("container", &BodyInfo::container, "Turned inside out.")
      .def_readonly("mass", &BodyInfo::mass, "[kg]; 0 unless dynamic.")
      .def_property_readonly(
          "colour", [](const BodyInfo& b) { return to_numpy(b.colour); }, "Linear RGB, 0 to 1.")
      .def("__repr__", [](const BodyInfo& b) { return "<BodyInfo " + b.name + ">"; });
  py::class_<MeshView>(m, "SurfaceMesh", sealed(),
                       "Triangles: of a body in its own frame, of a liquid in the world.")
      .def_property_readonly("vertices", &vertices, "n x 3 [m].")
      .def_property_readonly("triangles", &triangles,
                             "n x 3 indices of vertices, counter-clockwise seen from outside.");
  py::class_<Objects, std::shared_ptr<Objects>>(m, "Objects", sealed(),
                                                "What never changes during a run.")
      .def_readonly("title", &Objects::title, "The scene's name.")
      .def_readonly("dimensions", &Objects::dimensions, "2 or 3.")
      .def_readonly("spacing", &Objects::spacing, "Distance of particles at rest [m].")
      .def_property_readonly(
          "up", [](const Objects& o) { return to_numpy(o.up); }, "Unit vector against gravity.")
      .def_property_readonly(
          "liquids", [](const Objects& o) { return o.liquids; }, "A list of LiquidInfo.")
      .def_property_readonly(
          "body_objects", [](const Objects& o) { return o.body_objects; },
          "Names of the scene's body entries.")
      .def_property_readonly(
          "bodies", [](const Objects& o) { return o.bodies; }, "A list of BodyInfo.")
      .def_property_readonly("meshes", &meshes, "A list of SurfaceMesh, shared by bodies.")
      .def("__repr__", [](const Objects& o) { return "<Objects of " + o.title + ">"; });
}

}  // namespace hydrolith::python
