#include "geometry/rings.h"

#include <numbers>
#include <unordered_map>

namespace hydrolith {

Vec3 on_circle(int j, int n) {
  // Snapping keeps points on the coordinate planes exactly there, for 2D cuts and for bounds.
  const auto snapped = [](double v) { return std::abs(v) < 1e-15 ? 0.0 : v; };
  const double angle = 2 * std::numbers::pi * j / n;
  return {snapped(std::sin(angle)), 0, snapped(std::cos(angle))};
}

std::uint32_t RingMesh::add(const Vec3& point) {
  mesh_.vertices.push_back(point);
  return static_cast<std::uint32_t>(mesh_.vertices.size() - 1);
}

RingMesh::Ring RingMesh::add_ring(int n, const std::function<Vec3(int)>& point) {
  Ring ring(n);
  for (int j = 0; j < n; ++j) ring[j] = add(point(j));
  return ring;
}

void RingMesh::quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  const auto& x = mesh_.vertices;
  if ((x[a] - x[c]).squaredNorm() <= (x[b] - x[d]).squaredNorm()) {
    mesh_.triangles.push_back({a, b, c});
    mesh_.triangles.push_back({a, c, d});
  } else {
    mesh_.triangles.push_back({a, b, d});
    mesh_.triangles.push_back({b, c, d});
  }
}

void RingMesh::band(const Ring& lower, const Ring& upper) {
  for (std::size_t j = 0, n = lower.size(); j < n; ++j)
    quad(lower[j], lower[(j + 1) % n], upper[(j + 1) % n], upper[j]);
}

void RingMesh::bottom(const Ring& ring, const Vec3& centre) {
  const std::uint32_t c = add(centre);
  for (std::size_t j = 0, n = ring.size(); j < n; ++j)
    mesh_.triangles.push_back({c, ring[(j + 1) % n], ring[j]});
}

void RingMesh::top(const Ring& ring, const Vec3& centre) {
  const std::uint32_t c = add(centre);
  for (std::size_t j = 0, n = ring.size(); j < n; ++j)
    mesh_.triangles.push_back({c, ring[j], ring[(j + 1) % n]});
}

void RingMesh::strip(const Column& left, const Column& right, bool seen_from_outside) {
  const auto add_triangle = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (seen_from_outside)
      mesh_.triangles.push_back({a, b, c});
    else
      mesh_.triangles.push_back({a, c, b});
  };
  std::size_t i = 0, k = 0;
  while (i + 1 < left.keys.size() || k + 1 < right.keys.size()) {
    const bool right_done = k + 1 == right.keys.size();
    const bool climb_left =
        i + 1 < left.keys.size() && (right_done || left.keys[i + 1] <= right.keys[k + 1]);
    if (climb_left) {
      add_triangle(left.vertices[i], right.vertices[k], left.vertices[i + 1]);
      ++i;
    } else {
      add_triangle(left.vertices[i], right.vertices[k], right.vertices[k + 1]);
      ++k;
    }
  }
}

TriangleMesh revolve(std::span<const Vec2> profile, int segments) {
  RingMesh mesh;
  RingMesh::Ring below;
  for (std::size_t i = 1; i + 1 < profile.size(); ++i) {
    const Vec2 p = profile[i];
    const auto ring = mesh.add_ring(segments, [&](int j) {
      return Vec3(p.x() * on_circle(j, segments) + p.y() * Vec3::UnitY());
    });
    if (i == 1)
      mesh.bottom(ring, profile.front().y() * Vec3::UnitY());
    else
      mesh.band(below, ring);
    below = ring;
  }
  mesh.top(below, profile.back().y() * Vec3::UnitY());
  return mesh.take();
}

TriangleMesh loop_of_rings(int rings, int segments, const std::function<Vec3(int, int)>& point) {
  RingMesh mesh;
  std::vector<RingMesh::Ring> all(rings);
  for (int i = 0; i < rings; ++i)
    all[i] = mesh.add_ring(segments, [&](int j) { return point(i, j); });
  for (int i = 0; i < rings; ++i) mesh.band(all[i], all[(i + 1) % rings]);
  return mesh.take();
}

namespace {

// Gives each lattice point on the surface one vertex, however many faces meet there.
class LatticeVertices {
 public:
  LatticeVertices(TriangleMesh& mesh, const std::function<Vec3(const Eigen::Vector3i&)>& point)
      : mesh_(mesh), point_(point) {}

  std::uint32_t at(const Eigen::Vector3i& ijk) {
    const std::uint64_t key =
        (std::uint64_t(ijk.x()) << 42) | (std::uint64_t(ijk.y()) << 21) | std::uint64_t(ijk.z());
    const auto [entry, fresh] = ids_.try_emplace(key, std::uint32_t(mesh_.vertices.size()));
    if (fresh) mesh_.vertices.push_back(point_(ijk));
    return entry->second;
  }

 private:
  TriangleMesh& mesh_;
  const std::function<Vec3(const Eigen::Vector3i&)>& point_;
  std::unordered_map<std::uint64_t, std::uint32_t> ids_;
};

}  // namespace

TriangleMesh lattice_cube(const Eigen::Vector3i& cells,
                          const std::function<Vec3(const Eigen::Vector3i&)>& point) {
  TriangleMesh mesh;
  LatticeVertices vertices(mesh, point);
  const auto add_quad = [&](std::array<std::uint32_t, 4> q) {
    const auto& x = mesh.vertices;
    if ((x[q[0]] - x[q[2]]).squaredNorm() > (x[q[1]] - x[q[3]]).squaredNorm())
      std::rotate(q.begin(), q.begin() + 1, q.end());
    mesh.triangles.push_back({q[0], q[1], q[2]});
    mesh.triangles.push_back({q[0], q[2], q[3]});
  };
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const int side : {0, cells[axis]})
      for (int i = 0; i < cells[u]; ++i)
        for (int j = 0; j < cells[v]; ++j) {
          const auto corner = [&](int du, int dv) {
            Eigen::Vector3i ijk;
            ijk[axis] = side, ijk[u] = i + du, ijk[v] = j + dv;
            return vertices.at(ijk);
          };
          std::array<std::uint32_t, 4> q = {corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)};
          if (side == 0) std::swap(q[1], q[3]);
          add_quad(q);
        }
  }
  return mesh;
}

}  // namespace hydrolith
