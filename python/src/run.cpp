#include "pickling.h"
#include "simulation.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <atomic>

namespace hydrolith::python {

namespace {

void require_callable(const py::object& f, const char* name, const char* of) {
  if (!f.is_none() && PyCallable_Check(f.ptr()) == 0)
    throw py::type_error(std::string(name) + ": a function of " + of + " is wanted, or None");
}

/// What Python wants of a run while it goes on without the GIL.
class Listener {
 public:
  Listener(const py::object& on_step, const py::object& progress, const py::object& stop)
      : on_step_(on_step), progress_(progress), asked_to_stop_(stop) {
    require_callable(on_step, "on_step", "the simulation");
    require_callable(progress, "progress", "a Progress");
    require_callable(stop, "stop", "nothing that returns whether to stop");
  }
  /// The simulation has gone: whoever still holds it is told so.
  ~Listener() {
    if (simulation_) simulation_->simulation = nullptr;
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Sets what a run or its resumption calls.
  void listen(RunCallbacks& callbacks) {
    callbacks.stop = &stop_;
    callbacks.progress = [this](const Progress& p) { after_step(p); };
    if (!on_step_.is_none()) callbacks.on_step = [this](Simulation& s) { before_step(s); };
  }

  /// Ctrl-C, once the run has ended in order.
  void raise_interrupt() const {
    if (!interrupted_) return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }

 private:
  void before_step(Simulation& s) {
    const py::gil_scoped_acquire gil;
    if (!simulation_) {
      auto made = std::make_unique<PySimulation>();
      simulation_ = made.get();
      simulation_->simulation = &s;
      self_ = py::cast(std::move(made));
    }
    try {
      call_on_step(*simulation_, self_, on_step_);
    } catch (py::error_already_set& raised) {
      note_interrupt(raised);
      throw;  // the step is not taken
    }
  }

  void after_step(const Progress& p) {
    const py::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress_.is_none()) progress_(p);
      if (!asked_to_stop_.is_none() && py::bool_(asked_to_stop_())) stop_ = true;
    } catch (py::error_already_set& raised) {
      if (!note_interrupt(raised)) throw;
    }
  }

  /// Ctrl-C stops the run and is raised after it; whether it was that.
  bool note_interrupt(const py::error_already_set& raised) {
    if (!raised.matches(PyExc_KeyboardInterrupt)) return false;
    stop_ = interrupted_ = true;
    return true;
  }

