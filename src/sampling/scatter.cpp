#include "sampling/scatter.h"

#include "core/cubic_spline.h"
#include "core/parallel.h"
#include "sampling/inset.h"
#include "sampling/point_grid.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

// Eight rounds of darts with this least distance [h] leave one sample per h^2, as a lattice does.
// (At saturation, disc fraction 0.547 (Feder 1980), it would be 0.83 h.)
constexpr double dart_radius = 0.74;
constexpr double lonely = 1.2;  // [h] a nearest neighbour must not be farther
constexpr int dart_rounds = 8;
constexpr double repulsion_range = 1.7;     // [h]
constexpr double repulsion_strength = 0.4;  // [-] half of what would oscillate
constexpr double longest_move = 0.25;       // [h] in one step
constexpr double flat_density = 0.70;       // [1/h^3] sum of W at a sample of a flat lattice
constexpr double crowd = 1.15;              // times that: a sample too many

/// Uniform in [0, 1) from a counter (splitmix64, Steele et al. 2014): no state, no order.
double uniform(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9E3779B97F4A7C15ull + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// A point of triangle t, uniform in (a, b) of the unit square.
Vec3 point_in(const TriangleMesh& mesh, std::uint32_t t, double a, double b) {
  const double s = std::sqrt(a);
  return (1 - s) * mesh.corner(t, 0) + s * (1 - b) * mesh.corner(t, 1) + s * b * mesh.corner(t, 2);
}

/// Throws darts and keeps those that are `radius` clear of all samples. Each round goes once over
/// the triangles, with one dart somewhere in every h^2.
std::size_t throw_darts(const ScatterSurface& surface, double h, double radius, int rounds,
                        std::uint64_t seed, SampleSet& samples) {
  double total = 0;
  for (const double w : surface.weight) total += w;
  const std::size_t before = samples.size();
  if (total <= 0) return 0;
  const auto darts = static_cast<std::size_t>(std::max(8.0, std::ceil(total / (h * h))));
  PointGrid grid(2 * radius, darts + before);
  for (const Vec3& x : samples.position) grid.insert(x);
  for (int round = 0; round < rounds; ++round) {
    std::uint32_t t = 0;
    double below = surface.weight[0];  // weight up to and including t
    for (std::size_t i = 0; i < darts; ++i) {
      const std::uint64_t counter = 3 * (i + darts * (std::size_t(round) + 100 * seed));
      const double at = (static_cast<double>(i) + uniform(counter)) * total / double(darts);
      while (below <= at && t + 1 < surface.weight.size()) below += surface.weight[++t];
      if (surface.weight[t] <= 0) continue;
      const Vec3 x = point_in(surface.mesh, t, uniform(counter + 1), uniform(counter + 2));
      if (grid.any_within(x, radius)) continue;
      grid.insert(x);
      samples.add(x, t);
    }
  }
  return samples.size() - before;
}

/// Free samples in the order of their triangles, which keeps neighbours together in memory.
void sort_by_triangle(SampleSet& samples) {
  std::vector<std::uint32_t> order(samples.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin() + samples.fixed, order.end(),
                   [&](auto a, auto b) { return samples.triangle[a] < samples.triangle[b]; });
  SampleSet sorted{{}, {}, samples.fixed};
  for (const std::uint32_t i : order) sorted.add(samples.position[i], samples.triangle[i]);
  samples = std::move(sorted);
}

/// What a sample does while others are evened out.
enum class Part : char { left_out, watched, moving };

std::vector<Part> all_parts(const SampleSet& samples) {
  std::vector<Part> parts(samples.size(), Part::moving);
  std::fill_n(parts.begin(), samples.fixed, Part::watched);
  return parts;
}

/// Only those near `places` take part.
std::vector<Part> parts_near(const SampleSet& samples, const std::vector<Vec3>& places,
                             double range) {
  const PointGrid grid(range, places);
  std::vector<Part> parts = all_parts(samples);
  parallel_for(samples.size(), [&](std::size_t i) {
    if (!grid.any_within(samples.position[i], range)) parts[i] = Part::left_out;
  });
  return parts;
}

/// Who is near whom, for samples [begin, begin + start.size() - 1).
struct NeighbourBlock {
  static constexpr std::size_t size = 2048;
  std::vector<std::uint32_t> start, list;
};

std::vector<NeighbourBlock> find_neighbours(const SampleSet& samples, double range,
                                            const std::vector<Part>& parts) {
  const PointGrid grid(range, samples.position);
  std::vector<NeighbourBlock> blocks((samples.size() + NeighbourBlock::size - 1) /
                                     NeighbourBlock::size);
  parallel_for(
      blocks.size(),
      [&](std::size_t b) {
        const std::size_t end = std::min(samples.size(), (b + 1) * NeighbourBlock::size);
        for (std::size_t i = b * NeighbourBlock::size; i < end; ++i) {
          blocks[b].start.push_back(static_cast<std::uint32_t>(blocks[b].list.size()));
          if (parts[i] == Part::left_out) continue;
          grid.for_each_near(samples.position[i], range, [&](std::uint32_t j, double) {
            if (j != i) blocks[b].list.push_back(j);
          });
        }
        blocks[b].start.push_back(static_cast<std::uint32_t>(blocks[b].list.size()));
      },
      1);
  return blocks;
}

/// One step of mutual repulsion along the surface: u_i = s h sum_j (1 - r/R)^2 e_ij, r < R.
/// Gathered from the old positions, so the order of the samples does not matter.
void repel(const ScatterSurface& surface, double h, const std::vector<NeighbourBlock>& neighbours,
           const std::vector<Part>& parts, SampleSet& samples) {
  const double R = repulsion_range * h;
  const std::vector<Vec3> old = samples.position;
  parallel_for(samples.size(), [&](std::size_t i) {
    if (parts[i] != Part::moving) return;
    const NeighbourBlock& block = neighbours[i / NeighbourBlock::size];
    const std::size_t row = i % NeighbourBlock::size;
    const Vec3 x = old[i];
    Vec3 u = Vec3::Zero();
    for (std::uint32_t e = block.start[row]; e < block.start[row + 1]; ++e) {
      const Vec3 d = x - old[block.list[e]];
      const double r_sq = d.squaredNorm();
      if (r_sq >= R * R || r_sq == 0) continue;
      const double r = std::sqrt(r_sq), w = 1 - r / R;
      u += w * w / r * d;
    }
    u *= repulsion_strength * h;
    const Vec3 n = face_normal(surface.mesh, samples.triangle[i]);
    u -= n.dot(u) * n;
    const double length = u.norm();
    if (length > longest_move * h) u *= longest_move * h / length;
    samples.position[i] = walk(surface.mesh, surface.topology, x + u, samples.triangle[i]);
  });
}

/// Several steps; neighbours are looked up again every few of them. Returns the last ones found.
std::vector<NeighbourBlock> relax(const ScatterSurface& surface, double h, int steps,
                                  const std::vector<Part>& parts, SampleSet& samples) {
  std::vector<NeighbourBlock> neighbours;
  for (int step = 0; step < steps; ++step) {
    if (step % 8 == 0) neighbours = find_neighbours(samples, (repulsion_range + 0.4) * h, parts);
    repel(surface, h, neighbours, parts, samples);
  }
  return neighbours;
}

/// Samples that see too many others, of which no neighbour sees more: in narrow grooves and clefts.
std::vector<char> find_crowded(const SampleSet& samples, double h,
                               const std::vector<NeighbourBlock>& neighbours) {
  const CubicSpline W{h, 3};
  std::vector<double> density(samples.size());
  const auto for_each_neighbour = [&](std::size_t i, auto&& f) {
    const NeighbourBlock& block = neighbours[i / NeighbourBlock::size];
    const std::size_t row = i % NeighbourBlock::size;
    for (std::uint32_t e = block.start[row]; e < block.start[row + 1]; ++e) f(block.list[e]);
  };
  parallel_for(samples.size(), [&](std::size_t i) {
    double sum = W.scaled_value(0);
    for_each_neighbour(i, [&](std::uint32_t j) {
      sum += W.scaled_value((samples.position[i] - samples.position[j]).norm() / h);
    });
    density[i] = sum / flat_density;
  });
  std::vector<char> crowded(samples.size(), 0);
  parallel_for(samples.size(), [&](std::size_t i) {
    if (density[i] <= crowd) return;
    bool is_worst = true;
    for_each_neighbour(i, [&](std::uint32_t j) {
      is_worst &= std::pair(density[i], i) > std::pair(density[j], std::size_t(j));
    });
    crowded[i] = is_worst;
  });
  return crowded;
}

/// The sample nearest to i, or i itself if there is none within range.
std::size_t nearest(const PointGrid& grid, const Vec3& x, std::size_t i, double within) {
  std::size_t best = i;
  double best_sq = within * within;
  grid.for_each_near(x, within, [&](std::uint32_t j, double d_sq) {
    if (j == i || d_sq >= best_sq) return;
    best = j;
    best_sq = d_sq;
  });
  return best;
}

/// Moves sample `mover` along the surface until it is near enough to sample `goal`, if that is
/// possible without coming too close to a third.
bool approach(const ScatterSurface& surface, double h, const PointGrid& grid, std::size_t mover,
              std::size_t goal, SampleSet& samples) {
  if (mover < samples.fixed) return false;
  const Vec3 from = samples.position[mover], to = samples.position[goal];
  for (const double wanted : {0.97 * lonely, 0.85 * lonely, 0.7 * lonely}) {
    std::uint32_t t = samples.triangle[mover];
    const Vec3 target = to + wanted * h * (from - to).normalized();
    const Vec3 x = walk(surface.mesh, surface.topology, target, t);
    if ((x - to).norm() > lonely * h || grid.any_within(x, least_gap * h, mover)) continue;
    samples.position[mover] = x;
    samples.triangle[mover] = t;
    return true;
  }
  return false;
}

/// Brings samples whose nearest neighbour is too far together with it.
void join_lonely(const ScatterSurface& surface, double h, SampleSet& samples) {
  const PointGrid grid(lonely * h, samples.position);
  std::vector<char> is_lonely(samples.size(), 0);
  parallel_for(samples.size(), [&](std::size_t i) {
    is_lonely[i] = !grid.any_within(samples.position[i], lonely * h, i);
  });
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!is_lonely[i]) continue;
    const std::size_t j = nearest(grid, samples.position[i], i, 2 * h);
    if (j != i && !approach(surface, h, grid, i, j, samples))
      approach(surface, h, grid, j, i, samples);
  }
}

}  // namespace

