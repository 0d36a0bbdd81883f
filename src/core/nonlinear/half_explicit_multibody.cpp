// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/accelerations.hpp"
#include "nonlinear/half_explicit_forms.hpp"

namespace daedalus {
namespace {

class MultibodyStages final : public HalfExplicit {
 public:
  explicit MultibodyStages(System& system)
      : view_(*system.mechanical_view()),
        size_(view_.sizes()),
        solver_(view_, system.counter),
        counter_(system.counter),
        layout_(system.layout),
        v_(*system.layout.find(VariableClass::v)),
        c_(system.layout.find(VariableClass::c)),
        s_(system.layout.find(VariableClass::s)),
        lambda_(system.layout.find(VariableClass::lambda)),
        differential_(size_.tangents + size_.velocities + size_.dynamic) {
    push_ = view_.make_constraint_matrix();
    pull_ = view_.make_constraint_matrix();
    base_matrix_ = view_.make_constraint_matrix();
    mass_ = view_.make_mass();
    next_.setZero(system.layout.points());
    next_increment_.setZero(differential_);
    lower_.setZero(size_.multipliers());
    force_.setZero(size_.velocities);
    rhs_.setZero(size_.velocities + size_.multipliers());
  }

  int differential() const override { return differential_; }

  void begin(const State& base) override {
    base_ = &base;
    // The contact coordinates of the last point are the best first guess for the next one.
    next_ = base.x;
    iterations_at_begin_ = counter_.now().newton_iterations;
  }

  Outcome place(double t, const double* increment, double* x) override {
    const double* from = base_->x.data();
    view_.space().plus(from, increment, x);
    for (int i = 0; i < size_.velocities; ++i)
      x[v_.point + i] = from[v_.point + i] + increment[v_.tangent + i];
    if (c_)
      for (int i = 0; i < size_.dynamic; ++i)
        x[c_->point + i] = from[c_->point + i] + increment[c_->tangent + i];
    return s_ ? view_.solve_contact(t, x, x + s_->point) : Outcome::ok;
  }

  Outcome solve(const Stage& stage) override {
    const MechanicalPoint p = view_.point(stage.t, stage.x);
    if (const Outcome o = position_rates(p, stage.increment, stage.rate); o != Outcome::ok)
      return o;
    if (size_.multipliers() > 0) {
      if (stage.at_last_constraint)
        std::swap(push_, pull_);
      else if (!stage.at_base)
        if (const Outcome o = view_.constraint_matrix(p, push_); o != Outcome::ok) return o;
      if (const Outcome o = constrain(stage); o != Outcome::ok) return o;
    }
    if (const Outcome o =
            solver_.solve(p, stage.at_base ? base_matrix_ : push_, pull_, lower_, stage.load);
        o != Outcome::ok)
      return o;
    take_solution(stage.x, stage.rate);
    return dynamic_rates(p, stage.rate);
  }

  Outcome rates(double t, double* x, const double* increment, bool hidden_constraint,
                double* rate) override {
    const MechanicalPoint p = view_.point(t, x);
    if (const Outcome o = position_rates(p, increment, rate); o != Outcome::ok) return o;
    if (hidden_constraint) {
      if (const Outcome o = solver_.solve(p); o != Outcome::ok) return o;
      take_solution(x, rate);
    }
    return dynamic_rates(p, rate);
  }

  Outcome correct(double t, double* increment) override {
    if (size_.multipliers() == 0) return Outcome::ok;
    if (const Outcome o = place(t, increment, next_.data()); o != Outcome::ok) return o;
    const MechanicalPoint p = view_.point(t, next_.data());
    if (const Outcome o = view_.constraint_matrix(p, push_); o != Outcome::ok) return o;
    if (const Outcome o = view_.velocity_offset(p, lower_.data()); o != Outcome::ok) return o;
    push_.add_times(1.0, p.v, lower_.data());
    rhs_.head(size_.velocities).setZero();
    rhs_.tail(size_.multipliers()) = -lower_;
    solver_.substitute(rhs_.data());
    for (int i = 0; i < size_.velocities; ++i) increment[v_.tangent + i] += rhs_[i];
    return Outcome::ok;
  }

