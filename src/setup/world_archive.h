#pragma once
// The columns of the state that all engines share, for checkpoints.

#include "core/archive.h"
#include "setup/world.h"

namespace hydrolith {

template <>
struct MadeOf<MotionProgress> {
  using Number = double;
  static constexpr int count = 4;
};
template <>
struct MadeOf<EmitterState> {
  using Number = double;
  static constexpr int count = 2;
};
template <>
struct MadeOf<OutletState> {
  using Number = double;
  static constexpr int count = 2;
};

/// `S` is WorldState or const WorldState.
template <class S, class Column>
void visit_world_columns(S& s, Column&& column) {
  column("time", s.time);
  column("step", s.step);
  column("bodies.x", s.bodies.x);
  column("bodies.q", s.bodies.q);
  column("bodies.v", s.bodies.v);
  column("bodies.omega", s.bodies.omega);
  column("bodies.L", s.bodies.L);
  column("forces", s.forces);
  column("motion", s.motion);
  column("contacts.sample", s.contacts.sample);
  column("contacts.body", s.contacts.body);
  column("contacts.force", s.contacts.force);
  column("contacts.torque", s.contacts.torque);
  column("contacts.anchor", s.contacts.anchor);
  column("emitters", s.emitters);
  column("outlets", s.outlets);
}

/// Throws Error unless the state fits the world: one row a body, contacts between bodies there are.
void check_world_state(const World& world, const WorldState& state);

/// Throws Error unless all columns of the liquid are as long as `particles` and every particle is
/// of a liquid there is.
void check_liquid_columns(const World& world, std::size_t particles,
                          std::initializer_list<std::size_t> lengths,
                          const std::vector<std::uint32_t>& liquid);

}  // namespace hydrolith
