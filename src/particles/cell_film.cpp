#include "particles/cell_film.h"

#include "particles/cell_liquid.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::particles {

namespace {

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

void add_film(const Model& m, const State& s, CellLiquid& c, LiquidSystem& system) {
  CellFilm& f = c.film;
  f.at_gap.assign(s.particles(), 0);
  if (!f.solids.any()) return;
  const FilmOptions options{.h = m.scene.spacing, .gravity = m.scene.gravity};
  if (!f.film.find_gaps(options, f.solids.place(m, s.bodies, c.shapes))) return;
  f.wet.clear();
  for (const CellFacet& facet : c.cells.facets)
    if (f.film.has_gap(facet.surface))
      f.wet.push_back(
          {facet.particle, facet.surface, s.x[facet.particle] + facet.centre, facet.area});
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
