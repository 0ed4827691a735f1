#pragma once
// How classes are protected from instances that __new__ has made and no __init__ has filled
// (pybind11 would read memory that is not there), and what arguments are called in signatures.

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

inline bool anything(PyObject* /*object*/) { return true; }

// Arguments that are looked at by hand, so that the messages are ours: any object to pybind11, but
// with a name in signatures.
class Self : public py::object {
  PYBIND11_OBJECT(Self, object, anything)
};
class AnyScene : public py::object {
  PYBIND11_OBJECT(AnyScene, object, anything)
};
class AnyBody : public py::object {
  PYBIND11_OBJECT(AnyBody, object, anything)
};
class ThreeNumbers : public py::object {
  PYBIND11_OBJECT(ThreeNumbers, object, anything)
};
class MaybePoint : public py::object {
  PYBIND11_OBJECT(MaybePoint, object, anything)
};
class FourNumbers : public py::object {
  PYBIND11_OBJECT(FourNumbers, object, anything)
};
class MaybeFunction : public py::object {
  PYBIND11_OBJECT(MaybeFunction, object, anything)
};
class AnyCheckpoint : public py::object {
  PYBIND11_OBJECT(AnyCheckpoint, object, anything)
};

}  // namespace hydrolith::python

namespace pybind11::detail {

template <>
struct handle_type_name<hydrolith::python::Self> {
  static constexpr auto name = const_name("hydrolith.Simulation");
};
template <>
struct handle_type_name<hydrolith::python::AnyScene> {
  static constexpr auto name = const_name("SceneFile | dict | path");
};
template <>
struct handle_type_name<hydrolith::python::AnyBody> {
  static constexpr auto name = const_name("str | int | Body");
};
template <>
struct handle_type_name<hydrolith::python::ThreeNumbers> {
  static constexpr auto name = const_name("[x, y, z]");
};
template <>
struct handle_type_name<hydrolith::python::MaybePoint> {
  static constexpr auto name = const_name("[x, y, z] | None");
};
template <>
struct handle_type_name<hydrolith::python::FourNumbers> {
  static constexpr auto name = const_name("[w, x, y, z]");
};
template <>
struct handle_type_name<hydrolith::python::MaybeFunction> {
  static constexpr auto name = const_name("function | None");
};
template <>
struct handle_type_name<hydrolith::python::AnyCheckpoint> {
  static constexpr auto name = const_name("Checkpoint | path");
};

}  // namespace pybind11::detail
