// SPDX-License-Identifier: BSD-3-Clause
// A Python object that C++ copies and destroys without the interpreter's lock.
#pragma once

#include <memory>

#include <pybind11/pybind11.h>

namespace daedalus::python {

namespace py = pybind11;
using Held = std::shared_ptr<py::object>;

inline Held hold(const py::handle& object) {
  return {new py::object(py::reinterpret_borrow<py::object>(object)), [](py::object* o) {
            if (!Py_IsInitialized()) return;  // the interpreter is gone, and its objects with it
            const py::gil_scoped_acquire lock;
            delete o;
          }};
}

}  // namespace daedalus::python
