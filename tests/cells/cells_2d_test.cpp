#include "about.h"
#include "cells/cells.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

using namespace hydrolith;

namespace {

constexpr double h = 0.05;                   // [m]
constexpr double side = 20 * h;              // [m] of the tank
constexpr double cut_round_off = 1e-10 * h;  // what counts as closed

std::vector<Vec2> rectangle(const Vec2& lo, const Vec2& hi) {
  return {lo, Vec2(hi[0], lo[1]), hi, Vec2(lo[0], hi[1])};
}
std::vector<Vec2> disc(double radius, int segments) {
  std::vector<Vec2> loop;
  for (int k = 0; k < segments; ++k) {
    const double angle = 2 * std::numbers::pi * k / segments;
    loop.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  return loop;
}
/// Solid outside a rectangle, `wall` thick.
Polygons tank_outline(const Vec2& lo, const Vec2& hi, double wall) {
  std::vector<Vec2> hole = rectangle(lo, hi);
  std::reverse(hole.begin(), hole.end());
  const Vec2 by = Vec2::Constant(wall);
  return {{rectangle(lo - by, hi + by), hole}};
}
Pose at(double x, double y, double angle = 0) {
  return {Vec3(x, y, 0), Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()))};
}

/// Particles in a tank and solids among them.
struct Setup {
  std::vector<Polygons> outlines;
  std::vector<SurfaceIndex> indices;
  std::vector<CellSurface> surfaces;
  std::vector<Vec3> x;
  CellOptions options{.dimensions = 2, .h = h, .inner = 1.9, .outer = 2.1};

  explicit Setup(std::vector<Polygons> shapes, const std::vector<Pose>& poses = {})
      : outlines(std::move(shapes)) {
    for (const Polygons& p : outlines) indices.emplace_back(p);
    for (std::size_t k = 0; k < indices.size(); ++k)
      surfaces.push_back({&indices[k], k < poses.size() ? poses[k] : Pose{}});
  }
  bool is_free(const Vec3& y, double clearance) const {
    SurfaceIndex::Nearest nearest;
    for (const CellSurface& s : surfaces)
      if (s.index->nearest(s.pose.inverse() * y, side, nearest) && nearest.distance < clearance)
        return false;
    return true;
  }
  /// A lattice with jitter [h] where there is room.
  void fill(const Vec2& lo, const Vec2& hi, double jitter, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> offset(-jitter * h, jitter * h);
    for (double y = lo[1] + h / 2; y < hi[1]; y += h)
      for (double a = lo[0] + h / 2; a < hi[0]; a += h) {
        const Vec3 p(a + offset(random), y + offset(random), 0);
        if (is_free(p, 0.1 * h)) x.push_back(p);
      }
  }
  Cells build() const {
    Cells cells;
    CellBuilder().build(options, x, surfaces, cells);
    return cells;
  }
};

double total(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

/// The tank and one body in it, full of jittered particles.
Setup full_tank(const Polygons& body, const Pose& pose, double jitter = 0.25) {
  Setup s({tank_outline(Vec2(0, 0), Vec2(side, side), 10 * h), body}, {Pose{}, pose});
  s.fill(Vec2(0, 0), Vec2(side, side), jitter, 5);
  return s;
}

const CellFace* face_towards(const Cells& cells, std::size_t i, std::uint32_t j) {
  for (const CellFace& f : cells.faces_of(i))
    if (f.neighbour == j) return &f;
  return nullptr;
}

struct Body {
  const char* name;
  Polygons outline;
  Pose pose;
};
std::vector<Body> bodies() {
  const double c = side / 2;
  return {
      {"disc", {{disc(3 * h, 64)}}, at(c + 0.013, c)},
      {"box", {{rectangle(Vec2(-3 * h, -2 * h), Vec2(3 * h, 2 * h))}}, at(c + 0.01, c + 0.02)},
      {"turned box", {{rectangle(Vec2(-3 * h, -2 * h), Vec2(3 * h, 2 * h))}}, at(c, c, 0.4)},
      {"L",
       {{{Vec2(0, 0), Vec2(6 * h, 0), Vec2(6 * h, 3 * h), Vec2(3 * h, 3 * h), Vec2(3 * h, 6 * h),
          Vec2(0, 6 * h)}}},
       at(c, c, 0.7)},
      {"plate", {{rectangle(Vec2(-4 * h, -0.1 * h), Vec2(4 * h, 0.1 * h))}}, at(c, c, 0.2)},
      {"grain", {{disc(0.6 * h, 32)}}, at(c, c + 0.3 * h)},
      {"wedge", {{{Vec2(0, 0), Vec2(5 * h, -0.4 * h), Vec2(5 * h, 0.4 * h)}}}, at(c, c, 0.3)},
      {"box on the lattice", {{rectangle(Vec2(-3 * h, -2 * h), Vec2(3 * h, 2 * h))}}, at(c, c)}};
}

void check_cells(const Setup& s, double liquid, const Cells& cells) {
  CHECK(cells.mended == 0);
  CHECK(cells.worst_gap <= 1e-10);
  CHECK(total(cells.volume) == about(liquid, 1e-13));
  CHECK(total(cells.open) == 0);
  double asymmetry = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i)
    for (const CellFace& f : cells.faces_of(i)) {
      const CellFace* back = face_towards(cells, f.neighbour, static_cast<std::uint32_t>(i));
      const double area = back != nullptr ? back->area : 0;
      asymmetry = std::max(asymmetry, std::abs(area - f.area));
    }
  CHECK(asymmetry < cut_round_off);
}

