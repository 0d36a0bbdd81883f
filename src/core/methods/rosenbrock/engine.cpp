// SPDX-License-Identifier: BSD-3-Clause
#include "methods/rosenbrock/engine.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include <daedalus/stepper.hpp>
#include "methods/rosenbrock/algebraic_part.hpp"
#include "methods/rosenbrock/engine_condition.hpp"
#include "methods/rosenbrock/matrix_check.hpp"
#include "methods/rosenbrock/table_properties.hpp"
#include "system/system.hpp"

namespace daedalus {
namespace {

// An old Jacobian is given up when the error constant has grown by this factor since it was new.
constexpr double worse = 2.0;
// With an old Jacobian a step is not changed by less than this factor: the factorisation is kept.
constexpr double keep = 1.2;
// Steps that differ by rounding share a factorisation.
constexpr double same_step = 1e-10;
// L-stable methods keep nothing but the digits of their tables.
constexpr double least_kept = 1e-6;
// An estimate of so many tolerances is rejected whatever the matrix.
constexpr double max_verified = 10.0;

class RosenbrockStepper final : public Stepper {
 public:
  RosenbrockStepper(System& system, const RosenbrockCoefficients& table, int order,
                    ClassOrders power, long jacobian_steps, bool subtract, bool verify,
                    double singular_below)
      : system_(system),
        view_(*system.linear_view()),
        ranks_(system.layout.communicator()),
        table_(table),
        order_(order),
        power_(power),
        jacobian_steps_(jacobian_steps),
        singular_below_(singular_below),
        check_(system, ends_with_correction(table)),
        corrects_end_(ends_with_correction(table)),
        can_verify_(verify && (corrects_end_ || (table.extra_stages == 0 && table.dense_rows > 0))),
        constraints_(
            view_, system.layout.tangents(),
            table.constraint_check ? AlgebraicPart::Which::zero_rows : AlgebraicPart::Which::none),
        kept_(kept_share(table)),
        sees_violation_(can_verify_ && !corrects_end_ && std::abs(kept_) > least_kept &&
                        std::abs(inherited_share(table)) < least_kept),
        algebraic_(
            view_, system.layout.tangents(),
            subtract || sees_violation_ ? AlgebraicPart::Which::all : AlgebraicPart::Which::none),
        inherited_(subtract && !algebraic_.empty() ? inherited_share(table) : 0.0) {
    const int n = system.layout.tangents();
    u_.setZero(n, table.stages);
    stage_.setZero(n);
    rhs_.setZero(n);
    combined_.setZero(n);
    f_first_.setZero(n);
    f_t_.setZero(n);
    error_.setZero(n);
    current_.x.setZero(n);
    trial_.x.setZero(n);
    trial_.xd.setZero(n);
    for (int i = 0; i < table.stages; ++i) evaluated_by_.push_back(table.evaluated_by(i));
  }

  Outcome start(const Start& s) override {
    current_ = s.at;
    fresh_ = evaluated_ = false;
    violation_ = {};
    // Where nothing may reject a step, only the method is to be seen in the results.
    verifies_ = can_verify_ && !s.prescribed && !view_.linear_pencil().matrix_free();
    age_ = -1;
    return Outcome::ok;
  }

  Attempt attempt(const StepRequest& r) override {
    Attempt result;
    result.advice.after_failure = 0.25;
    if (jacobian_steps_ > 1) result.advice.keep_up_to = keep;
    const auto stop = [&](Outcome o) { return result.outcome = o, result; };
    const int n = system_.layout.tangents();
    t_ = r.t;
    h_ = r.h;
    end_evaluated_ = false;
    if (const Outcome o = prepare(result.culprit); o != Outcome::ok) {
      if (stops_here_) result.advice.after_failure = 0.0;  // the programs that test this end here
      return stop(o);
    }
    for (int i = 0; i < table_.step_stages(); ++i)
      if (const Outcome o = stage(i); o != Outcome::ok) return stop(o);
    extra_done_ = table_.extra_stages == 0;
    combine(table_.weights, table_.step_stages(), trial_.x.data(), current_.x.data());
    combine(table_.error, table_.step_stages(), error_.data(), nullptr);
    if (inherited_ != 0.0)
      if (const Outcome o = subtract_inherited(); o != Outcome::ok) return stop(o);
    trial_.t = r.t_new;
    // Over ranks the estimate, which is not finite then either, makes all of them reject the step.
    const int bad = ranks_.shared() ? -1 : first_not_finite(trial_.x.data(), n);
    if (bad >= 0) {
      result.culprit = {Culprit::Kind::variable, bad};
      return stop(Outcome::not_finite);
    }
    if (!constraints_.empty() && !verifies_) {
      if (const Outcome o = check_constraints(r.t_new); o != Outcome::ok) return stop(o);
    }
    if (const Outcome o = check_matrix(r); o != Outcome::ok) return stop(o);
    if (jacobian_steps_ > 1) {
      const double size = mean_square_root(r.weight);
      constant_ = size * std::pow(std::abs(h_), -power_[VariableClass::y]);
      if (age_ == 0) constant_when_new_ = constant_;
    }
    estimate_ = {order_, power_, {error_.data(), static_cast<std::size_t>(n)}, false};
    result.estimates = {&estimate_, 1};
    return result;
  }

