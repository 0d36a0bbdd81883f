// SPDX-License-Identifier: BSD-3-Clause
// Operating points: 0 = F(t0, x, 0), by Newton's method with damping that knows junctions, then by
// continuation in gmin, in the sources, along a homotopy, and in pseudo time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <daedalus/circuit.hpp>

#include "circuit/static_equations.hpp"
#include "linalg/linear_solver.hpp"

namespace daedalus::circuit {

// What holds besides the equations.
struct Conditions {
  struct Clamp {  // an unknown has a value in place of the equation of its row
    int row;
    double value;
    // A current from a to b beside which a conductance lies, for what other currents do not allow.
    int a = ground, b = ground;
    double conductance = 0.0;
  };
  struct Hold {  // a voltage between two nodes, by a source whose current is one more unknown
    int a, b;
    double value;
    int charge = -1;  // of a capacitor
    double resistance = 0.0;
  };
  std::vector<Clamp> clamps;
  std::vector<Hold> holds;
  std::vector<Hold> closing;  // left out: they close loops with holds and voltage sources
  std::vector<std::pair<int, double>> added;  // to source parts of rows: other values of sources
};

// Newton's method for the static equations under conditions.
class StaticSolver {
 public:
  StaticSolver(StaticEquations& equations, const Network& network, Conditions conditions);

  double factor = 1.0;  // on the sources
  double shunt = 0.0;   // conductance from every node to ground
  double anchor = 0.0;  // pull of every unknown towards `anchored`
  std::vector<double> anchored;
  std::vector<std::pair<int, double>> added;  // to source parts of rows, by .dc

  enum class Damping { junctions, voltages };  // voltages: no node moves by more than 0.5 V
  bool solve(std::vector<double>& x, int max_iterations, Damping damping);
  // From x along F(x) = (1 - lambda) F(x0) until lambda = 1; `reached`: how far it came.
  bool follow_path(std::vector<double>& x, double& reached);
  // Residual and factors at x; false: it cannot be evaluated, or the matrix is singular.
  bool linearise(const std::vector<double>& x) { return system(x) && solver_->factorise(matrix_); }
  const std::vector<double>& residual() const { return residual_; }
  void solve_linear(double* x) { solver_->solve(x); }
  int iterations = 0;     // in all
  std::string failure;    // in words
  int worst_row() const;  // largest residual of the last iterate, in parts of its currents

 private:
  bool system(const std::vector<double>& x);
  double damped(const std::vector<double>& x, Damping damping) const;
  bool small(const std::vector<double>& x) const;

  StaticEquations& eq_;
  const Network& net_;
  Conditions conditions_;
  int n_, m_;  // unknowns, and those of holds
  SparsePattern pattern_;
  std::vector<int> place_, diagonal_, hold_place_;
  std::vector<char> clamped_;
  std::vector<double> matrix_, residual_, dx_;
  std::vector<int> row_of_entry_;
  std::unique_ptr<LinearSolver> solver_;
};

struct NodeGuess {
  int node;
  double value;
};

struct StartPoint {
  OperatingPoint report;
  std::vector<double> x;
  std::vector<double> modes;  // of the switches
};
// `start` empty: from zero, or from .nodeset.
StartPoint find_operating_point(StaticEquations& equations, const Network& network,
                                const Conditions& conditions, const std::vector<NodeGuess>& guesses,
                                const OperatingPointOptions& options);

}  // namespace daedalus::circuit
