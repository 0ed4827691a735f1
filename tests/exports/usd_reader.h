#pragma once
// A small, strict reader of USD text files: it knows the grammar, not our writer. Anything it does
// not understand is an error.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hydrolith::test {

struct UsdValue {
  std::string text;             // of a string, a path or a word
  std::vector<double> numbers;  // all numbers in it, in order
  std::size_t items = 0;        // of a list
};

struct UsdAttribute {
  std::string type;
  bool uniform = false;
  UsdValue value;
  std::map<double, UsdValue> samples;  // by time code
  std::map<std::string, UsdValue> metadata;
};

struct UsdPrim {
  std::string specifier, type, name;  // def or class; may be empty; name
  std::map<std::string, UsdValue> metadata;
  std::map<std::string, UsdAttribute> attributes;
  std::vector<UsdPrim> children;

  /// Throws std::runtime_error if it is not there.
  const UsdPrim& child(const std::string& name) const;
  const UsdAttribute& attribute(const std::string& name) const;
};

/// The root has the layer's metadata. Throws std::runtime_error with the line.
UsdPrim read_usda(const std::filesystem::path& file);

}  // namespace hydrolith::test
