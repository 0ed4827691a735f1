#pragma once
// What comes out of the table of keys besides validation: JSON Schema and the scene reference.

#include <string>

namespace hydrolith {

std::string json_schema();               ///< JSON Schema (draft 2020-12) for editors
std::string scene_reference_markdown();  ///< docs/scene-reference.md

}  // namespace hydrolith
