#include "linalg/multigrid.h"

#include "core/check.h"
#include "core/parallel.h"

#include <oneapi/tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hydrolith {

namespace {

constexpr std::size_t few = 48;       // unknowns of a level that is solved directly
constexpr std::size_t serial = 4096;  // levels smaller than this are not worth threads
constexpr std::int64_t longest_run = 2048;
constexpr std::uint32_t none = ~std::uint32_t{0};

// Two visits to every level but the finest. What they leave of a mode of the coarse system is
// (1 - lambda)^2 >= 0, so that B A <= omega on this level; below 2 the visits converge.
constexpr float over_correction = 1.6f;
constexpr int visits = 2;

template <class F>
void for_all(std::size_t n, F&& f) {
  if (n < serial)
    for (std::size_t i = 0; i < n; ++i) f(i);
  else
    parallel_for(n, f, serial / 2);
}

bool is_black(const Eigen::Vector3i& c) { return ((c.x() ^ c.y() ^ c.z()) & 1) != 0; }

}  // namespace

// ---- Building -----------------------------------------------------------------------------------

/// The order of z, then y, then x: rows by counting, then each row, which mostly is in order
/// already.
void Multigrid::sort(std::span<const Eigen::Vector3i> cells, const Eigen::Vector3i& size,
                     std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& row) {
  const std::size_t n = cells.size(), rows = static_cast<std::size_t>(size.y()) * size.z();
  order.resize(n);
  row.clear();
  const auto row_of = [&](const Eigen::Vector3i& c) {
    return static_cast<std::size_t>(c.z()) * size.y() + c.y();
  };
  if (rows <= 8 * n + serial) {
    count_.assign(rows + 1, 0);
    for (const Eigen::Vector3i& c : cells) ++count_[row_of(c) + 1];
    for (std::size_t r = 0; r < rows; ++r) {
      if (count_[r + 1] > 0) row.push_back(count_[r]);
      count_[r + 1] += count_[r];
    }
    for (std::uint32_t i = 0; i < n; ++i) order[count_[row_of(cells[i])]++] = i;
    row.push_back(static_cast<std::uint32_t>(n));
    const auto by_x = [&](std::uint32_t i, std::uint32_t j) { return cells[i].x() < cells[j].x(); };
    const auto begin = order.begin();
    for_all(row.size() - 1, [&](std::size_t r) {
      if (!std::is_sorted(begin + row[r], begin + row[r + 1], by_x))
        std::sort(begin + row[r], begin + row[r + 1], by_x);
    });
  } else {  // a few cells far apart
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
      const std::size_t ri = row_of(cells[i]), rj = row_of(cells[j]);
      return ri != rj ? ri < rj : cells[i].x() < cells[j].x();
    });
    for (std::uint32_t k = 0; k < n; ++k)
      if (k == 0 || row_of(cells[order[k]]) != row_of(cells[order[k - 1]])) row.push_back(k);
    row.push_back(static_cast<std::uint32_t>(n));
  }
}

void Multigrid::read(const CellSystem& A) {
  const std::size_t n = A.size();
  Eigen::Vector3i lo = A.cell[0], hi = A.cell[0];
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    lo = lo.cwiseMin(A.cell[i]);
    hi = hi.cwiseMax(A.cell[i]);
    largest = std::max(largest, A.diagonal[i]);
  }
  constexpr int widest = 1 << 24;
  require(double((hi - lo).maxCoeff()) < widest, "Multigrid: a grid of more than {} cells", widest);
  require(std::isfinite(largest), "Multigrid: a diagonal is not finite");
  scale_ = largest > 0 ? 1 / largest : 1;
  shifted_.resize(n);
  for_all(n, [&](std::size_t i) { shifted_[i] = A.cell[i] - lo; });
  sort(shifted_, hi - lo + Eigen::Vector3i::Ones(), order_, cells_[0].row);
  rank_.resize(n);
  for_all(n, [&](std::size_t k) { rank_[order_[k]] = static_cast<std::uint32_t>(k); });
  Cells& out = cells_[0];
  out.cell.resize(n), out.next.resize(n), out.link.resize(n), out.excess.resize(n);
  for_all(n, [&](std::size_t k) {
    const std::size_t i = order_[k];
    out.cell[k] = shifted_[i];
    double excess = A.diagonal[i];
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int32_t j = A.next[i][d], from = A.previous[i][d];
      const bool linked = j >= 0 && A.link[i][d] < 0;
      out.next[k][d] = linked ? static_cast<std::int32_t>(rank_[static_cast<std::size_t>(j)]) : -1;
      out.link[k][d] = linked ? static_cast<float>(-scale_ * A.link[i][d]) : 0;
      excess += A.link[i][d];
      if (from >= 0) excess += A.link[static_cast<std::size_t>(from)][d];
    }
    // Sums of links in another order: what is round-off must not tie a component down.
    out.excess[k] = excess > 1e-12 * A.diagonal[i] ? static_cast<float>(scale_ * excess) : 0;
  });
  out.extra.clear();
  link_back(out);
}

