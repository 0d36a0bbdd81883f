// SPDX-License-Identifier: BSD-3-Clause
// Columns of an implicit formula at one or several points of a step, with exact matrices at each:
//   s'_i = sum_j alpha_ij s_j + beta_i,
//   E_i s'_i + (J_i + E_i ad(x'_i)) s_i + F_p,i = 0,       i = 1, ..., m.
// m = 1: a multistep formula; m > 1: collocation. All columns are solved for with one
// factorisation.
#pragma once

#include <memory>
#include <vector>

#include "linalg/linear_solver.hpp"
#include "sensitivity/column_equations.hpp"

namespace daedalus {

struct StagePoint {
  double t = 0.0;
  Eigen::VectorXd x, xd;
};

class StageSystem {
 public:
  StageSystem(ColumnEquations& equations, const Asked& asked, int stages);

  // beta: one matrix per stage, replaced by the columns s_i. alpha row by row.
  Outcome solve(const std::vector<StagePoint>& points, const std::vector<double>& alpha,
                std::vector<Eigen::MatrixXd>& columns);
  long factorisations() const { return factorisations_; }
  long solves() const { return solves_; }

 private:
  void structure();
  void add_brackets(int stage, const StagePoint& p);
  // The rows of a stage in the right-hand sides: -(F_p + E beta).
  void forcing(int stage, const Eigen::MatrixXd& beta);

  ColumnEquations& equations_;
  const Asked& asked_;
  int stages_, n_;
  bool grouped_;
  long known_structure_ = -1, factorisations_ = 0, solves_ = 0;
  SparsePattern e_, j_;
  // Places of the entries of E in block (i, j), and of J in block (i, i).
  std::vector<std::vector<int>> place_e_, place_j_;
  std::unique_ptr<LinearSolver> solver_;
  std::vector<double> values_;
  std::vector<std::vector<double>> values_e_, values_j_;
  Eigen::MatrixXd rhs_;
};

}  // namespace daedalus
