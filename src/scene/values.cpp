#include "scene/values.h"

#include "scene/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hydrolith::schema {

// --- Messages -----------------------------------------------------------------------------------

namespace {

std::string in_unit(const KeyInfo& key) {
  return key.unit.empty() || key.unit == any_unit ? "" : " in " + key.unit;
}

std::string with_unit(double value, const KeyInfo& key) {
  const bool bare = key.unit.empty() || key.unit == any_unit;
  return bare ? fmt::format("{:.6g}", value) : fmt::format("{:.6g} {}", value, key.unit);
}

std::string expected_one(const KeyInfo& key, bool two_d) {
  const std::string_view components = two_d ? "[x, y]" : "[x, y, z]";
  switch (key.type) {
    case Type::number:
      return "a number" + in_unit(key);
    case Type::integer:
      return "a whole number";
    case Type::flag:
      return "true or false";
    case Type::text:
      return "text";
    case Type::name:
    case Type::reference:
      return "a name";
    case Type::choice:
      return fmt::format("one of {}", fmt::join(key.choices, ", "));
    case Type::file:
      return "the name of a file";
    case Type::vector:
    case Type::size:
      return fmt::format("a vector {}{}", components, in_unit(key));
    case Type::direction:
      return fmt::format("a direction {}", components);
    case Type::turning:
      return two_d ? "a number" + in_unit(key) : "a vector [x, y, z]" + in_unit(key);
    case Type::gravity:
      return fmt::format("a number (downwards) or a vector {}{}", components, in_unit(key));
    case Type::scale:
      return fmt::format("a number or a vector {}", components);
    case Type::counts:
      return "a whole number or three of them";
    case Type::rotation:
      return "a rotation such as {axis: [0, 1, 0], angle: 30}, or a list of them";
    case Type::colour:
      return "a colour: [r, g, b] from 0 to 1, \"#rrggbb\" or a name";
    case Type::function:
      return fmt::format("a number{}, an expression in t, or {{keyframes: [[t, value], ...]}}",
                         in_unit(key));
    case Type::turning_function:
      if (two_d) return "a number" + in_unit(key) + " or an expression in t";
      [[fallthrough]];
    case Type::vector_function:
      return fmt::format(
          "a vector {}{} of numbers or expressions in t, or {{keyframes: [[t, {}], "
          "...]}}",
          components, in_unit(key), components);
    case Type::surface:
      return fmt::format("a number{} or an expression in x and z", in_unit(key));
    case Type::field:
      return fmt::format("a vector {}{} of numbers or expressions in x, y and z", components,
                         in_unit(key));
    case Type::object:
      break;
  }
  return "a mapping with the keys " + fmt::format("{}", fmt::join(key.object().key_names(), ", "));
}

}  // namespace

std::string expected(const KeyInfo& key, bool two_d) {
  const std::string one = expected_one(key, two_d);
  if (key.many == Many::list && key.type == Type::object) return "a list of mappings";
  if (key.many == Many::list) return "a list, each item " + one;
  if (key.many == Many::map) return "a mapping from names";
  return one;
}

namespace {

// [max(1, h), 0, 0] is a list of four to YAML.
bool is_split_call(const Node& list) {
  const auto is_open = [](const Node& item) {
    return item.text.find('(') != std::string::npos && item.text.find(')') == std::string::npos;
  };
  return list.kind == Node::list && std::any_of(list.items.begin(), list.items.end(), is_open);
}

}  // namespace

void wrong_type(Reader& reader, const Node& node, const KeyInfo& key) {
  const std::string_view hint =
      is_split_call(node) ? ". An expression with a comma needs quotes here." : "";
  reader.fault(node, fmt::format("expected {}, found {}{}", expected(key, reader.two_d()),
                                 found(node), hint));
}

std::string Range::text() const {
  const bool low = lo > -unlimited, high = hi < unlimited;
  if (low && high && !lo_open && !hi_open) return fmt::format("between {} and {}", lo, hi);
  const std::string below = fmt::format("{} {}", hi_open ? "less than" : "at most", hi);
  const std::string above = fmt::format("{} {}", lo_open ? "greater than" : "at least", lo);
  if (low && high) return above + " and " + below;
  return low ? above : high ? below : "";
}