void Multigrid::link_back(Cells& cells) {
  const std::size_t n = cells.size();
  cells.previous.resize(n);
  for_all(n, [&](std::size_t i) { cells.previous[i] = {-1, -1, -1}; });
  for_all(n, [&](std::size_t i) {
    for (std::size_t d = 0; d < 3; ++d)
      if (const std::int32_t j = cells.next[i][d]; j >= 0)
        cells.previous[static_cast<std::size_t>(j)][d] = static_cast<std::int32_t>(i);
  });
}

/// Whether the cell has a neighbour at all.
bool Multigrid::is_linked(const Cells& cells, std::uint32_t i) {
  for (std::size_t d = 0; d < 3; ++d)
    if (cells.next[i][d] >= 0 || cells.previous[i][d] >= 0) return true;
  return !cells.extra.empty() && !extra_of(cells, i).empty();
}

std::span<const Multigrid::Extra> Multigrid::extra_of(const Cells& cells, std::uint32_t i) {
  const auto [from, to] =
      std::equal_range(cells.extra.begin(), cells.extra.end(), Extra{i, 0, 0},
                       [](const Extra& e, const Extra& f) { return e.from < f.from; });
  return {from, to};
}

/// The cells from member_[begin] on make a block; those not linked inside it make several, in the
/// order of their first cells. Returns how many.
std::uint32_t Multigrid::split_block(const Cells& fine, std::uint32_t block, std::size_t begin) {
  const std::size_t count = member_.size() - begin;
  const auto is_inside = [&](std::int32_t j) {
    return j >= 0 && block_[static_cast<std::size_t>(j)] == block;
  };
  std::size_t links = 0;
  for (std::size_t k = begin; k < member_.size(); ++k)
    for (const std::int32_t j : fine.next[member_[k]]) links += is_inside(j);
  // The graph has no triangles: so few cells with so many links hang together.
  if (count == 1 || (count == 2 && links >= 1) || (count == 4 && links >= 3) ||
      (count == 8 && links >= 12))
    return 1;
  piece_.resize(count);
  std::iota(piece_.begin(), piece_.end(), 0u);
  bool changed = true;
  const auto join = [&](std::size_t k, std::uint32_t j) {
    const auto at =
        std::find(member_.begin() + static_cast<std::ptrdiff_t>(begin), member_.end(), j);
    std::uint32_t& other = piece_[static_cast<std::size_t>(at - member_.begin()) - begin];
    if (piece_[k] == other) return;
    piece_[k] = other = std::min(piece_[k], other);
    changed = true;
  };
  while (changed) {
    changed = false;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t i = member_[begin + k];
      for (const std::int32_t j : fine.next[i])
        if (is_inside(j)) join(k, static_cast<std::uint32_t>(j));
      if (fine.extra.empty()) continue;
      for (const Extra& e : extra_of(fine, i))
        if (is_inside(static_cast<std::int32_t>(e.to))) join(k, e.to);
    }
  }
  scattered_.assign(member_.begin() + static_cast<std::ptrdiff_t>(begin), member_.end());
  member_.resize(begin);
  std::uint32_t pieces = 0;
  for (std::uint32_t p = 0; p < count; ++p) {
    if (piece_[p] != p) continue;
    if (pieces > 0) first_.push_back(static_cast<std::uint32_t>(member_.size()));
    for (std::size_t k = p; k < count; ++k)
      if (piece_[k] == p) member_.push_back(scattered_[k]), block_[scattered_[k]] = block + pieces;
    ++pieces;
  }
  return pieces;
}

