#include "malformed.h"

using namespace hydrolith;

// clang-format off
TEST_CASE("broken files, repetitions and overrides are told with place and reason") {
  check_messages({
    {"a duplicate key",
     R"(
spacing: 0.1
liquids:
  - shape: {sphere: 1}
    density: 1
    density: 2
)",
     "",
     "s.yaml:5:5  liquids[0].density: this key is given twice"},
    {"broken YAML",
     R"(
bodies:
  - {shape: {sphere: 1}
)",
     "",
     "s.yaml:3:1  this is not YAML: end of map flow not found"},
    {"a tab as indentation",
     "output:\n\tframe_rate: 5\n",
     "",
     "s.yaml:2:12  this is not YAML: illegal map value (the line is indented by a tab; "
     "YAML wants blanks)"},
    {"two documents",
     R"(
spacing: 0.1
---
spacing: 0.2
)",
     "",
     "s.yaml:3:1  a second document begins here; a scene is one document"},
    {"an empty file",
     "\n",
     "",
     "s.yaml  the scene is empty; it needs at least a liquid or a body"},
    {"a scene that is a list",
     R"(
- 1
- 2
)",
     "",
     "s.yaml:1:1  expected a mapping with the keys name, description, dimensions, engine, "
     "parameters, spacing, gravity, duration, settle, time_step, solver, hybrid, domain, materials, "
     "friction, liquids, emitters, outlets, bodies, probes, output, picture, expect; "
     "found a list of 2"},
    {"more copies than allowed",
     R"(
bodies:
  - {shape: {sphere: 1}, repeat: {array: {count: [1000, 1000, 1000], step: [1, 1, 1]}}}
)",
     "",
     "s.yaml:2:34  bodies[0].repeat: this makes more than 200000 copies in all"},
    {"a repetition of no kind",
     R"(
bodies:
  - {shape: {sphere: 1}, repeat: {count: 3}}
)",
     "",
     "s.yaml:2:35  bodies[0].repeat.count: unknown key. It is a key of repeat.array, "
     "repeat.ring, repeat.stack."},
    {"a negative count",
     R"(
bodies:
  - {shape: {sphere: 1}, repeat: {ring: {count: -3, radius: 1}}}
)",
     "",
     "s.yaml:2:49  bodies[0].repeat.ring.count: must be at least 0, but is -3"},
    {"a fault in a body of a thousand copies is told once",
     R"(
bodies:
  - {shape: {sphere: -1 - i}, repeat: {array: {count: 1000, step: [1, 0, 0]}}}
)",
     "",
     "s.yaml:2:22  bodies[0].shape.sphere: must be greater than 0, but is -1 m"},
    {"a torus whose tube is too thick",
     R"(
bodies:
  - shape: {torus: {radius: 0.1, tube: 0.2}}
)",
     "",
     "s.yaml:2:34  bodies[0].shape.torus.tube: must be less than the radius of the ring, "
     "but is 0.2 m"},
    {"a height field without a surface",
     R"(
bodies:
  - {shape: {height_field: {width: 2}}, kind: static}
)",
     "",
     "s.yaml:2:28  bodies[0].shape.height_field: give the surface: height (an expression "
     "in x and z) or file"},
    {"an empty union",
     R"(
bodies:
  - shape: {union: []}
)",
     "",
     "s.yaml:2:20  bodies[0].shape.union: at least one shape is needed"},
    {"a turning axis in 2D",
     R"(
dimensions: 2
bodies:
  - {shape: {sphere: 1}, angular_velocity: [1, 0, 0]}
)",
     "",
     "s.yaml:3:44  bodies[0].angular_velocity: in a 2D scene bodies turn about z only; "
     "write a number"},
    {"a velocity out of the plane in 2D",
     R"(
dimensions: 2
bodies:
  - {shape: {sphere: 1}, velocity: [1, 0, 2]}
)",
     "",
     "s.yaml:3:36  bodies[0].velocity: in a 2D scene the z component must be 0"},
    {"a flow out of the plane in 2D",
     R"(
dimensions: 2
liquids:
  - {shape: {sphere: 1}, velocity: [y, 0, "x*x"]}
)",
     "",
     "s.yaml:3:36  liquids[0].velocity: in a 2D scene the z component must be 0"},
    {"a flow in time",
     R"(
liquids:
  - {shape: {sphere: 1}, velocity: [t, 0, 0]}
)",
     "",
     "s.yaml:2:37  liquids[0].velocity[0]: expected a vector [x, y, z] in m/s of numbers or "
     "expressions in x, y and z, found \"t\", which is no known name."},
    {"slip with the hybrid engine",
     R"(
engine: hybrid
bodies:
  - {shape: {sphere: 1}, slip: true}
)",
     "",
     "s.yaml:3:5  bodies[0]: slip belongs to `engine: particles`: viscous liquid of the hybrid "
     "engine sticks to every solid"},
    {"an override of an unknown key",
     "bodies: [{shape: {sphere: 1}}]\n",
     "output.frmae_rate=3",
     "--set output.frmae_rate=3  output.frmae_rate: unknown key. Did you mean "
     "\"frame_rate\"?"},
    {"an override of an item that is not there",
     "bodies: [{shape: {sphere: 1}}]\n",
     "bodies[3].density=3",
     "--set bodies[3].density=3  bodies: there is no [3]; the list has 1 item"},
    {"an override of a name that is not there",
     "bodies: [{name: ship, shape: {sphere: 1}}]\n",
     "bodies.shp.density=3",
     "--set bodies.shp.density=3  bodies: no item of this list is named \"shp\". Did you "
     "mean \"ship\"?"},
    {"an override of a misspelt parameter",
     "parameters: {scale: 1, n: 2}\nbodies: [{shape: {sphere: scale}}]\n",
     "parameters.scal=3",
     "--set parameters.scal=3  parameters: the scene has no parameter \"scal\". Did you mean "
     "\"scale\"?"},
    {"an override of a parameter that is not there",
     "parameters: {scale: 1, n: 2}\nbodies: [{shape: {sphere: scale}}]\n",
     "parameters.friction=3",
     "--set parameters.friction=3  parameters: the scene has no parameter \"friction\". It has "
     "scale, n."},
    {"an override of a parameter in a scene without any",
     "bodies: [{shape: {sphere: 1}}]\n",
     "parameters.scale=3",
     "--set parameters.scale=3  parameters: the scene has no parameter \"scale\". It has none."},
    {"an override out of range",
     "bodies: [{name: ship, shape: {sphere: 1}}]\n",
     "bodies.ship.density=-3",
     "--set bodies.ship.density=-3  bodies[0].density: must be greater than 0, but is -3 "
     "kg/m^3"},
    {"an override below a number",
     "bodies: [{shape: {sphere: 1}}]\n",
     "bodies[0].shape.sphere.radius=3",
     "--set bodies[0].shape.sphere.radius=3  bodies[0].shape.sphere: this is \"1\" in the "
     "scene and has no keys; set it as a whole"},
    {"an override whose path cannot be read",
     "bodies: [{shape: {sphere: 1}}]\n",
     "bodies[x]=3",
     "--set bodies[x]=3  the path cannot be read; it looks like "
     "bodies[0].shape.sphere.radius"},
    {"several faults at once, in the order of the file",
     R"(
duraton: 2
liquids:
  - {shape: {box: [1, 1, 1]}, density: -5}
spacing: 2 kg
bodies:
  - {kind: static}
)",
     "",
     "s.yaml:1:1  duraton: unknown key. Did you mean \"duration\"?\n"
     "s.yaml:3:40  liquids[0].density: must be greater than 0, but is -5 kg/m^3\n"
     "s.yaml:4:10  spacing: 2 kg is a mass; this value is in m\n"
     "s.yaml:6:5  bodies[0].shape: this key is required. Its shape."},
  });
}
// clang-format on
