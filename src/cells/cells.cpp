#include "cells/cells.h"

#include "cells/cell_parts.h"
#include "core/parallel.h"

#include <algorithm>
#include <numeric>

namespace hydrolith {

namespace {

constexpr std::size_t block_size = 256;
constexpr std::size_t blocks_at_once = 64;  // faces of so many wait to be taken
constexpr double grid_width = 2.0;          // [h] nearly all cells end within half of it

std::uint64_t scramble(std::uint64_t s) {  // splitmix64
  s += 0x9E3779B97F4A7C15u;
  s = (s ^ s >> 30) * 0xBF58476D1CE4E5B9u;
  s = (s ^ s >> 27) * 0x94D049BB133111EBu;
  return s ^ s >> 31;
}

/// In [-size, size] along each axis, the same for the same number.
Vec3 hashed_offset(std::uint64_t number, int dimensions, double size) {
  Vec3 offset = Vec3::Zero();
  for (int k = 0; k < dimensions; ++k)
    offset[k] = size * (double(scramble(3 * number + k) >> 11) * 0x1p-52 - 1);
  return offset;
}

}  // namespace

struct CellBuilder::Workspace {
  std::vector<Vec3> x;  // [m] particles with their offsets
  CellSearch search;
  BoxTree surface_boxes;
  std::vector<CellBlock> blocks;
  std::vector<std::vector<CellFace>> faces;  // of the blocks under way
  std::size_t taken = 0;                     // faces so far
};

CellBuilder::CellBuilder() : workspace_(std::make_unique<Workspace>()) {}
CellBuilder::~CellBuilder() = default;

namespace {

/// The box around a body's box at its pose.
Box3 placed(const Box3& box, const Pose& pose) {
  if (box.empty()) return {};
  const Vec3 centre = pose * box.centre();
  const Vec3 half = 0.5 * pose.orientation.toRotationMatrix().cwiseAbs() * box.size();
  return {centre - half, centre + half};
}

void find_boxes(std::span<const CellSurface> surfaces, BoxTree& out) {
  std::vector<Box3> boxes;
  for (const CellSurface& s : surfaces) boxes.push_back(placed(s.index->bounds(), s.pose));
  out.build(boxes);
}

void clear(CellBlock& block, std::size_t number, std::size_t particles) {
  block.begin = number * block_size;
  block.end = std::min(particles, block.begin + block_size);
  block.faces.clear();
  block.facets.clear();
  block.face_end.clear();
  block.facet_end.clear();
  block.mended = 0;
  block.worst_gap = 0;
}

/// The list of all faces.
class FaceList final : public FaceTaker {
 public:
  explicit FaceList(std::vector<CellFace>& list) : list_(list) {}
  void make_room(std::size_t faces, std::size_t expected) override {
    if (list_.capacity() < faces) list_.reserve(std::max(faces, expected));
    list_.resize(faces);
  }
  void take(std::uint32_t, std::uint32_t first, std::span<const CellFace> faces) override {
    std::copy(faces.begin(), faces.end(), list_.begin() + first);
  }

