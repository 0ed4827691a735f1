#pragma once
// `hydrolith compare`: variants of one scene side by side, judged by stated criteria, and the
// largest time step that each of them bears. docs/compare.md.

#include "hydrolith/simulation.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hydrolith {

/// `--vary PATH=A,B,C`: the values that a key of the scene takes.
struct Variation {
  std::string path;
  std::vector<std::string> values;
};
/// Commas inside brackets, braces and quotes belong to a value. Throws Error.
Variation parse_variation(std::string_view text);

/// One value of every variation, in all combinations; the last variation changes fastest.
std::vector<std::vector<std::string>> combinations(const std::vector<Variation>& variations);

/// What a run must not exceed to be called stable. Empty: the scene's default, see `limits_of`.
struct Criteria {
  double max_void = 0.2;                  // [-] void_fraction
  std::optional<double> max_speed;        // [m/s]
  std::optional<double> max_energy_gain;  // [-] of mobile mass x g x height
  double max_overlap = 0.5;               // [spacings] of bodies
  bool allow_retries = false;             // a step may be taken back and halved
};

/// The criteria in the numbers of one scene.
struct Limits {
  double max_void = 1;                    // [-]
  double max_speed = 0;                   // [m/s]
  std::optional<double> max_energy_gain;  // [-]; none: not judged
  double max_overlap = 0;                 // [spacings]
  bool allow_retries = false;
  double energy_scale = 0;  // [J] that a gain of 1 is
  double spacing = 1;       // [m]
};
/// Default speed: 3 (v0 + sqrt(2 g H)), v0 the largest that the scene itself asks for (initial
/// speeds, emitters, prescribed motion), H the height of what is in it. Default gain of energy:
/// 0.05 of M g H, M being all mobile mass; not judged where energy comes from outside (emitters,
/// outlets, loads, kinematic bodies).
Limits limits_of(const Criteria& criteria, const Scene& scene, const Simulation& at_start);

/// Why a state is not stable, "" if it is. `energy_gain` [-]: of the total energy since t = 0.
std::string fault_of(const Limits& limits, const StepReport& report, double energy_gain);

enum class Outcome { stable, unstable, refused, interrupted };
std::string_view name_of(Outcome outcome);

/// One run of one variant.
struct VariantRun {
  Outcome outcome = Outcome::stable;
  std::string reason;    // why it is unstable or refused
  double time = 0;       // [s] simulated; of an unstable run: when it was found so
  double processor = 0;  // [s] of all threads, in steps alone
  std::int64_t steps = 0, iterations = 0;
  int most_iterations = 0, unconverged = 0, retries = 0;
  double volume_error_sum = 0, volume_error_max = 0;  // [-]
  double void_max = 0, overlap_max = 0;               // [-], [spacings]
  double speed_max = 0;                               // [m/s]
  std::optional<double> energy_gain;                  // [-] largest; none: no scale to measure by
  std::optional<Limits> limits;                       // that it was judged by
  std::vector<Verdict> verdicts;                      // of `expect`, of a run to the end
  std::vector<std::string> notes;
  std::vector<std::string> columns;  // of metrics.csv
  std::vector<std::vector<double>> rows;

  double processor_per_second() const { return time > 0 ? processor / time : 0; }
};

struct CompareOptions {
  std::filesystem::path scene;
  std::vector<std::string> overrides;  // path=value, for all variants
  std::vector<Variation> variations;
  Criteria criteria;
  struct Search {
    double min = 1e-5, max = 2e-2;  // [s]
    double factor = 1.41421356237;  // [-] between steps
  };
  std::optional<Search> search;                                    // for the largest stable step
  const std::atomic<bool>* stop = nullptr;                         // set: finish with what is there
  std::function<void(const std::string&, double share)> progress;  // after every step
};

/// Runs a variant in memory; stops at once when it is unstable. Never throws for what a variant
/// does wrong.
VariantRun run_variant(const CompareOptions& options, const std::vector<std::string>& overrides,
                       const std::string& label);

/// The largest step of the grid start * factor^k in [min, max] for which `stable` is true, or none.
/// Up in growing strides, then halving; down one by one. Only a step that was tried is returned.
std::optional<double> largest_stable_step(const CompareOptions::Search& range, double start,
                                          const std::function<bool(double)>& stable);

struct StepTry {
  std::size_t variant = 0;  // index
  double step = 0;          // [s]
  VariantRun run;           // without rows
};

struct Comparison {
  std::string scene;  // name
  std::vector<Variation> variations;
  std::vector<std::vector<std::string>> variants;  // values
  std::vector<VariantRun> runs;                    // fewer than variants if interrupted
  std::vector<std::optional<double>> steps;        // [s] largest stable ones, with a search
  std::vector<StepTry> tries;
  Criteria criteria;
  bool searched = false, interrupted = false;

  std::string label(std::size_t variant) const;  // "solver.method=nncg, time_step=2ms"
};
Comparison compare(const CompareOptions& options);

/// The table as text, made once for all formats.
struct CompareTable {
  std::vector<std::string> header;  // lines above it: scene, criteria
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
CompareTable compare_table(const Comparison& comparison);
CompareTable tries_table(const Comparison& comparison);
std::string to_csv(const CompareTable& table);  // header lines start with #
std::string to_markdown(const CompareTable& table);
std::string compare_page(const Comparison& comparison);  // HTML, self-contained

/// table.csv, table.md, compare.html, metrics/*.csv and, with a search, tries.csv. Throws IoError.
void write_comparison(const Comparison& comparison, const std::filesystem::path& folder);

}  // namespace hydrolith
