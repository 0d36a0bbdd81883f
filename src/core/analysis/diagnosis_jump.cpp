// SPDX-License-Identifier: BSD-3-Clause
// Jumps and ends of domains near a state. Along a direction d the rows of F are compared at +s d
// and -s d for falling s: where F is smooth their difference falls like s; across a jump it does
// not, as long as s reaches over it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/diagnosis_parts.hpp"

namespace daedalus::diagnosis {
namespace {

constexpr int levels = 14;       // nearer and nearer to the place, down to 4^-14 = 4e-9 of the step
constexpr double nearer = 0.25;  // of the distance before
constexpr int in_a_row = 4;      // a constant difference over a factor 4^3 of s
constexpr double significant = 1e-4;  // of the terms of the row
// Relative; a jump stays, a slope falls by four with each level.
constexpr double constant_within = 0.1;

struct Direction {
  double dt = 0.0;
  Eigen::VectorXd move;
  int variable = -1;  // -1: time, or along the solution
};

struct Found {
  int row = -1;
  double size = 0.0;  // relative to the terms of the row
  double step = 0.0;
  bool outside = false;  // not finite, or refused, on one side
};

// The size of the terms that a row is made of.
Eigen::VectorXd terms(const Place& p, const Site& site) {
  Eigen::VectorXd size(site.size());
  site.system->layout.magnitude(p.s.x.data(), size.data());
  return (p.E.cwiseAbs() * p.s.xd.cwiseAbs() + p.J.cwiseAbs() * size).cwiseMax(1e-300);
}

Found look(const Site& site, const Place& at, const Direction& d, const Eigen::VectorXd& unit) {
  Found best;
  const int n = site.size();
  Eigen::VectorXd ahead(n), behind(n), last = Eigen::VectorXd::Constant(n, NAN);
  std::vector<int> run(static_cast<std::size_t>(n), 0);
  double s = 1.0;
  for (int k = 0; k < levels; ++k, s *= nearer) {
    int row = -1, other = -1;
    const bool good = site.rows(at, s * d.dt, s * d.move, ahead, row);
    const bool good_behind = site.rows(at, -s * d.dt, -s * d.move, behind, other);
    if (good != good_behind) {
      best.outside = true;
      best.row = good ? other : row;
      best.step = s;
      last.setConstant(NAN);
      continue;
    }
    if (!good) continue;
    best.outside = false;
    const Eigen::VectorXd difference = ahead - behind;
    for (int i = 0; i < n; ++i) {
      const auto at_row = static_cast<std::size_t>(i);
      const double size = std::abs(difference[i]);
      const bool same = size > significant * unit[i] &&
                        std::abs(difference[i] - last[i]) < constant_within * size;
      run[at_row] = same ? run[at_row] + 1 : 0;
      // A row may hold nothing but what jumps.
      const double part = size / std::max({unit[i], std::abs(ahead[i]), std::abs(behind[i])});
      if (run[at_row] >= in_a_row - 1 && part > best.size) best = {i, part, s, false};
    }
    last = difference;
  }
  return best;
}

// The part of the direction at which the row changes, in -step..step.
double place_of(const Site& site, const Place& at, const Direction& d, const Found& f) {
  Eigen::VectorXd here, there;
  int row = -1;
  if (!site.rows(at, 0.0, 0.0 * d.move, here, row)) return 0.0;
  double sign = 1.0, largest = -1.0;
  for (const double side : {1.0, -1.0})
    if (site.rows(at, side * f.step * d.dt, side * f.step * d.move, there, row) &&
        std::abs(there[f.row] - here[f.row]) > largest) {
      largest = std::abs(there[f.row] - here[f.row]);
      sign = side;
    }
  double inside = 0.0, outside = f.step;
  for (int k = 0; k < 50; ++k) {
    const double middle = 0.5 * (inside + outside);
    if (!site.rows(at, sign * middle * d.dt, sign * middle * d.move, there, row)) break;
    (std::abs(there[f.row] - here[f.row]) > 0.5 * largest ? outside : inside) = middle;
  }
  return sign * outside;
}

}  // namespace

std::string jump(const Site& site, const Place& at, double reach) {
  const int n = site.size();
  const Eigen::VectorXd unit = terms(at, site);
  const Eigen::VectorXd weight = site.weight(at);
  std::vector<Direction> directions;
  directions.push_back({reach, Eigen::VectorXd::Zero(n), -1});
  directions.push_back({reach, reach * at.s.xd, -1});
  Eigen::VectorXd size(n);
  site.system->layout.magnitude(at.s.x.data(), size.data());
  for (int j = 0; j < n; ++j) {
    Direction d{0.0, Eigen::VectorXd::Zero(n), j};
    d.move[j] = std::max({1e-3 * size[j], std::abs(reach * at.s.xd[j]), 1e3 * weight[j]});
    directions.push_back(std::move(d));
  }
  Found worst, outside;
  const Direction *of_worst = nullptr, *of_outside = nullptr;
  for (const Direction& d : directions) {
    const Found f = look(site, at, d, unit);
    // Time comes first: what depends on it alone also shows along the solution.
    if (f.row >= 0 && !f.outside && f.size > 1.05 * worst.size) worst = f, of_worst = &d;
    if (f.outside && f.row >= 0 && (!of_outside || f.step < outside.step))
      outside = f, of_outside = &d;
  }
  const auto what = [&](const Direction& d) {
    return d.variable >= 0   ? fmt::format("where '{}' passes {:.6g}", site.variable(d.variable),
                                           at.s.x[d.variable])
           : d.move.isZero() ? std::string("with time")
                             : std::string("along the solution");
  };
  if (of_worst)
    return fmt::format(
        " A discontinuity: equation '{}' jumps near t = {:.6g}, {}, by {:.2g} of the size of its "
        "terms. Let an event switch a mode there.",
        site.equation(worst.row), at.s.t + of_worst->dt * place_of(site, at, *of_worst, worst),
        what(*of_worst), worst.size);
  if (of_outside && outside.step < 1e-3)
    return fmt::format(
        " Equation '{}' is not finite beyond this place ({}): the solution leaves the domain of "
        "its formulas. Look for a root or logarithm of a negative number, or a division by zero.",
        site.equation(outside.row), what(*of_outside));
  return {};
}

}  // namespace daedalus::diagnosis
