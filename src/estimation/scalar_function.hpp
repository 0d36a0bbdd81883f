// SPDX-License-Identifier: BSD-3-Clause
// A term of a functional along a run: its value, and its derivatives by the variables of the model
// (tangent coordinates) and by the parameters asked for.
#pragma once

#include <stdexcept>
#include <vector>

#include <daedalus/adjoint.hpp>
#include <daedalus/stepper/layout.hpp>

#include "sensitivity/asked.hpp"

namespace daedalus {

// Why a gradient does not exist although the run succeeded.
struct GradientFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Number of the vector of a functional's arguments that has the variables of a class.
int vector_of(VariableClass cls);

class ScalarFunction {
 public:
  // y: a state of the model at which it may be called.
  ScalarFunction(const std::string& name, const Function<slot::Functional>& f,
                 const Problem& problem, const Layout& model, const Asked& asked);

  explicit operator bool() const { return static_cast<bool>(f_); }
  bool differentiable() const { return f_.differentiable(); }
  // Which variables and parameters it reads: looked up once, at a state of the model.
  void look(double t, const Eigen::VectorXd& y);
  bool reads(int tangent) const;
  double value(double t, const Eigen::VectorXd& y) const;
  // Set, not added: `size` numbers, of which the model variables come first.
  void by_state(double t, const Eigen::VectorXd& y, Eigen::VectorXd& out) const;
  // Adds factor times the derivatives.
  void add_by_parameters(double factor, double t, const Eigen::VectorXd& y,
                         Eigen::Ref<Eigen::VectorXd> out) const;

 private:
  template <class S>
  S call(const S& t, const S* y, const S* p) const;
  double by_differences(double t, const Eigen::VectorXd& y, int tangent) const;

  std::string name_;
  Function<slot::Functional> f_;
  Layout model_;
  std::array<std::pair<int, int>, 5> vectors_{};  // first and count among the points
  std::vector<double> p_, size_;
  std::vector<int> inputs_;    // per parameter asked for
  std::vector<int> tangents_;  // that it reads
  std::vector<int> parameters_;
};

}  // namespace daedalus
