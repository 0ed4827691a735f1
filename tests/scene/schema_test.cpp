// One table: what is read, what the JSON Schema says and what the reference says agree.

#include "scene/schema.h"

#include "scene/reader.h"
#include "scene/tables.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>

using namespace hydrolith;
using namespace hydrolith::schema;

namespace {

const YAML::Node& json() {
  static const YAML::Node node = YAML::Load(json_schema());  // JSON is YAML
  return node;
}

// The properties of an object in the JSON Schema.
YAML::Node properties(const ObjectInfo& object) {
  if (object.name == "scene") return json()["properties"];
  const YAML::Node definition = json()["$defs"][object.name];
  return definition["anyOf"] ? definition["anyOf"][0]["properties"] : definition["properties"];
}

std::string section_of(const ObjectInfo& object) {
  static const std::string page = scene_reference_markdown();
  std::size_t begin = page.find("\n## " + object.name + "\n");
  if (begin == std::string::npos) begin = page.find("\n### " + object.name + "\n");
  if (begin == std::string::npos) return "";
  return page.substr(begin, page.find("\n##", begin + 4) - begin);
}

}  // namespace

TEST_CASE("the table reaches every struct of the language") {
  // 21 keys at the top lead to 27 objects beside the 24 shapes.
  const auto all = all_objects();
  CHECK(all.size() >= 50);
  CHECK(all[0]->name == "scene");
  CHECK(table<Shape>().one_of.size() == std::variant_size_v<Shape::Variant>);
}

TEST_CASE("the tags of shapes stand in the order of the variant") {
  const auto& shapes = table<Shape>();
  for (std::size_t i = 0; i < shapes.one_of.size(); ++i) {
    const bool needs = shapes.keys[i].name == "mesh" || shapes.keys[i].name == "height_field";
    if (needs || shapes.keys[i].object().keys[0].name == "shapes") continue;
    if (shapes.keys[i].name == "blend") continue;
    CAPTURE(shapes.keys[i].name);
    const std::string yaml = "bodies: [{kind: static, shape: {" + shapes.keys[i].name + ": {}}}]";
    CHECK(read_scene_text(yaml, "").scene.bodies[0].shape.kind.index() == i);
  }
}

TEST_CASE("every key says what it means, in a sentence") {
  for (const ObjectInfo* object : all_objects()) {
    CAPTURE(object->name);
    CHECK(object->sentence.ends_with('.'));
    for (const KeyInfo& key : object->keys) {
      CAPTURE(key.name);
      CHECK((key.sentence.ends_with('.')));
    }
  }
}

TEST_CASE("every key is in the JSON Schema with its sentence and default") {
  for (const ObjectInfo* object : all_objects()) {
    const YAML::Node known = properties(*object);
    for (const KeyInfo& key : object->keys) {
      CAPTURE(object->name);
      CAPTURE(key.name);
      REQUIRE(known[key.name]);
      if (object->name == "keyframes") continue;
      CHECK(known[key.name]["description"].as<std::string>().starts_with(key.sentence));
      CHECK(known[key.name]["default"].IsDefined() == !key.default_json.empty());
    }
  }
}

TEST_CASE("the JSON Schema has no keys of its own and refuses others") {
  for (const ObjectInfo* object : all_objects()) {
    CAPTURE(object->name);
    CHECK(properties(*object).size() == object->keys.size());
  }
  CHECK(json()["additionalProperties"].as<bool>() == false);
  CHECK(json()["$schema"].as<std::string>() == "https://json-schema.org/draft/2020-12/schema");
}

TEST_CASE("every reference inside the JSON Schema leads somewhere") {
  const std::string text = json_schema(), start = "\"#/$defs/";
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const std::size_t begin = at + start.size();
    const std::string name = text.substr(begin, text.find('"', begin) - begin);
    CAPTURE(name);
    CHECK(json()["$defs"][name]);
  }
}

