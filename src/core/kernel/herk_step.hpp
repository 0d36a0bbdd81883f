// SPDX-License-Identifier: BSD-3-Clause
// The stages of one step of a half-explicit Runge-Kutta method (herk_table.hpp), over any number
// type and any way to solve a stage.
#pragma once

#include "kernel/herk_table.hpp"

namespace daedalus {

// Stage i at t: its algebraic variables follow from the constraint at t_next, where the increment
// from y_n is known + factor * rate(i). An explicit first stage is the caller's.
template <class S>
struct HerkStage {
  int i = 0;
  S t{}, t_next{}, factor{};
};

// out = h sum_{j < count} weights_j rate(j)
template <class S, class Work>
void combine_rates(const std::vector<S>& weights, int count, S h, Work& work, S* out) {
  const int n = work.differential();
  for (int k = 0; k < n; ++k) out[k] = S(0);
  for (int j = 0; j < count; ++j) {
    const S factor = h * weights[static_cast<std::size_t>(j)];
    if (factor == S(0)) continue;
    const S* rate = work.rate(j);
    for (int k = 0; k < n; ++k) out[k] += factor * rate[k];
  }
}

// Work has: int differential(); S* rate(int i); S* increment(int i), from y_n to Y_i; S* known();
// solve(const HerkStage<S>&), which fills rate(i) and returns a value-initialised result when it
// succeeds. The first failure is returned. Explicit stages, which have no constraint point, need no
// known().
template <class S, class Work>
auto herk_stages(const HerkNumbers<S>& numbers, S t, S h, Work& work, bool constrained = true) {
  using Result = decltype(work.solve(HerkStage<S>{}));
  for (int i = numbers.explicit_first ? 1 : 0; i < numbers.stages; ++i) {
    const auto row = static_cast<std::size_t>(i);
    combine_rates(numbers.a[row], i, h, work, work.increment(i));
    if (constrained) combine_rates(numbers.gamma[row], i, h, work, work.known());
    const HerkStage<S> stage{i, t + numbers.c[row] * h, t + numbers.c_hat[row] * h,
                             h * numbers.gamma[row][row]};
    if (const Result result = work.solve(stage); result != Result{}) return result;
  }
  return Result{};
}

}  // namespace daedalus
