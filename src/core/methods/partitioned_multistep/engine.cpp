// SPDX-License-Identifier: BSD-3-Clause
#include "methods/partitioned_multistep/engine.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/at.hpp"

namespace daedalus::partitioned_multistep {
namespace {
// Ratios of steps are powers of 2^(1/4): trajectories do not depend on the round-off in estimates.
constexpr double step_grid = 1.189207115002721;
}  // namespace

Engine::Engine(System& system, const Configuration& configuration)
    : system_(system),
      configuration_(configuration),
      half_(HalfExplicit::make(system)),
      ny_(half_->differential()),
      grouped_(!system.layout.euclidean()),
      history_(system.layout, ny_) {
  if (!half_->has_hidden_constraint() && configuration.rule == AlgebraicRule::hidden_constraint)
    configuration_.rule = AlgebraicRule::second_formula;
  const Layout& l = system.layout;
  for (const VariableClass cls : {VariableClass::z, VariableClass::lambda})
    if (const LayoutBlock* b = l.find(cls)) z_point_ = b->point, z_count_ = b->space.points();
  if (const LayoutBlock* v = l.find(VariableClass::v))
    v_tangent_ = v->tangent, v_count_ = v->space.tangents();
  if (configuration.rule == AlgebraicRule::blocking && system.mechanical_view())
    motion_ = std::make_unique<Motion>(system);
  for (State* s : {&base_, &trial_, &scratch_}) {
    s->x.setZero(l.points());
    s->xd.setZero(l.tangents());
  }
  for (Eigen::VectorXd* v : {&increment_, &known_part_, &second_part_, &rate_, &own_rate_, &left_})
    v->setZero(ny_);
  for (Stage& s : stages_) {
    s.increment.setZero(ny_);
    s.rate.setZero(ny_);
  }
  for (Eigen::VectorXd& e : errors_) e.setZero(l.tangents());
  inner_points_.setZero(l.points(), max_steps() + 1);
  inner_rates_.setZero(ny_, max_steps() + 1);
}

Outcome Engine::start(const Start& s) {
  known_ = s.known;
  base_.t = s.at.t;
  base_.x = s.at.x;
  scratch_.x = s.at.x;
  half_->begin(base_);
  history_.clear();
  lipschitz_ = lipschitz_trial_ = 0.0;
  // z as it was given stays what is reported; the rate belongs to the hidden constraint.
  if (const Outcome o = half_->rates(s.at.t, scratch_.x.data(), nullptr, true, rate_.data());
      o != Outcome::ok)
    return o;
  history_.push(s.at.t, s.at.x.data(), rate_.data());
  return Outcome::ok;
}

// Orders are those of y: k + 1 for k steps.
Attempt Engine::attempt(const StepRequest& r) {
  Attempt a;
  const int count = history_.count(), asked = r.order - 1;
  // More than there is asks for no order in particular: a run without error control.
  const int wanted = configuration_.estimates && asked > configuration_.max_steps
                         ? configuration_.fixed_steps
                         : stable_steps(r.h, std::clamp(asked, configuration_.min_steps,
                                                        configuration_.max_steps));
  base_.t = history_.time(0);
  base_.x = history_.point(0);
  half_->begin(base_);
  laid_ = 0;
  estimate_count_ = 0;
  lipschitz_trial_ = 0.0;
  k_ = wanted;
  if (count < wanted && known_ && (*known_)(r.t_new, scratch_)) {
    k_ = count;
    a.outcome = known_step(r);
  } else if (count == 1 && wanted > 1 && known_past(r, wanted, a.outcome)) {
    if (a.outcome == Outcome::ok) a.outcome = multistep(r, wanted);
  } else if (half_->has_hidden_constraint() &&
             (count == 1 || (count < wanted && !configuration_.estimates))) {
    a.outcome = collocation(r);
  } else {
    k_ = std::min(wanted, count);
    a.outcome = multistep(r, std::min(count, k_ + 1));
  }
  a.order = k_ + 1;
  a.newton_iterations = half_->newton_iterations();
  if (a.outcome == Outcome::matrix_singular)
    a.culprit = {Culprit::Kind::variable, half_->singular_variable()};
  if (a.outcome != Outcome::ok) return a;
  finish(r);
  if (first_not_finite(trial_.x.data(), static_cast<int>(trial_.x.size())) >= 0) {
    a.outcome = Outcome::not_finite;
    return a;
  }
  if (configuration_.estimates && kind_ != Kind::known) {
    if (a.outcome = estimate(r); a.outcome != Outcome::ok) return a;
    a.estimates = {estimates_.data(), at(estimate_count_)};
    note_lipschitz(r);
    // At the limit of its order a run has the lower ones left: stability is what limits the step
    // when the next lower order would not do, either.
    const int below = std::max(k_ - 1, 1);
    a.stiffness =
        std::abs(r.h) * lipschitz_trial_ / stability_limit(below, configuration_.correctors);
    a.advice.hold_order = k_ + 1;
    a.advice.keep_up_to = step_grid;
  }
  return a;
}

Outcome Engine::rate_of_known(double t, double* chart_rate) {
  history_.increment_to(scratch_.x.data(), increment_.data());
  trial_.x = scratch_.x;  // whose z the hidden constraint may change
  return half_->rates(t, trial_.x.data(), increment_.data(), true, chart_rate);
}

Outcome Engine::known_step(const StepRequest& r) {
  kind_ = Kind::known;
  if (const Outcome o = rate_of_known(r.t_new, rate_.data()); o != Outcome::ok) return o;
  trial_.x = scratch_.x;
  history_.enter_chart(k_);
  nodes_.count = k_ + 1;
  nodes_.theta[0] = 1.0;
  for (int j = 0; j < k_; ++j) nodes_.theta[at(j + 1)] = (history_.time(j) - r.t) / r.h;
  return Outcome::ok;
}

// A past before the start: equilibrium, or the solution of another method.
bool Engine::known_past(const StepRequest& r, int k, Outcome& outcome) {
  if (!known_) return false;
  for (int j = 1; j < k; ++j) {
    const double t = r.t - j * r.h;
    if (!(*known_)(t, scratch_)) return false;
    if (outcome = rate_of_known(t, rate_.data()); outcome != Outcome::ok) return true;
    if (outcome = own_rate(t, scratch_.x.data(), rate_.data(), own_rate_.data());
        outcome != Outcome::ok)
      return true;
    history_.lay_behind(j, t, scratch_.x.data(), own_rate_.data());
  }
  laid_ = k;
  return true;
}

Outcome Engine::collocation(const StepRequest& r) {
  kind_ = Kind::collocation;
  const int k = k_;
  nodes_.count = k + 1;
  for (int i = 0; i <= k; ++i) nodes_.theta[at(k - i)] = static_cast<double>(i) / k;
  inner_points_.col(0) = base_.x;
  inner_rates_.col(0) = history_.rate(0);
  for (int sweep = 0; sweep <= k; ++sweep)
    for (int i = 1; i <= k; ++i) {
      const double share = static_cast<double>(i) / k;
      // Nodes 0, 1, ..., k in units of the i-th: its integral from 0 to 1 ends there.
      plmsm::Row<double> x{};
      for (int j = 0; j <= k; ++j) x[at(j)] = static_cast<double>(j) / i;
      const plmsm::Row<double> weight = plmsm::integral(x.data(), k + 1);
      increment_.setZero();
      for (int j = 0; j <= k; ++j)
        increment_ +=
            r.h * share * weight[at(j)] * inner_rates_.col(sweep == 0 ? std::min(j, i - 1) : j);
      if (sweep == 0) inner_points_.col(i) = inner_points_.col(i - 1);
      double* x_i = inner_points_.col(i).data();
      const double t = i == k ? r.t_new : r.t + share * r.h;
      if (const Outcome o = half_->place(t, increment_.data(), x_i); o != Outcome::ok) return o;
      if (const Outcome o =
              half_->rates(t, x_i, increment_.data(), true, inner_rates_.col(i).data());
          o != Outcome::ok)
        return o;
    }
  trial_.x = inner_points_.col(k);
  rate_ = inner_rates_.col(k);
  return Outcome::ok;
}

// What is known of sum alpha_j w_j = h sum beta_j w'_j, over alpha of the new value.
void Engine::remainder(const plmsm::Formula<double>& f, double h, Eigen::VectorXd& out) const {
  out.setZero();
  for (int j = 0; j < f.steps; ++j) {
    if (const double b = f.beta[at(j + 1)]; b != 0.0) out += (h * b) * history_.chart_rate(j);
    // w_0 = 0: t_n is the origin of the chart.
    if (const double c = f.alpha[at(j + 1)]; j > 0 && c != 0.0) out -= c * history_.relative(j);
  }
  out /= f.alpha[0];
}

// Extrapolated over at most four values: a first guess where z is found by iteration.
void Engine::guess_algebraic() {
  if (z_count_ == 0) return;
  const int values = std::min(k_, 4);
  const plmsm::Row<double> w = plmsm::extrapolation(nodes_.theta.data() + 1, values, 1.0);
  auto z = trial_.x.segment(z_point_, z_count_);
  z.setZero();
  for (int j = 0; j < values; ++j) z += w[at(j)] * history_.point(j).segment(z_point_, z_count_);
}

Outcome Engine::multistep(const StepRequest& r, int values) {
  kind_ = Kind::multistep;
  const int k = k_;
  nodes_.count = values + 1;
  nodes_.theta[0] = 1.0;
  for (int j = 0; j < values; ++j) nodes_.theta[at(j + 1)] = (history_.time(j) - r.t) / r.h;
  history_.enter_chart(values);
  const double* x = nodes_.theta.data();
  const plmsm::Formula<double> formula = configuration_.corrector == Corrector::adams_moulton
                                             ? plmsm::adams_moulton(x, k)
                                             : plmsm::difference_corrected_bdf(x, k);
  const plmsm::Row<double> predictor = plmsm::adams_bashforth(x + 1, k);
  increment_.setZero();
  for (int j = 0; j < k; ++j) increment_ += (r.h * predictor[at(j)]) * history_.chart_rate(j);
  remainder(formula, r.h, known_part_);
  const double factor = factor_ = r.h * formula.beta[0] / formula.alpha[0];
  trial_.x = base_.x;  // contact coordinates: the first guess
  guess_algebraic();
  if (const Outcome o = half_->place(r.t_new, increment_.data(), trial_.x.data()); o != Outcome::ok)
    return o;
  for (int l = 0; l < configuration_.correctors; ++l) {
    HalfExplicit::Stage stage;
    stage.t = stage.t_next = r.t_new;
    stage.x = trial_.x.data();
    stage.increment = increment_.data();
    stage.known = known_part_.data();
    stage.factor = factor;
    stage.rate = rate_.data();
    stage.at_last_constraint = l > 0;
    if (const Outcome o = half_->solve(stage); o != Outcome::ok) return o;
    if (configuration_.estimates) note_stage();
    increment_ = known_part_ + factor * rate_;
    if (const Outcome o = half_->place(r.t_new, increment_.data(), trial_.x.data());
        o != Outcome::ok)
      return o;
  }
  return define_algebraic(r, formula, factor);
}

Outcome Engine::define_algebraic(const StepRequest& r, const plmsm::Formula<double>& formula,
                                 double factor) {
  if (configuration_.rule == AlgebraicRule::hidden_constraint)
    return half_->rates(r.t_new, trial_.x.data(), increment_.data(), true, rate_.data());
  if (configuration_.rule == AlgebraicRule::blocking && !configuration_.block_rates)
    return blocked(r, formula);
  HalfExplicit::Stage stage;
  stage.t = stage.t_next = r.t_new;
  stage.x = trial_.x.data();
  stage.increment = increment_.data();
  stage.known = known_part_.data();
  stage.factor = factor;
  stage.rate = rate_.data();
  stage.at_last_constraint = true;
  if (configuration_.rule == AlgebraicRule::second_formula) {
    const plmsm::Formula<double> second = plmsm::bdf(nodes_.theta.data(), k_);
    remainder(second, r.h, second_part_);
    stage.known = second_part_.data();
    stage.factor = r.h / second.alpha[0];
  }
  if (const Outcome o = half_->solve(stage); o != Outcome::ok) return o;
  return configuration_.rule == AlgebraicRule::blocking ? blocked(r, formula) : Outcome::ok;
}

// z_{n+1} = (beta zeta + sum tau_j z_{n-j}) / (beta - tau), with zeta of the last corrector in x.
Outcome Engine::blocked(const StepRequest& r, const plmsm::Formula<double>& formula) {
  const int k = formula.steps;
  const plmsm::Row<double> tau = configuration_.corrector == Corrector::adams_moulton
                                     ? plmsm::blocking(nodes_.theta.data(), k, configuration_.gamma)
                                     : plmsm::blocking(formula);
  const double over = 1.0 / (formula.beta[0] - tau[0]);
  auto z = trial_.x.segment(z_point_, z_count_);
  z *= formula.beta[0] * over;
  for (int j = 0; j < k; ++j)
    z += (tau[at(j + 1)] * over) * history_.point(j).segment(z_point_, z_count_);
  if (configuration_.block_rates) {
    auto a = rate_.segment(v_tangent_, v_count_);
    a *= formula.beta[0] * over;
    for (int j = 0; j < k; ++j)
      a += (tau[at(j + 1)] * over) * history_.rate(j).segment(v_tangent_, v_count_);
    return Outcome::ok;
  }
  if (motion_)
    if (const Outcome o = motion_->solve(r.t_new, trial_.x.data(), rate_.data() + v_tangent_);
        o != Outcome::ok)
      return o;
  return half_->rates(r.t_new, trial_.x.data(), increment_.data(), false, rate_.data());
}

void Engine::finish(const StepRequest& r) {
  trial_.t = r.t_new;
  system_.layout.minus(base_.x.data(), trial_.x.data(), trial_.xd.data());
  trial_.xd /= r.h;
  (void)own_rate(r.t_new, trial_.x.data(), rate_.data(), own_rate_.data());
  trial_.xd.head(ny_) = own_rate_;
}

// From the chart at x_n to the tangent space at the point itself.
Outcome Engine::own_rate(double t, double* x, const double* chart_rate, double* out) {
  std::copy(chart_rate, chart_rate + ny_, out);
  return grouped_ ? half_->rates(t, x, nullptr, false, out) : Outcome::ok;
}

void Engine::commit(bool) {
  lipschitz_ = lipschitz_trial_;
  if (kind_ == Kind::collocation)
    for (int i = 1; i < k_; ++i) {
      double* x = inner_points_.col(i).data();
      const double t = base_.t + (trial_.t - base_.t) * i / k_;
      (void)own_rate(t, x, inner_rates_.col(i).data(), own_rate_.data());
      history_.push(t, x, own_rate_.data());
    }
  if (laid_ > 0) history_.keep(laid_);
  // A projection moves the point by less than the local error: its rate serves as it is.
  own_rate_ = trial_.xd.head(ny_);
  history_.push(trial_.t, trial_.x.data(), own_rate_.data());
}

void Engine::archive(Archive& a) {
  history_.archive(a);
  a(lipschitz_);
  half_->archive(a);
  if (motion_) motion_->archive(a);
}

}  // namespace daedalus::partitioned_multistep
