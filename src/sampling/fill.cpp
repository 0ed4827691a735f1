#include "sampling/fill.h"

#include "core/check.h"
#include "core/parallel.h"
#include "geometry/mass_properties.h"
#include "geometry/mesh_distance.h"
#include "geometry/section.h"
#include "sampling/liquid_volume.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace hydrolith {

namespace {

constexpr double volume_tolerance = 0.005;  // [-] of the number of particles against volume / h^3
constexpr double least_step = 0.75;         // [h] rows are never nearer
constexpr int most_attempts = 8;            // at finding the spacing that gives it

/// The region to fill: depth below its surface [m], and whether it is a box along the axes.
struct Region {
  Room depth;
  Box3 box;
  double volume = 0;  // [m^3], 2D: [m^2]; zero or less if the mesh does not tell
  bool is_box = false;
};

double box_volume(const Box3& box, int dimensions) {
  return dimensions == 2 ? box.size().head<2>().prod() : box.size().prod();
}

bool is_box(const RoomExtent& room, int dimensions) {
  return room.volume > 0.999 * box_volume(room.box, dimensions);
}

Region solid_region(const TriangleMesh& mesh) {
  auto distance = std::make_shared<MeshDistance>(mesh);
  const Box3 box = bounds(mesh);
  const double volume = is_closed(mesh) ? mass_properties(mesh).volume : 0;
  return {[distance](const Vec3& x) { return -distance->signed_distance(x); }, box, volume,
          std::abs(volume - box_volume(box, 3)) < 1e-3 * volume};
}

Region flat_region(const TriangleMesh& mesh) {
  const Polygons polygons = cut_at_z0(mesh);
  Box3 box;
  for (const auto& loop : polygons.loops)
    for (const Vec2& x : loop) box.include(Vec3(x.x(), x.y(), 0));
  const double area = section_properties(polygons).area;
  return {[polygons](const Vec3& x) { return -signed_distance(polygons, Vec2(x.x(), x.y())); }, box,
          area, std::abs(area - box_volume(box, 2)) < 1e-3 * area};
}

/// Sites in rows along the axes.
struct Lattice {
  Eigen::Array3i count = {1, 1, 1};
  Vec3 first = Vec3::Zero(), step = Vec3::Zero();  // [m]

