#pragma once
// A state as named columns of plain numbers: what a checkpoint keeps. A struct lists its columns
// once, in a function template `visit_columns(state, column)`; ArchiveWriter and ArchiveReader are
// the two things to visit them with.

#include "hydrolith/error.h"
#include "hydrolith/frame.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace hydrolith {

enum class NumberType : std::uint8_t { float32, float64, uint32, int64 };

struct Archive {
  struct Column {
    std::string name;
    NumberType type = NumberType::float64;
    int width = 1;      // numbers a row
    std::string bytes;  // row after row, as in memory
  };
  std::vector<Column> columns;
};

/// The same for the same columns, and for hardly any others (FNV-1a, 64 bits).
inline std::uint64_t fingerprint(const Archive& archive) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](const std::string& bytes) {
    for (const char c : bytes)
      hash = (hash ^ static_cast<unsigned char>(c)) * std::uint64_t{0x100000001b3u};
  };
  for (const Archive::Column& c : archive.columns) add(c.name), add(c.bytes);
  return hash;
}

/// What a T is made of: `count` numbers of one type, without gaps.
template <class T>
struct MadeOf {
  using Number = T;
  static constexpr int count = 1;
};
template <class N, int Rows, int Columns>
struct MadeOf<Eigen::Matrix<N, Rows, Columns>> {
  using Number = N;
  static constexpr int count = Rows * Columns;
};
template <>
struct MadeOf<Quat> {
  using Number = double;
  static constexpr int count = 4;
};
template <>
struct MadeOf<BodyForces> {
  using Number = double;
  static constexpr int count = 24;
};

template <class Number>
constexpr NumberType number_type() {
  if constexpr (std::is_same_v<Number, float>) return NumberType::float32;
  if constexpr (std::is_same_v<Number, double>) return NumberType::float64;
  if constexpr (std::is_same_v<Number, std::uint32_t>) return NumberType::uint32;
  if constexpr (std::is_same_v<Number, std::int64_t>) return NumberType::int64;
}

class ArchiveWriter {
 public:
  explicit ArchiveWriter(Archive& archive) : archive_(archive) {}

  template <class T>
  void operator()(const char* name, const std::vector<T>& column) {
    using Number = typename MadeOf<T>::Number;
    static_assert(sizeof(T) == MadeOf<T>::count * sizeof(Number));
    archive_.columns.push_back(
        {name, number_type<Number>(), MadeOf<T>::count,
         std::string(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(T))});
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(const char* name, const T& value) { (*this)(name, std::vector<T>{value}); }

 private:
  Archive& archive_;
};

/// Throws Error when a column is missing or made of something else.
class ArchiveReader {
 public:
  explicit ArchiveReader(const Archive& archive) : archive_(archive) {}

  template <class T>
  void operator()(const char* name, std::vector<T>& column) {
    using Number = typename MadeOf<T>::Number;
    const Archive::Column& found = find(name);
    if (found.type != number_type<Number>() || found.width != MadeOf<T>::count ||
        found.bytes.size() % sizeof(T) != 0)
      throw Error(fmt::format("the state's column {} is of another kind", name));
    column.resize(found.bytes.size() / sizeof(T));
    if (!column.empty())
      std::memcpy(static_cast<void*>(column.data()), found.bytes.data(), found.bytes.size());
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(const char* name, T& value) {
    std::vector<T> column;
    (*this)(name, column);
    if (column.size() != 1) throw Error(fmt::format("the state's {} is not one number", name));
    value = column[0];
  }

 private:
  const Archive::Column& find(const char* name) const {
    for (const Archive::Column& c : archive_.columns)
      if (c.name == name) return c;
    throw Error(fmt::format("the state has no column {}", name));
  }

  const Archive& archive_;
};

}  // namespace hydrolith