/// Blocks of 2 x 2 x 2, in order: the up to four rows that make a row of blocks are merged. Cells
/// on two sides of a wall make two blocks, cells without neighbours none: they need no coarse
/// level. block_ = the block of every fine cell, first_ and member_ = the fine cells of every
/// block.
void Multigrid::coarsen(const Cells& fine, Cells& coarse) {
  const std::size_t n = fine.size(), rows = fine.row.size() - 1;
  row_order_.resize(rows);
  for_all(rows, [&](std::size_t r) {
    const Eigen::Vector3i& c = fine.cell[fine.row[r]];
    const auto z = static_cast<std::uint64_t>(c.z() >> 1),
               y = static_cast<std::uint64_t>(c.y() >> 1);
    row_order_[r] = {z << 32 | y, static_cast<std::uint32_t>(r)};
  });
  std::sort(row_order_.begin(), row_order_.end());
  block_.assign(n, none);
  bool split = false;
  coarse.cell.clear(), coarse.row.clear(), first_.clear(), member_.clear();
  for (std::size_t from = 0, to; from < rows; from = to) {
    const std::uint64_t key = row_order_[from].first;
    std::uint32_t at[4], end[4];
    std::size_t count = 0;
    for (to = from; to < rows && row_order_[to].first == key; ++to, ++count) {
      at[count] = fine.row[row_order_[to].second];
      end[count] = fine.row[row_order_[to].second + 1];
    }
    coarse.row.push_back(static_cast<std::uint32_t>(coarse.cell.size()));
    while (true) {
      int x = std::numeric_limits<int>::max();
      for (std::size_t k = 0; k < count; ++k)
        if (at[k] < end[k]) x = std::min(x, fine.cell[at[k]].x() >> 1);
      if (x == std::numeric_limits<int>::max()) break;
      const auto block = static_cast<std::uint32_t>(coarse.cell.size());
      const std::size_t begin = member_.size();
      for (std::size_t k = 0; k < count; ++k)
        for (; at[k] < end[k] && fine.cell[at[k]].x() >> 1 == x; ++at[k])
          if (is_linked(fine, at[k])) member_.push_back(at[k]), block_[at[k]] = block;
      if (member_.size() == begin) continue;
      first_.push_back(static_cast<std::uint32_t>(begin));
      const std::uint32_t pieces = split_block(fine, block, begin);
      split = split || pieces > 1;
      coarse.cell.insert(coarse.cell.end(), pieces,
                         {x, static_cast<int>(key & 0xffffffff), static_cast<int>(key >> 32)});
    }
    if (coarse.row.back() == coarse.cell.size()) coarse.row.pop_back();
  }
  coarse.row.push_back(static_cast<std::uint32_t>(coarse.cell.size()));
  first_.push_back(static_cast<std::uint32_t>(member_.size()));
  coarse.extra.clear();
  if (split || !fine.extra.empty())
    link_pieces(fine, coarse);
  else
    link_blocks(fine, coarse);
}

/// P^T A P: links between two blocks and what ties their cells to the surroundings add up.
void Multigrid::link_blocks(const Cells& fine, Cells& coarse) {
  const std::size_t n = coarse.size();
  coarse.next.resize(n), coarse.link.resize(n), coarse.excess.resize(n);
  for_all(n, [&](std::size_t I) {
    std::array<std::int32_t, 3> next{-1, -1, -1};
    std::array<float, 3> link{0, 0, 0};
    float excess = 0;
    for (std::uint32_t k = first_[I]; k < first_[I + 1]; ++k) {
      const std::uint32_t i = member_[k];
      excess += fine.excess[i];
      for (std::size_t d = 0; d < 3; ++d) {
        if (fine.next[i][d] < 0) continue;
        const std::uint32_t J = block_[static_cast<std::size_t>(fine.next[i][d])];
        if (J == I) continue;
        next[d] = static_cast<std::int32_t>(J);
        link[d] += fine.link[i][d];
      }
    }
    coarse.next[I] = next, coarse.link[I] = link, coarse.excess[I] = excess;
  });
  link_back(coarse);
}

