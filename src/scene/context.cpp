#include "scene/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace hydrolith::schema {

Reader::Reader(std::string_view source, const std::filesystem::path& file,
               const std::vector<Override>& overrides)
    : folder(file.parent_path()), source_(source), file_(file.string()), overrides_(overrides) {
  scene.file = file_;
}

Reader::Step Reader::enter(std::string_view key) {
  const std::size_t length = path_.size();
  if (!path_.empty()) path_ += '.';
  path_ += key;
  return {*this, length};
}

Reader::Step Reader::enter(std::size_t index) {
  const std::size_t length = path_.size();
  path_ += fmt::format("[{}]", index);
  return {*this, length};
}

namespace {

std::string_view line_of(std::string_view source, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line; ++i) {
    begin = source.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  return source.substr(begin, source.find('\n', begin) - begin);
}

// The column of a character inside a scalar, if the file holds the scalar as it is.
int column_inside(std::string_view source, const Node& node, std::size_t offset) {
  const std::string_view line = line_of(source, node.line);
  const std::size_t begin = static_cast<std::size_t>(node.column - 1) + node.quoted;
  const bool verbatim = begin <= line.size() && line.substr(begin, node.text.size()) == node.text;
  return verbatim ? static_cast<int>(begin + offset) + 1 : node.column;
}

}  // namespace

std::string Reader::file_of(int origin) const {
  if (origin < 0) return file_;
  const Override& o = overrides_[static_cast<std::size_t>(origin)];
  return fmt::format("--set {}={}", o.path, o.value);
}

void Reader::add(Diagnostic fault) {
  if (!full()) faults_.push_back(std::move(fault));
  ++count_;
}

void Reader::fault(const Node& at, const std::string& message, std::size_t offset) {
  if (full()) return void(++count_);
  const bool inside = offset != whole && at.origin < 0 && at.line > 0;
  const int column = inside ? column_inside(source_, at, offset) : at.column;
  const bool in_file = at.origin < 0;
  add({file_of(at.origin), in_file ? at.line : 0, in_file ? column : 0, path_, message});
}

void Reader::fault(const Node& map, std::string_view key, const std::string& message) {
  const Step step = enter(key);
  const Node* there = map.find_key(key);
  fault(there ? *there : map, message);
}

void Reader::fault(const SourceMark& at, const std::string& message) {
  add({file_, at.line, at.column, at.path, message});
}

void Reader::fault(const YamlFault& f, int origin) {
  const bool in_file = origin < 0;
  add({file_of(origin), in_file ? f.line : 0, in_file ? f.column : 0, f.path, f.message});
}

void Reader::throw_faults() {
  if (faults_.empty()) return;
  // Copies of a repeated body have the same faults in the same place.
  std::set<std::tuple<std::string, int, int, std::string>> seen;
  std::vector<Diagnostic> all;
  for (Diagnostic& d : faults_)
    if (seen.emplace(d.file, d.line, d.column, d.path).second) all.push_back(std::move(d));
  const auto place = [](const Diagnostic& d) {
    return std::tuple(d.line == 0, d.line, d.column);  // what is not in the file comes last
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  if (count_ > max_faults)
    all.push_back({file_, 0, 0, "", fmt::format("these are the first {} faults", max_faults)});
  throw SceneError(std::move(all));
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result;
  for (const char c : text.substr(0, longest))
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return text.size() > longest ? result + "..." : result;
}

std::string found(const Node& node) {
  switch (node.kind) {
    case Node::null:
      return "nothing";
    case Node::scalar:
      return fmt::format("\"{}\"", shown(node.text));
    case Node::list:
      return fmt::format("a list of {}", node.items.size());
    case Node::map:
      return "a mapping";
  }
  return "nothing";
}

}  // namespace hydrolith::schema
