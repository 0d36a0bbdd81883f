// SPDX-License-Identifier: BSD-3-Clause
// 02: the pendulum of example 01 as a fully implicit system F(t, y, y') = 0 of index 3.
//
// Symbols  y = (x, y, u, w, lambda): position, velocity, multiplier; m = l = 1.
// Equations
//          0 = x' - u                      0 = u' + lambda x
//          0 = y' - w                      0 = w' + lambda y + g
//          0 = (x^2 + y^2 - l^2)/2
// The differentiation index of the positions is 1, of the velocities 2, of lambda 3; an error in an
// index-k variable enters those below it times h^(k-1), and is tested with that weight.
//
// Builds on 01 (the model). New: ImplicitProblem, automatic differentiation, a named method with an
// option of its own, a properly stated leading term, and how a misuse is reported.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>

namespace {

constexpr double gravity = 9.81;

daedalus::ImplicitProblem pendulum() {
  // [problem]
  Eigen::VectorXd y0 = Eigen::VectorXd::Zero(5), yp0 = Eigen::VectorXd::Zero(5);
  y0[0] = 1.0;
  yp0[3] = -gravity;
  return {.name = "pendulum-implicit",
          .residual = daedalus::autodiff([](auto, const auto& y, const auto& yp, auto& r) {
            r[0] = yp[0] - y[2];
            r[1] = yp[1] - y[3];
            r[2] = yp[2] + y[0] * y[4];
            r[3] = yp[3] + y[1] * y[4] + gravity;
            r[4] = 0.5 * (y[0] * y[0] + y[1] * y[1] - 1.0);
          }),
          .variable_index = {1, 1, 2, 2, 3},
          .y0 = y0,
          .yp0 = yp0,
          .index = 3,
          .variables = {"x", "y", "u", "w", "lambda"},
          .equations = {"rate of x", "rate of y", "force in x", "force in y", "length of the rod"}};
  // [/problem]
}

// The same with a properly stated leading term: only d(t, y) = (x, y, u, w) is differentiated, so
// that lambda has no derivative at all. yp0 and the argument d' then have four entries.
daedalus::ImplicitProblem pendulum_with_leading_term() {
  daedalus::ImplicitProblem problem = pendulum();
  // [leading]
  problem.name = "pendulum-leading";
  problem.leading_count = 4;
  problem.leading = daedalus::autodiff([](auto, const auto& y, auto& d) {
    for (int i = 0; i < 4; ++i) d[i] = y[i];
  });
  problem.yp0 = Eigen::VectorXd(problem.yp0.head(4));
  // [/leading]
  return problem;
}

}  // namespace

int main() {
  // [solve]
  const daedalus::Tolerance absolute{1e-4, 1e-4, 1e-3, 1e-3, 1e-2};  // or one number for all
  const daedalus::Options options{.method = "implicit-euler",
                                  .rtol = 1e-4,
                                  .atol = absolute,
                                  .norm = daedalus::ErrorNorm::maximum,
                                  .index_weights = true,
                                  .method_options = {{"newton_tolerance", 1e-3}}};
  const daedalus::Solution solution = daedalus::solve(pendulum(), {0.0, 0.5}, options);
  // [/solve]
  const daedalus::Solution stated =
      daedalus::solve(pendulum_with_leading_term(), {0.0, 0.5}, options);
  for (const daedalus::Solution* s : {&solution, &stated}) {
    if (!s->ok()) {
      std::cerr << s->status() << ": " << s->message() << '\n';
      return 1;
    }
    std::cout << s->statistics() << '\n';
  }
  const daedalus::ModelState end = solution.end();
  std::cout << "x = " << end["x"] << ", lambda = " << end["lambda"] << ", with a leading term "
            << stated.end()["x"] << '\n';

  // [misuse]
  try {
    daedalus::solve(pendulum(), {0.0, 0.5}, {.method = "rodas"});
  } catch (const daedalus::InvalidArgument& e) {
    std::cout << e.what() << '\n';
  }
  // [/misuse]

  // Twice differentiated, the constraint gives lambda = |v|^2 - g y, and energy |v|^2 = -2 g y,
  // hence lambda = -3 g y. The method has order 1: a few per cent are what this tolerance gives.
  const double lambda = -3.0 * gravity * end["y"];
  const bool good = std::abs(end["lambda"] - lambda) < 0.05 * lambda &&
                    std::abs(end["x"] - stated.end()["x"]) < 1e-2;
  return good ? 0 : 1;
}
