// CSV: bodies/NAME.csv, a row a frame; probes.csv, a row a step, from the run's metrics.

#include "hydrolith/error.h"

#include "exports/formats.h"
#include "output/files.h"
#include "output/metrics.h"
#include "output/run_folder.h"
#include "output/run_names.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

struct Origin {
  const char* name;
  Wrench BodyForces::*wrench;
};
constexpr Origin origins[] = {{"pressure", &BodyForces::pressure},
                              {"viscosity", &BodyForces::viscosity},
                              {"contact", &BodyForces::contact},
                              {"friction", &BodyForces::friction}};

std::string vector_names(const std::string& name) {
  return fmt::format(",{0}.x,{0}.y,{0}.z", name);
}

std::string header() {
  std::string names = "frame,step,time" + vector_names("position") + ",orientation.w" +
                      vector_names("orientation") + vector_names("velocity") +
                      vector_names("angular_velocity") + vector_names("force") +
                      vector_names("torque");
  for (const Origin& origin : origins)
    names += vector_names(fmt::format("{}_force", origin.name)) +
             vector_names(fmt::format("{}_torque", origin.name));
  return names + "\n";
}

void append_vector(std::string& row, const Vec3& v) {
  fmt::format_to(std::back_inserter(row), ",{},{},{}", v.x(), v.y(), v.z());
}

const Wrench unknown{Vec3::Constant(std::numeric_limits<double>::quiet_NaN()),
                     Vec3::Constant(std::numeric_limits<double>::quiet_NaN())};

/// Empty where it is not known.
void append_wrench(std::string& row, const Wrench& w) {
  if (!w.force.allFinite()) {
    row += ",,,,,,";
    return;
  }
  append_vector(row, w.force);
  append_vector(row, w.torque);
}

std::string row_of(const Frame& frame, const BodyFrame& body) {
  std::string row = fmt::format("{},{},{}", frame.index, frame.step, frame.time);
  append_vector(row, body.pose.position);
  const Quat& q = body.pose.orientation;
  fmt::format_to(std::back_inserter(row), ",{}", q.w());
  append_vector(row, q.vec());
  append_vector(row, body.velocity);
  append_vector(row, body.angular_velocity);
  Wrench sum;
  std::string parts;
  for (const Origin& origin : origins) {
    const Wrench wrench = body.forces ? (*body.forces).*origin.wrench : unknown;
    append_wrench(parts, wrench);
    sum.force += wrench.force;
    sum.torque += wrench.torque;
  }
  append_wrench(row, sum);
  row += parts;
  return row + "\n";
}

/// Probes' columns are named PROBE.quantity; so is the momentum, which is no probe.
bool of_probe(const std::string& column) {
  if (column.find('.') == std::string::npos) return false;
  for (const char* sum : {"momentum", "angular_momentum"})
    for (const char* axis : {"x", "y", "z"})
      if (column == fmt::format("{}.{}", sum, axis)) return false;
  return true;
}

/// Time, step and the columns of probes; empty if the run has none.
std::string probes_csv(const MetricsTable& table) {
  std::vector<std::size_t> chosen;
  bool any = false;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool probe = of_probe(table.columns[c]);
    any = any || probe;
    if (probe || table.columns[c] == "time" || table.columns[c] == "step") chosen.push_back(c);
  }
  if (!any) return {};
  std::string out;
  const auto append = [&](const auto& cell_of) {
    for (std::size_t k = 0; k < chosen.size(); ++k) out += (k ? "," : "") + cell_of(chosen[k]);
    out += "\n";
  };
  append([&](std::size_t c) { return csv_cell(table.columns[c]); });
  for (const std::vector<double>& row : table.rows)
    append([&](std::size_t c) {
      return std::isnan(row[c]) ? std::string() : fmt::format("{}", row[c]);
    });
  return out;
}

class CsvExporter final : public RunExporter {
 public:
  CsvExporter(const Objects& objects, const ExportSettings& settings)
      : folder_(settings.folder), metrics_(settings.run / "metrics.csv") {
    std::vector<std::string> bodies;
    for (const BodyInfo& body : objects.bodies) bodies.push_back(body.name);
    names_ = file_names(bodies, {});
    tables_.assign(names_.size(), header());
    make_folder(folder_);
  }

  void write(const Frame& frame) override {
    for (std::size_t b = 0; b < tables_.size(); ++b) tables_[b] += row_of(frame, frame.bodies[b]);
  }

  void finish() override {
    if (!tables_.empty()) make_folder(folder_ / "bodies");
    for (std::size_t b = 0; b < tables_.size(); ++b)
      write_file_atomically(folder_ / "bodies" / (names_[b] + ".csv"), tables_[b]);
    const std::string probes = fs::exists(metrics_) ? probes_csv(read_metrics(metrics_)) : "";
    if (!probes.empty()) write_file_atomically(folder_ / "probes.csv", probes);
    if (tables_.empty() && probes.empty())
      throw Error("csv: the run has neither bodies nor probes; its metrics are in metrics.csv");
  }

 private:
  const fs::path folder_, metrics_;
  std::vector<std::string> names_, tables_;  // of the bodies
};

}  // namespace

std::unique_ptr<RunExporter> make_csv_exporter(const Objects& objects,
                                               const ExportSettings& settings) {
  return std::make_unique<CsvExporter>(objects, settings);
}

}  // namespace hydrolith
