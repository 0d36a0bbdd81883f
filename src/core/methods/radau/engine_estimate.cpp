// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/at.hpp"
#include "methods/radau/engine.hpp"
#include "system/communicator.hpp"

namespace daedalus::radau {
namespace {
// Contraction rates: below the first the order may rise, from the second on it falls.
constexpr double quick = 0.15, hardly = 0.8;
// Orders change only between steps of about one length, as in RADAU.
constexpr double steady_from = 0.8, steady_to = 1.25;
// Steps with one order before the next change.
constexpr int hold = 4;
// A step that grows by less is not worth new factors (RADAU5: quot1, quot2).
constexpr double keep = 1.2;

// Hairer and Wanner take (s + 1) / (2 s) throughout. Where a step of order 9 or 13 does not resolve
// the solution the error is as large as the estimate, hence more caution there.
double tolerance_power(int stages) { return stages == 3 ? 2.0 / 3.0 : 0.75; }
}  // namespace

// (gamma/h E + J) e = E (x'_n - u'(t_n)): the embedded solution with a weight 1/gamma for x'_n is
// h / gamma (x'_n - u'(t_n)) away, since u' is interpolated by the stages; the matrix takes out
// stiff components (Hairer, Wanner, (IV.8.19)). In the first step and after a rejection once more,
// with -F(t_n, x_n + e, u'(t_n)) ((IV.8.20)).
void RadauStepper::estimate(const Table& t, const Eigen::VectorXd& weight) {
  const Eigen::Index n = z_.rows();
  Pencil& pencil = view_.residual_pencil();
  slope_.setZero();
  for (int j = 0; j < t.stages; ++j) slope_.head(n) += (t.start_slope[at(j)] / h_) * z_.col(j);
  second_ = current_.xd - slope_.head(n);
  error_.setZero();
  pencil.add_e_times(1.0, second_.data(), error_.data());
  pencil.solve(error_.data());
  if (last_stages_ == 0 || attempted_) {
    if (stated_) {
      slope_.setZero();
      for (int j = 0; j < t.stages; ++j)
        slope_.head(leading_.rows()) += (t.start_slope[at(j)] / h_) * leading_.col(j);
    }
    system_.layout.plus(current_.x.data(), error_.data(), x_.data());
    if (view_.residual(t_, x_.data(), slope_.data(), second_.data()) == Outcome::ok) {
      second_ *= -1.0;
      pencil.solve(second_.data());
      // It contains what x_n leaves in algebraic equations, which no step is short enough for.
      double squares[] = {second_.cwiseQuotient(weight).squaredNorm(),
                          error_.cwiseQuotient(weight).squaredNorm()};
      system_.layout.communicator().reduce(squares, {});
      if (squares[0] < squares[1]) error_ = second_;
    }
  }
  if (carried_error_.needed()) carried_error_.find(error_, carried_);
  const auto span = [](const Eigen::VectorXd& v) {
    return std::span<const double>(v.data(), static_cast<std::size_t>(v.size()));
  };
  const double s = t.stages;
  estimate_ = {order_of(t.stages), ClassOrders::all(s + 1),  span(error_), false,
               span(carried_),     tolerance_power(t.stages)};
}

void RadauStepper::advise(const Table& t, const StepIteration::Result& n, Attempt& a) {
  const int most = max_iterations(t.stages);
  const bool measured = n.iterations > 1 && !is_noise(n, system_.layout);
  a.advice.caution = static_cast<double>(2 * most + 1) / (2 * most + n.iterations);
  // A new Jacobian needs new factors anyhow.
  a.advice.keep_up_to = n.rate <= configuration_.slow_rate ? keep : 1.0;
  // Beyond longest_prediction the matrices are those at t_n, which contract half as fast.
  if (measured)
    a.advice.max_ratio = std::clamp(target_rate / n.rate, 1.0,
                                    std::max(longest_prediction, 0.5 * target_rate / n.rate));
  if (calm_ > 0) a.advice.max_ratio = 1.0;
  a.advice.order = order_of(t.stages);
  if (configuration_.order > 0 || prescribed_) return;
  const double slowest = measured ? std::max(n.rate, 0.5 * slowest_) : slowest_;
  const double ratio = last_stages_ > 0 ? h_ / last_h_ : 0.0;
  int stages = t.stages;
  const double longer = stages == 3 ? 4.0 : 2.0;
  if (measured && longer * slowest <= quick && ratio > steady_from && ratio < steady_to &&
      since_order_ >= hold)
    stages = std::min(stages_of(configuration_.max_order), stages + 2);
  if (slowest >= hardly || lower_order_) stages = std::max(3, t.stages - 2);
  a.advice.order = order_of(stages);
}

}  // namespace daedalus::radau
