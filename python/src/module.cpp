#include "arrays.h"
#include "bindings.h"
#include "core/parallel.h"

namespace hydrolith::python {

PYBIND11_MODULE(_hydrolith, m) {
  m.doc() = "The compiled part of hydrolith.";
  const py::object own_name = m.attr("__name__");
  m.attr("__name__") = "hydrolith";  // classes and signatures go by the name that people import
  bind_arrays(m);
  bind_errors(m);
  bind_scene(m);
  bind_objects(m);
  bind_frame(m);
  bind_surface(m);
  bind_simulation(m);
  bind_run(m);
  bind_recorder(m);
  bind_run_reader(m);
  m.def(
      "version", [] { return std::string(version()); },
      "The version of Hydrolith, e.g. \"0.1.0\".");
  m.def("instruction_set", &instruction_set, "The code path this processor gets.");
  m.def(
      "set_threads",
      [](int count) {
        if (count < 0) throw py::value_error("set_threads: 0 (all cores) or more are wanted");
        set_threads(count);
      },
      py::arg("count"),
      "Threads that all simulations together use from now on; 0 = all cores. Results do not depend "
      "on it.");
  m.def("threads", &threads, "Threads in use.");
  m.attr("__name__") = own_name;
}

}  // namespace hydrolith::python
