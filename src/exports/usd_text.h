#pragma once
// Pieces of a USD text file (.usda): names, numbers, attributes with time samples.

#include "hydrolith/vec.h"

#include "exports/whole_file.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hydrolith {

/// Identifiers of USD, different from each other: letters, digits and underscores.
std::vector<std::string> usd_names(const std::vector<std::string>& names);

std::string usd_array(const std::vector<Vec3f>& values);  // [(1, 2, 3), ...]
std::string usd_array(std::span<const float> values);
std::string usd_array(std::span<const std::uint32_t> values);
std::string usd_tuple(const Vec3& v);
std::string usd_tuple(const Quat& q);  // (w, x, y, z)

/// Attributes whose values change from frame to frame. Samples wait on disk until the whole file is
/// written, so that runs of any length fit.
class UsdSamples {
 public:
  explicit UsdSamples(std::shared_ptr<ScratchFile> scratch) : scratch_(std::move(scratch)) {}
  /// `declaration` such as "point3f[] points"; `metadata` such as `interpolation = "constant"`.
  void add(const std::string& declaration, std::int64_t frame, const std::string& value,
           const std::string& metadata = "");
  /// All attributes, each line indented by this much.
  void copy_to(FileDescriptor& out, const std::string& indent) const;

 private:
  struct Attribute {
    std::string metadata;
    FilePart samples;
  };
  std::shared_ptr<ScratchFile> scratch_;
  std::map<std::string, Attribute> attributes_;  // by declaration
};

}  // namespace hydrolith
