// Height fields: facets and signed distance, both from the same table of heights.

#include "geometry/facet.h"
#include "geometry/height_grid.h"
#include "geometry/sdf_terrain.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

// The top, and below it a skirt around the border down to a flat underside.
class HeightFieldFacets {
 public:
  explicit HeightFieldFacets(const HeightGrid& grid) : grid_(grid) {}

  TriangleMesh mesh() {
    for (int j = 0; j < grid_.nz; ++j)
      for (int i = 0; i < grid_.nx; ++i)
        mesh_.vertices.emplace_back(grid_.x(i), grid_.at(i, j), grid_.z(j));
    for (int j = 0; j + 1 < grid_.nz; ++j)
      for (int i = 0; i + 1 < grid_.nx; ++i) {
        mesh_.triangles.push_back({top(i, j), top(i + 1, j + 1), top(i + 1, j)});
        mesh_.triangles.push_back({top(i, j), top(i, j + 1), top(i + 1, j + 1)});
      }
    add_skirt();
    return std::move(mesh_);
  }

 private:
  std::uint32_t top(int i, int j) const { return std::uint32_t(i + grid_.nx * j); }

  // The border counter-clockwise seen from above (+z towards +x).
  std::vector<std::uint32_t> border() const {
    std::vector<std::uint32_t> loop;
    const int ni = grid_.nx - 1, nj = grid_.nz - 1;
    for (int i = 0; i < ni; ++i) loop.push_back(top(i, nj));
    for (int j = nj; j > 0; --j) loop.push_back(top(ni, j));
    for (int i = ni; i > 0; --i) loop.push_back(top(i, 0));
    for (int j = 0; j < nj; ++j) loop.push_back(top(0, j));
    return loop;
  }

  void add_skirt() {
    const std::vector<std::uint32_t> upper = border();
    const auto n = static_cast<std::uint32_t>(upper.size());
    const auto lower = static_cast<std::uint32_t>(mesh_.vertices.size());
    for (const std::uint32_t v : upper) {
      const Vec3 x = mesh_.vertices[v];
      mesh_.vertices.emplace_back(x.x(), grid_.bottom, x.z());
    }
    const std::uint32_t centre = lower + n;
    mesh_.vertices.emplace_back(0, grid_.bottom, 0.25 * grid_.depth / grid_.nz);  // off z = 0
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t next = (k + 1) % n;
      mesh_.triangles.push_back({lower + k, lower + next, upper[next]});
      mesh_.triangles.push_back({lower + k, upper[next], upper[k]});
      mesh_.triangles.push_back({centre, lower + next, lower + k});
    }
  }

  const HeightGrid& grid_;
  TriangleMesh mesh_;
};

// y - h(x, z) has a gradient of at most sqrt(1 + steepest^2): a bound.
class HeightField final : public Sdf {
 public:
  explicit HeightField(HeightGrid grid)
      : grid_(std::move(grid)),
        lipschitz_(std::hypot(1, grid_.steepest())),
        top_(grid_.highest()) {}

  double operator()(const Vec3& x) const override {
    const double surface = (x.y() - grid_.height(x.x(), x.z())) / lipschitz_;
    return std::max({surface, grid_.bottom - x.y(), std::abs(x.x()) - 0.5 * grid_.width,
                     std::abs(x.z()) - 0.5 * grid_.depth});
  }
  double support(const Vec3& e, double offset) const override {
    const double up =
        std::max(e.y() * (top_ + lipschitz_ * offset), e.y() * (grid_.bottom - offset));
    return up + (0.5 * grid_.width + offset) * std::abs(e.x()) +
           (0.5 * grid_.depth + offset) * std::abs(e.z());
  }

 private:
  HeightGrid grid_;
  double lipschitz_, top_;
};

}  // namespace

TriangleMesh facet(const HeightFieldShape& shape, double resolution) {
  const HeightGrid grid = tabulate(shape, resolution);
  return HeightFieldFacets(grid).mesh();
}

SdfPtr sdf_of(const HeightFieldShape& shape, double resolution) {
  return std::make_shared<HeightField>(tabulate(shape, resolution));
}

}  // namespace hydrolith