// --- Numbers ------------------------------------------------------------------------------------

namespace {

KeyInfo one_of(KeyInfo key) {
  key.many = Many::one;
  return key;
}

// A plain number, without names or units.
std::optional<double> plain_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_infinite_word(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  const auto is = [&](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [](char a, char b) { return (a | 0x20) == b; });
  };
  return is("inf") || is("nan") || is("infinity");
}

void report(Reader& reader, const Node& node, const KeyInfo& key, const ExpressionError& error) {
  if (is_identifier(node.text)) {
    std::vector<std::string> names;
    for (const auto& [name, value] : reader.names) names.push_back(name);
    reader.fault(node, fmt::format("expected {}, found \"{}\", which is no known name.{}",
                                   expected(one_of(key), reader.two_d()), shown(node.text),
                                   did_you_mean(node.text, names)));
  } else {
    reader.fault(node, error.what(), error.position);
  }
}

}  // namespace

bool check_range(Reader& reader, const Node& node, const KeyInfo& key, double value) {
  if (key.range.contains(value)) return true;
  reader.fault(node, fmt::format("must be {}, but is {}", key.range.text(), with_unit(value, key)));
  return false;
}

// An expression in the given variables.
std::optional<Expression> read_expression(Reader& reader, const Node& node, const KeyInfo& key,
                                          std::span<const std::string_view> variables) {
  if (node.kind != Node::scalar) return wrong_type(reader, node, key), std::nullopt;
  if (is_infinite_word(node.text)) {
    reader.fault(node, fmt::format("must be a finite number, but is {}", shown(node.text)));
    return std::nullopt;
  }
  if (const auto value = plain_number(node.text)) return Expression::constant(*value);
  try {
    const Expression e = Expression::parse(node.text, key.unit, reader.names, variables);
    if (!e.is_constant() || std::isfinite(e({}))) return e;
    reader.fault(node, fmt::format("the value of {} is not a finite number", shown(node.text)));
  } catch (const ExpressionError& error) {
    report(reader, node, key, error);
  }
  return std::nullopt;
}

std::optional<double> read_number(Reader& reader, const Node& node, const KeyInfo& key) {
  const auto expression = read_expression(reader, node, key, {});
  if (!expression) return std::nullopt;
  const double value = (*expression)({});
  return check_range(reader, node, key, value) ? std::optional(value) : std::nullopt;
}

void read_value(Reader& reader, const Node& node, const KeyInfo& key, double& out) {
  if (const auto value = read_number(reader, node, key)) out = *value;
}

void read_value(Reader& reader, const Node& node, const KeyInfo& key, int& out) {
  const auto value = read_number(reader, node, key);
  if (!value) return;
  // An expression such as 0.7/0.1 may miss its whole number by rounding.
  const double whole = std::round(*value);
  if (std::abs(*value - whole) > 1e-9 * std::max(1.0, std::abs(whole)) || std::abs(whole) > 1e9)
    return reader.fault(node, fmt::format("must be a whole number, but is {:.6g}", *value));
  out = static_cast<int>(whole);
}

void read_value(Reader& reader, const Node& node, const KeyInfo& key, std::array<int, 3>& out) {
  if (node.kind == Node::scalar) {
    out = {1, -1, -1};
    return read_value(reader, node, key, out[0]);
  }
  const bool right = node.kind == Node::list &&
                     (node.items.size() == 3 || (reader.two_d() && node.items.size() == 2));
  if (!right) return wrong_type(reader, node, key);
  out = {1, 1, 1};
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto step = reader.enter(i);
    read_value(reader, node.items[i], key, out[i]);
  }
}

// --- Words --------------------------------------------------------------------------------------

