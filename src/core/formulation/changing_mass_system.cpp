// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/changing_mass_system.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "linalg/decompositions.hpp"

namespace daedalus {

std::unique_ptr<ChangingMassSystem> ChangingMassSystem::make(
    std::shared_ptr<const MassMatrixProblem> problem, Modes modes, Layout layout_in,
    LoweringOptions options, double t0) {
  const int n = static_cast<int>(problem->y0.size());
  const ParameterSet parameters(problem->parameters, modes);
  // A row counts as algebraic if it vanishes at the start and at a point moved away from it.
  std::vector<bool> zero(at(n), true);
  Eigen::MatrixXd M(n, n), start = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd y = problem->y0;
  for (int pass = 0; pass < 2; ++pass) {
    Failure ignored;
    const auto evaluate = [&] {
      return problem->mass(state_arguments<double>(parameters, t0 + 1e-3 * pass, y.data(), n),
                           M.data(), n, n);
    };
    if (guarded(ignored, t0, evaluate) != Outcome::ok) continue;
    if (pass == 0) start = M;
    for (int i = 0; i < n; ++i)
      if (!M.row(i).isZero(0.0)) zero[at(i)] = false;
    for (int i = 0; i < n; ++i) y[i] += 1e-3 * (1.0 + std::abs(y[i])) * (1.0 + 0.1 * i);
  }
  int nonzero = 0;
  for (int i = 0; i < n; ++i)
    if (!zero[at(i)]) start.row(nonzero++) = start.row(i).eval();
  if (nonzero > 0 && start.allFinite() && pivoted_qr(start.topRows(nonzero)).rank < nonzero)
    throw InvalidArgument(
        "mass: M(t, y) changes and has linearly dependent rows at the start; combine the equations "
        "so that the algebraic ones have zero rows in M, or use a method on the residual view");
  std::vector<std::string> rates;
  for (int i = 0; i < n; ++i) rates.push_back("d(" + layout_in.name(i) + ")/dt");
  layout_in.add(VariableClass::a, 1, euclidean(n), rates, false);
  SparseMatrix mass(2 * n, 2 * n);
  for (int i = 0; i < n; ++i) mass.insert(i, i) = 1.0;
  auto map = std::make_unique<ChangingMassMap>(problem, modes, zero);
  return std::unique_ptr<ChangingMassSystem>(
      new ChangingMassSystem(std::move(problem), std::move(modes), std::move(layout_in),
                             std::move(map), zero, std::move(mass), options));
}

ChangingMassSystem::ChangingMassSystem(std::shared_ptr<const MassMatrixProblem> problem,
                                       Modes modes_in, Layout layout_in,
                                       std::unique_ptr<ChangingMassMap> rates_map,
                                       const std::vector<bool>& algebraic, SparseMatrix mass,
                                       LoweringOptions options)
    : FirstOrderSystem(std::move(layout_in), std::move(rates_map), std::move(mass), options),
      problem_(std::move(problem)),
      parameters_(problem_->parameters, std::move(modes_in)),
      n_(static_cast<int>(problem_->y0.size())),
      count_(0),
      y_(at(n_)),
      out_(at(n_)) {
  for (int i = 0; i < n_; ++i)
    if (algebraic[at(i)]) rows_.push_back(i);
  count_ = static_cast<int>(rows_.size());
  g_.setZero(count_);
  move_.setZero(n_);
  g_y_.setZero(count_, n_);
  scaled_.setZero(count_, n_);
  factor_ = Eigen::LLT<Eigen::MatrixXd>(count_);
  normal_.setZero(count_, count_);
}

Outcome ChangingMassSystem::algebraic_rows(double t, const double* y) {
  for (int first = 0; first < n_; first += 4) {
    for (int i = 0; i < n_; ++i) y_[at(i)] = Dual4(y[i]);
    for (int k = 0; k < 4 && first + k < n_; ++k) y_[at(first + k)].d[at(k)] = 1.0;
    const Outcome o = guarded(failure, t, [&] {
      return problem_->rhs(state_arguments<Dual4>(parameters_, Dual4(t), y_.data(), n_),
                           out_.data(), n_);
    });
    if (o != Outcome::ok) {
      failure.function = "rhs";
      return o;
    }
    for (int i = 0; i < count_; ++i) {
      const Dual4& r = out_[at(rows_[at(i)])];
      g_[i] = r.v;
      for (int k = 0; k < 4 && first + k < n_; ++k) g_y_(i, first + k) = r.d[at(k)];
    }
  }
  counter.now().constraint_evaluations += 1;
  counter.now().constraint_jacobian_evaluations += 1;
  return g_.allFinite() && g_y_.allFinite() ? Outcome::ok : Outcome::not_finite;
}

double ChangingMassSystem::projection_residual(const State& s) {
  if (count_ == 0 || algebraic_rows(s.t, s.x.data()) != Outcome::ok)
    return std::numeric_limits<double>::quiet_NaN();
  return g_.cwiseAbs().maxCoeff();
}

// Smallest change of y in the error scale: y += W (g_y W)^T mu with g = 0, W = diag(weight).
ProjectionResult ChangingMassSystem::project(State& trial, const Eigen::VectorXd& weight,
                                             double threshold) {
  if (count_ == 0) return FirstOrderSystem::project(trial, weight, threshold);
  for (int iteration = 0; iteration < 6; ++iteration) {
    if (const Outcome o = algebraic_rows(trial.t, trial.x.data()); o != Outcome::ok)
      return {o, false};
    scaled_ = g_y_ * weight.head(n_).asDiagonal();
    normal_.noalias() = scaled_ * scaled_.transpose();
    factor_.compute(normal_);
    counter.now().factorisations += 1;
    if (factor_.info() != Eigen::Success) return {Outcome::projection_failed, false};
    factor_.solveInPlace(g_);
    counter.now().solves += 1;
    move_.noalias() = -scaled_.transpose() * g_;
    const double distance = move_.norm() / std::sqrt(static_cast<double>(n_));
    if (iteration == 0 && distance <= threshold) return {};
    trial.x.head(n_) += weight.head(n_).cwiseProduct(move_);
    if (distance < 1e-3) return {Outcome::ok, true};
  }
  return {Outcome::projection_failed, false};
}

}  // namespace daedalus
