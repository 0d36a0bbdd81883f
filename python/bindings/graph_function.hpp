// SPDX-License-Identifier: BSD-3-Clause
// Callables made of formulas that Python wrote down.
#pragma once

#include <any>
#include <memory>

#include <daedalus/function.hpp>

namespace daedalus::python {

// For one slot: a body that fits any slot, or the callable of a certain one.
struct GraphFunction {
  std::shared_ptr<const detail::FunctionBody> body;
  std::any made;
};

template <class Slot>
Function<Slot> as_function(const GraphFunction& f) {
  return f.body ? Function<Slot>(f.body) : std::any_cast<Function<Slot>>(f.made);
}

}  // namespace daedalus::python
