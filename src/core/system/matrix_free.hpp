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
#include "system/vector_map.hpp"

namespace daedalus {

struct MassEntry {
  int row, column;
  double value;
};

class MatrixFree {
 public:
  // Of F(t, x, x'), E = F_x' and J = F_x; with a mass matrix of f(t, x), E = M and J = f_x.
  MatrixFree(VectorMap& map, const Layout& layout, const std::vector<MassEntry>* mass,
             const KrylovOptions& options, bool differences, Counter& counter, Failure& failure);

  void move(double t, const double* x, const double* xd);  // the point of linearisation
  // The products are those of alpha E + beta J from here on, and the preconditioner is made.
  bool update(double alpha, double beta);
  // The norm that solves are judged in, and what of it is negligible; null: plain, relative alone.
  void measure_in(const double* scale, double negligible);
  bool solve(double* x);  // in place
  // |J| times the size of a change: four products with random parts of it, twice the largest.
  Outcome sensitivity(const Eigen::VectorXd& size, Eigen::VectorXd& out);
  void archive(Archive& a);

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
