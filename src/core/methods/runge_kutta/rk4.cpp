// SPDX-License-Identifier: BSD-3-Clause
// The classical Runge-Kutta method on the index-1 form of a multibody system; v' and lambda come
// from one linear system per stage. The stage at the end of a step is the first of the next one and
// gives an embedded third-order solution, y1 - yhat1 = h (k4 - k5) / 6: with c = (0, 1/2, 1/2, 1,
// 1) the weights (1, 2, 2, 0, 1) / 6 meet all conditions up to order 3. On a group the stages live
// in the Lie algebra (Munthe-Kaas 1999). Kutta (1901); Hairer, Noersett, Wanner I, section II.1.
#include <array>

#include <daedalus/stepper.hpp>
#include "nonlinear/accelerations.hpp"
#include "system/system.hpp"

namespace daedalus {
namespace {

class Rk4 final : public Stepper {
 public:
  explicit Rk4(System& system)
      : system_(system),
        view_(*system.mechanical_view()),
        solver_(view_, system.counter),
        v_(*system.layout.find(VariableClass::v)),
        c_(system.layout.find(VariableClass::c)),
        s_(system.layout.find(VariableClass::s)),
        lambda_(system.layout.find(VariableClass::lambda)) {
    const int n = system.layout.tangents();
    trial_.x.setZero(system.layout.points());
    trial_.xd.setZero(n);
    stage_.setZero(system.layout.points());
    increment_.setZero(n);
    error_.setZero(n);
    plain_.setZero(view_.sizes().tangents);
    for (Eigen::VectorXd& k : k_) k.setZero(n);
  }

  Outcome start(const Start& s) override {
    current_ = s.at;
    k_[0] = s.at.xd;
    return Outcome::ok;
  }

  Attempt attempt(const StepRequest& r) override {
    Attempt a;
    a.outcome = advance(r);
    if (a.outcome == Outcome::matrix_singular)
      a.culprit = {Culprit::Kind::variable, solver_.singular_variable(system_.layout)};
    if (a.outcome != Outcome::ok) return a;
    error_.setZero();
    const int differential =
        c_ ? c_->tangent + c_->space.tangents() : v_.tangent + v_.space.tangents();
    error_.head(differential) = (r.h / 6.0) * (k_[3] - k_[4]).head(differential);
    estimate_ = {
        4, ClassOrders::all(4), {error_.data(), static_cast<std::size_t>(error_.size())}, false};
    a.estimates = {&estimate_, 1};
    return a;
  }

  State& trial() override { return trial_; }

  Outcome interpolant(Interpolant& out) override {
    // Cubic Hermite polynomial in the tangent space; algebraic variables linearly.
    const double h = trial_.t - current_.t;
    out.t0 = current_.t;
    out.h = h;
    out.base = current_.x;
    out.degree = 3;
    system_.layout.minus(current_.x.data(), trial_.x.data(), increment_.data());
    out.c.col(1) = increment_;
    out.c.col(2).setZero();
    out.c.col(3).setZero();
    const int n = c_ ? c_->tangent + c_->space.tangents() : v_.tangent + v_.space.tangents();
    const auto step = increment_.head(n);
    const auto k0 = k_[0].head(n), k1 = k_[4].head(n);
    out.c.col(1).head(n) = h * k0;
    out.c.col(2).head(n) = 3.0 * step - h * (2.0 * k0 + k1);
    out.c.col(3).head(n) = h * (k0 + k1) - 2.0 * step;
    return Outcome::ok;
  }
  int interpolant_degree() const override { return 3; }

  void commit(bool) override {
    current_.t = trial_.t;
    current_.x = trial_.x;
    k_[0] = trial_.xd;
  }
  void archive(Archive& a) override {
    a(current_.t, current_.x, k_[0]);
    solver_.archive(a);
  }

 private:
  // Rates at a state in the coordinates of the Lie algebra at the beginning of the step; fills
  // lambda of the state.
  Outcome rates(double t, const double* u, Eigen::VectorXd& x, Eigen::VectorXd& k,
                double* plain_rate) {
    const MechanicalSizes& n = view_.sizes();
    if (s_)
      if (const Outcome o = view_.solve_contact(t, x.data(), x.data() + s_->point);
          o != Outcome::ok)
        return o;
    MechanicalPoint p = view_.point(t, x.data());
    if (const Outcome o = solver_.solve(p); o != Outcome::ok) return o;
    if (lambda_) x.segment(lambda_->point, n.multipliers()) = solver_.lambda();
    if (const Outcome o = view_.rate(p, k.data()); o != Outcome::ok) return o;
    if (plain_rate) std::copy(k.data(), k.data() + n.tangents, plain_rate);
    view_.space().tangent_inverse(u, k.data(), k.data());
    k.segment(v_.tangent, n.velocities) = solver_.a();
    if (c_)
      if (const Outcome o = view_.dynamics(p, k.data() + c_->tangent); o != Outcome::ok) return o;
    return Outcome::ok;
  }

  Outcome advance(const StepRequest& r) {
    constexpr std::array<double, 4> a{0.0, 0.5, 0.5, 1.0};
    const Layout& l = system_.layout;
    stage_ = current_.x;
    for (std::size_t i = 1; i < 4; ++i) {
      increment_ = r.h * a[i] * k_[i - 1];
      clear_algebraic();
      l.plus(current_.x.data(), increment_.data(), stage_.data());
      if (const Outcome o = rates(r.t + a[i] * r.h, increment_.data(), stage_, k_[i], nullptr);
          o != Outcome::ok)
        return o;
    }
    increment_ = (r.h / 6.0) * (k_[0] + 2.0 * k_[1] + 2.0 * k_[2] + k_[3]);
    clear_algebraic();
    l.plus(current_.x.data(), increment_.data(), trial_.x.data());
    trial_.t = r.t_new;
    if (lambda_)
      trial_.x.segment(lambda_->point, lambda_->space.points()) =
          stage_.segment(lambda_->point, lambda_->space.points());
    const int tangents = view_.sizes().tangents;
    if (const Outcome o = rates(r.t_new, increment_.data(), trial_.x, k_[4], plain_.data());
        o != Outcome::ok)
      return o;
    trial_.xd = k_[4];
    trial_.xd.head(tangents) = plain_;
    return first_not_finite(trial_.x.data(), static_cast<int>(trial_.x.size())) < 0
               ? Outcome::ok
               : Outcome::not_finite;
  }

  void clear_algebraic() {
    if (s_) increment_.segment(s_->tangent, s_->space.tangents()).setZero();
    if (lambda_) increment_.segment(lambda_->tangent, lambda_->space.tangents()).setZero();
  }

  System& system_;
  MechanicalView& view_;
  Accelerations solver_;
  LayoutBlock v_;
  const LayoutBlock *c_, *s_, *lambda_;
  State current_, trial_;
  std::array<Eigen::VectorXd, 5> k_;
  Eigen::VectorXd stage_, increment_, error_, plain_;
  Estimate estimate_;
};

}  // namespace

namespace methods {
const Method& rk4();
const Method& rk4() {
  static const Method method{
      .name = "rk4",
      .family = "runge-kutta",
      .view = View::mechanical,
      .order = 4,
      .error_order = 3,
      .dense_order = 3,
      .orders = ClassOrders::all(4),
      .stability = Stability::none,
      .max_index = 1,
      .formulations = {"index1", "state-space"},
      .reference = "Kutta (1901)",
      .make = [](System& system, const MethodSettings&) -> std::unique_ptr<Stepper> {
        return std::make_unique<Rk4>(system);
      }};
  return method;
}
}  // namespace methods
}  // namespace daedalus
