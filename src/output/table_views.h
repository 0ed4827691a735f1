#pragma once
// Vectors and index triples seen as plain numbers, and back.

#include <Eigen/Core>

#include <array>
#include <cstring>
#include <span>
#include <vector>

namespace hydrolith {

/// The numbers inside a list of Vec3, Vec3f or std::array<T, N>.
template <class T, int N>
std::span<const T> numbers(const std::vector<Eigen::Matrix<T, N, 1>>& list) {
  static_assert(sizeof(Eigen::Matrix<T, N, 1>) == N * sizeof(T));
  return {reinterpret_cast<const T*>(list.data()), list.size() * N};
}
template <class T, std::size_t N>
std::span<const T> numbers(const std::vector<std::array<T, N>>& list) {
  return {reinterpret_cast<const T*>(list.data()), list.size() * N};
}

/// A list of such items from its numbers.
template <class Item, class T>
std::vector<Item> items(const std::vector<T>& values) {
  std::vector<Item> list(values.size() * sizeof(T) / sizeof(Item));
  if (!list.empty())
    std::memcpy(static_cast<void*>(list.data()), values.data(), list.size() * sizeof(Item));
  return list;
}

/// One column from a list of structs.
template <class T, class Struct, class Get>
std::vector<T> column(const std::vector<Struct>& list, Get get) {
  std::vector<T> values;
  values.reserve(list.size());
  for (const Struct& s : list) values.push_back(get(s));
  return values;
}

}  // namespace hydrolith
