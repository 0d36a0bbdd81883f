// SPDX-License-Identifier: BSD-3-Clause
// Index 2 with BDF: which part of the error is tested, and a leading term that says what is
// differentiated. Builds on 02_implicit.cpp.
//   t x1' - t x2' - (t + 1) x1 + x2 = 0,   x1' - x2' - x1 = -(t + 1)
// x = (-t, t^2) is its only solution. Only x2 - x1 is differentiated: P = [0 0; -1 1]. A BDF step
// of order 1 is wrong by h in x1 and x2, and by nothing in x2 - x1, so a test of all variables sees
// every change of the step as an error (Tischendorf 1992, section 4.5).
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>

int main() {
  const daedalus::ImplicitProblem linear{
      .name = "linear",
      .residual = daedalus::autodiff([](const auto& t, const auto& x, const auto& xp, auto& r) {
        r[0] = t * (xp[0] - xp[1]) - (t + 1.0) * x[0] + x[1];
        r[1] = xp[0] - xp[1] - x[0] + (t + 1.0);
      }),
      .variable_index = {2, 2},
      .y0 = Eigen::Vector2d(1.0, 1.0),
      .yp0 = Eigen::Vector2d(-1.0, -2.0),
      .index = 2};

  // [policy]
  daedalus::Options options{.method = "bdf", .rtol = 1e-6, .atol = 1e-6};
  options.error_test = daedalus::ErrorPolicy::differential;  // P x alone
  options.projector = Eigen::MatrixXd{{0.0, 0.0}, {-1.0, 1.0}};
  const daedalus::Solution projected = daedalus::solve(linear, {-1.0, 1.0}, options);
  // [/policy]

  // Left to itself the method finds the same structure at the start.
  const daedalus::Solution automatic =
      daedalus::solve(linear, {-1.0, 1.0}, {.method = "bdf", .rtol = 1e-6, .atol = 1e-6});
  options.error_test = daedalus::ErrorPolicy::index_weighted;  // all variables, times h here
  const daedalus::Solution weighted = daedalus::solve(linear, {-1.0, 1.0}, options);

  for (const daedalus::Solution* s : {&projected, &automatic, &weighted}) {
    if (!s->ok()) std::cerr << s->message() << '\n';
    std::cout << s->status() << ": " << s->statistics().accepted << " steps, error "
              << std::hypot(s->end().y()[0] + 1.0, s->end().y()[1] - 1.0) << '\n';
  }
  const bool as_described =
      projected.ok() && automatic.ok() && projected.statistics().accepted < 40 &&
      automatic.statistics().accepted < 40 && weighted.statistics().accepted > 100;
  return as_described ? 0 : 1;
}
