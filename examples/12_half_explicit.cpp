// SPDX-License-Identifier: BSD-3-Clause
// A mechanism without stiff springs, solved half-explicitly: one linear system per stage, no
// Newton iteration. Builds on 01_pendulum.cpp and 10_multibody_pieces.cpp.
// Two bars as three coordinates each, joined to the ground and to each other; masses and moments of
// inertia are constant, so M is given as a matrix and not as a callable.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>

int main() {
  // [model]
  // Bars of length 1 and mass 1, q = (x1, y1, phi1, x2, y2, phi2) with the centres of mass.
  daedalus::SparseMatrix mass(6, 6);
  for (int i = 0; i < 6; ++i) mass.insert(i, i) = i % 3 == 2 ? 1.0 / 12.0 : 1.0;
  const daedalus::MultibodyProblem bars{
      .name = "bars",
      .space = daedalus::euclidean(6),
      .constraint_count = 4,
      .mass_matrix = mass,
      .force = daedalus::autodiff([](const auto&, const auto&, const auto&, auto& f) {
        for (int i = 0; i < 6; ++i) f[i] = i % 3 == 1 ? -9.81 : 0.0;
      }),
      .constraint = daedalus::autodiff([](const auto&, const auto& q, auto& g) {
        using std::cos, std::sin;
        g[0] = q[0] - 0.5 * cos(q[2]);
        g[1] = q[1] - 0.5 * sin(q[2]);
        g[2] = q[3] - 0.5 * cos(q[5]) - cos(q[2]);
        g[3] = q[4] - 0.5 * sin(q[5]) - sin(q[2]);
      }),
      .q0 = Eigen::VectorXd{{0.5, 0.0, 0.0, 1.5, 0.0, 0.0}},
      .v0 = Eigen::VectorXd::Zero(6)};
  // [/model]

  // [run]
  daedalus::Options options{.method = "hedop5", .rtol = 1e-8, .atol = 1e-9};
  options.control = "stabilised";  // the step depends on the last two errors
  options.stabilisation = 0.04;
  options.min_ratio = 0.2;
  options.max_ratio = 10.0;
  options.linear_algebra = daedalus::LinearAlgebra::range_space;
  options.projection =
      daedalus::ProjectionWhen::automatic;  // when the drift exceeds a tenth of tol
  options.output = daedalus::Output::times;
  for (int i = 0; i <= 20; ++i) options.output_times.push_back(0.1 * i);
  options.project_output = true;  // states between steps satisfy the constraints, too
  const daedalus::Solution solution = daedalus::solve(bars, {0.0, 2.0}, options);
  // [/run]

  std::cout << solution.message() << '\n' << solution.statistics() << '\n';
  for (const std::string& warning : solution.warnings()) std::cout << warning << '\n';
  const daedalus::Statistics& s = solution.statistics();
  const daedalus::Counts& steps = s.in(daedalus::Phase::step);
  std::cout << "per step: " << steps.function_evaluations / s.steps() << " f, "
            << steps.constraint_jacobian_evaluations / s.steps() << " G, "
            << steps.factorisations / s.steps() << " decompositions; last step " << s.last_step
            << ", error test " << s.last_error << ", " << s.error_test_failures << " rejected, "
            << s.projection_failures << " failed projections\n"
            << "largest |g| of the states reported: " << s.position_residual << '\n';
  const bool as_described = solution.ok() && s.position_residual < 1e-10 &&
                            steps.function_evaluations == 6 * s.steps() &&
                            steps.factorisations == 6 * s.steps();
  return as_described ? 0 : 1;
}
