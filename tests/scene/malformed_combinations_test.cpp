#include "malformed.h"

using namespace hydrolith;

// clang-format off
TEST_CASE("values that do not go together are told with place and reason") {
  check_messages({
    {"an emitter of an unknown liquid",
     R"(
liquids: [{name: water}]
emitters:
  - {liquid: watr, speed: 1}
  - {liquid: water, speed: 1}
)",
     "",
     "s.yaml:3:14  emitters[0].liquid: there is no liquid \"watr\". Did you mean \"water\"?"},
    {"an emitter that must say its liquid",
     R"(
liquids:
  - {name: oil, shape: {sphere: 1}}
  - {name: water, shape: {sphere: 1}}
emitters: [{speed: 1}]
)",
     "",
     "s.yaml:4:12  emitters[0].liquid: this key is required where there are several "
     "liquids"},
    {"an emitter with speed and rate",
     R"(
liquids: [{name: water}]
emitters:
  - {speed: 1, rate: 2}
)",
     "",
     "s.yaml:3:16  emitters[0].rate: give either speed or rate, not both"},
    {"an emitter without a flow",
     R"(
liquids: [{name: water}]
emitters:
  - {radius: 0.1}
)",
     "",
     "s.yaml:3:5  emitters[0]: give the flow: speed [m/s] or rate [m^3/s]"},
    {"a width on a round emitter",
     R"(
liquids: [{name: water}]
emitters:
  - {speed: 1, width: 0.1}
)",
     "",
     "s.yaml:3:16  emitters[0].width: a disc has a radius; width and height need "
     "`opening: rectangle`"},
    {"an emitter that stops before it starts",
     R"(
liquids: [{name: water}]
emitters:
  - {speed: 1, from: 2, until: 1}
)",
     "",
     "s.yaml:3:25  emitters[0].until: must be later than from (2 s), but is 1 s"},
    {"a liquid that is nowhere",
     R"(
liquids:
  - {name: water, density: 900}
)",
     "",
     "s.yaml:2:5  liquids[0]: this liquid is nowhere: give it a shape, or an emitter"},
    {"a probe of an unknown body",
     R"(
bodies: [{name: ship, shape: {sphere: 1}}]
probes:
  - {name: drag, force: shop}
)",
     "",
     "s.yaml:3:25  probes[0].force: there is no body \"shop\". Did you mean \"ship\"?"},
    {"a probe of a repeated body without a copy",
     R"(
bodies:
  - {name: pile, shape: {sphere: 1}, repeat: {array: {count: 3, step: [2, 0, 0]}}}
probes: [{name: p, pose: pile}]
)",
     "",
     "s.yaml:3:26  probes[0].pose: there is no body \"pile\". Did you mean \"pile[0]\"?"},
    {"a probe that measures nothing",
     R"(
probes:
  - {name: drag}
)",
     "",
     "s.yaml:2:5  probes[0]: exactly one of force, pressure, height, pose is needed, "
     "found none"},
    {"two probes of one name",
     R"(
probes:
  - {name: p, pressure: [0, 0, 0]}
  - {name: p, pressure: [1, 0, 0]}
)",
     "",
     "s.yaml:3:12  probes[1].name: the name \"p\" is taken"},
    {"two bodies of one name",
     R"(
bodies:
  - {name: a, shape: {sphere: 1}}
  - group:
      - {name: a, shape: {sphere: 1}}
)",
     "",
     "s.yaml:4:16  bodies[1].group[0].name: the name \"a\" is taken"},
    {"a name with a blank",
     R"(
bodies:
  - {name: my ship, shape: {sphere: 1}}
)",
     "",
     "s.yaml:2:12  bodies[0].name: a name is made of letters, digits, _ and -, found \"my "
     "ship\""},
    {"mass and density together",
     R"(
bodies:
  - {shape: {sphere: 1}, density: 500, mass: 3}
)",
     "",
     "s.yaml:2:40  bodies[0].mass: give either mass or density, not both"},
    {"a kinematic body without a motion",
     R"(
bodies:
  - {shape: {sphere: 1}, kind: kinematic}
)",
     "",
     "s.yaml:2:5  bodies[0].motion: this key is required: a kinematic body moves as "
     "prescribed"},
    {"a driven body with a motion of its own",
     R"(
bodies:
  - shape: {sphere: 1}
    kind: kinematic
    motion: {driven: true, velocity: [1, 0, 0]}
)",
     "",
     "s.yaml:4:14  bodies[0].motion.driven: a driven body has no motion of its own; leave one of "
     "them out"},
    {"a motion that says nothing",
     R"(
bodies:
  - {shape: {sphere: 1}, kind: kinematic, motion: {driven: false}}
)",
     "",
     "s.yaml:2:51  bodies[0].motion: give velocity, rotation, keyframes or driven: true"},
    {"a motion of a dynamic body",
     R"(
bodies:
  - {shape: {sphere: 1}, motion: {velocity: [1, 0, 0]}}
)",
     "",
     "s.yaml:2:26  bodies[0].motion: only a kinematic body has a motion; this one is "
     "dynamic"},
    {"loads on a static body",
     R"(
bodies:
  - {shape: {sphere: 1}, kind: static, loads: [{force: [1, 0, 0]}]}
)",
     "",
     "s.yaml:2:40  bodies[0].loads: only a dynamic body feels loads; this one is static"},
    {"a velocity of a static body",
     R"(
bodies:
  - {shape: {sphere: 1}, kind: static, velocity: [1, 0, 0]}
)",
     "",
     "s.yaml:2:40  bodies[0].velocity: a static body does not move"},
    {"an empty load",
     R"(
bodies:
  - {shape: {sphere: 1}, loads: [{at: [1, 0, 0]}]}
)",
     "",
     "s.yaml:2:34  bodies[0].loads[0]: give force, torque or both"},
    {"a dynamic container",
     R"(
bodies:
  - {shape: {box: [1, 1, 1], inside_out: true}}
)",
     "",
     "s.yaml:2:6  bodies[0].shape: a shape turned inside out is unbounded; the body must "
     "be static or kinematic"},
    {"keyframes with other motion",
     R"(
bodies:
  - shape: {sphere: 1}
    kind: kinematic
    motion: {velocity: [1, 0, 0], keyframes: [{time: 0}]}
)",
     "",
     "s.yaml:4:35  bodies[0].motion.keyframes: keyframes give the whole pose; leave "
     "velocity and rotation out"},
    {"keyframes of a motion that do not rise",
     R"(
bodies:
  - shape: {sphere: 1}
    kind: kinematic
    motion:
      keyframes: [{time: 0}, {time: 2}, {time: 1}]
)",
     "",
     "s.yaml:5:42  bodies[0].motion.keyframes[2].time: keyframe times must rise, but 1 s "
     "follows 2 s"},
    {"keyframes of a value that do not rise",
     R"(
bodies:
  - shape: {sphere: 1}
    friction: {keyframes: [[0, 1], [0, 0]]}
)",
     "",
     "s.yaml:3:36  bodies[0].friction.keyframes[1]: keyframe times must rise, but 0 s "
     "follows 0 s"},
    {"a keyframe without a value",
     R"(
bodies:
  - shape: {sphere: 1}
    friction: {keyframes: [[0, 1], 2]}
)",
     "",
     "s.yaml:3:36  bodies[0].friction.keyframes[1]: expected [time, value], found \"2\""},
    {"a grain without its other coefficient",
     R"(
bodies:
  - {shape: {sphere: 1}, friction: {along: 0.1}}
)",
     "",
     "s.yaml:2:36  bodies[0].friction.across: this key is required. Coulomb coefficient for "
     "sliding across it."},
    {"friction that a method cannot do",
     R"(
solver: {method: nncg}
materials: {felt: {rolling_friction: 1 mm}}
)",
     "",
     "s.yaml:1:1  solver: only the engine `particles`, with `coupling: monolithic` and `method: automatic`, can do "
     "rolling_friction"},
    {"a boundary that the one solve cannot do", "solver: {boundary: mls}", "",
     "s.yaml:1:10  solver.boundary: walls with a pressure of their own make the system unsymmetric, "
     "which `coupling: monolithic` cannot solve; use balanced or zero, or another coupling"},
    {"a method of the one solve for another coupling", "solver: {coupling: weak, method: nncg}", "",
     "s.yaml:1:26  solver.method: belongs to `coupling: monolithic`; the others choose theirs with "
     "`liquid`"},
    {"cells with a solver of the papers", "solver: {method: nncg, volumes: cells}", "",
     "s.yaml:1:24  solver.volumes: cells belong to `coupling: monolithic` with `method: automatic`; "
     "the papers' solvers know the kernel's volumes alone"},
    {"cells with a boundary of samples", "solver: {boundary: zero, volumes: cells}", "",
     "s.yaml:1:10  solver.boundary: belongs to `volumes: kernel`; cells are cut by the true surfaces "
     "of solids"},
    {"a surface coarser than the liquid",
     R"(
spacing: 2 cm
bodies:
  - {shape: {sphere: 1}, resolution: 3 cm}
)",
     "",
     "s.yaml:3:5  bodies[0]: resolution must be at most the spacing (0.02 m), but is 0.03 m: coarser "
     "surfaces would not be seen by what looks for voids in the liquid around bodies"},
    {"a resolution where samples bound the liquid",
     R"(
solver: {volumes: kernel}
liquids: [{shape: {box: [1, 1, 1]}}]
bodies:
  - {shape: {sphere: 1}, resolution: 1 mm}
)",
     "",
     "s.yaml:4:5  bodies[0]: with `volumes: kernel` the points of a body's surface are the liquid's "
     "boundary, as far apart as its particles. Leave out resolution, or use `volumes: cells`"},
    {"a resolution where bodies meet by volumes",
     R"(
solver: {contact: volumes}
bodies:
  - {shape: {sphere: 1}, resolution: 1 mm}
)",
     "",
     "s.yaml:3:5  bodies[0]: `contact: volumes` measures all bodies with one kernel, as wide as the "
     "liquid's. Leave out resolution, or use `contact: distance`"},
    {"anchors without implicit friction", "solver: {coupling: interlinked, anchor: true}", "",
     "s.yaml:1:33  solver.anchor: needs the implicit friction of `coupling: monolithic`"},
    {"negative friction",
     R"(
bodies:
  - {shape: {sphere: 1}, friction: -0.1}
)",
     "",
     "s.yaml:2:36  bodies[0].friction: must be at least 0, but is -0.1"},
    {"an expectation of nothing",
     R"(
expect:
  - {metric: energy}
)",
     "",
     "s.yaml:2:5  expect[0]: give what is expected: equals with margin, above or below"},
    {"an expectation without a margin",
     R"(
expect:
  - {metric: energy, equals: 3}
)",
     "",
     "s.yaml:2:5  expect[0].margin: this key is required with equals"},
    {"an expectation with when and time",
     R"(
expect:
  - {metric: energy, when: max, time: 1, below: 3}
)",
     "",
     "s.yaml:2:22  expect[0].when: give either when or time, not both"},
    {"bounds of an expectation the wrong way round",
     R"(
expect:
  - {metric: energy, above: 3, below: 2}
)",
     "",
     "s.yaml:2:32  expect[0].below: must be at least above (3), but is 2"},
    {"an axis without a length",
     R"(
bodies:
  - {shape: {sphere: 1}, rotate: {axis: [0, 0, 0], angle: 30}}
)",
     "",
     "s.yaml:2:41  bodies[0].rotate.axis: a direction needs a length greater than 0"},
    {"a rotation without an angle",
     R"(
bodies:
  - {shape: {sphere: 1}, rotate: {axis: [0, 1, 0]}}
)",
     "",
     "s.yaml:2:34  bodies[0].rotate: give {axis, angle} or {quaternion}"},
    {"a quaternion of three",
     R"(
bodies:
  - {shape: {sphere: 1}, rotate: {quaternion: [1, 0, 0]}}
)",
     "",
     "s.yaml:2:35  bodies[0].rotate.quaternion: expected four numbers [w, x, y, z], not "
     "all of them 0"},
    {"time step bounds the wrong way round",
     "time_step: {min: 2 ms, max: 1 ms}\n",
     "",
     "s.yaml:1:13  time_step.min: must be at most max (0.001 s), but is 0.002 s"},
    {"a fixed time step with bounds",
     "time_step: {fixed: 1 ms, max: 2 ms}\n",
     "",
     "s.yaml:1:26  time_step.max: a fixed time step has no bounds; leave out fixed or "
     "this key"},
    {"a domain the wrong way round",
     "domain: {min: [0, 0, 0], max: [1, -1, 1]}\n",
     "",
     "s.yaml:1:26  domain.max: must be greater than min along y (0 m), but is -1 m"},
    {"no output format",
     "output: {formats: []}\n",
     "",
     "s.yaml:1:10  output.formats: at least one of hdf5, vtk, ply is needed"},
    {"an unknown output format",
     "output: {formats: [hdf5, vtkk]}\n",
     "",
     "s.yaml:1:26  output.formats[1]: expected one of hdf5, vtk, ply, found \"vtkk\". Did "
     "you mean \"vtk\"?"},
    {"gravity as a negative number",
     "gravity: -9.81\n",
     "",
     "s.yaml:1:10  gravity: a single number points down, so -9.81 would pull up. Write 9.81, "
     "or a vector such as [0, -9.81, 0]"},
    {"a keyframe of more than half a turn",
     R"(
bodies:
  - shape: {sphere: 1}
    kind: kinematic
    motion: {keyframes: [{time: 0}, {time: 1, rotate: {axis: [0, 1, 0], angle: 270}}]}
)",
     "",
     "s.yaml:4:47  bodies[0].motion.keyframes[1].rotate: keyframes turn the short way, so 270 "
     "degrees cannot be told from -90. Write an angle between -180 and 180, put keys between, or "
     "use `rotation: {axis, rate}`"},
    {"a camera that looks at itself",
     "picture: {camera: {from: [1, 1, 1], to: [1, 1, 1]}}\n",
     "",
     "s.yaml:1:37  picture.camera.to: must be another point than from"},
  });
}
// clang-format on
