#include "particles/cell_film.h"

#include "particles/cell_liquid.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace hydrolith::particles {

namespace {

constexpr double slit = 0.05;  // [h] gaps narrower than this are for films, wholly or in part

/// The wet part of a gap of width t slits.
double wet_part(double t) { return t < 1 ? t * t * (3 - 2 * t) : 1; }

WetSurface wet_surface(const State& s, const CellFacet& f) {
  return {f.particle, f.surface, s.x[f.particle] + f.centre, f.area};
}

/// Facets into the list of all, behind those of the same cell; those without area leave it.
void insert(std::span<const CellFacet> added, std::vector<CellFacet>& scratch, Cells& cells) {
  scratch.clear();
  auto next = added.begin();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::span<const CellFacet> own = cells.facets_of(i);
    cells.facet_first[i] = static_cast<std::uint32_t>(scratch.size());
    std::copy_if(own.begin(), own.end(), std::back_inserter(scratch),
                 [](const CellFacet& f) { return !f.area.isZero(0); });
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

void close_slits(const Model& m, const State& s, CellLiquid& c) {
  CellFilm& f = c.film;
  const double h = m.scene.spacing;
  f.gaps = f.solids.any() && f.film.find_gaps({.h = h, .gravity = m.scene.gravity},
                                              f.solids.place(m, s.bodies, c.shapes));
  if (!f.gaps) return;
  f.taken_back.clear();
  for (CellFacet& facet : c.cells.facets) {
    if (!f.film.has_gap(facet.surface)) continue;
    const std::optional<Opposite> gap = f.film.gap_at(wet_surface(s, facet));
    if (!gap || gap->width >= slit * h) continue;
    const double wet = wet_part(gap->width / (slit * h));
    CellFacet back = facet;
    back.surface = gap->solid;
    back.area *= 1 - wet, back.spread *= 1 - wet;
    back.taken_back = true;
    f.taken_back.push_back(back);
    facet.area *= wet, facet.spread *= wet;
  }
  if (!f.taken_back.empty()) insert(f.taken_back, f.facets, c.cells);
}

void add_film(const Model& m, const State& s, CellLiquid& c, LiquidSystem& system) {
  CellFilm& f = c.film;
  f.at_gap.assign(s.particles(), 0);
  if (!f.gaps) return;
  f.wet.clear();
  for (const CellFacet& facet : c.cells.facets)
    if (f.film.has_gap(facet.surface) && !facet.taken_back) f.wet.push_back(wet_surface(s, facet));
  f.film.fill(f.wet, [&](std::uint32_t i) -> RimLiquid {
    return {s.x[i], m.scene.liquids[s.liquid[i]].density, s.pressure[i]};
  });
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
  for (const FilmOpening& opening : f.film.openings()) {
    const std::uint32_t i = opening.liquid;
    f.at_gap[i] = 1;
    double& open = c.cells.open[i];
    if (!(open > 0) || !(opening.area > 0)) continue;
    const double part = std::min(1.0, opening.area / open);
    c.op.close(i, part / unit * open_area(s, c.cells, i), system);
    open *= 1 - part;
  }
}

void release_film(const Film& film, std::span<const Vec6> start, LiquidSystem& system) {
  const double scale = system.dt / std::pow(system.h, system.dimensions);
  for (const FilmLink& link : film.links())
    system.still[link.liquid] -= static_cast<float>(scale * link.value.dot(start[link.body]));
}

}  // namespace hydrolith::particles
