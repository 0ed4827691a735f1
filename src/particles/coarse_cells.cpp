#include "particles/coarse_cells.h"

#include "particles/cell_operator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace hydrolith::particles {

namespace {

constexpr std::size_t block = LiquidPairs::block_size;
constexpr float near_contact = 0.02f;  // [-] particles less loose than this may come under pressure
constexpr float largest_weight = 4;

/// Cells of 8 spacings while there are few of them, of 16 beyond.
double cell_edge(const LiquidSystem& system) {
  const double per_cell = std::pow(8.0, system.dimensions);
  return (static_cast<double>(system.size()) / per_cell < 300 ? 8 : 16) * system.h;
}

/// The part of one block of particles in P^T B^T B P. Its particles see a few cells only, which get
/// numbers of their own.
class BlockMatrix {
 public:
  /// Numbers a cell.
  std::int32_t number(std::int32_t cell) {
    if (!cells_.empty() && cells_[last_] == cell) return static_cast<std::int32_t>(last_);
    const auto at = std::find(cells_.begin(), cells_.end(), cell);
    last_ = static_cast<std::size_t>(at - cells_.begin());
    if (at == cells_.end()) cells_.push_back(cell);
    return static_cast<std::int32_t>(last_);
  }
  /// All cells are numbered.
  void start_sums() {
    t_.assign(cells_.size(), Float4());
    touched_.assign(cells_.size(), 0);
    table_.assign(cells_.size() * cells_.size(), 0);
  }
  /// t_I += g
  void add(std::int32_t cell, Float4 g) {
    const auto k = static_cast<std::size_t>(cell);
    if (!touched_[k]) touched_[k] = 1, list_.push_back(k);
    t_[k] += g;
  }
  /// Adds lightness t_I . t_J for all I, J touched, and forgets the t.
  void close_particle(float lightness) {
    for (std::size_t k : list_)
      for (std::size_t l : list_) table_[k * cells_.size() + l] += lightness * dot(t_[k], t_[l]);
    for (std::size_t k : list_) t_[k] = Float4(), touched_[k] = 0;
    list_.clear();
  }
  void flush(std::vector<Eigen::Triplet<double, int>>& out) {
    for (std::size_t k = 0; k < cells_.size(); ++k)
      for (std::size_t l = 0; l < cells_.size(); ++l)
        if (const double value = table_[k * cells_.size() + l]; value != 0)
          out.emplace_back(cells_[k], cells_[l], value);
  }

 private:
  std::vector<std::int32_t> cells_;
  std::size_t last_ = 0;
  std::vector<Float4> t_;
  std::vector<char> touched_;
  std::vector<std::size_t> list_;
  std::vector<double> table_;
};

}  // namespace

void CoarseCells::assign(const LiquidSystem& system, std::span<const Vec3> x,
                         std::span<const float> pressure) {
  const double edge = cell_edge(system);
  Vec3 lo = x[0];
  for (const Vec3& p : x) lo = lo.cwiseMin(p);
  const double per_edge = 1 / edge;
  std::unordered_map<std::uint64_t, std::int32_t> cells;
  share_.resize(x.size());
  std::uint64_t last_key = ~std::uint64_t{0};  // particles next to each other mostly share a cell
  std::int32_t last = -1;
  first_.assign(1, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    share_[i] = {};
    if (!(pressure[i] > 0 || system.compression[i] > -near_contact)) continue;
    const Vec3 at = (x[i] - lo) * per_edge;
    if (!(at.maxCoeff() < 1e6)) continue;
    const auto key = static_cast<std::uint64_t>(at.x()) << 42 |
                     static_cast<std::uint64_t>(at.y()) << 21 | static_cast<std::uint64_t>(at.z());
    if (key != last_key) {
      last = cells.try_emplace(key, static_cast<std::int32_t>(cells.size())).first->second;
      last_key = key;
    }
    share_[i].cell = last;
    if (first_.size() < cells.size() + 1) first_.push_back(0);
    ++first_[static_cast<std::size_t>(last) + 1];
  }
  cells_ = cells.size();
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  members_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < x.size(); ++i)
    if (share_[i].cell >= 0) members_[next[static_cast<std::size_t>(share_[i].cell)]++] = i;
}

void CoarseCells::weigh(std::span<const float> pressure) {
  for (std::size_t I = 0; I < cells_; ++I) {
    const std::span<const std::uint32_t> members(members_.data() + first_[I],
                                                 first_[I + 1] - first_[I]);
    double mean = 0;
    for (std::uint32_t i : members) mean += pressure[i];
    mean /= static_cast<double>(members.size());
    for (std::uint32_t i : members)
      share_[i].weight =
          mean > 0 ? std::min(static_cast<float>(pressure[i] / mean), largest_weight) : 1;
  }
}

/// The same for particles [begin, end) of the operator on cells. M_j enters as 1 / lightness, also
/// beside walls.
template <class Share, class Matrix>
void add_cell_rows(const CellOperator& op, std::span<const Share> share, std::size_t begin,
                   std::size_t end, Matrix& matrix) {
  for (std::size_t j = begin; j < end; ++j)
    op.for_each_push(j, [&](std::size_t k, Float4) {
      if (share[k].cell >= 0) matrix.number(share[k].cell);
    });
  matrix.start_sums();
  for (std::size_t j = begin; j < end; ++j) {
    op.for_each_push(j, [&](std::size_t k, Float4 g) {
      if (share[k].cell >= 0) matrix.add(matrix.number(share[k].cell), share[k].weight * g);
    });
    matrix.close_particle(op.lightness(j));
  }
}

