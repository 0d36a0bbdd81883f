// SPDX-License-Identifier: BSD-3-Clause
// 01: the mathematical pendulum in Cartesian coordinates, from model to numbers.
//
// Model    a point mass m on a massless rod of length l, gravity g downwards.
// Symbols  q = (x, y) position, v = q' velocity, lambda force in the rod per unit of length.
// Equations (index 3)
//            q' = v
//          M v' = f - G^T lambda,      M = m I,  f = (0, -m g)
//             0 = (x^2 + y^2 - l^2)/2,  G = (x, y)
//
// Builds on nothing: start here.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>

using daedalus::In, daedalus::MatrixOut, daedalus::Out;

int main() {
  // [example]
  const double m = 1.0, l = 1.0, g = 9.81;
  const daedalus::MultibodyProblem pendulum{
      .name = "pendulum",
      .space = daedalus::euclidean(2),
      .constraint_count = 1,
      .mass = [=](double, In, MatrixOut M) { M = m * Eigen::Matrix2d::Identity(); },
      .force = [=](double, In, In, Out f) { f << 0.0, -m * g; },
      .constraint = daedalus::autodiff(
          [=](auto, const auto& q, auto& c) { c[0] = 0.5 * (q.squaredNorm() - l * l); }),
      .q0 = Eigen::Vector2d(l, 0.0),
      .v0 = Eigen::Vector2d::Zero()};  // lambda and v' come from the start-value solver
  const daedalus::Event lowest{.name = "lowest point",
                               .when = [](const daedalus::StateView& s) { return s.q()[0]; }};
  const daedalus::Solution solution = daedalus::solve(
      pendulum, {0.0, 10.0},
      {.rtol = 1e-8, .atol = 1e-8, .output = daedalus::Output::dense, .events = {lowest}});
  if (!solution.ok()) std::cerr << solution.message() << '\n';
  const daedalus::MethodChoice& choice = solution.choice();
  std::cout << choice.method << ", " << choice.formulation << " (" << choice.reason << ")\n"
            << "q(3.7) = " << solution.at(3.7).q().transpose() << '\n'
            << solution.statistics() << '\n';
  for (const daedalus::EventRecord& e : solution.events())
    std::cout << e.name << ' ' << e.t << '\n';
  // [/example]

  // Released at rest from the horizontal: energy 0 all the way, and the first passage after a
  // quarter of the period, 1.8540746773 sqrt(l/g) (complete elliptic integral at k^2 = 1/2).
  if (!solution.ok() || solution.events().empty()) return 1;
  const daedalus::ModelState end = solution.end();
  const double energy = 0.5 * end.v().squaredNorm() + g * end.q()[1];
  const double passage = solution.events().front().t - 1.8540746773013719 * std::sqrt(l / g);
  std::cout << "energy at the end " << energy << ", first passage off by " << passage << '\n';
  return std::abs(energy) < 1e-5 && std::abs(passage) < 1e-6 ? 0 : 1;
}
