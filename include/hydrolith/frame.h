#pragma once
// What a run produces: Objects once (what never changes), a Frame per picture, a StepReport per
// step. Engines fill them; the writers, the renderer, the viewer and Python read them and cannot
// tell one engine from another.

#include "hydrolith/vec.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith {

/// A quantity carried by every particle of a liquid: values[particle * components + component].
struct Field {
  std::string name;    // "velocity", "pressure", ...
  std::string unit;    // "m/s", "Pa", ...
  int components = 1;  // 1 or 3
  std::vector<float> values;
};

/// The particles of one liquid at one time.
struct LiquidFrame {
  std::vector<std::uint32_t> id;  // stable over the whole run; one per particle
  std::vector<Vec3f> position;    // [m]
  std::vector<Field> fields;      // what output.fields asked for
};

/// A force [N] and a torque [N m] about a body's centre of mass, in the world frame.
struct Wrench {
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();
};

/// What pushed a body during the last step, split by origin. Gravity and the scene's loads are not
/// among them. NaN: not measured (before the first step; the liquid's on static bodies that no
/// force probe names, with the hybrid engine).
struct BodyForces {
  Wrench pressure, viscosity, contact, friction;
};

/// The state of one rigid body at one time, about its centre of mass.
struct BodyFrame {
  Pose pose;                             // places the body's mesh (body frame) in the world
  Vec3 velocity = Vec3::Zero();          // [m/s]   of the centre of mass
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s] world frame
  std::optional<BodyForces> forces;      // of the last step; none in frames that do not tell
};

/// Everything that moves, at one time.
struct Frame {
  std::int64_t index = 0;            // number of the frame, from 0
  std::int64_t step = 0;             // steps taken so far
  double time = 0;                   // [s]
  std::vector<LiquidFrame> liquids;  // parallel to Objects::liquids
  std::vector<BodyFrame> bodies;     // parallel to Objects::bodies
};

/// Triangles for pictures and exports, in the body frame (origin = centre of mass).
struct SurfaceMesh {
  std::vector<Vec3f> vertices;                          // [m]
  std::vector<std::array<std::uint32_t, 3>> triangles;  // counter-clockwise seen from outside
};

enum class BodyKind { dynamic, fixed, kinematic };  // `static` in a scene is `fixed` here
std::string_view name_of(BodyKind kind);            // "dynamic", "static", "kinematic"

struct BodyInfo {
  std::string name;          // unique; copies of a repeated body are "brick[0]", "brick[1]", ...
  std::uint32_t object = 0;  // index into Objects::body_objects: the scene entry it came from
  std::uint32_t mesh = 0;    // index into Objects::meshes
  BodyKind kind = BodyKind::dynamic;
  bool container = false;  // turned inside out: the renderer shows only its far side
  double mass = 0;         // [kg]; 0 for static and kinematic bodies
  Vec3f colour = Vec3f(0.7f, 0.7f, 0.7f);  // linear RGB, 0..1
};

struct LiquidInfo {
  std::string name;
  double density = 1000;  // [kg/m^3] at rest
  Vec3f colour = Vec3f(0.1f, 0.35f, 0.7f);
};

/// Where the renderer looks from. Without one it finds a place by itself.
struct Camera {
  Vec3 from = Vec3::Zero();   // [m]
  Vec3 to = Vec3::Zero();     // [m]
  double field_of_view = 35;  // [deg] vertical
};

/// What never changes during a run.
struct Objects {
  std::string title;        // the scene's name
  int dimensions = 3;       // 2 or 3
  double spacing = 0;       // [m] particle spacing
  Vec3 up = Vec3::UnitY();  // against gravity
  std::vector<LiquidInfo> liquids;
  std::vector<std::string> body_objects;  // names of the scene's body entries
  std::vector<BodyInfo> bodies;
  std::vector<SurfaceMesh> meshes;  // shared by bodies of the same shape
  bool has_camera = false;
  Camera camera;
};

/// What one step did. Both engines fill all of it that applies; the rest stays at its default.
struct StepReport {
  std::int64_t step = 0;                 // number of this step, from 1
  double time = 0;                       // [s] at the end of the step
  double dt = 0;                         // [s]
  int iterations = 0;                    // of the solver
  int contact_iterations = 0;            // of contacts solved by themselves (weak coupling)
  double residual_mean = 0;              // [-] in the solver's own measure
  double residual_max = 0;               // [-]
  bool converged = true;                 // false: the maximum number of iterations was reached
  int retries = 0;                       // times the step was taken back and halved
  std::int64_t particles = 0;            // liquid particles at the end of the step
  std::int64_t outside = 0;              // of them, that have left the box around all static bodies
  double liquid_volume = 0;              // [m^3] at rest density
  double kinetic_energy = 0;             // [J] of everything dynamic
  double potential_energy = 0;           // [J] in gravity, zero at the origin
  Vec3 momentum = Vec3::Zero();          // [kg m/s]
  Vec3 angular_momentum = Vec3::Zero();  // [kg m^2/s] about the origin
  double volume_error = 0;               // [-] mean compression of the liquid
  double overlap = 0;                    // [m] deepest overlap of bodies
  double void_volume = 0;                // [m^3] liquid missing around dynamic bodies
  double void_fraction = 0;              // [-] the same, of the shell around them that is wet
  double film_area = 0;        // [m^2] of dynamic bodies, wetted by liquid too thin for the engine
  double film_volume = 0;      // [m^3] of that liquid, which is not among the particles
  double film_force = 0;       // [N] of it on them: the sum of magnitudes
  double max_speed = 0;        // [m/s] of liquid and body particles
  double viscosity_share = 1;  // [-] of the thickest liquid's viscosity that was applied
  int viscosity_iterations = 0;   // of the viscous solve (cells)
  std::int64_t put_back = 0;      // particles that ended in a solid, back at its surface (cells)
  std::int64_t mended_cells = 0;  // cells whose cut by a solid did not close (cells)
};

}  // namespace hydrolith
