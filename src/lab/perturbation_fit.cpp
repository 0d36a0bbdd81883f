// SPDX-License-Identifier: BSD-3-Clause
// Least squares for log(error) = log C + a log(theta) + b log(h), over the runs where the term of
// the bound that dominates the measured errors makes most of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lab/perturbation_parts.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus::perturbation {
namespace {

constexpr double above_round_off = 10.0;  // errors nearer to round-off are left out
constexpr double saturated = 0.2;         // of the component's own size
constexpr double share = 0.75;            // of the error that the dominating term has to make
constexpr double close = 0.2;             // exponents that agree

struct Point {
  double theta, h, error;
};

struct Spread {
  std::size_t thetas, steps;
};
Spread spread(const std::vector<Point>& points) {
  std::set<double> thetas, steps;
  for (const Point& p : points) {
    thetas.insert(p.theta);
    steps.insert(p.h);
  }
  return {thetas.size(), steps.size()};
}

double sum_of(const std::vector<PerturbationTerm>& terms, const Eigen::VectorXd& c,
              const Point& p) {
  double sum = 0.0;
  for (std::size_t k = 0; k < terms.size(); ++k)
    sum += c[static_cast<int>(k)] * terms[k].at(p.theta, p.h);
  return sum;
}

// Constants >= 0 of the terms with the smallest relative deviations. Terms are few: every subset is
// tried. Empty: the terms do not describe the errors to a factor of two.
Eigen::VectorXd constants_of(const std::vector<PerturbationTerm>& terms,
                             const std::vector<Point>& points) {
  const auto n = static_cast<int>(terms.size()), rows = static_cast<int>(points.size());
  Eigen::VectorXd best;
  double smallest = 1e300;
  for (unsigned mask = 1; mask < (1u << n); ++mask) {
    std::vector<int> used;
    for (int k = 0; k < n; ++k)
      if (mask >> k & 1u) used.push_back(k);
    const auto cols = static_cast<int>(used.size());
    if (cols > rows) continue;
    Eigen::MatrixXd A(rows, cols);
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < cols; ++k) {
        const Point& p = points[static_cast<std::size_t>(i)];
        A(i, k) =
            terms[static_cast<std::size_t>(used[static_cast<std::size_t>(k)])].at(p.theta, p.h) /
            p.error;
      }
    // Columns of very different size would look dependent.
    const Eigen::VectorXd size = A.colwise().norm().transpose();
    const Eigen::MatrixXd scaled = A * size.cwiseInverse().asDiagonal();
    const Eigen::VectorXd c = least_squares(scaled, Eigen::VectorXd::Ones(rows));
    if (!(c.array() > 0.0).all()) continue;
    const double deviation = (scaled * c - Eigen::VectorXd::Ones(rows)).norm();
    if (deviation >= 0.999 * smallest) continue;
    smallest = deviation;
    best = Eigen::VectorXd::Zero(n);
    for (int k = 0; k < cols; ++k) best[used[static_cast<std::size_t>(k)]] = c[k] / size[k];
  }
  if (best.size() == 0) return best;
  for (const Point& p : points) {
    const double ratio = sum_of(terms, best, p) / p.error;
    if (!(ratio > 0.5 && ratio < 2.0)) return {};
  }
  return best;
}

// The term that makes most of the error at the point; nearest to the bound if constants are known.
std::size_t largest(const std::vector<PerturbationTerm>& terms, const Eigen::VectorXd& c,
                    const Point& p, bool smallest) {
  std::size_t best = 0;
  const auto size = [&](std::size_t k) {
    return (c.size() > 0 ? c[static_cast<int>(k)] : 1.0) * terms[k].at(p.theta, p.h);
  };
  for (std::size_t k = 1; k < terms.size(); ++k)
    if (smallest ? size(k) < size(best) : size(k) > size(best)) best = k;
  return best;
}

// Keeps the points of one regime and names its term.
void select(PerturbedComponent& component, std::vector<Point>& points) {
  const auto& terms = component.terms;
  if (terms.empty()) return;
  const Point severe =
      *std::max_element(points.begin(), points.end(), [](const Point& a, const Point& b) {
        return a.h > b.h || (a.h == b.h && a.theta < b.theta);
      });
  const Eigen::VectorXd c = component.smallest ? Eigen::VectorXd() : constants_of(terms, points);
  const std::size_t chosen = largest(terms, c, severe, component.smallest);
  component.dominating = terms[chosen];
  if (terms.size() == 1) return;
  std::vector<Point> kept;
  for (const Point& p : points) {
    const bool same = c.size() > 0 ? c[static_cast<int>(chosen)] * terms[chosen].at(p.theta, p.h) >=
                                         share * sum_of(terms, c, p)
                                   : largest(terms, c, p, component.smallest) == chosen;
    if (same) kept.push_back(p);
  }
  const Spread all = spread(points), some = spread(kept);
  if (kept.size() >= 3 && some.thetas >= std::min<std::size_t>(2, all.thetas) &&
      some.steps >= std::min<std::size_t>(2, all.steps))
    points = std::move(kept);
}

