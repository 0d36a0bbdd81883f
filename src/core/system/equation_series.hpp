// SPDX-License-Identifier: BSD-3-Clause
// F(t, x, x') = 0 along a curve x(t + tau) = x_0 + x_1 tau + x_2 tau^2 + ...: Taylor coefficients
// of the residual and of its derivatives,
//   r = F,   A = dF/dx',   B = dF/dx   as series in tau up to a given order.
// The rows r_0, ..., r_k are the derivative array F, F', ..., F^(k) up to factorials, and its
// Jacobian is made of the coefficients of A and B:
//   dr_i/dx_j = B_{i-j} + j A_{i-j+1}.
// Derivatives are exact, from recorded operations; nothing is differenced.
#pragma once

#include <Eigen/Core>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <daedalus/stepper/outcome.hpp>

namespace daedalus {

struct LinearSeries {
  std::vector<Eigen::MatrixXd> A, B;
  std::vector<Eigen::VectorXd> r;
  int order() const { return static_cast<int>(r.size()) - 1; }
};

class EquationSeries {
 public:
  virtual ~EquationSeries() = default;
  // As many unknowns as equations. The model variables, in point coordinates, come first.
  virtual int size() const = 0;
  virtual const std::vector<std::string>& variables() const = 0;
  virtual const std::vector<std::string>& equations() const = 0;
  // More coordinates than degrees of freedom of the space (rotation matrices, quaternions).
  virtual int redundant_coordinates() const = 0;
  // `jet` has size() rows and order + 2 columns x_0, ..., x_{order+1}.
  virtual Outcome evaluate(double t, const Eigen::MatrixXd& jet, int order, LinearSeries& out) = 0;

  // A point of (t, x, x' or d'), which variables enter which equations in the branches taken there,
  // and points nearby on the other side of each comparison that the callables make there.
  struct Point {
    double t;
    Eigen::VectorXd x, rate;
  };
  struct Dependences {
    std::set<std::pair<int, int>> of_x, of_rate;  // (equation, variable)
    std::vector<Point> other_sides;
  };
  virtual Outcome dependences(const Point& at, Dependences& out) = 0;
  virtual int rates() const = 0;
};

}  // namespace daedalus
