#pragma once
// Quantities that change with time: a constant, an expression in t, or keyframes.

#include "hydrolith/vec.h"

#include "core/expression.h"

#include <vector>

namespace hydrolith {

enum class Interpolation { linear, smooth, step };

/// A number that depends on time t [s]. Keyframes hold their first and last value outside.
class TimeFunction {
 public:
  TimeFunction(double constant = 0) : expression_(Expression::constant(constant)) {}
  explicit TimeFunction(Expression in_t) : expression_(std::move(in_t)) {}
  TimeFunction(std::vector<double> times, std::vector<double> values, Interpolation how);

  double operator()(double t) const;
  bool is_constant() const;
  bool operator==(const TimeFunction&) const = default;

 private:
  Expression expression_;
  std::vector<double> times_, values_;  // strictly rising [s]; empty: expression_
  Interpolation how_ = Interpolation::linear;
};

/// Three of them.
struct VectorFunction {
  TimeFunction x, y, z;
  Vec3 operator()(double t) const { return {x(t), y(t), z(t)}; }
  bool is_constant() const { return x.is_constant() && y.is_constant() && z.is_constant(); }
};

}  // namespace hydrolith
