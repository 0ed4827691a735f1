// Whatever the bytes, the scene reader returns a scene or throws an Error.

#include "hydrolith/error.h"

#include "scene/reader.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A first line "#set path=value" is an override as well.
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<hydrolith::Override> overrides;
  try {
    if (text.starts_with("#set ")) {
      const std::string_view line = text.substr(0, text.find('\n'));
      overrides.push_back(hydrolith::parse_override(line.substr(5)));
      text.remove_prefix(line.size());
    }
    // Fewer copies than a real scene may have: they only cost time here.
    hydrolith::read_scene_text(text, "fuzz/scene.yaml", overrides, {.copies = 2000});
  } catch (const hydrolith::Error&) {
  }
  return 0;
}
