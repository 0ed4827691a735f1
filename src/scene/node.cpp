#include "scene/node.h"

#include <fmt/format.h>
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>
#include <unordered_set>

namespace hydrolith::schema {

const Node* Node::find(std::string_view name) const {
  if (kind != map) return nullptr;
  for (std::size_t i = 0; i < size(); ++i)
    if (key(i).text == name) return &value(i);
  return nullptr;
}

Node* Node::find(std::string_view name) {
  return const_cast<Node*>(static_cast<const Node&>(*this).find(name));
}

const Node* Node::find_key(std::string_view name) const {
  const Node* found = find(name);
  return found ? found - 1 : nullptr;
}

namespace {

std::size_t count(const Node& node) {
  std::size_t total = 1;
  for (const Node& item : node.items) total += count(item);
  return total;
}

int depth(const Node& node) {
  int deepest = 0;
  for (const Node& item : node.items) deepest = std::max(deepest, depth(item));
  return deepest + 1;
}

[[noreturn]] void fail(const Node& at, const std::string& message) {
  throw YamlFault{at.line, at.column, "", message};
}

// Builds the tree from the parser's events, with limits.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::vector<YamlFault>& faults) : faults_(faults) {}
  Node root;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(Node::null, mark), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    const Node here = make(Node::null, mark);
    if (found == anchors_.end()) fail(here, "this anchor refers to itself");
    nodes_ += count(found->second);
    check_size(here);
    if (static_cast<int>(open_.size()) + depth(found->second) > max_depth) too_deep(here);
    add(found->second, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = make(Node::scalar, mark);
    node.text = value;
    node.quoted = tag == "!";
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(make(Node::list, mark), anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(make(Node::map, mark), anchor);
  }
  void OnMapEnd() override {
    check_keys(open_.back().node);
    merge(open_.back().node);
    close();
  }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor;
  };

  Node make(Node::Kind kind, const YAML::Mark& mark) {
    Node node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    ++nodes_;
    check_size(node);
    return node;
  }

  void check_size(const Node& here) const {
    if (nodes_ > max_nodes)
      fail(here,
           fmt::format("the file has more than {} values (aliases count each time)", max_nodes));
  }
  [[noreturn]] void too_deep(const Node& here) const {
    fail(here, fmt::format("this is nested more than {} levels deep", max_depth));
  }

  void open(Node node, YAML::anchor_t anchor) {
    if (static_cast<int>(open_.size()) >= max_depth) too_deep(node);
    open_.push_back({std::move(node), anchor});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node), done.anchor);
  }

  void add(Node node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      nodes_ += count(node);
      check_size(node);
      anchors_[anchor] = node;
    }
    if (open_.empty())
      root = std::move(node);
    else
      open_.back().node.items.push_back(std::move(node));
  }

  // Drops entries whose key is not text or was there before.
  void check_keys(Node& map) {
    std::unordered_set<std::string> seen;
    std::vector<Node> kept;
    for (std::size_t i = 0; i < map.size(); ++i) {
      Node& key = map.items[2 * i];
      if (map.value(i).kind == Node::null)  // what is missing is shown at its key
        map.value(i).line = key.line, map.value(i).column = key.column;
      const bool text = key.kind == Node::scalar;
      if (!text)
        faults_.push_back({key.line, key.column, path(), "a key must be plain text"});
      else if (!seen.insert(key.text).second)
        faults_.push_back({key.line, key.column, path() + key.text, "this key is given twice"});
      else
        kept.insert(kept.end(), {std::move(key), std::move(map.value(i))});
    }
    map.items = std::move(kept);
  }

  // Where the innermost open map stands, with a dot behind: "bodies[2].shape.".
  std::string path() const {
    std::string text;
    for (std::size_t level = 0; level + 1 < open_.size(); ++level) {
      const Node& node = open_[level].node;
      if (node.kind == Node::list)
        text += fmt::format("[{}]", node.items.size());
      else
        text += (text.empty() ? "" : ".") + (node.items.empty() ? "" : node.items.back().text);
    }
    return text.empty() ? "" : text + ".";
  }

  // `<<: *defaults` adds the entries that are not there yet.
  static void merge(Node& map) {
    std::size_t at = 0;
    while (at < map.size() && (map.key(at).text != "<<" || map.key(at).quoted)) ++at;
    if (at == map.size()) return;
    const Node source = map.value(at);
    if (source.kind != Node::map && source.kind != Node::list)
      fail(map.key(at), "expected a mapping (or a list of mappings) to merge");
    const auto position = map.items.begin() + static_cast<std::ptrdiff_t>(2 * at);
    map.items.erase(position, position + 2);
    if (source.kind == Node::map) return add_missing(map, source);
    for (const Node& item : source.items) {
      if (item.kind != Node::map) fail(item, "expected a mapping to merge");
      add_missing(map, item);
    }
  }

  static void add_missing(Node& map, const Node& source) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (map.find(source.key(i).text)) continue;
      map.items.push_back(source.key(i));
      map.items.push_back(source.value(i));
    }
  }

  std::vector<YamlFault>& faults_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0;
};

bool is_indented_by_tab(std::string_view text, int line) {
  std::size_t begin = 0;
  for (; line > 0 && begin != std::string_view::npos; --line) {
    begin = text.find('\n', begin);
    if (begin != std::string_view::npos) ++begin;
  }
  if (begin == std::string_view::npos) return false;
  const std::size_t end = text.find_first_not_of(" \t", begin);
  return text.substr(begin, end - begin).find('\t') != std::string_view::npos;
}

}  // namespace

std::optional<Node> parse_yaml(std::string_view text, std::vector<YamlFault>& faults) {
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(faults), next(faults);
    if (!parser.HandleNextDocument(builder)) return Node{};
    if (parser.HandleNextDocument(next) && next.root.kind != Node::null)
      fail(next.root, "a second document begins here; a scene is one document");
    return std::move(builder.root);
  } catch (const YamlFault& fault) {
    faults.push_back(fault);
  } catch (const YAML::Exception& e) {
    const std::string hint = is_indented_by_tab(text, e.mark.line)
                                 ? " (the line is indented by a tab; YAML wants blanks)"
                                 : "";
    faults.push_back({e.mark.line + 1, e.mark.column + 1, "", "this is not YAML: " + e.msg + hint});
  } catch (const std::exception& e) {
    faults.push_back({0, 0, "", fmt::format("this is not YAML: {}", e.what())});
  }
  return std::nullopt;
}

namespace {

bool is_flat(const Node& list) {
  for (const Node& item : list.items)
    if (item.kind == Node::map || (item.kind == Node::list && !is_flat(item))) return false;
  return true;
}

void emit(YAML::Emitter& out, const Node& node) {
  switch (node.kind) {
    case Node::null:
      out << YAML::Null;
      break;
    case Node::scalar:
      if (node.quoted) out << YAML::DoubleQuoted;
      out << node.text;
      break;
    case Node::list:
      if (is_flat(node)) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const Node& item : node.items) emit(out, item);
      out << YAML::EndSeq;
      break;
    case Node::map:
      out << YAML::BeginMap;
      for (std::size_t i = 0; i < node.size(); ++i) {
        out << YAML::Key;
        emit(out, node.key(i));
        out << YAML::Value;
        emit(out, node.value(i));
      }
      out << YAML::EndMap;
      break;
  }
}

}  // namespace

std::string write_yaml(const Node& node) {
  YAML::Emitter out;
  emit(out, node);
  return std::string(out.c_str()) + "\n";
}

}  // namespace hydrolith::schema
