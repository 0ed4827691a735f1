#include "state.h"

#include "arrays.h"

#include <pybind11/stl.h>

namespace hydrolith::python {

namespace {

struct LiquidState {
  py::object owner;  // keeps `simulation`
  PySimulation* simulation;
  LiquidColumns columns() const { return simulation->at_rest().liquid(); }
};
struct BodiesState {
  py::object owner;
  PySimulation* simulation;
  RigidColumns columns() const { return simulation->at_rest().bodies(); }
};

void bind_liquid(py::module_& m) {
  py::class_<LiquidState>(
      m, "LiquidState", sealed(),
      "The liquid's particles now, in the engine's order, which may change with "
      "every step. Arrays are not copied, are read-only, and keep showing the "
      "time at which they were asked for.")
      .def_property_readonly(
          "position", [](const LiquidState& l) { return to_numpy(l.columns().position); },
          "n x 3 [m].")
      .def_property_readonly(
          "velocity", [](const LiquidState& l) { return to_numpy(l.columns().velocity); },
          "n x 3 [m/s].")
      .def_property_readonly(
          "volume", [](const LiquidState& l) { return to_numpy(l.columns().volume); },
          "At rest density [m^3].")
      .def_property_readonly(
          "pressure", [](const LiquidState& l) { return to_numpy(l.columns().pressure); }, "[Pa].")
      .def_property_readonly(
          "id", [](const LiquidState& l) { return to_numpy(l.columns().id); },
          "Number of every particle, stable over the run.")
      .def_property_readonly(
          "liquid", [](const LiquidState& l) { return to_numpy(l.columns().liquid); },
          "Index into Objects.liquids.")
      .def("__len__", [](const LiquidState& l) { return l.columns().id.size(); })
      .def("__repr__", [](const LiquidState& l) {
        return "<LiquidState of " + std::to_string(l.columns().id.size()) + " particles>";
      });
}

py::object orientation(const BodiesState& b) {
  const Column<Quat> q = b.columns().orientation;
  return to_numpy_wxyz(q.data(), q.size());
}

ForcesView forces(const BodiesState& b) {
  auto column = std::make_shared<Column<BodyForces>>(b.columns().forces);
  const BodyForces* first = column->size() == 0 ? nullptr : column->data();
  const auto n = static_cast<py::ssize_t>(column->size());
  return {std::move(column), first, n, sizeof(BodyForces)};
}

py::list names(const BodiesState& b) {
  py::list all;
  for (const BodyInfo& info : b.simulation->objects()->bodies) all.append(info.name);
  return all;
}

void bind_bodies(py::module_& m) {
  py::class_<BodiesState>(
      m, "BodiesState", sealed(),
      "All bodies now, in the order of Objects.bodies; arrays like those of the "
      "liquid. Static and kinematic bodies: of their shape's origin.")
      .def_property_readonly("name", &names, "A list of names.")
      .def_property_readonly(
          "position", [](const BodiesState& b) { return to_numpy(b.columns().position); },
          "n x 3 [m], centres of mass.")
      .def_property_readonly("orientation", &orientation,
                             "n x 4 unit quaternions w, x, y, z (a copy).")
      .def_property_readonly(
          "velocity", [](const BodiesState& b) { return to_numpy(b.columns().velocity); },
          "n x 3 [m/s].")
      .def_property_readonly(
          "angular_velocity",
          [](const BodiesState& b) { return to_numpy(b.columns().angular_velocity); },
          "n x 3 [rad/s], world frame.")
      .def_property_readonly(
          "mass", [](const BodiesState& b) { return to_numpy(b.columns().mass); },
          "[kg]; 0 unless dynamic.")
      .def_property_readonly("forces", &forces, "Forces of the last step by origin.")
      .def("__len__", [](const BodiesState& b) { return b.columns().mass.size(); })
      .def("__repr__", [](const BodiesState& b) {
        return "<BodiesState of " + std::to_string(b.columns().mass.size()) + " bodies>";
      });
}

std::optional<Vec3> to_point(const py::object& point) {
  if (point.is_none()) return std::nullopt;
  return to_vec3(point, "point");
}

}  // namespace

std::size_t to_body(PySimulation& s, const py::handle& from) {
  if (py::isinstance<BodyView>(from)) {
    const auto& body = from.cast<const BodyView&>();
    if (body.simulation != &s) throw py::value_error("this Body is one of another simulation");
    return body.index;
  }
  if (py::isinstance<py::str>(from)) return s.at_rest().body(from.cast<std::string>());
  const auto bodies = static_cast<py::ssize_t>(s.at_rest().objects().bodies.size());
  if (PyIndex_Check(from.ptr()) == 0)
    throw py::type_error("a body is given by name, index or Body, not " +
                         std::string(Py_TYPE(from.ptr())->tp_name));
  const py::ssize_t i = PyNumber_AsSsize_t(from.ptr(), PyExc_IndexError);
  if (i == -1 && PyErr_Occurred()) throw py::error_already_set();
  if (i < -bodies || i >= bodies)
    throw py::index_error("there is no body " + std::to_string(i) + "; the scene has " +
                          std::to_string(bodies));
  return static_cast<std::size_t>(i < 0 ? i + bodies : i);
}

void bind_state(py::module_& m) {
  bind_liquid(m);
  bind_bodies(m);
}

void bind_controls(py::class_<PySimulation>& type) {
  type.def_property_readonly(
          "liquid",
          [](const Self& self) {
            return LiquidState{self, &self.cast<PySimulation&>()};
          },
          "The liquid's particles now.")
      .def_property_readonly(
          "bodies",
          [](const Self& self) {
            return BodiesState{self, &self.cast<PySimulation&>()};
          },
          "All bodies now.")
      .def(
          "body",
          [](const Self& self, const AnyBody& body) {
            auto& s = self.cast<PySimulation&>();
            return BodyView{self, &s, to_body(s, body)};
          },
          py::arg("body"), "One body, by name or index.")
      .def(
          "set_body_pose",
          [](PySimulation& s, const AnyBody& body, const ThreeNumbers& position,
             const FourNumbers& orientation) {
            const std::size_t i = to_body(s, body);
            s.at_rest().set_body_pose(
                i, {to_vec3(position, "position"), to_quat(orientation, "orientation")});
          },
          py::arg("body"), py::arg("position"), py::arg("orientation"),
          "Puts a dynamic body elsewhere: centre of mass [m] and quaternion w, x, y, z. It keeps "
          "its "
          "velocities and forgets its contacts.")
      .def(
          "set_body_velocity",
          [](PySimulation& s, const AnyBody& body, const ThreeNumbers& velocity,
             const ThreeNumbers& angular_velocity) {
            const std::size_t i = to_body(s, body);
            s.at_rest().set_body_velocity(i, to_vec3(velocity, "velocity"),
                                          to_vec3(angular_velocity, "angular_velocity"));
          },
          py::arg("body"), py::arg("velocity"), py::arg("angular_velocity"),
          "Sets a dynamic body in motion: [m/s] of the centre of mass and [rad/s], world frame.")
      .def(
          "apply_force",
          [](PySimulation& s, const AnyBody& body, const ThreeNumbers& force,
             const MaybePoint& point) {
            const std::size_t i = to_body(s, body);
            s.at_rest().apply_force(i, to_vec3(force, "force"), to_point(point));
          },
          py::arg("body"), py::arg("force"), py::arg("point") = py::none(),
          "Adds a force [N] for the next step alone, at a point [m] of the world or at the centre "
          "of "
          "mass; part of the solve like the scene's loads.")
      .def(
          "apply_torque",
          [](PySimulation& s, const AnyBody& body, const ThreeNumbers& torque) {
            const std::size_t i = to_body(s, body);
            s.at_rest().apply_torque(i, to_vec3(torque, "torque"));
          },
          py::arg("body"), py::arg("torque"), "Adds a torque [N m] for the next step alone.");
}

}  // namespace hydrolith::python
