// SPDX-License-Identifier: BSD-3-Clause
// A system given by one VectorMap: F(t, x, x') (residual view) or M x' = f(t, x) (linear view).
#pragma once

#include <Eigen/Cholesky>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "linalg/linear_solver.hpp"
#include "system/jacobian.hpp"
#include "system/matrix_free.hpp"
#include "system/system.hpp"

namespace daedalus {

struct LoweringOptions {
  LinearSolverKind linear_algebra = LinearSolverKind::automatic;
  LinearAlgebra saddle_point = LinearAlgebra::automatic;  // of [M G^T; G 0], as asked for
  bool differences = false;
  double difference_increment = 0.0;  // Options::difference_increment
  std::map<std::string, double> formulation_options{};
  KrylovOptions krylov{};  // for LinearSolverKind::krylov
};

// Jacobian blocks given by the user, written into the compressed values. Returns Eval of the
// callable; absent: by differentiation.
using GivenJacobian = std::function<Eval(double t, const double* x, const double* xd,
                                         SparseValues& dx, SparseValues& dxd)>;
// d(t, x) of a properly stated leading term, with its Jacobian.
struct LeadingTerm {
  int count = 0;
  std::unique_ptr<VectorMap> map;
};

class FirstOrderSystem : public System, public ResidualView, public LinearView {
 public:
  // Residual view.
  FirstOrderSystem(Layout variables, std::unique_ptr<VectorMap> residual, LoweringOptions options,
                   GivenJacobian given = {}, LeadingTerm leading = {});
  // Linear view.
  FirstOrderSystem(Layout variables, std::unique_ptr<VectorMap> rhs, SparseMatrix mass,
                   LoweringOptions options, GivenJacobian given = {});

  ResidualView* residual_view() override { return linear_ ? nullptr : this; }
  LinearView* linear_view() override { return linear_ ? this : nullptr; }
  std::string_view linear_solver() const override;
  void prepare(const State& at) override;

  Outcome residual(double t, const double* x, const double* dd, double* r) override;
  int differentiated_count() const override;
  bool states_leading_term() const override { return leading_.count > 0; }
  Outcome leading(double t, const double* x, double* d) override;
  Outcome difference(const State& from, double t, const double* x, double h, double* dd) override;
  Outcome linearise(double t, const double* x, const double* dd) override;
  Pencil& residual_pencil() override { return *pencil_; }

  Outcome rhs(double t, const double* x, double* r) override;
  void add_mass_times(double factor, const double* x, double* r) const override;
  Outcome linearise(double t, const double* x) override;
  const Eigen::VectorXd& time_derivative() const override { return jacobian_->dt; }
  Pencil& linear_pencil() override { return *pencil_; }

  // Holds invariants: the smallest change in the error scale that keeps the rows without rates.
  bool has_projection() const override { return invariants != nullptr; }
  ProjectionResult project(State& trial, const Eigen::VectorXd& weight, double threshold) override;

  void freeze() override { map_->freeze(); }
  Outcome refresh(const State& s) override;
  void archive(Archive& a) override;
  void doubt_structure(const State& at) override;

  const SparseMatrix& mass() const { return mass_; }
  VectorMap& map() { return *map_; }
  JacobianEvaluator& jacobian() { return *jacobian_; }

 protected:
  // Tells once that a branch brought in a variable; rows of the map begin at `first_row`.
  void tell_growth(const JacobianEvaluator& jacobian, int first_row, double t);

 private:
  void follow_growth(double t);  // of the structure of jacobian_, with the pencil
  void follow_structure();
  Outcome checked(Outcome outcome, double t, const double* x, const double* xd, const double* r);
  Outcome checked_jacobian(double t, bool with_rates);
  const char* blame(double t, const double* x, const double* xd);
  Outcome algebraic_rows(const State& at);  // of kept_
  void find_kept_rows(const State& at);
  bool matrix_free() const { return options_.linear_algebra == LinearSolverKind::krylov; }
  std::unique_ptr<MatrixFree> products();

  bool linear_;
  std::unique_ptr<VectorMap> map_;
  SparseMatrix mass_;
  SparseValues mass_values_;
  std::vector<MassEntry> mass_entries_;  // the non-zero ones of mass_values_, by columns
  LoweringOptions options_;
  GivenJacobian given_;
  LeadingTerm leading_;
  Layout leading_layout_;
  std::unique_ptr<JacobianEvaluator> jacobian_, leading_jacobian_;
  std::unique_ptr<Pencil> pencil_;
  Eigen::VectorXd leading_old_, leading_new_, blame_, moved_;
  Eigen::MatrixXd F_dd_, d_x_, E_;
  // The rows that a projection to invariants keeps, and what it works with.
  struct Kept {
    std::unique_ptr<JacobianEvaluator> jacobian;
    State found_at;
    std::vector<int> rows, place;  // place of each row of the map, -1: it has rates
    Eigen::VectorXd move, rhs;
    Eigen::MatrixXd by_x, normal;
    Eigen::LLT<Eigen::MatrixXd> factors;
  } kept_;
  int rows_ = 0;
  int growths_ = 0;           // of jacobian_ that the pencil knows
  bool growth_told_ = false;  // one warning per run
};

}  // namespace daedalus
