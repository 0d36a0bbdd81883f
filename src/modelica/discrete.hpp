// SPDX-License-Identifier: BSD-3-Clause
// Which discrete variable each equation of discrete variables gives.
#pragma once

#include <functional>

#include "modelica/flat_model.hpp"

namespace daedalus::modelica {

using Assignment = std::function<void(const Expr& variable, const Expr& value, const Origin&)>;

// Every equation gives its left side, or its right side where both are variables and the left one
// has its equation already. Variables without one, and equations without a variable, are reported.
void assign_discrete(const FlatModel& flat, Mistakes& mistakes, const Assignment& assign);

}  // namespace daedalus::modelica
