// SPDX-License-Identifier: BSD-3-Clause
#include "methods/lie/engine_bliedf.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/at.hpp"
#include "methods/lie/engine_start.hpp"

namespace daedalus::lie_methods {
namespace {
// Steps that differ by the rounding of their ends are equal.
bool alike(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }
}  // namespace

Common Bliedf::needs(int k, Common common) {
  common.values = k;
  common.kept = 2 * k + 2;
  common.interpolated = k;
  return common;
}

Bliedf::Bliedf(System& system, const BliedfSettings& settings, Common common)
    : Engine(system, needs(settings.k, common)),
      settings_(settings),
      k_(settings.k),
      term_(lie::Bracket(space_), settings.set),
      series_(lie::Bracket(space_)),
      implicit_(!settings.set.is_explicit()) {
  steps_.assign(at(2 * k_ + 1), 0.0);
  for (Eigen::VectorXd* v : {&delta_, &remainder_, &correction_, &work_}) v->setZero(nv_);
  for (auto* list : {&velocities_, &projected_, &derivatives_, &errors_})
    list->assign(at(k_ + 2), Eigen::VectorXd::Zero(nv_));
}

void Bliedf::begun() {
  pending_ = settings_.corrected_start && index3();
  delta_.setZero();
}

void Bliedf::committed() {
  if (!pending_ || count() <= common_.values) return;
  for (int j = 1; j <= k_; ++j) past(j).velocity += delta_;
  delta_.setZero();
  pending_ = false;
}

// Before the start the first step is taken to have been in use for ever.
void Bliedf::lay_steps(const StepRequest& r) {
  steps_[0] = r.h;
  for (int j = 1; j < static_cast<int>(steps_.size()); ++j)
    steps_[at(j)] = j < count() ? past(j - 1).t - past(j).t : steps_[at(j - 1)];
}

bool Bliedf::equal_steps(const StepRequest& r) const {
  bool equal = true;
  for (int j = 1; j < k_; ++j) equal = equal && alike(steps_[at(j)], r.h);
  return equal;
}

void Bliedf::use(const lie::BdfFormula& formula, bool by_set) {
  if (by_set)
    series_.set(formula, settings_.set);
  else
    series_.set(formula);
}

Outcome Bliedf::correct_start(const StepRequest& r) {
  const bool equal = equal_steps(r);
  use(equal ? lie::bdf_formula(k_) : lie::bdf_formula(k_, steps_.data()),
      equal && !settings_.always_variable);
  StartDerivatives d(k_, nv_);
  for (int i = 0; i < k_; ++i) d.value(i, past(i).t, past(i).velocity);
  d.evaluate(past(0).rate.head(nv_));
  series_.leading_error(r.h, d.pointers(), delta_.data());
  if (const Outcome o = normal_.factorise(past(0).t, past(0).x.data()); o != Outcome::ok) return o;
  normal_.component(delta_.data(), delta_.data());
  return Outcome::ok;
}

// velocities_[i] = vbar_{n+1-i}. All local errors take their derivatives at t_n, so that they
// differ by their grids alone; those come from velocities without their normal parts, which jump
// with the step (P v; the raw ones as printed cost order in lambda).
Outcome Bliedf::modify_velocities(const lie::BdfFormula& formula) {
  bool equal = true;
  for (std::size_t j = 1; j < steps_.size(); ++j) equal = equal && alike(steps_[j], steps_[0]);
  const int values = k_ + 1, least = k_ == 4 ? k_ + 2 : k_ + 1;
  if (equal || settings_.modification == 0 || !index3() || count() < least) return Outcome::ok;
  std::array<double, max_steps + 2> node{};
  for (int i = 1; i < values; ++i) node[at(i)] = (past(i).t - past(0).t) / steps_[0];
  for (int i = 0; i < values; ++i) {
    projected_[at(i)] = past(i).velocity;
    if (settings_.modification != 1) continue;
    if (const Outcome o = normal_.factorise(past(i).t, past(i).x.data()); o != Outcome::ok)
      return o;
    normal_.component(past(i).velocity.data(), work_.data());
    projected_[at(i)] -= work_;
  }
  std::array<const double*, max_steps + 1> pointers{};
  double power = 1.0;
  for (int j = 0; j <= k_; ++j, power *= steps_[0]) {
    // (5.34): each derivative from as few values as it takes, from k = 4 on from all.
    const lie::DifferenceWeights w =
        lie::difference_weights(0, k_ < 4 ? j + 1 : values, node.data());
    derivatives_[at(j)].setZero();
    for (int i = 0; i < w.points; ++i)
      derivatives_[at(j)] += (w.weight[j][i] / power) * projected_[at(i)];
    pointers[at(j)] = derivatives_[at(j)].data();
  }
  derivatives_[0] = past(0).velocity;
  for (int j = 0; j <= k_; ++j) {
    use(lie::bdf_formula(k_, steps_.data() + j), false);
    series_.leading_error(steps_[at(j)], pointers.data(), errors_[at(j)].data());
  }
  for (int i = 1; i <= k_; ++i) {
    const Entry& e = past(i - 1);
    if (const Outcome o = normal_.factorise(e.t, e.x.data()); o != Outcome::ok) return o;
    work_ = errors_[at(i - 1)] - errors_[at(i)];
    normal_.component(work_.data(), work_.data());
    velocities_[at(i)] -= (formula.gamma[i] / formula.alpha[i]) * work_;
  }
  return Outcome::ok;
}

void Bliedf::residual(const double* w, const double* v, double* r) {
  if (implicit_ && used_set_) term_.evaluate(v, w, correction_.data());
  for (int i = 0; i < nv_; ++i) r[i] = factor_ * w[i] + remainder_[i] - v[i] - correction_[i];
}

void Bliedf::derivatives(const double* w, const double* v, ElementMatrices& by_w,
                         ElementMatrices& by_v) {
  by_w.set_multiple_of_identity(factor_);
  by_v.set_multiple_of_identity(-1.0);
  if (!implicit_ || !used_set_) return;
  term_.evaluate(v, w, correction_.data());
  lie::Matrix by_rate, by_velocity;
  const double h = formula_.gamma[1] / factor_;
  for (const ElementMatrices::Element& e : by_w.elements()) {
    if (e.diagonal()) continue;
    term_.derivatives(e.kind, e.tangent, by_rate, by_velocity);
    by_w.block(e) -= by_rate / h;
    by_v.block(e) -= by_velocity;
  }
}

Outcome Bliedf::step(const StepRequest& r, Attempt& a) {
  lay_steps(r);
  if (pending_)
    if (const Outcome o = correct_start(r); o != Outcome::ok) return o;
  const bool equal = equal_steps(r);
  formula_ = equal ? lie::bdf_formula(k_) : lie::bdf_formula(k_, steps_.data());
  used_set_ = equal && !settings_.always_variable;
  std::array<const double*, max_steps + 1> v{}, omega{};
  for (int i = 1; i <= k_; ++i) {
    velocities_[at(i)] = past(i - 1).velocity + delta_;
    v[at(i)] = velocities_[at(i)].data();
    if (i > 1) omega[at(i)] = past(i - 2).increment.data();
  }
  correction_.setZero();
  if (used_set_) {
    term_.prepare(r.h, v.data(), omega.data());
    if (!implicit_) term_.evaluate(nullptr, nullptr, correction_.data());
  } else if (k_ > 2) {
    use(formula_, false);
    series_.correction_of_values(r.h, v.data(), correction_.data());
  }
  if (const Outcome o = modify_velocities(formula_); o != Outcome::ok) return o;
  predict(r, k_);
  factor_ = formula_.gamma[1] / r.h;
  remainder_.setZero();
  // In differences: rounded alpha_i do not add up to zero and would accelerate a large v.
  known_rate_.head(nv_) = (-formula_.alpha[0] / r.h) * velocities_[1];
  known_rate_.tail(nr_ - nv_) = (-formula_.alpha[0] / r.h) * dynamic(past(0).x);
  for (int i = 2; i <= k_; ++i) {
    remainder_ += (formula_.gamma[i] / r.h) * past(i - 2).increment;
    known_rate_.head(nv_) += (formula_.alpha[i] / r.h) * (velocities_[at(i)] - velocities_[1]);
    known_rate_.tail(nr_ - nv_) +=
        (formula_.alpha[i] / r.h) * (dynamic(past(i - 1).x) - dynamic(past(0).x));
  }
  const GroupNewton::Result result = solve(r, *this, past(0).x.data(), formula_.alpha[0] / r.h);
  a.newton_iterations = result.iterations;
  a.newton_rate = result.rate;
  a.culprit = result.culprit;
  return result.outcome;
}

void Bliedf::archive(Archive& a) {
  Engine::archive(a);
  a(pending_, delta_);
}

}  // namespace daedalus::lie_methods
