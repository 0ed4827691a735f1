// docs/scene-reference.md from the table.

#include "scene/schema.h"
#include "scene/tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace hydrolith {
namespace schema {
namespace {

constexpr std::string_view introduction = R"md(# Scene reference

A scene is one YAML file (JSON is YAML too). This page lists every key. It is made from the same
table that checks scenes; `hydrolith schema` prints that table as JSON Schema, with which editors
complete and check scenes while you write. `hydrolith check scene.yaml` says what would be simulated,
or everything that is wrong and where.

A small scene:

```yaml
name: Duck pond
spacing: 4 cm                  # distance between particles: the resolution
duration: 3
liquids:
  - shape: {box: [2, 0.5, 2], at: [0, 0.25, 0]}
bodies:
  - {name: basin, kind: static, shape: {box: [2, 1, 2], at: [0, 0.5, 0], inside_out: true}}
  - {name: duck, shape: {duck: 0.4}, at: [0, 0.8, 0], density: 300, colour: gold}
```

## How values are written

**Axes.** Right-handed, y points up. In a 2D scene (`dimensions: 2`) everything lies in the xy plane
with a depth of 1 m; vectors may have two components and rotations are a single angle about z.

**Units.** A bare number is in the unit of its key: metres, kilograms, seconds, and degrees for
angles, but rad/s for angular velocities. Any number may carry its own unit: `20 mm`, `1 g/cm^3`,
`0.5 bar`, `10 l/s`, `5 rpm`, `1 mPa s`, `30 deg`, `0.5 rad`. A unit of another dimension is an error.
Known are m km dm cm mm um in ft, kg g mg t, s ms us min h, deg rad rpm, l ml, N mN kN MN,
Pa mPa hPa kPa MPa GPa bar mbar, J kJ, W kW, Hz kHz and %, joined by `/`, `*`, blanks and powers.

**Expressions.** A number may be an expression: `2*L + 3 cm`, `sqrt(2*9.81*h)`, `(1 + i) mm`. There
are `+ - * / ^`, parentheses, `pi`, and the functions sin, cos, tan, asin, acos, atan, atan2, sqrt,
exp, log, abs, floor, ceil, round, min, max, mod (with the sign of the divisor), clamp(x, low, high)
and step(edge, x), which is 0 below the edge. Units are followed through the arithmetic:
`10 m / 2 s` is a velocity. sin, cos and tan take radians or a number with a unit, `sin(30 deg)`;
the inverse functions give an angle in the unit of the key. `spacing` is known in every expression
but those of `parameters`. A name that is defined is never read as a unit: `3*L`, not `3 L`. In
`[...]` and `{...}` an expression that contains a comma needs quotes: `[0, "max(1, h)", 0]`.

**Parameters.** `parameters` gives names to numbers, each of which may use those above it:
`parameters: {L: 20 cm, n: 5, height: n*L}`. A number written with a unit becomes SI; an angle is
given as a plain number of degrees and used as `angle: tilt` or `sin(tilt deg)`. `--set
parameters.L=0.3` changes one from the command line, and so brings a whole scene to another size; a
name that the scene does not define is refused.

**Functions of time.** Where a value may change with time, write a number, an expression in the time
`t` [s] such as `max(0, 1 - t/5)`, or keyframes: `{keyframes: [[0, 1], [5, 0]]}`. Vectors have three of
them, `[0, "sin(2*pi*t)", 0]`, or keyframes of vectors: `{keyframes: [[0, [0, 0, 0]], [5, [1, 0, 0]]]}`.

**Rotations.** `{axis: [0, 0, 1], angle: 30}`, a list of those that are applied one after the other, or
`{quaternion: [w, x, y, z]}`.

**Colours.** `[r, g, b]` from 0 to 1 as in any paint program, `"#rrggbb"`, or one of
)md";

constexpr std::string_view repetition = R"md(
**Repetition.** `repeat` makes copies of a body or a group: one repetition, or a list of them, the
outermost first. The number of a copy is known in all expressions of the body and of inner
repetitions, as `i` for the outermost, `j`, `k`, ... further in, or by the name given as `index`.
Repetitions are laid out around the entry's `at`, along the axes around it; `rotate` turns every copy
by itself. A pyramid:

```yaml
bodies:
  - name: brick
    shape: {box: [0.2, 0.1, 0.1]}
    at: [0.1*row, 0.05, 0]
    repeat:
      - stack: {count: 5, step: [0, 0.1, 0], index: row}
      - array: {count: 5 - row, step: [0.2, 0, 0]}
```

The copies are called `brick[0]` to `brick[14]`, which is how a probe names one of them.

**Changes from the command line.** `--set path=value` changes or adds any value: `--set duration=5`,
`--set bodies[1].density=300`, `--set bodies.duck.density=300` (by name), `--set gravity=[0,0,0]`.

**YAML.** Anchors (`&a`, `*a`) and merges (`<<: *a`) work. A key may stand only once in a mapping.
)md";

// --- Words for the columns ----------------------------------------------------------------------

std::string link_to(const ObjectInfo& object) {
  std::string anchor;
  for (const char c : object.name)
    if (c != '.') anchor += c;
  return fmt::format("[{}](#{})", object.name, anchor);
}

