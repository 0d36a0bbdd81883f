// SPDX-License-Identifier: BSD-3-Clause
// Approach B (Steinebach 1988, (6.3)). With p_i = g_y l_i + g_z k_i the algebraic equation of stage
// i
//   0 = g(t + alpha_i h, a_i, b_i) + sum_{j<=i} gamma_ij p_j + h gamma_i g_t
// gives p_i without a product with g_z, and k_i = g_z^-1 (p_i - g_y l_i).
#include <cmath>

#include <daedalus/stepper.hpp>
#include "methods/rosenbrock/engine.hpp"
#include "system/system.hpp"

namespace daedalus {
namespace {

class PartitionedRosenbrockStepper final : public Stepper {
 public:
  PartitionedRosenbrockStepper(System& system, const RosenbrockBCoefficients& table, int order,
                               ClassOrders power)
      : view_(*system.partitioned_view()),
        table_(table),
        order_(order),
        power_(power),
        n_(system.layout.tangents()),
        ny_(view_.differential_count()),
        nz_(n_ - ny_) {
    k_.setZero(n_, table.stages);
    p_.setZero(nz_, table.stages);
    stage_.setZero(n_);
    first_.setZero(n_);
    rhs_.setZero(n_);
    combined_.setZero(n_);
    error_.setZero(n_);
    difference_.setZero(table.stages);
    for (int i = 0; i < table.stages; ++i) difference_[i] = table.mu[i] - table.mu_hat[i];
    current_.x.setZero(n_);
    trial_.x.setZero(n_);
    trial_.xd.setZero(n_);
  }

  Outcome start(const Start& s) override {
    current_ = s.at;
    fresh_ = false;
    return Outcome::ok;
  }

  Attempt attempt(const StepRequest& r) override {
    Attempt result;
    result.advice.after_failure = 0.25;
    const auto stop = [&](Outcome o) {
      result.outcome = o;
      return result;
    };
    // f, g and the factors of g_z belong to the beginning of the step and survive a rejection.
    if (!fresh_) {
      if (const Outcome o = view_.evaluate(r.t, current_.x.data(), first_.data()); o != Outcome::ok)
        return stop(o);
      if (const Outcome o = view_.linearise_constraints(r.t, current_.x.data()); o != Outcome::ok)
        return stop(o);
      if (nz_ > 0) {
        if (const Outcome o = view_.constraint_pencil().factorise(0.0, 1.0); o != Outcome::ok) {
          result.culprit = {Culprit::Kind::variable,
                            ny_ + view_.constraint_pencil().singular_column()};
          return stop(o);
        }
      }
      fresh_ = true;
    }
    for (int i = 0; i < table_.stages; ++i)
      if (const Outcome o = stage(i, r.t, r.h); o != Outcome::ok) return stop(o);
    combine(table_.mu, table_.stages, trial_.x, &current_.x);
    combine(difference_.data(), table_.stages, error_, nullptr);
    trial_.t = r.t_new;
    if (const int bad = first_not_finite(trial_.x.data(), n_); bad >= 0) {
      result.culprit = {Culprit::Kind::variable, bad};
      return stop(Outcome::not_finite);
    }
    estimate_ = {order_, power_, {error_.data(), static_cast<std::size_t>(n_)}, false};
    result.estimates = {&estimate_, 1};
    return result;
  }

  State& trial() override { return trial_; }

  Outcome interpolant(Interpolant& out) override {
    out.t0 = current_.t;
    out.h = trial_.t - current_.t;
    out.base = current_.x;
    out.degree = table_.dense_rows + 1;
    out.c.col(1) = trial_.x - current_.x;
    for (int j = 2; j <= out.degree; ++j) out.c.col(j).setZero();
    for (int j = 0; j < table_.dense_rows; ++j) {
      combine(table_.dense + j * table_.stages, table_.stages, combined_, nullptr);
      out.c.col(j + 1) += combined_;
      out.c.col(j + 2) -= combined_;
    }
    return Outcome::ok;
  }
  int interpolant_degree() const override { return table_.dense_rows + 1; }

