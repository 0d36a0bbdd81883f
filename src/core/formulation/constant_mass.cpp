// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constant_mass.hpp"

#include <cmath>

#include "function/recording.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

// Whether M is chosen by a comparison of t or y: what looks constant may change in another branch.
bool compares(const MassMatrixProblem& p, const ParameterSet& parameters, double t0) {
  const int n = static_cast<int>(p.y0.size());
  Recording recording;
  const Recorded t = recording.input(graph::InputKind::time, 0, t0);
  std::vector<Recorded> y, out(at(n * n));
  for (int i = 0; i < n; ++i) y.push_back(recording.input(p.y0[i]));
  return p.mass(state_arguments<Recorded>(parameters, t, y.data(), n), out.data(), n, n) !=
             Eval::ok ||
         !recording.comparisons().empty();
}

// M of a callable that depends on neither t nor y, or nothing.
std::optional<SparseMatrix> constant_callable(const MassMatrixProblem& p, Modes modes, double t0) {
  const int n = static_cast<int>(p.y0.size());
  const ParameterSet parameters(p.parameters, modes);
  Eigen::MatrixXd M(n, n);
  if (p.mass(state_arguments<double>(parameters, t0, p.y0.data(), n), M.data(), n, n) != Eval::ok)
    return std::nullopt;
  if (p.mass.differentiable()) {
    std::vector<Dual4> y(at(n)), out(at(n * n));
    Dual4 t(t0);
    t.d[0] = std::nan("");
    for (int i = 0; i < n; ++i) {
      y[at(i)] = Dual4(p.y0[i]);
      y[at(i)].d[0] = std::nan("");
    }
    if (p.mass(state_arguments<Dual4>(parameters, t, y.data(), n), out.data(), n, n) != Eval::ok)
      return std::nullopt;
    for (const Dual4& m : out)
      if (std::isnan(m.d[0])) return std::nullopt;
    return compares(p, parameters, t0) ? std::nullopt : std::optional(SparseMatrix(M.sparseView()));
  }
  Eigen::VectorXd y = p.y0;
  for (int i = 0; i < n; ++i) y[i] += 1e-3 * (1.0 + std::abs(y[i])) * (1.0 + 0.1 * i);
  Eigen::MatrixXd other(n, n);
  if (p.mass(state_arguments<double>(parameters, t0 + 1e-3, y.data(), n), other.data(), n, n) !=
          Eval::ok ||
      other != M)
    return std::nullopt;
  return M.sparseView();
}

}  // namespace

std::optional<SparseMatrix> constant_mass(const MassMatrixProblem& p, Modes modes, double t0) {
  if (p.mass) {
    try {
      return constant_callable(p, std::move(modes), t0);
    } catch (const std::bad_alloc&) {
      throw;  // no property of the problem, which must not be solved another way for it
    } catch (...) {
      return std::nullopt;
    }
  }
  if (p.mass_matrix.size() > 0) return p.mass_matrix;
  SparseMatrix identity(p.y0.size(), p.y0.size());
  identity.setIdentity();
  return identity;
}

}  // namespace daedalus