/// sum A n = 0 and sum A n (x) f = -area I over the facets of a body: n points into it.
void check_facets(const Setup& s, const Cells& cells, std::uint32_t body) {
  Vec3 sum = Vec3::Zero();
  Mat3 moment = Mat3::Zero();
  for (const CellFacet& f : cells.facets) {
    if (f.surface != body) continue;
    sum += f.area * f.normal;
    moment += f.area * f.normal * (s.x[f.particle] + f.centre).transpose();
  }
  const double area = section_properties(s.outlines[body]).area;
  CHECK(sum.norm() < cut_round_off);
  // Positions are known to 1e-7 h: particles are moved by as much to break ties.
  CHECK(std::abs(moment(0, 0) + area) < 1e-6 * area);
  CHECK(std::abs(moment(1, 1) + area) < 1e-6 * area);
  CHECK(std::abs(moment(0, 1)) < 1e-6 * area);
}

}  // namespace

TEST_CASE("cells fill a full tank round a body, faces agree from both sides") {
  for (const Body& body : bodies()) {
    CAPTURE(body.name);
    const Setup s = full_tank(body.outline, body.pose);
    const Cells cells = s.build();
    check_cells(s, side * side - section_properties(body.outline).area, cells);
    check_facets(s, cells, 1);
  }
}

TEST_CASE("a perfect lattice in line with walls and a box is cut as well") {
  const Body body = bodies().back();
  for (const double offset : {0.0, 0.5 * h, 1e-9 * h, 0.25 * h}) {
    CAPTURE(offset);
    const Setup s = full_tank(body.outline, at(side / 2 + offset, side / 2), 0);
    const Cells cells = s.build();
    check_cells(s, side * side - section_properties(body.outline).area, cells);
    check_facets(s, cells, 1);
  }
}

TEST_CASE("volumes change with neighbours as A (x_j - f) / r") {
  for (const Body& body : bodies()) {
    CAPTURE(body.name);
    Setup s = full_tank(body.outline, body.pose);
    const Cells cells = s.build();
    const double d = 1e-4 * h;
    double worst = 0;
    for (std::uint32_t j = 0; j < s.x.size(); j += 7)
      for (int axis = 0; axis < 2; ++axis) {
        const Vec3 x = s.x[j];
        s.x[j][axis] = x[axis] + d;
        const Cells up = s.build();
        s.x[j][axis] = x[axis] - d;
        const Cells down = s.build();
        s.x[j] = x;
        for (const CellFace& back : cells.faces_of(j)) {
          const std::uint32_t i = back.neighbour;
          const CellFace* f = face_towards(cells, i, j);
          REQUIRE(f != nullptr);
          if (f->area < 0.05 * h) continue;  // may vanish on the way
          const Vec3 to_j = s.x[j] - s.x[i];
          const double exact = (f->push * to_j - f->moment)[axis] / to_j.norm();
          const double measured = (up.volume[i] - down.volume[i]) / (2 * d);
          worst = std::max(worst, std::abs(measured - exact));
        }
      }
    CHECK(worst < 1e-6 * h);
  }
}

