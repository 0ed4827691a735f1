#pragma once
// Between C++ and NumPy: columns as arrays without a copy, and numbers from whatever Python has.
//
// Arrays are made through Python's buffer protocol: they work with every NumPy, hold on to their
// memory, and cannot be made writable.

#include "hydrolith/column.h"
#include "hydrolith/frame.h"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace hydrolith::python {

namespace py = pybind11;

/// Memory as NumPy may look at it, and who keeps it alive.
struct Memory {
  std::shared_ptr<const void> owner;
  const void* data = nullptr;
  py::ssize_t item = 0;      // [bytes]
  const char* format = "d";  // as in Python's struct
  std::vector<py::ssize_t> shape, strides;
};

py::object to_numpy(Memory memory);

template <class T>
constexpr const char* format_of();
template <>
constexpr const char* format_of<double>() {
  return "d";
}
template <>
constexpr const char* format_of<float>() {
  return "f";
}
template <>
constexpr const char* format_of<std::uint32_t>() {
  return "I";
}

/// n x width numbers, `stride` bytes from row to row; width 0: a plain list. `rows` < 0: a single
/// row.
template <class T>
py::object to_numpy(std::shared_ptr<const void> owner, const T* data, py::ssize_t rows,
                    py::ssize_t width, py::ssize_t stride) {
  Memory m{std::move(owner), data, sizeof(T), format_of<T>(), {}, {}};
  if (rows >= 0) m.shape.push_back(rows), m.strides.push_back(stride);
  if (width > 0) m.shape.push_back(width), m.strides.push_back(sizeof(T));
  return to_numpy(std::move(m));
}

template <class T>
py::object to_numpy(const Column<T>& column) {
  auto owner = std::make_shared<Column<T>>(column);
  const auto n = static_cast<py::ssize_t>(column.size());
  if constexpr (std::is_arithmetic_v<T>) {
    return to_numpy(std::move(owner), column.data(), n, 0, sizeof(T));
  } else {
    const double* first = column.size() == 0 ? nullptr : column.data()->data();
    return to_numpy(std::move(owner), first, n, T::SizeAtCompileTime, sizeof(T));
  }
}

/// Numbers of its own, as a list.
template <class T>
py::object to_numpy(std::vector<T> values) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const T* data = owner->data();
  const auto n = static_cast<py::ssize_t>(owner->size());
  return to_numpy(std::move(owner), data, n, 0, sizeof(T));
}

py::object to_numpy(const Vec3& v);
py::object to_numpy(const Vec3f& v);
/// w, x, y, z.
py::object to_numpy(const Quat& q);
/// n x 4: w, x, y, z; a copy, since Eigen holds x, y, z, w. `stride` in bytes.
py::object to_numpy_wxyz(const Quat* first, std::size_t n, std::size_t stride = sizeof(Quat));

/// Three numbers from a list, a tuple, an array, ...; `what` stands in messages. Throws TypeError
/// or ValueError.
Vec3 to_vec3(const py::handle& from, const char* what);
/// w, x, y, z.
Quat to_quat(const py::handle& from, const char* what);

void bind_arrays(py::module_& m);

}  // namespace hydrolith::python
