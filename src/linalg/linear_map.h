#pragma once
// A linear operator given by what it does: y = A x.

#include <functional>
#include <span>

namespace hydrolith {

using LinearMap = std::function<void(std::span<const double> x, std::span<double> y)>;

}  // namespace hydrolith
