#include "particles/cell_film.h"

#include "particles/cell_liquid.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace hydrolith::particles {

namespace {

constexpr double slit = 0.05;  // [h] gaps narrower than this are for films, wholly or in part
constexpr double most = 0.5;   // [-] of an opening

/// The wet part of a gap of width t slits.
double wet_part(double t) { return t < 1 ? t * t * (3 - 2 * t) : 1; }

WetSurface wet_surface(const State& s, const CellFacet& f) {
  return {f.particle, f.surface, s.x[f.particle] + f.centre, f.area * f.normal};
}

/// Facets into the list of all, behind those of the same cell; those without area leave it.
void insert(std::span<const CellFacet> added, std::vector<CellFacet>& scratch, Cells& cells) {
  scratch.clear();
  auto next = added.begin();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::span<const CellFacet> own = cells.facets_of(i);
    cells.facet_first[i] = static_cast<std::uint32_t>(scratch.size());
    std::copy_if(own.begin(), own.end(), std::back_inserter(scratch),
                 [](const CellFacet& f) { return f.push != 0; });
    for (; next != added.end() && next->particle == i; ++next) scratch.push_back(*next);
  }
  cells.facet_first[cells.size()] = static_cast<std::uint32_t>(scratch.size());
  cells.facets.swap(scratch);
}

/// Links of films into a list sorted by particle, one link for a particle and a body.
void merge(std::vector<BodyLink>&& added, std::vector<BodyLink>& links) {
  if (added.empty()) return;
  links.insert(links.end(), added.begin(), added.end());
  std::stable_sort(links.begin(), links.end(), [](const BodyLink& a, const BodyLink& b) {
    return a.particle != b.particle ? a.particle < b.particle : a.body < b.body;
  });
  std::size_t last = 0;
  for (std::size_t k = 1; k < links.size(); ++k) {
    if (links[k].particle == links[last].particle && links[k].body == links[last].body)
      links[last].G += links[k].G, links[last].T += links[k].T;
    else
      links[++last] = links[k];
  }
  links.resize(last + 1);
}

}  // namespace

namespace {

/// Of a facet in a slit a part stays; the rest is listed to be taken back.
void close_slit(const State& s, double width, CellFacet& facet, CellFilm& f) {
  if (!f.film.has_gap(facet.surface) || !(facet.area > 0)) return;
  const std::optional<Opposite> gap = f.film.gap_at(wet_surface(s, facet));
  if (!gap || gap->width >= width) return;
  const double wet = wet_part(gap->width / width);
  CellFacet back = facet;
  back.surface = gap->solid;
  back.scale(1 - wet);
  back.taken_back = true;
  f.taken_back.push_back(back);
  facet.scale(wet);
}

void close_slits(const State& s, double width, CellLiquid& c) {
  CellFilm& f = c.film;
  f.taken_back.clear();
  for (CellFacet& facet : c.cells.facets) close_slit(s, width, facet, f);
  if (!f.taken_back.empty()) insert(f.taken_back, f.facets, c.cells);
}

void fill(const Model& m, const State& s, CellLiquid& c) {
  CellFilm& f = c.film;
  f.wet.clear();
  for (const CellFacet& facet : c.cells.facets)
    if (f.film.has_gap(facet.surface) && !facet.taken_back && facet.area > 0)
      f.wet.push_back(wet_surface(s, facet));
  f.film.fill(f.wet, [&](std::uint32_t i) -> RimLiquid {
    return {s.x[i], m.scene.liquids[s.liquid[i]].density, s.pressure[i]};
  });
}

/// Cells that look into films through most of what is open of them.
void seal_openings(const CellOptions& options, CellLiquid& c) {
  const double unit = std::pow(options.h, options.dimensions - 1);
  std::vector<std::uint32_t>& sealed = c.film.sealed;
  sealed.clear();
  for (const FilmOpening& opening : c.film.film.openings()) {
    const double open = unit * c.cells.open[opening.liquid];
    if (open > 0 && opening.area > most * open) sealed.push_back(opening.liquid);
  }
  sealed.erase(std::unique(sealed.begin(), sealed.end()), sealed.end());
  c.builder.seal(options, sealed, c.surfaces, c.cells, &c.op);
}

}  // namespace

void fill_film(const Model& m, const State& s, const CellOptions& options, CellLiquid& c) {
  CellFilm& f = c.film;
  const double h = options.h;
  f.gaps = f.solids.any() && f.film.find_gaps({.h = h, .gravity = m.scene.gravity},
                                              f.solids.place(m, s.bodies, c.shapes));
  if (!f.gaps) return;
  fill(m, s, c);
  seal_openings(options, c);
  close_slits(s, slit * h, c);
  fill(m, s, c);
}

void link_film(const State& s, const CellFilm& f, LiquidSystem& system) {
  if (!f.gaps) return;
  const double unit = std::pow(system.h, system.dimensions - 1);
  std::vector<BodyLink> bodies, walls;
  for (const FilmLink& link : f.film.links()) {
    BodyLink added{link.liquid, link.body};
    added.G = (link.value.head<3>() / unit).cast<float>();
    added.T = (link.value.tail<3>() / unit).cast<float>();
    (s.bodies.kind[link.body] == BodyKind::dynamic ? bodies : walls).push_back(added);
  }
  merge(std::move(bodies), system.links);
  merge(std::move(walls), system.wall_links);
  index_links(s.bodies.size(), system);
}

void release_film(const Film& film, std::span<const Vec6> start, LiquidSystem& system) {
  const double scale = system.dt / std::pow(system.h, system.dimensions);
  for (const FilmLink& link : film.links())
    system.still[link.liquid] -= static_cast<float>(scale * link.value.dot(start[link.body]));
}

}  // namespace hydrolith::particles
