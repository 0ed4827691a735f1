#pragma once
// Liquid in gaps between solids that are too narrow for the engine to resolve: a film that carries
// pressure. One law for every engine.
//
// Film is the surface of a dynamic body that faces another solid closer than `reach` and that the
// engine's own liquid leaves bare. Pressure spreads in it as in a slot of even width (steady
// seepage; so is uplift under dams reckoned):
//   laplacian p = 0 along the surface,
//   at a wet rim p is that of the liquid there, continued by hydrostatics to the rim,
//   at a dry rim p = 0; a film that liquid reaches nowhere is dry.
// Where one of the two solids seals there is no film, and nothing passes.
//
// So p in the film is linear in the liquid's pressures p_j, and so are the wrenches on both solids:
//   w_K = sum_j L_jK p_j + load_K.
// L_jK enters the solve beside the engine's own links of liquid and bodies, and its adjoint the
// divergence of the liquid at the rim: symmetric, positive, and implicit, so that a light body is
// not thrown about. The adjoint alone would have the rim deliver at once what a gap takes up as it
// opens. True, but what the rim delivers cannot be put anywhere while the gap is too narrow for
// particles: those that squeeze in rush to the middle and collide (a block flat on the floor then
// rises by 29 mm in 0.2 s, where one that starts two spacings above rises by 42). So the motion of
// the gap at the start of the step is taken off the divergence: a gap opens and closes freely, and
// the rim feels only how that changes within the step. The film holds liquid that is not among the
// particles, `volume`: at most `reach` times its area, given back as the gap widens.
//
// The weights of p_j follow from one factorisation of the Laplacian a body: with p = K^-1 B p_j and
// a the areas, B^T K^-1 a.

#include "cells/cells.h"
#include "film/film_shape.h"
#include "linalg/block_ldu.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace hydrolith {

/// A solid at its present pose.
struct FilmSolid {
  const SurfaceIndex* index = nullptr;
  const FilmShape* shape = nullptr;  // none: films are not looked for on it, only opposite to it
  Pose pose;
  Vec3 centre = Vec3::Zero();  // [m] torques are about it
  bool seals = false;
};

/// Surface of a body that the engine's own liquid wets.
struct WetSurface {
  std::uint32_t liquid = 0;  // unknown of the engine
  std::uint32_t body = 0;
  Vec3 centre = Vec3::Zero();  // [m] world
  Vec3 area = Vec3::Zero();    // [m^2] A n, n into the body
};

/// The engine's liquid at a rim.
struct RimLiquid {
  Vec3 x = Vec3::Zero();  // [m] where the pressure is
  double density = 0;     // [kg/m^3]
  double pressure = 0;    // [Pa] of the last step: where there was none nothing is continued
};

struct FilmOptions {
  double h = 0;        // [m] spacing
  double reach = 1.2;  // [h] widest gap with a film
  Vec3 gravity = Vec3::Zero();
};

/// Wrench [m^2], [m^3] on a body per unit of the pressure of a liquid unknown.
struct FilmLink {
  std::uint32_t liquid = 0, body = 0;
  Vec6 value = Vec6::Zero();
};
/// Where a liquid unknown looks into a film that closes the gap: no free surface there.
struct FilmOpening {
  std::uint32_t liquid = 0;
  double area = 0;  // [m^2]
};

struct FilmGap;

/// What lies opposite to a piece of surface.
struct Opposite {
  std::uint32_t solid = 0;
  double width = 0;  // [m] of the gap
};

class Film {
 public:
  Film();
  ~Film();
  Film(Film&&) noexcept;

  /// Looks for gaps, anew in every step. False if there are none: then there is nothing to do.
  bool find_gaps(const FilmOptions& options, std::span<const FilmSolid> solids);
  bool has_gap(std::size_t body) const;
  /// The gap that a wet surface looks into; the two solids of a gap agree on whose it is.
  std::optional<Opposite> gap_at(const WetSurface& wet) const;
  /// Whether a wet surface lies in a gap so narrow that the engine's own liquid should have no part
  /// in it: that is for the film, or for nothing where the gap is sealed.
  bool is_narrow(const WetSurface& wet) const;
  /// With the surface wetted by the engine, at least that of bodies with gaps.
  void fill(std::span<const WetSurface> wet, const std::function<RimLiquid(std::uint32_t)>& liquid);

  std::span<const FilmLink> links() const { return links_; }  // sorted by liquid, then body
  std::span<const FilmOpening> openings() const { return openings_; }  // sorted by liquid
  std::span<const Vec6> loads() const { return loads_; }               // [N], [N m] per body
  double area() const { return area_; }                                // [m^2] with a wet rim
  double volume() const { return volume_; }                            // [m^3] of it
  void clear();

 private:
  const FilmGap* find_gap(const WetSurface& wet) const;
  void find_gaps_of(std::uint32_t body, std::span<const std::uint32_t> near);

  FilmOptions options_;
  std::vector<FilmSolid> solids_;
  std::vector<std::vector<FilmGap>> gaps_;  // per body, by piece
  std::vector<FilmLink> links_;
  std::vector<FilmOpening> openings_;
  std::vector<Vec6> loads_;
  double area_ = 0, volume_ = 0;
};

}  // namespace hydrolith
