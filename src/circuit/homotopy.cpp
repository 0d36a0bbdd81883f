// SPDX-License-Identifier: BSD-3-Clause
// Newton homotopy F(x) = (1 - lambda) F(x0) from lambda = 0 to 1, followed by arc length, so that
// the path may turn back in lambda on its way.
#include <algorithm>
#include <cmath>

#include "circuit/operating_point.hpp"

namespace daedalus::circuit {
namespace {

constexpr double first_length = 0.05, max_length = 2.0, min_length = 1e-9;  // in units of 1 V
constexpr double current_unit = 1e-3;                                       // A, as long as 1 V
// Folded characteristics take hundreds of points; more means a curve that does not end.
constexpr int max_points = 3000, max_corrections = 12;

class ArcLength {
 public:
  ArcLength(StaticSolver& solver, int nodes, std::vector<double>& x)
      : solver_(solver), x_(x), weight_(x.size(), 1.0 / current_unit) {
    std::fill_n(weight_.begin(), std::min<std::size_t>(static_cast<std::size_t>(nodes), x.size()),
                1.0);
  }

  bool run() {
    if (!solver_.linearise(x_)) return false;
    start_ = solver_.residual();
    double length = first_length;
    for (int k = 0; k < max_points && lambda_ < 1.0; ++k) {
      if (!tangent()) return false;
      const std::vector<double> x_before = x_;
      const double lambda_before = lambda_;
      for (;;) {
        if (correct(length)) break;
        x_ = x_before;
        lambda_ = lambda_before;
        length *= 0.25;
        if (length < min_length) return false;
      }
      length = std::min(2.0 * length, max_length);
    }
    return lambda_ >= 1.0;
  }
  double lambda() const { return lambda_; }

 private:
  double product(const std::vector<double>& a, const std::vector<double>& b) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += weight_[k] * weight_[k] * a[k] * b[k];
    return sum;
  }
  // -J^-1 F(x0): how x moves with lambda.
  std::vector<double> slope() {
    std::vector<double> w = start_;
    for (double& v : w) v = -v;
    solver_.solve_linear(w.data());
    return w;
  }

  // Along the path, in the direction of the last one.
  bool tangent() {
    if (!solver_.linearise(x_)) return false;
    std::vector<double> w = slope();
    const double norm = std::sqrt(product(w, w) + 1.0);
    if (!std::isfinite(norm)) return false;
    double sign = 1.0;
    if (!along_.empty() && product(w, along_) + along_lambda_ < 0.0) sign = -1.0;
    for (double& v : w) v *= sign / norm;
    along_ = std::move(w);
    along_lambda_ = sign / norm;
    return true;
  }

  bool correct(double length) {
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += length * along_[k];
    lambda_ += length * along_lambda_;
    const std::vector<double> predicted = x_;
    const double predicted_lambda = lambda_;
    for (int k = 0; k < max_corrections; ++k) {
      if (!solver_.linearise(x_)) return false;
      ++solver_.iterations;
      std::vector<double> u = solver_.residual(), off = x_;
      for (std::size_t i = 0; i < u.size(); ++i) {
        u[i] = -(u[i] - (1.0 - lambda_) * start_[i]);
        off[i] -= predicted[i];
      }
      solver_.solve_linear(u.data());
      const std::vector<double> w = slope();
      // The step stays in the plane across the path.
      const double plane = product(along_, off) + along_lambda_ * (lambda_ - predicted_lambda);
      const double change = -(plane + product(along_, u)) / (along_lambda_ + product(along_, w));
      double largest = std::fabs(change);
      for (std::size_t i = 0; i < u.size(); ++i) {
        const double step = u[i] + change * w[i];
        x_[i] += step;
        largest = std::max(largest, weight_[i] * std::fabs(step));
      }
      lambda_ += change;
      if (!std::isfinite(largest) || largest > 10.0 * max_length) return false;
      if (largest < 1e-6) return true;
    }
    return false;
  }

  StaticSolver& solver_;
  std::vector<double>& x_;
  std::vector<double> weight_, start_, along_;
  double lambda_ = 0.0, along_lambda_ = 1.0;
};

}  // namespace

bool StaticSolver::follow_path(std::vector<double>& x, double& reached) {
  x.resize(static_cast<std::size_t>(n_ + m_), 0.0);
  ArcLength path(*this, net_.nodes(), x);
  const bool good = path.run();
  reached = path.lambda();
  return good;
}

}  // namespace daedalus::circuit
