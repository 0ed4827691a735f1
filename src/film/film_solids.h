#pragma once
// The solids of a world as films see them: the same for every engine.

#include "film/film.h"
#include "setup/world.h"

#include <span>
#include <vector>

namespace hydrolith {

class FilmSolids {
 public:
  /// `wanted`: whether the engine has films; without, or without bodies that move freely in liquid,
  /// nothing is made.
  FilmSolids(const World& world, bool wanted);

  /// Whether a film may form at all.
  bool any() const { return any_; }
  /// At their present poses; one index for every distinct shape.
  std::span<const FilmSolid> place(const World& world, const RigidBodies& bodies,
                                   std::span<const SurfaceIndex> shapes);

 private:
  bool any_ = false;
  std::vector<FilmShape> shapes_;  // per distinct shape; empty unless dynamic
  std::vector<char> seals_;        // per body
  std::vector<FilmSolid> solids_;  // per body
};

/// [N] Of films on dynamic bodies, the sum of magnitudes, for pressures [Pa] of the liquid.
double film_force(const Film& film, const RigidBodies& bodies,
                  const std::function<double(std::uint32_t)>& pressure);

}  // namespace hydrolith