/// The same where a block may have several neighbours on one side: all but one become extra links.
void Multigrid::link_pieces(const Cells& fine, Cells& coarse) {
  const std::size_t n = coarse.size();
  coarse.next.assign(n, {-1, -1, -1}), coarse.previous.assign(n, {-1, -1, -1});
  coarse.link.assign(n, {0, 0, 0}), coarse.excess.assign(n, 0);
  const auto add_extra = [&](std::uint32_t I, std::uint32_t J, float link) {
    coarse.extra.push_back({I, J, link});
    coarse.extra.push_back({J, I, link});
  };
  for (std::uint32_t I = 0; I < n; ++I)
    for (std::uint32_t k = first_[I]; k < first_[I + 1]; ++k) {
      const std::uint32_t i = member_[k];
      coarse.excess[I] += fine.excess[i];
      for (std::size_t d = 0; d < 3; ++d) {
        if (fine.next[i][d] < 0) continue;
        const std::uint32_t J = block_[static_cast<std::size_t>(fine.next[i][d])];
        if (J == I) continue;
        std::int32_t &next = coarse.next[I][d], &previous = coarse.previous[J][d];
        if (next < 0 && previous < 0)
          next = static_cast<std::int32_t>(J), previous = static_cast<std::int32_t>(I);
        if (next == static_cast<std::int32_t>(J))
          coarse.link[I][d] += fine.link[i][d];
        else
          add_extra(I, J, fine.link[i][d]);
      }
    }
  for (const Extra& e : fine.extra)
    if (const std::uint32_t I = block_[e.from], J = block_[e.to]; e.from < e.to && I != J)
      add_extra(I, J, e.link);
  // Those between the same two blocks become one.
  std::vector<Extra>& extra = coarse.extra;
  std::stable_sort(extra.begin(), extra.end(), [](const Extra& e, const Extra& f) {
    return e.from != f.from ? e.from < f.from : e.to < f.to;
  });
  std::size_t count = 0;
  for (const Extra& e : extra)
    if (count > 0 && extra[count - 1].from == e.from && extra[count - 1].to == e.to)
      extra[count - 1].link += e.link;
    else
      extra[count++] = e;
  extra.resize(count);
}

/// Red first, then black; coefficients and runs.
void Multigrid::write(Cells& cells, Level& level) {
  const std::size_t n = cells.size();
  cells.place.resize(n);
  std::uint32_t count[2] = {0, 0};
  for (std::size_t i = 0; i < n; ++i) cells.place[i] = count[is_black(cells.cell[i])]++;
  level.reds = count[0];
  for_all(n, [&](std::size_t i) {
    if (is_black(cells.cell[i])) cells.place[i] += level.reds;
  });
  for (auto& l : level.link) l.resize(n);
  level.diagonal.resize(n), level.inverse.resize(n);
  level.b.assign(n, 0), level.x.assign(n + 1, 0), level.residual.assign(n, 0);
  for_all(n, [&](std::size_t i) {
    const std::uint32_t p = cells.place[i];
    float sum = cells.excess[i];
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int32_t from = cells.previous[i][d];
      const float forward = cells.link[i][d];
      const float back = from < 0 ? 0 : cells.link[static_cast<std::size_t>(from)][d];
      level.link[d][p] = forward;
      level.link[3 + d][p] = back;
      sum += forward + back;
    }
    level.diagonal[p] = sum;
  });
  for (auto& extra : level.extra) extra.clear();
  for (const Extra& e : cells.extra) {
    const std::uint32_t p = cells.place[e.from];
    level.diagonal[p] += e.link;
    level.extra[p < level.reds ? 0 : 1].push_back({p, cells.place[e.to], e.link});
  }
  for_all(n, [&](std::size_t p) {
    level.inverse[p] = level.diagonal[p] > 0 ? 1 / level.diagonal[p] : 0;
  });
  find_runs(cells, level);
}

