#pragma once
// Where bodies touch or may touch within the step. One contact is one sample r of a body against
// one other body K: three rows (a normal, two tangents) of the system.
//
// Two measures of the gap fill the same columns:
//   contacts_distance.cpp     the distance to K's surface of the sample's ball or, where its own
//                             surface is curved or has an edge, of the point of that surface next
//                             to it that is nearest to K; bodies meet at their true sizes, balls
//                             and cylinders roll, edges of boxes are sharp
//   contacts_probst2023.cpp   the paper's volumes (eq. 3.1-3.3, 3.20-3.23), per pair of bodies

#include "contact/samples.h"
#include "core/cubic_spline.h"
#include "setup/world.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace hydrolith {

/// One column per quantity, index = contact, sorted by (sample, other body).
/// Relative velocity v = v_a - v_b. The rows are
///   normal:   gap / dt + normal . v(normal_point) >= 0
///   tangent:  (1 - n n^T) v(friction_point), opposed by friction
struct Contacts {
  std::vector<std::uint32_t> sample;  // index into Samples
  std::vector<std::uint32_t> a, b;    // bodies: a has the sample; at least one is dynamic
  std::vector<Vec3> normal;           // unit, from b to a
  std::vector<Vec3> normal_point;     // [m] where the normal impulse acts on both
  std::vector<Vec3> friction_point;   // [m] where the friction impulse acts on both
  std::vector<double> gap;            // [m] negative: they overlap
  std::vector<double> mu;             // [-] friction of the pair now, the largest of all directions
  std::vector<Vec3> impulse;  // [N s] on a, world; guess from the step before, then solution
  std::vector<Vec3> anchor;  // [m] how far a has moved along b since it sticks; empty: not anchored

  // Of scenes that have such friction; empty in all others.
  std::vector<Vec3> grain;                 // k: friction along it is (1 - k.k) mu (ContactRows)
  std::vector<double> torsional, rolling;  // [m]
  std::vector<Vec3> spin;                  // [N m s] on a, world; like impulse

  std::size_t size() const { return sample.size(); }
};

struct ContactOptions {
  ContactMeasure measure = ContactMeasure::distance;
  double gamma = 0.7;        ///< [-] volumes: correction coefficient of eq. 3.2
  bool uniform_gap = false;  ///< volumes: V^0 = 1 / (S_r + (1 - gamma) / h^d)
  double margin = 0;         ///< [m] contacts with a larger gap than this plus what the speeds of
                             ///< the two bodies can close in the step are left out
  std::span<const double> pushed;  ///< [m] per body: what pushes may add to that; empty: nothing
  bool anchored = false;           ///< sticking contacts remember how far they have moved
};

/// Boxes, candidate pairs and the last step's contacts (for the guess); kept from step to step.
/// Caches the shapes of the world it is first used with: that World must outlive it and not move.
struct ContactFinder {
  ContactFinder();
  ~ContactFinder();
  void find(const World& m, const WorldState& s, const Samples& samples, const CubicSpline& kernel,
            const ContactOptions& options, double dt, Contacts& out);

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace hydrolith