TEST_CASE("volumes change with a body as the area of its facets") {
  for (const Body& body : bodies()) {
    CAPTURE(body.name);
    Setup s = full_tank(body.outline, body.pose);
    const Cells cells = s.build();
    const double d = 1e-5 * h;
    for (int axis = 0; axis < 2; ++axis) {
      Pose& pose = s.surfaces[1].pose;
      pose.position[axis] += d;
      const Cells up = s.build();
      pose.position[axis] -= 2 * d;
      const Cells down = s.build();
      pose.position[axis] += d;
      int wrong = 0;
      for (std::size_t i = 0; i < s.x.size(); ++i) {
        double exact = 0;
        for (const CellFacet& f : cells.facets_of(i))
          exact += f.surface == 1 ? f.push * f.normal[axis] : 0;
        const double measured = (up.volume[i] - down.volume[i]) / (2 * d);
        // A corner that passes from cell to cell bends the curve there by about d.
        wrong += std::abs(measured - exact) > 1e-6 * h + d;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a box that stands on the floor leaves the cells beside it whole") {
  for (const double sunk : {0.0, 1e-12 * h, -1e-12 * h, 1e-3 * h}) {
    CAPTURE(sunk);
    const Polygons box{{rectangle(Vec2(-3 * h, 0), Vec2(3 * h, 4 * h))}};
    const Setup s = full_tank(box, at(side / 2 + 0.01, -sunk));
    const Cells cells = s.build();
    CHECK(cells.mended == 0);
    CHECK(cells.worst_gap <= 1e-10);
    const double liquid = side * side - 6 * h * (4 * h - sunk);
    // A cut that had to be moved is off by 1e-6 h.
    CHECK(total(cells.volume) == about(liquid, 1e-6));
    for (const double v : cells.volume) CHECK(v < 2.5 * h * h);
  }
}

TEST_CASE("nothing comes out behind a thin plate") {
  const double thick = 0.25 * h;
  Setup s({tank_outline(Vec2(0, 0), Vec2(side, side), 10 * h),
           {{rectangle(Vec2(-h, -thick), Vec2(side + h, 0))}}},
          {Pose{}, at(0, side / 2)});
  s.fill(Vec2(0, side / 2), Vec2(side, side), 0.25, 9);  // above the plate only
  Cells cells = s.build();
  check_cells(s, side * side / 2, cells);

  // With liquid on both sides cells still fill it all, once.
  s.fill(Vec2(0, 0), Vec2(side, side / 2 - thick), 0.25, 10);
  cells = s.build();
  check_cells(s, side * (side - thick), cells);
}

/// Two columns of liquid with a plate between them that leaves no way round.
Setup parted(double thick, unsigned seed) {
  Setup s({tank_outline(Vec2(0, 0), Vec2(side, side), 10 * h),
           {{rectangle(Vec2(-thick / 2, -h), Vec2(thick / 2, side + h))}}},
          {Pose{}, at(side / 2, 0, 0)});
  s.fill(Vec2(0, 0), Vec2(side, side), 0.25, seed);
  return s;
}

TEST_CASE("a plate with liquid on both sides is tight, and wet all over on both, however thin") {
  for (const double thick : {0.5 * h, 0.25 * h, 0.1 * h, 0.02 * h}) {
    CAPTURE(thick / h);
    const Setup s = parted(thick, 12);
    const Cells cells = s.build();
    const auto is_left = [&](std::size_t i) { return s.x[i][0] < side / 2; };
    CHECK(cells.mended == 0);
    Vec2 volume(0, 0), wet(0, 0);
    double across = 0;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      volume[is_left(i)] += cells.volume[i];
      for (const CellFace& f : cells.faces_of(i))
        across += is_left(i) != is_left(f.neighbour) ? f.area : 0;
      for (const CellFacet& f : cells.facets_of(i)) {
        if (f.surface != 1) continue;
        wet[is_left(i)] += f.area;
        CHECK(f.normal[0] == about(is_left(i) ? 1.0 : -1.0, 1e-9));  // that of its own side
      }
    }
    CHECK(across == 0);
    for (const int k : {0, 1}) {
      CHECK(volume[k] == about(side * (side / 2 - thick / 2), 1e-6));
      CHECK(wet[k] == about(side, 1e-6));
    }
  }
}

TEST_CASE("a cup with thin walls keeps its liquid inside, into the corners") {
  Setup s({tank_outline(Vec2(0, 0), Vec2(8 * h, 8 * h), 0.2 * h)});
  s.fill(Vec2(0, 0), Vec2(8 * h, 8 * h), 0.25, 11);
  check_cells(s, 64 * h * h, s.build());
}

TEST_CASE("a particle alone is a drop with an open surface all round") {
  Setup s({});
  s.x = {Vec3(0.3, 0.2, 0)};
  const Cells cells = s.build();
  // pi R_0^2 - X - Y, and 2 pi / Omega_flat, by the formulas of free_surface.h.
  CHECK(cells.volume[0] == about(1.0810 * h * h, 1e-3));
  CHECK(cells.open[0] == about(12.43, 1e-3));
  CHECK(cells.centroid[0].norm() < 1e-12 * h);
  CHECK(cells.faces.empty());
}

TEST_CASE("a flat free surface lies half a spacing above its particles") {
  Setup s({tank_outline(Vec2(0, 0), Vec2(side, side), 10 * h)});
  s.fill(Vec2(0, 0), Vec2(side, side / 2), 0, 1);
  s.options = {.dimensions = 2, .h = h};
  const Cells cells = s.build();
  CHECK(cells.mended == 0);
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    CHECK(cells.volume[i] == about(h * h, 1e-3));
    const bool top = s.x[i][1] > side / 2 - h;
    CHECK(std::abs(cells.open[i] - (top ? 1 : 0)) < 2e-3);
  }
}

// The whole derivative: what the divergence does not know of, it gives back as if it were
// compression.
TEST_CASE("at a free surface volumes change as faces and facets say") {
  Setup s({tank_outline(Vec2(0, 0), Vec2(side, side), 10 * h), {{disc(3 * h, 64)}}},
          {Pose{}, at(side / 2, side / 2)});  // a disc afloat, and drops above
  s.fill(Vec2(0, 0), Vec2(side, side / 2), 0.3, 3);
  s.fill(Vec2(2 * h, side / 2 + h), Vec2(4 * h, side / 2 + 4 * h), 0.4, 4);
  s.options = {.dimensions = 2, .h = h};
  const Cells cells = s.build();
  int open = 0;
  const double d = 1e-6 * h;
  const auto differences = [&](double& moved) {
    moved += d;
    const Cells up = s.build();
    moved -= 2 * d;
    const Cells down = s.build();
    moved += d;
    std::vector<double> change(s.x.size());
    for (std::size_t i = 0; i < change.size(); ++i)
      change[i] = (up.volume[i] - down.volume[i]) / (2 * d);
    return change;
  };
  int wrong = 0;
  for (std::uint32_t j = 0; j < s.x.size(); ++j) {
    if (!(cells.open[j] > 0)) continue;
    ++open;
    for (int axis = 0; axis < 2; ++axis) {
      const std::vector<double> change = differences(s.x[j][axis]);
      for (std::uint32_t i = 0; i < s.x.size(); ++i) {
        if (i == j) continue;
        const CellFace* f = face_towards(cells, i, j);
        const Vec3 to_j = s.x[j] - s.x[i];
        const double exact = f ? (f->push * to_j - f->moment)[axis] / to_j.norm() : 0;
        wrong += std::abs(change[i] - exact) > 1e-4 * h;
      }
    }
  }
  CHECK(open >= 15);
  CHECK(wrong == 0);
  for (int axis = 0; axis < 2; ++axis) {
    const std::vector<double> change = differences(s.surfaces[1].pose.position[axis]);
    for (std::uint32_t i = 0; i < s.x.size(); ++i) {
      double exact = 0;
      for (const CellFacet& f : cells.facets_of(i))
        exact += f.surface == 1 ? f.push * f.normal[axis] : 0;
      wrong += std::abs(change[i] - exact) > 1e-4 * h;
    }
  }
  CHECK(wrong == 0);
}
