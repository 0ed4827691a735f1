#include "arrays.h"

#include "types.h"

#include <array>
#include <string>

namespace hydrolith::python {

namespace {

py::handle numpy_asarray;  // kept for the life of the process

/// `count` numbers of a sequence.
template <std::size_t count>
std::array<double, count> to_numbers(const py::handle& from, const char* what) {
  const auto wanted = [&](const std::string& got) {
    return std::string(what) + ": " + std::to_string(count) + " numbers are wanted, got " + got;
  };
  const std::string type = Py_TYPE(from.ptr())->tp_name;
  if (py::isinstance<py::str>(from) || PySequence_Check(from.ptr()) == 0)
    throw py::type_error(wanted(type));
  if (py::hasattr(from, "ndim") && from.attr("ndim").cast<int>() != 1)
    throw py::value_error(wanted("an array of shape " + std::string(py::str(from.attr("shape")))));
  // A tuple of its own: numbers of other classes may run Python code that changes a list.
  const auto items = py::reinterpret_steal<py::tuple>(PySequence_Tuple(from.ptr()));
  if (!items) throw py::error_already_set();
  if (items.size() != count) throw py::value_error(wanted(std::to_string(items.size())));
  std::array<double, count> numbers{};
  for (std::size_t k = 0; k < count; ++k) {
    PyObject* item = PyTuple_GET_ITEM(items.ptr(), static_cast<py::ssize_t>(k));
    numbers[k] = PyFloat_AsDouble(item);
    if (numbers[k] == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      throw py::type_error(wanted(std::string(Py_TYPE(item)->tp_name) + " among them"));
    }
  }
  return numbers;
}

template <class T, int n>
py::object copied(const Eigen::Matrix<T, n, 1>& v) {
  auto owner = std::make_shared<Eigen::Matrix<T, n, 1>>(v);
  const T* data = owner->data();
  return to_numpy(std::move(owner), data, -1, n, 0);
}

}  // namespace

py::object to_numpy(Memory memory) { return numpy_asarray(py::cast(std::move(memory))); }

py::object to_numpy(const Vec3& v) { return copied(v); }
py::object to_numpy(const Vec3f& v) { return copied(v); }
py::object to_numpy(const Quat& q) { return copied(Eigen::Vector4d(q.w(), q.x(), q.y(), q.z())); }

py::object to_numpy_wxyz(const Quat* first, std::size_t n, std::size_t stride) {
  auto owner = std::make_shared<std::vector<double>>();
  for (std::size_t i = 0; i < n; ++i) {
    const Quat& q =
        *reinterpret_cast<const Quat*>(reinterpret_cast<const char*>(first) + i * stride);
    owner->insert(owner->end(), {q.w(), q.x(), q.y(), q.z()});
  }
  const double* data = owner->data();
  return to_numpy(std::move(owner), data, static_cast<py::ssize_t>(n), 4, 4 * sizeof(double));
}

Vec3 to_vec3(const py::handle& from, const char* what) {
  const auto v = to_numbers<3>(from, what);
  return {v[0], v[1], v[2]};
}

Quat to_quat(const py::handle& from, const char* what) {
  const auto q = to_numbers<4>(from, what);
  return {q[0], q[1], q[2], q[3]};
}

void bind_arrays(py::module_& m) {
  numpy_asarray = py::object(py::module_::import("numpy").attr("asarray")).release();
  py::class_<Memory>(m, "Memory", sealed(), py::buffer_protocol(),
                     "Memory of the simulator behind an array; not made by hand.")
      .def_buffer([](Memory& memory) {
        static const double nothing = 0;
        const void* data = memory.data ? memory.data : &nothing;
        return py::buffer_info(const_cast<void*>(data), memory.item, memory.format,
                               static_cast<py::ssize_t>(memory.shape.size()), memory.shape,
                               memory.strides, true);
      });
}

}  // namespace hydrolith::python
