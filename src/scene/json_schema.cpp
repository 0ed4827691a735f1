// JSON Schema (draft 2020-12) from the table: for completion and checks in editors.

#include "scene/json.h"
#include "scene/schema.h"
#include "scene/tables.h"

#include <fmt/format.h>

#include <cmath>

namespace hydrolith {
namespace schema {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;  // name, JSON

std::string object_of(const Members& members) {
  std::string text;
  for (const auto& [name, value] : members)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", json_text(name), value);
  return "{" + text + "}";
}

std::string list_of(const std::vector<std::string>& values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

std::string words(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(json_text(text));
  return list_of(quoted);
}

std::string any_of(const std::vector<std::string>& options) {
  return object_of({{"anyOf", list_of(options)}});
}

std::string definition_ref(std::string_view name) {
  return object_of({{"$ref", json_text(fmt::format("#/$defs/{}", name))}});
}

// --- One value ----------------------------------------------------------------------------------

// Numbers may be strings, which hold expressions.
std::string number(const KeyInfo& key, std::string_view type) {
  Members m = {{"type", fmt::format("[\"{}\",\"string\"]", type)}};
  const Range& r = key.range;
  if (r.lo > -unlimited)
    m.push_back({r.lo_open ? "exclusiveMinimum" : "minimum", fmt::format("{}", r.lo)});
  if (r.hi < unlimited)
    m.push_back({r.hi_open ? "exclusiveMaximum" : "maximum", fmt::format("{}", r.hi)});
  return object_of(m);
}

std::string vector_of(const std::string& item) {
  return object_of({{"type", "\"array\""}, {"items", item}, {"minItems", "2"}, {"maxItems", "3"}});
}

std::string one_value(const KeyInfo& key) {
  const std::string real = number(key, "number");
  const std::string function = any_of({real, definition_ref("keyframes")});
  switch (key.type) {
    case Type::number:
    case Type::surface:
      return real;
    case Type::integer:
      return number(key, "integer");
    case Type::flag:
      return R"({"type":"boolean"})";
    case Type::text:
    case Type::name:
    case Type::file:
    case Type::reference:
      return R"({"type":["string","number"]})";
    case Type::choice:
      return object_of({{"enum", words(key.choices)}});
    case Type::vector:
    case Type::size:
    case Type::direction:
    case Type::field:
      return vector_of(real);
    case Type::turning:
    case Type::gravity:
    case Type::scale:
      return any_of({real, vector_of(real)});
    case Type::counts:
      return any_of({number(key, "integer"), vector_of(number(key, "integer"))});
    case Type::rotation:
      return any_of({definition_ref("rotation"), R"({"type":["number","string"]})",
                     object_of({{"type", "\"array\""}, {"items", definition_ref("rotation")}})});
    case Type::colour:
      return definition_ref("colour");
    case Type::function:
      return function;
    case Type::vector_function:
      return any_of({vector_of(function), definition_ref("keyframes")});
    case Type::turning_function:
      return any_of({function, vector_of(function)});
    case Type::object:
      break;
  }
  return definition_ref(key.object().name);
}

std::string value(const KeyInfo& key) {
  const std::string one = key.or_object
                              ? any_of({one_value(key), definition_ref(key.or_object().name)})
                              : one_value(key);
  if (key.many == Many::map)
    return object_of({{"type", "[\"object\",\"null\"]"}, {"additionalProperties", one}});
  if (key.many == Many::one) return one;
  const std::string list = object_of({{"type", "[\"array\",\"null\"]"}, {"items", one}});
  return key.or_single ? any_of({one, list}) : list;
}

// With what an editor shows beside it.
std::string described(const KeyInfo& key) {
  std::string text = key.sentence;
  if (!key.unit.empty() && key.unit != any_unit) text += fmt::format(" [{}]", key.unit);
  if (!key.default_note.empty()) text += fmt::format(" Default: {}.", key.default_note);
  Members extra = {{"description", json_text(text)}};
  if (!key.default_json.empty()) extra.push_back({"default", key.default_json});
  const std::string inner = value(key), outer = object_of(extra);
  return outer.substr(0, outer.size() - 1) + "," + inner.substr(1);
}

// --- One object ---------------------------------------------------------------------------------

Members mapping(const ObjectInfo& object) {
  Members properties;
  std::vector<std::string> required;
  for (const KeyInfo& key : object.keys) {
    properties.push_back({key.name, described(key)});
    if (key.required) required.push_back(key.name);
  }
  Members m = {{"type", "\"object\""},
               {"description", json_text(object.sentence)},
               {"properties", object_of(properties)},
               {"additionalProperties", "false"}};
  if (!required.empty()) m.push_back({"required", words(required)});
  std::vector<std::string> one_of;
  for (const std::string& name : object.one_of)
    one_of.push_back(object_of({{"required", words({name})}}));
  if (!one_of.empty()) m.push_back({"oneOf", list_of(one_of)});
  return m;
}

// Where a single value may stand for the mapping, both are allowed.
std::string definition(const ObjectInfo& object) {
  const std::string whole = object_of(mapping(object));
  if (object.shorthand < 0) return whole;
  return any_of({whole, value(object.keys[static_cast<std::size_t>(object.shorthand)])});
}

std::string colour() {
  const std::string component = R"({"type":["number","string"],"minimum":0,"maximum":1})";
  return any_of(
      {object_of({{"enum", words(colour_names())}}),
       R"({"type":"string","pattern":"^#[0-9a-fA-F]{6}$"})",
       object_of(
           {{"type", "\"array\""}, {"items", component}, {"minItems", "3"}, {"maxItems", "3"}})});
}

std::string keyframes() {
  const std::string pair =
      R"({"type":"array","items":{"type":["number","string","array"]},"minItems":2,"maxItems":2})";
  Members m = mapping(table<KeyframesPart>());
  m[2].second = object_of(
      {{"keyframes", object_of({{"type", "\"array\""}, {"items", pair}, {"minItems", "1"}})},
       {"interpolation", described(table<KeyframesPart>().keys[1])}});
  return object_of(m);
}

// Line breaks and indentation outside strings.
std::string indented(const std::string& json) {
  std::string out;
  int depth = 0;
  bool in_text = false;
  std::vector<bool> in_list;
  const auto new_line = [&] {
    out += "\n" + std::string(static_cast<std::size_t>(2 * depth), ' ');
  };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!in_text && (c == '{' || c == '[')) in_list.push_back(c == '[');
    if (!in_text && (c == '}' || c == ']')) in_list.pop_back();
    if (c == '"' && (i == 0 || json[i - 1] != '\\')) in_text = !in_text;
    if (!in_text && c == ' ') continue;
    if (!in_text && c == '}') --depth, new_line();
    out += c;
    if (!in_text && c == '{') ++depth, new_line();
    if (!in_text && c == ',') in_list.back() ? void(out += ' ') : new_line();
    if (!in_text && c == ':') out += ' ';
  }
  return out + "\n";
}

}  // namespace
}  // namespace schema

std::string json_schema() {
  using namespace schema;
  Members definitions;
  for (const ObjectInfo* object : all_objects()) {
    const bool special = object->name == "scene" || object->name == "keyframes";
    if (!special) definitions.push_back({object->name, definition(*object)});
  }
  definitions.push_back({"keyframes", keyframes()});
  definitions.push_back({"colour", colour()});
  Members root = {{"$schema", "\"https://json-schema.org/draft/2020-12/schema\""},
                  {"title", "\"Hydrolith scene\""}};
  for (auto& member : mapping(table<Scene>())) root.push_back(std::move(member));
  root.push_back({"$defs", object_of(definitions)});
  return indented(object_of(root));
}

}  // namespace hydrolith