  void commit(bool) override {
    current_.t = trial_.t;
    current_.x = trial_.x;
    fresh_ = false;
  }

  void archive(Archive& a) override {
    // Between steps nothing but the state and the pivots of g_z are needed: the next attempt
    // linearises anew.
    a(current_.t, current_.x);
    if (nz_ > 0) view_.constraint_pencil().archive(a);
    if (!a.saving()) fresh_ = false;
  }

 private:
  Outcome stage(int i, double t, double h) {
    const double* f = first_.data();
    if (i > 0) {
      combine(table_.alpha + i * table_.stages, i, stage_, &current_.x);
      if (const Outcome o = view_.evaluate(t + table_.abscissae[i] * h, stage_.data(), rhs_.data());
          o != Outcome::ok)
        return o;
      f = rhs_.data();
    }
    double* l = k_.col(i).data();
    for (int k = 0; k < ny_; ++k) l[k] = h * f[k];
    if (nz_ == 0) return Outcome::ok;
    const Eigen::VectorXd& g_t = view_.constraint_time_derivative();
    const double* gamma = table_.gamma_ij + i * table_.stages;
    double* p = p_.col(i).data();
    for (int k = 0; k < nz_; ++k) {
      double sum = f[ny_ + k] + h * table_.time_weights[i] * g_t[k];
      for (int j = 0; j < i; ++j) sum += gamma[j] * p_(k, j);
      p[k] = -sum / table_.gamma;
    }
    double* z = l + ny_;
    for (int k = 0; k < nz_; ++k) z[k] = p[k];
    view_.add_g_y_times(-1.0, l, z);
    view_.constraint_pencil().solve(z);
    return Outcome::ok;
  }

  void combine(const double* weights, int count, Eigen::VectorXd& out,
               const Eigen::VectorXd* base) const {
    if (base)
      out = *base;
    else
      out.setZero();
    for (int j = 0; j < count; ++j)
      if (weights[j] != 0.0) out += weights[j] * k_.col(j);
  }

  PartitionedView& view_;
  RosenbrockBCoefficients table_;
  int order_;
  ClassOrders power_;
  int n_, ny_, nz_;
  Eigen::MatrixXd k_;  // (l_i; k_i) by columns
  Eigen::MatrixXd p_;
  Eigen::VectorXd stage_, first_, rhs_, combined_, error_, difference_;
  State current_, trial_;
  Estimate estimate_;
  bool fresh_ = false;
};

}  // namespace

// On y' = t^k solution and embedded solution are quadratures with the weights mu and mu_hat.
bool vanishes_on_quadratures(const RosenbrockBCoefficients& table, int max_power) {
  // Printed coefficients have 12 digits or more.
  constexpr double round_off = 1e-11;
  for (int k = 1; k <= max_power; ++k) {
    double estimate = 0.0;
    for (int i = 0; i < table.stages; ++i)
      estimate += (table.mu[i] - table.mu_hat[i]) * std::pow(table.abscissae[i], k);
    if (std::abs(estimate) > round_off) return false;
  }
  return true;
}

Method rosenbrock(const RosenbrockBCoefficients& table, Method m, RosenbrockTraits traits) {
  m.blind_to_quadrature = m.error_order > 0 && vanishes_on_quadratures(table, m.order + 2);
  m.family = "rosenbrock";
  m.view = View::partitioned;
  m.repair = Repair::solve_algebraic;
  const int order = m.order;
  const ClassOrders power = estimate_powers(m, traits);
  m.make = [table, order, power](System& system, const MethodSettings&) {
    return std::make_unique<PartitionedRosenbrockStepper>(system, table, order, power);
  };
  return m;
}

}  // namespace daedalus
