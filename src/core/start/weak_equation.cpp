// SPDX-License-Identifier: BSD-3-Clause
#include "start/weak_equation.hpp"

#include <cmath>

#include "linalg/decompositions.hpp"
#include "start/mass_kernel.hpp"

namespace daedalus {
namespace {

constexpr int max_system = 500;  // the matrices are dense here
// A twentieth of the pivot elsewhere: the equation loses its variable here.
constexpr double weak_share = 0.05;

struct Weakest {
  double pivot;
  int row, column;
};

// Smallest pivot of W^T J Z, each row in units of its derivatives with respect to all variables.
std::optional<Weakest> weakest(LinearView& view, const Eigen::MatrixXd& W, const Eigen::MatrixXd& Z,
                               const State& s) {
  if (view.linearise(s.t, s.x.data()) != Outcome::ok) return std::nullopt;
  Eigen::MatrixXd J;
  view.linear_pencil().dense_j(J);
  Eigen::MatrixXd rows = W.transpose() * J;
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    const double size = rows.row(k).cwiseAbs().maxCoeff();
    if (!(size > 0.0) || !std::isfinite(size)) return Weakest{0.0, static_cast<int>(k), 0};
    rows.row(k) /= size;
  }
  const PivotedLu lu(rows * Z);
  int at = 0;
  const double pivot = lu.factors().diagonal().cwiseAbs().minCoeff(&at);
  int row = 0;
  while (lu.permutation()[row] != at) ++row;
  return Weakest{pivot, row, at};
}

}  // namespace

std::optional<WeakEquation> weak_equation(System& system, const State& reference,
                                          const State& now) {
  LinearView* view = system.mechanical_view() ? nullptr : system.linear_view();
  const int n = system.layout.tangents();
  if (!view || n > max_system || !system.layout.euclidean()) return std::nullopt;
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(n);
  for (int j = 0; j < n; ++j) {
    unit[j] = 1.0;
    view->add_mass_times(1.0, unit.data(), M.col(j).data());
    unit[j] = 0.0;
  }
  const MassKernel rows = mass_kernel(M, system.equations);
  if (rows.basis.cols() == 0) return std::nullopt;
  const MassKernel columns = mass_kernel(M.transpose(), system.layout.names());
  const auto before = weakest(*view, rows.basis, columns.basis, reference);
  const auto here = weakest(*view, rows.basis, columns.basis, now);
  if (!before || !here || !(here->pivot < weak_share * before->pivot)) return std::nullopt;
  return WeakEquation{rows.names[static_cast<std::size_t>(here->row)],
                      columns.names[static_cast<std::size_t>(here->column)],
                      here->pivot / before->pivot};
}

}  // namespace daedalus
