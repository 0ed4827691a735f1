// The wet cell is bounded by the wet parts of the cell's faces and by pieces of the solids'
// triangles. Each triangle is clipped by the planes of the cell. Neighbouring triangles clip their
// common edge by the same arithmetic, so the pieces fit together to the last bit; where they end
// on a plane p of the cell they leave directed segments, and where a segment on p goes over into
// one on q the surface crosses the cell's edge (p, q). Hence, with n_T the triangle's outward
// normal, n_T.(n_p x n_q) > 0: along n_p x n_q the edge leaves the solid there.
//
// The wet part of a face is bounded by the parts of its edges that lie in no solid and by the
// segments. Area and moment follow from these lines by Green's theorem, with r in the plane:
//   A = sum 1/2 n.((a - r) x (b - r)),   M = sum (signed area of r, a, b) (r + a + b) / 3
// and from all plane pieces, each the base of a pyramid with its tip in the particle:
//   V = sum 1/3 n.f A,   integral of y dV = sum 1/4 (n.f) M
// The spread, the integral of |y|^2, is that of triangles r, a, b of area T:
//   T / 6 (|r|^2 + |a|^2 + |b|^2 + r.a + r.b + a.b)
#include "cells/solid_cut_3d.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr std::uint32_t none = ~std::uint32_t(0);
constexpr int unknown = -1000000;

bool before(const Vec3& a, const Vec3& b) {
  if (a.x() != b.x()) return a.x() < b.x();
  if (a.y() != b.y()) return a.y() < b.y();
  return a.z() < b.z();
}

// Side on which the line a-b passes the edge u-v: opposite for v-u, whatever the round-off.
bool passes_left(const Vec3& a, const Vec3& b, const Vec3& u, const Vec3& v) {
  if (before(v, u)) return !passes_left(a, b, v, u);
  return (b - a).dot((u - a).cross(v - a)) >= 0;
}

Vec3 area_vector(const CutTriangle& t) {
  return (t.corner[1] - t.corner[0]).cross(t.corner[2] - t.corner[0]);
}

}  // namespace

int passes(const Vec3& a, const Vec3& b, const CutTriangle& t) {
  const Vec3 n = area_vector(t);
  const bool out_a = n.dot(a - t.corner[0]) > 0, out_b = n.dot(b - t.corner[0]) > 0;
  if (out_a == out_b) return 0;
  const bool left = passes_left(a, b, t.corner[0], t.corner[1]);
  if (left != passes_left(a, b, t.corner[1], t.corner[2])) return 0;
  if (left != passes_left(a, b, t.corner[2], t.corner[0])) return 0;
  return out_a ? 1 : -1;
}

void SolidCut::clear(int planes) {
  faces.assign(planes, {});
  facets.clear();
  lines.clear();
  volume = gap = farthest_sq = 0;
  moment.setZero();
  corners_.clear();
  pieces_.clear();
  segments_.clear();
  crossings_.clear();
  several_ = false;
}

bool SolidCut::cut(const Polyhedron& cell, std::span<const CutTriangle> triangles) {
  clear(cell.planes());
  keeps_lines_ = cell.farthest_sq() > keep_lines_beyond_sq;
  triangles_ = triangles;
  for (std::uint32_t k = 0; k < triangles.size(); ++k) clip(cell, k);
  if (pieces_.empty()) {
    sum_whole(cell);
    return true;
  }
  for (const Piece& piece : pieces_) {
    collect(piece, triangles[piece.triangle].surface);
    several_ |= triangles[piece.triangle].surface != triangles[pieces_[0].triangle].surface;
  }
  if (!count_solids(cell)) return false;

  Vec3 sum = Vec3::Zero();
  for (int p = 0; p < cell.planes(); ++p) {
    if (cell.first_corner(p) == cell.first_corner(p + 1)) continue;
    owner_ = p, inward_ = false;
    sum_face(cell, p);
    faces[p] = sum_;
    sum += sum_.area * normal_;
    volume += sum_.area * cell.distance(p) / 3;
    moment += cell.distance(p) / 4 * sum_.moment;
  }
  for (const Piece& piece : pieces_) {
    owner_ = cell.planes() + int(facets.size()), inward_ = true;
    const std::size_t before = lines.size();
    sum_piece(piece);
    if (sum_.area <= 0) {
      lines.resize(before);
      continue;
    }
    const CutTriangle& t = triangles[piece.triangle];
    const double distance = -normal_.dot(t.corner[0]);  // from the origin to the plane, outwards
    facets.push_back({t.surface, t.element, -normal_, distance, sum_});
    sum -= sum_.area * normal_;
    volume += sum_.area * distance / 3;
    moment += distance / 4 * sum_.moment;
  }
  gap = sum.norm();
  return true;
}

