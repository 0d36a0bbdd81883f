// SPDX-License-Identifier: BSD-3-Clause
// Symbolic Jacobians by vertex elimination on the linearised graph: each edge carries a partial
// derivative; eliminating vertex j replaces every pair of edges (i, j), (j, k) by
//   c_ik += c_ij c_jk.
// What is left between outputs and inputs are the entries of the Jacobian. The order decides how
// many products there are; finding the best one is NP-hard. Two are tried and the cheaper is kept:
// reverse (adjoint sweeps, row by row) and Markowitz (smallest in-degree times out-degree first).
// Source: Griewank and Walther, Evaluating Derivatives (SIAM, 2nd edition 2008), chapters 9, 10.
#pragma once

#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

struct Partial {
  int output;  // number in the list of outputs
  int input;   // node
  Expr value;  // never the number zero
};

enum class Elimination { cheapest, reverse, markowitz };

// Sorted by output, then by node of the input. Inputs are the nodes with variable[node] != 0.
std::vector<Partial> eliminate(Graph& graph, const std::vector<int>& outputs,
                               const std::vector<char>& variable,
                               Elimination order = Elimination::cheapest);

// Weight of everything that has to be computed for these entries.
long cost(const Graph& graph, const std::vector<Partial>& partials);

}  // namespace daedalus::graph