std::vector<Vec3> drop_close(SampleSet& samples, double distance,
                             const std::vector<char>& unwanted) {
  SampleSet kept;
  std::vector<Vec3> dropped;
  PointGrid grid(2 * distance, samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Vec3 x = samples.position[i];
    if ((i < unwanted.size() && unwanted[i]) || grid.any_within(x, distance)) {
      dropped.push_back(x);
      continue;
    }
    grid.insert(x);
    kept.add(x, samples.triangle[i]);
    if (i < samples.fixed) ++kept.fixed;
  }
  samples = std::move(kept);
  return dropped;
}

void scatter(const ScatterSurface& surface, double h, SampleSet& samples) {
  const double closest = least_gap * h * (1 + 1e-9);
  throw_darts(surface, h, dart_radius * h, dart_rounds, 1, samples);
  sort_by_triangle(samples);

  // Even out everything (small bodies can afford more steps) and close gaps; thin out crowds and
  // even out around these places until hardly anything changes.
  const std::size_t count = std::max<std::size_t>(samples.size() - samples.fixed, 1);
  int steps = static_cast<int>(std::clamp<std::size_t>(400000 / count, 8, 40));
  std::vector<Part> parts = all_parts(samples);
  for (int round = 0; round < 8; ++round, steps = 8) {
    const auto neighbours = relax(surface, h, steps, parts, samples);
    const std::vector<char> crowded = find_crowded(samples, h, neighbours);
    const auto before = static_cast<std::ptrdiff_t>(samples.size());
    if (round == 0) throw_darts(surface, h, closest, dart_rounds / 2, 2, samples);
    std::vector<Vec3> changed(samples.position.begin() + before, samples.position.end());
    const std::vector<Vec3> dropped = drop_close(samples, closest, crowded);
    changed.insert(changed.end(), dropped.begin(), dropped.end());
    if (changed.size() * 2000 <= samples.size()) break;
    parts = parts_near(samples, changed, 2.5 * h);
  }
  join_lonely(surface, h, samples);
  drop_close(samples, closest);
}

}  // namespace hydrolith