// No solid in the cell. Each edge adds to its two faces; r is the foot of the origin on the plane,
// so that n.((a - r) x (b - r)) = n.(a x b).
void SolidCut::sum_whole(const Polyhedron& cell) {
  clear(cell.planes());
  farthest_sq = cell.farthest_sq();
  const bool keeps_lines = farthest_sq > keep_lines_beyond_sq;
  cell.for_each_edge([&](int from, int to, int left, int right) {
    const Vec3 a = cell.vertex(from), b = cell.vertex(to), product = a.cross(b), sum = a + b;
    if (keeps_lines) lines.push_back({a, b, left}), lines.push_back({b, a, right});
    const double on_left = cell.normal(left).dot(product);
    const double on_right = -cell.normal(right).dot(product);
    const double spread = a.squaredNorm() + b.dot(sum);
    faces[left].area += on_left;
    faces[left].moment += on_left * sum;
    faces[left].spread += on_left * spread;
    faces[right].area += on_right;
    faces[right].moment += on_right * sum;
    faces[right].spread += on_right * spread;
  });
  Vec3 total = Vec3::Zero();
  for (int p = 0; p < cell.planes(); ++p) {
    PlaneSum& face = faces[p];
    if (face.area == 0) continue;
    const Vec3 n = cell.normal(p);
    const double d = cell.distance(p);
    face.area *= 0.5;
    face.moment = (0.5 * face.moment + face.area * d * n) / 3;
    face.spread = (0.5 * face.spread + 3 * d * d * face.area) / 6;
    total += face.area * n;
    volume += face.area * d / 3;
    moment += d / 4 * face.moment;
  }
  gap = total.norm();
}

// Sutherland & Hodgman 1974, with every edge remembering the plane it lies in.
void SolidCut::clip(const Polyhedron& cell, std::uint32_t triangle) {
  const CutTriangle& t = triangles_[triangle];
  polygon_.clear();
  for (const Vec3& x : t.corner) polygon_.push_back({x, -1});
  for (int p = 0; p < cell.planes(); ++p) {
    if (cell.first_corner(p) == cell.first_corner(p + 1)) continue;
    const Vec3 n = cell.normal(p);
    const double d = cell.distance(p);
    int outside = 0;
    for (const Corner& c : polygon_) outside += n.dot(c.x) > d;
    if (outside == 0) continue;
    if (outside == int(polygon_.size())) return;
    clipped_.clear();
    for (std::size_t k = 0; k < polygon_.size(); ++k) {
      const Corner &a = polygon_[k], &b = polygon_[k + 1 == polygon_.size() ? 0 : k + 1];
      const double s_a = n.dot(a.x) - d, s_b = n.dot(b.x) - d;
      const bool in_a = n.dot(a.x) <= d, in_b = n.dot(b.x) <= d;
      if (in_a) clipped_.push_back(a);
      if (in_a && !in_b) clipped_.push_back({a.x + s_a / (s_a - s_b) * (b.x - a.x), p});
      if (!in_a && in_b) clipped_.push_back({b.x + s_b / (s_b - s_a) * (a.x - b.x), a.plane});
    }
    polygon_.swap(clipped_);
  }
  const Vec3 n = area_vector(t);
  const double length = n.norm();
  if (!(length > 0)) return;
  const int first = int(corners_.size());
  corners_.insert(corners_.end(), polygon_.begin(), polygon_.end());
  pieces_.push_back({n / length, triangle, first, int(corners_.size())});
}

