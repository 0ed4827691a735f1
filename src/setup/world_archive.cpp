#include "setup/world_archive.h"

#include <algorithm>

namespace hydrolith {

namespace {

void same_length(const char* what, std::size_t found, std::size_t expected) {
  if (found != expected)
    throw Error(
        fmt::format("the state has {} rows of {} where the scene has {}", found, what, expected));
}

}  // namespace

void check_world_state(const World& world, const WorldState& s) {
  const std::size_t bodies = s.bodies.kind.size();
  for (const std::size_t n :
       {s.bodies.x.size(), s.bodies.q.size(), s.bodies.v.size(), s.bodies.omega.size(),
        s.bodies.L.size(), s.forces.size(), s.motion.size()})
    same_length("bodies", n, bodies);
  same_length("emitters", s.emitters.size(), world.emitters.size());
  same_length("outlets", s.outlets.size(), world.outlets.size());
  const ContactMemory& c = s.contacts;
  const std::size_t contacts = c.sample.size();
  same_length("contacts", c.body.size(), contacts);
  same_length("contacts", c.force.size(), contacts);
  if (!c.torque.empty()) same_length("contacts", c.torque.size(), contacts);
  if (!c.anchor.empty()) same_length("contacts", c.anchor.size(), contacts);
  if (std::any_of(c.body.begin(), c.body.end(), [&](std::uint32_t i) { return i >= bodies; }))
    throw Error("the state has contacts of bodies that the scene does not have");
}

void check_liquid_columns(const World& world, std::size_t particles,
                          std::initializer_list<std::size_t> lengths,
                          const std::vector<std::uint32_t>& liquid) {
  for (const std::size_t n : lengths) same_length("particles", n, particles);
  for (const std::uint32_t k : liquid)
    if (k >= world.scene.liquids.size())
      throw Error("the state has particles of a liquid that the scene does not have");
}

}  // namespace hydrolith
