// SPDX-License-Identifier: BSD-3-Clause
// A law of force between two markers, written in Python as formulas.
#pragma once

#include <memory>

#include <daedalus/mechanism/force_law.hpp>

#include "bindings.hpp"

namespace daedalus::python {

// law(t, x) with the 36 numbers of two markers: position, velocity, angular velocity, rotation by
// rows; force and moment come back.
std::shared_ptr<const ForceLaw> force_law(const py::function& law);

}  // namespace daedalus::python
