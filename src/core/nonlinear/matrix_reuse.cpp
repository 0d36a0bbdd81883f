// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/matrix_reuse.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {
// Change of alpha beyond which the contraction of another step is no guide: it is proportional to
// h.
constexpr double max_change_for_rates = 0.4;
// Steps on a grid t_0 + n h differ in their last digits.
constexpr double same_alpha = 1e-8;
}  // namespace

void MatrixReuse::forget() {
  have_ = stale_ = slow_ = here_ = false;
  alpha_ = 0.0;
  age_ = 0;
}

bool MatrixReuse::factors_serve(double alpha, bool exactly) const {
  if (alpha_ == 0.0) return false;
  return exactly ? of(alpha) : std::abs(alpha / alpha_ - 1.0) <= settings_.alpha_range;
}

bool MatrixReuse::of(double alpha) const {
  const double range =
      settings_.whole ? settings_.alpha_range : std::min(same_alpha, settings_.alpha_range);
  return alpha_ != 0.0 && std::abs(alpha / alpha_ - 1.0) <= range;
}

bool MatrixReuse::rates_carry_over(double alpha) const {
  return alpha_ == 0.0 || std::abs(alpha / alpha_ - 1.0) <= max_change_for_rates;
}

void MatrixReuse::linearised(bool here) {
  have_ = true;
  stale_ = slow_ = false;
  here_ = here;
  alpha_ = 0.0;
  age_ = 0;
}

void MatrixReuse::factorisation_failed() {
  have_ = false;
  alpha_ = 0.0;
}

// Factors of another alpha slow an iteration down that a new Jacobian would not help.
void MatrixReuse::converged(double alpha, double rate, double remaining) {
  slow_ = rate > settings_.slow_rate && remaining > settings_.harmless && of(alpha);
}

void MatrixReuse::failed(double alpha) {
  if (!here_) stale_ = of(alpha);
}

void MatrixReuse::accepted() {
  here_ = false;
  ++age_;
}

}  // namespace daedalus
