// SPDX-License-Identifier: BSD-3-Clause
// Errors of a step at its order and the neighbouring ones, and how far the step is from the limit
// of stability.
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/at.hpp"
#include "methods/partitioned_multistep/engine.hpp"

namespace daedalus::partitioned_multistep {
namespace {

using Map = Eigen::Map<const Eigen::VectorXd>;

// Error of the predictor, times the share of the new rate in the corrector, over the estimate:
// beta_0 gamma_k / gamma*_k (Hairer, Noersett, Wanner I, section III.1), for k = 1, 2, ...
constexpr std::array<double, plmsm::max_steps> predictor_share{
    0.5, 2.083, 3.375, 4.605, 5.803, 6.980, 8.142, 9.293, 10.435, 11.569, 12.698, 13.821};

// Intervals of stability of P(EC)^M E on the negative real axis for M = 1 and M = 2; with more
// correctors they are between the one and the region of fixed-point convergence.
constexpr std::array<std::array<double, plmsm::max_steps>, 2> boundary{
    {{2.000, 2.400, 1.935, 1.411, 1.039, 0.773, 0.580, 0.439, 0.337, 0.264, 0.210, 0.062},
     {2.000, 1.580, 1.271, 1.009, 0.782, 0.586, 0.419, 0.285, 0.183, 0.113, 0.067, 0.039}}};

template <class Expression>
double weighted(const Eigen::MatrixBase<Expression>& e, const Eigen::VectorXd& weight) {
  return e.cwiseQuotient(weight.head(e.size())).norm();
}

}  // namespace

double stability_limit(int k, int correctors) {
  return boundary[at(std::min(correctors, 2) - 1)][at(k - 1)];
}

void Engine::note_stage() {
  std::swap(stages_[0], stages_[1]);
  stages_[0].increment = increment_;
  stages_[0].rate = rate_;
}

// Adams-Moulton formulas with m and m - 1 steps differ by h J_m f[1, 0, ..., theta_{m-1}]: the
// error of the latter, O(h^(m+1)); the step is continued with the former. Algebraic variables
// follow from y and are not tested.
void Engine::add_estimate(int steps, double h) {
  const double* x = nodes_.theta.data();
  const auto J = plmsm::newton_integrals(x, steps);
  Eigen::VectorXd& value = errors_[at(estimate_count_)];
  value.setZero();
  for (int j = 0; j <= steps; ++j)
    value.head(ny_) +=
        (h * J[at(steps)] / plmsm::detail::spread(x, j, steps)) * Map(node_rate(j), ny_);
  estimates_[at(estimate_count_++)] = {steps + 1,
                                       ClassOrders::all(steps + 1),
                                       {value.data(), at(static_cast<int>(value.size()))},
                                       false};
}

// Only the part of an error that lies in the constraints is one: z of the BDF rule magnifies
// irregular local errors by sum |alpha| / h, and through the rates they are seen here.
Outcome Engine::project(Eigen::Ref<Eigen::VectorXd> error) {
  known_part_ = increment_ - error;
  if (const Outcome o = half_->correct(trial_.t, known_part_.data()); o != Outcome::ok) return o;
  error = increment_ - known_part_;
  return Outcome::ok;
}

Outcome Engine::estimate(const StepRequest& r) {
  const int k = k_;
  add_estimate(k, r.h);
  if (kind_ != Kind::multistep) return Outcome::ok;
  if (k > configuration_.min_steps) add_estimate(k - 1, r.h);
  if (k < configuration_.max_steps && nodes_.count >= k + 2) add_estimate(k + 1, r.h);
  // What one more corrector would change. At high orders the predictor's error is so much larger
  // than that of the formula that it counts unless h times the Lipschitz constant is small.
  left_ = factor_ * (rate_ - stages_[0].rate);
  if (configuration_.rule == AlgebraicRule::second_formula) {
    if (const Outcome o = project(left_); o != Outcome::ok) return o;
    for (int i = 0; i < estimate_count_; ++i)
      if (const Outcome o = project(errors_[at(i)].head(ny_)); o != Outcome::ok) return o;
  }
  left_ = left_.cwiseAbs();
  const double here = weighted(errors_[0].head(ny_), r.weight) * predictor_share[at(k - 1)];
  for (int i = estimate_count_ - 1; i >= 0; --i) {
    auto e = errors_[at(i)].head(ny_);
    const int m = estimates_[at(i)].order - 1;
    const double share =
        here > 0.0 ? weighted(e, r.weight) * predictor_share[at(m - 1)] / here : 1.0;
    e = e.cwiseAbs() + (m == k ? 1.0 : share) * left_;
  }
  return Outcome::ok;
}

// |f(y1) - f(y0)| / |y1 - y0| between two evaluations of the step, with z defined alike.
void Engine::note_lipschitz(const StepRequest& r) {
  // Two correctors define z alike. With one, the last rate has to do, which the hidden constraint
  // changes only by the local error of z.
  const bool pair = configuration_.correctors >= 2;
  if (kind_ != Kind::multistep ||
      (!pair && configuration_.rule != AlgebraicRule::hidden_constraint))
    return;
  const Eigen::VectorXd& new_rate = pair ? stages_[0].rate : rate_;
  const Eigen::VectorXd& new_increment = pair ? stages_[0].increment : increment_;
  const Stage& before = stages_[pair ? 1 : 0];
  const double moved = weighted(new_increment - before.increment, r.weight);
  // Correctors that have converged differ by round-off: their quotient says nothing.
  constexpr double seen = 1e-2, round_off = 1e-10;
  if (moved > seen && moved > round_off * weighted(base_.x.head(ny_), r.weight))
    lipschitz_trial_ = weighted(new_rate - before.rate, r.weight) / moved;
}

// Intervals of stability shrink with the order: beyond this share of one a lower order allows the
// larger step, whatever the estimates say.
int Engine::stable_steps(double h, int wanted) const {
  // The Lipschitz constant overestimates the spectral radius: steps beyond the limit by less are
  // stable.
  constexpr double share = 1.3;
  int k = wanted;
  if (k > std::max(configuration_.min_steps, 2) &&
      std::abs(h) * lipschitz_ > share * stability_limit(k, configuration_.correctors))
    --k;
  return k;
}

}  // namespace daedalus::partitioned_multistep
