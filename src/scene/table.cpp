#include "scene/table.h"

#include "core/suggest.h"
#include "scene/tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace hydrolith::schema {

std::vector<std::string> ObjectInfo::key_names() const {
  std::vector<std::string> names;
  for (const KeyInfo& key : keys) names.push_back(key.name);
  return names;
}

namespace {

// A key that exists elsewhere says where it belongs.
std::string belongs_to(std::string_view key, const ObjectInfo& here) {
  std::string owners;
  int count = 0;
  static const std::vector<const ObjectInfo*> objects = all_objects();
  for (const ObjectInfo* object : objects) {
    if (object->name == here.name) continue;
    for (const KeyInfo& info : object->keys)
      if (info.name == key && ++count <= 3)
        owners += fmt::format("{}{}", owners.empty() ? "" : ", ", object->name);
  }
  return owners.empty() || count > 3 ? "" : fmt::format(" It is a key of {}.", owners);
}

bool check_unknown_keys(Reader& reader, const Node& node, const ObjectInfo& object) {
  const std::vector<std::string> known = object.key_names();
  bool good = true;
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (reader.full()) return reader.fault(node.key(i), "unknown key."), false;
    const std::string& name = node.key(i).text;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string hint = did_you_mean(name, known);
    if (name.ends_with(')')) hint = " An expression with a comma needs quotes here.";
    if (hint.empty()) hint = belongs_to(name, object);
    if (hint.empty() && known.size() <= 12)
      hint = fmt::format(" The keys here are {}.", fmt::join(known, ", "));
    const auto step = reader.enter(shown(name));
    reader.fault(node.key(i), "unknown key." + hint);
    good = false;
  }
  return good;
}

// An unknown key may be the missing one, misspelt.
void check_one_of(Reader& reader, const Node& node, const ObjectInfo& object, bool all_known) {
  if (object.one_of.empty()) return;
  std::vector<std::string> there;
  for (const std::string& name : object.one_of)
    if (node.find(name)) there.push_back(name);
  if (there.empty() && all_known)
    reader.fault(node, fmt::format("exactly one of {} is needed, found none",
                                   fmt::join(object.one_of, ", ")));
  if (there.size() > 1)
    reader.fault(node, fmt::format("only one of {} can be given", fmt::join(there, " and ")));
}

}  // namespace

bool begin_object(Reader& reader, const Node& node, const ObjectInfo& object) {
  if (node.kind != Node::map) {
    const std::vector<std::string> names =
        object.one_of.empty() ? object.key_names() : object.one_of;
    reader.fault(node, fmt::format("expected a mapping with the keys {}; found {}",
                                   fmt::join(names, ", "), found(node)));
    return false;
  }
  const bool all_known = check_unknown_keys(reader, node, object);
  check_one_of(reader, node, object, all_known);
  for (const KeyInfo& key : object.keys)
    if (key.required && !node.find(key.name))
      reader.fault(node, key.name, "this key is required. " + key.sentence);
  return true;
}

}  // namespace hydrolith::schema
