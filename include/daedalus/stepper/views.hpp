// SPDX-License-Identifier: BSD-3-Clause
// What a method sees of a problem: its equations in one of three forms, and the matrices
// alpha E + beta J of implicit steps. docs/own-method.md shows a method written with them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <daedalus/stepper/layout.hpp>
#include <daedalus/stepper/outcome.hpp>

namespace daedalus {

class System;
class Pencil;

// alpha E + beta J for the E and J of the last linearisation: formed and factorised on request,
// dense or sparse as the problem is, and counted.
class StepMatrix {
 public:
  virtual ~StepMatrix() = default;
  virtual Outcome factorise(double alpha, double beta) = 0;
  // In place. False: GMRES did not converge; direct solvers always succeed.
  virtual bool solve(double* x) = 0;
  virtual void add_e_times(double factor, const double* x, double* out) const = 0;
  virtual int singular_column() const = 0;  // where the last factorisation broke down; -1: nowhere
  virtual double reciprocal_condition() const = 0;
};

// F(t, x, d') = 0 with d = d(t, x) (d = x unless a leading term is stated).
class ResidualView {
 public:
  virtual ~ResidualView() = default;
  virtual Outcome residual(double t, const double* x, const double* dd, double* r) = 0;
  virtual int differentiated_count() const = 0;
  // A properly stated leading term: only d is differentiated, and d(t, x) can be asked for.
  virtual bool states_leading_term() const = 0;
  virtual Outcome leading(double t, const double* x, double* d) = 0;
  // d' by the backward difference between two states.
  virtual Outcome difference(const State& from, double t, const double* x, double h,
                             double* dd) = 0;
  // Refreshes E = F_d' d_x and J = F_x of pencil(), tangent coordinates.
  virtual Outcome linearise(double t, const double* x, const double* dd) = 0;
  virtual Pencil& residual_pencil() = 0;  // the library's own view of matrix()
  StepMatrix& matrix();
};

// M x' = f(t, x) with constant M.
class LinearView {
 public:
  virtual ~LinearView() = default;
  virtual Outcome rhs(double t, const double* x, double* r) = 0;
  virtual void add_mass_times(double factor, const double* x, double* r) const = 0;
  // Refreshes J = f_x of the pencil (E = M) and time_derivative() = f_t.
  virtual Outcome linearise(double t, const double* x) = 0;
  virtual const Eigen::VectorXd& time_derivative() const = 0;
  virtual Pencil& linear_pencil() = 0;
  StepMatrix& matrix();
};

// y' = f(t, y, z), 0 = g(t, y, z) with x = (y, z).
class PartitionedView {
 public:
  virtual ~PartitionedView() = default;
  virtual int differential_count() const = 0;
  // r = (f, g).
  virtual Outcome evaluate(double t, const double* x, double* r) = 0;
  // Refreshes g_y, the J = g_z of the pencil (E = 0), and constraint_time_derivative() = g_t.
  virtual Outcome linearise_constraints(double t, const double* x) = 0;
  virtual void add_g_y_times(double factor, const double* y, double* r) const = 0;
  virtual const Eigen::VectorXd& constraint_time_derivative() const = 0;
  virtual Pencil& constraint_pencil() = 0;
  StepMatrix& matrix();
  virtual Outcome constraints(double t, const double* x, double* g) = 0;  // g alone
  // r_i += sum_j |dg_i/dy_j| |y_j|: what the round-off of g is relative to.
  virtual void add_g_y_magnitude(const double* y, double* r) const = 0;
  virtual std::vector<char> rows_with_algebraic() const = 0;  // 1: a row of g that depends on z
  // Refreshes f_z.
  virtual Outcome linearise_rates(double t, const double* x) = 0;
  virtual const Eigen::MatrixXd& rates_by_algebraic() const = 0;
};

// The views of a system that a stepper is made for, and its variables. Of the three forms those
// are there that Method::view asks for; the others may be nullptr.
struct SystemViews {
  const Layout& layout;
  const std::vector<std::string>& equations;
  ResidualView* residual = nullptr;
  LinearView* linear = nullptr;
  PartitionedView* partitioned = nullptr;
};
SystemViews views_of(System& system);

}  // namespace daedalus