void read_value(Reader& reader, const Node& node, const KeyInfo& key, bool& out) {
  const std::string& text = node.text;
  if (node.kind == Node::scalar && !node.quoted) {
    if (text == "true" || text == "True" || text == "yes" || text == "on") return void(out = true);
    if (text == "false" || text == "False" || text == "no" || text == "off")
      return void(out = false);
  }
  wrong_type(reader, node, key);
}

std::optional<std::string> read_choice(Reader& reader, const Node& node, const KeyInfo& key) {
  if (node.kind != Node::scalar) return wrong_type(reader, node, one_of(key)), std::nullopt;
  if (std::find(key.choices.begin(), key.choices.end(), node.text) != key.choices.end())
    return node.text;
  reader.fault(node,
               fmt::format("expected one of {}, found \"{}\".{}", fmt::join(key.choices, ", "),
                           shown(node.text), did_you_mean(node.text, key.choices)));
  return std::nullopt;
}

namespace {

void read_name(Reader& reader, const Node& node, std::string& out) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || static_cast<unsigned char>(c) >= 0x80;
  };
  if (node.text.empty() || !std::all_of(node.text.begin(), node.text.end(), fits))
    return reader.fault(
        node,
        fmt::format("a name is made of letters, digits, _ and -, found \"{}\"", shown(node.text)));
  out = node.text;
}

void read_file(Reader& reader, const Node& node, std::string& out) {
  const std::filesystem::path path = (reader.folder / node.text).lexically_normal();
  std::error_code error;
  if (node.text.empty() || !std::filesystem::is_regular_file(path, error))
    return reader.fault(node, fmt::format("there is no file {} (paths are relative to the scene)",
                                          shown(path.string())));
  out = path.string();
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  const auto from =
      std::filesystem::absolute(reader.folder.empty() ? "." : reader.folder).lexically_normal();
  const std::filesystem::path place = whole.lexically_relative(from);
  if (place.empty() || *place.begin() == "..") reader.outside[node.text] = whole.string();
}

template <class List>
std::vector<std::string> names_in(const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(item.name);
  return names;
}

void read_reference(Reader& reader, const Node& node, const KeyInfo& key, std::string& out) {
  std::vector<std::string> known;
  std::string_view what;
  if (key.refers == Refers::material) {
    what = "material";
    for (const auto& [name, material] : reader.scene.materials) known.push_back(name);
  } else if (key.refers == Refers::liquid) {
    what = "liquid";
    known = names_in(reader.scene.liquids);
  } else {
    what = "body";
    known = names_in(reader.scene.bodies);
    if (reader.bodies_incomplete) return;
  }
  out = node.text;
  if (std::find(known.begin(), known.end(), node.text) != known.end()) return;
  std::string hint = did_you_mean(node.text, known);
  if (hint.empty() && std::find(known.begin(), known.end(), node.text + "[0]") != known.end())
    hint = fmt::format(" It is repeated: name one copy, such as \"{}[0]\".", shown(node.text));
  if (hint.empty() && known.empty()) hint = fmt::format(" The scene has none.");
  reader.fault(node, fmt::format("there is no {} \"{}\".{}", what, shown(node.text), hint));
}

}  // namespace

void read_value(Reader& reader, const Node& node, const KeyInfo& key, std::string& out) {
  if (node.kind != Node::scalar) return wrong_type(reader, node, one_of(key));
  switch (key.type) {
    case Type::name:
      return read_name(reader, node, out);
    case Type::file:
      return read_file(reader, node, out);
    case Type::reference:
      return read_reference(reader, node, key, out);
    case Type::choice:
      if (const auto word = read_choice(reader, node, key)) out = *word;
      return;
    default:
      out = node.text;
  }
}

// --- Vectors ------------------------------------------------------------------------------------

namespace {

// Two or three numbers; `depth` is the third one where two are enough.
std::optional<Vec3> read_components(Reader& reader, const Node& node, const KeyInfo& key,
                                    double depth) {
  const bool right = node.kind == Node::list &&
                     (node.items.size() == 3 || (reader.two_d() && node.items.size() == 2));
  if (!right) return wrong_type(reader, node, key), std::nullopt;
  Vec3 value(0, 0, depth);
  bool good = true;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto step = reader.enter(i);
    const auto x = read_number(reader, node.items[i], key);
    good = good && x.has_value();
    if (x) value[static_cast<Eigen::Index>(i)] = *x;
  }
  return good ? std::optional(value) : std::nullopt;
}

