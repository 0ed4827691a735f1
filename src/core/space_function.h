#pragma once
// Vectors that depend on the place: a flow to start from.

#include "hydrolith/vec.h"

#include "core/expression.h"

#include <array>

namespace hydrolith {

/// A vector at x [m], in the axes of the world; its components are expressions in x, y and z.
struct SpaceFunction {
  Expression x, y, z;
  Vec3 operator()(const Vec3& at) const {
    const std::array<double, 3> place = {at.x(), at.y(), at.z()};
    return {x(place), y(place), z(place)};
  }
  bool is_constant() const { return x.is_constant() && y.is_constant() && z.is_constant(); }
};

}  // namespace hydrolith
