#pragma once
// One PolyData file of VTK XML (.vtp): a text head that describes the arrays, then all arrays as
// "appended raw" bytes, cut into blocks and compressed with zlib.
// Format: VTK User's Guide, "VTK File Formats", section "XML File Formats".

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hydrolith {

/// Text fit for an XML attribute.
std::string escape_xml(std::string_view text);

/// Called in the order of the file: points, point data, then cells and cell data.
class VtkPolyData {
 public:
  VtkPolyData(double time, int compression) : time_(time), compression_(compression) {}

  void points(std::span<const float> xyz);
  void point_data(std::string_view name, std::span<const float> values, int components);
  void point_data(std::string_view name, std::span<const std::uint32_t> values);
  void vertices();                                         // one cell for each point
  void triangles(std::span<const std::uint32_t> corners);  // three for each cell
  void cell_data(std::string_view name, std::span<const std::uint32_t> values);

  /// The whole file.
  std::string finish() const;

 private:
  std::string array(std::string_view type, std::string_view name, int components,
                    std::span<const std::byte> bytes);
  std::string cells(std::span<const std::int32_t> connectivity, int corners);

  double time_;  // [s]
  int compression_;
  std::size_t point_count_ = 0, vertex_count_ = 0, triangle_count_ = 0;
  std::string points_, point_data_, vertices_, triangles_, cell_data_;  // XML
  std::string appended_;                                                // bytes
};

}  // namespace hydrolith
