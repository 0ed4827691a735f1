#pragma once
// A binary answer to the page: numbers that go into typed arrays as they are.
//
//   "HYV1"   uint32 n   JSON, n bytes, padded with blanks   arrays, each padded to 8 bytes
//
// The JSON ends with "arrays": {"NAME": ["TYPE", OFFSET, COUNT], ...}; offsets count from the byte
// behind the JSON, which is a multiple of 8. Little-endian, as all machines Hydrolith runs on.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hydrolith {

template <class T>
constexpr std::string_view array_type();
template <>
constexpr std::string_view array_type<std::int8_t>() {
  return "int8";
}
template <>
constexpr std::string_view array_type<std::uint8_t>() {
  return "uint8";
}
template <>
constexpr std::string_view array_type<std::uint16_t>() {
  return "uint16";
}
template <>
constexpr std::string_view array_type<std::uint32_t>() {
  return "uint32";
}
template <>
constexpr std::string_view array_type<float>() {
  return "float32";
}
template <>
constexpr std::string_view array_type<double>() {
  return "float64";
}

class Packet {
 public:
  template <class T>
  void add(std::string_view name, std::span<const T> values) {
    add_bytes(name, array_type<T>(), values.size(),
              {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  /// The whole answer; `members` are those of the JSON object: "\"time\":0.5,...".
  std::string finish(std::string_view members) const;

 private:
  void add_bytes(std::string_view name, std::string_view type, std::size_t count,
                 std::string_view bytes);
  std::string arrays_, data_;
};

}  // namespace hydrolith
