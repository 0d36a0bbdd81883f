// SPDX-License-Identifier: BSD-3-Clause
// Gradients of weighted sums as further nodes: one adjoint sweep.
#pragma once

#include <span>
#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

// sum_i weights_i d outputs_i / d inputs_j for every input; weights are not differentiated.
std::vector<Expr> weighted_gradient(Graph& graph, std::span<const Expr> outputs,
                                    std::span<const Expr> weights, std::span<const Expr> inputs);

}  // namespace daedalus::graph
