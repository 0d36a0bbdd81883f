// SPDX-License-Identifier: BSD-3-Clause
// Finds repeated equations: rows of equal shape become one map over index tables. For callables
// recorded from loops; models that know their loops make maps themselves.
#pragma once

#include <daedalus/graph.hpp>

namespace daedalus::graph {

struct RollOptions {
  int min_instances = 64;    // fewer rows of one shape stay as they are
  int max_operations = 400;  // per row: longer ones share more than they repeat
  int min_shared_users = 5;  // what so many nodes use is computed once, outside the maps
};

// The same rows with the same values bit for bit.
Outputs roll(Graph& graph, const Outputs& outputs, RollOptions options = {});

}  // namespace daedalus::graph
