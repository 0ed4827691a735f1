#include "particles/neighbours.h"

#include "core/check.h"
#include "particles/model.h"
#include "particles/neighbour_curve.h"
#include "particles/neighbour_grid.h"
#include "particles/neighbour_pairs.h"

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <algorithm>

namespace hydrolith::particles {

namespace {

/// Some of the samples, sorted into a grid.
struct SampleGrid {
  std::vector<std::uint32_t> index, scratch_index;
  std::vector<Vec3> x, scratch_x;  // [m]
  CellGrid grid;

  void build(const Kernel& kernel, const Samples& samples, std::span<const char> is_static,
             bool wanted, CurveOrder& order) {
    index.clear();
    x.clear();
    for (std::size_t k = 0; k < samples.size(); ++k)
      if ((is_static[k] != 0) == wanted) {
        index.push_back(static_cast<std::uint32_t>(k));
        x.push_back(samples.x[k]);
      }
    if (order.sort(kernel, x)) {
      order.apply(index, scratch_index);
      order.apply(x, scratch_x);
    }
    grid.build(kernel, x, index);
  }
};

}  // namespace

struct NeighbourSearch::Grids {
  CurveOrder order;
  std::vector<Vec3> scratch_vectors;
  std::vector<double> scratch_doubles;
  std::vector<float> scratch_floats;
  std::vector<std::uint32_t> scratch_numbers;

  CellGrid liquid;
  SampleGrid at_rest, moving;
  std::size_t samples = 0;  // that at_rest was built from
  Kernel kernel{0, 0};      // that at_rest was built for

  oneapi::tbb::enumerable_thread_specific<PairScratch> threads;

  void build(const Kernel& k, const State& s, const Samples& all, std::span<const char> is_static,
             bool static_changed) {
    liquid.build(k, s.x);
    if (static_changed || samples != all.size() || kernel.h != k.h ||
        kernel.dimensions != k.dimensions)
      at_rest.build(k, all, is_static, true, order);
    moving.build(k, all, is_static, false, order);
    samples = all.size();
    kernel = k;
  }
};

NeighbourSearch::NeighbourSearch() : grids_(std::make_unique<Grids>()) {}
NeighbourSearch::~NeighbourSearch() = default;

void NeighbourSearch::sort_liquid(const Kernel& kernel, State& s) {
  Grids& g = *grids_;
  if (!g.order.sort(kernel, s.x)) return;
  g.order.apply(s.x, g.scratch_vectors);
  g.order.apply(s.v, g.scratch_vectors);
  g.order.apply(s.volume, g.scratch_doubles);
  g.order.apply(s.pressure, g.scratch_floats);
  g.order.apply(s.id, g.scratch_numbers);
  g.order.apply(s.liquid, g.scratch_numbers);
}

void NeighbourSearch::place(const Kernel& kernel, const State& s, const Samples& samples,
                            std::span<const char> sample_is_static, bool static_changed) {
  require(sample_is_static.size() == samples.size(),
          "neighbour search: {} samples, but {} marks of rest", samples.size(),
          sample_is_static.size());
  grids_->build(kernel, s, samples, sample_is_static, static_changed);
}

void NeighbourSearch::find(const Kernel& kernel, const State& s, const Samples& samples,
                           std::span<const char> sample_is_static, bool static_changed,
                           Neighbours& out) {
  place(kernel, s, samples, sample_is_static, static_changed);
  Grids& g = *grids_;

  constexpr std::size_t size = LiquidPairs::block_size;
  const std::size_t n = s.particles();
  const std::size_t blocks = (n + size - 1) / size;
  const auto resize = [&](auto& lists) {
    lists.blocks_.resize(std::max(blocks, lists.blocks_.size()));
    lists.end_.resize(n);
  };
  resize(out.liquid.lists_);
  resize(out.samples);
  out.liquid.tables_.resize(std::max(blocks, out.liquid.tables_.size()));
  out.number.resize(n);
  out.g.resize(n);
  const PairSources sources{kernel, &g.liquid, {&g.at_rest.grid, &g.moving.grid}};
  const auto find_block = [&](std::size_t b) {
    const std::size_t begin = b * size;
    PairBlock block{begin,
                    std::min(n, begin + size),
                    {&out.liquid.lists_.blocks_[b], out.liquid.lists_.end_.data() + begin},
                    &out.liquid.tables_[b],
                    {&out.samples.blocks_[b], out.samples.end_.data() + begin},
                    out.number.data() + begin,
                    out.g.data() + begin};
    find_pairs(sources, g.threads.local(), block);
  };
  parallel_for(blocks, find_block, 1);
}

bool NeighbourSearch::liquid_within(const Vec3& x, double r) const {
  return grids_->liquid.any_within(grids_->kernel, x, r, [](std::uint32_t) { return true; });
}

bool NeighbourSearch::sample_within(const Samples& samples, const Vec3& x, double r,
                                    std::uint32_t but) const {
  const auto other = [&](std::uint32_t k) { return samples.body[k] != but; };
  return grids_->at_rest.grid.any_within(grids_->kernel, x, r, other) ||
         grids_->moving.grid.any_within(grids_->kernel, x, r, other);
}

}  // namespace hydrolith::particles
