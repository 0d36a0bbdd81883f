// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/statistics.hpp"

#include <Eigen/QR>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include <fmt/format.h>

#include "linalg/decompositions.hpp"

namespace daedalus::estimation {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
// Singular values below this share of the largest are combinations that the data do not tell.
constexpr double rank_tolerance = 1e-6;
// A parameter with a larger entry in an undetermined combination is not determined itself.
constexpr double involved = 1e-3;

// Columns in relative changes of the parameters. A loss has no weight here: the covariance is that
// of the data that are no outliers.
struct Scaled {
  Eigen::MatrixXd jacobian;
  Eigen::VectorXd by_u;  // d u / d(relative change)
};

Scaled scaled(const FitTask& task, const Eigen::VectorXd& u, const Evaluation& at) {
  Scaled s{at.jacobian, Eigen::VectorXd::Ones(u.size())};
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const Quantity& q = task.free[static_cast<std::size_t>(i)];
    if (!q.log && u[i] != 0.0) s.by_u[i] = std::abs(u[i]);
    s.jacobian.col(i) *= s.by_u[i];
  }
  return s;
}

// R of the QR decomposition where there are more rows than columns: the same singular values and
// right vectors.
Eigen::MatrixXd square_factor(const Eigen::MatrixXd& A) {
  if (A.rows() <= A.cols()) return A;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(A);
  return qr.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>();
}

Undetermined describe(const FitTask& task, const Eigen::VectorXd& v, double relative) {
  std::vector<std::string> names;
  for (const Quantity& q : task.free) names.push_back(q.name);
  Undetermined result{.vector = v, .relative = relative};
  result.combination = product_of_powers(names, v);
  std::vector<Eigen::Index> named;
  constexpr double shown = 0.1;  // entries below are left out (spec)
  for (Eigen::Index i = 0; i < v.size(); ++i)
    if (std::abs(v[i]) >= shown * v.cwiseAbs().maxCoeff()) named.push_back(i);
  if (named.size() == 1) {
    result.sentence =
        fmt::format("no value depends on {}: fix it", names[static_cast<std::size_t>(named[0])]);
  } else if (named.size() == 2) {
    Eigen::VectorXd other = Eigen::VectorXd::Zero(v.size());
    other[named[0]] = -v[named[1]];
    other[named[1]] = v[named[0]];
    result.sentence = fmt::format(
        "the data determine {} but not {} (relative singular value {:.1g}): fix one of them",
        product_of_powers(names, other), result.combination, relative);
  } else {
    result.sentence = fmt::format(
        "the data do not determine {} (relative singular value {:.1g}): fix one of them",
        result.combination, relative);
  }
  return result;
}

void set_interval(const Quantity& q, double u, double sd_u, double quantile, ParameterEstimate& e) {
  if (!std::isfinite(sd_u)) {
    e.sd = infinite;
    e.interval[0] = q.log ? 0.0 : -infinite;
    e.interval[1] = infinite;
    return;
  }
  e.sd = sd_u * q.slope(u);
  const double low = u - quantile * sd_u, high = u + quantile * sd_u;
  e.interval[0] = q.log ? std::exp(low) : low * q.scale;
  e.interval[1] = q.log ? std::exp(high) : high * q.scale;
}

bool is_at_bound(const Quantity& q, double value, double gradient) {
  constexpr double near = 1e-8;  // of the bound, or of the range
  const double size = q.bounded() ? q.upper - q.lower : std::max(1.0, std::abs(value));
  return (std::isfinite(q.lower) && value - q.lower <= near * size && gradient > 0.0) ||
         (std::isfinite(q.upper) && q.upper - value <= near * size && gradient < 0.0);
}

void set_estimates(const FitTask& task, const Eigen::VectorXd& u, const Evaluation& at,
                   const Eigen::MatrixXd& covariance, const std::vector<bool>& determined,
                   FitResult& result) {
  Eigen::VectorXd weighted = at.residuals;
  for (double& r : weighted) r *= loss_slope(task.fit.loss, task.fit.loss_scale, r * r);
  const Eigen::VectorXd gradient = at.jacobian.transpose() * weighted;
  const double quantile = student_quantile(task.fit.confidence, result.degrees_of_freedom);
  const Eigen::Index n = u.size();
  result.correlation.setConstant(n, n, not_a_number);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Quantity& q = task.free[k];
    ParameterEstimate e{.name = q.name,
                        .value = q.to_p(u[i]),
                        .start = q.start,
                        .lower = q.lower,
                        .upper = q.upper,
                        .log = q.log};
    e.at_bound = is_at_bound(q, e.value, gradient[i]);
    set_interval(q, u[i], determined[k] ? std::sqrt(covariance(i, i)) : infinite, quantile, e);
    result.estimates.push_back(e);
    for (Eigen::Index j = 0; j < n; ++j)
      if (determined[k] && determined[static_cast<std::size_t>(j)])
        result.correlation(i, j) =
            i == j ? 1.0 : covariance(i, j) / std::sqrt(covariance(i, i) * covariance(j, j));
  }
}

}  // namespace

double student_quantile(double confidence, long degrees_of_freedom) {
  if (degrees_of_freedom < 1) return infinite;
  const boost::math::students_t t(static_cast<double>(degrees_of_freedom));
  return boost::math::quantile(t, 0.5 + 0.5 * confidence);
}

Eigen::MatrixXd describe_estimates(const FitTask& task, const Eigen::VectorXd& u,
                                   const Evaluation& at, FitResult& result) {
  const Scaled s = scaled(task, u, at);
  const Eigen::Index n = u.size();
  const SingularValues svd = singular_value_decomposition(square_factor(s.jacobian));
  result.singular_values = svd.values;
  const double largest = result.singular_values.maxCoeff();
  Eigen::Index rank = 0;
  while (rank < n && result.singular_values[rank] > rank_tolerance * largest) ++rank;
  const Eigen::MatrixXd V = svd.v.leftCols(rank);
  const Eigen::MatrixXd half = V * result.singular_values.head(rank).cwiseInverse().asDiagonal();
  Eigen::MatrixXd covariance = half * half.transpose();
  if (!result.sigma_known) covariance *= result.variance;
  covariance = (s.by_u.asDiagonal() * covariance * s.by_u.asDiagonal()).eval();

  std::vector<bool> determined(static_cast<std::size_t>(n), true);
  const Eigen::MatrixXd lost = sparse_basis(svd.v.rightCols(n - rank).transpose());
  for (Eigen::Index k = 0; k < lost.rows(); ++k) {
    const double relative = largest > 0.0 ? result.singular_values[rank + k] / largest : 0.0;
    result.undetermined.push_back(describe(task, lost.row(k), relative));
    for (Eigen::Index i = 0; i < n; ++i)
      if (std::abs(lost(k, i)) > involved) determined[static_cast<std::size_t>(i)] = false;
  }
  set_estimates(task, u, at, covariance, determined, result);
  return covariance;
}

}  // namespace daedalus::estimation