  State& trial() override { return trial_; }

  Outcome interpolant(Interpolant& out) override {
    for (int i = table_.step_stages(); i < table_.stages && !extra_done_; ++i)
      if (const Outcome o = stage(i); o != Outcome::ok) return o;
    extra_done_ = true;
    // (1 - theta) y0 + theta y1 + theta (1 - theta) (K_1 + theta K_2 + ...)
    out.t0 = current_.t;
    out.h = trial_.t - current_.t;
    out.base = current_.x;
    const int rows = table_.dense_rows;
    out.degree = rows + 1;
    out.c.col(1) = trial_.x - current_.x;
    for (int j = 2; j <= out.degree; ++j) out.c.col(j).setZero();
    for (int j = 0; j < rows; ++j) {
      combine(table_.dense + j * table_.stages, table_.stages, combined_.data(), nullptr);
      out.c.col(j + 1) += combined_;
      out.c.col(j + 2) -= combined_;
    }
    return Outcome::ok;
  }
  int interpolant_degree() const override { return table_.dense_rows + 1; }

  void commit(bool amended) override {
    current_.t = trial_.t;
    current_.x = trial_.x;
    fresh_ = false;
    evaluated_ = end_evaluated_ && !amended;
    if (evaluated_) f_first_.swap(check_.at_end());
    age_ = constant_ > worse * constant_when_new_ ? -1 : age_ + 1;
  }

  void archive(Archive& a) override {
    a(current_.t, current_.x, fresh_, evaluated_, f_first_);
    violation_.archive(a);
    if (jacobian_steps_ > 1) a(age_, constant_, constant_when_new_, f_t_);
    // With a Jacobian per step too: sparse elimination keeps its pivots from step to step.
    view_.linear_pencil().archive(a);
  }

 private:
  // f, J and the factors of the step. f and J belong to its beginning and survive a rejection; only
  // a J from an earlier step is renewed then.
  Outcome prepare(Culprit& culprit) {
    bool renew = fresh_ && age_ > 0;
    if (!fresh_) {
      if (!evaluated_)
        if (const Outcome o = view_.rhs(t_, current_.x.data(), f_first_.data()); o != Outcome::ok)
          return o;
      renew = age_ < 0 || age_ >= jacobian_steps_;
      fresh_ = true;
    }
    if (renew) {
      age_ = -1;
      if (const Outcome o = view_.linearise(t_, current_.x.data()); o != Outcome::ok)
        return fresh_ = false, o;
      f_t_ = view_.time_derivative();
      age_ = 0;
    }
    Pencil& pencil = view_.linear_pencil();
    const double alpha = 1.0 / (h_ * table_.gamma);
    const bool kept = age_ > 0 && pencil.factorised() &&
                      std::abs(alpha - pencil.alpha()) <= same_step * std::abs(alpha);
    if (kept) return Outcome::ok;
    const Outcome o = pencil.factorise(alpha, -1.0);
    if (o != Outcome::ok) culprit = {Culprit::Kind::variable, pencil.singular_column()};
    if (o != Outcome::ok || singular_below_ == 0.0) return o;
    stops_here_ = condition_of_program(pencil, table_.gamma, h_) < singular_below_;
    return stops_here_ ? Outcome::matrix_singular : Outcome::ok;
  }

  double mean_square_root(const Eigen::VectorXd& weight) const {
    double sums[] = {error_.cwiseQuotient(weight).squaredNorm(), double(error_.size())};
    ranks_.reduce(sums, {});
    return std::sqrt(sums[0] / sums[1]);
  }

