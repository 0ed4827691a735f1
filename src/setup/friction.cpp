#include "setup/friction.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr double default_friction = 0.5;

TimeFunction own_friction(const BodySpec& body, const Scene& scene) {
  if (body.friction) return *body.friction;
  const auto material = scene.materials.find(body.material);
  if (material != scene.materials.end() && material->second.friction)
    return *material->second.friction;
  return {default_friction};
}

/// Index of the pair that names both materials, or -1.
int named_pair(const std::vector<FrictionPairSpec>& pairs, const std::string& a,
               const std::string& b) {
  for (std::size_t k = 0; k < pairs.size(); ++k)
    if ((pairs[k].a == a && pairs[k].b == b) || (pairs[k].a == b && pairs[k].b == a))
      return static_cast<int>(k);
  return -1;
}

}  // namespace

FrictionTable::FrictionTable(const Scene& scene) : named_(scene.friction) {
  std::vector<std::string> material;  // class -> material
  for (const BodySpec& body : scene.bodies) {
    const TimeFunction mu = own_friction(body, scene);
    int c = 0;
    while (c < classes() && !(material[c] == body.material && own_[c] == mu)) ++c;
    if (c == classes()) {
      material.push_back(body.material);
      own_.push_back(mu);
    }
    class_of_.push_back(c);
  }
  for (const std::string& a : material)
    for (const std::string& b : material) pair_.push_back(named_pair(named_, a, b));
}

double FrictionTable::operator()(int a, int b, double t) const {
  const int named = pair_[a * classes() + b];
  if (named >= 0) return std::max(0.0, named_[named].coefficient(t));
  return std::sqrt(std::max(0.0, own_[a](t)) * std::max(0.0, own_[b](t)));
}

}  // namespace hydrolith
