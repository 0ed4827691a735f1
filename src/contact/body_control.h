#pragma once
// Bodies moved, set in motion and pushed from outside between two steps.

#include "setup/world.h"

#include <optional>
#include <string_view>

namespace hydrolith {

/// Index of a body by its name. Throws Error with the nearest name there is.
std::size_t find_body(const World& w, std::string_view name);

/// Puts a body elsewhere. It keeps its velocities (so its angular momentum turns with it) and
/// forgets its contacts. All of these throw Error, and change nothing, if the body is neither
/// dynamic nor driven, a number is not finite, or the body would leave the plane of a 2D scene.
void set_pose(const World& w, WorldState& s, std::size_t body, const Pose& pose);

/// Velocity of the centre of mass [m/s] and angular velocity [rad/s], world frame. A driven body
/// moves at these until they are set again; its velocity is that of its shape's origin.
void set_velocity(const World& w, WorldState& s, std::size_t body, const Vec3& velocity,
                  const Vec3& angular_velocity);

/// Adds a force [N] that acts over the whole next step, at a point [m] of the world or at the
/// centre of mass of a dynamic body; it enters the solve like the scene's loads.
void push(const World& w, WorldState& s, std::size_t body, const Vec3& force,
          const std::optional<Vec3>& point);

/// The same for a torque [N m].
void twist(const World& w, WorldState& s, std::size_t body, const Vec3& torque);

}  // namespace hydrolith