/// A cell without a neighbour in some direction (its link is 0) may join a run whose others have
/// one as long as what is read in its place belongs to the other colour, too.
void Multigrid::find_runs(const Cells& cells, Level& level) {
  const auto n = static_cast<std::int64_t>(cells.size());
  for (auto& runs : level.runs) runs.clear();
  std::uint32_t known[2] = {0, 0};  // directions of the last run that have a distance, as bits
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool black = is_black(cells.cell[i]);
    const std::int64_t p = cells.place[i];
    const std::int64_t lo = black ? 0 : level.reds, hi = black ? level.reds : n;  // other colour
    const auto reaches = [&](std::int64_t from, std::int32_t to) {
      return lo <= from + to && from + to < hi;
    };
    std::vector<Run>& runs = level.runs[black];
    std::array<std::int32_t, 6> to{};
    std::uint32_t has = 0;
    bool fits = !runs.empty() && p - runs.back().begin < longest_run;
    for (std::size_t d = 0; d < 6; ++d) {
      const std::int32_t j = d < 3 ? cells.next[i][d] : cells.previous[i][d - 3];
      const bool knows = (known[black] >> d & 1) != 0;
      if (j >= 0) {
        has |= 1u << d;
        to[d] = static_cast<std::int32_t>(cells.place[static_cast<std::size_t>(j)] - p);
        fits = fits && (knows ? runs.back().to[d] == to[d] : reaches(runs.back().begin, to[d]));
      } else {
        fits = fits && (!knows || reaches(p, runs.back().to[d]));
      }
    }
    if (!fits) {
      runs.push_back({static_cast<std::uint32_t>(p), 0, {}});
      known[black] = 0;
    }
    runs.back().end = static_cast<std::uint32_t>(p) + 1;
    known[black] |= has;
    for (std::size_t d = 0; d < 6; ++d)
      if (has >> d & 1) runs.back().to[d] = to[d];
  }
}

/// Cells without a block read the zero behind the blocks.
void Multigrid::assign_blocks(const Cells& fine, const Cells& coarse, Level& level) {
  const auto zero = static_cast<std::uint32_t>(coarse.size());
  level.block.resize(level.reds);
  level.first.assign(coarse.size() + 2, 0);
  for_all(fine.size(), [&](std::size_t i) {
    if (fine.place[i] < level.reds)
      level.block[fine.place[i]] = block_[i] == none ? zero : coarse.place[block_[i]];
  });
  for (const std::uint32_t I : level.block) ++level.first[I + 1];
  for (std::size_t I = 0; I <= coarse.size(); ++I) level.first[I + 1] += level.first[I];
  level.member.resize(level.reds);
  count_.assign(level.first.begin(), level.first.end());
  for (std::uint32_t p = 0; p < level.reds; ++p) level.member[count_[level.block[p]]++] = p;
}