  Outcome rebase(const State& base, bool last_constraint) override {
    if (size_.multipliers() == 0) return Outcome::ok;
    if (!last_constraint)
      return view_.constraint_matrix(view_.point(base.t, base.x.data()), base_matrix_);
    std::swap(base_matrix_, pull_);
    return Outcome::ok;
  }

  int balance_count() const override { return size_.velocities; }

  Outcome balance(const State& base, const double* rate, double* defect) override {
    const MechanicalPoint p = view_.point(base.t, base.x.data());
    if (const Outcome o = view_.mass(p, mass_); o != Outcome::ok) return o;
    if (const Outcome o = view_.force(p, force_.data()); o != Outcome::ok) return o;
    for (int i = 0; i < size_.velocities; ++i) defect[i] = -force_[i];
    mass_.add_times(1.0, rate + v_.tangent, defect);
    base_matrix_.add_transposed_times(1.0, p.lambda, defect);
    return Outcome::ok;
  }

  void archive(Archive& a) override {
    for (double& value : base_matrix_.values()) a(value);
    solver_.archive(a);
  }

  int singular_variable() const override { return solver_.singular_variable(layout_); }
  int newton_iterations() const override {
    return static_cast<int>(counter_.now().newton_iterations - iterations_at_begin_);
  }

 private:
  Outcome position_rates(const MechanicalPoint& p, const double* increment, double* rate) {
    if (const Outcome o = view_.rate(p, rate); o != Outcome::ok) return o;
    if (increment) view_.space().tangent_inverse(increment, rate, rate);
    return Outcome::ok;
  }

  Outcome dynamic_rates(const MechanicalPoint& p, double* rate) {
    return c_ ? view_.dynamics(p, rate + c_->tangent) : Outcome::ok;
  }

  void take_solution(double* x, double* rate) {
    for (int i = 0; i < size_.velocities; ++i) rate[v_.tangent + i] = solver_.a()[i];
    if (lambda_)
      for (int i = 0; i < size_.multipliers(); ++i) x[lambda_->point + i] = solver_.lambda()[i];
  }

  // G v' = lower at the constraint point, whose positions are known before v' is.
  Outcome constrain(const Stage& stage) {
    for (int i = 0; i < differential_; ++i)
      next_increment_[i] =
          stage.known[i] + (i < size_.tangents ? stage.factor * stage.rate[i] : 0.0);
    if (const Outcome o = place(stage.t_next, next_increment_.data(), next_.data());
        o != Outcome::ok)
      return o;
    const MechanicalPoint p = view_.point(stage.t_next, next_.data());
    if (const Outcome o = view_.constraint_matrix(p, pull_); o != Outcome::ok) return o;
    if (const Outcome o = view_.velocity_offset(p, lower_.data()); o != Outcome::ok) return o;
    pull_.add_times(1.0, p.v, lower_.data());
    lower_ /= -stage.factor;
    return Outcome::ok;
  }

  MechanicalView& view_;
  const MechanicalSizes& size_;
  Accelerations solver_;
  Counter& counter_;
  const Layout& layout_;
  LayoutBlock v_;
  const LayoutBlock *c_, *s_, *lambda_;
  int differential_;
  const State* base_ = nullptr;
  long iterations_at_begin_ = 0;
  PieceMatrix push_, pull_, base_matrix_, mass_;  // G at the stage, at its constraint point
  Eigen::VectorXd next_, next_increment_, lower_, force_, rhs_;
};

}  // namespace

std::unique_ptr<HalfExplicit> make_multibody_stages(System& system) {
  return std::make_unique<MultibodyStages>(system);
}

std::unique_ptr<HalfExplicit> HalfExplicit::make(System& system) {
  return system.mechanical_view() ? make_multibody_stages(system) : make_general_stages(system);
}

}  // namespace daedalus
