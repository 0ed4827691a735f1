#include "cells/flat_patches.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr std::uint32_t none = ~std::uint32_t(0);
constexpr double flat = 1e-9;  // [-] of the mesh: farther from a plane is not in it

struct Edge {
  std::uint64_t key = 0;       // both vertices, the lower number first
  std::uint32_t triangle = 0;  // with the number of the edge
  std::uint8_t k = 0;
};

/// The triangle across every edge; none where there is not exactly one that runs the other way.
std::vector<std::array<std::uint32_t, 3>> triangles_across(const TriangleMesh& mesh) {
  std::vector<Edge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      edges.push_back({std::uint64_t(std::min(a, b)) << 32 | std::max(a, b), t, std::uint8_t(k)});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& p, const Edge& q) {
    return p.key != q.key ? p.key < q.key : p.triangle < q.triangle;
  });
  std::vector<std::array<std::uint32_t, 3>> across(mesh.triangles.size(), {none, none, none});
  for (std::size_t e = 0; e < edges.size();) {
    std::size_t end = e + 1;
    while (end < edges.size() && edges[end].key == edges[e].key) ++end;
    const Edge &p = edges[e], &q = edges[end - 1];
    if (end == e + 2 && mesh.triangles[p.triangle][p.k] != mesh.triangles[q.triangle][q.k]) {
      across[p.triangle][p.k] = q.triangle;
      across[q.triangle][q.k] = p.triangle;
    }
    e = end;
  }
  return across;
}

}  // namespace

void FlatPatches::build(const TriangleMesh& mesh) {
  patch_of_.assign(mesh.triangles.size(), none);
  patches_.clear();
  sides_.clear();
  const double most = flat * bounds(mesh).size().norm();
  const auto across = triangles_across(mesh);
  std::vector<std::uint32_t> members;
  for (std::uint32_t seed = 0; seed < mesh.triangles.size(); ++seed) {
    if (patch_of_[seed] != none) continue;
    const auto number = std::uint32_t(patches_.size());
    const Vec3 corner = mesh.corner(seed, 0);
    const Vec3 area = (mesh.corner(seed, 1) - corner).cross(mesh.corner(seed, 2) - corner);
    const Vec3 n = area.norm() > 0 ? Vec3(area.normalized()) : Vec3(Vec3::Zero());
    Patch patch{n, area.norm() > 0, std::uint32_t(sides_.size()), 0};
    const auto belongs = [&](std::uint32_t t) {
      const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
      return (b - a).cross(c - a).dot(n) > 0 && std::abs(n.dot(a - corner)) <= most &&
             std::abs(n.dot(b - corner)) <= most && std::abs(n.dot(c - corner)) <= most;
    };
    members.assign(1, seed);
    patch_of_[seed] = number;
    for (std::size_t m = 0; m < members.size(); ++m)
      for (const std::uint32_t t : across[members[m]])
        if (t != none && patch_of_[t] == none && belongs(t)) {
          patch_of_[t] = number;
          members.push_back(t);
        }
    for (const std::uint32_t t : members)
      for (int k = 0; k < 3; ++k) {
        if (across[t][k] != none && patch_of_[across[t][k]] == number) continue;
        const Vec3 a = mesh.corner(t, k), out = (mesh.corner(t, (k + 1) % 3) - a).cross(n);
        const double length = out.norm();
        patch.convex &= length > 0;
        if (length > 0) sides_.push_back({out / length, out.dot(a) / length});
      }
    patch.last_side = std::uint32_t(sides_.size());
    for (std::size_t s = patch.first_side; s < patch.last_side && patch.convex; ++s)
      patch.convex = std::all_of(members.begin(), members.end(), [&](std::uint32_t t) {
        for (int k = 0; k < 3; ++k)
          if (sides_[s].out.dot(mesh.corner(t, k)) > sides_[s].offset + most) return false;
        return true;
      });
    if (!patch.convex) {
      sides_.resize(patch.first_side);
      patch.last_side = patch.first_side;
    }
    patches_.push_back(patch);
  }
}

}  // namespace hydrolith
