// SPDX-License-Identifier: BSD-3-Clause
// Runs and problems shared by the tests of the BDF family.
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <string>

#include <catalogue/catalogue.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::bdf_test {

inline Eigen::VectorXd vector(std::initializer_list<double> v) {
  return Eigen::Map<const Eigen::VectorXd>(v.begin(), static_cast<Eigen::Index>(v.size()));
}

struct Result {
  Solution solution;
  double mescd = 0.0;  // -log10 of the largest |error| / (atol / rtol + |reference|)
  long steps() const { return solution.statistics().accepted; }
};

inline Result run(const std::string& name, double tol, Options o = {}) {
  const problems::Entry& e = *problems::find_problem(name);
  const Problem problem = e.problem();
  if (o.method == "auto") o.method = "bdf";
  o.rtol = tol;
  o.atol = tol;
  o.output = Output::end;
  if (!e.atol_scale.empty()) {
    const Solution probe = solve(problem, {e.t0, e.t0}, o);
    Eigen::VectorXd atol = Eigen::VectorXd::Constant(probe.variables().size(), tol);
    for (const auto& [variable, factor] : e.atol_scale)
      atol[probe.variables().find(variable)] *= factor;
    o.atol = atol;
  }
  Result r{solve(problem, {e.t0, e.t_end}, o)};
  double worst = 1e-99;
  for (const auto& [variable, value] : e.reference->values) {
    const auto& counted = e.reference->counted;
    if (!counted.empty() && std::count(counted.begin(), counted.end(), variable) == 0) continue;
    const int i = r.solution.variables().find(variable);
    if (i < 0) continue;
    worst = std::max(
        worst, std::abs(r.solution.end().y()[i] - value) / (o.atol[i] / o.rtol + std::abs(value)));
  }
  r.mescd = -std::log10(worst);
  return r;
}

// Jay's index-2 problem y1' = y1 y2 z, y2' = y1^2 y2^2 - 3 y2^2 z, 0 = y1^2 y2 - 1 in coordinates
// x with (y1, y2, z) = R x, its rows combined by a regular L(t): quasilinear with constant kernel
// that is no coordinate axis, and a leading matrix that depends on t.
struct GeneralForm {
  static Eigen::Matrix3d R() {
    Eigen::Matrix3d m;
    m << 1.0, 0.5, 0.0, 0.0, 1.0, -0.5, 0.25, 0.0, 1.0;
    return m;
  }
  static Eigen::Vector3d exact(double t) {
    return R().inverse() * Eigen::Vector3d(std::exp(t), std::exp(-2.0 * t), std::exp(2.0 * t));
  }
  static Problem problem() {
    const Eigen::Vector3d x0 = exact(0.0);
    const Eigen::Vector3d slope = R().inverse() * Eigen::Vector3d(1.0, -2.0, 2.0);
    return ImplicitProblem{
        .name = "general-form",
        .residual = autodiff([](const auto& t, const auto& x, const auto& xp, auto& r) {
          using std::cos;
          using std::sin;
          const auto y1 = x[0] + 0.5 * x[1], y2 = x[1] - 0.5 * x[2], z = 0.25 * x[0] + x[2];
          const auto d1 = xp[0] + 0.5 * xp[1], d2 = xp[1] - 0.5 * xp[2];
          const auto a = d1 - y1 * y2 * z;
          const auto b = d2 - y1 * y1 * y2 * y2 + 3.0 * y2 * y2 * z;
          const auto c = y1 * y1 * y2 - 1.0;
          r[0] = a + t * b + 0.3 * c;
          r[1] = b + sin(t) * c;
          r[2] = cos(t) * a + 2.0 * c;
        }),
        .variable_index = {2, 2, 2},
        .y0 = x0,
        .yp0 = slope,
        .index = 2};
  }
};

}  // namespace daedalus::bdf_test
