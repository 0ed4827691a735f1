#pragma once
// Equality to a relative margin. doctest's own Approx adds one to the size of the numbers, so that
// for small ones its margin is absolute.

#include <doctest/doctest.h>

namespace hydrolith {

inline doctest::Approx about(double value, double relative) {
  return doctest::Approx(value).epsilon(relative).scale(0);
}

}  // namespace hydrolith