// In a plane, velocities have no z and turning has only z.
void check_plane(Reader& reader, const Node& node, const KeyInfo& key, const Vec3& v) {
  if (!reader.two_d()) return;
  if (key.type == Type::turning && (v.x() != 0 || v.y() != 0))
    reader.fault(node, "in a 2D scene bodies turn about z only; write a number");
  const bool moves = key.type == Type::gravity || (key.type == Type::vector && key.unit == "m/s");
  if (moves && v.z() != 0) reader.fault(node, "in a 2D scene the z component must be 0");
}

void read_colour(Reader& reader, const Node& node, const KeyInfo& key, Vec3& out) {
  if (node.kind == Node::scalar) {
    if (const auto srgb = find_colour(node.text)) return void(out = linear_from_srgb(*srgb));
    return reader.fault(
        node, fmt::format("expected {}, found \"{}\".{}", expected(key, false), shown(node.text),
                          did_you_mean(node.text, colour_names())));
  }
  if (node.kind != Node::list || node.items.size() != 3) return wrong_type(reader, node, key);
  KeyInfo component = key;
  component.type = Type::number;
  component.range = {0, 1};
  Vec3 srgb = Vec3::Zero();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto step = reader.enter(i);
    read_value(reader, node.items[i], component, srgb[static_cast<Eigen::Index>(i)]);
  }
  out = linear_from_srgb(srgb);
}

}  // namespace

void read_value(Reader& reader, const Node& node, const KeyInfo& key, Vec3& out) {
  if (key.type == Type::colour) return read_colour(reader, node, key, out);
  if (node.kind == Node::scalar) {
    const bool single = key.type == Type::gravity || key.type == Type::scale ||
                        (key.type == Type::turning && reader.two_d());
    const auto value = single ? read_number(reader, node, key) : std::nullopt;
    if (!single) return wrong_type(reader, node, key);
    if (!value) return;
    if (key.type == Type::gravity && *value < 0)
      return reader.fault(node, fmt::format("a single number points down, so {:g} would pull up. "
                                            "Write {:g}, or a vector such as [0, {:g}, 0]",
                                            *value, -*value, *value));
    out = key.type == Type::gravity ? Vec3(0, -*value, 0)
          : key.type == Type::scale ? Vec3(Vec3::Constant(*value))
                                    : Vec3(0, 0, *value);
    return;
  }
  const double depth = key.type == Type::size || key.type == Type::scale ? 1 : 0;
  if (key.type == Type::turning && node.items.size() == 2) return wrong_type(reader, node, key);
  const auto value = read_components(reader, node, key, depth);
  if (!value) return;
  check_plane(reader, node, key, *value);
  out = *value;
  if (key.type != Type::direction) return;
  if (value->norm() == 0) return reader.fault(node, "a direction needs a length greater than 0");
  out = value->stableNormalized();
}

void read_value(Reader& reader, const Node& node, const KeyInfo& key, Quat& out) {
  // Parts of a list are applied one after the other.
  if (node.kind == Node::list) {
    out = Quat::Identity();
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const auto step = reader.enter(i);
      Quat next = Quat::Identity();
      if (node.items[i].kind == Node::list) return wrong_type(reader, node.items[i], key);
      read_value(reader, node.items[i], key, next);
      out = (next * out).normalized();
    }
    return;
  }
  RotationPart part;
  if (reader.two_d()) part.axis = Vec3::UnitZ();
  if (node.kind == Node::scalar && reader.two_d())
    read_value(reader, node, key, part.angle);
  else if (node.kind == Node::map)
    table<RotationPart>().read(reader, node, part);
  else
    return wrong_type(reader, node, key);
  out = part.rotation();
}

}  // namespace hydrolith::schema
