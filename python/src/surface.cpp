#include "arrays.h"
#include "bindings.h"
#include "surface/liquid_surface.h"

namespace hydrolith::python {

namespace {

using SurfacePtr = std::shared_ptr<LiquidSurface>;

py::object rows(const SurfacePtr& surface, const std::vector<Vec3f>& v) {
  return to_numpy(surface, v.empty() ? nullptr : v.front().data(),
                  static_cast<py::ssize_t>(v.size()), 3, sizeof(Vec3f));
}

SurfacePtr find_surface(const LiquidView& liquid, const Objects& objects, double cell,
                        double radius, double smoothing) {
  const py::gil_scoped_release release;
  return std::make_shared<LiquidSurface>(
      liquid_surface(*liquid.liquid, objects.spacing, objects.dimensions,
                     {.cell = cell, .radius = radius, .smoothing = smoothing}));
}

}  // namespace

void bind_surface(py::module_& m) {
  py::class_<LiquidSurface, SurfacePtr>(m, "LiquidSurface", sealed(),
                                        "The surface of a liquid: a closed mesh in the world.")
      .def_property_readonly(
          "mesh",
          [](const SurfacePtr& s) {
            return MeshView{s, &s->mesh};
          },
          "Its triangles.")
      .def_property_readonly(
          "normal", [](const SurfacePtr& s) { return rows(s, s->normal); },
          "n x 3 unit vectors out of the liquid, one a vertex.")
      .def_property_readonly(
          "velocity",
          [](const SurfacePtr& s) -> py::object {
            if (s->velocity.size() != s->mesh.vertices.size()) return py::none();
            return rows(s, s->velocity);
          },
          "n x 3 [m/s], one a vertex; None if the frame has no field \"velocity\".")
      .def_property_readonly(
          "volume", [](const LiquidSurface& s) { return enclosed_volume(s.mesh); },
          "Inside the mesh [m^3].")
      .def_readonly("left_out", &LiquidSurface::left_out,
                    "Particles that are not finite, or farther than 10^6 spacings away.");
  m.def("liquid_surface", &find_surface, py::arg("liquid"), py::arg("objects"), py::kw_only(),
        py::arg("cell") = SurfaceOptions().cell, py::arg("radius") = SurfaceOptions().radius,
        py::arg("smoothing") = SurfaceOptions().smoothing,
        "The surface of one liquid of a frame (frame.liquids[k]); `objects` are those of its run "
        "or simulation. In particle spacings: cell, the edge of a cell of the grid (0.25 to 1), "
        "radius, the reach of a particle (1.5 to 4), smoothing, the size of bumps that are "
        "smoothed away (0 to 5).");
}

}  // namespace hydrolith::python
