// SPDX-License-Identifier: BSD-3-Clause
// A Python function whose Jacobians are given as sparse matrices.
#pragma once

#include <memory>

#include <daedalus/function.hpp>

#include "call.hpp"

namespace daedalus::python {

// `description`: as of python_function, and besides a list of (vector, starts of columns, rows,
// description of the function that gives the entries in this order).
std::shared_ptr<const detail::FunctionBody> sparse_function(const py::tuple& description);

}  // namespace daedalus::python
