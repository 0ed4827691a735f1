#include "geometry/facet.h"

#include "hydrolith/error.h"

#include "geometry/rings.h"
#include "geometry/shape_checks.h"

#include <fmt/format.h>

#include <map>
#include <numbers>

namespace hydrolith {

using std::numbers::pi;

int circle_segments(double radius, double resolution) {
  const double facets = 2 * pi * radius / (0.5 * resolution);
  // The sagitta r (1 - cos(pi / n)) ~ r pi^2 / (2 n^2) stays below 0.01 resolution.
  const double chords = pi * std::sqrt(radius / (0.02 * resolution));
  return 4 * static_cast<int>(std::ceil(std::clamp(std::min(facets, chords), 64.0, 640.0) / 4));
}

namespace {

// Profile points on a quarter circle around `centre`, from `from` to `to` in units of 90 degrees,
// angle 0 pointing outwards and 1 upwards. Ends on the axis are exactly there.
void add_arc(std::vector<Vec2>& profile, const Vec2& centre, double radius, double from, double to,
             int steps) {
  for (int i = 0; i <= steps; ++i) {
    const double angle = 0.5 * pi * (from + (to - from) * i / steps);
    const Vec2 p = centre + radius * Vec2(std::cos(angle), std::sin(angle));
    profile.emplace_back(std::abs(p.x()) < 1e-15 * radius ? 0.0 : p.x(), p.y());
  }
}

// A sphere of unit radius from a lattice cube with equal angles between the lattice lines.
Vec3 on_sphere(const Eigen::Vector3i& ijk, int cells) {
  const auto tangent = [&](int i) {
    return 2 * i == cells ? 0.0 : std::tan(0.25 * pi * (2 * i - cells) / cells);
  };
  return Vec3(tangent(ijk.x()), tangent(ijk.y()), tangent(ijk.z())).normalized();
}

TriangleMesh facet_ellipsoid(const Vec3& radii, double resolution) {
  const int cells = circle_segments(radii.maxCoeff(), resolution) / 4 / 2 * 2;
  return lattice_cube(Eigen::Vector3i::Constant(cells), [&](const Eigen::Vector3i& ijk) {
    return Vec3(radii.cwiseProduct(on_sphere(ijk, cells)));
  });
}

}  // namespace

TriangleMesh facet(const BoxShape& shape, double) {
  check(shape);
  return lattice_cube(Eigen::Vector3i::Ones(), [&](const Eigen::Vector3i& ijk) {
    return Vec3(shape.size.cwiseProduct(ijk.cast<double>() - Vec3::Constant(0.5)));
  });
}

TriangleMesh facet(const PlateShape& shape, double resolution) {
  return facet(BoxShape{{shape.width, shape.thickness, shape.depth}}, resolution);
}

// A lattice whose lines bend around the edges at equal angles and leave the flats in one piece;
// where there is no flat (rounding of half the size), the two middle lines are one.
TriangleMesh facet(const RoundedBoxShape& shape, double resolution) {
  check(shape);
  if (shape.rounding == 0) return facet(BoxShape{shape.size}, resolution);
  const int m = circle_segments(shape.rounding, resolution) / 8;  // lines of each 45 degree bend
  const Vec3 inner = 0.5 * shape.size - Vec3::Constant(shape.rounding);
  Eigen::Vector3i cells;
  for (int k = 0; k < 3; ++k) cells[k] = inner[k] > 1e-9 * shape.rounding ? 2 * m + 1 : 2 * m;
  return lattice_cube(cells, [&](const Eigen::Vector3i& ijk) {
    Vec3 centre, bend;
    for (int k = 0; k < 3; ++k) {
      const bool high = 2 * ijk[k] > cells[k];
      const int steps = high ? ijk[k] - (cells[k] - m) : ijk[k] - m;
      centre[k] = high ? inner[k] : 2 * ijk[k] == cells[k] ? 0.0 : -inner[k];
      bend[k] = std::tan(0.25 * pi * steps / m);
    }
    return Vec3(centre + shape.rounding * bend.normalized());
  });
}

TriangleMesh facet(const SphereShape& shape, double resolution) {
  check(shape);
  return facet_ellipsoid(Vec3::Constant(shape.radius), resolution);
}

TriangleMesh facet(const EllipsoidShape& shape, double resolution) {
  check(shape);
  return facet_ellipsoid(shape.radii, resolution);
}

TriangleMesh facet(const CylinderShape& shape, double resolution) {
  check(shape);
  return facet(ConeShape{shape.radius, shape.height, shape.radius}, resolution);
}

TriangleMesh facet(const ConeShape& shape, double resolution) {
  check(shape);
  const double h = 0.5 * shape.height, wide = std::max(shape.radius, shape.top_radius);
  std::vector<Vec2> profile = {{0, -h}};
  if (shape.radius > 0) profile.emplace_back(shape.radius, -h);
  if (shape.top_radius > 0) profile.emplace_back(shape.top_radius, h);
  profile.emplace_back(0, h);
  return revolve(profile, circle_segments(wide, resolution));
}

TriangleMesh facet(const CapsuleShape& shape, double resolution) {
  check(shape);
  const int n = circle_segments(shape.radius, resolution);
  const double h = 0.5 * shape.height - shape.radius;
  std::vector<Vec2> profile;
  add_arc(profile, {0, -h}, shape.radius, -1, 0, n / 4);
  if (h < 1e-9 * shape.radius) profile.pop_back();  // a ball: one equator
  add_arc(profile, {0, h}, shape.radius, 0, 1, n / 4);
  return revolve(profile, n);
}

TriangleMesh facet(const TorusShape& shape, double resolution) {
  check(shape);
  int around = circle_segments(shape.radius + shape.tube, resolution);
  int across = circle_segments(shape.tube, resolution);
  while (2.0 * around * across > 500000) around = around / 8 * 4, across = across / 8 * 4;
  return loop_of_rings(across, around, [&](int i, int j) {
    const Vec3 tube = shape.tube * on_circle(i, across);  // z: outwards, x: upwards
    return Vec3((shape.radius + tube.z()) * on_circle(j, around) + tube.x() * Vec3::UnitY());
  });
}

TriangleMesh facet(const WedgeShape& shape, double) {
  check(shape);
  const Vec3 h = 0.5 * shape.size;
  TriangleMesh mesh;
  for (const double z : {-h.z(), h.z()})
    for (const Vec2& p : {Vec2(-h.x(), -h.y()), Vec2(h.x(), -h.y()), Vec2(-h.x(), h.y())})
      mesh.vertices.emplace_back(p.x(), p.y(), z);
  mesh.triangles = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                    {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
  return mesh;
}

// ---- half space ------------------------------------------------------------------------------

namespace {

// A box cut by a plane. Corner c of the box has bit k set if it is high along axis k.
class CutBox {
 public:
  CutBox(const Vec3& normal, const Vec3& point, const Box3& box) : normal_(normal.normalized()) {
    const double tolerance = 1e-9 * box.size().norm();
    for (int c = 0; c < 8; ++c) {
      for (int k = 0; k < 3; ++k) corner_[c][k] = (c >> k & 1) ? box.hi[k] : box.lo[k];
      height_[c] = normal_.dot(corner_[c] - point);
      if (std::abs(height_[c]) < tolerance) height_[c] = 0;
    }
  }

  bool keeps_something() const { return *std::min_element(height_, height_ + 8) < 0; }

  TriangleMesh mesh() {
    for (int axis = 0; axis < 3; ++axis)
      for (const int side : {0, 1}) add_face(axis, side);
    if (*std::max_element(height_, height_ + 8) > 0) add_lid();
    return std::move(mesh_);
  }

 private:
  void add_face(int axis, int side) {
    const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
    std::array<int, 4> loop = {base, base | u, base | u | v, base | v};
    if (side == 0) std::swap(loop[1], loop[3]);
    std::vector<std::uint32_t> polygon;
    const auto push = [&](std::uint32_t id) {
      if (polygon.empty() || (polygon.back() != id && polygon.front() != id)) polygon.push_back(id);
    };
    for (int i = 0; i < 4; ++i) {
      const int a = loop[i], b = loop[(i + 1) % 4];
      if (height_[a] <= 0) push(vertex(a, a));
      if ((height_[a] < 0 && height_[b] > 0) || (height_[a] > 0 && height_[b] < 0))
        push(vertex(std::min(a, b), std::max(a, b)));
    }
    if (polygon.size() >= 3 && !in_plane(polygon)) add_fan(polygon);
  }

  // The cut itself: all points in the plane, counter-clockwise about the normal.
  void add_lid() {
    std::vector<std::uint32_t> polygon;
    Vec3 centre = Vec3::Zero();
    for (const auto& [key, id] : ids_)
      if (key.first != key.second || height_[key.first] == 0) {
        polygon.push_back(id);
        centre += mesh_.vertices[id];
      }
    centre /= double(polygon.size());
    const Vec3 e1 = normal_.unitOrthogonal(), e2 = normal_.cross(e1);
    const auto angle = [&](std::uint32_t id) {
      const Vec3 r = mesh_.vertices[id] - centre;
      return std::atan2(r.dot(e2), r.dot(e1));
    };
    std::sort(polygon.begin(), polygon.end(),
              [&](std::uint32_t a, std::uint32_t b) { return angle(a) < angle(b); });
    add_fan(polygon);
  }

  // A face of the box that lies in the plane is the lid and is added as such.
  bool in_plane(const std::vector<std::uint32_t>& polygon) const {
    return std::all_of(polygon.begin(), polygon.end(), [&](std::uint32_t id) {
      return on_plane_[id] && *std::max_element(height_, height_ + 8) > 0;
    });
  }

  std::uint32_t vertex(int a, int b) {
    const auto [entry, fresh] =
        ids_.try_emplace({a, b}, static_cast<std::uint32_t>(mesh_.vertices.size()));
    if (fresh) {
      const double s = a == b ? 0 : height_[a] / (height_[a] - height_[b]);
      mesh_.vertices.push_back(corner_[a] + s * (corner_[b] - corner_[a]));
      on_plane_.push_back(a != b || height_[a] == 0);
    }
    return entry->second;
  }

  void add_fan(const std::vector<std::uint32_t>& polygon) {
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i)
      mesh_.triangles.push_back({polygon[0], polygon[i], polygon[i + 1]});
  }

  Vec3 normal_;
  Vec3 corner_[8];
  double height_[8];  // [m] above the plane
  std::map<std::pair<int, int>, std::uint32_t> ids_;
  std::vector<bool> on_plane_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh facet_half_space(const Vec3& normal, const Vec3& point, const Box3& clip) {
  CutBox box(normal, point, clip);
  if (!box.keeps_something())
    throw MeshError(
        "half space: nothing of it lies inside the scene's domain. Turn its normal around or move "
        "it.");
  return box.mesh();
}

}  // namespace hydrolith
