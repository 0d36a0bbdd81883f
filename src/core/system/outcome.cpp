// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/stepper/outcome.hpp>

#include <cmath>

namespace daedalus {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::newton_failed:
      return "newton_failed";
    case Outcome::matrix_singular:
      return "matrix_singular";
    case Outcome::callback_rejected:
      return "callback_rejected";
    case Outcome::callback_failed:
      return "callback_failed";
    case Outcome::not_finite:
      return "not_finite";
    case Outcome::projection_failed:
      return "projection_failed";
    case Outcome::no_start_values:
      return "no_start_values";
    case Outcome::krylov_failed:
      return "krylov_failed";
    case Outcome::wrong_branch:
      return "wrong_branch";
  }
  return "unknown";
}

int first_not_finite(const double* x, int n) {
  // Four sums, because one would wait for the latency of every addition.
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  int k = 0;
  for (; k + 4 <= n; k += 4)
    for (int lane = 0; lane < 4; ++lane) sum[lane] += 0.0 * x[k + lane];
  for (; k < n; ++k) sum[0] += 0.0 * x[k];
  if ((sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0) return -1;
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(x[i])) return i;
  return -1;
}

}  // namespace daedalus
