#pragma once
// A small, independent reader of VTK XML as the tests expect it: arrays in their
// place, base64 of zlib blocks.
// It knows the format from its specification, not from our writer.

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hydrolith::test {

struct VtkArray {
  std::string type;
  int components = 1;
  std::vector<double> values;
};

struct VtpFile {
  double time = 0;
  std::size_t points = 0, vertices = 0, triangles = 0;              // as the piece declares
  std::map<std::string, std::map<std::string, VtkArray>> sections;  // "PointData" -> name -> array
};

/// Throws std::runtime_error for anything that is not as it should be.
VtpFile read_vtp(const std::filesystem::path& file);

/// (time, relative file) in the order of the collection.
std::vector<std::pair<double, std::string>> read_pvd(const std::filesystem::path& file);

}  // namespace hydrolith::test