std::string type_text(const KeyInfo& key) {
  switch (key.type) {
    case Type::number:
      return "number";
    case Type::integer:
      return "whole number";
    case Type::flag:
      return "true, false";
    case Type::text:
      return "text";
    case Type::name:
      return "name";
    case Type::choice:
      return fmt::format("{}", fmt::join(key.choices, ", "));
    case Type::file:
      return "file";
    case Type::reference: {
      const std::string_view what = key.refers == Refers::material ? "material"
                                    : key.refers == Refers::liquid ? "liquid"
                                                                   : "body";
      return key.many == Many::list ? fmt::format("{} names", what)
                                    : fmt::format("name of a {}", what);
    }
    case Type::vector:
    case Type::size:
    case Type::turning:
      return "vector";
    case Type::direction:
      return "direction";
    case Type::gravity:
    case Type::scale:
      return "number or vector";
    case Type::counts:
      return "whole number or three";
    case Type::rotation:
      return "[rotation](#rotation)";
    case Type::colour:
      return "colour";
    case Type::function:
      return "number in time";
    case Type::vector_function:
    case Type::turning_function:
      return "vector in time";
    case Type::surface:
      return "expression in x, z";
    case Type::field:
      return "vector in space";
    case Type::object:
      break;
  }
  return link_to(key.object());
}

std::string full_type_text(const KeyInfo& key) {
  const std::string one =
      key.or_object ? type_text(key) + " or " + link_to(key.or_object()) : type_text(key);
  if (key.many == Many::list) return (key.or_single ? "one or a list of " : "list of ") + one;
  return key.many == Many::map ? "names to " + one : one;
}

std::string default_text(const KeyInfo& key) {
  if (key.required) return "required";
  if (!key.default_note.empty()) return key.default_note;
  if (key.default_json.empty()) return "none";
  std::string text;
  for (const char c : key.default_json)
    if (c != '"') text += c;
  return fmt::format("`{}`", text);
}

std::string range_text(const Range& range) {
  if (!range.bounded()) return "";
  if (range.lo > -unlimited && range.hi < unlimited && !range.lo_open && !range.hi_open)
    return fmt::format("{} to {}", range.lo, range.hi);
  std::string text;
  if (range.lo > -unlimited) text += fmt::format("{} {}", range.lo_open ? ">" : "≥", range.lo);
  if (range.hi < unlimited)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", range.hi_open ? "<" : "≤", range.hi);
  return text;
}

// Words in lines of the page's width.
std::string wrapped(const std::vector<std::string>& words) {
  std::string text, line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + (i + 1 < words.size() ? "," : ".");
    if (line.size() + word.size() > 98) text += line + "\n", line.clear();
    line += (line.empty() ? "" : " ") + word;
  }
  return text + line + "\n";
}

// --- Sections -----------------------------------------------------------------------------------

bool is_shape_kind(const ObjectInfo& object) {
  const auto& kinds = table<Shape>().one_of;
  return std::find(kinds.begin(), kinds.end(), object.name) != kinds.end();
}

std::string key_table(const ObjectInfo& object) {
  std::string text =
      "| key | value | unit | default | range | meaning |\n|---|---|---|---|---|---|\n";
  for (const KeyInfo& key : object.keys) {
    const std::string unit = key.unit == any_unit ? "" : key.unit;
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", key.name, full_type_text(key), unit,
                        default_text(key), range_text(key.range), key.sentence);
  }
  return text;
}

// Shapes are one line each in the table of shapes; here come only where they stand.
std::string shape_table(const ObjectInfo& shape) {
  std::string kinds = "| shape | meaning |\n|---|---|\n";
  ObjectInfo placement = shape;
  placement.keys.clear();
  for (const KeyInfo& key : shape.keys) {
    if (key.type == Type::object)
      kinds += fmt::format("| {} | {} |\n", link_to(key.object()), key.sentence);
    else
      placement.keys.push_back(key);
  }
  return kinds + "\nBeside the shape:\n\n" + key_table(placement);
}

std::string section(const ObjectInfo& object) {
  const std::string heading = is_shape_kind(object) ? "###" : "##";
  std::string text = fmt::format("\n{} {}\n\n{}", heading, object.name, object.sentence);
  if (object.shorthand >= 0)
    text += fmt::format(" A value without a mapping is its `{}`.",
                        object.keys[static_cast<std::size_t>(object.shorthand)].name);
  if (!object.one_of.empty() && object.name != "shape")
    text += fmt::format(" Exactly one of {} is given.", fmt::join(object.one_of, ", "));
  text += "\n\n" + (object.name == "shape" ? shape_table(object) : key_table(object));
  if (!object.example.empty()) text += fmt::format("\n```yaml\n{}\n```\n", object.example);
  return text;
}

void collect(const ObjectInfo& object, std::vector<const ObjectInfo*>& all, bool shapes) {
  const bool known = std::find(all.begin(), all.end(), &object) != all.end();
  if (known || (!shapes && object.name == "shape")) return;
  all.push_back(&object);
  for (const KeyInfo& key : object.keys) {
    if (key.object) collect(key.object(), all, shapes);
    if (key.or_object) collect(key.or_object(), all, shapes);
  }
}

}  // namespace

// Everything that can be reached from the scene, shapes last.
std::vector<const ObjectInfo*> all_objects() {
  std::vector<const ObjectInfo*> all;
  collect(table<Scene>(), all, false);
  collect(table<Shape>(), all, true);
  collect(table<RotationPart>(), all, true);
  collect(table<KeyframesPart>(), all, true);
  return all;
}

}  // namespace schema

std::string scene_reference_markdown() {
  using namespace schema;
  std::string text(introduction);
  text += wrapped(colour_names());
  text += repetition;
  for (const ObjectInfo* object : all_objects()) text += section(*object);
  return text;
}

}  // namespace hydrolith
