// SPDX-License-Identifier: BSD-3-Clause
// The linearised equations E s' + J s + F_p = 0 along a run, at any time: E = F_x',
// J = F_x + E ad(x'), phi_x of a functional, and products l^T F_p.
#pragma once

#include <array>
#include <exception>
#include <memory>
#include <vector>

#include "estimation/gradient_request.hpp"
#include "linalg/linear_solver.hpp"
#include "sensitivity/column_equations.hpp"

namespace daedalus {

struct LinearPoint {
  double t = 0.0;
  Eigen::VectorXd y;      // of the model
  Eigen::VectorXd x, xd;  // of the equations
  std::vector<double> e, j;
  Eigen::VectorXd by_state;  // phi_x, in the variables of the equations
  long linearised = 0;       // which linearisation of all
};

// A branch of a callable brought in a variable: what follows from the structure is made again.
struct StructureChanged {};

class AlongRun {
 public:
  // samples: times at which the structure is looked at.
  AlongRun(const GradientRequest& request, StateHistory& states,
           const std::vector<double>& samples);

  int size() const { return equations_.size(); }
  int parameters() const { return static_cast<int>(request_.asked.parameters.size()); }
  ColumnEquations& equations() { return equations_; }
  // Columns of E that are not zero: variables whose rates stand in the equations.
  const std::vector<bool>& differentiated() const { return differentiated_; }
  bool constant_e() const { return constant_e_; }
  // No rank is lost among the columns of E that are not zero.
  bool structured() const { return structured_; }
  const SparsePattern& pattern_e() const { return e_; }
  const SparsePattern& pattern_j() const { return j_; }
  long linearisations() const { return linearisations_; }
  long products() const { return products_; }

  void follow(const ScalarFunction* phi);  // null: none
  void forget();                           // what was computed
  const LinearPoint& point(double t);
  // Without the matrices, for quadratures.
  void place(double t, LinearPoint& p);
  // The same at a given state; p.x and p.xd are read.
  void linearise(LinearPoint& p);
  void slopes_of_functional(LinearPoint& p);  // phi_x at p.x
  void residual(const LinearPoint& p, Eigen::VectorXd& r);
  // Adds factor * l^T F_p.
  void add_products(double factor, const LinearPoint& p, const Eigen::VectorXd& l,
                    Eigen::Ref<Eigen::VectorXd> out);
  Eigen::VectorXd times_e_transposed(const LinearPoint& p, const Eigen::VectorXd& l) const;
  Eigen::VectorXd times_j_transposed(const LinearPoint& p, const Eigen::VectorXd& l) const;
  // B = E in the columns of differentiated variables, J in the others; solves B u = r or
  // B^T u = r. False: singular.
  bool solve_mixed(const LinearPoint& p, bool transposed, Eigen::VectorXd& r);
  Eigen::MatrixXd dense(bool e, const LinearPoint& p) const;
  std::exception_ptr trouble{};  // what a call in a run backwards threw

 private:
  void survey(const std::vector<double>& samples);
  void correct(LinearPoint& p);
  void check(Outcome o, double t);
  struct Mixed {
    std::unique_ptr<LinearSolver> solver;
    std::vector<std::pair<bool, int>> source;  // (of E, place)
    std::vector<double> values;
  };
  void make(Mixed& mixed, bool transposed);

  const GradientRequest& request_;
  StateHistory& states_;
  ColumnEquations equations_;
  const ScalarFunction* phi_ = nullptr;
  bool grouped_, constant_e_ = true, structured_ = true, surveyed_ = false;
  SparsePattern e_, j_;
  long structure_ = -1, linearisations_ = 0, products_ = 0;
  std::vector<bool> differentiated_;
  std::array<LinearPoint, 8> known_;
  std::size_t next_ = 0;
  Mixed plain_, transposed_;
  Eigen::VectorXd rates_, r_;
};

}  // namespace daedalus
