// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivity/column_equations.hpp"

#include <algorithm>
#include <cmath>

#include "formulation/lower.hpp"
#include "kernel/at.hpp"
#include "kernel/want_of_memory.hpp"

namespace daedalus {
namespace {

// A point over dual numbers that moves in no direction may be evaluated over doubles. Here the
// parameters move: a derivative of t far below round-off says so, and changes nothing.
constexpr double moves = 1e-290, nothing = 1e-250;

}  // namespace

ColumnEquations::ColumnEquations(std::shared_ptr<const Problem> problem, const Asked& asked,
                                 const std::string& formulation, const LoweringOptions& lowering,
                                 double t0)
    : problem_(std::move(problem)),
      asked_(asked),
      formulation_(formulation),
      lowering_(lowering),
      seeds_(std::make_shared<Seeds>(inputs_of(*problem_), asked.parameters)),
      system_(lower(seeded(*problem_, asked.parameters, seeds_), formulation, View::residual,
                    lowering, t0)),
      view_(system_->residual_view()) {
  auto* const first_order = dynamic_cast<FirstOrderSystem*>(system_.get());
  map_ = first_order ? &first_order->map() : nullptr;
  differentiable_ = map_ && map_->differentiable() && !lowering.differences;
  const int rows = map_ ? map_->rows() : size();
  x_.resize(at(layout().points()));
  xd_.resize(at(std::max(size(), view_->differentiated_count())));
  r_.resize(at(rows));
  upper_.setZero(rows);
  lower_.setZero(rows);
  if (differentiable_) return;
  near_.resize(asked.parameters.size());
  for (std::size_t k = 0; k < near_.size(); ++k)
    if (asked.parameters[k].input < 0) {
      near_[k][0] = lower(asked.parameters[k].plus, formulation, View::residual, lowering, t0);
      near_[k][1] = lower(asked.parameters[k].minus, formulation, View::residual, lowering, t0);
    }
}

Outcome ColumnEquations::by_parameters(double t, const Eigen::VectorXd& x,
                                       const Eigen::VectorXd& xd, Eigen::MatrixXd& out) {
  out.setZero(size(), static_cast<int>(asked_.parameters.size()));
  if (out.cols() == 0) return Outcome::ok;
  const Outcome o = differentiable_ ? by_duals(t, x, xd, out) : by_differences(t, x, xd, out);
  if (o != Outcome::ok) hand_on_want_of_memory(system_->failure);  // else shorter steps are tried
  return o;
}

Outcome ColumnEquations::by_duals(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& xd,
                                  Eigen::MatrixXd& out) {
  const int count = static_cast<int>(out.cols());
  for (int i = 0; i < x.size(); ++i) x_[at(i)] = x[i];
  for (int i = 0; i < xd.size(); ++i) xd_[at(i)] = xd[i];
  Dual4 time(t);
  time.d.fill(moves);
  Outcome outcome = Outcome::ok;
  for (int first = 0; first < count && outcome == Outcome::ok; first += 4) {
    std::array<int, 4> lanes{-1, -1, -1, -1};
    for (int k = first; k < std::min(first + 4, count); ++k) lanes[at(k - first)] = k;
    seeds_->mark(lanes);
    ++evaluations_;
    outcome = guarded(system_->failure, t,
                      [&] { return map_->dual(time, x_.data(), xd_.data(), r_.data()); });
    for (int k = first; k < std::min(first + 4, count); ++k)
      for (int i = 0; i < out.rows(); ++i) {
        const double d = r_[at(i)].d[at(k - first)];
        out(i, k) = std::abs(d) < nothing ? 0.0 : d;
      }
  }
  seeds_->mark({-1, -1, -1, -1});
  return outcome;
}

Outcome ColumnEquations::by_differences(double t, const Eigen::VectorXd& x,
                                        const Eigen::VectorXd& xd, Eigen::MatrixXd& out) {
  for (int k = 0; k < out.cols(); ++k) {
    const AskedParameter& a = asked_.parameters[at(k)];
    const auto residual = [&](bool up, Eigen::VectorXd& r) {
      ++evaluations_;
      if (a.input < 0)
        return near_[at(k)][up ? 0 : 1]->residual_view()->residual(t, x.data(), xd.data(),
                                                                   r.data());
      seeds_->shift(a.input, up ? a.upper : a.lower);
      const Outcome o = view_->residual(t, x.data(), xd.data(), r.data());
      seeds_->shift(a.input, a.value);
      return o;
    };
    if (const Outcome o = residual(true, upper_); o != Outcome::ok) return o;
    if (const Outcome o = residual(false, lower_); o != Outcome::ok) return o;
    out.col(k) = (upper_ - lower_).head(out.rows()) / a.width();
  }
  return Outcome::ok;
}

}  // namespace daedalus
