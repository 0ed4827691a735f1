// Values that change: functions of time, surfaces over the ground, flows in space.

#include "scene/tables.h"
#include "scene/values.h"

#include <fmt/format.h>

#include <cmath>

namespace hydrolith::schema {

namespace {

constexpr std::string_view in_time[] = {"t"};
constexpr std::string_view in_plane[] = {"x", "z"};
constexpr std::string_view in_space[] = {"x", "y", "z"};

}  // namespace

void read_value(Reader& reader, const Node& node, const KeyInfo& key, Expression& out) {
  if (const auto expression = read_expression(reader, node, key, in_plane)) out = *expression;
}

void read_value(Reader& reader, const Node& node, const KeyInfo& key, SpaceFunction& out) {
  const bool right = node.kind == Node::list &&
                     (node.items.size() == 3 || (reader.two_d() && node.items.size() == 2));
  if (!right) return wrong_type(reader, node, key);
  Expression* components[] = {&out.x, &out.y, &out.z};
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto step = reader.enter(i);
    if (const auto expression = read_expression(reader, node.items[i], key, in_space))
      *components[i] = *expression;
  }
  if (reader.two_d() && !(out.z == Expression() || out.z == Expression::constant(0)))
    reader.fault(node, "in a 2D scene the z component must be 0");
}

namespace {

// The frame of {keyframes: [[time, value], ...], interpolation}; values are read by the caller.
struct Keyframes {
  std::vector<double> times;
  std::vector<const Node*> values;
  Interpolation how = Interpolation::linear;
};

std::optional<Keyframes> read_keyframes(Reader& reader, const Node& node) {
  KeyframesPart part;
  const std::size_t before = reader.faults();
  table<KeyframesPart>().read(reader, node, part);
  const Node* list = node.find("keyframes");
  if (!list || reader.faults() != before) return std::nullopt;
  const auto step = reader.enter("keyframes");
  if (list->kind != Node::list || list->items.empty()) {
    reader.fault(*list,
                 fmt::format("expected a list [[time, value], ...], found {}", found(*list)));
    return std::nullopt;
  }
  Keyframes frames{{}, {}, part.interpolation};
  const KeyInfo time{.name = "time", .type = Type::number, .unit = "s"};
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const auto item = reader.enter(i);
    const Node& pair = list->items[i];
    if (pair.kind != Node::list || pair.items.size() != 2) {
      reader.fault(pair, fmt::format("expected [time, value], found {}", found(pair)));
      continue;
    }
    double t = 0;
    read_value(reader, pair.items[0], time, t);
    if (!frames.times.empty() && t <= frames.times.back())
      reader.fault(pair, fmt::format("keyframe times must rise, but {:.6g} s follows {:.6g} s", t,
                                     frames.times.back()));
    frames.times.push_back(t);
    frames.values.push_back(&pair.items[1]);
  }
  return reader.faults() == before ? std::optional(frames) : std::nullopt;
}

KeyInfo as_type(KeyInfo key, Type type) {
  key.type = type;
  return key;
}

// Keyframes of vectors: [[0, [0, 0, 0]], [5, [1, 0, 0]]].
void read_vector_keyframes(Reader& reader, const Node& node, const KeyInfo& key,
                           VectorFunction& out) {
  const auto frames = read_keyframes(reader, node);
  if (!frames) return;
  const bool turning = key.type == Type::turning_function;
  const KeyInfo value_key = as_type(key, turning ? Type::turning : Type::vector);
  const auto step = reader.enter("keyframes");
  std::vector<double> x, y, z;
  for (std::size_t i = 0; i < frames->values.size(); ++i) {
    const auto item = reader.enter(i);
    Vec3 value = Vec3::Zero();
    read_value(reader, *frames->values[i], value_key, value);
    x.push_back(value.x());
    y.push_back(value.y());
    z.push_back(value.z());
  }
  out = {TimeFunction(frames->times, x, frames->how), TimeFunction(frames->times, y, frames->how),
         TimeFunction(frames->times, z, frames->how)};
}

}  // namespace

void read_value(Reader& reader, const Node& node, const KeyInfo& key, TimeFunction& out) {
  const KeyInfo number = as_type(key, Type::number);
  if (node.kind == Node::map) {
    const auto frames = read_keyframes(reader, node);
    if (!frames) return;
    const auto step = reader.enter("keyframes");
    std::vector<double> values;
    for (std::size_t i = 0; i < frames->values.size(); ++i) {
      const auto item = reader.enter(i);
      values.push_back(read_number(reader, *frames->values[i], number).value_or(0));
    }
    out = TimeFunction(frames->times, values, frames->how);
    return;
  }
  const auto expression = read_expression(reader, node, key, in_time);
  if (!expression) return;
  const bool constant = expression->is_constant();
  if (constant && !check_range(reader, node, key, (*expression)({}))) return;
  out = TimeFunction(*expression);
}

void read_value(Reader& reader, const Node& node, const KeyInfo& key, VectorFunction& out) {
  if (node.kind == Node::map) return read_vector_keyframes(reader, node, key, out);
  const KeyInfo function = as_type(key, Type::function);
  const bool turning = key.type == Type::turning_function;
  if (turning && reader.two_d() && node.kind == Node::scalar)
    return read_value(reader, node, function, out.z);
  const bool right =
      node.kind == Node::list &&
      (node.items.size() == 3 || (reader.two_d() && !turning && node.items.size() == 2));
  if (!right) return wrong_type(reader, node, key);
  TimeFunction* components[] = {&out.x, &out.y, &out.z};
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto step = reader.enter(i);
    read_value(reader, node.items[i], function, *components[i]);
  }
}

}  // namespace hydrolith::schema