  std::size_t size() const { return std::size_t(count.x()) * count.y() * count.z(); }
  std::size_t index(int i, int j, int k) const {
    return (std::size_t(k) * count.y() + j) * count.x() + i;
  }
  Vec3 site(std::size_t s) const {
    const auto nx = static_cast<std::size_t>(count.x()), ny = static_cast<std::size_t>(count.y());
    return first + Vec3(double(s % nx) * step.x(), double(s / nx % ny) * step.y(),
                        double(s / (nx * ny)) * step.z());
  }
};

/// n rows in [lo, hi]: half a cell from the ends, or `clearance` if that is more.
void set_rows(Lattice& lattice, const Box3& box, int k, int n, double clearance) {
  const double length = box.size()[k], margin = std::max(0.5 * length / n, clearance);
  lattice.count[k] = n;
  lattice.first[k] = n == 1 ? box.centre()[k] : box.lo[k] + margin;
  lattice.step[k] = n == 1 ? length : (length - 2 * margin) / (n - 1);
}

/// Rows about `spacing` apart. Along each axis the length is rounded up or down so that the number
/// of sites is as near as possible to `wanted`; 0: just rounded.
Lattice fit_lattice(const Box3& box, double spacing, double clearance, int dimensions,
                    double wanted) {
  Lattice best;
  double best_error = std::numeric_limits<double>::infinity();
  for (int choice = 0; choice < 1 << dimensions; ++choice) {
    Lattice lattice;
    double error = wanted > 0 ? 0 : 1;
    for (int k = 0; k < dimensions; ++k) {
      const double exact = box.size()[k] / spacing;
      const int n = std::max(1, static_cast<int>(std::floor(exact + 1e-6)) + (choice >> k & 1));
      set_rows(lattice, box, k, n, clearance);
      const double rounding = std::abs(n - exact);
      error += (wanted > 0 ? 1e-3 : 1) * rounding;  // among equals the least stretched
      if (rounding > 0.75 || lattice.step[k] < least_step * spacing) error += 10;
    }
    if (wanted > 0) error += std::abs(double(lattice.size()) / wanted - 1);
    if (error >= best_error) continue;
    best_error = error;
    best = lattice;
  }
  return best;
}

/// For every site the depth below the region's surface, or -1 if it is taken by an obstacle or
/// outside. A block of sites far from all surfaces is decided by the distance at its centre; its
/// sites then have a lower bound of their depth, at least one step.
std::vector<double> site_depths(const Lattice& lattice, const Region& region,
                                const Obstacles& obstacles, double clearance) {
  constexpr int width = 8;
  const Eigen::Array3i blocks = (lattice.count + width - 1) / width;
  const double step = lattice.step.maxCoeff(), radius = 0.5 * (width - 1) * lattice.step.norm();
  std::vector<double> depth(lattice.size(), -1);
  const auto depth_at = [&](const Vec3& x, double margin) {
    const bool clear = !obstacles || obstacles(x) >= clearance * (1 - 1e-9) + margin;
    return clear ? region.depth(x) - margin : -1;
  };
  const auto fill_block = [&](std::size_t b) {
    const auto block = static_cast<int>(b);
    const Eigen::Array3i lo =
        width * Eigen::Array3i(block % blocks.x(), block / blocks.x() % blocks.y(),
                               block / (blocks.x() * blocks.y()));
    const Eigen::Array3i hi = (lo + width).min(lattice.count);
    const Vec3 half = Vec3::Constant(0.5 * (width - 1));
    const Vec3 centre =
        lattice.first + lattice.step.cwiseProduct(lo.matrix().cast<double>() + half);
    if (region.depth(centre) < -radius) return;
    const double all = depth_at(centre, radius);
    for (int k = lo.z(); k < hi.z(); ++k)
      for (int j = lo.y(); j < hi.y(); ++j)
        for (int i = lo.x(); i < hi.x(); ++i) {
          const std::size_t s = lattice.index(i, j, k);
          depth[s] = all > step ? all : depth_at(lattice.site(s), 0);
        }
  };
  parallel_for(std::size_t(blocks.x()) * blocks.y() * blocks.z(), fill_block, 1);
  return depth;
}

/// The sites of the lattice that are clear of the obstacles and inside the region, in ascending
/// order; not more than `most`, the deepest ones.
std::vector<std::size_t> occupied_sites(const Lattice& lattice, const Region& region,
                                        const Obstacles& obstacles, double clearance,
                                        std::size_t most) {
  const std::vector<double> depth = site_depths(lattice, region, obstacles, clearance);
  std::vector<std::size_t> sites;
  for (std::size_t s = 0; s < depth.size(); ++s)
    if (depth[s] >= 0) sites.push_back(s);
  if (sites.size() > most) {
    std::stable_sort(sites.begin(), sites.end(),
                     [&](std::size_t a, std::size_t b) { return depth[a] > depth[b]; });
    sites.resize(most);
    std::sort(sites.begin(), sites.end());
  }
  return sites;
}

/// Consecutive sites of a column, from the bottom, and the rows that take their place.
struct Run {
  std::size_t bottom = 0;
  int sites = 0, rows = 0;
  double step = 0;  // [m] between the rows; the lattice's where the sites stay
};

/// Columns of a lattice in the direction `up`.
class Columns {
 public:
  Columns(const Lattice& lattice, const Vec3& up) : lattice_(lattice), up_(up) {
    up.cwiseAbs().maxCoeff(&axis_);
    const Eigen::Array3i& n = lattice.count;
    const std::size_t strides[] = {1, std::size_t(n.x()), std::size_t(n.x()) * n.y()};
    stride_ = strides[axis_];
    first_ = up[axis_] > 0 ? 0 : (n[axis_] - 1) * stride_;
  }
  std::size_t size() const { return lattice_.size() / rows(); }
  std::size_t rows() const { return static_cast<std::size_t>(lattice_.count[axis_]); }
  double step() const { return lattice_.step[axis_]; }
  /// Row 0 is the lowest.
  std::size_t site(std::size_t column, std::size_t row) const {
    const std::size_t base = column / stride_ * stride_ * rows() + column % stride_;
    return up_[axis_] > 0 ? base + row * stride_ : base + first_ - row * stride_;
  }
  std::size_t above(std::size_t site) const {
    return up_[axis_] > 0 ? site + stride_ : site - stride_;
  }
  Vec3 at(std::size_t site, double height) const { return lattice_.site(site) + height * up_; }

