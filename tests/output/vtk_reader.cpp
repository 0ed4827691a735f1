#include "vtk_reader.h"

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace hydrolith::test {

namespace {

std::string whole(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot open " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string attribute(const std::string& tag, const std::string& name) {
  const std::size_t at = tag.find(" " + name + "=\"");
  if (at == std::string::npos) throw std::runtime_error("no " + name + " in " + tag);
  const std::size_t first = at + name.size() + 3;
  return tag.substr(first, tag.find('"', first) - first);
}

std::uint64_t number_at(const std::string& bytes, std::size_t at) {
  if (at + 8 > bytes.size()) throw std::runtime_error("header beyond the end");
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, 8);
  return value;
}

/// blocks, size of a block, size of the last if smaller, compressed sizes, then the blocks.
std::string inflate_array(const std::string& appended, std::size_t offset) {
  const std::uint64_t blocks = number_at(appended, offset);
  const std::uint64_t block = number_at(appended, offset + 8);
  const std::uint64_t last = number_at(appended, offset + 16);
  std::string out;
  std::size_t at = offset + 24 + 8 * blocks;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const std::uint64_t packed = number_at(appended, offset + 24 + 8 * b);
    uLongf size = b + 1 == blocks && last != 0 ? last : block;
    std::string plain(size, '\0');
    if (at + packed > appended.size() ||
        uncompress(reinterpret_cast<Bytef*>(plain.data()), &size,
                   reinterpret_cast<const Bytef*>(appended.data() + at), packed) != Z_OK ||
        size != plain.size())
      throw std::runtime_error("a block that zlib cannot read");
    out += plain;
    at += packed;
  }
  return out;
}

template <class T>
std::vector<double> values(const std::string& bytes) {
  std::vector<double> out;
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    out.push_back(static_cast<double>(value));
  }
  return out;
}

std::vector<double> values(const std::string& type, const std::string& bytes) {
  if (type == "Float32") return values<float>(bytes);
  if (type == "UInt32") return values<std::uint32_t>(bytes);
  if (type == "Int32") return values<std::int32_t>(bytes);
  throw std::runtime_error("unexpected type " + type);
}

}  // namespace

VtpFile read_vtp(const std::filesystem::path& file) {
  const std::string text = whole(file);
  const std::string marker = "<AppendedData encoding=\"raw\">\n_";
  const std::size_t data = text.find(marker);
  if (data == std::string::npos || !text.ends_with("\n</AppendedData>\n</VTKFile>\n"))
    throw std::runtime_error("not a whole .vtp file");
  const std::string head = text.substr(0, data), appended = text.substr(data + marker.size());
  VtpFile result;
  std::string section;
  for (std::size_t at = 0; (at = head.find('<', at)) != std::string::npos; ++at) {
    const std::string tag = head.substr(at, head.find('>', at) - at);
    if (tag.starts_with("<VTKFile") && (attribute(tag, "compressor") != "vtkZLibDataCompressor" ||
                                        attribute(tag, "header_type") != "UInt64"))
      throw std::runtime_error("unexpected kind of .vtp");
    if (tag.starts_with("<Piece")) {
      result.points = std::stoul(attribute(tag, "NumberOfPoints"));
      result.vertices = std::stoul(attribute(tag, "NumberOfVerts"));
      result.triangles = std::stoul(attribute(tag, "NumberOfPolys"));
    } else if (tag.find("\"TimeValue\"") != std::string::npos) {
      result.time = std::stod(head.substr(at + tag.size() + 1));
    } else if (tag.starts_with("<DataArray")) {
      VtkArray& array = result.sections[section][attribute(tag, "Name")];
      array.type = attribute(tag, "type");
      array.components = std::stoi(attribute(tag, "NumberOfComponents"));
      array.values =
          values(array.type, inflate_array(appended, std::stoul(attribute(tag, "offset"))));
    } else if (tag[1] != '/') {
      section = tag.substr(1);
    }
  }
  return result;
}

std::vector<std::pair<double, std::string>> read_pvd(const std::filesystem::path& file) {
  const std::string text = whole(file);
  if (!text.ends_with("</VTKFile>\n")) throw std::runtime_error("not a whole .pvd file");
  std::vector<std::pair<double, std::string>> entries;
  for (std::size_t at = 0; (at = text.find("<DataSet ", at)) != std::string::npos; ++at) {
    const std::string tag = text.substr(at, text.find('>', at) - at);
    entries.emplace_back(std::stod(attribute(tag, "timestep")), attribute(tag, "file"));
  }
  return entries;
}

}  // namespace hydrolith::test
