#include "core/time_function.h"

#include "hydrolith/error.h"

#include <doctest/doctest.h>

using namespace hydrolith;

TEST_CASE("a constant is the same at all times") {
  const TimeFunction f = 0.4;
  CHECK(f.is_constant());
  CHECK(f(-3) == 0.4);
  CHECK(f(1e9) == 0.4);
  CHECK(TimeFunction()(1) == 0);
}

TEST_CASE("an expression in t follows the time") {
  constexpr std::string_view t[] = {"t"};
  const TimeFunction f{Expression::parse("max(0, 1 - t/5)", "", {}, t)};
  CHECK_FALSE(f.is_constant());
  CHECK(f(0) == 1);
  CHECK(f(2.5) == 0.5);
  CHECK(f(7) == 0);
}

TEST_CASE("keyframes hold their first and last value outside") {
  for (const Interpolation how :
       {Interpolation::linear, Interpolation::smooth, Interpolation::step}) {
    const TimeFunction f({1, 3}, {10, 20}, how);
    CHECK(f(0) == 10);
    CHECK(f(1) == 10);
    CHECK(f(3) == 20);
    CHECK(f(9) == 20);
    CHECK_FALSE(f.is_constant());
  }
}

TEST_CASE("between keyframes the way is straight, smooth or a step") {
  const std::vector<double> times = {0, 2, 4}, values = {0, 1, -1};
  CHECK(TimeFunction(times, values, Interpolation::linear)(0.5) == 0.25);
  CHECK(TimeFunction(times, values, Interpolation::linear)(3) == 0);
  CHECK(TimeFunction(times, values, Interpolation::smooth)(0.5) == 0.25 * 0.25 * (3 - 0.5));
  CHECK(TimeFunction(times, values, Interpolation::smooth)(1) == 0.5);
  CHECK(TimeFunction(times, values, Interpolation::step)(1.99) == 0);
  CHECK(TimeFunction(times, values, Interpolation::step)(2) == 1);
}

TEST_CASE("a smooth function is at rest at its keys") {
  const TimeFunction f({0, 1, 2}, {0, 1, 3}, Interpolation::smooth);
  const double h = 1e-6;
  for (const double t : {0.0, 1.0, 2.0})
    CHECK(std::abs(f(t + h) - f(t - h)) / (2 * h) < 1e-5);  // slope is O(h) at a key
}

TEST_CASE("equal keyframes are a constant") {
  CHECK(TimeFunction({0, 1}, {2, 2}, Interpolation::linear).is_constant());
}

TEST_CASE("keyframes that do not rise, or lack values, are refused") {
  CHECK_THROWS_WITH_AS(TimeFunction({0, 0}, {1, 2}, Interpolation::linear),
                       "keyframe times must rise: 0 s after 0 s", Error);
  CHECK_THROWS_AS(TimeFunction({0, 1}, {1}, Interpolation::linear), Error);
  CHECK_THROWS_AS(TimeFunction({}, {}, Interpolation::linear), Error);
}

TEST_CASE("a vector of functions gives a vector") {
  const VectorFunction f{1.0, 2.0, TimeFunction({0, 1}, {0, 4}, Interpolation::linear)};
  CHECK(f(0.5) == Vec3(1, 2, 2));
  CHECK_FALSE(f.is_constant());
}
