#include "app/metric_columns.h"

namespace hydrolith {

namespace {

/// One table for names and values, so that they cannot drift apart.
struct Column {
  const char* name;
  double (*value)(const StepReport&);
};

constexpr Column columns[] = {
    {"time", [](const StepReport& r) { return r.time; }},
    {"step", [](const StepReport& r) { return static_cast<double>(r.step); }},
    {"dt", [](const StepReport& r) { return r.dt; }},
    {"iterations", [](const StepReport& r) { return static_cast<double>(r.iterations); }},
    {"contact_iterations",
     [](const StepReport& r) { return static_cast<double>(r.contact_iterations); }},
    {"residual_mean", [](const StepReport& r) { return r.residual_mean; }},
    {"residual_max", [](const StepReport& r) { return r.residual_max; }},
    {"converged", [](const StepReport& r) { return r.converged ? 1.0 : 0.0; }},
    {"retries", [](const StepReport& r) { return static_cast<double>(r.retries); }},
    {"particles", [](const StepReport& r) { return static_cast<double>(r.particles); }},
    {"outside", [](const StepReport& r) { return static_cast<double>(r.outside); }},
    {"liquid_volume", [](const StepReport& r) { return r.liquid_volume; }},
    {"kinetic_energy", [](const StepReport& r) { return r.kinetic_energy; }},
    {"potential_energy", [](const StepReport& r) { return r.potential_energy; }},
    {"total_energy", [](const StepReport& r) { return r.kinetic_energy + r.potential_energy; }},
    {"momentum.x", [](const StepReport& r) { return r.momentum.x(); }},
    {"momentum.y", [](const StepReport& r) { return r.momentum.y(); }},
    {"momentum.z", [](const StepReport& r) { return r.momentum.z(); }},
    {"angular_momentum.x", [](const StepReport& r) { return r.angular_momentum.x(); }},
    {"angular_momentum.y", [](const StepReport& r) { return r.angular_momentum.y(); }},
    {"angular_momentum.z", [](const StepReport& r) { return r.angular_momentum.z(); }},
    {"volume_error", [](const StepReport& r) { return r.volume_error; }},
    {"overlap", [](const StepReport& r) { return r.overlap; }},
    {"void_volume", [](const StepReport& r) { return r.void_volume; }},
    {"void_fraction", [](const StepReport& r) { return r.void_fraction; }},
    {"film_area", [](const StepReport& r) { return r.film_area; }},
    {"film_volume", [](const StepReport& r) { return r.film_volume; }},
    {"film_force", [](const StepReport& r) { return r.film_force; }},
    {"max_speed", [](const StepReport& r) { return r.max_speed; }},
    {"viscosity_share", [](const StepReport& r) { return r.viscosity_share; }},
    {"viscosity_iterations",
     [](const StepReport& r) { return static_cast<double>(r.viscosity_iterations); }},
    {"put_back", [](const StepReport& r) { return static_cast<double>(r.put_back); }},
    {"mended_cells", [](const StepReport& r) { return static_cast<double>(r.mended_cells); }},
};

}  // namespace

std::vector<std::string> step_columns() {
  std::vector<std::string> names;
  for (const Column& c : columns) names.emplace_back(c.name);
  return names;
}

void append_step_values(const StepReport& report, std::vector<double>& values) {
  for (const Column& c : columns) values.push_back(c.value(report));
}

}  // namespace hydrolith
