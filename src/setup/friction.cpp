#include "setup/friction.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr double default_friction = 0.5;

/// The coefficients of a body or material that says something about them.
template <class Spec>
bool take_coefficients(const Spec& spec, OwnFriction& own) {
  if (spec.grain)
    own.along = spec.grain->along, own.across = spec.grain->across,
    own.direction = spec.grain->direction;
  else if (spec.friction)
    own.along = own.across = *spec.friction;
  return spec.grain || spec.friction;
}

OwnFriction own_friction(const BodySpec& body, const Scene& scene) {
  const auto found = scene.materials.find(body.material);
  const MaterialSpec material = found == scene.materials.end() ? MaterialSpec{} : found->second;
  OwnFriction own{.along = default_friction, .across = default_friction};
  if (!take_coefficients(body, own)) take_coefficients(material, own);
  own.torsional = body.torsional_friction.value_or(material.torsional_friction.value_or(0));
  own.rolling = body.rolling_friction.value_or(material.rolling_friction.value_or(0));
  return own;
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
    const OwnFriction mu = own_friction(body, scene);
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

PairFriction FrictionTable::operator()(std::size_t a, std::size_t b, double t) const {
  const auto has_direction = [&](std::size_t body) {
    return !own_[class_of(body)].direction.isZero();
  };
  std::size_t first = std::min(a, b), second = std::max(a, b);
  if (!has_direction(first) && has_direction(second)) std::swap(first, second);
  const OwnFriction &own = own_[class_of(first)], &other = own_[class_of(second)];
  PairFriction pair{.torsional = std::sqrt(own.torsional * other.torsional),
                    .rolling = std::sqrt(own.rolling * other.rolling)};
  const int named = pair_[class_of(a) * classes() + class_of(b)];
  if (named >= 0) {
    const FrictionPairSpec& spec = named_[named];
    pair.along = pair.across = std::max(0.0, spec.coefficient(t));
    pair.torsional = spec.torsional_friction.value_or(pair.torsional);
    pair.rolling = spec.rolling_friction.value_or(pair.rolling);
    return pair;
  }
  const auto at = [&](const TimeFunction& mu) { return std::max(0.0, mu(t)); };
  const double mean =
      has_direction(second) ? std::sqrt(at(other.along) * at(other.across)) : at(other.along);
  pair.along = std::sqrt(at(own.along) * mean);
  pair.across = std::sqrt(at(own.across) * mean);
  pair.direction = own.direction;
  pair.grain_of = first;
  return pair;
}

bool FrictionTable::has_spin() const {
  const auto turns = [](const auto& f) { return f.torsional > 0 || f.rolling > 0; };
  const auto says = [](const FrictionPairSpec& f) {
    return f.torsional_friction.value_or(0) > 0 || f.rolling_friction.value_or(0) > 0;
  };
  return std::any_of(own_.begin(), own_.end(), turns) ||
         std::any_of(named_.begin(), named_.end(), says);
}

bool FrictionTable::has_grain() const {
  return std::any_of(own_.begin(), own_.end(),
                     [](const OwnFriction& f) { return !f.direction.isZero(); });
}

}  // namespace hydrolith
