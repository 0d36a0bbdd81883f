// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/corner.hpp"

#include <algorithm>
#include <cmath>

#include "integrate/loop.hpp"
#include "nonlinear/damped_newton.hpp"
#include "system/communicator.hpp"

namespace daedalus {
namespace {

using Eigen::VectorXd;

// Exponentials take an iteration per e-fold of a current, some hundred from off to on.
constexpr int max_iterations = 300;
// Corrections below this part of a tolerance end the iteration; rounding errors may leave ten times
// as much.
constexpr double converged = 1e-2, max_rounded = 0.1;
// Natural monotonicity (Deuflhard 2004, section 3.3): corrections with the same matrix fall.
constexpr double descent = 0.1;

// Whether the equations contain the derivative of the variable.
bool is_differentiated(const Pencil& pencil, int column) {
  const SparsePattern& p = pencil.pattern_e();
  const auto c = static_cast<std::size_t>(column);
  for (int k = p.start[c]; k < p.start[c + 1]; ++k)
    if (pencil.e()[static_cast<std::size_t>(k)] != 0.0) return true;
  return false;
}

class CornerStep final : public Stepper, private DampedEquations {
 public:
  CornerStep(System& system, double failed)
      : system_(system),
        failed_(failed),
        view_(*system.residual_view()),
        n_(system.layout.tangents()),
        dd_(std::max(n_, view_.differentiated_count())),
        correction_(n_),
        rest_(n_),
        error_(VectorXd::Zero(n_)) {}

  Outcome start(const Start& s) override {
    current_ = s.at;
    trial_ = s.at;
    return Outcome::ok;
  }

  Attempt attempt(const StepRequest& r) override {
    weight_ = &r.weight;
    Attempt a;
    a.order = 1;
    const double half = 0.5 * r.h;
    if (!solve(a, current_, r.t_new, r.h)) return a;
    error_ = trial_.x;
    if (!solve(a, current_, r.t_new - half, half)) return a;
    middle_ = trial_;
    if (!solve(a, middle_, r.t_new, half)) return a;
    error_ -= trial_.x;
    const double before = std::min(std::abs(r.h), failed_);
    const Pencil& pencil = view_.residual_pencil();
    for (int j = 0; j < n_; ++j)
      error_[j] = is_differentiated(pencil, j)
                      ? std::abs(error_[j]) + before * std::abs(trial_.xd[j] - current_.xd[j])
                      : 0.0;
    estimate_ = {1, ClassOrders::all(2), {error_.data(), static_cast<std::size_t>(n_)}, false};
    a.estimates = {&estimate_, 1};
    return a;
  }

  State& trial() override { return trial_; }
  Outcome interpolant(Interpolant& out) override {
    out.make_linear(system_.layout, current_, trial_);
    return Outcome::ok;
  }
  void commit(bool) override { current_ = trial_; }
  int interpolant_degree() const override { return 1; }
  void archive(Archive&) override {}  // none is between two steps: Loop::leave_corner

 private:
  bool solve(Attempt& a, const State& from, double t_new, double h) {
    start_ = &from;
    h_ = h;
    trial_.t = t_new;
    trial_.x = from.x;
    const DampedResult found = damped_newton(*this, {.max_iterations = max_iterations,
                                                     .descent = descent,
                                                     .tolerance = converged,
                                                     .max_stuck = max_rounded});
    a.outcome = found.outcome;
    a.newton_iterations += found.iterations;
    trial_.xd = (trial_.x - from.x) / h;
    return found.outcome == Outcome::ok;
  }

  Outcome residual(VectorXd& r) {
    if (const Outcome o = view_.difference(*start_, trial_.t, trial_.x.data(), h_, dd_.data());
        o != Outcome::ok)
      return o;
    return view_.residual(trial_.t, trial_.x.data(), dd_.data(), r.data());
  }
  Outcome solve(VectorXd& r) {
    const Outcome o = view_.residual_pencil().try_solve(r.data(), system_.layout.communicator());
    return o != Outcome::ok || r.allFinite() ? o : Outcome::not_finite;
  }
  double length_of(const VectorXd& dx) const {
    return (dx.array() / weight_->array()).abs().maxCoeff();
  }