std::vector<Point> usable(const PerturbedComponent& component, const std::vector<double>& thetas,
                          const std::vector<double>& steps, double scale, std::string& reason) {
  std::vector<Point> points;
  int failed = 0, quiet = 0, full = 0;
  for (std::size_t i = 0; i < thetas.size(); ++i)
    for (std::size_t j = 0; j < steps.size(); ++j) {
      const double e = component.errors(static_cast<int>(i), static_cast<int>(j));
      if (!std::isfinite(e))
        ++failed;
      else if (e <= above_round_off * component.round_off[static_cast<int>(j)] || e == 0.0)
        ++quiet;
      else if (scale > 0.0 && e > saturated * scale)
        ++full;
      else
        points.push_back({thetas[i], steps[j], e});
    }
  const int count = static_cast<int>(thetas.size() * steps.size());
  if (quiet == count)
    reason = "does not react: all differences are at the level of rounding errors";
  else
    reason = fmt::format(
        "too few usable runs: {} of {} ({} failed, {} at the level of rounding "
        "errors, {} saturated)",
        points.size(), count, failed, quiet, full);
  return points;
}

}  // namespace

Fit fit(PerturbedComponent& component, const std::vector<double>& thetas,
        const std::vector<double>& steps, double scale) {
  Fit f{nan_value, nan_value, nan_value, nan_value, 0, {}};
  std::vector<Point> points = usable(component, thetas, steps, scale, f.reason);
  if (points.empty()) return f;
  select(component, points);
  const Spread s = spread(points);
  const bool by_theta = s.thetas > 1, by_h = s.steps > 1;
  const int unknowns = 1 + by_theta + by_h;
  if (unknowns == 1 || static_cast<int>(points.size()) < unknowns) return f;
  f.reason.clear();
  const auto rows = static_cast<int>(points.size());
  Eigen::MatrixXd A(rows, unknowns);
  Eigen::VectorXd b(rows);
  for (int i = 0; i < rows; ++i) {
    const Point& p = points[static_cast<std::size_t>(i)];
    int k = 0;
    A(i, k++) = 1.0;
    if (by_theta) A(i, k++) = std::log10(p.theta);
    if (by_h) A(i, k++) = std::log10(p.h);
    b[i] = std::log10(p.error);
  }
  const Eigen::VectorXd x = least_squares(A, b);
  f.points = rows;
  f.misfit = (A * x - b).cwiseAbs().maxCoeff();
  f.constant = std::pow(10.0, x[0]);
  if (by_theta) f.theta_exponent = x[1];
  if (by_h) f.h_exponent = x[unknowns - 1];
  if (!by_theta) f.reason = "one theta only: no exponent of theta";
  if (!by_h) f.reason = "one step size only: no exponent of h";
  return f;
}

std::string verdict(const PerturbedComponent& c) {
  if (c.terms.empty() || !std::isfinite(c.theta_exponent) || !std::isfinite(c.h_exponent))
    return {};
  const auto near = [&](double a, double b) {
    return std::abs(c.theta_exponent - a) <= close && std::abs(c.h_exponent - b) <= close;
  };
  if (near(c.dominating.theta_exponent, c.dominating.h_exponent)) return "as predicted";
  // Where two terms are of the same size, the fit finds exponents between theirs.
  bool between = false, below = false;
  // Of a line between two exponents: steps of 0.025 are finer than a fit.
  constexpr int parts = 40;
  for (const PerturbationTerm& t : c.terms)
    for (const PerturbationTerm& other : c.terms)
      for (int i = 0; i <= parts; ++i) {
        const double s = static_cast<double>(i) / parts;
        const double a = (1.0 - s) * t.theta_exponent + s * other.theta_exponent;
        const double b = (1.0 - s) * t.h_exponent + s * other.h_exponent;
        between = between || near(a, b);
        below = below || (c.theta_exponent >= a - close && c.h_exponent >= b - close);
      }
  if (between) return "between two terms";
  if (below) return "below the bound";
  return "above the bound";
}

}  // namespace daedalus::perturbation
