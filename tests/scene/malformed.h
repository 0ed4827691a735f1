#pragma once
// Malformed scenes, each with the complete message it must give.

#include "hydrolith/error.h"

#include "scene/reader.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

struct Malformed {
  std::string_view title;
  std::string_view yaml;      // a newline at its beginning is left out
  std::string_view change;    // --set, or ""
  std::string_view expected;  // file:line:column  path: message, one line per fault
};

inline std::string message_of(const Malformed& scene) {
  std::string_view yaml = scene.yaml;
  if (yaml.starts_with('\n')) yaml.remove_prefix(1);
  std::vector<hydrolith::Override> overrides;
  if (!scene.change.empty()) overrides.push_back(hydrolith::parse_override(scene.change));
  try {
    hydrolith::read_scene_text(yaml, "s.yaml", overrides);
  } catch (const hydrolith::SceneError& error) {
    return error.what();
  }
  return "no fault";
}

inline void check_messages(const std::vector<Malformed>& scenes) {
  for (const Malformed& scene : scenes) {
    CAPTURE(scene.title);
    CHECK(message_of(scene) == scene.expected);
  }
}
