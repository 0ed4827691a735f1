#include "particles/neighbour_pairs.h"

#include <algorithm>
#include <array>
#include <numeric>

#ifndef HYDROLITH_NEIGHBOUR_PAIRS_TABLE
#define HYDROLITH_NEIGHBOUR_PAIRS_TABLE
namespace hydrolith::particles {

/// Row m: the places of the bits set in m, from the lowest; the lanes that a mask keeps.
struct alignas(32) KeptLanes {
  std::uint32_t lane[8];
};
constexpr auto kept_lanes = [] {
  std::array<KeptLanes, 256> rows{};
  for (std::uint32_t m = 0; m < 256; ++m)
    for (std::uint32_t bit = 0, k = 0; bit < 8; ++bit)
      if (m >> bit & 1) rows[m].lane[k++] = bit;
  return rows;
}();

}  // namespace hydrolith::particles
#endif

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "particles/neighbour_pairs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hydrolith::particles::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Up to eight lanes. Nothing below depends on their number: hits keep the order of the points,
// sums run over eight interleaved parts (hit k in part k mod 8), products are not fused.
constexpr std::size_t parts = 8;
using Reals = hn::CappedTag<float, parts>;
using Indices = hn::RebindToUnsigned<Reals>;
using Real = hn::Vec<Reals>;
using Mask = hn::Mask<Reals>;

constexpr float support_sq = 4;  // [h^2]
constexpr float far_away = 16;   // [h] beyond the support of everything near

HWY_INLINE Real length_sq(Real x, Real y, Real z) {
  return hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
}

/// The end of a list of points that grows; in registers while it does.
struct Appender {
  float *x, *y, *z;
  std::uint32_t* index;
  std::size_t count;

  HWY_INLINE explicit Appender(NearPoints& p)
      : x(p.x.data()), y(p.y.data()), z(p.z.data()), index(p.index.data()), count(p.count) {}

  /// Appends the lanes of the mask, in order. Writes a whole vector: there is room for it.
  HWY_INLINE void add(Mask mask, Real ax, Real ay, Real az, hn::Vec<Indices> j) {
    const Reals d;
    const Indices di;
    std::uint8_t bits[8];
    hn::StoreMaskBits(d, mask, bits);
    const auto kept = hn::IndicesFromVec(d, hn::Load(di, kept_lanes[bits[0]].lane));
    hn::StoreU(hn::TableLookupLanes(ax, kept), d, x + count);
    hn::StoreU(hn::TableLookupLanes(ay, kept), d, y + count);
    hn::StoreU(hn::TableLookupLanes(az, kept), d, z + count);
    const Real kept_j = hn::TableLookupLanes(hn::BitCast(d, j), kept);
    hn::StoreU(hn::BitCast(di, kept_j), di, index + count);
    count += hn::CountTrue(d, mask);
  }
};

/// Fills up the last vectors with points that are nobody's neighbours.
HWY_INLINE void close(NearPoints& points) {
  const Reals d;
  for (std::size_t k = points.count; k < points.count + parts; k += hn::Lanes(d)) {
    for (float* column : {points.x.data(), points.y.data(), points.z.data()})
      hn::StoreU(hn::Set(d, far_away), d, column + k);
    hn::StoreU(hn::Zero(Indices()), Indices(), points.index.data() + k);
  }
}

/// Box around some particles of one cell [h].
struct Bounds {
  Real lo[3], hi[3];
};

HWY_INLINE Bounds bounds(const NearPoints& points, std::size_t from, std::size_t to) {
  const Reals d;
  Bounds b;
  const float* columns[] = {points.x.data(), points.y.data(), points.z.data()};
  for (int k = 0; k < 3; ++k) {
    const Real first = hn::Set(d, columns[k][from]);
    b.lo[k] = b.hi[k] = first;
    for (std::size_t i = from; i < to; i += hn::Lanes(d)) {
      const Real x = hn::IfThenElse(hn::FirstN(d, to - i), hn::LoadU(d, columns[k] + i), first);
      b.lo[k] = hn::Min(b.lo[k], x);
      b.hi[k] = hn::Max(b.hi[k], x);
    }
    b.lo[k] = hn::MinOfLanes(d, b.lo[k]);
    b.hi[k] = hn::MaxOfLanes(d, b.hi[k]);
  }
  return b;
}

