#pragma once
// Films in narrow gaps (film/film.h) as part of the liquid on cells: a cell at the rim of a gap
// goes on into it. Its links to bodies and its volume count there what is film.

#include "film/film_solids.h"
#include "particles/liquid_system.h"

#include <span>
#include <vector>

namespace hydrolith::particles {

struct CellLiquid;

struct CellFilm {
  explicit CellFilm(const Model& m) : solids(m, m.scene.solver.uses_cells()) {}

  FilmSolids solids;
  bool gaps = false;  // whether there are any
  std::vector<WetSurface> wet;
  Film film;
  std::vector<CellFacet> taken_back;  // by slits
  std::vector<CellFacet> facets;      // scratch
  std::vector<std::uint32_t> sealed;  // cells that look into films
};

/// A gap opens and closes without taking or giving liquid: its motion at the start of the step goes
/// off the constraints, so that the rim feels only how it changes. `start`: velocities of all
/// bodies.
void release_film(const Film& film, std::span<const Vec6> start, LiquidSystem& system);

/// Finds gaps and films. Cells at the rim of a film go on into it and are not open there. Cells are
/// kept out of slits: they reach into gaps of any width, those of nanometres under a block that has
/// just lost contact included, and would push with all that they wet there. Of facets in a gap of
/// width w a part s(w / slit) stays, s(t) = t^2 (3 - 2 t), the rest is film. As much is taken back
/// from the solid opposite, so that the boundary of the cell stays closed.
void fill_film(const Model& m, const State& s, const CellOptions& options, CellLiquid& c);

/// Adds films to the system, which has been assembled.
void link_film(const State& s, const CellFilm& f, LiquidSystem& system);

}  // namespace hydrolith::particles