 private:
  std::vector<CellFace>& list_;
};

/// The faces of a block get the numbers from `first` on.
void hand_over(const CellBlock& block, const CellSearch& search, std::size_t first, Cells& out,
               FaceTaker& taker) {
  for (std::size_t k = 0; k < block.end - block.begin; ++k) {
    const std::uint32_t i = search.particle(block.begin + k);
    const std::uint32_t begin = k > 0 ? block.face_end[k - 1] : 0, end = block.face_end[k];
    out.first[i] = static_cast<std::uint32_t>(first) + begin;
    out.last[i] = static_cast<std::uint32_t>(first) + end;
    taker.take(i, out.first[i], {block.faces.data() + begin, end - begin});
  }
}

/// Numbers of facets of the block's particles, one place further on.
void count(const CellBlock& block, const CellSearch& search, Cells& out) {
  for (std::size_t k = 0; k < block.end - block.begin; ++k)
    out.facet_first[search.particle(block.begin + k) + 1] =
        block.facet_end[k] - (k > 0 ? block.facet_end[k - 1] : 0);
}

void join(const CellBlock& block, const CellSearch& search, Cells& out) {
  auto facet = block.facets.begin();
  for (std::size_t k = block.begin; k < block.end; ++k) {
    const std::uint32_t i = search.particle(k);
    const std::uint32_t facets = out.facet_first[i + 1] - out.facet_first[i];
    std::copy_n(facet, facets, out.facets.begin() + out.facet_first[i]);
    facet += facets;
  }
}

}  // namespace

void CellBuilder::build(const CellOptions& options, std::span<const Vec3> x,
                        std::span<const CellSurface> surfaces, Cells& out, FaceTaker* taker) {
  Workspace& w = *workspace_;
  const std::size_t n = x.size();
  w.x.resize(n);
  parallel_for(n, [&](std::size_t i) {
    w.x[i] = x[i] + hashed_offset(i, options.dimensions, 1e-7 * options.h);
  });
  w.search.build(grid_width * options.h, options.dimensions, w.x);
  find_boxes(surfaces, w.surface_boxes);

  out.volume.resize(n);
  out.centroid.resize(n);
  out.open.resize(n);
  out.first.resize(n);
  out.last.resize(n);
  FaceList list(out.faces);
  out.faces.clear();
  FaceTaker& faces = taker != nullptr ? *taker : list;
  const std::size_t blocks = (n + block_size - 1) / block_size;
  const std::size_t at_once = std::max(blocks_at_once, 8 * std::size_t(threads()));
  w.blocks.resize(blocks);
  w.faces.resize(std::min(blocks, at_once));
  w.taken = 0;
  const CellInput input{options, w.x, w.search, surfaces, w.surface_boxes, FreeSurface(options)};
  for (std::size_t begin = 0; begin < blocks; begin += at_once) {
    const std::size_t end = std::min(blocks, begin + at_once);
    parallel_for(
        end - begin,
        [&](std::size_t k) {
          CellBlock& block = w.blocks[begin + k];
          block.faces.swap(w.faces[k]);
          clear(block, begin + k, n);
          if (options.dimensions == 2)
            cut_cells_2d(input, block, out);
          else
            cut_cells_3d(input, block, out);
        },
        1);
    std::vector<std::size_t> first;
    for (std::size_t b = begin; b < end; ++b) {
      first.push_back(w.taken);
      w.taken += w.blocks[b].faces.size();
    }
    const double a_block = double(w.taken) / double(end);
    faces.make_room(w.taken, std::size_t(1.05 * a_block * double(blocks)));
    parallel_for(
        end - begin,
        [&](std::size_t k) {
          CellBlock& block = w.blocks[begin + k];
          hand_over(block, w.search, first[k], out, faces);
          block.faces.swap(w.faces[k]);
        },
        1);
  }

  out.facet_first.assign(n + 1, 0);
  out.mended = 0;
  out.worst_gap = 0;
  for (const CellBlock& block : w.blocks) {
    out.mended += block.mended;
    out.worst_gap = std::max(out.worst_gap, block.worst_gap);
  }
  parallel_for(
      blocks, [&](std::size_t b) { count(w.blocks[b], w.search, out); }, 1);
  std::partial_sum(out.facet_first.begin(), out.facet_first.end(), out.facet_first.begin());
  out.facets.resize(out.facet_first[n]);
  parallel_for(
      blocks, [&](std::size_t b) { join(w.blocks[b], w.search, out); }, 1);
}

namespace {

/// The list of facets, with those of some cells, in ascending order, exchanged.
void exchange_facets(std::span<const std::uint32_t> particles, std::span<const CellBlock> cut,
                     Cells& cells) {
  std::vector<CellFacet> all;
  all.reserve(cells.facets.size());
  std::vector<std::uint32_t>& first = cells.facet_first;
  std::uint32_t begin = 0;
  for (std::size_t i = 0, next = 0; i + 1 < first.size(); ++i) {
    const std::uint32_t end = first[i + 1];
    first[i] = static_cast<std::uint32_t>(all.size());
    if (next < particles.size() && particles[next] == i) {
      const std::vector<CellFacet>& own = cut[next++].facets;
      all.insert(all.end(), own.begin(), own.end());
    } else {
      all.insert(all.end(), cells.facets.begin() + begin, cells.facets.begin() + end);
    }
    begin = end;
  }
  first.back() = static_cast<std::uint32_t>(all.size());
  cells.facets.swap(all);
}

}  // namespace

void CellBuilder::seal(CellOptions options, std::span<const std::uint32_t> particles,
                       std::span<const CellSurface> surfaces, Cells& out, FaceTaker* taker) {
  if (particles.empty()) return;
  Workspace& w = *workspace_;
  options.sealed = true;
  const CellInput input{options, w.x, w.search, surfaces, w.surface_boxes, FreeSurface(options)};
  std::vector<CellBlock> cut(particles.size());
  for (std::size_t place = 0; place < w.search.size(); ++place) {
    const std::uint32_t i = w.search.particle(place);
    const auto at = std::lower_bound(particles.begin(), particles.end(), i);
    if (at == particles.end() || *at != i) continue;
    CellBlock& block = cut[static_cast<std::size_t>(at - particles.begin())];
    block.begin = place, block.end = place + 1;
    if (options.dimensions == 2)
      cut_cells_2d(input, block, out);
    else
      cut_cells_3d(input, block, out);
    out.open[i] = 0;
  }
  FaceList list(out.faces);
  FaceTaker& faces = taker != nullptr ? *taker : list;
  for (const CellBlock& block : cut) {  // their old places stay empty
    faces.make_room(w.taken + block.faces.size(), w.taken + block.faces.size());
    hand_over(block, w.search, w.taken, out, faces);
    w.taken += block.faces.size();
  }
  exchange_facets(particles, cut, out);
}

void CellBuilder::find(const Vec3& x, double r, std::vector<std::uint32_t>& out) const {
  workspace_->search.within(x, r, out);
}

}  // namespace hydrolith
