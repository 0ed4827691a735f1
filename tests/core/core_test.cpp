// The small pieces: sums, errors, units, suggestions.

#include "hydrolith/vec.h"

#include "core/check.h"
#include "core/parallel.h"
#include "core/suggest.h"
#include "core/units.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace hydrolith;

TEST_CASE("an ordered sum has the same bits for any number of threads") {
  // Terms of very different size, so that any other order would round differently.
  const auto term = [](std::size_t i) {
    return std::sin(double(i)) * std::pow(10., double(i % 17));
  };
  constexpr std::size_t n = 100'003;
  set_threads(1);
  const double alone = ordered_sum(n, 0.0, term);
  for (const int count : {2, 3, 8}) {
    set_threads(count);
    CHECK(ordered_sum(n, 0.0, term) == alone);
  }
  set_threads(0);
}

TEST_CASE("an ordered sum is right for nothing, one block, and vectors") {
  CHECK(ordered_sum(0, 0.0, [](std::size_t) { return 1.0; }) == 0);
  CHECK(ordered_sum(1024, 0, [](std::size_t i) { return int(i); }) == 1023 * 512);
  CHECK(ordered_sum(1025, 0, [](std::size_t i) { return int(i); }) == 1025 * 512);
  const Vec3 sum =
      ordered_sum(5000, Vec3(Vec3::Zero()), [](std::size_t i) { return Vec3(1, double(i), -1); });
  CHECK(sum == Vec3(5000, 2500.0 * 4999, -5000));
}

TEST_CASE("a parallel loop visits every index once") {
  std::vector<int> visits(10'000);
  parallel_for(visits.size(), [&](std::size_t i) { ++visits[i]; });
  CHECK(std::all_of(visits.begin(), visits.end(), [](int v) { return v == 1; }));
}

TEST_CASE("a diagnostic says file, line, column, path and message, as far as they are known") {
  CHECK(Diagnostic{"a.yaml", 14, 5, "liquids[0].viscosty", "unknown key."}.text() ==
        "a.yaml:14:5  liquids[0].viscosty: unknown key.");
  CHECK(Diagnostic{"a.yaml", 14, 0, "", "bad"}.text() == "a.yaml:14  bad");
  CHECK(Diagnostic{"--set a=1", 0, 0, "a", "bad"}.text() == "--set a=1  a: bad");
}

TEST_CASE("a scene error holds all faults, one a line") {
  const SceneError error({{"a", 1, 2, "x", "bad"}, {"a", 3, 4, "y", "worse"}});
  CHECK(std::string(error.what()) == "a:1:2  x: bad\na:3:4  y: worse");
  CHECK(error.diagnostics.size() == 2);
}

TEST_CASE("require throws an error with the numbers in it") {
  CHECK_NOTHROW(require(true, "fine"));
  CHECK_THROWS_WITH_AS(require(false, "got {} of {}", 2, 3), "got 2 of 3", Error);
}

TEST_CASE("units are factors and exponents") {
  const Unit unit = parse_unit("g/cm^3");
  CHECK(unit.factor == doctest::Approx(1000));
  CHECK(describe(unit.dimension) == "a density");
  CHECK(describe(parse_unit("N").dimension) == "a force");
  CHECK(describe(parse_unit("kg*m/s^2").dimension) == "a force");
  CHECK(describe(parse_unit("Pa s").dimension) == "a viscosity");
  CHECK(describe(parse_unit("").dimension) == "a plain number");
  CHECK(describe(parse_unit("m^2/s^3").dimension) == "in m^2 s^-3");
  CHECK_THROWS_WITH_AS(parse_unit("furlong"), "unknown unit \"furlong\"", Error);
  CHECK_THROWS_AS(parse_unit("m 3"), Error);
}

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("viscosty", "viscosity") == 1);
  CHECK(edit_distance("frmae", "frame") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("a suggestion is made only if it is likely to be meant") {
  const std::vector<std::string> keys = {"density", "viscosity", "velocity", "at"};
  CHECK(did_you_mean("viscosty", keys) == " Did you mean \"viscosity\"?");
  CHECK(did_you_mean("visc", keys) == " Did you mean \"viscosity\"?");
  CHECK(did_you_mean("Density", keys) == " Did you mean \"density\"?");
  CHECK(did_you_mean("colour", keys) == "");
  CHECK(did_you_mean("xy", keys) == "");
  CHECK(did_you_mean(std::string(100'000, 'a'), keys) == "");
}
