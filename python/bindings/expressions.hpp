// SPDX-License-Identifier: BSD-3-Clause
// Expressions as Python computes with them: each keeps its graph alive.
#pragma once

#include <memory>

#include <daedalus/model.hpp>

#include "bindings.hpp"

namespace daedalus::python {

struct Formula {
  Expr value;
  std::shared_ptr<ModelBuilder> owner;  // null: a number
};

// From an expression or a number; TypeError for anything else.
Formula formula_from(const py::handle& x);

void add_graphs(py::module_& module);

}  // namespace daedalus::python
