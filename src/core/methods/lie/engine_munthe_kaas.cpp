// SPDX-License-Identifier: BSD-3-Clause
#include "methods/lie/engine_munthe_kaas.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/at.hpp"
#include "kernel/plmsm.hpp"
#include "methods/lie/engine_start.hpp"

namespace daedalus::lie_methods {
Common MuntheKaas::needs(Kind kind, int order, Common common) {
  common.values = kind == Kind::bdf ? order : std::max(1, order - 1);
  common.kept = order + 1;
  common.interpolated = order;
  return common;
}

MuntheKaas::MuntheKaas(System& system, Kind kind, int order, bool corrected, Common common)
    : Engine(system, needs(kind, order, common)),
      kind_(kind),
      order_(order),
      steps_(kind == Kind::bdf ? order : order - 1),
      corrected_(corrected),
      series_(space_) {
  relative_.assign(at(steps_ + 1), Eigen::VectorXd::Zero(nq_));
  for (Eigen::VectorXd* v : {&delta_, &remainder_, &image_, &minus_}) v->setZero(nv_);
}

void MuntheKaas::begun() {
  pending_ = corrected_ && index3() && kind_ == Kind::bdf;
  delta_.setZero();
  for (Eigen::VectorXd& w : relative_) w.setZero();
}

void MuntheKaas::committed() {
  minus_ = -past(0).increment;
  for (int i = steps_; i >= 2; --i)
    series_.bch(order_, minus_.data(), relative_[at(i - 1)].data(), relative_[at(i)].data());
  if (count() > common_.values && pending_) {
    for (int j = 1; j <= order_; ++j) past(j).velocity += delta_;
    delta_.setZero();
    pending_ = false;
  }
}

Outcome MuntheKaas::correct_start(const StepRequest& r) {
  lie::IncrementSeries errors{lie::Bracket(space_)};
  std::array<double, max_steps> steps{r.h};
  for (int j = 1; j < order_; ++j) steps[at(j)] = past(j - 1).t - past(j).t;
  errors.set_munthe_kaas(lie::bdf_formula(order_, steps.data()));
  StartDerivatives d(order_, nv_);
  for (int i = 0; i < order_; ++i) d.value(i, past(i).t, past(i).velocity);
  d.evaluate(past(0).rate.head(nv_));
  errors.leading_error(r.h, d.pointers(), delta_.data());
  if (const Outcome o = normal_.factorise(past(0).t, past(0).x.data()); o != Outcome::ok) return o;
  normal_.component(delta_.data(), delta_.data());
  return Outcome::ok;
}

void MuntheKaas::residual(const double* w, const double* v, double* r) {
  minus_ = -Eigen::Map<const Eigen::VectorXd>(w, nq_);
  series_.dexpinv(order_, minus_.data(), v, image_.data());
  for (int i = 0; i < nv_; ++i) r[i] = factor_ * w[i] + remainder_[i] - image_[i];
}

void MuntheKaas::derivatives(const double* w, const double* v, ElementMatrices& by_w,
                             ElementMatrices& by_v) {
  minus_ = -Eigen::Map<const Eigen::VectorXd>(w, nq_);
  by_w.set_multiple_of_identity(factor_);
  by_v.set_multiple_of_identity(-1.0);
  lie::Matrix first, second;
  for (const ElementMatrices::Element& e : by_w.elements()) {
    if (e.diagonal()) continue;
    lie::dexpinv_derivatives(e.kind, order_, minus_.data() + e.tangent, v + e.tangent, first,
                             second);
    by_w.block(e) += first;
    by_v.block(e) = -second;
  }
}

Outcome MuntheKaas::step(const StepRequest& r, Attempt& a) {
  if (pending_)
    if (const Outcome o = correct_start(r); o != Outcome::ok) return o;
  const bool bdf = kind_ == Kind::bdf;
  // On the true grid, on equal steps with the classical coefficients.
  std::array<double, max_steps + 2> node{};
  lay_nodes(r, std::max(1, steps_), node.data());
  bool equal = true;
  for (int j = 1; j < steps_; ++j) equal = equal && std::abs(node[at(j + 1)] + j) <= 1e-9 * j;
  for (int j = 1; equal && j < steps_; ++j) node[at(j + 1)] = -j;
  const plmsm::Formula<double> formula =
      bdf ? plmsm::bdf(node.data(), steps_) : plmsm::adams_moulton(node.data(), steps_);
  const double* alpha = formula.alpha.data();
  const double* beta = formula.beta.data();
  predict(r, std::max(1, steps_));
  remainder_.setZero();
  known_rate_.setZero();
  double sigma = 0.0;
  if (bdf) {
    factor_ = sigma = alpha[0] / r.h;
    // In differences: rounded alpha_i do not add up to zero and would accelerate a large v.
    known_rate_.head(nv_) = -sigma * (past(0).velocity + delta_);
    known_rate_.tail(nr_ - nv_) = -sigma * dynamic(past(0).x);
    for (int i = 2; i <= steps_; ++i) {
      remainder_ += (alpha[i] / r.h) * relative_[at(i)];
      known_rate_.head(nv_) += (alpha[i] / r.h) * (past(i - 1).velocity - past(0).velocity);
      known_rate_.tail(nr_ - nv_) +=
          (alpha[i] / r.h) * (dynamic(past(i - 1).x) - dynamic(past(0).x));
    }
  } else {
    factor_ = sigma = 1.0 / (r.h * beta[0]);
    known_rate_.head(nv_) = -sigma * past(0).velocity;
    known_rate_.tail(nr_ - nv_) = -sigma * dynamic(past(0).x);
    for (int i = 1; i <= steps_; ++i) {
      minus_ = -relative_[at(i)];
      series_.dexpinv(order_, minus_.data(), past(i - 1).velocity.data(), image_.data());
      remainder_ -= (beta[i] / beta[0]) * image_;
      known_rate_ -= (beta[i] / beta[0]) * past(i - 1).rate;
    }
  }
  const GroupNewton::Result result = solve(r, *this, past(0).x.data(), sigma);
  a.newton_iterations = result.iterations;
  a.newton_rate = result.rate;
  a.culprit = result.culprit;
  return result.outcome;
}

void MuntheKaas::archive(Archive& a) {
  Engine::archive(a);
  a(pending_, delta_);
  for (Eigen::VectorXd& w : relative_) a(w);
}

}  // namespace daedalus::lie_methods
