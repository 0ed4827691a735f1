#include "scene/overrides.h"

#include "core/check.h"
#include "core/suggest.h"

#include <fmt/format.h>

#include <charconv>

namespace hydrolith {

Override parse_override(std::string_view text) {
  const std::size_t equals = text.find('=');
  require(equals != std::string_view::npos && equals > 0,
          "--set {}: expected PATH=VALUE, such as liquids[0].density=800", text);
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

namespace schema {

namespace {

struct Step {
  std::string key;  // or
  long index = -1;  // in brackets
};

// bodies[2].shape.box -> bodies, [2], shape, box. Nothing if it cannot be read so.
std::optional<std::vector<Step>> split(std::string_view path) {
  std::vector<Step> steps;
  std::size_t at = 0;
  while (at < path.size()) {
    if (path[at] == '[') {
      Step step;
      const char* end = path.data() + path.size();
      const auto [rest, error] = std::from_chars(path.data() + at + 1, end, step.index);
      if (error != std::errc() || rest == end || *rest != ']' || step.index < 0)
        return std::nullopt;
      at = static_cast<std::size_t>(rest - path.data()) + 1;
      steps.push_back(step);
      continue;
    }
    if (path[at] == '.' && !steps.empty()) ++at;
    const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
    if (end == at) return std::nullopt;
    steps.push_back({std::string(path.substr(at, end - at)), -1});
    at = end;
  }
  return steps.empty() ? std::nullopt : std::optional(steps);
}

void set_origin(Node& node, int origin) {
  node.origin = origin;
  node.line = node.column = 0;
  for (Node& item : node.items) set_origin(item, origin);
}

std::string no_parameter(const Node& parameters, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    known.push_back(shown(parameters.key(i).text));
  std::string hint = did_you_mean(name, known);
  if (hint.empty())
    hint = known.empty() ? " It has none." : fmt::format(" It has {}.", fmt::join(known, ", "));
  return fmt::format("the scene has no parameter \"{}\".{}", shown(name), hint);
}

class Editor {
 public:
  Editor(Reader& reader, const Override& edit, int origin)
      : reader_(reader), edit_(edit), origin_(origin) {}

  void apply(Node& root) {
    const auto steps = split(edit_.path);
    if (!steps) return fail("the path cannot be read; it looks like bodies[0].shape.sphere.radius");
    std::vector<YamlFault> faults;
    std::optional<Node> value = parse_yaml(edit_.value, faults);
    for (const YamlFault& fault : faults) reader_.fault(fault, origin_);
    if (!value) return;
    set_origin(*value, origin_);

    Node* node = &root;
    for (const Step& step : *steps) {
      node = down(*node, step);
      if (!node) return;
      so_far_ += step.index >= 0 ? fmt::format("[{}]", step.index)
                                 : (so_far_.empty() ? "" : ".") + step.key;
    }
    *node = std::move(*value);
  }

 private:
  void fail(const std::string& message) { reader_.fault({0, 0, so_far_, message}, origin_); }

  // One step down the tree; keys that are not there are made, list items and parameters are not: a
  // new parameter would be used nowhere.
  Node* down(Node& node, const Step& step) {
    if (step.index >= 0) return item(node, static_cast<std::size_t>(step.index));
    if (node.kind == Node::list) return item(node, step.key);
    if (node.kind == Node::scalar)
      return fail(fmt::format("this is {} in the scene and has no keys; set it as a whole",
                              found(node))),
             nullptr;
    node.kind = Node::map;
    if (Node* value = node.find(step.key)) return value;
    if (so_far_ == "parameters") return fail(no_parameter(node, step.key)), nullptr;
    Node key;
    key.kind = Node::scalar;
    key.text = step.key;
    key.origin = origin_;
    Node value;
    value.origin = origin_;
    node.items.push_back(std::move(key));
    node.items.push_back(std::move(value));
    return &node.items.back();
  }

  Node* item(Node& list, std::size_t index) {
    if (list.kind != Node::list)
      return fail(fmt::format("[{}] needs a list, but this is {} in the scene; set it as a whole",
                              index, found(list))),
             nullptr;
    if (index >= list.items.size())
      return fail(fmt::format("there is no [{}]; the list has {} item{}", index, list.items.size(),
                              list.items.size() == 1 ? "" : "s")),
             nullptr;
    return &list.items[index];
  }

  // bodies.ship: the item whose name is ship.
  Node* item(Node& list, const std::string& name) {
    std::vector<std::string> names;
    for (Node& entry : list.items) {
      const Node* given = entry.find("name");
      if (!given) continue;
      if (given->text == name) return &entry;
      names.push_back(given->text);
    }
    return fail(fmt::format("no item of this list is named \"{}\".{}", shown(name),
                            did_you_mean(name, names))),
           nullptr;
  }

  Reader& reader_;
  const Override& edit_;
  int origin_;
  std::string so_far_;
};

}  // namespace

void apply_overrides(Reader& reader, Node& root, const std::vector<Override>& overrides) {
  for (std::size_t i = 0; i < overrides.size(); ++i)
    Editor(reader, overrides[i], static_cast<int>(i)).apply(root);
}

std::string write_edited(const Node& root, const std::vector<Override>& overrides) {
  std::string text = "# The scene as run, with these changes:\n";
  for (const Override& o : overrides)
    text += fmt::format("#   --set {}={}\n", shown(o.path), shown(o.value));
  return text + write_yaml(root);
}

}  // namespace schema
}  // namespace hydrolith
