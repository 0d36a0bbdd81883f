// SPDX-License-Identifier: BSD-3-Clause
// alpha E + beta J without a matrix: products with a vector from one evaluation of dual numbers at
// the point of the last linearisation (one difference where the callables give values only), and
// GMRES with the user's preconditioner.
#pragma once

#include <span>
#include <vector>

#include <daedalus/krylov.hpp>

#include <daedalus/stepper/layout.hpp>
#include <daedalus/stepper/outcome.hpp>
#include "linalg/gmres.hpp"
#include "system/counter.hpp"
#include "system/iterative_solver.hpp"
#include "system/vector_map.hpp"

namespace daedalus {

struct MassEntry {
  int row, column;
  double value;
};

class MatrixFree final : public IterativeSolver {
 public:
  // Of F(t, x, x'), E = F_x' and J = F_x; with a mass matrix of f(t, x), E = M and J = f_x.
  MatrixFree(VectorMap& map, const Layout& layout, const std::vector<MassEntry>* mass,
             const KrylovOptions& options, bool differences, Counter& counter, Failure& failure);

  void move(double t, const double* x, const double* xd) override;
  Outcome update(double alpha, double beta) override;
  void measure_in(const double* scale, double negligible) override;
  bool solve(double* x) override;
  // Four products with random parts of the change, twice the largest.
  Outcome sensitivity(const Eigen::VectorXd& size, Eigen::VectorXd& out) override;
  void archive(Archive& a) override;

 private:
  bool product(const double* v, double* out);
  Outcome by_duals(const double* const* v, int count, double alpha, double beta);
  bool by_difference(const double* v, double* out);

  VectorMap& map_;
  const Layout& layout_;
  const std::vector<MassEntry>* mass_;
  KrylovOptions options_;
  bool differences_;
  Counter& counter_;
  Failure& failure_;
  int n_;
  double alpha_ = 0.0, beta_ = 1.0, negligible_ = 0.0;
  const double* scale_ = nullptr;
  State at_;
  bool with_rates_ = true;
  std::vector<Dual4> x_, w_, xd_, r_;
  Eigen::VectorXd base_, moved_, point_, shift_;
  Gmres gmres_;
  Gmres::Map matrix_, precondition_;
};

}  // namespace daedalus
