// SPDX-License-Identifier: BSD-3-Clause
// 18: know your equations: structure, index, pencils, steady states, eigenvalues.
//
// Model    a pendulum, u = x', v = y': q'' = (0, -g) - 2 q lambda, 0 = x^2 + y^2 - 1 (index 3).
// The structure tells which equations have to be differentiated and how often, the steady state
// where it comes to rest, and the finite eigenvalues how it swings there: +- i sqrt(g).
//
// Builds on 01 (multibody form). New: structural_analysis, index_analysis, index_along,
// weierstrass_form, steady_state, eigenvalues.
#include <cmath>
#include <iostream>

#include <daedalus/analysis.hpp>
#include <daedalus/daedalus.hpp>

namespace {

daedalus::MultibodyProblem pendulum() {
  return {.name = "pendulum",
          .space = daedalus::euclidean(2),
          .constraint_count = 1,
          .force = daedalus::autodiff([](const auto&, const auto&, const auto&, auto& f) {
            f[0] = 0.0;
            f[1] = -9.81;
          }),
          .constraint = daedalus::autodiff(
              [](const auto&, const auto& q, auto& g) { g[0] = q[0] * q[0] + q[1] * q[1] - 1.0; }),
          .q0 = Eigen::Vector2d(0.8, -0.6),
          .v0 = Eigen::Vector2d::Zero()};
}

}  // namespace

int main() {
  const daedalus::Problem problem = pendulum();

  // [structure]
  const daedalus::StructuralAnalysis structure = daedalus::structural_analysis(problem, 0.0);
  std::cout << structure.text();
  const int numerical = daedalus::check(problem, 0.0).numerical_index;
  const daedalus::IndexComparison indices = daedalus::compare_index(structure, numerical);
  std::cout << indices.text << "\n";
  // [/structure]

  // [index]
  const daedalus::IndexAnalysis index = daedalus::index_analysis(problem, 0.0);
  std::cout << index.text();
  for (const daedalus::IndexAnalysis::Constraint& c : index.constraints)
    std::cout << c.differentiations << " derivatives: " << c.text << ", residual " << c.residual
              << "\n";
  // [/index]

  // [along]
  const daedalus::IndexAlong along = daedalus::index_along(problem, 0.0, 1.0, {}, 3);
  for (const daedalus::IndexAlong::Point& p : along.points)
    std::cout << "t = " << p.t << ": index " << p.index << ", gap " << p.gap << "\n";
  for (const std::string& change : along.changes) std::cout << change << "\n";
  if (!along.ended.empty()) std::cout << "ended at " << along.reached << ": " << along.ended;
  // [/along]

  // [eigenvalues]
  const daedalus::SteadyState rest = daedalus::steady_state(problem, 0.0);
  const daedalus::Eigenvalues swing = daedalus::eigenvalues(problem, rest);
  std::cout << rest.message << " y = " << rest.x[1] << "\n";
  for (const std::complex<double>& s : swing.values) std::cout << s << "\n";
  // [/eigenvalues]

  // [pencil]
  // x1' + x1 = 0, x3' + x2 = 0, x3 = t^2: x3 is given, x2 its derivative (index 2).
  Eigen::Matrix3d A, B;
  A << 1, 0, 0, 0, 0, 1, 0, 0, 0;
  B << 1, 0, 0, 0, 1, 0, 0, 0, 1;
  const daedalus::WeierstrassForm form = daedalus::weierstrass_form(A, B);
  Eigen::Matrix3d q = Eigen::Matrix3d::Zero();  // columns: 1, t, t^2
  q(2, 2) = 1.0;
  const Eigen::VectorXd x = form.solution(Eigen::Vector3d(1.0, 0.0, 0.0), 0.0, q, 2.0);
  std::cout << "index " << form.index << ", x(2) = " << x.transpose() << "\n";
  // [/pencil]

  const bool good =
      indices.agree && structure.index == 3 && along.points.size() == 4 && along.changes.empty() &&
      rest.found && std::abs(rest.x[1] + 1.0) < 1e-12 && swing.values.size() == 2 &&
      std::abs(std::abs(swing.values[0].imag()) - std::sqrt(9.81)) < 1e-10 && form.index == 2 &&
      (x - Eigen::Vector3d(std::exp(-2.0), -4.0, 4.0)).norm() < 1e-12;
  return good ? 0 : 1;
}