/// P^T B^T B P: with t_jI = (B P)_jI, particle j adds mu_j t_jI . t_jJ for all cells near it.
void CoarseCells::add_liquid(const LiquidSystem& system) {
  const std::size_t n = system.size(), blocks = (n + block - 1) / block;
  std::vector<std::vector<Eigen::Triplet<double, int>>> parts(blocks);
  parallel_for(
      blocks,
      [&](std::size_t b) {
        BlockMatrix matrix;
        if (system.cells) {
          add_cell_rows<Share>(*system.cells, share_, b * block, std::min(n, (b + 1) * block),
                               matrix);
          matrix.flush(parts[b]);
          return;
        }
        const std::span<const std::uint32_t> table = system.pairs->table(b);
        std::vector<Share> near(table.size());
        for (std::size_t k = 0; k < table.size(); ++k) {
          near[k] = share_[table[k]];
          if (near[k].cell >= 0) near[k].cell = matrix.number(near[k].cell);
        }
        const std::size_t begin = b * block, end = std::min(n, begin + block);
        for (std::size_t j = begin; j < end; ++j)
          if (share_[j].cell >= 0) matrix.number(share_[j].cell);
        matrix.start_sums();
        for (std::size_t j = begin; j < end; ++j) {
          if (share_[j].cell >= 0)
            matrix.add(matrix.number(share_[j].cell), share_[j].weight * system.gtot[j]);
          for (const PackedPair& p : system.pairs->packed(j)) {
            const auto [cell, weight] = near[p.place];
            if (cell >= 0)
              matrix.add(cell, weight * PackedPair::unit * Float4(p.gx, p.gy, p.gz, 0));
          }
          matrix.close_particle(system.lightness[j]);
        }
        matrix.flush(parts[b]);
      },
      1);
  for (const auto& part : parts) entries_.insert(entries_.end(), part.begin(), part.end());
}

/// The bodies' part: one solve with H for every cell that touches a body.
void CoarseCells::add_bodies(const LiquidSystem& system, const BodyResponse& bodies) {
  std::vector<std::vector<std::pair<std::uint32_t, Vec6>>> touch(cells_);  // cell -> (body, L P)
  for (const BodyLink& link : system.links) {
    const auto [cell, weight] = share_[link.particle];
    if (cell < 0) continue;
    auto& list = touch[static_cast<std::size_t>(cell)];
    auto entry =
        std::find_if(list.begin(), list.end(), [&](const auto& e) { return e.first == link.body; });
    if (entry == list.end()) entry = list.insert(list.end(), {link.body, Vec6::Zero()});
    entry->second.head<3>() += weight * link.G.cast<double>();
    entry->second.tail<3>() += weight * link.T.cast<double>();
  }
  std::vector<Vec6> w(bodies.velocity().size());
  for (std::size_t I = 0; I < cells_; ++I) {
    if (touch[I].empty()) continue;
    std::fill(w.begin(), w.end(), Vec6::Zero());
    for (const auto& [body, l] : touch[I]) w[body] = l;
    bodies.comply(w);
    for (std::size_t J = 0; J < cells_; ++J) {
      double sum = 0;
      for (const auto& [body, l] : touch[J]) sum += l.dot(w[body]);
      if (sum != 0)
        entries_.emplace_back(static_cast<int>(I), static_cast<int>(J), system.mass * sum);
    }
  }
}

void CoarseCells::build(const LiquidSystem& system, std::span<const Vec3> x,
                        std::span<const float> pressure, const BodyResponse* bodies) {
  cells_ = 0;
  if (x.empty()) return;
  assign(system, x, pressure);
  if (cells_ == 0) return;
  weigh(pressure);
  entries_.clear();
  add_liquid(system);
  if (bodies && !system.links.empty()) add_bodies(system, *bodies);
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> A(static_cast<int>(cells_),
                                                      static_cast<int>(cells_));
  double largest = 0;
  for (const auto& e : entries_)
    if (e.row() == e.col()) largest = std::max(largest, e.value());
  for (int I = 0; I < static_cast<int>(cells_); ++I)
    entries_.emplace_back(I, I, 1e-12 * largest + 1e-30);
  A.setFromTriplets(entries_.begin(), entries_.end());
  for (int I = 0; I < static_cast<int>(cells_); ++I) A.coeffRef(I, I) *= 1 + 1e-6;
  factor_.compute(A);
  if (factor_.info() != Eigen::Success) cells_ = 0;
}

void CoarseCells::restrict_to(std::span<const float> r, Eigen::VectorXd& rc) const {
  rc.resize(static_cast<Eigen::Index>(cells_));
  parallel_for(
      cells_,
      [&](std::size_t I) {
        double sum = 0;
        for (std::uint32_t k = first_[I]; k < first_[I + 1]; ++k)
          sum += static_cast<double>(share_[members_[k]].weight) * r[members_[k]];
        rc[static_cast<Eigen::Index>(I)] = sum;
      },
      4);
}

void CoarseCells::solve(Eigen::VectorXd& rc) const {
  solution_ = factor_.solve(rc);
  rc.swap(solution_);
}

}  // namespace hydrolith::particles
