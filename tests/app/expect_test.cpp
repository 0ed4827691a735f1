#include "app/expect.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace hydrolith;

namespace {

const std::vector<std::string> columns = {"time", "height"};

Scene expecting(ExpectSpec e) {
  Scene s;
  s.file = "test.yaml";
  e.metric = "height";
  e.mark = {12, 5, "expect[0].metric"};
  s.expect = {e};
  return s;
}

/// Rows of a ramp: height = 2 t at t = 0, 0.1, ..., 1.
Verdict after_ramp(const ExpectSpec& e) {
  const Scene scene = expecting(e);
  ExpectWatch watch(scene, columns);
  for (int n = 0; n <= 10; ++n) watch.see({0.1 * n, 0.2 * n});
  return watch.verdicts().at(0);
}

}  // namespace

TEST_CASE("the end, the extremes, the mean and a moment are judged by their own value") {
  CHECK(after_ramp({.when = ExpectWhen::end, .equals = 2, .margin = 1e-9}).passed);
  CHECK(after_ramp({.when = ExpectWhen::min, .equals = 0, .margin = 1e-9}).passed);
  CHECK(after_ramp({.when = ExpectWhen::max, .equals = 2, .margin = 1e-9}).passed);
  CHECK(after_ramp({.when = ExpectWhen::mean, .equals = 1, .margin = 1e-9}).passed);
  CHECK(after_ramp({.when = ExpectWhen::at, .time = 0.25, .equals = 0.5, .margin = 1e-9}).passed);
}

TEST_CASE("what is not known before the first step does not spoil what comes after it") {
  for (const ExpectWhen when :
       {ExpectWhen::min, ExpectWhen::max, ExpectWhen::mean, ExpectWhen::always}) {
    const Scene scene = expecting({.when = when, .equals = 3, .margin = 1e-9});
    ExpectWatch watch(scene, columns);
    watch.see({0, std::nan("")});
    for (int n = 1; n <= 10; ++n) watch.see({0.1 * n, 3});
    CHECK(watch.verdicts().at(0).passed);
  }
}

TEST_CASE("a value outside its margin or bounds fails, and the text tells by how much") {
  const Verdict v = after_ramp({.when = ExpectWhen::end, .equals = 1.9, .margin = 0.05});
  CHECK_FALSE(v.passed);
  CHECK(v.text == "height at the end: 2, expected 1.9 +- 0.05");
  CHECK_FALSE(after_ramp({.when = ExpectWhen::always, .below = 1.9}).passed);
  CHECK(after_ramp({.when = ExpectWhen::always, .above = 0, .below = 2}).passed);
}

TEST_CASE("a moment after the end of the run fails and says so") {
  const Verdict v = after_ramp({.when = ExpectWhen::at, .time = 1.5, .equals = 1, .margin = 1});
  CHECK_FALSE(v.passed);
  CHECK(v.text.find("the run ended before") != std::string::npos);
}

TEST_CASE("a scene shortened for a quick look is no fault, whatever it expects later") {
  Scene scene = expecting({.when = ExpectWhen::at, .time = 5, .equals = 1, .margin = 1});
  scene.duration = 2;
  CHECK_NOTHROW(check_expected_metrics(scene, columns));
}

TEST_CASE("NaN never passes") {
  const Scene scene = expecting({.when = ExpectWhen::max, .below = 1});
  ExpectWatch watch(scene, columns);
  watch.see({0, 0.5});
  watch.see({1, std::nan("")});
  watch.see({2, 0.5});
  CHECK_FALSE(watch.verdicts()[0].passed);
}

TEST_CASE("an unknown metric is a fault of the scene with a suggestion") {
  Scene scene = expecting({.when = ExpectWhen::end, .below = 1});
  scene.expect[0].metric = "hight";
  CHECK_THROWS_WITH_AS(
      check_expected_metrics(scene, columns),
      "test.yaml:12:5  expect[0].metric: there is no metric \"hight\" in this run. "
      "Did you mean \"height\"?",
      SceneError);
}