/// Copies the points of a brick and around it, with their numbers in the grid.
HWY_NOINLINE void read_brick(const CellGrid& grid, const CellIndex& brick, NearBrick& to) {
  const Reals d;
  const Indices di;
  to.halo.read(grid, brick);
  if (to.halo.points == 0) return;
  to.points.reserve(to.halo.points);
  const Appender end(to.points);
  std::uint32_t used = 0;
  std::size_t at = 0;
  for (int cz = -1; cz <= 4; ++cz)
    for (int cy = -1; cy <= 4; ++cy)
      for (int cx = -1; cx <= 4; ++cx, ++at) {
        const CellHalo::Range cell = to.halo.cell[at];
        to.first[at] = used;
        // From the cell's frame to the brick's. What is written too far is written again.
        const auto move = [&](const std::vector<float>& a, std::size_t k, int c) HWY_ATTR {
          return hn::Add(hn::LoadU(d, a.data() + k), hn::Set(d, 2.0f * float(c) - 4.0f));
        };
        for (std::uint32_t k = cell.begin, n = used; k < cell.end; k += parts, n += parts)
          for (std::size_t l = 0; l < parts; l += hn::Lanes(d)) {
            hn::StoreU(move(grid.x, k + l, cx), d, end.x + n + l);
            hn::StoreU(move(grid.y, k + l, cy), d, end.y + n + l);
            hn::StoreU(move(grid.z, k + l, cz), d, end.z + n + l);
            hn::StoreU(hn::LoadU(di, grid.index.data() + k + l), di, end.index + n + l);
          }
        used += cell.end - cell.begin;
      }
  to.first[at] = used;
}

/// Numbers the particles of cell `c` and around it by their places in the table of the block.
HWY_INLINE void place_cells(PairScratch& s, const CellIndex& c) {
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const std::size_t at = CellHalo::at(c.x + dx, c.y + dy, c.z + dz);
        if (s.place[at] != unknown_place || s.liquid.first[at] == s.liquid.first[at + 1]) continue;
        s.place[at] = s.table.place(s.liquid.halo.cell[at]);
        std::uint32_t* index = s.liquid.points.index.data();
        std::iota(index + s.liquid.first[at], index + s.liquid.first[at + 1], s.place[at]);
      }
}

/// Appends all points nearer than 2h to the box in cell `c` of the brick. The distance to the box
/// is rounded like that to a particle in it, so that no neighbour is lost.
HWY_NOINLINE void collect(const NearBrick& from, const CellIndex& c, const Bounds& box,
                          NearPoints& to) {
  const Reals d;
  const float *px = from.points.x.data(), *py = from.points.y.data(), *pz = from.points.z.data();
  const std::uint32_t* pj = from.points.index.data();
  const Bounds b = box;
  const auto outside = [&](Real a, int k) HWY_ATTR {
    return hn::Max(hn::Max(hn::Sub(b.lo[k], a), hn::Sub(a, b.hi[k])), hn::Zero(d));
  };
  to.reserve(to.count + from.halo.points);
  Appender end(to);
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy) {
      const std::size_t at = CellHalo::at(c.x - 1, c.y + dy, c.z + dz);
      for (std::size_t k = from.first[at]; k < from.first[at + 3]; k += hn::Lanes(d)) {
        const Real x = hn::LoadU(d, px + k), y = hn::LoadU(d, py + k), z = hn::LoadU(d, pz + k);
        const Real r_sq = length_sq(outside(x, 0), outside(y, 1), outside(z, 2));
        const Mask near =
            hn::And(hn::Lt(r_sq, hn::Set(d, support_sq)), hn::FirstN(d, from.first[at + 3] - k));
        end.add(near, x, y, z, hn::LoadU(Indices(), pj + k));
      }
    }
  to.count = end.count;
}

