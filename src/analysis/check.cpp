// What can be said about a problem at its start values before it is solved.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>
#include <limits>

#include <daedalus/solve.hpp>
#include <daedalus/testing/jacobian.hpp>

#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "start/consistent.hpp"

namespace daedalus {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

struct Pencils {
  Eigen::MatrixXd E, J;  // E x' = J x + ... near the start
};

// Rank with the ratio between the last singular value kept and the first dropped one.
int numerical_rank(const Eigen::MatrixXd& A, double& gap) {
  const Eigen::VectorXd s = Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
  const double threshold = s.size() ? 1e-10 * s[0] : 0.0;
  int rank = 0;
  while (rank < s.size() && s[rank] > threshold) ++rank;
  const double kept = rank > 0 ? s[rank - 1] : 0.0;
  const double dropped = rank < s.size() ? s[rank] : 0.0;
  // Double precision cannot tell gaps beyond its own resolution apart.
  gap = std::min(kept / std::max(dropped, 1e-300), 1e16);
  return rank;
}

// Factors that bring the non-zero rows and columns of E to comparable size, so that rank decisions
// do not depend on units.
void equilibrate(Eigen::MatrixXd& E, Eigen::VectorXd& rows, Eigen::VectorXd& cols) {
  rows.setOnes(E.rows());
  cols.setOnes(E.cols());
  for (int pass = 0; pass < 3; ++pass) {
    for (int i = 0; i < E.rows(); ++i)
      if (const double size = E.row(i).cwiseAbs().maxCoeff(); size > 0.0)
        E.row(i) /= size, rows[i] /= size;
    for (int j = 0; j < E.cols(); ++j)
      if (const double size = E.col(j).cwiseAbs().maxCoeff(); size > 0.0)
        E.col(j) /= size, cols[j] /= size;
  }
}

// Index 0 or 1 by the ranks of E and of E + P J, P along the range of E; -1 when it is higher.
void find_index(Pencils pencil, Check& result) {
  Eigen::VectorXd rows, cols;
  equilibrate(pencil.E, rows, cols);
  pencil.J = rows.asDiagonal() * pencil.J * cols.asDiagonal();
  const int n = static_cast<int>(pencil.E.rows());
  const int rank = numerical_rank(pencil.E, result.gap);
  if (rank == n) {
    result.numerical_index = 0;
    result.degrees_of_freedom = n;
    return;
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(pencil.E, Eigen::ComputeFullU);
  const Eigen::MatrixXd kernel = svd.matrixU().rightCols(n - rank);
  Eigen::MatrixXd algebraic = kernel.transpose() * pencil.J;
  for (int i = 0; i < algebraic.rows(); ++i)
    if (const double size = algebraic.row(i).norm(); size > 0.0) algebraic.row(i) /= size;
  double gap = 0.0;
  if (numerical_rank(pencil.E + kernel * algebraic, gap) == n) {
    result.numerical_index = 1;
    result.degrees_of_freedom = rank;
    return;
  }
  result.warnings.push_back(
      "The index is higher than 1: the algebraic equations do not determine the algebraic "
      "variables "
      "by themselves.");
}

double stiffness_of(const Pencils& p) {
  const int n = static_cast<int>(p.E.rows());
  if (n > 200) return nan_value;
  const Eigen::GeneralizedEigenSolver<Eigen::MatrixXd> solver(p.J, p.E, false);
  double largest = 0.0, smallest = 1e300;
  const double scale = std::max(p.E.cwiseAbs().maxCoeff(), 1e-300);
  for (int i = 0; i < n; ++i) {
    if (std::abs(solver.betas()[i]) < 1e-12 * scale) continue;  // infinite: algebraic part
    const double size = std::abs(solver.alphas()[i] / solver.betas()[i]);
    if (!(size > 1e-12) || !std::isfinite(size)) continue;
    largest = std::max(largest, size);
    smallest = std::min(smallest, size);
  }
  return largest > 0.0 ? largest / smallest : nan_value;
}

bool all_differentiable(const Problem& problem) {
  const auto good = [](const auto&... f) { return ((!f || f.differentiable()) && ...); };
  if (const auto* i = std::get_if<ImplicitProblem>(&problem))
    return good(i->residual, i->leading) || i->jacobian_y;
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem)) return good(m->rhs) || m->jacobian;
  if (const auto* e = std::get_if<SemiExplicitProblem>(&problem)) return good(e->f, e->g) || e->f_y;
  const auto& b = std::get<MultibodyProblem>(problem);
  return good(b.mass, b.force, b.constraint);
}

}  // namespace

