#include "surface/corner_normals.h"

#include "core/parallel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace hydrolith {

namespace {

using Corners = std::array<std::uint32_t, 3>;

bool lies_before(const Vec3f& a, const Vec3f& b) {
  return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
}

/// For each vertex, the first vertex at the same place.
std::vector<std::uint32_t> weld(const std::vector<Vec3f>& vertices) {
  std::vector<std::uint32_t> order(vertices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (lies_before(vertices[a], vertices[b])) return true;
    return !lies_before(vertices[b], vertices[a]) && a < b;
  });
  std::vector<std::uint32_t> first(vertices.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && vertices[order[i]] == vertices[order[i - 1]];
    first[order[i]] = same ? first[order[i - 1]] : order[i];
  }
  return first;
}

std::vector<Corners> welded_triangles(const SurfaceMesh& mesh) {
  const std::vector<std::uint32_t> first = weld(mesh.vertices);
  std::vector<Corners> welded(mesh.triangles.size());
  for (std::size_t t = 0; t < welded.size(); ++t)
    for (int k = 0; k < 3; ++k) welded[t][k] = first[mesh.triangles[t][k]];
  return welded;
}

Vec3f face_normal(const SurfaceMesh& mesh, std::size_t t) {
  const auto& [a, b, c] = mesh.triangles[t];
  const Vec3f& x = mesh.vertices[a];
  const Vec3f n = (mesh.vertices[b] - x).cross(mesh.vertices[c] - x);
  const float length = n.norm();
  return length > 0 && std::isfinite(length) ? Vec3f(n / length) : Vec3f(Vec3f::Zero());
}

std::vector<Vec3f> face_normals(const SurfaceMesh& mesh) {
  std::vector<Vec3f> normals(mesh.triangles.size());
  parallel_for(normals.size(), [&](std::size_t t) { normals[t] = face_normal(mesh, t); });
  return normals;
}

float corner_angle(const SurfaceMesh& mesh, std::size_t t, int k) {
  const auto& corner = mesh.triangles[t];
  const Vec3f& x = mesh.vertices[corner[k]];
  const Vec3f a = mesh.vertices[corner[(k + 1) % 3]] - x,
              b = mesh.vertices[corner[(k + 2) % 3]] - x;
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

/// Corners (3 * triangle + k) around each vertex, in rows.
struct CornersOfVertices {
  std::vector<std::uint32_t> start, corner;
};

CornersOfVertices corners_of_vertices(const std::vector<Corners>& triangles, std::size_t vertices) {
  CornersOfVertices of{std::vector<std::uint32_t>(vertices + 1, 0),
                       std::vector<std::uint32_t>(3 * triangles.size())};
  for (const Corners& t : triangles)
    for (const std::uint32_t v : t) ++of.start[v + 1];
  std::partial_sum(of.start.begin(), of.start.end(), of.start.begin());
  std::vector<std::uint32_t> next(of.start.begin(), of.start.end() - 1);
  for (std::uint32_t c = 0; c < of.corner.size(); ++c)
    of.corner[next[triangles[c / 3][c % 3]]++] = c;
  return of;
}

}  // namespace

std::vector<std::array<Vec3f, 3>> corner_normals(const SurfaceMesh& mesh, double crease) {
  const std::vector<Corners> triangles = welded_triangles(mesh);
  const CornersOfVertices around = corners_of_vertices(triangles, mesh.vertices.size());
  const std::vector<Vec3f> face = face_normals(mesh);
  const float smooth = static_cast<float>(std::cos(crease));

  std::vector<std::array<Vec3f, 3>> normals(triangles.size());
  parallel_for(triangles.size(), [&](std::size_t t) {
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t v = triangles[t][k];
      Vec3f sum = Vec3f::Zero();
      for (std::uint32_t i = around.start[v]; i < around.start[v + 1]; ++i) {
        const std::uint32_t c = around.corner[i];
        if (face[t].dot(face[c / 3]) > smooth)
          sum += corner_angle(mesh, c / 3, static_cast<int>(c % 3)) * face[c / 3];
      }
      const float length = sum.norm();
      normals[t][k] = length > 0 ? Vec3f(sum / length) : face[t];
    }
  });
  return normals;
}

std::vector<std::array<Vec3f, 2>> sharp_edges(const SurfaceMesh& mesh, double crease) {
  const std::vector<Corners> triangles = welded_triangles(mesh);
  const std::vector<Vec3f> face = face_normals(mesh);
  std::map<std::array<std::uint32_t, 2>, std::vector<std::size_t>> faces_of_edge;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(triangles[t][k], triangles[t][(k + 1) % 3]);
      faces_of_edge[{a, b}].push_back(t);
    }
  const float smooth = static_cast<float>(std::cos(crease));
  std::vector<std::array<Vec3f, 2>> edges;
  for (const auto& [edge, faces] : faces_of_edge)
    if (faces.size() != 2 || face[faces[0]].dot(face[faces[1]]) < smooth)
      edges.push_back({mesh.vertices[edge[0]], mesh.vertices[edge[1]]});
  return edges;
}

NormalList list_normals(const SurfaceMesh& mesh, double crease) {
  const std::vector<std::array<Vec3f, 3>> corners = corner_normals(mesh, crease);
  std::map<std::array<float, 3>, std::uint32_t> known;
  NormalList list;
  for (const std::array<Vec3f, 3>& triangle : corners) {
    auto& numbers = list.of_corner.emplace_back();
    for (int k = 0; k < 3; ++k) {
      // A triangle without area has no normal: any will do, since nothing of it is seen.
      const Vec3f n = triangle[k].isZero() ? Vec3f(Vec3f::UnitZ()) : triangle[k];
      const auto next = static_cast<std::uint32_t>(list.normal.size());
      const auto [entry, fresh] = known.emplace(std::array{n.x(), n.y(), n.z()}, next);
      if (fresh) list.normal.push_back(n);
      numbers[k] = entry->second;
    }
  }
  return list;
}

SplitMesh split_at_edges(const SurfaceMesh& mesh, double crease) {
  const NormalList normals = list_normals(mesh, crease);
  std::map<std::array<std::uint32_t, 2>, std::uint32_t> known;  // vertex and normal
  SplitMesh split;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    auto& corners = split.mesh.triangles.emplace_back();
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t v = mesh.triangles[t][k], n = normals.of_corner[t][k];
      const auto next = static_cast<std::uint32_t>(split.normal.size());
      const auto [entry, fresh] = known.emplace(std::array{v, n}, next);
      if (fresh) {
        split.mesh.vertices.push_back(mesh.vertices[v]);
        split.normal.push_back(normals.normal[n]);
      }
      corners[k] = entry->second;
    }
  }
  return split;
}

}  // namespace hydrolith
