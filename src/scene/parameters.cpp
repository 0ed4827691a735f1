// Named numbers.

#include "scene/tables.h"

#include <fmt/format.h>

namespace hydrolith::schema {

namespace {

std::string why_not(std::string_view name) {
  if (!is_identifier(name)) return "a parameter is named by letters, digits and _";
  if (is_reserved_name(name)) return fmt::format("\"{}\" is part of the language", name);
  if (name == "t" || name == "x" || name == "z" || name == "spacing")
    return fmt::format("\"{}\" has a meaning in expressions already", name);
  return "";
}

}  // namespace

void read_parameters(Reader& reader, const Node& node) {
  const KeyInfo key{.name = "parameters", .type = Type::number, .unit = std::string(any_unit)};
  if (node.kind == Node::scalar || node.kind == Node::list)
    return reader.fault(
        node, fmt::format("expected a mapping from names to numbers, found {}", found(node)));
  auto spacing = reader.names.extract("spacing");  // may depend on parameters
  for (std::size_t i = 0; i < node.size(); ++i) {
    const std::string& name = node.key(i).text;
    const auto step = reader.enter(shown(name));
    if (const std::string fault = why_not(name); !fault.empty()) {
      reader.fault(node.key(i), fault);
      continue;
    }
    double value = 0;
    read_value(reader, node.value(i), key, value);
    reader.names[name] = reader.scene.parameters[name] = value;
  }
  reader.names.insert(std::move(spacing));
}

}  // namespace hydrolith::schema