  Outcome check_matrix(const StepRequest& r) {
    if (!verifies_ || min_error(error_, current_.x, trial_.x, r.weight) > max_verified)
      return Outcome::ok;
    Eigen::VectorXd& rate = check_.rate();
    const bool corrected = corrects_end_ && !table_.constraint_check;
    if (corrected) {
      const int last = table_.step_stages() - 1;
      combine(table_.c + last * table_.stages, last, combined_.data(), nullptr);
      rate = u_.col(last) / table_.gamma - combined_;
    } else {
      rate = trial_.x - current_.x;
      for (int j = 0; j < table_.dense_rows; ++j) {
        combine(table_.dense + j * table_.stages, table_.stages, combined_.data(), nullptr);
        rate -= combined_;
      }
    }
    const Outcome o =
        check_.verify(r.t_new, h_, trial_.x, r.weight, corrected, table_.constraint_check, error_);
    end_evaluated_ = o == Outcome::ok;
    return end_evaluated_ && sees_violation_ && !algebraic_.empty() ? add_new_violation(r) : o;
  }

  // The correction of the trial that its constraints ask for, where larger than the estimate.
  Outcome check_constraints(double t) {
    if (const Outcome o = view_.rhs(t, trial_.x.data(), rhs_.data()); o != Outcome::ok) return o;
    constraints_.of(rhs_, combined_);
    if (const Outcome o = solve(combined_.data()); o != Outcome::ok) return o;
    raise_error();
    return Outcome::ok;
  }

  // Methods that do not end with a correction leave algebraic equations unsolved, and the estimates
  // of some see nothing of what was there before: what they made of
  // them beyond the share of an error at the beginning that they keep is their error in algebraic
  // variables. It may be a hundred times the difference of two solutions that both extrapolate, and
  // where some of it is kept it adds up.
  Outcome add_new_violation(const StepRequest& r) {
    algebraic_.of(check_.at_end(), kept_, f_first_, combined_);
    if (const Outcome o = solve(combined_.data()); o != Outcome::ok) return o;
    const double missed = combined_.cwiseQuotient(r.weight).cwiseAbs().maxCoeff();
    if (violation_.counts(missed, h_, r.t_new)) raise_error();
    return Outcome::ok;
  }

  // To combined_, where that is larger.
  void raise_error() {
    error_ = (combined_.array().abs() > error_.array().abs()).select(combined_, error_);
  }

  // With E = M/(h gamma) - J and the algebraic equations' part r of f at the beginning of the step,
  // E^-1 r = -delta + O(h delta).
  Outcome subtract_inherited() {
    algebraic_.of(f_first_, combined_);
    if (const Outcome o = solve(combined_.data()); o != Outcome::ok) return o;
    error_ += inherited_ * combined_;
    return Outcome::ok;
  }

  // u_i of the step in progress.
  Outcome stage(int i) {
    const int n = system_.layout.tangents();
    double* u = u_.col(i).data();
    const int source = evaluated_by_[static_cast<std::size_t>(i)];
    if (source == i && i > 0) {
      combine(table_.a + i * table_.stages, i, stage_.data(), current_.x.data());
      if (const Outcome o = view_.rhs(t_ + table_.abscissae[i] * h_, stage_.data(), rhs_.data());
          o != Outcome::ok)
        return o;
    }
    const double* f = source == 0 ? f_first_.data() : rhs_.data();
    const double d = h_ * table_.time_weights[i];
    for (int k = 0; k < n; ++k) u[k] = f[k] + d * f_t_[k];
    if (i > 0) {
      combine(table_.c + i * table_.stages, i, combined_.data(), nullptr);
      view_.add_mass_times(1.0 / h_, combined_.data(), u);
    }
    if (corrects_end_ && i == table_.step_stages() - 1) check_.before_last_stage(u);
    return solve(u);
  }

  Outcome solve(double* x) { return view_.linear_pencil().try_solve(x, ranks_); }

  // out = base + sum_{j < count} weights[j] u_j. Four rows at a time: the sums stay in registers
  // and -O2 uses vector instructions.
  void combine(const double* __restrict__ weights, int count, double* __restrict__ out,
               const double* __restrict__ base) const {
    const int n = static_cast<int>(u_.rows());
    const double* __restrict__ u = u_.data();
    int k = 0;
    for (; k + 4 <= n; k += 4) {
      double sum[4] = {0.0, 0.0, 0.0, 0.0};
      if (base)
        for (int lane = 0; lane < 4; ++lane) sum[lane] = base[k + lane];
      const double* column = u + k;
      for (int j = 0; j < count; ++j, column += n) {
        const double w = weights[j];
        for (int lane = 0; lane < 4; ++lane) sum[lane] += w * column[lane];
      }
      for (int lane = 0; lane < 4; ++lane) out[k + lane] = sum[lane];
    }
    for (; k < n; ++k) {
      double sum = base ? base[k] : 0.0;
      for (int j = 0; j < count; ++j) sum += weights[j] * u[k + static_cast<std::ptrdiff_t>(j) * n];
      out[k] = sum;
    }
  }

