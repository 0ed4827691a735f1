// PLY, read here because the library's reader cannot be trusted with broken files. The format: Turk
// 1994, "The PLY polygon file format".

#include "geometry/mesh_ply.h"

#include "geometry/mesh_holes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hydrolith {

namespace {

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) {
  throw std::runtime_error(fmt::format(message, std::forward<Args>(args)...));
}

enum class Type { i8, u8, i16, u16, i32, u32, f32, f64 };

Type type_named(std::string_view name) {
  constexpr std::array<std::array<std::string_view, 2>, 8> names = {{{"char", "int8"},
                                                                     {"uchar", "uint8"},
                                                                     {"short", "int16"},
                                                                     {"ushort", "uint16"},
                                                                     {"int", "int32"},
                                                                     {"uint", "uint32"},
                                                                     {"float", "float32"},
                                                                     {"double", "float64"}}};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i][0] || name == names[i][1]) return static_cast<Type>(i);
  fail("PLY header: \"{}\" is not a type of property", name);
}

struct Property {
  std::string name;
  Type type = Type::f32;
  std::optional<Type> count;  // of a list
};

struct Element {
  std::string name;
  std::size_t count = 0;
  std::vector<Property> properties;
};

enum class Encoding { ascii, little_endian, big_endian };

struct Header {
  Encoding encoding = Encoding::ascii;
  std::vector<Element> elements;
};

/// The numbers of a PLY file, one after the other.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> content)
      : text_(reinterpret_cast<const char*>(content.data()), content.size()) {}

  Header read_header();
  double next(Type type) {
    return encoding_ == Encoding::ascii ? next_number() : next_binary(type);
  }
  std::size_t bytes_left() const { return text_.size() - at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  Encoding encoding_ = Encoding::ascii;

  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  std::string_view next_line() {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) fail("PLY header: the file ends before end_header");
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  double next_number() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ == text_.size()) fail("the file ends too early");
    std::size_t end = at_;
    while (end < text_.size() && !is_space(text_[end])) ++end;
    std::string_view token = text_.substr(at_, end - at_);
    at_ = end;
    if (token.starts_with('+')) token.remove_prefix(1);
    double value = 0;
    const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error == std::errc::invalid_argument || stop != token.data() + token.size())
      fail("\"{}\" is not a number (line {})", token.substr(0, 40),
           1 + std::count(text_.begin(), text_.begin() + std::ptrdiff_t(at_), '\n'));
    return value;
  }

  template <class T>
  double next_as() {
    if (bytes_left() < sizeof(T)) fail("the file ends too early");
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), text_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    const bool swapped =
        (encoding_ == Encoding::big_endian) == (std::endian::native == std::endian::little);
    if (swapped) std::reverse(bytes.begin(), bytes.end());
    return static_cast<double>(std::bit_cast<T>(bytes));
  }

  double next_binary(Type type) {
    switch (type) {
      case Type::i8:
        return next_as<std::int8_t>();
      case Type::u8:
        return next_as<std::uint8_t>();
      case Type::i16:
        return next_as<std::int16_t>();
      case Type::u16:
        return next_as<std::uint16_t>();
      case Type::i32:
        return next_as<std::int32_t>();
      case Type::u32:
        return next_as<std::uint32_t>();
      case Type::f32:
        return next_as<float>();
      case Type::f64:
        return next_as<double>();
    }
    return 0;
  }
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    words.push_back(line.substr(0, line.find_first_of(" \t")));
    line.remove_prefix(words.back().size());
  }
}

Element element_from(std::span<const std::string_view> words) {
  Element element{std::string(words[1]), 0, {}};
  const auto [stop, error] =
      std::from_chars(words[2].data(), words[2].data() + words[2].size(), element.count);
  if (error != std::errc() || stop != words[2].data() + words[2].size())
    fail("PLY header: \"{}\" is not a number of elements", words[2]);
  return element;
}

Encoding encoding_named(std::string_view name) {
  if (name == "ascii") return Encoding::ascii;
  if (name == "binary_little_endian") return Encoding::little_endian;
  if (name == "binary_big_endian") return Encoding::big_endian;
  fail("PLY header: \"{}\" is not a format (ascii, binary_little_endian, binary_big_endian)", name);
}

Header Reader::read_header() {
  if (next_line() != "ply") fail("a PLY file begins with \"ply\"");
  Header header;
  while (true) {
    const std::string_view line = next_line();
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
    if (words[0] == "end_header") break;
    if (words[0] == "format" && words.size() >= 2)
      header.encoding = encoding_named(words[1]);
    else if (words[0] == "element" && words.size() == 3)
      header.elements.push_back(element_from(words));
    else if (words[0] == "property" && words.size() == 3 && !header.elements.empty())
      header.elements.back().properties.push_back(
          {std::string(words[2]), type_named(words[1]), std::nullopt});
    else if (words[0] == "property" && words.size() == 5 && words[1] == "list" &&
             !header.elements.empty())
      header.elements.back().properties.push_back(
          {std::string(words[4]), type_named(words[3]), type_named(words[2])});
    else
      fail("PLY header: \"{}\" makes no sense", line.substr(0, 80));
  }
  encoding_ = header.encoding;
  return header;
}

std::uint32_t to_index(double value, double limit, const char* what) {
  if (!(value >= 0 && value < limit) || value != std::floor(value))
    fail("{} is {}, which is not below {}", what, value, limit);
  return static_cast<std::uint32_t>(value);
}

/// Reads one element; f(property, values) gets each of its properties.
template <class F>
void read_properties(Reader& reader, const Element& element, std::vector<double>& values, F&& f) {
  for (const Property& property : element.properties) {
    values.clear();
    const std::uint32_t count =
        property.count ? to_index(reader.next(*property.count), double(reader.bytes_left()) + 1,
                                  "the length of a list")
                       : 1;
    for (std::uint32_t i = 0; i < count; ++i) values.push_back(reader.next(property.type));
    f(property, values);
  }
}

}  // namespace

TriangleMesh read_ply(std::span<const std::byte> content) {
  Reader reader(content);
  const Header header = reader.read_header();
  TriangleMesh mesh;
  std::vector<std::vector<std::uint32_t>> faces;
  std::vector<double> values;
  for (const Element& element : header.elements) {
    if (element.properties.empty()) continue;
    for (std::size_t i = 0; i < element.count; ++i) {
      Vec3 x = Vec3::Zero();
      read_properties(reader, element, values, [&](const Property& p, std::span<const double> v) {
        if (element.name == "vertex" && !p.count && p.name.size() == 1 && p.name[0] >= 'x' &&
            p.name[0] <= 'z')
          x[p.name[0] - 'x'] = v[0];
        const bool corners = p.name == "vertex_indices" || p.name == "vertex_index";
        if (element.name != "face" || !p.count || !corners) return;
        std::vector<std::uint32_t>& face = faces.emplace_back();
        for (const double index : v)
          face.push_back(to_index(index, 4294967295.0, "a vertex of a face"));
      });
      if (element.name == "vertex") mesh.vertices.push_back(x);
    }
  }
  for (const std::vector<std::uint32_t>& face : faces) append_polygon(mesh, face);
  return mesh;
}

}  // namespace hydrolith