/// x_i - x_j of all points j nearer than 2h to the point at xi, except the one numbered `self`.
HWY_INLINE void find_hits(const NearPoints& near, const float* xi, std::uint32_t self,
                          NearPoints& hits) {
  const Reals d;
  const Indices di;
  const Real x = hn::Set(d, xi[0]), y = hn::Set(d, xi[1]), z = hn::Set(d, xi[2]);
  hits.count = 0;
  Appender end(hits);
  const float *px = near.x.data(), *py = near.y.data(), *pz = near.z.data();
  const std::uint32_t* pj = near.index.data();
  for (std::size_t k = 0, count = near.count; k < count; k += hn::Lanes(d)) {
    const Real dx = hn::Sub(x, hn::LoadU(d, px + k));
    const Real dy = hn::Sub(y, hn::LoadU(d, py + k));
    const Real dz = hn::Sub(z, hn::LoadU(d, pz + k));
    const auto j = hn::LoadU(di, pj + k);
    const Mask itself = hn::RebindMask(d, hn::Eq(j, hn::Set(di, self)));
    const Mask hit = hn::AndNot(itself, hn::Lt(length_sq(dx, dy, dz), hn::Set(d, support_sq)));
    end.add(hit, dx, dy, dz, j);
  }
  hits.count = end.count;
  close(hits);
}

/// A sum over hits in interleaved parts.
struct Sum {
  static constexpr std::size_t lanes = hn::MaxLanes(Reals());
  Real part[parts / lanes];

  HWY_INLINE void clear() {
    for (Real& p : part) p = hn::Zero(Reals());
  }
  HWY_INLINE void add(std::size_t k, Real a) { part[k] = hn::Add(part[k], a); }
  HWY_INLINE float total() const {
    HWY_ALIGN float s[parts];
    for (std::size_t k = 0; k < parts; k += lanes) hn::Store(part[k / lanes], Reals(), s + k);
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
  }
};

struct HitSums {
  Sum value;             // h^d W
  Sum gx, gy, gz, g_sq;  // g~, |g~|^2

  HWY_INLINE void clear() {
    for (Sum* sum : {&value, &gx, &gy, &gz, &g_sq}) sum->clear();
  }
  HWY_INLINE Eigen::Vector4f gradient() const {
    HWY_ALIGN float rows[4 * parts];
    for (std::size_t k = 0; k < parts / Sum::lanes; ++k)
      hn::StoreInterleaved4(gx.part[k], gy.part[k], gz.part[k], g_sq.part[k], Reals(),
                            rows + 4 * k * Sum::lanes);
    const auto row = [&](int k) { return Eigen::Vector4f::MapAligned(rows + 4 * k); };
    return ((row(0) + row(1)) + (row(2) + row(3))) + ((row(4) + row(5)) + (row(6) + row(7)));
  }
};

/// Gradients as they are.
HWY_INLINE void store(Real& gx, Real& gy, Real& gz, hn::Vec<Indices> j, Pair* to) {
  const Reals d;
  hn::StoreInterleaved4(gx, gy, gz, hn::BitCast(d, j), d, reinterpret_cast<float*>(to));
}

/// Gradients rounded to 16 bits, half to even: opposite numbers stay opposite. Floats around 3/2
/// 2^23 are whole numbers, whose last 16 bits are those of the number added.
HWY_INLINE void store(Real& gx, Real& gy, Real& gz, hn::Vec<Indices> place, PackedPair* to) {
  const Reals d;
  const Indices di;
  const Real unit = hn::Set(d, PackedPair::unit), per_unit = hn::Set(d, 1 / PackedPair::unit);
  const Real whole_numbers = hn::Set(d, 0x1.8p23f);
  const auto round = [&](Real& g) HWY_ATTR {
    const Real whole = hn::Add(hn::Mul(g, per_unit), whole_numbers);
    g = hn::Mul(unit, hn::Sub(whole, whole_numbers));
    return hn::BitCast(di, whole);
  };
  const auto low = hn::Set(di, 0xffff);
  const auto x = hn::And(round(gx), low), y = hn::ShiftLeft<16>(round(gy));
  const auto z = hn::And(round(gz), low), w = hn::ShiftLeft<16>(place);
  hn::StoreInterleaved2(hn::Or(x, y), hn::Or(z, w), di, reinterpret_cast<std::uint32_t*>(to));
}

