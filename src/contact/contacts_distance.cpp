// Contact by distance: sample r of body R, h from the next ones (its resolution), a ball of radius
// d_r (its depth below R's surface, so that the ball touches that surface from inside), against the
// surface of body K.
//
//   phi(x)  signed distance of x to K's surface, positive outside        [m]
//   gap   = phi(x_r) - d_r                                               [m]
//   n     = grad phi(x_r) = +-(x_r - c) / |x_r - c|, c the point of K nearest to x_r
//   x_n   = x_f = c + gap/2 n, midway between both surfaces
//
// d gap/dt = n . (v_R(x_r) - v_K(c)), and all three points lie on one line along n, where a rigid
// velocity has the same component along n: so the row with x_n is exact to first order.
//
// Flat faces meet at their true place, whatever the lattices of their samples. Where R's surface is
// not a plane, it comes out of the balls: a sphere between samples by h^2 / 8R, an edge by 0.2 h.
// There the contact is that of the point p of R's true surface next to r that is nearest to K:
//
//   p     = closest point of R to c, then closest point of R to p - L n, L = 4, 32, 256 h
//   gap   = phi(p),  n = grad phi(p),  x_n = x_f = p - gap/2 n
//
// If both are round, with radii R and K, such a throw takes p nearer to the line between the
// centres by the factor R (1 - L/K) / (R + L); it leaves a face at right angles to n where it is,
// and takes the end of a tilted face to its edge. p stays within 0.75 h: what is farther belongs to
// another sample. The row is exact to first order again, as R's surface at p is at right angles to
// n or has an edge there.

#include "contact/contact_candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace hydrolith {

namespace {

/// Below this fraction of h the direction to the nearest point is lost in rounding; the
/// pseudo-normal takes over.
constexpr double on_surface = 1e-9;

/// More than this fraction of h no point of a surface lies off it by rounding.
constexpr double rounding = 1e-6;

struct SignedDistance {
  double phi = 0;  // [m]
  Vec3 gradient;   // unit
};

/// Whoever is nearest to the border of an open surface lies beside it, not behind it.
SignedDistance signed_distance(const ContactShape& shape, const MeshDistance::Closest& c,
                               const Vec3& x, double h) {
  const Vec3 offset = x - c.point;
  const bool behind = offset.dot(c.normal) < 0 && !shape.is_on_border(c);
  const double sign = behind ? -1 : 1;
  const bool at_surface = !(c.distance > on_surface * h);
  return {sign * c.distance, at_surface ? c.normal : Vec3(sign / c.distance * offset)};
}

/// How far an edge or corner of a box sticks out of the balls of its samples, at most: (sqrt(3) -
/// 1) h/2; contacts are looked for that much farther away.
constexpr double sticks_out = 0.4;

/// A point of R, the point of K nearest to it, and what lies between them. In K's frame.
struct Touch {
  Vec3 x;       // [m] of R: the sample's centre, or a point of the surface
  Vec3 point;   // [m] on K
  double gap;   // [m]
  Vec3 normal;  // from K to R
};

/// The measure of one pair of bodies, the samples of R against K. Vectors are in K's frame.
struct Pair {
  const ContactShape &R, &K;
  ContactPose pose;  // of R in K's frame
  ContactReach reach;
  Box3 near;  // [m] around all that is in reach of a solid K
  double h;   // [m]

