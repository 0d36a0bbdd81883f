// SPDX-License-Identifier: BSD-3-Clause
// A catalogue problem in one formulation as other solvers want it: F(t, x, x') = 0 with the exact
// matrix F_x + alpha F_x', and where it is an ordinary differential equation M x' = f(t, x) with a
// constant regular M also f and f_x. Consistent start values are part of it.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include <catalogue/catalogue.hpp>

#include "linalg/sparse_pattern.hpp"

namespace daedalus::peers {

// What an evaluation answers, in the numbers of SUNDIALS: positive asks for a smaller step.
enum Answer : int { fine = 0, recoverable = 1, fatal = -1 };

struct PlainMechanics;
using PlainRates = void (*)(double t, const double* x, double* f);
using PlainJacobian = void (*)(double t, const double* x, double* J);  // column-major, all of it

class Model {
 public:
  virtual ~Model() = default;

  std::string formulation;
  Eigen::VectorXd x0, xd0;
  std::vector<std::string> names;  // of the model variables, the leading entries of to_model
  std::vector<char> algebraic;     // per unknown: x_i' does not occur
  SparsePattern pattern;           // of F_x + alpha F_x'
  bool ode = false;
  bool linear = false;      // M x' = f(t, x) with a constant M, which may be singular
  bool autonomous = false;  // known not to depend on t
  bool rates_only = false;  // no matrices: for explicit codes
  Eigen::MatrixXd mass{};   // M of a linear one; empty: the identity
  int columns = 0;          // directional derivatives per matrix
  // What an expert would write by hand for a classical code (plain.hpp); null: none.
  PlainRates plain_rates = nullptr;
  PlainJacobian plain_jacobian = nullptr;
  const PlainMechanics* mechanics = nullptr;

  int size() const { return static_cast<int>(x0.size()); }
  bool has_algebraic() const;
  // All answer `fatal` after the deadline.
  Answer residual(double t, const double* x, const double* xd, double* r);
  Answer matrix(double t, double alpha, const double* x, const double* xd, double* values);
  Answer dense_matrix(double t, double alpha, const double* x, const double* xd, double* out);
  Answer rates(double t, const double* x, double* f);                 // f of a linear one
  Answer dense_rates_matrix(double t, const double* x, double* out);  // its f_x, column-major
  // Values of the model variables at (t, x).
  virtual void to_model(double t, const double* x, double* y) = 0;

 protected:
  virtual Answer do_residual(double t, const double* x, const double* xd, double* r) = 0;
  virtual Answer do_matrix(double t, double alpha, const double* x, const double* xd,
                           double* values) = 0;
  virtual Answer do_rates(double, const double*, double*) { return fatal; }

 private:
  std::vector<double> values_, none_;
};

// The callables themselves, without the library's lowering; first-order problems only.
std::unique_ptr<Model> direct_model(const problems::Entry& entry, const Problem& problem);
// Any formulation with a residual view on a Euclidean space.
std::unique_ptr<Model> system_model(const problems::Entry& entry, const Problem& problem,
                                    const std::string& formulation);
// The underlying ordinary differential equation of a multibody problem: v' and lambda from the
// index-1 form, points of groups as the numbers they are stored in.
std::unique_ptr<Model> motion_model(const problems::Entry& entry, const Problem& problem);

// The same where M x' = f(t, x) with a constant M.
std::unique_ptr<Model> linear_model(const problems::Entry& entry, const Problem& problem,
                                    const std::string& formulation);

// Every formulation that there is for peers, those likely to be good first. Never throws: what does
// not fit or has no consistent start is left out.
std::vector<std::unique_ptr<Model>> models_of(const problems::Entry& entry, const Problem& problem);

}  // namespace daedalus::peers