  py::object on_step_, progress_, asked_to_stop_;
  py::object self_;                     // the simulation as callbacks see it ...
  PySimulation* simulation_ = nullptr;  // ... and what it holds
  std::atomic<bool> stop_ = false;
  bool interrupted_ = false;
};

RunResult run_scene(const AnyScene& scene, const std::filesystem::path& folder,
                    const MaybeFunction& on_step, const MaybeFunction& progress,
                    const MaybeFunction& stop) {
  const SceneFile file = to_scene(scene);
  Listener listener(on_step, progress, stop);
  RunOptions options;
  options.folder = folder;
  listener.listen(options);
  RunResult result;
  {
    const py::gil_scoped_release release;
    result = hydrolith::run(file, options);
  }
  listener.raise_interrupt();
  return result;
}

RunResult resume_run(const std::filesystem::path& folder, const std::vector<std::string>& overrides,
                     const MaybeFunction& tell, const MaybeFunction& on_step,
                     const MaybeFunction& progress, const MaybeFunction& stop, bool anew) {
  require_callable(tell, "tell", "a text");
  Listener listener(on_step, progress, stop);
  ResumeOptions options;
  options.folder = folder;
  options.overrides = overrides;
  options.anew = anew;
  if (!tell.is_none())
    options.tell = [&](const std::string& news) {
      const py::gil_scoped_acquire gil;
      tell(news);
    };
  listener.listen(options);
  RunResult result;
  {
    const py::gil_scoped_release release;
    result = hydrolith::resume(options);
  }
  listener.raise_interrupt();
  return result;
}

void bind_results(py::module_& m) {
  py::class_<Progress>(m, "Progress", sealed(), "How far a run has come.")
      .def_readonly("step", &Progress::step, "The StepReport of the last step.")
      .def_readonly("duration", &Progress::duration, "Simulated time in all [s].")
      .def_readonly("wall", &Progress::wall, "Since the start of the run [s].")
      .def_readonly("particles_per_second", &Progress::particles_per_second,
                    "Liquid and body particles times steps, per second of wall time.")
      .def_readonly("frames", &Progress::frames, "Frames so far.");
  py::class_<Verdict> verdict(m, "Verdict", sealed(), "One expectation of the scene, checked.");
  pickle_as(m, verdict, "_verdict", &Verdict::text, &Verdict::passed);
  verdict.def_readonly("text", &Verdict::text, "What was expected and found.")
      .def_readonly("passed", &Verdict::passed, "Whether it holds.")
      .def("__repr__", [](const Verdict& v) {
        return std::string(v.passed ? "<Verdict pass " : "<Verdict FAIL ") + v.text + ">";
      });
  py::class_<RunResult> result(m, "RunResult", sealed(), "How a run ended.");
  pickle_as(m, result, "_run_result", &RunResult::state, &RunResult::steps, &RunResult::frames,
            &RunResult::time, &RunResult::wall, &RunResult::unconverged_steps, &RunResult::verdicts,
            &RunResult::warnings);
  result
      .def_property_readonly(
          "finished", [](const RunResult& r) { return r.state == RunState::finished; },
          "False: it was stopped.")
      .def_readonly("steps", &RunResult::steps, "Steps taken.")
      .def_readonly("frames", &RunResult::frames, "Frames written.")
      .def_readonly("time", &RunResult::time, "Simulated [s].")
      .def_readonly("wall", &RunResult::wall, "[s]")
      .def_readonly("unconverged_steps", &RunResult::unconverged_steps,
                    "That reached the maximum number of iterations.")
      .def_property_readonly(
          "warnings", [](const RunResult& r) { return r.warnings; },
          "Compressed or leaked liquid and the like, with what to do.")
      .def_property_readonly(
          "verdicts", [](const RunResult& r) { return r.verdicts; },
          "Of the scene's `expect`; only when finished.")
      .def("__repr__", [](const RunResult& r) {
        return std::string("<RunResult ") +
               (r.state == RunState::finished ? "finished" : "stopped") +
               ", t = " + std::to_string(r.time) + " s>";
      });
}

}  // namespace

void bind_run(py::module_& m) {
  bind_results(m);
  m.def("run", &run_scene, py::arg("scene"), py::arg("folder"), py::kw_only(),
        py::arg("on_step") = py::none(), py::arg("progress") = py::none(),
        py::arg("stop") = py::none(),
        "Simulates a scene (a SceneFile, a dict or the path of a YAML file) and writes the run's "
        "folder. on_step(simulation) is called before every step and progress(Progress) after it; "
        "the run ends in order when stop() is true or at Ctrl-C. What is finished stays on disk "
        "whatever happens. Raises SceneError, IoError or SimulationError.");
  m.def(
      "resume", &resume_run, py::arg("folder"), py::arg("overrides") = std::vector<std::string>{},
      py::kw_only(), py::arg("tell") = py::none(), py::arg("on_step") = py::none(),
      py::arg("progress") = py::none(), py::arg("stop") = py::none(), py::arg("anew") = false,
      "Goes on from the newest whole checkpoint of a run, bit for bit as if it had never stopped "
      "(docs/restart.md); give it the on_step of the run. overrides may change duration, output "
      "or tolerance; tell(text) hears where it goes on, of damaged files and of changes. anew: if "
      "all checkpoints are lost, begin from the start and make all frames again.");
}

}  // namespace hydrolith::python
