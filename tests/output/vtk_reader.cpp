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

/// Whole groups of four letters, = only at the end.
std::string from_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) throw std::runtime_error("base64 that is not whole");
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t word = 0;
    int filled = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t value = letters.find(text[at + k]);
      const bool fill = text[at + k] == '=' && k >= 2 && at + 4 == text.size();
      if (value == std::string::npos && !fill) throw std::runtime_error("no letter of base64");
      if (fill) ++filled;
      word = word << 6 | static_cast<std::uint32_t>(fill ? 0 : value);
    }
    for (int k = 0; k < 3 - filled; ++k) out += static_cast<char>(word >> (16 - 8 * k) & 255);
  }
  return out;
}

std::size_t base64_size(std::size_t bytes) { return (bytes + 2) / 3 * 4; }

/// Blocks, size of a block, size of the last if smaller, compressed sizes; by itself the blocks.
std::string inflate_array(const std::string& text) {
  const std::uint64_t blocks = number_at(from_base64(text.substr(0, base64_size(24))), 0);
  const std::size_t head_letters = base64_size(24 + 8 * blocks);
  if (head_letters > text.size()) throw std::runtime_error("header beyond the end");
  const std::string head = from_base64(text.substr(0, head_letters));
  const std::string packed = from_base64(text.substr(head_letters));
  const std::uint64_t block = number_at(head, 8), last = number_at(head, 16);
  std::string out;
  std::size_t at = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const std::uint64_t bytes = number_at(head, 24 + 8 * b);
    uLongf size = b + 1 == blocks && last != 0 ? last : block;
    std::string plain(size, '\0');
    if (at + bytes > packed.size() ||
        uncompress(reinterpret_cast<Bytef*>(plain.data()), &size,
                   reinterpret_cast<const Bytef*>(packed.data() + at), bytes) != Z_OK ||
        size != plain.size())
      throw std::runtime_error("a block that zlib cannot read");
    out += plain;
    at += bytes;
  }
  if (at != packed.size()) throw std::runtime_error("bytes behind the last block");
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
  if (!text.ends_with("</PolyData>\n</VTKFile>\n"))
    throw std::runtime_error("not a whole .vtp file");
  VtpFile result;
  std::string section;
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos; ++at) {
    const std::string tag = text.substr(at, text.find('>', at) - at);
    if (tag.starts_with("<VTKFile") && (attribute(tag, "compressor") != "vtkZLibDataCompressor" ||
                                        attribute(tag, "header_type") != "UInt64"))
      throw std::runtime_error("unexpected kind of .vtp");
    if (tag.starts_with("<Piece")) {
      result.points = std::stoul(attribute(tag, "NumberOfPoints"));
      result.vertices = std::stoul(attribute(tag, "NumberOfVerts"));
      result.triangles = std::stoul(attribute(tag, "NumberOfPolys"));
    } else if (tag.find("\"TimeValue\"") != std::string::npos) {
      result.time = std::stod(text.substr(at + tag.size() + 1));
    } else if (tag.starts_with("<DataArray")) {
      VtkArray& array = result.sections[section][attribute(tag, "Name")];
      array.type = attribute(tag, "type");
      array.components = std::stoi(attribute(tag, "NumberOfComponents"));
      if (attribute(tag, "format") != "binary") throw std::runtime_error("unexpected format");
      const std::size_t first = at + tag.size() + 2;  // behind > and the end of the line
      const std::size_t end = text.find('\n', first);
      array.values = values(array.type, inflate_array(text.substr(first, end - first)));
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
