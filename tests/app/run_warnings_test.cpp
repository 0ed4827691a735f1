#include "app/run_warnings.h"

#include "hydrolith/frame.h"

#include "app/metric_columns.h"

#include <doctest/doctest.h>

using namespace hydrolith;

namespace {

struct Watch {
  Scene scene;
  RunWarnings warnings{with_syrup(scene), step_columns()};

  static Scene& with_syrup(Scene& s) {
    s.spacing = 0.02;
    s.liquids = {LiquidSpec{}};
    s.liquids[0].viscosity = 100;
    return s;
  }
  std::vector<std::string> see(const StepReport& report) {
    std::vector<double> values;
    append_step_values(report, values);
    return warnings.see(values);
  }
};

bool says(const std::vector<std::string>& news, const std::string& part) {
  return news.size() == 1 && news[0].find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an ordinary run has no warnings") {
  Watch w;
  CHECK(w.see({}).empty());
  CHECK(w.see({.step = 1, .dt = 5e-3, .volume_error = 0.009}).empty());
  CHECK(w.see({.step = 2, .dt = 6e-5}).empty());
  CHECK(w.warnings.told().empty());
}

TEST_CASE("compression is told once, and again when it has doubled") {
  Watch w;
  CHECK(says(w.see({.step = 1, .dt = 1e-3, .volume_error = 0.015}), "compressed by 1.5 %"));
  CHECK(w.see({.step = 2, .dt = 1e-3, .volume_error = 0.02}).empty());
  CHECK(says(w.see({.step = 3, .dt = 1e-3, .volume_error = 0.04}), "step 3"));
  CHECK(w.warnings.told().size() == 2);
}

TEST_CASE("leaked liquid is told with how much it is") {
  Watch w;
  CHECK(says(w.see({.step = 1, .dt = 1e-3, .particles = 50, .outside = 3}), "3 of 50 liquid"));
  CHECK(w.see({.step = 2, .dt = 1e-3, .particles = 50, .outside = 6}).empty());
  CHECK(says(w.see({.step = 3, .dt = 1e-3, .particles = 50, .outside = 7}), "7 of 50"));
}

TEST_CASE("a step a hundredth of the longest is told") {
  Watch w;
  CHECK(w.see({.step = 1, .dt = 5e-3}).empty());
  CHECK(says(w.see({.step = 2, .dt = 4e-5}), "125 times shorter"));
  CHECK(w.see({.step = 3, .dt = 3e-5}).empty());
}

// 0.3 of 100 Pa s in a step of 1 ms: all of it in 0.3 ms.
TEST_CASE("viscosity that is applied in part is told with what would bear it") {
  Watch w;
  const auto news = w.see({.step = 1, .dt = 1e-3, .viscosity_share = 0.3});
  CHECK(says(news, "of a viscosity of 100 Pa s only 30 Pa s"));
  CHECK(says(news, "at most 0.0003 s"));
  CHECK(w.see({.step = 2, .dt = 1e-3, .viscosity_share = 0.2}).empty());
  CHECK(says(w.see({.step = 3, .dt = 1e-3, .viscosity_share = 0.15}), "15 Pa s"));
}
