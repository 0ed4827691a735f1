#pragma once
// The films of one body; what film.cpp puts together for all.

#include "film/film.h"

#include <utility>
#include <vector>

namespace hydrolith {

/// A piece of a body's surface with another solid opposite to it.
struct FilmGap {
  std::uint32_t piece = 0, other = 0;  // `other`: solid
  double width = 0;                    // [m]
  bool sealed = false;
};

/// What the films of one body give.
struct BodyFilms {
  std::vector<FilmLink> links;
  std::vector<FilmOpening> openings;
  std::vector<std::pair<std::uint32_t, Vec6>> loads;  // per solid
  double area = 0, volume = 0;                        // [m^2], [m^3]
};

using RimReader = std::function<RimLiquid(std::uint32_t)>;

BodyFilms solve_films(const FilmOptions& options, std::span<const FilmSolid> solids,
                      std::uint32_t body, std::span<const FilmGap> gaps,
                      std::span<const WetSurface> wet, const RimReader& liquid);

}  // namespace hydrolith
