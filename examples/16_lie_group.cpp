// SPDX-License-Identifier: BSD-3-Clause
// 16: constrained mechanics on a Lie group with variable steps and orders.
//
// Model    the heavy top on SE(3): q = (x, R), v = (U, Omega) in the body frame, x' = R U,
//          m U' = -m Omega x U + m R^T gamma - G_U^T lambda,  J Omega' = -Omega x J Omega - ...,
//          0 = X - R^T x: the point -X of the body stays at the origin.
// bliedf estimates its local error in the tangent space and chooses step and order; the rotation
// stays a rotation, positions and velocities meet their constraints. generalised-alpha has order 2
// and damps what a mesh cannot resolve; bliedf4 takes fixed steps or a given sequence.
//
// Builds on 06 (groups). New: se3_space, the methods on groups, given step sequences, order
// options.
#include <algorithm>
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/lie/multistep.hpp>

namespace {

// [model]
daedalus::MultibodyProblem heavy_top() {
  daedalus::SparseMatrix mass(6, 6);
  const double diagonal[] = {15.0, 15.0, 15.0, 0.234375, 0.46875, 0.234375};
  for (int i = 0; i < 6; ++i) mass.insert(i, i) = diagonal[i];
  Eigen::VectorXd q0(12), v0(6);
  q0 << 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1;  // x, then R column by column
  v0 << 4.61538, 0, 0, 0, 150.0, -4.61538;   // U = Omega x X
  return {.name = "heavy top on SE(3)",
          .space = daedalus::se3_space(),
          .constraint_count = 3,
          .mass_matrix = mass,
          .force = daedalus::autodiff([](const auto&, const auto& q, const auto& v, auto& f) {
            const double m = 15.0, g = 9.81, J[] = {0.234375, 0.46875, 0.234375};
            for (int i = 0; i < 3; ++i) {
              const int j = (i + 1) % 3, k = (i + 2) % 3;
              // -m Omega x U + R^T (0, 0, -m g), and -Omega x J Omega; R(3, i) is q[3 + 3 i + 2]
              f[i] = -m * (v[3 + j] * v[k] - v[3 + k] * v[j]) - m * g * q[5 + 3 * i];
              f[3 + i] = -(J[k] - J[j]) * v[3 + j] * v[3 + k];
            }
          }),
          .constraint = daedalus::autodiff([](const auto&, const auto& q, auto& g) {
            for (int i = 0; i < 3; ++i)
              g[i] = (i == 1 ? 1.0 : 0.0) -
                     (q[3 + 3 * i] * q[0] + q[4 + 3 * i] * q[1] + q[5 + 3 * i] * q[2]);
          }),
          .q0 = q0,
          .v0 = v0};
}
// [/model]

double distance(const daedalus::Solution& a, const daedalus::Solution& b) {
  return (a.end().q() - b.end().q()).cwiseAbs().maxCoeff();
}

}  // namespace

int main() {
  const daedalus::MultibodyProblem top = heavy_top();
  // [solve]
  daedalus::Options options{.method = "bliedf", .rtol = 1e-7, .atol = 1e-7};
  options.output = daedalus::Output::dense;
  const daedalus::Solution controlled = daedalus::solve(top, {0.0, 0.2}, options);
  // [/solve]
  if (!controlled.ok()) {
    std::cerr << controlled.message() << '\n';
    return 1;
  }
  std::cout << controlled.statistics()
            << "\nx(0.0333) = " << controlled.at(0.0333).q().head(3).transpose() << '\n';

  // [fixed]
  daedalus::Options fixed{.method = "bliedf4", .fixed_step = 2.5e-4};
  fixed.method_options["correction"] = 2;  // the explicit set tuned for the heavy top
  const daedalus::Solution steps = daedalus::solve(top, {0.0, 0.2}, fixed);
  // [/fixed]

  // [sequence]
  daedalus::lie::StepSequence irregular;
  irregular.h_min = 1e-4;
  irregular.h_max = 4e-4;
  irregular.sigma_min = 0.5;
  irregular.sigma_max = 2.0;
  irregular.hold = 10;  // a new ratio every ten steps
  daedalus::Options given{.method = "bliedf3"};
  given.step_sequence = daedalus::lie::random_steps_over(irregular, 0.2);
  const daedalus::Solution sequence = daedalus::solve(top, {0.0, 0.2}, given);
  // [/sequence]

  // [alpha]
  daedalus::Options alpha{.method = "generalised-alpha", .rtol = 1e-5, .atol = 1e-5};
  alpha.method_options["rho"] = 0.8;  // spectral radius at infinity
  alpha.formulation = "ggl";          // stabilised index 2
  const daedalus::Solution damped = daedalus::solve(top, {0.0, 0.2}, alpha);
  // [/alpha]

  const daedalus::Space& space = top.space;
  const double defect = space.defect(controlled.end().y().data());
  std::cout << "fixed steps differ by " << distance(controlled, steps) << ", a given sequence by "
            << distance(controlled, sequence) << ", generalised-alpha by "
            << distance(controlled, damped) << "; |R^T R - I| = " << defect
            << ", |g| <= " << controlled.statistics().position_residual << '\n';
  return steps.ok() && sequence.ok() && damped.ok() && distance(controlled, steps) < 1e-4 &&
                 distance(controlled, sequence) < 1e-2 && distance(controlled, damped) < 1e-2 &&
                 defect < 1e-12 && controlled.statistics().position_residual < 1e-11
             ? 0
             : 1;
}
