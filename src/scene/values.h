#pragma once
// Reading one value of each C++ type, and showing it as JSON (for defaults).

#include "core/suggest.h"
#include "scene/table.h"

#include <array>
#include <string>

namespace hydrolith::schema {

/// A number, or nothing after a fault has been reported.
std::optional<double> read_number(Reader& reader, const Node& node, const KeyInfo& key);
/// The same for an expression in some variables.
std::optional<Expression> read_expression(Reader& reader, const Node& node, const KeyInfo& key,
                                          std::span<const std::string_view> variables);
/// True, or false after a fault has been reported.
bool check_range(Reader& reader, const Node& node, const KeyInfo& key, double value);

void read_value(Reader&, const Node&, const KeyInfo&, double&);
void read_value(Reader&, const Node&, const KeyInfo&, int&);
void read_value(Reader&, const Node&, const KeyInfo&, bool&);
void read_value(Reader&, const Node&, const KeyInfo&, std::string&);
void read_value(Reader&, const Node&, const KeyInfo&, Vec3&);
void read_value(Reader&, const Node&, const KeyInfo&, Quat&);
void read_value(Reader&, const Node&, const KeyInfo&, Expression&);
void read_value(Reader&, const Node&, const KeyInfo&, TimeFunction&);
void read_value(Reader&, const Node&, const KeyInfo&, VectorFunction&);
void read_value(Reader&, const Node&, const KeyInfo&, SpaceFunction&);
void read_value(Reader&, const Node&, const KeyInfo&, std::array<int, 3>&);

std::string show_value(const KeyInfo&, double);
std::string show_value(const KeyInfo&, int);
std::string show_value(const KeyInfo&, bool);
std::string show_value(const KeyInfo&, const std::string&);
std::string show_value(const KeyInfo&, const Vec3&);
std::string show_value(const KeyInfo&, const Quat&);
std::string show_value(const KeyInfo&, const Expression&);
std::string show_value(const KeyInfo&, const TimeFunction&);
std::string show_value(const KeyInfo&, const VectorFunction&);
std::string show_value(const KeyInfo&, const SpaceFunction&);
std::string show_value(const KeyInfo&, const std::array<int, 3>&);

/// "expected a vector [x, y, z] in m, found a mapping"
void wrong_type(Reader&, const Node&, const KeyInfo&);
std::string expected(const KeyInfo& key, bool two_d);

/// The word of a choice if it is one; a fault otherwise.
std::optional<std::string> read_choice(Reader&, const Node&, const KeyInfo&);

/// [r, g, b] as users pick colours (sRGB) from and to linear RGB.
Vec3 linear_from_srgb(const Vec3& srgb);
Vec3 srgb_from_linear(const Vec3& linear);
std::optional<Vec3> find_colour(std::string_view name);  // sRGB of a name or "#rrggbb"
std::vector<std::string> colour_names();

// --- Containers, enums and structs --------------------------------------------------------------

template <class T>
concept Enum = std::is_enum_v<T>;

template <Enum T>
void read_value(Reader& reader, const Node& node, const KeyInfo& key, T& out) {
  const auto word = read_choice(reader, node, key);
  for (const auto& [name, value] : EnumNames<T>::names)
    if (word && *word == name) out = value;
}

template <class T>
void read_value(Reader& reader, const Node& node, const KeyInfo& key, std::optional<T>& out) {
  T value{};
  read_value(reader, node, key, value);
  out = std::move(value);
}

/// A list; nothing is an empty one.
template <class T>
void read_value(Reader& reader, const Node& node, const KeyInfo& key, std::vector<T>& out) {
  if (node.kind == Node::scalar || node.kind == Node::map) return wrong_type(reader, node, key);
  out.clear();
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto step = reader.enter(i);
    T value{};
    read_value(reader, node.items[i], key, value);
    out.push_back(std::move(value));
  }
}

/// A mapping from names; nothing is an empty one.
template <class T>
void read_value(Reader& reader, const Node& node, const KeyInfo& key,
                std::map<std::string, T>& out) {
  if (node.kind == Node::scalar || node.kind == Node::list) return wrong_type(reader, node, key);
  for (std::size_t i = 0; i < node.size(); ++i) {
    const auto step = reader.enter(node.key(i).text);
    read_value(reader, node.value(i), key, out[node.key(i).text]);
  }
}

template <class T>
void read_value(Reader& reader, const Node& node, const KeyInfo&, T& out) {
  table<T>().read(reader, node, out);
}

template <Enum T>
std::string show_value(const KeyInfo&, const T& value) {
  for (const auto& [name, v] : EnumNames<T>::names)
    if (v == value) return '"' + std::string(name) + '"';
  return "";
}
template <class T>
std::string show_value(const KeyInfo& key, const std::optional<T>& value) {
  return value ? show_value(key, *value) : "";
}
template <class T>
std::string show_value(const KeyInfo& key, const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "[" : ", ") + show_value(key, value);
  return text.empty() ? "" : text + "]";
}
template <class T>
std::string show_value(const KeyInfo&, const std::map<std::string, T>&) {
  return "";
}
template <class T>
std::string show_value(const KeyInfo&, const T&) {
  return "";
}

}  // namespace hydrolith::schema
