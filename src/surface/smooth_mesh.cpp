#include "surface/smooth_mesh.h"

#include "core/parallel.h"

#include <numeric>

namespace hydrolith {

namespace {

/// For each vertex a row of numbers: neighbours, or triangles around it.
struct Rows {
  std::vector<std::uint32_t> start, item;

  std::span<const std::uint32_t> operator[](std::size_t v) const {
    return {item.data() + start[v], start[v + 1] - start[v]};
  }
};

/// item_of(triangle, corner) for every corner, gathered at its vertex in the order of triangles.
template <class F>
Rows gather_corners(const SurfaceMesh& mesh, F&& item_of) {
  Rows rows{std::vector<std::uint32_t>(mesh.vertices.size() + 1, 0),
            std::vector<std::uint32_t>(3 * mesh.triangles.size())};
  for (const auto& t : mesh.triangles)
    for (const std::uint32_t v : t) ++rows.start[v + 1];
  std::partial_sum(rows.start.begin(), rows.start.end(), rows.start.begin());
  std::vector<std::uint32_t> next(rows.start.begin(), rows.start.end() - 1);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) rows.item[next[mesh.triangles[t][k]]++] = item_of(t, k);
  return rows;
}

/// Rounds of x + step * freedom * (mean of neighbours - x).
void diffuse(std::vector<Vec3f>& x, const Rows& neighbours, std::span<const float> freedom,
             int rounds, std::span<const std::uint8_t> rim, std::vector<Vec3f>& scratch) {
  constexpr float step = 0.6f;
  for (int round = 0; round < rounds; ++round) {
    parallel_for(x.size(), [&](std::size_t v) {
      scratch[v] = x[v];
      if (freedom[v] == 0) return;  // spray has many
      const auto row = neighbours[v];
      Vec3f sum = Vec3f::Zero();
      float count = 0;
      for (const std::uint32_t n : row) {
        if (!rim.empty() && rim[v] && !rim[n]) continue;
        sum += x[n];
        ++count;
      }
      if (count > 0) scratch[v] += step * freedom[v] * (sum / count - x[v]);
    });
    x.swap(scratch);
  }
}

}  // namespace

void smooth_mesh(SurfaceMesh& mesh, std::span<const float> freedom, int rounds,
                 std::span<const std::uint8_t> rim) {
  if (rounds == 0 || mesh.vertices.empty()) return;
  // In a closed mesh every edge is the side of two triangles that run along it in opposite
  // directions, so the next corners name each neighbour once.
  const Rows neighbours =
      gather_corners(mesh, [&](std::size_t t, int k) { return mesh.triangles[t][(k + 1) % 3]; });
  std::vector<Vec3f>& x = mesh.vertices;
  std::vector<Vec3f> lost = x, scratch(x.size());
  diffuse(x, neighbours, freedom, rounds, rim, scratch);
  parallel_for(x.size(), [&](std::size_t v) { lost[v] -= x[v]; });
  diffuse(lost, neighbours, freedom, rounds, rim, scratch);
  parallel_for(x.size(), [&](std::size_t v) { x[v] += lost[v]; });
}

std::vector<Vec3f> vertex_normals(const SurfaceMesh& mesh) {
  const Rows around =
      gather_corners(mesh, [](std::size_t t, int) { return static_cast<std::uint32_t>(t); });
  std::vector<Vec3f> normals(mesh.vertices.size());
  parallel_for(normals.size(), [&](std::size_t v) {
    Vec3f sum = Vec3f::Zero();
    for (const std::uint32_t t : around[v]) {
      const auto& [a, b, c] = mesh.triangles[t];
      const Vec3f& x = mesh.vertices[a];
      sum += (mesh.vertices[b] - x).cross(mesh.vertices[c] - x);
    }
    const float length = sum.norm();
    normals[v] = length > 0 ? Vec3f(sum / length) : Vec3f(Vec3f::UnitZ());
  });
  return normals;
}

}  // namespace hydrolith