 private:
  const Lattice& lattice_;
  Vec3 up_;
  int axis_ = 0;
  std::size_t stride_ = 1, first_ = 0;
};

/// [m] How far the region's surface lies above the uppermost of a run's sites; 0 where it is none
/// to follow: nothing below to stand on, something solid above, or too steep.
double height_of_surface(const Columns& columns, const Run& run, std::size_t top,
                         const Region& region, const Obstacles& obstacles, double clearance) {
  constexpr double least_slope = 0.65;  // [-] cosine of the angle from which a surface is steep
  const double step = columns.step();
  if (obstacles(columns.at(run.bottom, -step)) >= clearance) return 0;
  double inside = 0, outside = 2 * step;
  if (region.depth(columns.at(top, outside)) > 0) return 0;
  while (outside - inside > 1e-6 * step) {
    const double middle = 0.5 * (inside + outside);
    (region.depth(columns.at(top, middle)) > 0 ? inside : outside) = middle;
  }
  if (obstacles(columns.at(top, inside)) <= clearance) return 0;
  const double below = region.depth(columns.at(top, inside - 0.25 * step));
  return below >= 0.25 * step * least_slope ? inside : 0;
}

/// Runs of occupied sites, column by column.
std::vector<Run> find_runs(const Columns& columns, const std::vector<char>& occupied) {
  std::vector<Run> runs;
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t row = 0; row < columns.rows(); ++row) {
      const std::size_t site = columns.site(c, row);
      if (!occupied[site]) continue;
      if (row == 0 || !occupied[columns.site(c, row - 1)])
        runs.push_back({.bottom = site, .step = columns.step()});
      runs.back().sites = ++runs.back().rows;
    }
  return runs;
}

/// Rows end at the surface: the sites of a run reach from half a step below the lowest to half a
/// step above the uppermost. False: no run has moved.
bool follow_surface(const Columns& columns, const Region& region, const Obstacles& obstacles,
                    double clearance, std::vector<Run>& runs) {
  constexpr double same = 1e-3;  // [-] of a step
  const double step = columns.step();
  parallel_for(
      runs.size(),
      [&](std::size_t k) {
        Run& run = runs[k];
        std::size_t top = run.bottom;
        for (int row = 1; row < run.sites; ++row) top = columns.above(top);
        const double above = height_of_surface(columns, run, top, region, obstacles, clearance);
        if (!(above > 0) || std::abs(above - 0.5 * step) < same * step) return;
        const double height = (run.sites - 0.5) * step + above;
        run.rows = std::max(1, static_cast<int>(std::lround(height / step)));
        run.step = height / run.rows;
      },
      16);
  return std::any_of(runs.begin(), runs.end(), [&](const Run& r) { return r.step != step; });
}

