#include "simulation.h"

#include "arrays.h"
#include "pickling.h"
#include "state.h"

#include <pybind11/stl.h>

#include <cmath>

namespace hydrolith::python {

Simulation& PySimulation::at_rest() const {
  if (!simulation)
    throw Error("this simulation ended with the run that made it; read the run's folder with Run");
  if (activity == Activity::busy ||
      (activity == Activity::in_on_step && worker != std::this_thread::get_id()))
    throw Error("the simulation is at work in another thread; wait until its step is over");
  return *simulation;
}

std::shared_ptr<Objects> PySimulation::objects() {
  if (!objects_) objects_ = std::make_shared<Objects>(at_rest().objects());
  return objects_;
}

void call_on_step(PySimulation& s, const py::object& self, const py::object& callback) {
  const py::gil_scoped_acquire gil;
  struct Inside {
    PySimulation& s;
    ~Inside() { s.activity = PySimulation::Activity::busy; }
  } const inside{s};
  s.worker = std::this_thread::get_id();
  s.activity = PySimulation::Activity::in_on_step;
  callback(self);
}

void require_idle(const PySimulation& s) {
  if (s.activity == PySimulation::Activity::in_on_step)
    throw Error("on_step is called before a step; it cannot take one itself");
}

namespace {

std::unique_ptr<PySimulation> build(const AnyScene& scene) {
  const SceneFile file = to_scene(scene);
  auto made = std::make_unique<PySimulation>();
  {
    const py::gil_scoped_release release;
    made->own = std::make_unique<Simulation>(file);
  }
  made->simulation = made->own.get();
  return made;
}

StepReport step(const Self& self) {
  auto& s = self.cast<PySimulation&>();
  require_idle(s);
  const Claim claim(s);
  const py::gil_scoped_release release;
  return s.simulation->step();
}

/// Like Simulation::step_until, with an ear for Ctrl-C after every step.
std::int64_t step_until(const Self& self, double time) {
  auto& s = self.cast<PySimulation&>();
  require_idle(s);
  if (!std::isfinite(time)) throw py::value_error("step_until: a finite time is wanted");
  const Claim claim(s);
  const py::gil_scoped_release release;
  std::int64_t steps = 0;
  for (; !s.simulation->reached(time); ++steps) {
    s.simulation->step();
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return steps;
}

void prepare(PySimulation& s) {
  require_idle(s);
  const Claim claim(s);
  const py::gil_scoped_release release;
  s.simulation->prepare();
}

std::shared_ptr<Frame> frame(PySimulation& s) {
  const Claim claim(s);
  const py::gil_scoped_release release;
  return std::make_shared<Frame>(s.simulation->frame());
}

py::object set_on_step(const Self& self, const MaybeFunction& callback) {
  auto& s = self.cast<PySimulation&>();
  if (!callback.is_none() && PyCallable_Check(callback.ptr()) == 0)
    throw py::type_error("on_step: a function of the simulation is wanted, or None");
  if (callback.is_none()) {
    s.at_rest().on_step({});
    s.on_step = {};
  } else {
    // Plain pointers: the cycle through the callback is seen by Python's garbage collector alone.
    s.at_rest().on_step([&s, me = self.ptr()](Simulation&) {
      const py::gil_scoped_acquire gil;
      call_on_step(s, py::reinterpret_borrow<py::object>(me), py::object(s.on_step));
    });
    s.on_step = callback;
  }
  return callback;
}

py::dict metrics(PySimulation& s) {
  const Simulation& simulation = s.at_rest();
  py::dict all;
  for (std::size_t i = 0; i < simulation.metrics().size(); ++i)
    all[py::str(simulation.metric_names()[i])] = simulation.metrics()[i];
  return all;
}

/// Python's garbage collector must see the callback, which mostly holds the simulation itself.
void make_collectable(PyHeapTypeObject* heap) {
  PyTypeObject& type = heap->ht_type;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (is_built(self)) Py_VISIT(py::handle(self).cast<PySimulation&>().on_step.ptr());
    return 0;
  };
  type.tp_clear = [](PyObject* self) {
    if (is_built(self)) py::handle(self).cast<PySimulation&>().on_step = py::none();
    return 0;
  };
}

void bind_step_report(py::module_& m) {
  py::class_<StepReport> report(m, "StepReport", sealed(), "What one step did.");
  pickle_as(m, report, "_step_report", &StepReport::step, &StepReport::time, &StepReport::dt,
            &StepReport::iterations, &StepReport::residual_mean, &StepReport::residual_max,
            &StepReport::converged, &StepReport::retries, &StepReport::particles,
            &StepReport::liquid_volume, &StepReport::kinetic_energy, &StepReport::potential_energy,
            &StepReport::momentum, &StepReport::angular_momentum, &StepReport::volume_error,
            &StepReport::overlap, &StepReport::void_volume, &StepReport::void_fraction,
            &StepReport::max_speed, &StepReport::viscosity_share, &StepReport::contact_iterations,
            &StepReport::outside, &StepReport::put_back, &StepReport::mended_cells,
            &StepReport::viscosity_iterations, &StepReport::film_area, &StepReport::film_volume,
            &StepReport::film_force);
  report.def_readonly("step", &StepReport::step, "Number of the step, from 1.")
      .def_readonly("time", &StepReport::time, "At the end of the step [s].")
      .def_readonly("dt", &StepReport::dt, "[s]")
      .def_readonly("iterations", &StepReport::iterations, "Of the solver.")
      .def_readonly("contact_iterations", &StepReport::contact_iterations,
                    "Of contacts that are solved by themselves (weak coupling).")
      .def_readonly("residual_mean", &StepReport::residual_mean, "In the solver's own measure.")
      .def_readonly("residual_max", &StepReport::residual_max, "The same, the largest.")
      .def_readonly("converged", &StepReport::converged,
                    "False: the maximum number of iterations was reached.")
      .def_readonly("retries", &StepReport::retries, "Times it was taken back and halved.")
      .def_readonly("particles", &StepReport::particles, "Liquid particles at the end.")
      .def_readonly("outside", &StepReport::outside,
                    "Of them, that have left the box around all static bodies.")
      .def_readonly("liquid_volume", &StepReport::liquid_volume, "At rest density [m^3].")
      .def_readonly("kinetic_energy", &StepReport::kinetic_energy, "[J]")
      .def_readonly("potential_energy", &StepReport::potential_energy, "[J]")
      .def_property_readonly(
          "momentum", [](const StepReport& r) { return to_numpy(r.momentum); }, "[kg m/s]")
      .def_property_readonly(
          "angular_momentum", [](const StepReport& r) { return to_numpy(r.angular_momentum); },
          "About the origin [kg m^2/s].")
      .def_readonly("volume_error", &StepReport::volume_error, "Mean compression of the liquid.")
      .def_readonly("overlap", &StepReport::overlap, "Deepest overlap of bodies [m].")
      .def_readonly("void_volume", &StepReport::void_volume,
                    "Liquid missing around dynamic bodies [m^3].")
      .def_readonly("void_fraction", &StepReport::void_fraction,
                    "The same, of the shell around them that is wet.")
      .def_readonly("film_area", &StepReport::film_area,
                    "Of dynamic bodies, wetted by liquid too thin for the engine [m^2].")
      .def_readonly("film_volume", &StepReport::film_volume,
                    "Of that liquid, which is not among the particles [m^3].")
      .def_readonly("film_force", &StepReport::film_force,
                    "Of that liquid on them, the sum of magnitudes [N].")
      .def_readonly("max_speed", &StepReport::max_speed, "[m/s]")
      .def_readonly("viscosity_share", &StepReport::viscosity_share,
                    "Of the thickest liquid's viscosity that was applied.")
      .def_readonly("viscosity_iterations", &StepReport::viscosity_iterations,
                    "Of the viscous solve (volumes: cells).")
      .def_readonly("put_back", &StepReport::put_back,
                    "Particles that ended in a solid and were put back (volumes: cells).")
      .def_readonly("mended_cells", &StepReport::mended_cells,
                    "Cells whose cut by a solid did not close (volumes: cells).")
      .def("__repr__", [](const StepReport& r) {
        return "<StepReport " + std::to_string(r.step) + ", t = " + std::to_string(r.time) + " s>";
      });
}

void bind_size(py::module_& m) {
  py::class_<SceneSize> size(m, "SceneSize", sealed(), "What a scene amounts to.");
  pickle_as(m, size, "_scene_size", &SceneSize::liquid_particles, &SceneSize::body_particles,
            &SceneSize::emitted_particles, &SceneSize::bodies, &SceneSize::dynamic_bodies,
            &SceneSize::distinct_shapes, &SceneSize::liquid_volume, &SceneSize::body_mass,
            &SceneSize::memory, &SceneSize::time_step);
  size.def_readonly("liquid_particles", &SceneSize::liquid_particles, "Now.")
      .def_readonly("body_particles", &SceneSize::body_particles, "Samples of all bodies.")
      .def_readonly("emitted_particles", &SceneSize::emitted_particles,
                    "That emitters will add over the run.")
      .def_readonly("bodies", &SceneSize::bodies, "All of them.")
      .def_readonly("dynamic_bodies", &SceneSize::dynamic_bodies, "That move by what acts on them.")
      .def_readonly("distinct_shapes", &SceneSize::distinct_shapes, "Of bodies.")
      .def_readonly("liquid_volume", &SceneSize::liquid_volume, "[m^3]")
      .def_readonly("body_mass", &SceneSize::body_mass, "Of dynamic bodies [kg].")
      .def_readonly("memory", &SceneSize::memory, "[bytes]")
      .def_readonly("time_step", &SceneSize::time_step, "Of the next step [s].");
}

}  // namespace

void bind_simulation(py::module_& m) {
  bind_step_report(m);
  bind_size(m);
  bind_state(m);
  py::class_<PySimulation> type(
      m, "Simulation", py::custom_type_setup(&make_collectable),
      "A simulation in memory. `scene`: a SceneFile, a dict or the path of a YAML file.");
  bind_body(m);
  type.def(py::init(&build), py::arg("scene"))
      .def("prepare", &prepare,
           "Lets the liquid settle as the scene asks; the first step does so if nobody has.")
      .def("step", &step, "Takes one step. Raises SimulationError when it cannot go on.")
      .def("step_until", &step_until, py::arg("time"),
           "Takes steps until a time [s] is reached, which may be later than the scene's duration; "
           "steps are not cut to meet it, so it may be passed by less than one. How many were "
           "taken.")
      .def("on_step", &set_on_step, py::arg("callback"),
           "Calls callback(simulation) before every step; there the state may be read, set and "
           "pushed. None ends that. Returns the callback, so it can be used as a decorator.")
      .def_property_readonly(
          "time", [](const PySimulation& s) { return s.at_rest().time(); }, "[s]")
      .def_property_readonly(
          "time_step", [](const PySimulation& s) { return s.at_rest().time_step(); },
          "Of the next step, as things are [s]; a step may be halved.")
      .def_property_readonly(
          "finished", [](const PySimulation& s) { return s.at_rest().finished(); },
          "Whether the scene's duration is reached.")
      .def_property_readonly(
          "steps", [](const PySimulation& s) { return s.at_rest().steps(); }, "Taken so far.")
      .def_property_readonly(
          "scene", [](const PySimulation& s) { return s.at_rest().scene(); },
          "The SceneFile it was made of.")
      .def_property_readonly("objects", &PySimulation::objects, "What never changes.")
      .def("frame", &frame, "A copy of everything that moves, with the fields of output.fields.")
      .def(
          "size", [](const PySimulation& s) { return s.at_rest().size(); },
          "What the scene amounts to.")
      .def_property_readonly(
          "notes", [](const PySimulation& s) { return s.at_rest().notes(); },
          "What the log should say: repaired meshes, parts of the scene without effect.")
      .def_property_readonly(
          "metric_names", [](const PySimulation& s) { return s.at_rest().metric_names(); },
          "Columns of metrics.csv.")
      .def_property_readonly("metrics", &metrics, "Their values after the last step, as a dict.");
  type.def("__repr__", [](PySimulation& s) -> std::string {
    if (!s.simulation) return "<Simulation that ended with its run>";
    if (s.activity == PySimulation::Activity::busy) return "<Simulation at work>";
    return "<Simulation " + s.simulation->scene().name() +
           ", t = " + std::to_string(s.simulation->time()) + " s>";
  });
  type.def("__reduce__", [](const PySimulation&) -> py::object {
    throw py::type_error(
        "a Simulation cannot be pickled or copied; send its scene and its checkpoint(), and "
        "restore() them there");
  });
  bind_checkpoint(m, type);
  bind_controls(type);
}

}  // namespace hydrolith::python
