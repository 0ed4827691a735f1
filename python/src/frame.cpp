#include "arrays.h"
#include "bindings.h"

#include <pybind11/stl.h>

namespace hydrolith::python {

namespace {

/// Force or torque of every body: rows of three numbers, `stride` bytes apart.
struct WrenchView {
  ForcesView of;
  const Wrench* first = nullptr;
};

py::object rows(const WrenchView& w, const Vec3 Wrench::*part) {
  const double* data = w.first ? (w.first->*part).data() : nullptr;
  return to_numpy(w.of.owner, data, w.of.count, 3, w.of.stride);
}

WrenchView part_of(const ForcesView& f, const Wrench BodyForces::*part) {
  return {f, f.first ? &(f.first->*part) : nullptr};
}

py::object sum(const ForcesView& f, const Vec3 Wrench::*of) {
  py::object total = rows(part_of(f, &BodyForces::pressure), of);
  for (const auto part : {&BodyForces::viscosity, &BodyForces::contact, &BodyForces::friction})
    total = total + rows(part_of(f, part), of);
  return total;
}

void bind_forces(py::module_& m) {
  py::class_<WrenchView>(m, "Wrench", sealed(), "Force and torque of one origin on bodies.")
      .def_property_readonly(
          "force", [](const WrenchView& w) { return rows(w, &Wrench::force); },
          "[N], world frame; n x 3, or 3 of a single body.")
      .def_property_readonly(
          "torque", [](const WrenchView& w) { return rows(w, &Wrench::torque); },
          "[N m] about the centre of mass.")
      .def("__repr__", [](const WrenchView& w) {
        return "<Wrench force " + std::string(py::str(rows(w, &Wrench::force))) + " N, torque " +
               std::string(py::str(rows(w, &Wrench::torque))) + " N m>";
      });
  py::class_<ForcesView>(m, "BodyForces", sealed(),
                         "Forces of the last step on bodies by their origin; gravity and loads are "
                         "not among them.")
      .def_property_readonly(
          "pressure", [](const ForcesView& f) { return part_of(f, &BodyForces::pressure); },
          "Of the liquid's pressure.")
      .def_property_readonly(
          "viscosity", [](const ForcesView& f) { return part_of(f, &BodyForces::viscosity); },
          "Of the liquid's viscosity.")
      .def_property_readonly(
          "contact", [](const ForcesView& f) { return part_of(f, &BodyForces::contact); },
          "Of other bodies, along the normals.")
      .def_property_readonly(
          "friction", [](const ForcesView& f) { return part_of(f, &BodyForces::friction); },
          "Of other bodies, along their surfaces.")
      .def_property_readonly(
          "total_force", [](const ForcesView& f) { return sum(f, &Wrench::force); },
          "Sum of the four [N].")
      .def_property_readonly(
          "total_torque", [](const ForcesView& f) { return sum(f, &Wrench::torque); },
          "Sum of the four [N m].")
      .def("__repr__", [](const ForcesView& f) {
        std::string text = "<BodyForces";
        for (const auto& [name, part] : {std::pair{" pressure ", &BodyForces::pressure},
                                         {", viscosity ", &BodyForces::viscosity},
                                         {", contact ", &BodyForces::contact},
                                         {", friction ", &BodyForces::friction}})
          text += name + std::string(py::str(rows(part_of(f, part), &Wrench::force)));
        return text + " N>";
      });
}

using FramePtr = std::shared_ptr<Frame>;

py::dict fields(const LiquidView& view) {
  py::dict all;
  for (const Field& f : view.liquid->fields) {
    const auto n = static_cast<py::ssize_t>(f.values.size()) / f.components;
    const bool list = f.components == 1;
    all[py::str(f.name)] = to_numpy(std::shared_ptr<const void>(view.frame), f.values.data(), n,
                                    list ? 0 : f.components, 4 * f.components);
  }
  return all;
}

void bind_liquid(py::module_& m) {
  py::class_<LiquidView>(m, "LiquidFrame", sealed(), "The particles of one liquid at one time.")
      .def_property_readonly(
          "id",
          [](const LiquidView& v) {
            return to_numpy(std::shared_ptr<const void>(v.frame), v.liquid->id.data(),
                            static_cast<py::ssize_t>(v.liquid->id.size()), 0, 4);
          },
          "Number of every particle, stable over the run.")
      .def_property_readonly(
          "position",
          [](const LiquidView& v) {
            const auto& x = v.liquid->position;
            return to_numpy(std::shared_ptr<const void>(v.frame),
                            x.empty() ? nullptr : x.front().data(),
                            static_cast<py::ssize_t>(x.size()), 3, sizeof(Vec3f));
          },
          "n x 3 [m].")
      .def_property_readonly("fields", &fields,
                             "What output.fields asked for: \"velocity\", \"pressure\", ...")
      .def_property_readonly(
          "units",
          [](const LiquidView& v) {
            py::dict all;
            for (const Field& f : v.liquid->fields) all[py::str(f.name)] = f.unit;
            return all;
          },
          "Units of the fields.")
      .def("__len__", [](const LiquidView& v) { return v.liquid->id.size(); });
}

struct BodiesView {
  FramePtr frame;
};

/// A member of every body, n x 3.
template <class F>
py::object rows(const BodiesView& v, F&& member) {
  const auto& b = v.frame->bodies;
  const double* data = b.empty() ? nullptr : member(b.front()).data();
  return to_numpy(std::shared_ptr<const void>(v.frame), data, static_cast<py::ssize_t>(b.size()), 3,
                  sizeof(BodyFrame));
}

std::optional<ForcesView> forces(const BodiesView& v) {
  const auto& b = v.frame->bodies;
  for (const BodyFrame& body : b)
    if (!body.forces) return std::nullopt;
  return ForcesView{v.frame, b.empty() ? nullptr : &*b.front().forces,
                    static_cast<py::ssize_t>(b.size()), sizeof(BodyFrame)};
}

void bind_bodies(py::module_& m) {
  py::class_<BodiesView>(m, "BodiesFrame", sealed(),
                         "All bodies at one time, in the order of Objects.bodies.")
      .def_property_readonly(
          "position",
          [](const BodiesView& v) {
            return rows(
                v, [](const BodyFrame& b) -> auto& { return b.pose.position; });
          },
          "n x 3 [m], centres of mass.")
      .def_property_readonly(
          "orientation",
          [](const BodiesView& v) {
            const auto& b = v.frame->bodies;
            return to_numpy_wxyz(b.empty() ? nullptr : &b.front().pose.orientation, b.size(),
                                 sizeof(BodyFrame));
          },
          "n x 4 unit quaternions w, x, y, z (a copy).")
      .def_property_readonly(
          "velocity",
          [](const BodiesView& v) {
            return rows(
                v, [](const BodyFrame& b) -> auto& { return b.velocity; });
          },
          "n x 3 [m/s].")
      .def_property_readonly(
          "angular_velocity",
          [](const BodiesView& v) {
            return rows(
                v, [](const BodyFrame& b) -> auto& { return b.angular_velocity; });
          },
          "n x 3 [rad/s], world frame.")
      .def_property_readonly("forces", &forces,
                             "Forces of the last step by origin; None in frames that do not tell.")
      .def("__len__", [](const BodiesView& v) { return v.frame->bodies.size(); });
}

}  // namespace

void bind_frame(py::module_& m) {
  bind_forces(m);
  bind_liquid(m);
  bind_bodies(m);
  py::class_<Frame, FramePtr>(m, "Frame", sealed(), "Everything that moves, at one time.")
      .def_readonly("index", &Frame::index, "Number of the frame, from 0.")
      .def_readonly("step", &Frame::step, "Steps taken so far.")
      .def_readonly("time", &Frame::time, "[s]")
      .def_property_readonly(
          "liquids",
          [](const FramePtr& frame) {
            std::vector<LiquidView> all;
            for (const LiquidFrame& liquid : frame->liquids) all.push_back({frame, &liquid});
            return all;
          },
          "A list of LiquidFrame, one for every liquid.")
      .def_property_readonly(
          "bodies", [](const FramePtr& frame) { return BodiesView{frame}; }, "All bodies.")
      .def("__repr__", [](const Frame& f) {
        return "<Frame " + std::to_string(f.index) + ", t = " + std::to_string(f.time) + " s>";
      });
}

}  // namespace hydrolith::python