TEST_CASE("every key is in its section of the reference, with unit and default") {
  for (const ObjectInfo* object : all_objects()) {
    const std::string section = section_of(*object);
    for (const KeyInfo& key : object->keys) {
      CAPTURE(object->name);
      CAPTURE(key.name);
      const bool tag = object->name == "shape" && key.type == Type::object;
      const std::size_t row = section.find(tag ? "[" + key.name + "]" : "| `" + key.name + "` |");
      REQUIRE(row != std::string::npos);
      const std::string line = section.substr(row, section.find('\n', row) - row);
      if (key.unit != any_unit) CHECK(line.find(key.unit) != std::string::npos);
      CHECK(line.find(key.sentence) != std::string::npos);
    }
  }
}

TEST_CASE("defaults in the table are those of the structs") {
  const auto default_of = [](const ObjectInfo& object, std::string_view name) {
    for (const KeyInfo& key : object.keys)
      if (key.name == name) return key.default_json;
    return std::string("no such key");
  };
  CHECK(default_of(table<Scene>(), "spacing") == fmt::format("{}", Scene{}.spacing));
  CHECK(default_of(table<Scene>(), "gravity") == "[0, -9.81, 0]");
  CHECK(default_of(table<LiquidSpec>(), "viscosity") == fmt::format("{}", LiquidSpec{}.viscosity));
  CHECK(default_of(table<LiquidSpec>(), "colour") == "\"#59a0da\"");
  CHECK(default_of(table<BodySpec>(), "kind") == "\"dynamic\"");
  CHECK(default_of(table<OutputSpec>(), "formats") == "[\"hdf5\"]");
  CHECK(default_of(table<OutputSpec>(), "fields") == "[\"velocity\", \"pressure\"]");
  CHECK(default_of(table<GearShape>(), "teeth") == fmt::format("{}", GearShape{}.teeth));
  CHECK(default_of(table<EmitterSpec>(), "until") == "");
}

TEST_CASE("a default written out in the file changes nothing: it is within its own range") {
  for (const ObjectInfo* object : all_objects()) {
    for (const KeyInfo& key : object->keys) {
      const bool numeric = key.type == Type::number || key.type == Type::integer;
      if (!numeric || key.default_json.empty()) continue;
      CAPTURE(object->name);
      CAPTURE(key.name);
      CHECK(key.range.contains(std::stod(key.default_json)));
    }
  }
}

TEST_CASE("every example of the reference is a scene that can be read") {
  const auto folder = std::filesystem::temp_directory_path() / "hydrolith_schema_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "hull.obj") << "v 0 0 0\n";
  const auto indent = [](std::string text, const std::string& by) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
      text.insert(at + 1, by);
    return by + text;
  };
  const auto& kinds = table<Shape>().one_of;
  for (const ObjectInfo* object : all_objects()) {
    std::string yaml = object->example;
    if (yaml.empty()) continue;
    CAPTURE(object->name);
    const bool is_kind = std::find(kinds.begin(), kinds.end(), object->name) != kinds.end();
    if (is_kind || object->name == "shape")
      yaml = "bodies:\n- kind: static\n  shape:\n" + indent(yaml, "    ");
    if (object->name == "rotation")
      yaml = "bodies:\n- shape: {sphere: 1}\n  rotate:\n" + indent(yaml, "    ");
    if (object->name == "keyframes")
      yaml = "bodies:\n- shape: {sphere: 1}\n  friction:\n" + indent(yaml, "    ");
    if (object->name.starts_with("repeat."))
      yaml = "bodies:\n- shape: {sphere: 1}\n  repeat:\n" + indent(yaml, "    ");
    CHECK_NOTHROW(read_scene_text(yaml, folder / "example.yaml"));
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("the scenes in the introduction of the reference can be read") {
  const std::string page = scene_reference_markdown(), fence = "```yaml\n";
  std::size_t at = 0;
  for (int i = 0; i < 2; ++i) {
    const std::size_t begin = page.find(fence, at) + fence.size();
    at = page.find("```", begin);
    CHECK_NOTHROW(read_scene_text(page.substr(begin, at - begin), "page.yaml"));
    ++at;
  }
}