/// Positions of the sites; rows that would come too near to an obstacle stay on the lattice.
void place_rows(const Lattice& lattice, const std::vector<std::size_t>& sites, const Region& region,
                const Obstacles& obstacles, const FillOptions& o, Fill& fill) {
  fill.position.clear();
  fill.share.clear();
  std::vector<Run> runs;
  if (obstacles && !o.up.isZero()) {
    const Columns columns(lattice, o.up);
    std::vector<char> occupied(lattice.size(), 0);
    for (const std::size_t s : sites) occupied[s] = 1;
    runs = find_runs(columns, occupied);
    if (follow_surface(columns, region, obstacles, o.clearance, runs)) {
      for (const Run& run : runs)
        for (int row = 0; row < run.rows; ++row) {
          const double height = (row + 0.5) * run.step - 0.5 * columns.step();
          const Vec3 x = columns.at(run.bottom, height);
          const bool clear = run.step == columns.step() || obstacles(x) >= o.clearance;
          fill.position.push_back(clear ? x : columns.at(run.bottom, row * columns.step()));
          fill.share.push_back(run.step / columns.step());
        }
      const double n = static_cast<double>(fill.share.size());
      const double mean = std::accumulate(fill.share.begin(), fill.share.end(), 0.0) / n;
      for (double& share : fill.share) share /= mean;
      return;
    }
  }
  for (const std::size_t s : sites) fill.position.push_back(lattice.site(s));
}

/// Round bodies and walls leave gaps wider than the clearance, so that too few sites fit: then the
/// lattice is drawn closer until there are enough.
void place(const Region& region, const Obstacles& obstacles, const FillOptions& o,
           const RoomExtent& room, double wanted, Fill& fill) {
  const double h = o.spacing, clearance = obstacles ? o.clearance * (1 + 1e-6) : 0;
  const auto most = region.is_box ? std::numeric_limits<std::size_t>::max()
                                  : static_cast<std::size_t>(std::lround(wanted));
  const bool is_full = is_box(room, o.dimensions);
  Lattice best;
  std::vector<std::size_t> sites;
  double best_error = std::numeric_limits<double>::infinity(), spacing = h;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const Lattice lattice =
        fit_lattice(room.box, spacing, clearance, o.dimensions, is_full ? wanted : 0);
    std::vector<std::size_t> found = occupied_sites(lattice, region, obstacles, o.clearance, most);
    const double ratio = double(found.size()) / wanted, error = std::abs(ratio - 1);
    if (error < best_error) {
      best_error = error;
      best = lattice;
      sites = std::move(found);
    }
    if (is_full || error < volume_tolerance || ratio == 0) break;
    spacing *= std::clamp(std::pow(ratio, 1.0 / o.dimensions), 0.9, 1.1);
    if (spacing < 0.8 * h) break;
  }
  place_rows(best, sites, region, obstacles, o, fill);
}

}  // namespace

Fill fill_region(const TriangleMesh& mesh, const Obstacles& obstacles, const FillOptions& o) {
  const double h = o.spacing;
  require(h > 0, "filling a region needs a spacing above zero, got {} m", h);
  require(o.dimensions == 2 || o.dimensions == 3, "a region is filled in 2 or 3 dimensions, not {}",
          o.dimensions);
  Fill fill;
  if (mesh.empty()) return fill;
  const Region region = o.dimensions == 2 ? flat_region(mesh) : solid_region(mesh);
  if (region.box.empty()) return fill;
  const Room room = [&](const Vec3& x) {
    const double depth = region.depth(x);
    return obstacles ? std::min(depth, obstacles(x)) : depth;
  };
  RoomExtent extent = measure(room, region.box, 0.25 * h, o.dimensions);
  if (extent.box.empty()) return fill;
  if (is_box(extent, o.dimensions))
    extent.volume = box_volume(extent.box, o.dimensions);
  else if (region.volume > 0 &&
           obstacles)  // the quadrature tells what they take, the mesh what there is without them
    extent.volume +=
        region.volume - measure(region.depth, region.box, 0.25 * h, o.dimensions).volume;
  else if (region.volume > 0)
    extent.volume = region.volume;

  const double h_volume = std::pow(h, o.dimensions);
  place(region, obstacles, o, extent, extent.volume / h_volume, fill);
  if (fill.position.empty()) return fill;
  fill.volume = extent.volume;
  fill.particle_volume = fill.volume / static_cast<double>(fill.position.size());
  return fill;
}

}  // namespace hydrolith