void SolidCut::collect(const Piece& piece, std::uint32_t surface) {
  for (int k = piece.first; k < piece.last; ++k) {
    const Corner &a = corners_[k], &b = corners_[k + 1 == piece.last ? piece.first : k + 1];
    if (a.plane < 0) continue;
    segments_.push_back({a.plane, surface, a.x, b.x});
    if (b.plane >= 0) crossings_.push_back({a.plane, b.plane, b.x});
  }
}

// Number of solids at x: passes of the line from the origin, which lies outside all.
int SolidCut::solids_at(const Vec3& x, std::uint32_t except, std::uint32_t except_too) const {
  int solids = 0;
  for (const CutTriangle& t : triangles_)
    if (t.surface != except && t.surface != except_too) solids += passes(Vec3::Zero(), x, t);
  return solids;
}

// Number of solids at every vertex: one by a line from the origin, the rest along the edges.
bool SolidCut::count_solids(const Polyhedron& cell) {
  solids_.assign(cell.vertices(), unknown);
  const int start = cell.corner(0);
  solids_[start] = solids_at(cell.vertex(start), none, none);
  if (crossings_.empty()) {
    std::fill(solids_.begin(), solids_.end(), solids_[start]);
    return solids_[start] >= 0;
  }
  stack_.assign(1, start);
  while (!stack_.empty()) {
    const int from = stack_.back();
    stack_.pop_back();
    for (int e = 0; e < 3; ++e) {
      const int to = cell.edge_to(from, e), p = cell.edge_left(from, e);
      const int q = cell.edge_right(from, e);
      int solids = solids_[from];
      for (const Crossing& x : crossings_)
        solids += int(x.to == p && x.from == q) - int(x.from == p && x.to == q);
      if (solids_[to] == unknown) {
        solids_[to] = solids;
        stack_.push_back(to);
      } else if (solids_[to] != solids) {
        return false;
      }
    }
  }
  return *std::min_element(solids_.begin(), solids_.end()) >= 0;
}

void SolidCut::find_steps(int p, int q, const Vec3& a, const Vec3& b) {
  steps_.clear();
  const Vec3 ab = b - a;
  for (const Crossing& c : crossings_) {
    if (c.from == p && c.to == q) steps_.push_back({ab.dot(c.x - a), -1});
    if (c.from == q && c.to == p) steps_.push_back({ab.dot(c.x - a), 1});
  }
}

void SolidCut::sum_face(const Polyhedron& cell, int p) {
  sum_ = {};
  normal_ = cell.normal(p);
  reference_ = cell.distance(p) * normal_;
  const int first = cell.first_corner(p), last = cell.first_corner(p + 1);
  for (int c = first; c < last; ++c) {
    const int from = cell.corner(c), to = cell.corner(c + 1 == last ? first : c + 1);
    const Vec3 a = cell.vertex(from), b = cell.vertex(to);
    find_steps(p, cell.across(c), a, b);
    add_edge(a, b, solids_[from]);
  }
  for (const Segment& s : segments_) {
    if (s.plane != p) continue;
    if (several_)
      add_outside(s.a, s.b, s.surface, none);
    else
      add_line(s.a, s.b);
  }
}

void SolidCut::sum_piece(const Piece& piece) {
  sum_ = {};
  normal_ = piece.normal;
  reference_ = corners_[piece.first].x;
  const std::uint32_t surface = triangles_[piece.triangle].surface;
  for (int k = piece.first; k < piece.last; ++k) {
    const Vec3 a = corners_[k].x, b = corners_[k + 1 == piece.last ? piece.first : k + 1].x;
    if (several_)
      add_outside(a, b, surface, none);
    else
      add_line(a, b);
  }
  if (!several_) return;
  for (const Piece& other : pieces_)
    if (triangles_[other.triangle].surface != surface) add_overlap(piece, other);
}

