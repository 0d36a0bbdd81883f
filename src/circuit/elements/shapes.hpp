// SPDX-License-Identifier: BSD-3-Clause
// Shapes of independent sources as functions of time, and the times where they are not smooth.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "circuit/elements/part.hpp"

namespace daedalus::circuit {

struct Shape {
  Expr value;                // of time
  Network::Corners corners;  // empty: smooth
};

// The shape named `name` ("pulse", ...) with the values that follow it; nothing, reported, if it is
// wrong. `time` is that of the model.
bool is_shape(const std::string& name);
std::optional<Shape> make_shape(Context& context, const Part& part, const std::string& name,
                                const std::vector<Value>& values, double repeat, double delay);

}  // namespace daedalus::circuit
