// SPDX-License-Identifier: BSD-3-Clause
// Whether the equations of a model are y' = f(t, y, z), 0 = g(t, y, z) as they stand.
#pragma once

#include "graph/jacobian.hpp"
#include "model/flat.hpp"

namespace daedalus {

// By variable: not differentiated. Empty: the model is not of this form, or has no such variables.
// `differentiated` by variable.
std::vector<char> separable(const FlatModel& flat, const std::vector<char>& differentiated);

// Rows 0 = f - y' become 0 = y' - f.
void point_rates_up(FlatModel& flat);

// Where the derivative of a variable stands alone in one row, that row gets the number of the
// variable, so that dF/dy' is diagonal and often the identity. Empty: it is not of this kind.
std::vector<int> diagonal_places(const graph::Jacobian& rates);

bool all_ones(const graph::Jacobian& rates);

// Instances of a map in groups whose arguments of kind state are each differentiated, or not, in
// all of them: a map reads one vector per argument. `algebraic` by number of the state.
std::vector<graph::Map> split_by_kind(const graph::Map& map, const std::vector<char>& algebraic);

// The same formula with the other sign.
std::shared_ptr<const graph::Kernel> negated(const graph::Kernel& kernel);

}  // namespace daedalus
