// SPDX-License-Identifier: BSD-3-Clause
// Half-explicit Euler for index-2 multibody systems, fixed steps, order 1 in q, v and lambda:
//   q1 = q0 + h T v0,  M(q0) (v1 - v0) = h (f(q0, v0, lambda) - G(q0)^T lambda),
//   G(q1) v1 + g_t(q1) = 0.  Arnold (1998), (1.17).
#include <daedalus/stepper.hpp>
#include "nonlinear/accelerations.hpp"
#include "system/system.hpp"

namespace daedalus {
namespace {

class HalfExplicitEuler final : public Stepper {
 public:
  explicit HalfExplicitEuler(System& system)
      : system_(system), view_(*system.mechanical_view()), solver_(view_, system.counter) {
    const MechanicalSizes& n = view_.sizes();
    trial_.x.setZero(system.layout.points());
    trial_.xd.setZero(system.layout.tangents());
    step_.setZero(system.layout.tangents());
    pull_ = view_.make_constraint_matrix();
    lower_.setZero(n.multipliers());
  }

  Outcome start(const Start& s) override {
    current_ = s.at;
    return Outcome::ok;
  }

  Attempt attempt(const StepRequest& r) override {
    Attempt a;
    a.outcome = advance(r);
    if (a.outcome == Outcome::matrix_singular)
      a.culprit = {Culprit::Kind::variable, solver_.singular_variable(system_.layout)};
    return a;
  }

  State& trial() override { return trial_; }

  Outcome interpolant(Interpolant& out) override {
    out.make_linear(system_.layout, current_, trial_);
    return Outcome::ok;
  }
  int interpolant_degree() const override { return 1; }

  void commit(bool) override {
    current_.t = trial_.t;
    current_.x = trial_.x;
    current_.xd = trial_.xd;
  }
  void archive(Archive& a) override {
    a(current_.t, current_.x, current_.xd);
    solver_.archive(a);
  }

 private:
  Outcome advance(const StepRequest& r) {
    const MechanicalSizes& n = view_.sizes();
    const Layout& l = system_.layout;
    const MechanicalPoint p0 = view_.point(r.t, current_.x.data());
    if (const Outcome o = view_.rate(p0, trial_.xd.data()); o != Outcome::ok) return o;
    step_.setZero();
    step_.head(n.tangents) = r.h * trial_.xd.head(n.tangents);
    l.plus(current_.x.data(), step_.data(), trial_.x.data());
    trial_.t = r.t_new;
    if (const LayoutBlock* s = l.find(VariableClass::s))
      if (const Outcome o =
              view_.solve_contact(r.t_new, trial_.x.data(), trial_.x.data() + s->point);
          o != Outcome::ok)
        return o;
    const MechanicalPoint p1 = view_.point(r.t_new, trial_.x.data());
    if (n.multipliers() > 0) {
      if (const Outcome o = view_.constraint_matrix(p1, pull_); o != Outcome::ok) return o;
      if (const Outcome o = view_.velocity_offset(p1, lower_.data()); o != Outcome::ok) return o;
      pull_.add_times(1.0, p0.v, lower_.data());
      lower_ /= -r.h;
    }
    if (const Outcome o = solver_.solve(p0, pull_, lower_); o != Outcome::ok) return o;
    const LayoutBlock *v = l.find(VariableClass::v), *c = l.find(VariableClass::c),
                      *lambda = l.find(VariableClass::lambda);
    trial_.x.segment(v->point, n.velocities) += r.h * solver_.a();
    trial_.xd.segment(v->tangent, n.velocities) = solver_.a();
    if (lambda) trial_.x.segment(lambda->point, n.multipliers()) = solver_.lambda();
    if (c) {
      MechanicalPoint with_lambda = p0;
      with_lambda.lambda = solver_.lambda().data();
      double* rate = trial_.xd.data() + c->tangent;
      if (const Outcome o = view_.dynamics(with_lambda, rate); o != Outcome::ok) return o;
      for (int i = 0; i < n.dynamic; ++i) trial_.x[c->point + i] += r.h * rate[i];
    }
    return first_not_finite(trial_.x.data(), static_cast<int>(trial_.x.size())) < 0
               ? Outcome::ok
               : Outcome::not_finite;
  }

  System& system_;
  MechanicalView& view_;
  Accelerations solver_;
  State current_, trial_;
  Eigen::VectorXd step_, lower_;
  PieceMatrix pull_;
};

}  // namespace

namespace methods {
const Method& half_explicit_euler();
const Method& half_explicit_euler() {
  static const Method method{
      .name = "half-explicit-euler",
      .family = "euler",
      .view = View::mechanical,
      .order = 1,
      .error_order = 0,
      .dense_order = 1,
      .orders = ClassOrders::all(1),
      .stability = Stability::none,
      .max_index = 2,
      .formulations = {"index2"},
      .fixed_step_only = true,
      .reference = "Arnold (1998), (1.17)",
      .make = [](System& system, const MethodSettings&) -> std::unique_ptr<Stepper> {
        return std::make_unique<HalfExplicitEuler>(system);
      }};
  return method;
}
}  // namespace methods
}  // namespace daedalus