/// Kernel and gradient of a vector of hits, with x = x_i - x_j in units of h, q = |x|:
///   h^d W = sigma ((2 - q)^3 / 4 - (1 - q)^3)             the second term for q < 1 only
///   g~ = f x,  f = sigma (9/4 q - 3) for q < 1,  -3/4 sigma (2 - q)^2 / q beyond
/// (Monaghan 1992). f is finite at q = 0, where the gradient is zero. Sums are of the gradients as
/// stored.
template <class Item>
HWY_INLINE void write_pairs(const NearPoints& hits, std::size_t k, std::size_t part, float sigma,
                            Item* pairs, HitSums& sums) {
  const Reals d;
  const auto set = [&](float a) HWY_ATTR { return hn::Set(d, a); };
  const Real x = hn::LoadU(d, hits.x.data() + k);
  const Real y = hn::LoadU(d, hits.y.data() + k);
  const Real z = hn::LoadU(d, hits.z.data() + k);
  const Real q = hn::Sqrt(length_sq(x, y, z));
  const Real a = hn::Max(hn::Sub(set(2), q), hn::Zero(d));
  const Real b = hn::Max(hn::Sub(set(1), q), hn::Zero(d));
  const Real a_sq = hn::Mul(a, a);
  const Real inner = hn::Sub(hn::Mul(set(2.25f * sigma), q), set(3 * sigma));
  const Real outer = hn::Div(hn::Mul(set(-0.75f * sigma), a_sq), hn::Max(q, set(1)));
  const Real f = hn::IfThenElse(hn::Lt(q, set(1)), inner, outer);
  Real gx = hn::Mul(f, x), gy = hn::Mul(f, y), gz = hn::Mul(f, z);
  store(gx, gy, gz, hn::LoadU(Indices(), hits.index.data() + k), pairs + k);
  const Real cubes = hn::Sub(hn::Mul(set(0.25f), hn::Mul(a_sq, a)), hn::Mul(hn::Mul(b, b), b));
  sums.value.add(part, hn::Mul(set(sigma), cubes));
  sums.gx.add(part, gx);
  sums.gy.add(part, gy);
  sums.gz.add(part, gz);
  sums.g_sq.add(part, length_sq(gx, gy, gz));
}

/// Room for `need` pairs and a vector at the `done`-th list of `all`. Memory at most doubles, and
/// grows no further than the rest of the lists will need if they go on like this.
template <class Item>
HWY_NOINLINE void grow(std::vector<Item>& pairs, std::size_t need, std::size_t done,
                       std::size_t all) {
  const std::size_t expected = need * all / done;
  const std::size_t size = std::min(expected + expected / 32, 2 * need) + parts;
  pairs.reserve(size);
  pairs.resize(size);
}

template <std::size_t group>
constexpr std::size_t next_group(std::size_t k) {
  return (k + group - 1) / group * group;
}

/// Finds, writes and closes the list of one particle, which starts at a multiple of `group`.
template <std::size_t group, class Item>
HWY_INLINE HitSums write_list(const NearPoints& near, const float* x, std::uint32_t self,
                              float sigma, std::size_t done, std::size_t all, NearPoints& hits,
                              PairOutput<Item>& out) {
  find_hits(near, x, self, hits);
  out.used = next_group<group>(out.used);
  if (out.used + hits.count + parts > out.pairs->size())
    grow(*out.pairs, out.used + hits.count, done, all);
  Item* pairs = out.pairs->data() + out.used;
  HitSums sums;
  sums.clear();
  for (std::size_t k = 0; k < hits.count; k += parts)
    for (std::size_t part = 0; part < parts / Sum::lanes; ++part)
      write_pairs(hits, k + part * Sum::lanes, part, sigma, pairs, sums);
  out.used += hits.count;
  out.end[done - 1] = static_cast<std::uint32_t>(out.used);
  return sums;
}

