// SPDX-License-Identifier: BSD-3-Clause
// Half-explicit Runge-Kutta methods with constant steps on y' = f(t, y, z), 0 = g(t, y), given as
// templates, in any floating-point type: order studies beyond the round-off of double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernel/herk_step.hpp"

namespace daedalus {

template <class S>
struct HerkStudy {
  std::vector<S> y, z;
  bool ok = true;  // false: Newton's method failed or values overflowed
};

namespace herk_detail {

// f(t, y, z, out) and g(t, y, out) index their arguments.
template <class S, class F, class G>
class StudyWork {
 public:
  StudyWork(const HerkNumbers<S>& numbers, F f, G g, HerkStudy<S>& state)
      : numbers_(numbers),
        f_(f),
        g_(g),
        state_(state),
        rates_(size(numbers.stages), state.y),
        increments_(rates_),
        stage_z_(size(numbers.stages), state.z),
        known_(state.y),
        y_(state.y),
        eta_(state.y),
        rate_(state.y),
        residual_(state.z),
        moved_(state.z),
        trial_(state.z),
        matrix_(state.z.size() * state.z.size()) {}

  int differential() const { return static_cast<int>(state_.y.size()); }
  S* rate(int i) { return rates_[size(i)].data(); }
  S* increment(int i) { return increments_[size(i)].data(); }
  S* known() { return known_.data(); }

  bool step(S t, S h) {
    if (numbers_.explicit_first) {
      stage_z_[0] = state_.z;
      f_(t, state_.y, state_.z, rates_[0]);
    }
    if (herk_stages(numbers_, t, h, *this)) return false;
    combine_rates(numbers_.b, numbers_.weights, h, *this, known_.data());
    for (std::size_t k = 0; k < state_.y.size(); ++k) state_.y[k] += known_[k];
    for (std::size_t k = 0; k < state_.z.size(); ++k) {
      S sum(0);
      for (int j = 0; j < numbers_.stages; ++j) sum += numbers_.d[size(j)] * stage_z_[size(j)][k];
      state_.z[k] = sum;
    }
    for (const S& v : state_.y)
      if (!std::isfinite(v)) return false;
    return true;
  }

  bool solve(const HerkStage<S>& stage) {  // true: failed
    const std::size_t i = size(stage.i), nz = state_.z.size();
    for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = state_.y[k] + increments_[i][k];
    std::vector<S>& z = stage_z_[i];
    z = stage.i > 0 ? stage_z_[i - 1] : state_.z;
    S last = std::numeric_limits<S>::infinity();
    for (int iteration = 0; iteration < 60; ++iteration) {
      constraint(stage, z, residual_);
      // Columns by differences: the rate of convergence is their error, about 1e-9.
      const S root = std::sqrt(std::numeric_limits<S>::epsilon());
      for (std::size_t c = 0; c < nz; ++c) {
        trial_ = z;
        const S shift = root * (S(1) + std::abs(z[c]));
        trial_[c] += shift;
        constraint(stage, trial_, moved_);
        for (std::size_t r = 0; r < nz; ++r)
          matrix_[r * nz + c] = (moved_[r] - residual_[r]) / (trial_[c] - z[c]);
      }
      if (!eliminate(nz)) return true;
      S move(0), scale(0);
      for (std::size_t c = 0; c < nz; ++c) {
        z[c] -= residual_[c];
        move = std::max(move, std::abs(residual_[c]));
        scale = std::max(scale, std::abs(z[c]));
      }
      if (!std::isfinite(move)) return true;
      // Round-off of g comes back divided by h gamma_ii: the corrections then stop shrinking.
      if (move <= 2 * std::numeric_limits<S>::epsilon() * scale ||
          (move >= last / 2 && move <= S(1e-12L) * (S(1) + scale))) {
        f_(stage.t, y_, z, rates_[i]);
        return false;
      }
      last = move;
    }
    return true;
  }

 private:
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }

  void constraint(const HerkStage<S>& stage, const std::vector<S>& z, std::vector<S>& out) {
    f_(stage.t, y_, z, rate_);
    for (std::size_t k = 0; k < y_.size(); ++k)
      eta_[k] = state_.y[k] + known_[k] + stage.factor * rate_[k];
    g_(stage.t_next, eta_, out);
  }

  // matrix_ x = residual_ with partial pivoting, x in residual_.
  bool eliminate(std::size_t n) {
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c + 1; r < n; ++r)
        if (std::abs(matrix_[r * n + c]) > std::abs(matrix_[pivot * n + c])) pivot = r;
      if (!(std::abs(matrix_[pivot * n + c]) > S(0))) return false;
      for (std::size_t k = 0; k < n; ++k) std::swap(matrix_[c * n + k], matrix_[pivot * n + k]);
      std::swap(residual_[c], residual_[pivot]);
      for (std::size_t r = c + 1; r < n; ++r) {
        const S factor = matrix_[r * n + c] / matrix_[c * n + c];
        for (std::size_t k = c; k < n; ++k) matrix_[r * n + k] -= factor * matrix_[c * n + k];
        residual_[r] -= factor * residual_[c];
      }
    }
    for (std::size_t c = n; c-- > 0;) {
      for (std::size_t k = c + 1; k < n; ++k) residual_[c] -= matrix_[c * n + k] * residual_[k];
      residual_[c] /= matrix_[c * n + c];
    }
    return true;
  }

  const HerkNumbers<S>& numbers_;
  F f_;
  G g_;
  HerkStudy<S>& state_;
  std::vector<std::vector<S>> rates_, increments_, stage_z_;
  std::vector<S> known_, y_, eta_, rate_, residual_, moved_, trial_, matrix_;
};

}  // namespace herk_detail

// `steps` steps from (t0, y0, z0) to t1.
template <class S, class F, class G>
HerkStudy<S> herk_study(const HerkNumbers<S>& numbers, F f, G g, S t0, S t1, int steps,
                        std::vector<S> y0, std::vector<S> z0) {
  HerkStudy<S> state{std::move(y0), std::move(z0), true};
  herk_detail::StudyWork<S, F, G> work(numbers, f, g, state);
  const S h = (t1 - t0) / static_cast<S>(steps);
  for (int n = 0; n < steps && state.ok; ++n) state.ok = work.step(t0 + static_cast<S>(n) * h, h);
  return state;
}

}  // namespace daedalus
