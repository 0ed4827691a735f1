#pragma once
// --set path=value: edits of the tree before it is read.

#include "scene/context.h"

namespace hydrolith::schema {

/// Applies all overrides; faults are reported, not thrown.
void apply_overrides(Reader& reader, Node& root, const std::vector<Override>& overrides);

/// The edited tree as YAML, with the overrides listed above it.
std::string write_edited(const Node& root, const std::vector<Override>& overrides);

}  // namespace hydrolith::schema
