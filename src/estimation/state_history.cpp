// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/state_history.hpp"

#include <algorithm>
#include <cmath>

#include "integrate/solution_data.hpp"

namespace daedalus {

void evaluate(const Layout& layout, const Interpolant& piece, double t, Eigen::VectorXd& w,
              Eigen::VectorXd& slope, Eigen::VectorXd& y, Eigen::VectorXd& rates) {
  const double theta = (t - piece.t0) / piece.h;
  w.setZero(layout.tangents());
  slope.setZero(layout.tangents());
  for (int j = piece.degree; j >= 1; --j) {
    slope = theta * slope + w;
    w = theta * w + piece.c.col(j);
  }
  slope = (theta * slope + w) / piece.h;
  w *= theta;
  y.resize(layout.points());
  layout.plus(piece.base.data(), w.data(), y.data());
  rates = slope;
  for (const LayoutBlock& b : layout.blocks())
    if (!b.space.is_euclidean())
      b.space.tangent(w.data() + b.tangent, slope.data() + b.tangent, rates.data() + b.tangent);
}

void StateHistory::at(double t, Eigen::VectorXd& y, Eigen::VectorXd& rates) {
  // Pieces that only touch the window at one of its ends do not count.
  const double tiny = 4e-16 * std::max(std::abs(from_), std::abs(to_));
  const double inside = sign() * std::clamp(sign() * t, sign() * from_ + tiny, sign() * to_ - tiny);
  evaluate(layout(), piece(inside), t, w_, slope_, y, rates);
}

void StateHistory::window(double from, double to) {
  from_ = from;
  to_ = to;
}

std::vector<double> StateHistory::parts(double from, double to, int steps) {
  constexpr int plain_degree = 5;  // above it steps are long: a part per degree and half of that
  std::vector<double> ends;
  const double direction = to >= from ? 1.0 : -1.0;
  double t = from;
  for (int count = 1; t != to; ++count) {
    const double tiny = 4e-16 * std::max(std::abs(t), std::abs(to - from));
    const Interpolant& p = piece(t + direction * tiny);
    const double end = sign() * direction > 0.0 ? p.t0 + p.h : p.t0;
    const bool last = !(direction * (to - end) > tiny) || !(direction * (end - t) > tiny);
    const double next = last ? to : end;
    const int pieces = p.degree > plain_degree
                           ? static_cast<int>(std::ceil((p.degree - plain_degree + 2) *
                                                        std::min(1.0, std::abs((next - t) / p.h))))
                           : 1;
    for (int k = 1; k < pieces; ++k) ends.push_back(t + (next - t) * k / pieces);
    if (count % steps == 0 || pieces > 1 || last) ends.push_back(next);
    t = next;
  }
  return ends;
}

const Interpolant& piece_of(const std::vector<Interpolant>& all, double inside, double sign) {
  auto it = std::partition_point(all.begin(), all.end(), [&](const Interpolant& p) {
    return sign * (p.t0 + p.h) < sign * inside;
  });
  return it == all.end() ? all.back() : *it;
}

KeptHistory::KeptHistory(const Solution& solution) : solution_(solution) {
  const SolutionData& d = solution_.data();
  ends_ = {d.start_time, d.end_time, d.statistics.last_step, d.start, d.end};
  whole();
}

const Layout& KeptHistory::layout() { return solution_.data().layout; }

void KeptHistory::each_piece(const std::function<void(const Interpolant&)>& visit) {
  for (const Interpolant& p : solution_.data().interpolants) visit(p);
}

const Interpolant& KeptHistory::piece(double inside) {
  return piece_of(solution_.data().interpolants, inside, sign());
}

GaussRule gauss_rule(int points) {
  static const double x3[] = {0.1127016653792583, 0.5, 0.8872983346207417};
  static const double w3[] = {0.2777777777777778, 0.4444444444444444, 0.2777777777777778};
  static const double x4[] = {0.06943184420297371, 0.3300094782075719, 0.6699905217924281,
                              0.9305681557970263};
  static const double w4[] = {0.1739274225687269, 0.3260725774312731, 0.3260725774312731,
                              0.1739274225687269};
  static const double x5[] = {0.04691007703066802, 0.2307653449471584, 0.5, 0.7692346550528415,
                              0.9530899229693319};
  static const double w5[] = {0.1184634425280945, 0.2393143352496832, 0.2844444444444444,
                              0.2393143352496832, 0.1184634425280945};
  static const double x2[] = {0.2113248654051871, 0.7886751345948129};
  static const double w2[] = {0.5, 0.5};
  if (points <= 2) return {x2, w2, 2};
  if (points == 3) return {x3, w3, 3};
  return points == 4 ? GaussRule{x4, w4, 4} : GaussRule{x5, w5, 5};
}

}  // namespace daedalus