  System& system_;
  LinearView& view_;
  Communicator& ranks_;
  RosenbrockCoefficients table_;
  int order_;
  ClassOrders power_;
  long jacobian_steps_;
  double singular_below_;
  bool stops_here_ = false;  // the condition was below that
  MatrixCheck check_;
  bool corrects_end_, can_verify_, verifies_ = false;
  AlgebraicPart constraints_;
  double
      kept_;  // share of an error of algebraic variables at the beginning that is left at the end
  bool sees_violation_;
  AlgebraicPart algebraic_;
  double inherited_;  // the same in the estimate
  std::vector<int> evaluated_by_;
  Eigen::MatrixXd u_;
  Eigen::VectorXd stage_, rhs_, combined_, f_first_, f_t_, error_;
  State current_, trial_;
  Estimate estimate_;
  double t_ = 0.0, h_ = 0.0;  // of the step in progress
  bool fresh_ = false;        // f_first_ belongs to current_
  bool evaluated_ = false;    // ... and was found at the end of the step before
  bool end_evaluated_ = false;
  bool extra_done_ = false;
  // The last violation of algebraic equations that was added to an estimate, in tolerances, and the
  // length (0: there was none) and end of that step.
  NewViolation violation_;
  long age_ = -1;                                    // steps since J was new; -1: a new one is due
  double constant_ = 0.0, constant_when_new_ = 0.0;  // scaled estimate over h^power
};

}  // namespace

Method rosenbrock(const RosenbrockCoefficients& table, Method m, RosenbrockTraits traits) {
  m.blind_to_quadrature = m.error_order > 0 && vanishes_on_quadratures(table, m.order + 2);
  m.family = "rosenbrock";
  m.view = View::linear;
  m.repair = Repair::solve_algebraic;
  m.matrix_free = true;
  m.formulations = {"index1"};
  if (traits.any_jacobian)
    m.options.push_back({"jacobian_steps", "integer >= 1", 1.0,
                         "largest number of steps with one Jacobian; a new one comes earlier when "
                         "the error estimate grows or a step is rejected"});
  const bool offered = traits.subtract_inherited >= 0;
  if (offered)
    m.options.push_back({"subtract_inherited", "0 or 1", double(traits.subtract_inherited),
                         "1: the error estimate does not contain a share of the error that "
                         "algebraic variables have from earlier steps; 0: as published"});
  m.options.push_back({"singular_below", ">= 0", 0.0,
                       "ends a run at a step matrix with a reciprocal condition below this, as "
                       "IER = 2 of Steinebach (1988) with 2.2e-16; 0: no such test"});
  const bool verifiable = !m.fixed_step_only;
  if (verifiable)
    m.options.push_back({"verify_matrix", "0 or 1", 1.0,
                         "1: a step is rejected where its matrix does not hold at its end, as "
                         "after a fall of stiffness; 0: as published"});
  const int order = m.order;
  const ClassOrders power = estimate_powers(m, traits);
  const bool any = traits.any_jacobian;
  m.make = [=](System& system, const MethodSettings& settings) {
    const double steps = any ? settings("jacobian_steps") : 1.0;
    if (!(steps >= 1.0 && steps <= 1e9) || steps != std::floor(steps))
      throw InvalidArgument(
          fmt::format("jacobian_steps: {} is not allowed; give an integer >= 1", steps));
    const auto chosen = [&settings](bool exists, const char* key) {
      const double value = exists ? settings(key) : 0.0;
      if (value != 0.0 && value != 1.0)
        throw InvalidArgument(fmt::format("{}: {} is not allowed; give 0 or 1", key, value));
      return value == 1.0;
    };
    const double singular_below = settings("singular_below");
    if (!(singular_below >= 0.0))
      throw InvalidArgument(
          fmt::format("singular_below: {} is not allowed; give a number >= 0", singular_below));
    return std::make_unique<RosenbrockStepper>(
        system, table, order, power, static_cast<long>(steps),
        chosen(offered, "subtract_inherited"), chosen(verifiable, "verify_matrix"), singular_below);
  };
  return m;
}

}  // namespace daedalus
