#pragma once
// One PolyData file of VTK XML (.vtp): every array cut into blocks, compressed with zlib and
// written as base64 in its place. "Appended raw" bytes would be smaller by a quarter, but VTK
// before 9.3.1 with Expat 2.6 and later (ParaView of Debian 12, of Ubuntu 22.04 and 24.04,
// ParaView 5.12.0) cannot read them: "not well-formed (invalid token)". Format: VTK User's Guide,
// "VTK File Formats", section "XML File Formats".

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
                    std::span<const std::byte> bytes) const;
  std::string cells(std::span<const std::int32_t> connectivity, int corners) const;

  double time_;  // [s]
  int compression_;
  bool has_normals_ = false;
  std::size_t point_count_ = 0, vertex_count_ = 0, triangle_count_ = 0;
  std::string points_, point_data_, vertices_, triangles_, cell_data_;  // XML
};

}  // namespace hydrolith
