// SPDX-License-Identifier: BSD-3-Clause
// The equations of one when-branch hold together.
#pragma once

#include <vector>

#include "modelica/flat_model.hpp"

namespace daedalus::modelica {

// What an action reads of variables that others of the branch set becomes their new values, in
// whatever order the text has them. Circles are reported.
std::vector<FlatAction> settled(std::vector<FlatAction> actions, graph::Graph& graph,
                                Mistakes& mistakes);

}  // namespace daedalus::modelica
