#include "exports/usd_text.h"

#include <fmt/format.h>

#include <iterator>
#include <set>

namespace hydrolith {

namespace {

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class T>
std::string array_of(std::span<const T> values) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i ? ", " : "", values[i]);
  return out + "]";
}

}  // namespace

std::vector<std::string> usd_names(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> result;
  for (const std::string& name : names) {
    std::string base;
    for (const char c : name) base += is_letter(c) || is_digit(c) ? c : '_';
    while (base.size() > 1 && base.back() == '_') base.pop_back();  // brick[3] -> brick_3
    if (base.empty() || is_digit(base[0])) base.insert(0, "_");
    std::string unique = base;
    for (int k = 2; !taken.insert(unique).second; ++k) unique = fmt::format("{}_{}", base, k);
    result.push_back(unique);
  }
  return result;
}

std::string usd_array(const std::vector<Vec3f>& values) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{}({}, {}, {})", i ? ", " : "", values[i].x(),
                   values[i].y(), values[i].z());
  return out + "]";
}

std::string usd_array(std::span<const float> values) { return array_of(values); }
std::string usd_array(std::span<const std::uint32_t> values) { return array_of(values); }

std::string usd_tuple(const Vec3& v) { return fmt::format("({}, {}, {})", v.x(), v.y(), v.z()); }

std::string usd_tuple(const Quat& q) {
  return fmt::format("({}, {}, {}, {})", q.w(), q.x(), q.y(), q.z());
}

void UsdSamples::add(const std::string& declaration, std::int64_t frame, const std::string& value,
                     const std::string& metadata) {
  auto found = attributes_.find(declaration);
  if (found == attributes_.end())
    found = attributes_.emplace(declaration, Attribute{metadata, FilePart(scratch_)}).first;
  found->second.samples.write(fmt::format("{}: {},\n", frame, value));
}

void UsdSamples::copy_to(FileDescriptor& out, const std::string& indent) const {
  for (const auto& [declaration, attribute] : attributes_) {
    // USD wants metadata with a value of its own, apart from the samples.
    if (!attribute.metadata.empty())
      out.write(fmt::format("{}{} (\n{}    {}\n{})\n", indent, declaration, indent,
                            attribute.metadata, indent));
    out.write(fmt::format("{}{}.timeSamples = {{\n", indent, declaration));
    attribute.samples.copy_to(out);
    out.write(indent + "}\n");
  }
}

}  // namespace hydrolith
