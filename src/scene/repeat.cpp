#include "scene/repeat.h"

#include <cmath>
#include <numbers>

namespace hydrolith::schema {

namespace {

Quat turned(double degrees, const Vec3& axis) {
  return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis));
}

// offset = step * index, component by component in a grid; x runs fastest.
std::vector<Copy> copies_of(const ArrayRepeat& array) {
  const bool line = array.count[1] < 0;
  const std::array<int, 3> n = line ? std::array<int, 3>{array.count[0], 1, 1} : array.count;
  const Vec3 middle = array.centred ? Vec3(0.5 * (n[0] - 1), 0.5 * (n[1] - 1), 0.5 * (n[2] - 1))
                                    : Vec3(Vec3::Zero());
  std::vector<Copy> copies;
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x) {
        const Vec3 index = Vec3(x, y, z) - middle;
        const Vec3 offset =
            line ? Vec3(index.x() * array.step) : Vec3(index.cwiseProduct(array.step));
        copies.push_back({{offset, Quat::Identity()}, static_cast<int>(copies.size()), {x, y, z}});
      }
  return copies;
}

// A direction across the axis: x, or y if the axis is x itself.
Vec3 across(const Vec3& axis) {
  const Vec3 start = std::abs(axis.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  return (start - start.dot(axis) * axis).normalized();
}

std::vector<Copy> copies_of(const RingRepeat& ring, bool two_d) {
  const Vec3 axis = ring.axis.value_or(two_d ? Vec3::UnitZ() : Vec3::UnitY());
  const bool closed = std::abs(ring.arc) >= 360;
  const int gaps = closed ? ring.count : std::max(1, ring.count - 1);
  std::vector<Copy> copies;
  for (int i = 0; i < ring.count; ++i) {
    const Quat q = turned(ring.start + ring.arc * i / gaps, axis);
    const Vec3 position = q * (ring.radius * across(axis));
    copies.push_back({{position, ring.turn ? q : Quat::Identity()}, i, {i, 0, 0}});
  }
  return copies;
}

std::vector<Copy> copies_of(const StackRepeat& stack) {
  const Vec3 axis = stack.step.norm() > 0 ? stack.step.normalized() : Vec3::UnitY();
  std::vector<Copy> copies;
  for (int i = 0; i < stack.count; ++i) {
    Pose pose{i * stack.step, turned(i * stack.turn, axis)};
    if (i % 2 == 1) pose = pose * Pose{stack.alternate.at, stack.alternate.rotate};
    copies.push_back({pose, i, {i, 0, 0}});
  }
  return copies;
}

}  // namespace

std::int64_t count_copies(const RepeatPart& repeat) {
  if (repeat.ring) return repeat.ring->count;
  if (repeat.stack) return repeat.stack->count;
  if (!repeat.array) return 0;
  const auto& n = repeat.array->count;
  if (n[1] < 0) return n[0];
  const double product = double(n[0]) * double(n[1]) * double(n[2]);
  return static_cast<std::int64_t>(std::min(product, 1e18));
}

std::vector<Copy> make_copies(const RepeatPart& repeat, bool two_d) {
  if (repeat.ring) return copies_of(*repeat.ring, two_d);
  if (repeat.stack) return copies_of(*repeat.stack);
  if (repeat.array) return copies_of(*repeat.array);
  return {};
}

std::string index_name(const RepeatPart& repeat) {
  if (repeat.ring) return repeat.ring->index;
  if (repeat.stack) return repeat.stack->index;
  return repeat.array ? repeat.array->index : "";
}

bool is_array(const RepeatPart& repeat) { return repeat.array.has_value(); }

}  // namespace hydrolith::schema
