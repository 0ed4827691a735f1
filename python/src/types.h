#pragma once
// How classes are protected from instances that __new__ has made and no __init__ has filled:
// pybind11 would read memory that is not there.

#include <pybind11/pybind11.h>

namespace hydrolith::python {

namespace py = pybind11;

/// For classes that Python does not make: their __new__ is refused.
inline py::custom_type_setup sealed() {
  return py::custom_type_setup(
      [](PyHeapTypeObject* heap) { heap->ht_type.tp_flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION; });
}

inline bool is_built(PyObject* self) {
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  return instance->get_value_and_holder().holder_constructed();
}

/// For classes that Python makes: instances that are not built are no such instances.
template <class T>
struct BuiltCaster : py::detail::type_caster_base<T> {
  bool load(py::handle from, bool convert) {
    return py::detail::isinstance_generic(from, typeid(T)) && is_built(from.ptr()) &&
           py::detail::type_caster_base<T>::load(from, convert);
  }
};

}  // namespace hydrolith::python
