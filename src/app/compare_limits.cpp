// The criteria of a stable run, in the numbers of a scene.

#include "app/compare.h"
#include "core/check.h"
#include "rigid/motion.h"
#include "scene/scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith {

namespace {

constexpr int moments = 200;  // of the run at which prescribed speeds are looked at

/// Heights [m] along `up` of all that may move, and of everything.
struct Heights {
  double top = -unlimited, bottom = unlimited;
  void include(double height) {
    top = std::max(top, height);
    bottom = std::min(bottom, height);
  }
  double extent() const { return std::max(0.0, top - bottom); }
};

/// H [m]: from the highest point of what may move to the lowest of all.
double height_of(const Scene& scene, const Objects& objects, const Frame& frame, const Vec3& up) {
  Heights mobile, all;
  for (const LiquidFrame& liquid : frame.liquids)
    for (const Vec3f& x : liquid.position) mobile.include(up.dot(x.cast<double>()));
  for (const EmitterSpec& e : scene.emitters) mobile.include(up.dot(e.at));
  for (std::size_t i = 0; i < frame.bodies.size(); ++i)
    for (const Vec3f& x : objects.meshes[objects.bodies[i].mesh].vertices) {
      const double height = up.dot(frame.bodies[i].pose * Vec3(x.cast<double>()));
      (objects.bodies[i].kind == BodyKind::fixed ? all : mobile).include(height);
    }
  if (scene.domain)
    for (int k = 0; k < 8; ++k)
      all.include(up.dot(Vec3((k & 1 ? scene.domain->hi : scene.domain->lo).x(),
                              (k & 2 ? scene.domain->hi : scene.domain->lo).y(),
                              (k & 4 ? scene.domain->hi : scene.domain->lo).z())));
  return std::max(0.0, mobile.top - std::min(mobile.bottom, all.bottom));
}

/// Fastest point [m/s] of a kinematic body over the run; `reach` [m] from its origin.
double prescribed_speed(const BodySpec& body, double reach, double duration) {
  const double dt = duration / moments;
  MotionProgress progress;
  Pose from = body.pose;
  double fastest = 0;
  for (int k = 0; k < moments; ++k) {
    progress = advance(body.motion, progress, k * dt, dt);
    const Pose to = prescribed_pose(body.motion, body.pose, progress, (k + 1) * dt);
    const Twist twist = twist_between(from, to, dt);
    fastest = std::max(fastest, twist.velocity.norm() + twist.angular_velocity.norm() * reach);
    from = to;
  }
  return fastest;
}

double emitter_speed(const EmitterSpec& e, int dimensions, double duration) {
  double area = e.opening == EmitterOpening::disc ? std::numbers::pi * e.radius * e.radius
                                                  : e.width * e.height;
  if (dimensions == 2) area = e.opening == EmitterOpening::disc ? 2 * e.radius : e.height;
  double fastest = 0;
  for (int k = 0; k <= moments; ++k) {
    const double t = duration * k / moments;
    fastest = std::max(fastest, e.speed ? (*e.speed)(t) : e.rate ? (*e.rate)(t) / area : 0);
  }
  return fastest;
}

/// v0 [m/s]: the largest speed that the scene itself asks for.
double asked_speed(const Scene& scene, const Simulation& at_start) {
  const auto& names = at_start.metric_names();
  const auto column = std::find(names.begin(), names.end(), "max_speed") - names.begin();
  double fastest = at_start.metrics()[column];
  for (const EmitterSpec& e : scene.emitters)
    fastest = std::max(fastest, emitter_speed(e, scene.dimensions, scene.duration));
  const Objects& objects = at_start.objects();
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].kind != BodyKind::kinematic) continue;
    double reach = 0;
    for (const Vec3f& x : objects.meshes[objects.bodies[i].mesh].vertices)
      reach = std::max(reach, static_cast<double>(x.norm()));
    fastest = std::max(fastest, prescribed_speed(scene.bodies[i], reach, scene.duration));
  }
  return fastest;
}

bool driven_from_outside(const Scene& scene) {
  return !scene.emitters.empty() || !scene.outlets.empty() ||
         std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const BodySpec& b) {
           return b.kind == BodyKind::kinematic || !b.loads.empty();
         });
}

/// M [kg]: dynamic bodies and liquid, whose volume is shared out by numbers of particles.
double mobile_mass(const Objects& objects, const Frame& frame, const SceneSize& size) {
  double mass = size.body_mass;
  for (std::size_t k = 0; k < frame.liquids.size() && size.liquid_particles > 0; ++k)
    mass += objects.liquids[k].density * size.liquid_volume *
            static_cast<double>(frame.liquids[k].position.size()) /
            static_cast<double>(size.liquid_particles);
  return mass;
}

}  // namespace

Limits limits_of(const Criteria& criteria, const Scene& scene, const Simulation& at_start) {
  const double g = scene.gravity.norm();
  const Vec3 up = g > 0 ? Vec3(-scene.gravity / g) : Vec3(Vec3::UnitY());
  const Frame frame = at_start.frame();
  const double H = height_of(scene, at_start.objects(), frame, up);
  Limits limits{.max_void = criteria.max_void,
                .max_energy_gain = criteria.max_energy_gain,
                .max_overlap = criteria.max_overlap,
                .allow_retries = criteria.allow_retries,
                .energy_scale = mobile_mass(at_start.objects(), frame, at_start.size()) * g * H,
                .spacing = scene.spacing};
  const double fallen = asked_speed(scene, at_start) + std::sqrt(2 * g * H);
  limits.max_speed = criteria.max_speed.value_or(fallen > 0 ? 3 * fallen : unlimited);
  if (!limits.max_energy_gain && !driven_from_outside(scene)) limits.max_energy_gain = 0.05;
  if (limits.energy_scale <= 0) limits.max_energy_gain.reset();
  return limits;
}

std::string fault_of(const Limits& l, const StepReport& r, double energy_gain) {
  const double sum = r.kinetic_energy + r.potential_energy + r.max_speed + r.volume_error +
                     r.overlap + r.void_fraction + r.momentum.sum();
  if (!std::isfinite(sum)) return "not a finite number";
  if (r.retries > 0 && !l.allow_retries)
    return fmt::format("a step was taken back and halved {} time{}", r.retries,
                       r.retries == 1 ? "" : "s");
  if (const double depth = r.overlap / l.spacing; depth > l.max_overlap)
    return fmt::format("overlap of {:.3g} spacings, more than {:g}", depth, l.max_overlap);
  if (r.void_fraction > l.max_void)
    return fmt::format("void fraction {:.3g}, more than {:g}", r.void_fraction, l.max_void);
  if (r.max_speed > l.max_speed)
    return fmt::format("speed {:.3g} m/s, more than {:.3g}", r.max_speed, l.max_speed);
  if (l.max_energy_gain && energy_gain > *l.max_energy_gain)
    return fmt::format("energy gain {:.3g}, more than {:g}", energy_gain, *l.max_energy_gain);
  return {};
}

}  // namespace hydrolith
