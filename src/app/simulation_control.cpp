// What others may look at and change between the steps of a Simulation.

#include "hydrolith/simulation.h"

#include "app/column_keeper.h"
#include "app/engine.h"
#include "contact/body_control.h"
#include "core/check.h"

#include <utility>

namespace hydrolith {

void Simulation::on_step(std::function<void(Simulation&)> callback) {
  require(!in_on_step_, "on_step cannot be changed while it is called");
  on_step_ = std::move(callback);
}

void Simulation::call_on_step() {
  require(!in_on_step_, "on_step is called before a step; it cannot take one itself");
  if (!on_step_) return;
  struct Inside {
    bool& flag;
    ~Inside() { flag = false; }
  } const inside{in_on_step_ = true};
  on_step_(*this);
}

LiquidColumns Simulation::liquid() {
  const LiquidParts l = engine_->liquid();
  return {keeper_->lend(l.position), keeper_->lend(l.velocity), keeper_->lend(l.volume),
          keeper_->lend(l.pressure), keeper_->lend(l.id),       keeper_->lend(l.liquid)};
}

RigidColumns Simulation::bodies() {
  WorldState& s = engine_->world_state();
  return {keeper_->lend(s.bodies.x),     keeper_->lend(s.bodies.v),    keeper_->lend(s.bodies.q),
          keeper_->lend(s.bodies.omega), keeper_->lend(s.bodies.mass), keeper_->lend(s.forces)};
}

std::size_t Simulation::body(std::string_view name) const {
  return find_body(engine_->world(), name);
}

BodyFrame Simulation::body_state(std::size_t body) const {
  const WorldState& s = engine_->world_state();
  require(body < s.bodies.size(), "there is no body {}; the scene has {}", body, s.bodies.size());
  return {s.bodies.pose(body), s.bodies.v[body], s.bodies.omega[body], s.forces[body]};
}

void Simulation::set_body_pose(std::size_t body, const Pose& pose) {
  keeper_->part();
  set_pose(engine_->world(), engine_->world_state(), body, pose);
}

void Simulation::set_body_velocity(std::size_t body, const Vec3& velocity,
                                   const Vec3& angular_velocity) {
  keeper_->part();
  set_velocity(engine_->world(), engine_->world_state(), body, velocity, angular_velocity);
}

void Simulation::apply_force(std::size_t body, const Vec3& force,
                             const std::optional<Vec3>& point) {
  push(engine_->world(), engine_->world_state(), body, force, point);
}

void Simulation::apply_torque(std::size_t body, const Vec3& torque) {
  twist(engine_->world(), engine_->world_state(), body, torque);
}

}  // namespace hydrolith
