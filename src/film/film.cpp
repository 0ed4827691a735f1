#include "film/film.h"

#include "core/parallel.h"
#include "film/film_body.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr double facing = -0.7;  // cosine between normals of surfaces that face each other
constexpr double narrow = 0.8;   // [h] a gap that the engine's own liquid has no part in
constexpr double askew = 0.6;    // [h] the opposite point may lie aside by so much

/// Box of a solid in the world.
Box3 box_of(const FilmSolid& s) {
  const Box3 own = s.index->bounds();
  Box3 box;
  if (own.empty()) return box;
  for (int k = 0; k < 8; ++k)
    box.include(s.pose * Vec3(k & 1 ? own.hi.x() : own.lo.x(), k & 2 ? own.hi.y() : own.lo.y(),
                              k & 4 ? own.hi.z() : own.lo.z()));
  return box;
}

bool overlap(const Box3& a, const Box3& b) {
  return !a.empty() && !b.empty() && (a.lo.array() <= b.hi.array()).all() &&
         (b.lo.array() <= a.hi.array()).all();
}

}  // namespace

void Film::clear() {
  links_.clear(), openings_.clear();
  loads_.assign(loads_.size(), Vec6::Zero());
  area_ = volume_ = 0;
}

Film::Film() = default;
Film::~Film() = default;
Film::Film(Film&&) noexcept = default;

bool Film::has_gap(std::size_t body) const { return !gaps_[body].empty(); }

bool Film::find_gaps(const FilmOptions& options, std::span<const FilmSolid> solids) {
  options_ = options;
  solids_.assign(solids.begin(), solids.end());
  gaps_.resize(solids.size());
  loads_.resize(solids.size());
  clear();
  const double reach = options.reach * options.h;
  std::vector<Box3> boxes(solids.size());
  for (std::size_t k = 0; k < solids.size(); ++k) boxes[k] = box_of(solids[k]).grown(0.5 * reach);
  parallel_for(
      solids.size(),
      [&](std::size_t k) {
        gaps_[k].clear();
        if (solids_[k].shape == nullptr) return;
        std::vector<std::uint32_t> near;
        for (std::size_t o = 0; o < solids_.size(); ++o)
          if (o != k && overlap(boxes[k], boxes[o])) near.push_back(static_cast<std::uint32_t>(o));
        if (!near.empty()) find_gaps_of(static_cast<std::uint32_t>(k), near);
      },
      1);
  return std::any_of(gaps_.begin(), gaps_.end(), [](const auto& g) { return !g.empty(); });
}

/// A gap between two bodies with films belongs to the first of them; to the other it is closed.
void Film::find_gaps_of(std::uint32_t body, std::span<const std::uint32_t> near) {
  const FilmSolid& own = solids_[body];
  const double reach = options_.reach * options_.h;
  const std::span<const FilmShape::Piece> pieces = own.shape->pieces();
  std::vector<Pose> into(near.size());
  for (std::size_t k = 0; k < near.size(); ++k) into[k] = solids_[near[k]].pose.inverse();
  for (std::uint32_t p = 0; p < pieces.size(); ++p) {
    const Vec3 x = own.pose * pieces[p].centre,
               n = (own.pose.orientation * pieces[p].area).normalized();
    FilmGap gap{.piece = p, .width = reach};
    bool found = false;
    for (std::size_t k = 0; k < near.size(); ++k) {
      const FilmSolid& other = solids_[near[k]];
      SurfaceIndex::Nearest at;
      if (!other.index->nearest(into[k] * x, reach, at) || at.distance > gap.width) continue;
      const Vec3 to = other.pose * at.point - x;
      if (n.dot(other.pose.orientation * at.normal) > facing) continue;
      if ((to - to.dot(n) * n).norm() > askew * options_.h) continue;
      found = true;
      gap.other = near[k];
      gap.width = at.distance;
      gap.sealed = own.seals || other.seals || (other.shape != nullptr && near[k] < body);
    }
    gap.width = std::max(0.0, gap.width);
    if (found) gaps_[body].push_back(gap);
  }
}

/// Of the piece nearest to a wet surface; null if that lies in none.
const FilmGap* Film::find_gap(const WetSurface& wet) const {
  const FilmSolid& own = solids_[wet.body];
  const Pose into = own.pose.inverse();
  std::vector<std::uint32_t> around;
  own.shape->around(into * wet.centre, -(into.orientation * wet.area), around);
  if (around.empty()) return nullptr;
  const std::vector<FilmGap>& gaps = gaps_[wet.body];
  const auto gap =
      std::lower_bound(gaps.begin(), gaps.end(), around.front(),
                       [](const FilmGap& g, std::uint32_t piece) { return g.piece < piece; });
  return gap != gaps.end() && gap->piece == around.front() ? &*gap : nullptr;
}

std::optional<Opposite> Film::gap_at(const WetSurface& wet) const {
  const FilmGap* gap = find_gap(wet);
  if (gap == nullptr || (solids_[gap->other].shape != nullptr && gap->other < wet.body)) return {};
  return Opposite{gap->other, gap->width};
}

bool Film::is_narrow(const WetSurface& wet) const {
  const FilmGap* gap = find_gap(wet);
  return gap != nullptr && gap->width < narrow * options_.h;
}

void Film::fill(std::span<const WetSurface> wet,
                const std::function<RimLiquid(std::uint32_t)>& liquid) {
  clear();
  std::vector<std::vector<WetSurface>> of_body(solids_.size());
  for (const WetSurface& w : wet)
    if (has_gap(w.body)) of_body[w.body].push_back(w);
  std::vector<BodyFilms> found(solids_.size());
  parallel_for(
      solids_.size(),
      [&](std::size_t k) {
        if (has_gap(k) && !of_body[k].empty())
          found[k] = solve_films(options_, solids_, static_cast<std::uint32_t>(k), gaps_[k],
                                 of_body[k], liquid);
      },
      1);
  for (const BodyFilms& f : found) {
    links_.insert(links_.end(), f.links.begin(), f.links.end());
    openings_.insert(openings_.end(), f.openings.begin(), f.openings.end());
    for (const auto& [body, load] : f.loads) loads_[body] += load;
    area_ += f.area;
    volume_ += f.volume;
  }
  std::stable_sort(links_.begin(), links_.end(), [](const FilmLink& a, const FilmLink& b) {
    return a.liquid != b.liquid ? a.liquid < b.liquid : a.body < b.body;
  });
  std::stable_sort(openings_.begin(), openings_.end(),
                   [](const FilmOpening& a, const FilmOpening& b) { return a.liquid < b.liquid; });
}

}  // namespace hydrolith