/// A^+ = L^-T D^+ L^-1 of A = L D L^T; a pivot that is round-off (a component without anchor)
/// counts as infinite.
void Multigrid::invert_coarsest(const Cells& cells) {
  constexpr double round_off = 1e-6;
  const std::size_t n = cells.size();
  dense_.clear();
  if (n > few) return;
  factor_.assign(n * n, 0);
  const auto L = [&](std::size_t i, std::size_t j) -> double& { return factor_[i * n + j]; };
  for (std::size_t i = 0; i < n; ++i) {
    L(i, i) += static_cast<double>(cells.excess[i]);
    for (std::size_t d = 0; d < 3; ++d)
      if (cells.next[i][d] >= 0) {
        const auto j = static_cast<std::size_t>(cells.next[i][d]);
        const double a = static_cast<double>(cells.link[i][d]);
        L(i, i) += a, L(j, j) += a, L(i, j) -= a, L(j, i) -= a;
      }
  }
  for (const Extra& e : cells.extra) {
    L(e.from, e.from) += static_cast<double>(e.link);
    L(e.from, e.to) -= static_cast<double>(e.link);
  }
  std::vector<double> pivot(n), column(n);
  for (std::size_t j = 0; j < n; ++j) {
    const double before = L(j, j);
    double d = before;
    for (std::size_t k = 0; k < j; ++k) d -= L(j, k) * L(j, k) * pivot[k];
    const bool sound = d > round_off * before;
    pivot[j] = sound ? d : 0;
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = L(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= L(i, k) * L(j, k) * pivot[k];
      L(i, j) = sound ? sum / d : 0;
    }
  }
  dense_.resize(n * n);
  for (std::size_t c = 0; c < n; ++c) {
    std::fill(column.begin(), column.end(), 0.0);
    column[c] = 1;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j + 1; i < n; ++i) column[i] -= L(i, j) * column[j];
    for (std::size_t j = 0; j < n; ++j) column[j] = pivot[j] > 0 ? column[j] / pivot[j] : 0;
    for (std::size_t i = n; i-- > 0;)
      for (std::size_t j = i + 1; j < n; ++j) column[i] -= L(j, i) * column[j];
    for (std::size_t i = 0; i < n; ++i)
      dense_[cells.place[i] * n + cells.place[c]] = static_cast<float>(column[i]);
  }
}

void Multigrid::build(const CellSystem& A) {
  require(A.previous.size() == A.size(), "Multigrid: the system was not linked back");
  depth_ = 0;
  place_.clear();
  if (A.size() == 0) return;
  read(A);
  while (true) {
    if (level_.size() <= depth_) level_.emplace_back();
    Cells &fine = cells_[depth_ % 2], &coarse = cells_[(depth_ + 1) % 2];
    if (depth_ == 0) {
      write(fine, level_[0]);
      place_.resize(A.size());
      for_all(A.size(), [&](std::size_t k) { place_[order_[k]] = fine.place[k]; });
    } else {
      write(fine, level_[depth_]);
      assign_blocks(coarse, fine, level_[depth_ - 1]);
    }
    ++depth_;
    const bool linked = std::any_of(fine.next.begin(), fine.next.end(), [](const auto& next) {
      return next[0] >= 0 || next[1] >= 0 || next[2] >= 0;
    });
    if (fine.size() <= few || (!linked && fine.extra.empty())) return invert_coarsest(fine);
    coarsen(fine, coarse);
  }
}

// ---- Applying -----------------------------------------------------------------------------------

namespace {

/// f(run) for all, in threads if there is enough to do.
template <class Run, class F>
void for_runs(const std::vector<Run>& runs, std::size_t unknowns, F&& f) {
  if (unknowns < serial) {
    for (const Run& run : runs) f(run);
    return;
  }
  const std::size_t grain = std::max<std::size_t>(1, runs.size() * (serial / 2) / unknowns);
  parallel_for(
      runs.size(), [&](std::size_t k) { f(runs[k]); }, grain);
}

/// The neighbours of a run: sum over six directions of link * x.
template <class Run>
struct Neighbours {
  const float *l0, *l1, *l2, *l3, *l4, *l5;
  const float *x0, *x1, *x2, *x3, *x4, *x5;
  Neighbours(const std::array<std::vector<float>, 6>& link, const Run& run, const float* x)
      : l0(link[0].data()),
        l1(link[1].data()),
        l2(link[2].data()),
        l3(link[3].data()),
        l4(link[4].data()),
        l5(link[5].data()),
        x0(x + run.to[0]),
        x1(x + run.to[1]),
        x2(x + run.to[2]),
        x3(x + run.to[3]),
        x4(x + run.to[4]),
        x5(x + run.to[5]) {}
  float sum(std::size_t i) const {
    return ((l0[i] * x0[i] + l1[i] * x1[i]) + (l2[i] * x2[i] + l3[i] * x3[i])) +
           (l4[i] * x4[i] + l5[i] * x5[i]);
  }
};

/// max |r_i|
double largest_of(std::span<const double> r) {
  return oneapi::tbb::parallel_reduce(
      oneapi::tbb::blocked_range<std::size_t>(0, r.size(), serial), 0.0,
      [&](const auto& range, double most) {
        for (std::size_t i = range.begin(); i != range.end(); ++i)
          most = std::max(most, std::abs(r[i]));
        return most;
      },
      [](double a, double b) { return std::max(a, b); });
}

/// x_i = (b_i + sum_j link_ij x_j) / a_ii for one colour
template <class Level>
void relax(const Level& level, int colour) {
  float* const x = level.x.data();
  const float *const b = level.b.data(), *const inverse = level.inverse.data();
  for_runs(level.runs[colour], level.size(), [&](const auto& run) {
    const Neighbours near(level.link, run, x);
#pragma GCC ivdep
    for (std::size_t i = run.begin; i < run.end; ++i) x[i] = (b[i] + near.sum(i)) * inverse[i];
  });
  for (const auto& e : level.extra[colour]) x[e.from] += e.link * x[e.to] * inverse[e.from];
}

/// r_i = b_i - a_ii x_i + sum_j link_ij x_j of red cells
template <class Level>
void find_residual(const Level& level) {
  const float *const x = level.x.data(), *const b = level.b.data();
  const float* const diagonal = level.diagonal.data();
  float* const residual = level.residual.data();
  for_runs(level.runs[0], level.size(), [&](const auto& run) {
    const Neighbours near(level.link, run, x);
#pragma GCC ivdep
    for (std::size_t i = run.begin; i < run.end; ++i)
      residual[i] = (b[i] - diagonal[i] * x[i]) + near.sum(i);
  });
  for (const auto& e : level.extra[0]) residual[e.from] += e.link * x[e.to];
}

}  // namespace

