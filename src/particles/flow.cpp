#include "particles/flow.h"

namespace hydrolith::particles {

void add_particle(State& s, std::uint32_t liquid, const Vec3& x, const Vec3& v, double volume) {
  s.x.push_back(x);
  s.v.push_back(v);
  s.volume.push_back(volume);
  s.pressure.push_back(0);
  s.id.push_back(s.next_id++);
  s.liquid.push_back(liquid);
}

void emit(const Model& m, State& s) {
  hydrolith::emit(m, s, [&](std::uint32_t liquid, const Vec3& x, const Vec3& v, double volume) {
    add_particle(s, liquid, x, v, volume);
  });
}

void drain(const Model& m, State& s, double dt) {
  std::vector<char> keep;
  if (!mark_drained(m, s, dt, {s.x, s.volume, s.liquid}, keep)) return;
  keep_marked(keep, s.x);
  keep_marked(keep, s.v);
  keep_marked(keep, s.volume);
  keep_marked(keep, s.pressure);
  keep_marked(keep, s.id);
  keep_marked(keep, s.liquid);
}

}  // namespace hydrolith::particles
