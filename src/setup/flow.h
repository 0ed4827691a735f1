#pragma once
// Liquid that comes and goes: emitters, outlets, and the edge of the domain. An engine says how it
// takes a particle and removes those that are marked.

#include "setup/world.h"

#include <span>
#include <vector>

namespace hydrolith {

Emitter build_emitter(const Scene& scene, const EmitterSpec& spec, double spacing);
Outlet build_outlet(const Scene& scene, const Solids& solids, const OutletSpec& spec);

/// Speed [m/s] at which liquid leaves the opening at time t; a rate is spread over the area.
double emitter_speed(const Emitter& emitter, double t);

/// Particles it will have released at time `end` [s], to about a layer.
double expected_particles(const Emitter& emitter, double end);

/// Whether x [m] lies in the region that the outlet empties.
bool inside(const Outlet& outlet, const Vec3& x, int dimensions);

/// Releases the layers that are due now.
void emit(const World& w, WorldState& s, const AddParticle& add);
/// What has come through the openings in the step of dt from `start` [s] is due later.
void move_emitters(const World& w, WorldState& s, double start, double dt);

/// Liquid particles of an engine, one column per quantity.
struct ParticleColumns {
  std::span<const Vec3> x;                // [m]
  std::span<const double> volume;         // [m^3]
  std::span<const std::uint32_t> liquid;  // index into Scene::liquids
};

/// Clears keep[i] for particles inside an outlet, within its rate, and for those that have left the
/// domain; sets all others. False: nothing is to go, whatever is in `keep`.
bool mark_drained(const World& w, WorldState& s, double dt, const ParticleColumns& particles,
                  std::vector<char>& keep);

/// Keeps the elements for which keep[i] is set, in their order.
template <class T>
void keep_marked(const std::vector<char>& keep, std::vector<T>& column) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < keep.size(); ++i)
    if (keep[i]) column[n++] = column[i];
  column.resize(n);
}

}  // namespace hydrolith
