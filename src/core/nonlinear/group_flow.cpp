// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/group_flow.hpp"

#include <algorithm>
#include <cmath>

#include "system/mechanical_view.hpp"

namespace daedalus {
namespace {
// Halving a step so often means that the equations are stiff or the step is far too long.
constexpr double min_piece = 1.0 / 1024.0;
// The start values are to be this much better than the tolerance, and round-off is enough.
constexpr double share = 1e-3, round_off = 1e-14;
}  // namespace

GroupFlow::GroupFlow(System& system)
    : system_(system), half_(HalfExplicit::make(system)), ny_(half_->differential()) {
  for (State* s : {&base_, &point_, &target_}) {
    s->x.setZero(system.layout.points());
    s->xd.setZero(system.layout.tangents());
  }
  for (Eigen::VectorXd* v : {&rate_, &before_, &now_, &next_, &weight_}) v->setZero(ny_);
  table_.assign(columns, Eigen::VectorXd::Zero(ny_));
}

Outcome GroupFlow::rate(double t, const Eigen::VectorXd& y) {
  if (const Outcome o = half_->place(t, y.data(), point_.x.data()); o != Outcome::ok) return o;
  return half_->rates(t, point_.x.data(), y.data(), true, rate_.data());
}

Outcome GroupFlow::midpoint(double t, double h, int parts, Eigen::VectorXd& result) {
  const double step = h / parts;
  before_.setZero();
  if (const Outcome o = rate(t, before_); o != Outcome::ok) return o;
  now_ = step * rate_;
  for (int i = 1; i < parts; ++i) {
    if (const Outcome o = rate(t + i * step, now_); o != Outcome::ok) return o;
    next_ = before_ + (2.0 * step) * rate_;
    before_.swap(now_);
    now_.swap(next_);
  }
  result = now_;
  return Outcome::ok;
}

// The increments of (q, v, c) over h, in table_.front(), and their error in units of the weight.
Outcome GroupFlow::piece(const State& from, double h, double* error) {
  half_->begin(from);
  point_.x = from.x;
  *error = 0.0;
  for (int j = 0; j < columns; ++j) {
    const auto column = static_cast<std::size_t>(j);
    if (const Outcome o = midpoint(from.t, h, 2 * (j + 1), table_[column]); o != Outcome::ok)
      return o;
    // Aitken and Neville: table_[i] becomes the entry that uses the results i .. j.
    for (int i = j - 1; i >= 0; --i) {
      const double ratio = static_cast<double>(j + 1) / (i + 1);
      auto& lower = table_[static_cast<std::size_t>(i)];
      const auto& upper = table_[static_cast<std::size_t>(i) + 1];
      if (i == 0 && j == columns - 1) next_ = upper;
      lower = upper + (upper - lower) / (ratio * ratio - 1.0);
    }
  }
  for (int i = 0; i < ny_; ++i)
    *error = std::max(*error, std::abs(table_.front()[i] - next_[i]) / weight_[i]);
  return std::isfinite(*error) ? Outcome::ok : Outcome::not_finite;
}

Outcome GroupFlow::complete(State& s) {
  if (const Outcome o = half_->rates(s.t, s.x.data(), nullptr, true, rate_.data());
      o != Outcome::ok)
    return o;
  s.xd.head(ny_) = rate_;
  return Outcome::ok;
}

Outcome GroupFlow::advance(const State& from, double t, const Eigen::VectorXd& weight, State& to) {
  base_.t = from.t;
  base_.x = from.x;
  double length = t - from.t;
  const double least = min_piece * std::abs(length);
  while (base_.t != t) {
    const double rest = t - base_.t;
    if (std::abs(length) > 0.999 * std::abs(rest)) length = rest;
    system_.layout.magnitude(base_.x.data(), target_.xd.data());
    for (int i = 0; i < ny_; ++i)
      weight_[i] = std::max(share * weight[i], round_off * (1e-3 + target_.xd[i]));
    double error = 0.0;
    const Outcome o = piece(base_, length, &error);
    if (o == Outcome::callback_failed) return o;
    if (o != Outcome::ok || error > 1.0) {
      length *= 0.5;
      if (std::abs(length) < least) return o != Outcome::ok ? o : Outcome::newton_failed;
      continue;
    }
    target_.t = length == rest ? t : base_.t + length;
    target_.x = point_.x;
    if (const Outcome p = half_->place(target_.t, table_.front().data(), target_.x.data());
        p != Outcome::ok)
      return p;
    std::swap(base_, target_);
  }
  if (const Outcome o = system_.mechanical_view()->meet_constraints(t, base_.x); o != Outcome::ok)
    return o;
  to.t = t;
  to.x = base_.x;
  return complete(to);
}

}  // namespace daedalus