/// Particles [from, to) of one cell.
void search_cell(const PairSources& sources, PairScratch& s, const CellIndex& cell,
                 std::size_t from, std::size_t to, PairBlock& block) {
  const NearPoints& own = s.liquid.points;
  const std::size_t at = CellHalo::at(cell.x, cell.y, cell.z);
  const std::size_t first = s.liquid.first[at] + (from - s.liquid.halo.cell[at].begin);
  const Bounds box = bounds(own, first, first + (to - from));
  s.near_liquid.count = s.near_samples.count = 0;
  place_cells(s, cell);
  collect(s.liquid, cell, box, s.near_liquid);
  close(s.near_liquid);
  for (const NearBrick& samples : s.samples)
    if (samples.halo.points > 0) collect(samples, cell, box, s.near_samples);
  if (s.near_samples.count > 0) close(s.near_samples);
  s.hits.reserve(std::max(s.near_liquid.count, s.near_samples.count));

  const auto sigma = static_cast<float>(sources.kernel.sigma());
  const std::size_t all = block.end - block.begin;
  for (std::size_t i = from; i < to; ++i) {
    const std::size_t k = i - block.begin, me = first + (i - from);
    const float x[] = {own.x[me], own.y[me], own.z[me]};
    const HitSums sums = write_list<LiquidPairs::group>(s.near_liquid, x, own.index[me], sigma,
                                                        k + 1, all, s.hits, block.liquid);
    block.number[k] = sigma + sums.value.total();
    block.g[k] = sums.gradient();
    if (s.near_samples.count > 0)
      block.number[k] +=
          write_list<1>(s.near_samples, x, UINT32_MAX, sigma, k + 1, all, s.hits, block.samples)
              .value.total();
    else
      block.samples.end[k] = static_cast<std::uint32_t>(block.samples.used);
  }
}

void find_pairs(const PairSources& sources, PairScratch& s, PairBlock& block) {
  const CellGrid& liquid = *sources.liquid;
  const std::size_t end = std::min(block.end, liquid.points);
  std::size_t done = block.begin;
  s.table.start(*block.table);
  for (std::size_t b = done < end ? liquid.brick_at(done) : 0; done < end; ++b) {
    read_brick(liquid, liquid.brick[b], s.liquid);
    s.place.fill(unknown_place);
    for (std::size_t k = 0; k < s.samples.size(); ++k)
      read_brick(*sources.samples[k], liquid.brick[b], s.samples[k]);
    for (int c = 0; c < 64 && done < end; ++c) {
      const std::size_t to = std::min<std::size_t>(end, liquid.first[64 * b + c + 1]);
      if (to <= done) continue;
      const CellIndex cell{(c & 1) | (c >> 2 & 2), (c >> 1 & 1) | (c >> 3 & 2),
                           (c >> 2 & 1) | (c >> 4 & 2)};
      search_cell(sources, s, cell, done, to, block);
      done = to;
    }
  }
  block.liquid.used = next_group<LiquidPairs::group>(block.liquid.used);
  for (std::size_t k = done - block.begin; k < block.end - block.begin; ++k) {  // lost points
    block.liquid.end[k] = static_cast<std::uint32_t>(block.liquid.used);
    block.samples.end[k] = static_cast<std::uint32_t>(block.samples.used);
    block.number[k] = static_cast<float>(sources.kernel.sigma());
    block.g[k].setZero();
  }
}

}  // namespace hydrolith::particles::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hydrolith::particles {

HWY_EXPORT(find_pairs);

void find_pairs(const PairSources& sources, PairScratch& scratch, PairBlock& block) {
  HWY_DYNAMIC_DISPATCH(find_pairs)(sources, scratch, block);
}

void NearPoints::reserve(std::size_t points) {
  const std::size_t size = points + CellGrid::padding;
  if (size <= x.size()) return;
  for (std::vector<float>* column : {&x, &y, &z}) column->resize(2 * size);
  index.resize(2 * size);
}

}  // namespace hydrolith::particles
#endif