  Outcome linearise() override {
    from_ = trial_.x;
    if (const Outcome o = residual(correction_); o != Outcome::ok) return o;
    if (const Outcome o = view_.linearise(trial_.t, from_.data(), dd_.data()); o != Outcome::ok)
      return o;
    if (const Outcome o = view_.residual_pencil().factorise(1.0 / h_, 1.0); o != Outcome::ok)
      return o;
    correction_ = -correction_;
    if (const Outcome o = solve(correction_); o != Outcome::ok) return o;
    rest_ = correction_;
    return Outcome::ok;
  }
  double length() const override { return length_of(correction_); }
  double remainder() override { return length_of(rest_); }
  Outcome move(double damping) override {
    trial_.x = from_ + damping * correction_;
    rest_ = correction_;
    if (damping == 0.0) return Outcome::ok;
    if (const Outcome o = residual(rest_); o != Outcome::ok) return o;
    if (!rest_.allFinite()) return Outcome::not_finite;
    rest_ = -rest_;
    return solve(rest_);
  }

  System& system_;
  double failed_;
  ResidualView& view_;
  int n_;
  const VectorXd* weight_ = nullptr;
  const State* start_ = nullptr;  // of the step that is being solved
  double h_ = 0.0;
  State current_, middle_, trial_;
  VectorXd dd_, correction_, rest_, error_, from_;
  Estimate estimate_;
};

}  // namespace

std::unique_ptr<Stepper> make_corner_stepper(System& system, double failed) {
  return std::make_unique<CornerStep>(system, failed);
}

bool Loop::may_enter_corner() const {
  return !crossing_ && method_.repair == Repair::accept_inherited && !fixed_ && !columns_ &&
         system_->residual_view() && !system_->residual_view()->residual_pencil().matrix_free() &&
         !system_->model_system() && system_->layout.euclidean() &&
         !system_->layout.communicator().shared() &&
         current_.xd.size() == system_->layout.tangents();
}

// The next attempts are steps over the corner, until one is accepted. They begin far longer than
// those that failed: the test shortens them as far as it has to, and rounding errors, which grow
// with 1/h, may have been the reason of the last failures.
bool Loop::enter_corner(const Trial& trial) {
  // Corners matter to longer steps than this.
  constexpr double part_of_run = 1e-6;
  if (!may_enter_corner()) return false;
  const bool failed = trial.attempt.outcome == Outcome::newton_failed;
  if (!failed && !(trial.solved() && !trial.rough && fails_in_algebraic(trial.tests))) return false;
  if (!corners_.add(current_.t, trial.request.h, length_, failed)) return false;
  auto stepper = make_corner_stepper(*system_, std::abs(trial.request.h));
  if (stepper->start({StartReason::event, current_}) != Outcome::ok) return false;
  stepper_ = std::move(stepper);
  crossing_ = true;
  order_ = 1;
  h_ = direction_ * std::max(std::abs(trial.request.h), part_of_run * length_);
  corners_.forget();
  return true;
}

bool Loop::fails_in_algebraic(std::span<const ErrorTest> tests) const {
  const auto worst =
      std::max_element(tests.begin(), tests.end(),
                       [](const ErrorTest& a, const ErrorTest& b) { return a.value < b.value; });
  return worst != tests.end() && worst->worst >= 0 &&
         !is_differentiated(system_->residual_view()->residual_pencil(), worst->worst);
}

// Behind it the method begins again: its past lies before the corner. Rates that the start values
// have there are those of what decays at once, and say nothing about the next step.
Status Loop::leave_corner() {
  crossing_ = false;
  const double h = history_.h_last;
  const Status s = leave_jump();
  h_ = direction_ * std::max(std::abs(h_), std::abs(h));
  return s;
}

}  // namespace daedalus
