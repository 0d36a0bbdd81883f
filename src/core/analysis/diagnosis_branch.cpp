// SPDX-License-Identifier: BSD-3-Clause
// A branch whose two sides agree on the solution and depend on the variables in different ways.
// Beside the solution they differ by what errors leave: where the side is another one at every
// iterate, or a constraint of index 2 takes up the difference as one over h, no step crosses it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/diagnosis_parts.hpp"

namespace daedalus::diagnosis {
namespace {

// Part of the largest entry of its row that an entry of J changes by; smooth entries change by less
// over what halving leaves of the reach.
constexpr double min_change = 1e-3;
constexpr int halvings = 24;

struct Change {
  double size = 0.0;
  int row = -1, column = -1;
};

// The largest entry of each row.
Eigen::VectorXd sizes(const Place& a) { return a.J.cwiseAbs().rowwise().maxCoeff(); }

// Beside the rows' sizes over the whole reach: near a zero of J (y^2 at y = 0) a smooth entry
// changes by as much as it has there, however close the two sides are.
Change between(const Place& a, const Place& b, const Eigen::VectorXd& rows) {
  Change c;
  if (a.J.rows() != b.J.rows() || a.J.rows() != rows.size()) return c;
  for (Eigen::Index i = 0; i < a.J.rows(); ++i) {
    const double largest =
        std::max({rows[i], a.J.row(i).cwiseAbs().maxCoeff(), b.J.row(i).cwiseAbs().maxCoeff()});
    Eigen::Index j = 0;
    const double change = (a.J.row(i) - b.J.row(i)).cwiseAbs().maxCoeff(&j);
    if (change > c.size * largest) c = {change / largest, static_cast<int>(i), static_cast<int>(j)};
  }
  return c;
}

// Along t (variable < 0) or a variable, `reach` to either side: the change that stays when the two
// sides come close.
Change along(const Site& site, const Place& at, int variable, double reach) {
  const auto place = [&](double share) {
    Eigen::VectorXd model = at.s.x;
    if (variable >= 0) model[variable] += share * reach;
    return place_at(site, at.s.t + (variable < 0 ? share * reach : 0.0), model, at.rates, at.modes);
  };
  double a = -1.0, b = 1.0;
  std::optional<Place> left = place(a), right = place(b);
  if (!left || !right || left->J.rows() != right->J.rows()) return {};
  const Eigen::VectorXd rows = sizes(*left).cwiseMax(sizes(*right));
  for (int k = 0; k < halvings; ++k) {
    if (!left || !right || between(*left, *right, rows).size < min_change) return {};
    const double m = 0.5 * (a + b);
    std::optional<Place> middle = place(m);
    if (!middle) return {};
    const bool in_left = between(*left, *middle, rows).size > between(*middle, *right, rows).size;
    (in_left ? b : a) = m;
    (in_left ? right : left) = std::move(middle);
  }
  const Change c = between(*left, *right, rows);
  return c.size < min_change ? Change{} : c;
}

}  // namespace

std::string branch(const Site& site, const Place& at, double reach) {
  if (!site.exact || std::holds_alternative<MultibodyProblem>(*site.problem) ||
      at.s.x.size() != site.size())
    return {};
  const Eigen::VectorXd weight = site.weight(at);
  Change worst;
  int where = -1;
  for (int j = -1; j < site.size(); ++j) {
    const double far = j < 0 ? reach : 1e3 * weight[j];
    const Change c = along(site, at, j, far);
    if (c.size > worst.size) worst = c, where = j;
  }
  if (worst.row < 0) return {};
  return fmt::format(
      " A branch is taken near t = {:.6g}{}: on its two sides equation '{}' depends on '{}' in "
      "different ways. They agree on the solution only, and errors within the tolerance make "
      "values "
      "jump there. Let an event switch a mode, or give a break time.",
      at.s.t,
      where >= 0 ? fmt::format(", where '{}' passes {:.6g}", site.variable(where), at.s.x[where])
                 : std::string(),
      site.equation(worst.row), site.variable(worst.column));
}

}  // namespace daedalus::diagnosis
