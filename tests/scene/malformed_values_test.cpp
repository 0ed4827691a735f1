#include "malformed.h"

using namespace hydrolith;

// clang-format off
TEST_CASE("values that make no sense are told with place and reason") {
  check_messages({
    {"a misspelt key of the scene",
     R"(
duraton: 2
bodies: [{shape: {sphere: 1}}]
)",
     "",
     "s.yaml:1:1  duraton: unknown key. Did you mean \"duration\"?"},
    {"a misspelt key of a liquid",
     R"(
liquids:
  - shape: {box: [1, 1, 1]}
    viscosty: 0.1
)",
     "",
     "s.yaml:3:5  liquids[0].viscosty: unknown key. Did you mean \"viscosity\"?"},
    {"a key of another object",
     R"(
spacing: 0.1
viscosity: 0.1
)",
     "",
     "s.yaml:2:1  viscosity: unknown key. It is a key of hybrid, liquids."},
    {"a misspelt shape",
     R"(
bodies:
  - shape: {spere: 0.5}
)",
     "",
     "s.yaml:2:13  bodies[0].shape.spere: unknown key. Did you mean \"sphere\"?"},
    {"a shape of no kind",
     R"(
bodies:
  - shape: {at: [0, 0, 0]}
)",
     "",
     "s.yaml:2:12  bodies[0].shape: exactly one of box, sphere, ellipsoid, cylinder, "
     "capsule, cone, torus, wedge, plate, rounded_box, half_space, height_field, "
     "tetrapod, chain_link, gear, bolt, nut, text, duck, mesh, union, intersection, "
     "difference, blend is needed, found none"},
    {"a shape of two kinds",
     R"(
bodies:
  - shape: {sphere: 0.5, box: [1, 1, 1]}
)",
     "",
     "s.yaml:2:12  bodies[0].shape: only one of box and sphere can be given"},
    {"a body without a shape",
     R"(
bodies:
  - name: ghost
)",
     "",
     "s.yaml:2:5  bodies[0].shape: this key is required. Its shape."},
    {"text where a number belongs",
     "duration: long\n",
     "",
     "s.yaml:1:11  duration: expected a number in s, found \"long\", which is no known name."},
    {"a list where a number belongs",
     "duration: [1, 2]\n",
     "",
     "s.yaml:1:11  duration: expected a number in s, found a list of 2"},
    {"a mapping where a number belongs",
     "spacing: {x: 1}\n",
     "",
     "s.yaml:1:10  spacing: expected a number in m, found a mapping"},
    {"nothing where a number belongs",
     R"(
duration:
spacing: 0.1
)",
     "",
     "s.yaml:1:1  duration: expected a number in s, found nothing"},
    {"a number where a list belongs",
     "bodies: 5\n",
     "",
     "s.yaml:1:9  bodies: expected a list of bodies, found \"5\""},
    {"a number where a mapping belongs",
     "output: 5\n",
     "",
     "s.yaml:1:9  output: expected a mapping with the keys frame_rate, formats, fields, "
     "compression, metrics_every, checkpoint_every, checkpoint_steps; found \"5\""},
    {"text where a flag belongs",
     R"(
bodies:
  - {kind: static, shape: {sphere: 1, inside_out: maybe}}
)",
     "",
     "s.yaml:2:51  bodies[0].shape.inside_out: expected true or false, found \"maybe\""},
    {"a vector that is too short",
     "gravity: [0, -9.81]\n",
     "",
     "s.yaml:1:10  gravity: expected a number (downwards) or a vector [x, y, z] in m/s^2, "
     "found a list of 2"},
    {"a vector that is too long",
     R"(
dimensions: 2
gravity: [0, -9.81, 0, 0]
)",
     "",
     "s.yaml:2:10  gravity: expected a number (downwards) or a vector [x, y] in m/s^2, "
     "found a list of 4"},
    {"a negative size",
     R"(
bodies:
  - shape: {box: [1, -1, 1]}
)",
     "",
     "s.yaml:2:22  bodies[0].shape.box[1]: must be greater than 0, but is -1 m"},
    {"zero spacing",
     "spacing: 0\n",
     "",
     "s.yaml:1:10  spacing: must be greater than 0, but is 0 m"},
    {"a number that is not a number",
     "duration: .nan\n",
     "",
     "s.yaml:1:11  duration: must be a finite number, but is .nan"},
    {"an infinite number",
     "duration: .inf\n",
     "",
     "s.yaml:1:11  duration: must be a finite number, but is .inf"},
    {"a division by zero",
     "duration: 1/0\n",
     "",
     "s.yaml:1:11  duration: the value of 1/0 is not a finite number"},
    {"a fraction where a whole number belongs",
     "solver: {max_iterations: 2.5}\n",
     "",
     "s.yaml:1:26  solver.max_iterations: must be a whole number, but is 2.5"},
    {"a wrong number of dimensions",
     "dimensions: 4\n",
     "",
     "s.yaml:1:13  dimensions: must be between 2 and 3, but is 4"},
    {"a unit of another dimension",
     R"(
liquids:
  - {shape: {box: [1, 1, 1]}, density: 20 mm}
)",
     "",
     "s.yaml:2:40  liquids[0].density: 20 mm is a length; this value is in kg/m^3"},
    {"an unknown unit",
     "spacing: 3 cmm\n",
     "",
     "s.yaml:1:12  spacing: unknown unit \"cmm\""},
    {"an unknown name in an expression",
     R"(
parameters: {scale: 2}
spacing: 0.1 * scal
)",
     "",
     "s.yaml:2:16  spacing: unknown name \"scal\". Did you mean \"scale\"?"},
    {"an expression that ends too early",
     "duration: 2 *\n",
     "",
     "s.yaml:1:14  duration: the expression ends too early"},
    {"a parenthesis that is not closed",
     "duration: (1 + 2\n",
     "",
     "s.yaml:1:17  duration: \")\" is missing"},
    {"a parameter used before it is defined",
     R"(
parameters:
  a: 2*b
  b: 1
)",
     "",
     "s.yaml:2:8  parameters.a: unknown name \"b\". No names are known here; define them "
     "under `parameters`."},
    {"a parameter with a reserved name",
     "parameters: {t: 1, sin: 2, my-size: 3}\n",
     "",
     "s.yaml:1:14  parameters.t: \"t\" has a meaning in expressions already\n"
     "s.yaml:1:20  parameters.sin: \"sin\" is part of the language\n"
     "s.yaml:1:28  parameters.my-size: a parameter is named by letters, digits and _"},
    {"an angle with a unit among the parameters",
     "parameters: {tilt: 30 deg}\n",
     "",
     "s.yaml:1:20  parameters.tilt: 30 deg is an angle, and angles of either unit could "
     "be meant where it is used. Write a plain number of degrees here and `angle: name` "
     "or `sin(name deg)` there."},
    {"an unknown choice",
     R"(
bodies:
  - {shape: {sphere: 1}, kind: statc}
)",
     "",
     "s.yaml:2:32  bodies[0].kind: expected one of dynamic, static, kinematic, found "
     "\"statc\". Did you mean \"static\"?"},
    {"an unknown engine",
     "engine: fem\n",
     "",
     "s.yaml:1:9  engine: expected one of particles, hybrid, found \"fem\"."},
    {"an unknown colour",
     R"(
bodies:
  - {shape: {sphere: 1}, colour: steelblu}
)",
     "",
     "s.yaml:2:34  bodies[0].colour: expected a colour: [r, g, b] from 0 to 1, \"#rrggbb\" "
     "or a name, found \"steelblu\". Did you mean \"steelblue\"?"},
    {"a colour component above 1",
     R"(
bodies:
  - {shape: {sphere: 1}, colour: [0.2, 255, 0]}
)",
     "",
     "s.yaml:2:40  bodies[0].colour[1]: must be between 0 and 1, but is 255"},
    {"a missing mesh file",
     R"(
bodies:
  - shape: {mesh: no/such.obj}
)",
     "",
     "s.yaml:2:19  bodies[0].shape.mesh: there is no file no/such.obj (paths are relative "
     "to the scene)"},
    {"an unknown material",
     R"(
materials: {oak: {density: 700}}
bodies:
  - {shape: {sphere: 1}, material: oka}
)",
     "",
     "s.yaml:3:36  bodies[0].material: there is no material \"oka\". Did you mean \"oak\"?"},
    {"an unknown material in a friction pair",
     R"(
materials: {oak: {}}
friction:
  - {between: [oak, steel], coefficient: 0.3}
)",
     "",
     "s.yaml:3:21  friction[0].between[1]: there is no material \"steel\"."},
    {"a friction pair of three",
     R"(
materials: {oak: {}}
friction:
  - {between: [oak, oak, oak], coefficient: 0.3}
)",
     "",
     "s.yaml:3:6  friction[0].between: expected two materials, found 3"},
  });
}
// clang-format on
