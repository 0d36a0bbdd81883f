// SPDX-License-Identifier: BSD-3-Clause
// GMRES with restarts for A x = b, preconditioned from the left (Saad, Schultz 1986; Saad 2003,
// section 9.3.1): the norm of P^-1 (b - A x) is minimised, each component over its scale, so that
// what is made small is an estimate of the error of x in the error scale of the integration (Brown,
// Hindmarsh, Petzold 1994).
#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>

namespace daedalus {

class Gmres {
 public:
  // out = A in or P^-1 in; false: it cannot be evaluated.
  using Map = std::function<bool(const double* in, double* out)>;
  struct Settings {
    int dimension = 40, iterations = 200;
    // Reduces sums over ranks, in place; empty: all of the vectors are here. False: something
    // failed on a rank, and all of them end.
    std::function<bool(std::span<double>)> sum{};
  };
  struct Result {
    bool converged = false;
    int products = 0;
    double reduction = 1.0;  // |P^-1 (b - A x)| at the end over that at the start
  };

  Gmres(int n, Settings settings);

  // x: right-hand side, becomes the solution. `scale` may be null. Converged when the mean square
  // of P^-1 (b - A x) over the scale is at most relative times its start, or absolute.
  Result solve(const Map& matrix, const Map& precondition, const double* scale, double relative,
               double absolute, double* x);

 private:
  void orthogonalise(int k);
  double length_of(int column, double* count = nullptr);
  bool residual(const Map& matrix, const Map& precondition, const double* scale, bool first);
  double cycle(const Map& matrix, const Map& precondition, const double* scale, double enough,
               double start, Result& result);

  int n_;
  Settings settings_;
  Eigen::MatrixXd basis_, hessenberg_;
  Eigen::VectorXd cosine_, sine_, projected_, rhs_, solution_, product_, scaled_;
  bool broken_ = false;  // a map could not be evaluated
};

}  // namespace daedalus
