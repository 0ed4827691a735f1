#pragma once
// The little JSON that the viewer's page is told: texts and numbers, nothing read.

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

namespace hydrolith {

inline std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

/// The shortest digits that give the same bits back; null for what JSON cannot say.
template <class T>
std::string json_number(T value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

/// [a,b,...] of the given size, each item by one(i).
template <class F>
std::string json_list(std::size_t size, F&& one) {
  std::string out = "[";
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0) out += ',';
    out += one(i);
  }
  return out + ']';
}

template <class Vector>
std::string json_vector(const Vector& v) {
  return json_list(3, [&](std::size_t i) { return json_number(v[static_cast<int>(i)]); });
}

}  // namespace hydrolith