/// From x = 0. After a half sweep of black cells their residual is zero, and the half sweep of
/// black cells after the correction forgets what they were: only red ones restrict and receive.
void Multigrid::cycle(std::size_t l) const {
  if (l + 1 == depth_) return solve_coarsest();
  const Level &fine = level_[l], &coarse = level_[l + 1];
  for_all(fine.reds, [&](std::size_t i) { fine.x[i] = fine.b[i] * fine.inverse[i]; });
  for (int visit = 0; visit < (l == 0 ? 1 : visits); ++visit) {
    relax(fine, 1);
    find_residual(fine);
    for_all(coarse.size(), [&](std::size_t I) {
      float sum = 0;
      for (std::uint32_t k = fine.first[I]; k < fine.first[I + 1]; ++k)
        sum += fine.residual[fine.member[k]];
      coarse.b[I] = sum;
    });
    cycle(l + 1);
    for_all(fine.reds,
            [&](std::size_t i) { fine.x[i] += over_correction * coarse.x[fine.block[i]]; });
    relax(fine, 1);
    relax(fine, 0);
  }
}

void Multigrid::solve_coarsest() const {
  const Level& level = level_[depth_ - 1];
  const std::size_t n = level.size();
  if (dense_.empty())
    for_all(n, [&](std::size_t i) { level.x[i] = level.b[i] * level.inverse[i]; });
  else
    for (std::size_t i = 0; i < n; ++i) {
      float sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += dense_[i * n + j] * level.b[j];
      level.x[i] = sum;
    }
}

void Multigrid::apply(std::span<const double> r, std::span<double> z) const {
  const std::size_t n = place_.size();
  require(r.size() == n && z.size() == n, "Multigrid: {} unknowns, but vectors of {} and {}", n,
          r.size(), z.size());
  if (n == 0) return;
  // A power of two brings r into the range of single precision without rounding.
  const double largest = largest_of(r);
  int exponent = 0;
  if (largest > 0 && std::isfinite(largest)) std::frexp(largest, &exponent);
  const double down = std::ldexp(1.0, -exponent), up = std::ldexp(scale_, exponent);
  const Level& level = level_[0];
  for_all(n, [&](std::size_t i) { level.b[place_[i]] = static_cast<float>(down * r[i]); });
  cycle(0);
  for_all(n, [&](std::size_t i) { z[i] = up * static_cast<double>(level.x[place_[i]]); });
}

}  // namespace hydrolith
