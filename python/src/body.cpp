#include "arrays.h"
#include "simulation.h"

namespace hydrolith::python {

namespace {

BodyFrame state_of(const BodyView& b) { return b.simulation->at_rest().body_state(b.index); }
const BodyInfo& info_of(const BodyView& b) { return b.simulation->objects()->bodies[b.index]; }

void set_position(const BodyView& b, const ThreeNumbers& x) {
  Pose pose = state_of(b).pose;
  pose.position = to_vec3(x, "position");
  b.simulation->at_rest().set_body_pose(b.index, pose);
}

void set_orientation(const BodyView& b, const FourNumbers& q) {
  Pose pose = state_of(b).pose;
  pose.orientation = to_quat(q, "orientation");
  b.simulation->at_rest().set_body_pose(b.index, pose);
}

void set_velocity(const BodyView& b, const ThreeNumbers& v) {
  b.simulation->at_rest().set_body_velocity(b.index, to_vec3(v, "velocity"),
                                            state_of(b).angular_velocity);
}

void set_angular_velocity(const BodyView& b, const ThreeNumbers& omega) {
  b.simulation->at_rest().set_body_velocity(b.index, state_of(b).velocity,
                                            to_vec3(omega, "angular_velocity"));
}

ForcesView forces(const BodyView& b) {
  auto own = std::make_shared<BodyForces>(*state_of(b).forces);
  const BodyForces* first = own.get();
  return {std::move(own), first, -1, 0};
}

}  // namespace

void bind_body(py::module_& m) {
  py::class_<BodyView>(m, "Body", sealed(),
                       "One body of a simulation. What is read is a copy; what is set is checked, "
                       "and refused for static and kinematic bodies.")
      .def_property_readonly(
          "index", [](const BodyView& b) { return b.index; }, "Into Objects.bodies.")
      .def_property_readonly(
          "name", [](const BodyView& b) { return info_of(b).name; }, "Its name.")
      .def_property_readonly(
          "kind", [](const BodyView& b) { return std::string(name_of(info_of(b).kind)); },
          "\"dynamic\", \"static\" or \"kinematic\".")
      .def_property_readonly(
          "mass", [](const BodyView& b) { return info_of(b).mass; }, "[kg]; 0 unless dynamic.")
      .def_property(
          "position", [](const BodyView& b) { return to_numpy(state_of(b).pose.position); },
          &set_position, "Centre of mass [m].")
      .def_property(
          "orientation", [](const BodyView& b) { return to_numpy(state_of(b).pose.orientation); },
          &set_orientation, "Unit quaternion w, x, y, z: x_world = q x_body + position.")
      .def_property(
          "velocity", [](const BodyView& b) { return to_numpy(state_of(b).velocity); },
          &set_velocity, "Of the centre of mass [m/s].")
      .def_property(
          "angular_velocity",
          [](const BodyView& b) { return to_numpy(state_of(b).angular_velocity); },
          &set_angular_velocity, "[rad/s], world frame.")
      .def_property_readonly("forces", &forces, "Forces of the last step by origin.")
      .def(
          "to_world",
          [](const BodyView& b, const ThreeNumbers& x) {
            return to_numpy(Vec3(state_of(b).pose * to_vec3(x, "point")));
          },
          py::arg("point"), "A point of the body's frame in the world [m].")
      .def(
          "direction",
          [](const BodyView& b, const ThreeNumbers& v) {
            return to_numpy(Vec3(state_of(b).pose.orientation * to_vec3(v, "vector")));
          },
          py::arg("vector"), "A vector of the body's frame in the axes of the world.")
      .def(
          "apply_force",
          [](const BodyView& b, const ThreeNumbers& force, const MaybePoint& point) {
            std::optional<Vec3> at;
            if (!point.is_none()) at = to_vec3(point, "point");
            b.simulation->at_rest().apply_force(b.index, to_vec3(force, "force"), at);
          },
          py::arg("force"), py::arg("point") = py::none(),
          "Adds a force [N] for the next step alone, at a point [m] of the world or at the centre "
          "of "
          "mass.")
      .def(
          "apply_torque",
          [](const BodyView& b, const ThreeNumbers& torque) {
            b.simulation->at_rest().apply_torque(b.index, to_vec3(torque, "torque"));
          },
          py::arg("torque"), "Adds a torque [N m] for the next step alone.")
      .def("__repr__", [](const BodyView& b) { return "<Body " + info_of(b).name + ">"; });
}

}  // namespace hydrolith::python
