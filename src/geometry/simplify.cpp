#include "geometry/simplify.h"

#include "geometry/mass_properties.h"
#include "geometry/mesh_distance.h"

#include <meshoptimizer.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace hydrolith {

namespace {

constexpr double volume_tolerance = 1e-9;  // [-]

/// Edges collapsed by quadric errors (Garland & Heckbert 1997); vertices are some of the mesh's.
TriangleMesh collapse_edges(const TriangleMesh& mesh, double tolerance) {
  const Vec3 centre = bounds(mesh).centre();
  std::vector<float> position;  // the library's are floats
  for (const Vec3& x : mesh.vertices)
    for (int a = 0; a < 3; ++a) position.push_back(static_cast<float>(x[a] - centre[a]));
  std::vector<unsigned> index, kept(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) index.insert(index.end(), t.begin(), t.end());
  const std::size_t n = mesh.vertices.size(), stride = 3 * sizeof(float);
  const float extent = meshopt_simplifyScale(position.data(), n, stride);
  kept.resize(meshopt_simplify(kept.data(), index.data(), index.size(), position.data(), n, stride,
                               0, static_cast<float>(tolerance) / extent, 0, nullptr));
  TriangleMesh out;
  std::vector<std::int64_t> renumbered(n, -1);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    std::int64_t& number = renumbered[kept[k]];
    if (number < 0) {
      number = static_cast<std::int64_t>(out.vertices.size());
      out.vertices.push_back(mesh.vertices[kept[k]]);
    }
    if (k % 3 == 0) out.triangles.emplace_back();
    out.triangles.back()[k % 3] = static_cast<std::uint32_t>(number);
  }
  return out;
}

/// Takes away triangles that lie back to back, which collapses may leave: they enclose nothing.
void remove_flaps(TriangleMesh& mesh) {
  std::map<Triangle, std::vector<std::size_t>> same;  // by sorted corners
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    Triangle corners = mesh.triangles[t];
    std::sort(corners.begin(), corners.end());
    same[corners].push_back(t);
  }
  std::vector<char> gone(mesh.triangles.size(), 0);
  for (const auto& [corners, at] : same)
    if (at.size() == 2) gone[at[0]] = gone[at[1]] = 1;
  std::vector<Triangle> kept;
  for (std::size_t t = 0; t < gone.size(); ++t)
    if (!gone[t]) kept.push_back(mesh.triangles[t]);
  mesh.triangles = std::move(kept);
}

/// Shares of the corners of triangle t in a point x of it.
Vec3 barycentric(const TriangleMesh& mesh, std::size_t t, const Vec3& x) {
  const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
  const Vec3 normal = (b - a).cross(c - a);
  const double all = normal.squaredNorm();
  if (!(all > 0)) return Vec3::Constant(1.0 / 3);
  const double u = normal.dot((c - b).cross(x - b)) / all,
               v = normal.dot((a - c).cross(x - c)) / all;
  return {u, v, 1 - u - v};
}

/// [m] for every vertex of `coarse`: the mean gap to the triangles of `fine` around it, along their
/// normals.
std::vector<Vec3> mean_gaps(const TriangleMesh& coarse, const TriangleMesh& fine) {
  const MeshDistance distance(coarse);
  std::vector<Vec3> gap(coarse.vertices.size(), Vec3::Zero());
  std::vector<double> weight(coarse.vertices.size(), 0);
  for (std::size_t t = 0; t < fine.triangles.size(); ++t) {
    const Vec3 a = fine.corner(t, 0), b = fine.corner(t, 1), c = fine.corner(t, 2);
    const Vec3 cross = (b - a).cross(c - a);
    const double area = 0.5 * cross.norm();
    if (!(area > 0)) continue;
    const Vec3 normal = cross.normalized(), x = (a + b + c) / 3;
    const auto near = distance.closest(x);
    if (!near) continue;
    const Vec3 share = barycentric(coarse, near->triangle, near->point);
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t vertex = coarse.triangles[near->triangle][k];
      gap[vertex] += share[k] * area * normal.dot(x - near->point) * normal;
      weight[vertex] += share[k] * area;
    }
  }
  for (std::size_t i = 0; i < gap.size(); ++i)
    if (weight[i] > 0) gap[i] /= weight[i];
  return gap;
}

TriangleMesh moved(TriangleMesh mesh, const std::vector<Vec3>& by, double share) {
  for (std::size_t i = 0; i < by.size(); ++i) mesh.vertices[i] += share * by[i];
  return mesh;
}

/// Moves vertices by so much of their gaps that the volume is right; the volume is a cubic function
/// of that share, so secants find it. False if no share does.
bool give_volume(TriangleMesh& mesh, const TriangleMesh& fine) {
  constexpr int most_secants = 8;
  constexpr double most_share = 4;  // [-] corners gather less of the gaps than faces between them
  const double goal = mass_properties(fine).volume;
  const auto error = [&](const TriangleMesh& m) { return mass_properties(m).volume / goal - 1; };
  const std::vector<Vec3> gaps = mean_gaps(mesh, fine);
  double s0 = 0, e0 = error(mesh), s1 = 1;
  for (int k = 0; k < most_secants && std::abs(e0) > volume_tolerance; ++k) {
    const double e1 = error(moved(mesh, gaps, s1));
    if (e1 == e0) return false;
    const double s2 = s1 - e1 * (s1 - s0) / (e1 - e0);
    s0 = s1, e0 = e1, s1 = s2;
  }
  if (std::abs(e0) > volume_tolerance || std::abs(s0) > most_share) return false;
  mesh = moved(std::move(mesh), gaps, s0);
  return true;
}

}  // namespace

TriangleMesh simplified(const TriangleMesh& mesh, double tolerance) {
  if (mesh.empty() || !is_closed(mesh)) return mesh;
  for (const double share : {1.0, 0.5, 0.25}) {  // now and then a collapse makes an edge of four
    TriangleMesh out = collapse_edges(mesh, share * tolerance);
    remove_flaps(out);
    const bool is_simpler = !out.empty() && out.triangles.size() < mesh.triangles.size();
    if (is_simpler && is_closed(out) && give_volume(out, mesh)) return out;
  }
  return mesh;
}

}  // namespace hydrolith
