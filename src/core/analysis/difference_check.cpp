// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/difference_check.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

constexpr double round_off = 1e-15;  // of a row, in units of its terms
// Increments down to 4^-12 of the first: where round-off has taken over.
constexpr int levels = 12;

struct Reference {
  Eigen::MatrixXd J, uncertainty, curvature;
};

// Central differences with one extrapolation at each of several increments; the value with the
// smallest estimated error is kept (Ridders 1982).
Reference refine(ResidualView& view, const State& s, const Eigen::VectorXd& rates,
                 const Eigen::VectorXd& terms) {
  const auto n = s.x.size();
  const auto rows = terms.size();
  Reference out;
  out.J.setZero(rows, n);
  out.uncertainty.setConstant(rows, n, 1e300);
  out.curvature.setZero(rows, n);
  Eigen::VectorXd x = s.x, middle(rows), plus(rows), minus(rows);
  const auto value = [&](Eigen::VectorXd& r) {
    return view.residual(s.t, x.data(), rates.data(), r.data()) == Outcome::ok && r.allFinite();
  };
  if (!value(middle)) return out;
  const double largest = n ? s.x.cwiseAbs().maxCoeff() : 0.0;
  for (Eigen::Index j = 0; j < n; ++j) {
    double h = 1e-2 * std::max({std::abs(s.x[j]), 1e-3 * largest, 1e-4});
    Eigen::VectorXd last;
    for (int level = 0; level < levels; ++level, h *= 0.25) {
      Eigen::VectorXd quotient[2];
      bool good = true;
      for (int half = 0; half < 2 && good; ++half) {
        const double e = half ? 0.5 * h : h;
        x[j] = s.x[j] + e;
        good = value(plus);
        x[j] = s.x[j] - e;
        good = good && value(minus);
        if (good) quotient[half] = (plus - minus) / (2.0 * e);
      }
      x[j] = s.x[j];
      if (!good) continue;
      const double half = 0.5 * h;
      for (Eigen::Index i = 0; i < rows; ++i) {
        const double better = (4.0 * quotient[1][i] - quotient[0][i]) / 3.0;
        const double estimate = std::abs(better - quotient[1][i]) +
                                (last.size() ? std::abs(better - last[i]) : 0.0) +
                                round_off * terms[i] / half;
        if (estimate < out.uncertainty(i, j)) {
          out.uncertainty(i, j) = estimate;
          out.J(i, j) = better;
        }
        const double curvature = std::abs(plus[i] - 2.0 * middle[i] + minus[i]) / (half * half);
        if (curvature > 100.0 * round_off * terms[i] / (half * half))
          out.curvature(i, j) = curvature;
      }
      last = (4.0 * quotient[1] - quotient[0]) / 3.0;
    }
  }
  return out;
}

}  // namespace

DifferenceError difference_error(System& system, const State& s, const Eigen::VectorXd& rates,
                                 const Eigen::MatrixXd& E, const Eigen::MatrixXd& used,
                                 const Eigen::MatrixXd& exact, const Eigen::VectorXd& atol) {
  const auto n = s.x.size();
  const auto rows = used.rows();
  const Eigen::MatrixXd& rough = exact.size() ? exact : used;
  const Eigen::VectorXd terms =
      E.cwiseAbs() * rates.head(n).cwiseAbs() + rough.cwiseAbs() * s.x.cwiseAbs();
  Reference reference = refine(*system.residual_view(), s, rates, terms);
  if (exact.size()) {
    reference.J = exact;
    reference.uncertainty.setZero();
  }
  const Eigen::MatrixXd& C = reference.curvature;

  DifferenceError worst;
  const double largest = std::max(s.x.cwiseAbs().maxCoeff(), atol.maxCoeff());
  Eigen::VectorXd size = s.x.cwiseAbs().cwiseMax(atol);
  for (Eigen::Index j = 0; j < n; ++j) {
    double natural = 0.0;
    int row = -1;
    for (Eigen::Index i = 0; i < rows; ++i) {
      // Rows whose terms are round-off of the others say nothing.
      if (C(i, j) == 0.0 || terms[i] <= 1e-12 * terms.maxCoeff()) continue;
      const double here = std::sqrt(2.0 * terms[i] / C(i, j));
      if (row < 0 || here < natural) natural = here, row = static_cast<int>(i);
    }
    size[j] = row >= 0 ? std::max(size[j], natural) : std::max(size[j], 1e-3 * largest);
    if (row >= 0 && size[j] < worst.unevenness * largest) {
      worst.unevenness = size[j] / largest;
      worst.uneven = static_cast<int>(j);
      worst.uneven_row = row;
      worst.uneven_size = size[j];
    }
  }
  const Eigen::VectorXd reach = terms + (reference.J.cwiseAbs() + C * size.asDiagonal()) * size;
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (!(reach[i] > 0.0)) continue;
    for (Eigen::Index j = 0; j < n; ++j) {
      const double gap = std::abs(used(i, j) - reference.J(i, j)) - reference.uncertainty(i, j);
      const double error = gap * size[j] / reach[i];
      if (error > worst.error) {
        worst.error = error;
        worst.row = static_cast<int>(i);
        worst.column = static_cast<int>(j);
        worst.size = size[j];
      }
    }
  }
  return worst;
}

}  // namespace daedalus