Check check(const Problem& problem, double t0, const Options& options) {
  validate(problem, t0);
  Check result;
  result.stiffness = nan_value;
  const bool multibody = std::holds_alternative<MultibodyProblem>(problem);
  auto owned = std::make_shared<const Problem>(problem);
  const std::unique_ptr<System> system =
      lower(owned, multibody ? "index1" : "", View::residual, {}, t0);
  State state = model_start(*system, problem, t0);
  StartRequest request = initial_equations(owned, *system);
  request.strategy = StartStrategy::automatic;
  Eigen::VectorXd size(system->layout.tangents());
  system->layout.magnitude(state.x.data(), size.data());
  request.weight = (options.rtol * size).array() + options.atol.values().minCoeff();
  system->prepare(state);
  const StartReport report = make_consistent(*system, state, request);
  result.consistent = report.status == Status::success;
  for (const StartReport::Row& row : report.rows)
    result.residuals.push_back({row.equation, row.value});
  if (!result.consistent) result.warnings.push_back(report.message);

  ResidualView& view = *system->residual_view();
  const int rows = static_cast<int>(system->equations.size()), n = system->layout.tangents();
  Eigen::VectorXd dd = Eigen::VectorXd::Zero(std::max(n, view.differentiated_count()));
  dd.head(n) = state.xd;
  if (rows == n && view.linearise(t0, state.x.data(), dd.data()) == Outcome::ok) {
    Pencils pencil;
    view.residual_pencil().dense_e(pencil.E);
    view.residual_pencil().dense_j(pencil.J);
    pencil.J *= -1.0;
    if (!multibody) find_index(pencil, result);
    result.stiffness = stiffness_of(pencil);
  }
  if (multibody) {
    const auto& b = std::get<MultibodyProblem>(problem);
    // The constraints of a multibody system are differentiated twice (once if nonholonomic) to
    // determine lambda, as long as [M G^T; G 0] is regular, which the start values have shown.
    if (result.consistent) result.numerical_index = index_of(problem);
    result.degrees_of_freedom = b.space.tangents() + b.velocities() - 2 * b.constraint_count -
                                b.nonholonomic_count + b.dynamic_count;
  } else if (result.numerical_index >= 0 && result.numerical_index != index_of(problem) &&
             !(index_of(problem) <= 1 && result.numerical_index <= 1)) {
    result.warnings.push_back(
        fmt::format("The problem is declared to have index {}, but at the "
                    "start values it has index {}.",
                    index_of(problem), result.numerical_index));
  }
  const testing::JacobianReport jacobian = testing::check_jacobians(problem, t0);
  result.jacobian_error = jacobian.worst.function.empty() ? nan_value : jacobian.worst.error;
  if (!jacobian.worst.function.empty())
    result.worst_entry = fmt::format("d({})/d({}) in {}", jacobian.worst.row, jacobian.worst.column,
                                     jacobian.worst.function);
  if (!jacobian.ok) result.warnings.push_back(jacobian.text());
  if (!all_differentiable(problem))
    result.warnings.push_back(
        "Some callables are plain: their Jacobians come from finite differences. Wrap generic "
        "callables in daedalus::autodiff for exact ones.");
  return result;
}

}  // namespace daedalus
