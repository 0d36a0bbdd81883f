// SPDX-License-Identifier: BSD-3-Clause
// Implicit Euler on F(t, x, x') = 0: order 1, L-stable, converges for index 1, 2 and (constant
// steps) 3. Error estimate from the difference to linear extrapolation. On a Lie group the step is
// x_{n+1} = x_n exp(h v). Arnold (1998), section 2.2; Hairer, Wanner II, section VII.3.
#include <fmt/format.h>

#include <cmath>

#include <daedalus/stepper.hpp>
#include "nonlinear/newton.hpp"
#include "system/system.hpp"

namespace daedalus {
namespace {

class ImplicitEuler final : public Stepper {
 public:
  ImplicitEuler(System& system, const MethodSettings& settings)
      : system_(system),
        newton_(system, {.kappa = settings("newton_tolerance")}),
        interval_(settings("error_interval")) {
    if (!(interval_ >= 0.0))
      throw InvalidArgument(
          fmt::format("error_interval: {} is not allowed; give a time, or 0", interval_));
    const int n = system.layout.tangents();
    trial_.x.setZero(system.layout.points());
    trial_.xd.setZero(n);
    rate_.setZero(n);
    predicted_.setZero(system.layout.points());
    step_.setZero(n);
    error_.setZero(n);
    dd_.setZero(std::max(n, system.residual_view()->differentiated_count()));
    backward_ = [this](const double* x, double* dd) {
      return system_.residual_view()->difference(current_, t_new_, x, h_, dd);
    };
  }

  Outcome start(const Start& s) override {
    current_ = s.at;
    rate_ = s.at.xd;
    h_last_ = 0.0;
    newton_.forget();
    newton_.accept_round_off(!s.prescribed);
    return Outcome::ok;
  }

  Attempt attempt(const StepRequest& r) override {
    Attempt a;
    a.advice.after_failure = 0.25;
    t_new_ = r.t_new;
    h_ = r.h;
    step_ = r.h * rate_;
    system_.layout.plus(current_.x.data(), step_.data(), predicted_.data());
    trial_.x = predicted_;
    const Newton::Result n = newton_.solve(r.t_new, 1.0 / r.h, backward_, r.weight, trial_.x, dd_);
    a.newton_iterations = n.iterations;
    a.newton_rate = n.rate;
    a.culprit = n.culprit;
    a.outcome = n.outcome;
    if (n.outcome != Outcome::ok) return a;
    trial_.t = r.t_new;
    system_.layout.minus(current_.x.data(), trial_.x.data(), trial_.xd.data());
    trial_.xd /= r.h;
    // corrector - predictor = x'' h (2 h + h_last) / 2 (with exact x' at the start: x'' h^2), and
    // the local error is x'' h^2 / 2.
    system_.layout.minus(predicted_.data(), trial_.x.data(), error_.data());
    error_ *= r.h / (2.0 * r.h + (h_last_ != 0.0 ? h_last_ : 0.0));
    const bool per_unit_step = interval_ > 0.0;
    if (per_unit_step) sum_up(std::abs(interval_ / r.h));
    estimate_ = {1,
                 ClassOrders::all(per_unit_step ? 1 : 2),
                 {error_.data(), static_cast<std::size_t>(error_.size())},
                 false};
    a.estimates = {&estimate_, 1};
    return a;
  }

  State& trial() override { return trial_; }

  Outcome interpolant(Interpolant& out) override {
    out.make_linear(system_.layout, current_, trial_);
    return Outcome::ok;
  }
  int interpolant_degree() const override { return 1; }

  // A projection moves the solution to a neighbouring one; the rate remains that of the step. With
  // the move over h in it the prediction would repeat the move.
  void commit(bool) override {
    h_last_ = trial_.t - current_.t;
    rate_ = trial_.xd;
    current_.t = trial_.t;
    current_.x = trial_.x;
  }

  void archive(Archive& a) override {
    a(current_.t, current_.x, rate_, h_last_);
    newton_.archive(a);
  }

 private:
  // Errors of differential variables, as many as there are such steps in the interval; those of
  // algebraic ones are gone with the next step. With index 3 those of v have a part that changes of
  // the step leave in lambda and that no step size removes: there q alone is counted so.
  void sum_up(double steps) {
    for (const LayoutBlock& b : system_.layout.blocks())
      if (b.index == 1 && (b.cls == VariableClass::y || b.cls == VariableClass::q ||
                           b.cls == VariableClass::v || b.cls == VariableClass::c))
        error_.segment(b.tangent, b.space.tangents()) *= steps;
  }

  System& system_;
  Newton newton_;
  State current_, trial_;
  Eigen::VectorXd rate_, predicted_, step_, error_, dd_;
  DifferenceFormula backward_;
  double interval_, h_last_ = 0.0, h_ = 0.0, t_new_ = 0.0;
  Estimate estimate_;
};

}  // namespace

namespace methods {
const Method& implicit_euler();
const Method& implicit_euler() {
  static const Method method{
      .name = "implicit-euler",
      .family = "euler",
      .view = View::residual,
      .order = 1,
      .error_order = 1,
      .dense_order = 1,
      .orders = ClassOrders::all(1),
      .stability = Stability::l_stable,
      .stiffly_accurate = true,
      .repair = Repair::accept_inherited,
      .matrix_free = true,
      .max_index = 3,
      .formulations = {"index2", "index3", "index1"},
      .reference = "Arnold (1998), 2.2",
      .options = {{"newton_tolerance", "> 0", 1e-3,
                   "largest remaining Newton error in units of the error tolerance"},
                  {"error_interval", ">= 0", 0.0,
                   "time over which the errors of all steps may add up to the tolerance, so that "
                   "the error at its end follows the tolerance and the number of steps is "
                   "proportional to 1 / tolerance; 0: each step may have such an error, and the "
                   "error at the end follows the square root"}},
      .make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
        return std::make_unique<ImplicitEuler>(system, settings);
      }};
  return method;
}
}  // namespace methods
}  // namespace daedalus
