#include "cells/ball_cut_3d.h"

#include <algorithm>
#include <numbers>
#include <utility>

namespace hydrolith {

namespace {

/// Turns x + iy by quarters, counted, until x >= 0.
void turn(double& x, double& y, int& quarters) {
  if (x >= 0) return;
  const double sign = std::copysign(1, y);
  x = std::exchange(y, -sign * x) * sign;
  quarters += int(sign);
}

}  // namespace

void AngleSum::add(double x, double y) {
  if (x == 0 && y == 0) return;
  turn(x, y, quarters_);
  const double real = x_ * x - y_ * y, imaginary = x_ * y + y_ * x;
  x_ = real, y_ = imaginary;
  turn(x_, y_, quarters_);
  const double size = x_ + std::abs(y_);
  if (size < 1e-100 || size > 1e100) x_ /= size, y_ /= size;
}

double AngleSum::value() const { return std::atan2(y_, x_) + 0.5 * std::numbers::pi * quarters_; }

void BallCuts::measure(const Vec3& a, const Vec3& b, const double (&R)[balls]) {
  a_ = a, b_ = b, along_ = b - a;
  aa_ = a.squaredNorm(), bb_ = b.squaredNorm(), ab_ = a.dot(b);
  length_sq_ = along_.squaredNorm();
  la_ = std::sqrt(aa_), lb_ = std::sqrt(bb_);
  const double middle = -a.dot(along_) / length_sq_;
  for (int k = 0; k < balls; ++k) {
    Span& s = span_[k];
    const double R_sq = R[k] * R[k];
    s = {aa_ <= R_sq, bb_ <= R_sq, 0, 1};
    if (s.in_a && s.in_b) continue;
    const double half = std::sqrt(std::max(0.0, middle * middle - (aa_ - R_sq) / length_sq_));
    if (!s.in_a) s.t0 = std::clamp(middle - half, 0.0, 1.0);
    if (!s.in_b) s.t1 = std::clamp(middle + half, 0.0, 1.0);
  }
}

// With over = n.(a x b), n.(p x q) is over times the share of the line between p and q.
void BallCuts::add(Owner& owner, const double (&R)[balls]) {
  const double d = owner.d, d_sq = d * d, side = std::copysign(1, d);
  const double over = owner.n.dot(a_.cross(b_));
  for (int k = 0; k < balls; ++k) {
    const auto& [in_a, in_b, t0, t1] = span_[k];
    Part& part = owner.part[k];
    if (!in_a || !in_b) cut_off_[k].add(la_ * lb_ + std::abs(d) * (la_ + lb_) + ab_, side * over);
    const double s_sq = R[k] * R[k] - d_sq;
    if (!in_a && !in_b && !(t1 > t0 && s_sq > 0)) {
      if (s_sq > 0) part.phi.add(ab_ - d_sq, over);
      continue;
    }
    const Vec3 p = a_ + t0 * along_, q = in_b ? b_ : Vec3(a_ + t1 * along_);
    const double pp = in_a ? aa_ : R[k] * R[k], qq = in_b ? bb_ : R[k] * R[k];
    const double pq = p.dot(q), inside = (t1 - t0) * over;
    part.twice_area += inside;
    part.ends += inside * (p + q);
    part.squares += inside * (pp + qq + pq);
    if (in_a && in_b) continue;
    const double lp = in_a ? la_ : R[k], lq = in_b ? lb_ : R[k];
    cut_off_[k].add(lp * lq + std::abs(d) * (lp + lq) + pq, -side * inside);
    if (!in_a) {
      part.phi.add(a_.dot(p) - d_sq, t0 * over);
      part.crossings += p;
    }
    if (!in_b) {
      part.phi.add(q.dot(b_) - d_sq, (1 - t1) * over);
      part.crossings -= q;
    }
  }
}

void BallCuts::finish(const Owner& owner, int k, double R, PlaneSum& face) {
  const Part& part = owner.part[k];
  const double d = owner.d, d_sq = d * d, s_sq = R * R - d_sq;
  const double triangles = 0.5 * part.twice_area;
  face.area = triangles;
  face.moment = (0.5 * part.ends + triangles * d * owner.n) / 3;
  face.spread = (0.5 * part.squares + 3 * d_sq * triangles) / 6;
  if (s_sq > 0 && !part.phi.empty()) {
    const double phi = part.phi.value(), sectors = 0.5 * s_sq * phi;
    face.area += sectors;
    face.moment += sectors * d * owner.n + s_sq / 3 * part.crossings.cross(owner.n);
    face.spread += d_sq * sectors + 0.25 * s_sq * s_sq * phi;
    volume[k] -= R * R * R / 3 * phi * (std::copysign(1, d) - d / R);
  }
  volume[k] += face.area * d / 3;
}

void BallCuts::cut(const Polyhedron& cell, const SolidCut& wet, const double (&R)[balls]) {
  const std::size_t planes = std::size_t(cell.planes()), all = planes + wet.facets.size();
  owners_.assign(all, {});
  for (std::size_t p = 0; p < planes; ++p) {
    owners_[p].n = cell.normal(int(p));
    owners_[p].d = cell.distance(int(p));
  }
  for (std::size_t f = planes; f < all; ++f) {
    owners_[f].n = wet.facets[f - planes].normal;
    owners_[f].d = wet.facets[f - planes].distance;
  }
  std::fill_n(cut_off_, balls, AngleSum{});
  for (const SolidCut::Line& line : wet.lines) {
    if (line.a == line.b) continue;
    if (line.a != b_ || line.b != a_) {
      measure(line.a, line.b, R);
    } else {  // the same line, seen from the other face
      a_.swap(b_);
      along_ = -along_;
      std::swap(aa_, bb_), std::swap(la_, lb_);
      for (Span& s : span_) {
        std::swap(s.in_a, s.in_b);
        s.t0 = 1 - std::exchange(s.t1, 1 - s.t0);
      }
    }
    add(owners_[std::size_t(line.owner)], R);
  }
  a_ = b_ = Vec3::Zero();
  for (int k = 0; k < balls; ++k) {
    volume[k] = 2 * R[k] * R[k] * R[k] / 3 * cut_off_[k].value();
    faces[k].assign(all, {});
    for (std::size_t f = 0; f < all; ++f) finish(owners_[f], k, R[k], faces[k][f]);
  }
}

}  // namespace hydrolith
