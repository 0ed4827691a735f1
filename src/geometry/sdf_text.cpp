#include "geometry/sdf_text.h"

#include "hydrolith/error.h"

#include "geometry/sdf_primitives.h"
#include "geometry/shape_checks.h"
#include "geometry/stroke_font.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

struct Segment {
  Vec2 a, b;  // [m]
  double distance_sq(const Vec2& p) const {
    const Vec2 ab = b - a;
    return (p - a - std::clamp((p - a).dot(ab) / ab.squaredNorm(), 0.0, 1.0) * ab).squaredNorm();
  }
};

struct Letter {
  Vec2 lo, hi;  // [m] of its centre lines
  std::vector<Segment> segments;

  double box_distance_sq(const Vec2& p) const {
    return (lo - p).cwiseMax(p - hi).cwiseMax(0.0).squaredNorm();
  }
  double distance_sq(const Vec2& p) const {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Segment& segment : segments) nearest = std::min(nearest, segment.distance_sq(p));
    return nearest;
  }
};

// Sets the characters side by side, one and a half grid units apart beside the stroke, and centres.
std::vector<Letter> set_text(const TextShape& s) {
  const double unit = (s.height - s.stroke) / 6;
  std::vector<Letter> letters;
  double pen = 0;
  for (const char c : s.text) {
    const Glyph shape = glyph(c);
    Letter letter{Vec2::Constant(1e30), Vec2::Constant(-1e30), {}};
    for (const auto& line : shape.lines)
      for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        const auto place = [&](const Vec2& p) {
          return Vec2(pen + unit * p.x(), unit * (p.y() - 3));
        };
        letter.segments.push_back({place(line[i]), place(line[i + 1])});
        for (const Vec2& p : {letter.segments.back().a, letter.segments.back().b}) {
          letter.lo = letter.lo.cwiseMin(p);
          letter.hi = letter.hi.cwiseMax(p);
        }
      }
    if (!letter.segments.empty()) letters.push_back(std::move(letter));
    pen += unit * (shape.width + 1.5) + s.stroke;
  }
  if (letters.empty()) throw MeshError(fmt::format("text: \"{}\" has nothing to show.", s.text));
  const double middle = 0.5 * (letters.front().lo.x() + letters.back().hi.x());
  for (Letter& letter : letters) {
    letter.lo.x() -= middle, letter.hi.x() -= middle;
    for (Segment& segment : letter.segments) segment.a.x() -= middle, segment.b.x() -= middle;
  }
  return letters;
}

class Text final : public Sdf {
 public:
  explicit Text(const TextShape& s)
      : letters_(set_text(s)), pen_(0.5 * s.stroke), half_depth_(0.5 * s.depth) {}

  double operator()(const Vec3& x) const override {
    const Vec2 p = x.head<2>();
    // The letter with the nearest box first: it spares most of the others.
    const auto first = std::min_element(letters_.begin(), letters_.end(), [&](auto& l, auto& r) {
      return l.box_distance_sq(p) < r.box_distance_sq(p);
    });
    double nearest_sq = first->distance_sq(p);
    for (const Letter& letter : letters_)
      if (letter.box_distance_sq(p) < nearest_sq && &letter != &*first)
        nearest_sq = std::min(nearest_sq, letter.distance_sq(p));
    return extruded(std::sqrt(nearest_sq) - pen_, std::abs(x.z()) - half_depth_);
  }
  double support(const Vec3& e, double offset) const override {
    double across = -std::numeric_limits<double>::infinity();
    for (const Letter& letter : letters_)
      for (const Segment& s : letter.segments)
        across = std::max({across, s.a.dot(e.head<2>()), s.b.dot(e.head<2>())});
    return across + pen_ * e.head<2>().norm() + half_depth_ * std::abs(e.z()) + offset * e.norm();
  }
  double detail() const override { return pen_ / 3; }

 private:
  std::vector<Letter> letters_;
  double pen_, half_depth_;  // [m]
};

}  // namespace

SdfPtr sdf_of(const TextShape& s) {
  check(s);
  return std::make_shared<Text>(s);
}

}  // namespace hydrolith
