// SPDX-License-Identifier: BSD-3-Clause
#include "methods/half_explicit/engine_stiffness.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedalus::half_explicit {
namespace {

// An eigenvalue costs six evaluations: it is looked for the less often the longer none is found.
constexpr int look_every = 8, look_again = 16, longest_wait = 512;
// RODAS4 (Hairer, Wanner II, section VI.4): its estimate of a smooth solution is 0.0165 h^4 y'''',
// that of a mode at h lambda = iy at most 0.33 of the amplitude, and 0.1 at y = 2.7: with ten
// tolerances steps are that long at once, and longer after about a hundred, which have damped the
// mode; it has to pay in a run of this length.
constexpr double rodas4_constant = 0.0165, rodas4_amplitude = 10.0;
constexpr double min_share = 0.4, damping_steps = 500.0;
constexpr double safety = 0.66;      // 0.9^4, of the step control
constexpr double longer = 2.5;       // worth a change of the method
constexpr double unexplained = 2.0;  // times what the motion adds to the error estimate
// Steps settle within a few percent of the boundary, or errors of all sizes drive them far below it
// and back again.
constexpr double at_boundary = 0.9, below_boundary = 0.4, irregular = 0.5;

}  // namespace

StiffnessWatch::StiffnessWatch(TestEquation equation, int error_power, int values, int rates)
    : equation_(std::move(equation)), error_power_(error_power), rates_(rates) {
  values_.setZero(values, window);
  work_.setZero(values);
}

void StiffnessWatch::start() {
  memory_ = {};
  memory_.next = window;
}

void StiffnessWatch::accepted(double t, double h, double error, const Eigen::VectorXd& values) {
  Memory& m = memory_;
  const auto at = [](int n) { return static_cast<std::size_t>(n % window); };
  const std::size_t now = at(m.count);
  m.time[now] = t;
  m.step[now] = std::abs(h);
  m.error[now] = error;
  values_.col(m.count % window) = values;
  ++m.count;
  if (m.opening_count < opening) {
    const auto k = static_cast<std::size_t>(m.opening_count++);
    if (k == 0) m.opening_time = t;
    m.opening_step[k] = std::abs(h);
    m.opening_error[k] = error;
  }
}

bool StiffnessWatch::suspects(const Eigen::VectorXd& scale) {
  Memory& m = memory_;
  if (m.count < m.next) return false;
  m.next = m.count + look_every;
  m.unit = *std::max_element(m.error.begin(), m.error.end());
  // The first half of the first window belongs to the start.
  double sum = 0.0, squares = 0.0;
  m.mean_step = 0.0;
  for (int n = m.count - window / 2; n < m.count; ++n) {
    const auto k = static_cast<std::size_t>(n % window);
    const double logarithm = std::log(std::max(m.error[k], 1e-6 * m.unit));
    sum += 2.0 / window * logarithm;
    squares += 2.0 / window * logarithm * logarithm;
    m.mean_step += 2.0 / window * m.step[k];
  }
  m.unrest = std::sqrt(std::max(squares - sum * sum, 0.0));
  if (m.unit > 0.0 && motion_allows_more(scale)) return true;
  m.limited = m.found = false;
  m.opening_count = window;
  m.opening_time = m.time[static_cast<std::size_t>(m.count % window)];
  for (int n = 0; n < window; ++n) {
    const auto from = static_cast<std::size_t>((m.count + n) % window),
               to = static_cast<std::size_t>(n);
    m.opening_step[to] = m.step[from];
    m.opening_error[to] = m.error[from];
  }
  return false;
}

