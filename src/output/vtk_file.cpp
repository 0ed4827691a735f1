#include "output/vtk_file.h"

#include "core/check.h"
#include "output/base64.h"
#include "output/deflate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace hydrolith {
static_assert(std::endian::native == std::endian::little, "arrays are copied as they are");

namespace {

constexpr std::size_t block_bytes = 1 << 18;

void append_number(std::string& out, std::uint64_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string deflate_block(std::span<const std::byte> block, int level) {
  return zlib_compressed({reinterpret_cast<const char*>(block.data()), block.size()}, level);
}

/// As vtkZLibDataCompressor wants it: number of blocks, bytes of a full block, bytes of the last if
/// it is not full, compressed bytes of each; then the blocks. Both in base64, each by itself.
void append_compressed(std::string& out, std::span<const std::byte> bytes, int level) {
  std::vector<std::string> blocks;
  for (std::size_t at = 0; at < bytes.size(); at += block_bytes)
    blocks.push_back(
        deflate_block(bytes.subspan(at, std::min(block_bytes, bytes.size() - at)), level));
  std::string head, body;
  append_number(head, blocks.size());
  append_number(head, block_bytes);
  append_number(head, bytes.size() % block_bytes);
  for (const std::string& block : blocks) append_number(head, block.size());
  for (const std::string& block : blocks) body += block;
  append_base64(out, head);
  append_base64(out, body);
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string VtkPolyData::array(std::string_view type, std::string_view name, int components,
                               std::span<const std::byte> bytes) const {
  std::string out = fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">\n", type,
      escape_xml(name), components);
  append_compressed(out, bytes, compression_);
  return out + "\n</DataArray>\n";
}

void VtkPolyData::points(std::span<const float> xyz) {
  point_count_ = xyz.size() / 3;
  require(point_count_ < (std::size_t{1} << 31), "{} points in one .vtp file; at most 2^31 fit",
          point_count_);
  points_ = array("Float32", "Points", 3, std::as_bytes(xyz));
}

void VtkPolyData::point_data(std::string_view name, std::span<const float> values, int components) {
  has_normals_ = has_normals_ || name == "normal";
  point_data_ += array("Float32", name, components, std::as_bytes(values));
}

void VtkPolyData::point_data(std::string_view name, std::span<const std::uint32_t> values) {
  point_data_ += array("UInt32", name, 1, std::as_bytes(values));
}

/// Cells of one kind: their corners, and where each cell ends in that list.
std::string VtkPolyData::cells(std::span<const std::int32_t> connectivity, int corners) const {
  std::vector<std::int32_t> offsets(connectivity.size() / static_cast<std::size_t>(corners));
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] = static_cast<std::int32_t>(i + 1) * corners;
  return array("Int32", "connectivity", 1, std::as_bytes(connectivity)) +
         array("Int32", "offsets", 1, std::as_bytes(std::span<const std::int32_t>(offsets)));
}

void VtkPolyData::vertices() {
  vertex_count_ = point_count_;
  std::vector<std::int32_t> connectivity(point_count_);
  std::iota(connectivity.begin(), connectivity.end(), 0);
  vertices_ = cells(connectivity, 1);
}

void VtkPolyData::triangles(std::span<const std::uint32_t> corners) {
  triangle_count_ = corners.size() / 3;
  triangles_ = cells(std::vector<std::int32_t>(corners.begin(), corners.end()), 3);
}

void VtkPolyData::cell_data(std::string_view name, std::span<const std::uint32_t> values) {
  cell_data_ += array("UInt32", name, 1, std::as_bytes(values));
}

std::string VtkPolyData::finish() const {
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n"
      "<!-- hydrolith {} -->\n"
      "<PolyData>\n"
      "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
      "format=\"ascii\">{}</DataArray></FieldData>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
      HYDROLITH_VERSION, time_, point_count_, vertex_count_, triangle_count_);
  const auto section = [&](std::string_view tag, const std::string& arrays,
                           std::string_view attributes = "") {
    if (!arrays.empty()) out += fmt::format("<{0}{2}>\n{1}</{0}>\n", tag, arrays, attributes);
  };
  // Named as the normals, they make the surface look smooth.
  section("PointData", point_data_, has_normals_ ? " Normals=\"normal\"" : "");
  section("CellData", cell_data_);
  section("Points", points_);
  section("Verts", vertices_);
  section("Polys", triangles_);
  return out + "</Piece>\n</PolyData>\n</VTKFile>\n";
}

}  // namespace hydrolith
