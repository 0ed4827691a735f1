#pragma once
// Results that go from process to process: pickled as the values they are made of.

#include "hydrolith/vec.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <type_traits>
#include <utility>

namespace hydrolith::python {

namespace py = pybind11;

/// What __reduce__ returns: a function of the compiled module, through one of Python's (pickle
/// cannot name those of pybind11), and its argument.
template <class... Values>
py::tuple made_by(const char* function, Values&&... values) {
  return py::make_tuple(py::module_::import("hydrolith._pickling").attr("rebuild"),
                        py::make_tuple(function, std::forward<Values>(values)...));
}

template <class T>
py::object pickled(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return py::int_(static_cast<int>(value));
  else if constexpr (std::is_same_v<T, Vec3>)
    return py::make_tuple(value.x(), value.y(), value.z());
  else
    return py::cast(value);
}

template <class T>
void unpickle(const py::handle& from, T& value) {
  if constexpr (std::is_enum_v<T>)
    value = static_cast<T>(from.cast<int>());
  else if constexpr (std::is_same_v<T, Vec3>)
    for (int k = 0; k < 3; ++k) value[k] = from[py::int_(k)].template cast<double>();
  else
    value = from.cast<T>();
}

/// Lets a class whose members are all named here be pickled. `function` rebuilds it; it begins with
/// an underscore.
template <class T, class... Options, class... Members>
void pickle_as(py::module_& m, py::class_<T, Options...>& type, const char* function,
               Members... members) {
  m.def(function, [members...](const py::tuple& values) {
    if (values.size() != sizeof...(Members))
      throw py::value_error("this was pickled by another version of hydrolith");
    T made;
    std::size_t k = 0;
    (unpickle(values[k++], made.*members), ...);
    return made;
  });
  type.def("__reduce__", [function, members...](const T& value) {
    return made_by(function, py::make_tuple(pickled(value.*members)...));
  });
}

}  // namespace hydrolith::python
