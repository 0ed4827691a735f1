// A step of bodies alone, put together from the parts that every engine has.

#include "contact/contact_step.h"

#include "about.h"
#include "contact/bodies_step.h"
#include "contact/body_response.h"
#include "contact_world.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

constexpr double g = 9.81;       // [m/s^2]
constexpr double side = 0.1;     // [m]
constexpr double weight = g;     // [N] of a cube of 1000 kg/m^3
constexpr double solved = 1e-9;  // [-] of h / dt: error of the contacts' velocities

/// A cube on the ground, pushed along x.
Scene cube_on_ground(double mu, double push) {
  std::vector<BodySpec> bodies = {ground(),
                                  body(BoxShape{Vec3(side, side, side)}, Vec3(0, side / 2, 0))};
  for (BodySpec& b : bodies) b.friction = TimeFunction(mu);
  LoadSpec load;
  load.force.x = TimeFunction(push);
  bodies[1].loads.push_back(load);
  Scene scene = ContactWorld::scene(std::move(bodies), 3);
  scene.gravity = Vec3(0, -g, 0);
  return scene;
}

struct DryRun {
  World m;
  WorldState s;
  ContactWorkspace w;
  ContactSystem system;
  BodyResponse response;

  explicit DryRun(const Scene& scene)
      : m(build_world(scene)), s(initial_world_state(m)), w(build_samples(m, s)) {}

  void step() {
    const std::vector<Vec6> push(s.bodies.size(), Vec6::Zero());
    steer_kinematic(m, s, dt);
    accelerate_bodies(m, s, dt);
    write_bodies(m, s, system.bodies);
    w.pushed.assign(s.bodies.size(), 0);
    find_contacts(m, s, 0.25 * h, dt, w, system);
    build_contact_rows(m, s, dt, system);
    response.start(system.bodies, system.rows, system.contacts.impulse, 1e-12);
    for (int k = 0; k < 60; ++k) {
      response.respond(push);
      if (response.residual(h / dt).max < solved) break;
      response.raise_multipliers();
    }
    response.finish(push);
    REQUIRE(response.residual(h / dt).max < solved);
    apply_contacts({response.multipliers(), response.spins(), response.velocity(), push}, dt, s, w,
                   system);
    integrate_bodies(m, s, dt);
    s.time += dt;
  }
};

}  // namespace

// The contacts' velocities are known to solved h / dt = 2e-8 m/s, forces to that times m / dt.
constexpr double force_error = solved * h / (dt * dt);  // [N] for 1 kg

TEST_CASE("the ground carries a cube, and contacts remember its weight") {
  DryRun run(cube_on_ground(0.5, 0));
  for (int k = 0; k < 20; ++k) run.step();
  const BodyForces &on_ground = run.s.forces[0], &on_cube = run.s.forces[1];
  CHECK(std::abs(on_cube.contact.force.y() - weight) < 10 * force_error);
  CHECK(on_cube.contact.force == -on_ground.contact.force);  // the same sums, negated
  CHECK(run.s.bodies.v[1].norm() < 1e-6);                    // 20 steps of 2e-8 m/s, to spare
  Vec3 remembered = Vec3::Zero();
  for (std::size_t k = 0; k < run.s.contacts.force.size(); ++k)
    remembered += (run.s.contacts.body[k] == 0 ? 1 : -1) * run.s.contacts.force[k];
  // The same forces, added in another order.
  CHECK((remembered - on_cube.contact.force - on_cube.friction.force).norm() < 1e-12 * weight);
}

TEST_CASE("a cube pushed beyond its friction slides with what is left") {
  constexpr double mu = 0.5, push = 8;  // [-], [N]
  DryRun run(cube_on_ground(mu, push));
  constexpr int steps = 20;
  for (int k = 0; k < steps; ++k) run.step();
  CHECK(std::abs(run.s.forces[1].friction.force.x() + mu * weight) < 10 * force_error);
  // v_n = n dt (F - mu m g) / m; the ground's edge is far away.
  CHECK(std::abs(run.s.bodies.v[1].x() - steps * dt * (push - mu * weight)) <
        steps * 10 * force_error * dt);
  CHECK(deepening_overlap(run.system, run.response.velocity(), dt) < 1e-9);  // it does not sink
}