void SolidCut::add_line(const Vec3& a, const Vec3& b) {
  const double area = 0.5 * normal_.dot((a - reference_).cross(b - reference_));
  sum_.area += area;
  sum_.moment += area / 3 * (reference_ + a + b);
  sum_.spread += area / 6 * (reference_.dot(reference_ + a + b) + a.squaredNorm() + b.dot(a + b));
  farthest_sq = std::max({farthest_sq, a.squaredNorm(), b.squaredNorm()});
  if (keeps_lines_) lines.push_back(inward_ ? Line{b, a, owner_} : Line{a, b, owner_});
}

// The parts of a line that lie in no solid, from the number of solids at its start and steps_.
void SolidCut::add_edge(const Vec3& a, const Vec3& b, int solids) {
  if (steps_.empty()) {
    if (solids == 0) add_line(a, b);
    return;
  }
  const double length_sq = (b - a).squaredNorm();
  std::sort(steps_.begin(), steps_.end(), [](const Step& s, const Step& t) { return s.t < t.t; });
  Vec3 from = a;
  for (const Step& step : steps_) {
    const Vec3 to = a + step.t / length_sq * (b - a);
    if (solids == 0) add_line(from, to);
    solids += step.change;
    from = to;
  }
  if (solids == 0) add_line(from, b);
}

// The parts of a line that lie in none of the other solids.
void SolidCut::add_outside(const Vec3& a, const Vec3& b, std::uint32_t except,
                           std::uint32_t except_too) {
  steps_.clear();
  const double length_sq = (b - a).squaredNorm();
  for (const CutTriangle& t : triangles_) {
    if (t.surface == except || t.surface == except_too) continue;
    const int change = passes(a, b, t);
    if (change == 0) continue;
    const Vec3 n = area_vector(t);
    const double s_a = n.dot(a - t.corner[0]), s_b = n.dot(b - t.corner[0]);
    steps_.push_back({s_a / (s_a - s_b) * length_sq, change});
  }
  add_edge(a, b, solids_at(a, except, except_too));
}

// The line in which another solid's piece crosses this one, n_T' x n_T seen from outside.
void SolidCut::add_overlap(const Piece& piece, const Piece& other) {
  const Vec3 direction = other.normal.cross(piece.normal);
  Vec3 end[2];
  int ends = 0;
  for (int k = other.first; k < other.last; ++k) {
    const Vec3 &a = corners_[k].x, &b = corners_[k + 1 == other.last ? other.first : k + 1].x;
    const double s_a = piece.normal.dot(a - reference_), s_b = piece.normal.dot(b - reference_);
    if ((s_a > 0) == (s_b > 0)) continue;
    if (ends == 2) return;
    end[ends++] = s_a > 0 ? b + s_b / (s_b - s_a) * (a - b) : a + s_a / (s_a - s_b) * (b - a);
  }
  if (ends < 2) return;
  if (direction.dot(end[1] - end[0]) < 0) std::swap(end[0], end[1]);
  for (int k = piece.first; k < piece.last; ++k) {  // keep what is inside this piece
    const Vec3 &a = corners_[k].x, &b = corners_[k + 1 == piece.last ? piece.first : k + 1].x;
    const Vec3 inward = piece.normal.cross(b - a);
    const double s_0 = inward.dot(end[0] - a), s_1 = inward.dot(end[1] - a);
    if (s_0 < 0 && s_1 < 0) return;
    if (s_0 < 0)
      end[0] = end[1] + s_1 / (s_1 - s_0) * (end[0] - end[1]);
    else if (s_1 < 0)
      end[1] = end[0] + s_0 / (s_0 - s_1) * (end[1] - end[0]);
  }
  add_outside(end[0], end[1], triangles_[piece.triangle].surface,
              triangles_[other.triangle].surface);
}

}  // namespace hydrolith