  std::optional<Touch> ball(const Vec3& x, double radius) const;
  std::optional<Touch> surface_point(const Vec3& x, const Vec3& on_K, const Vec3& normal) const;
  std::optional<Vec3> on_R(const Vec3& x, double within) const;
  std::optional<Touch> support_point(const Touch& ball) const;
  Touch refined(const Touch& ball, double radius) const;
};

/// Contact of a sample's ball.
std::optional<Touch> Pair::ball(const Vec3& x, double radius) const {
  if (K.is_solid && !near.contains(x)) return std::nullopt;
  const auto c = K.closest(x, reach.farthest());
  if (!c) return std::nullopt;
  const auto [phi, gradient] = signed_distance(K, *c, x, h);
  if (phi < -reach.inside) return std::nullopt;
  return Touch{x, c->point, phi - radius, gradient};
}

/// Contact of a point of R's surface. It may be so near to K that the direction is lost in
/// rounding: that of round bodies is known there too, else `normal` of the contact around it must
/// do. `on_K` is any point of K's surface.
std::optional<Touch> Pair::surface_point(const Vec3& x, const Vec3& on_K,
                                         const Vec3& normal) const {
  const double known = (x - on_K).norm() + rounding * h;  // the nearest is no farther
  const auto c = K.closest(x, std::min(reach.farthest(), known));
  if (!c) return std::nullopt;
  const auto [phi, gradient] = signed_distance(K, *c, x, h);
  if (std::abs(phi) > 1e-6 * h) return Touch{x, c->point, phi, gradient};
  return Touch{x, c->point, phi, K.is_round() ? c->normal : normal};
}

/// The point of R's surface nearest to x.
std::optional<Vec3> Pair::on_R(const Vec3& x, double within) const {
  const auto c = R.closest(pose.to_body(x), within);
  return c ? std::optional(pose.to_world(c->point)) : std::nullopt;
}

/// The point of R's surface next to the sample that lies nearest to K or deepest in it; none where
/// that is another sample's.
std::optional<Touch> Pair::support_point(const Touch& ball) const {
  const auto start = on_R(ball.point, std::numeric_limits<double>::infinity());
  if (!start) return std::nullopt;
  std::optional<Touch> t = Touch{*start, ball.point, ball.gap, ball.normal};
  for (const double L : {4 * h, 32 * h, 256 * h}) {
    if (L > 32 * h && !R.has_closed_form()) break;                // facets are no finer than that
    const auto p = on_R(t->x - L * t->normal, L + rounding * h);  // t->x lies on R
    if (!p || (*p - *start).norm() > 0.75 * h) return std::nullopt;
    t = surface_point(*p, t->point, t->normal);
    if (!t) return std::nullopt;
  }
  return t;
}

/// The contact of the support point, if it is the deeper one and of the same kind: K's surface must
/// not have turned away, as it does where p has passed an edge of K. If R's surface is where the
/// ball touches it and at right angles to n, one query tells that there is nothing to refine.
Touch Pair::refined(const Touch& ball, double radius) const {
  const Vec3 foot = ball.x - radius * ball.normal;
  const auto thrown = on_R(foot - 4 * h * ball.normal, 5 * h);
  if (thrown && (*thrown - foot).norm() < 1e-4 * h) return ball;
  const auto t = support_point(ball);
  if (!t) return ball;
  const bool deeper = t->gap < ball.gap && t->gap > ball.gap - 0.6 * h;
  const bool alike = t->normal.dot(ball.normal) > std::cos(std::numbers::pi / 6);
  return deeper && alike ? *t : ball;
}

struct Ball {
  std::uint32_t sample;
  bool flat;
  Touch touch;
};

/// Whether no sample next to this one is clearly nearer to K: only then its own surroundings hold
/// the nearest point. `balls` are sorted by sample, `first` is R's first.
bool is_nearest_around(const ContactShape& R, const std::vector<Ball>& balls, const Ball& ball,
                       std::uint32_t first, double h) {
  const double reach_sq = 1.1 * h * h, limit = ball.touch.gap - 0.1 * h;
  bool nearest = true;
  const double search = 1.05 * h;  // more than sqrt(1.1) h, for rounding
  R.for_each_near(R.samples[ball.sample - first], search, [&](std::uint32_t k, double) {
    const auto other =
        std::lower_bound(balls.begin(), balls.end(), first + k,
                         [](const Ball& b, std::uint32_t sample) { return b.sample < sample; });
    if (other == balls.end() || other->sample != first + k) return;
    if (other->touch.gap < limit && (other->touch.x - ball.touch.x).squaredNorm() < reach_sq)
      nearest = false;
  });
  return nearest;
}

}  // namespace

void measure_distance(const ContactScene& scene, const ContactPair& pair,
                      std::vector<std::uint32_t>& candidates, std::vector<FoundContact>& found) {
  const ContactShape &R = scene.shape(pair.a), &K = scene.shape(pair.b);
  const ContactPose &at = scene.poses[pair.a], &pose = scene.poses[pair.b];
  const double h = R.h, extra = R.is_flat ? 0 : sticks_out * h;
  // The radius of a sample is h/2 at most; overlaps are seen one spacing of the liquid deep.
  const ContactReach reach{pair.limit + 0.5 * h + extra, std::max(h, scene.kernel.h)};
  const Pair measure{
      R, K, {pose.R.transpose() * at.R, pose.to_body(at.x)}, reach, K.bounds.grown(reach.outside),
      h};
  const std::uint32_t first = scene.samples.first[pair.a];
  find_candidates(scene, pair, reach, candidates);
  thread_local std::vector<Ball> balls;
  balls.clear();
  for (const std::uint32_t r : candidates) {
    const bool flat = R.flat[r - first];
    const auto t = measure.ball(pose.to_body(scene.samples.x[r]), scene.samples.radius[r]);
    if (t && t->gap <= pair.limit + (flat ? 0 : extra)) balls.push_back({r, flat, *t});
  }
  for (const Ball& ball : balls) {
    Touch t = ball.touch;
    if (!ball.flat && is_nearest_around(R, balls, ball, first, h))
      t = measure.refined(t, scene.samples.radius[ball.sample]);
    if (!(t.gap <= pair.limit)) continue;
    const Vec3 midway = pose.to_world(t.point + 0.5 * t.gap * t.normal);
    found.push_back({ball.sample, t.gap, pose.R * t.normal, midway, midway});
  }
}

}  // namespace hydrolith
