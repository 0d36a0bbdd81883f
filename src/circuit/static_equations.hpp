// SPDX-License-Identifier: BSD-3-Clause
// The equations without derivatives, evaluated at points: rest + factor * sources = 0, with their
// exact Jacobian, and the charges with theirs. Made once from the network, used by operating
// points, sweeps, small signals and the index.
#pragma once

#include <vector>

#include "circuit/network.hpp"
#include "graph/interpreter.hpp"
#include "graph/jacobian.hpp"
#include "linalg/sparse_pattern.hpp"

namespace daedalus::circuit {

class StaticEquations {
 public:
  explicit StaticEquations(Network& network);

  int size() const { return n_; }
  // Parameters in the order of the model; modes of the switches.
  std::vector<double> parameters, modes;
  double t = 0.0;
  int gmin_number() const { return gmin_; }

  // False: an assertion failed or something is not finite.
  bool evaluate(const double* x);   // rest, sources
  bool linearise(const double* x);  // values of the Jacobian of `rest`
  bool charges(const double* x);    // charge values
  bool capacitances(const double* x);
  std::vector<double> source_values(Network& network) const;  // at t, of Network::sources
  // Further formulas of the network's graph.
  std::vector<double> values(graph::Graph& graph, const graph::Outputs& formulas,
                             const double* x) const;

  std::vector<double> rest, sources, jacobian, charge, charge_jacobian;
  const SparsePattern& pattern() const { return pattern_; }
  const SparsePattern& charge_pattern() const { return charge_pattern_; }
  // What controls switch k, or behind the switches what relation k - switches compares.
  double control(std::size_t k) const { return controls_[k]; }

 private:
  struct Compiled {
    graph::Program program;
    graph::Workspace<double> workspace;
    bool run(const StaticEquations& own, const double* x, std::vector<double>& out);
  };
  static Compiled compile(graph::Graph& graph, const graph::Outputs& outputs);
  graph::Point<double> point(const double* x) const;

  int n_ = 0, gmin_ = -1;
  Compiled values_, jacobian_values_, charge_values_, charge_jacobian_values_;
  SparsePattern pattern_, charge_pattern_;
  std::vector<double> both_, controls_;
  std::vector<double> state_;  // unknowns, and zeros for variables that follow them
  std::size_t switch_count_ = 0;
};

}  // namespace daedalus::circuit
