// SPDX-License-Identifier: BSD-3-Clause
// Plain structs of C++ as Python classes whose fields are keyword arguments.
#pragma once

#include <string>

#include "bindings.hpp"

namespace daedalus::python {

// Fields are added to the class that comes back; the constructor takes what has been added.
template <class T>
py::class_<T> keyword_record(py::module_& m, const char* name, const char* doc) {
  py::class_<T> c(m, name, doc);
  const std::string shown = name;
  c.def(py::init([shown](const py::kwargs& fields) {
    T made{};
    const py::object view = py::cast(&made, py::return_value_policy::reference);
    for (const auto& [key, value] : fields) {
      const std::string field = py::str(key);
      if (!py::hasattr(py::type::of(view), field.c_str()))
        throw py::type_error(shown + ": there is no field '" + field + "'");
      view.attr(key) = value;
    }
    return made;
  }));
  return c;
}

}  // namespace daedalus::python
