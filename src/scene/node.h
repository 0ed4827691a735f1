#pragma once
// The YAML file as a plain tree that remembers where everything stands.

#include "hydrolith/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith::schema {

struct Node {
  enum Kind : unsigned char { null, scalar, list, map };

  Kind kind = null;
  bool quoted = false;       // scalar in quotes: never a number
  int line = 0, column = 0;  // from 1; 0 = not from the file
  int origin = -1;           // index of the override it came from; -1 = the file
  std::string text;          // scalar
  std::vector<Node> items;   // list: the items; map: key, value, key, value, ...

  std::size_t size() const { return kind == map ? items.size() / 2 : items.size(); }
  const Node& key(std::size_t i) const { return items[2 * i]; }
  const Node& value(std::size_t i) const { return items[2 * i + 1]; }
  Node& value(std::size_t i) { return items[2 * i + 1]; }

  /// The value of a key, or nullptr.
  const Node* find(std::string_view name) const;
  Node* find(std::string_view name);
  const Node* find_key(std::string_view name) const;
};

constexpr int max_depth = 64;
constexpr std::size_t max_nodes = 1'000'000;

/// A fault of the file as YAML, whatever it means.
struct YamlFault {
  int line, column;  // from 1; 0 = unknown
  std::string path, message;
};

/// Parses one document. Anchors are copied, `<<` merged, duplicate keys refused; depth and size are
/// limited. Faults are added to `faults`; nothing is returned if the rest could not be read.
std::optional<Node> parse_yaml(std::string_view text, std::vector<YamlFault>& faults);

/// Writes a tree as YAML.
std::string write_yaml(const Node& node);

}  // namespace hydrolith::schema