// Least squares with the weight (1 - x^2)^2, x = -1..1 over the window, under which a fast
// oscillation hardly shows in the polynomial of degree 4; orthogonal polynomials by the recursion
// of Stieltjes.
bool StiffnessWatch::motion_allows_more(const Eigen::VectorXd& scale) {
  // As the error estimate of RODAS4 sees derivatives up to the fourth.
  constexpr int degree = 4;
  const Memory& m = memory_;
  Eigen::Matrix<double, window, 1> x, weight;
  const double first = m.time[static_cast<std::size_t>(m.count % window)],
               last = m.time[static_cast<std::size_t>((m.count - 1) % window)];
  const double half = 0.5 * (last - first);
  const auto position = [&](int n) {
    return (m.time[static_cast<std::size_t>((m.count + n) % window)] - first) / half - 1.0;
  };
  for (int n = 0; n < window; ++n) {
    const int column = (m.count + n) % window;
    const double here = position(n);
    x[column] = here;
    weight[column] = (1.0 - here * here) * (1.0 - here * here) *
                     (position(std::min(n + 1, window - 1)) - position(std::max(n - 1, 0)));
  }
  using Polynomial = Eigen::Matrix<double, degree + 1, 1>;
  Eigen::Matrix<double, window, 1> p = Eigen::Matrix<double, window, 1>::Ones(), before = 0.0 * p;
  Polynomial c = Polynomial::Zero(), c_before = Polynomial::Zero();
  c[0] = 1.0;
  Eigen::Matrix<double, window, degree + 1> to = Eigen::Matrix<double, window, degree + 1>::Zero();
  double norm_before = 1.0;
  for (int d = 0; d <= degree; ++d) {
    const double norm = weight.dot(p.cwiseProduct(p));
    if (!(norm > 0.0)) return false;
    double factorial = 1.0;
    for (int k = 1; k <= degree; ++k) {
      factorial *= k;
      to.col(k) += factorial * c[k] / norm * weight.cwiseProduct(p);
    }
    const double shift = weight.dot(x.cwiseProduct(p).cwiseProduct(p)) / norm;
    const double back = d == 0 ? 0.0 : norm / norm_before;
    const Eigen::Matrix<double, window, 1> next = x.cwiseProduct(p) - shift * p - back * before;
    Polynomial c_next = -shift * c - back * c_before;
    c_next.tail<degree>() += c.head<degree>();
    before = p;
    c_before = c;
    p = next;
    c = c_next;
    norm_before = norm;
  }
  // Derivatives of y = (q, v, c): those of q' are one order higher.
  const int n = static_cast<int>(values_.rows()), others = n - rates_;
  const auto derivative = [&](int k) {
    work_.head(rates_).noalias() = values_.topRows(rates_) * to.col(k - 1);
    work_.head(rates_) *= half;
    work_.tail(others).noalias() = values_.bottomRows(others) * to.col(k);
    return work_.cwiseQuotient(scale).norm() / std::sqrt(n) / std::pow(std::abs(half), k);
  };
  const double own = error_power_ > degree || error_power_ < 2
                         ? 0.0
                         : equation_.leading(error_power_) * derivative(error_power_) *
                               std::pow(m.mean_step, error_power_);
  const double longest =
      std::pow(safety * m.unit / (rodas4_constant * derivative(degree)), 1.0 / degree);
  return longest > longer * m.mean_step && m.unit > unexplained * own;
}

// In tolerances, at the beginning of the opening: estimates over what the method makes of an
// amplitude 1, growth included. Four steps, half a turn and more, have one root mean square; of
// some of those the median.
double StiffnessWatch::early_amplitude(Mode mode) const {
  // Half a turn at the boundary, and as many values as the window has.
  constexpr int turn = 4, enough = 32;
  constexpr double shows = 0.25;  // of the boundary; shorter steps show errors of other things
  const Memory& m = memory_;
  const std::complex<double> eigenvalue = mode.eigenvalue();
  std::array<double, turn> last{};
  std::array<double, enough> found{};
  int valid = 0, count = 0;
  double grown = 1.0, unit = 0.0;
  for (int k = 0; k < m.opening_count && count < enough; ++k) {
    const double h = m.opening_step[static_cast<std::size_t>(k)],
                 error = m.opening_error[static_cast<std::size_t>(k)];
    if (h * std::abs(eigenvalue) > shows * m.boundary) {
      last[static_cast<std::size_t>(valid++ % turn)] =
          error / (equation_.estimate(h * eigenvalue) * grown);
      unit = std::max(unit, error);
      double sum = 0.0;
      for (const double a : last) sum += a * a;
      if (valid >= turn) found[static_cast<std::size_t>(count++)] = std::sqrt(sum / turn);
    }
    grown *= equation_.growth(mode.in_units_of(h));
  }
  if (count == 0 || !(unit > 0.0)) return 1e300;
  std::nth_element(found.begin(), found.begin() + count / 2, found.begin() + count);
  return found[static_cast<std::size_t>(count / 2)] / unit;
}

void StiffnessWatch::conclude(Mode mode) {
  Memory& m = memory_;
  m.next = m.count + m.wait;
  m.wait = std::min(2 * m.wait, longest_wait);
  const bool found_before = std::exchange(m.found, false);
  m.limited = false;
  // Growing modes are the solution's own.
  std::complex<double> eigenvalue = mode.eigenvalue();
  if (eigenvalue.imag() != 0.0) {
    mode.damping = std::min(mode.damping, 0.0);
    eigenvalue = mode.eigenvalue();
  }
  if (eigenvalue.imag() == 0.0 && !(eigenvalue.real() < 0.0)) return;
  const double ratio = mode.spring == 0.0 ? 1.0 : mode.damping / std::abs(eigenvalue);
  // The boundary moves by less than its own accuracy.
  constexpr double same = 1e-3;
  if (m.boundary == 0.0 || std::abs(ratio - m.damping_ratio) > same) {
    m.boundary = equation_.boundary(mode);
    m.damping_ratio = ratio;
  }
  const double now = m.time[static_cast<std::size_t>((m.count - 1) % window)];
  const double decay = std::exp(eigenvalue.real() * std::abs(now - m.opening_time));
  const double position = m.mean_step * std::abs(eigenvalue) / m.boundary;
  const double farthest = *std::max_element(m.step.begin(), m.step.end()) * std::abs(eigenvalue);
  const bool there = position > at_boundary ||
                     (m.unrest > irregular && farthest > m.boundary && position > below_boundary);
  const double bearable = rodas4_amplitude * std::min(1.0, min_share + m.count / damping_steps);
  m.found = there && early_amplitude(mode) * decay < bearable;
  m.limited = m.found && found_before;
  if (m.found && !found_before) m.next = m.count + look_again;
}

}  // namespace daedalus::half_explicit
