// SPDX-License-Identifier: BSD-3-Clause
// Which equation stands in the way of Newton's method: a step of implicit Euler from the last good
// point, of the size tried last, is solved with a damped iteration; what it leaves is compared with
// what a change of the variables within tolerance does to each equation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/diagnosis_parts.hpp"
#include "linalg/decompositions.hpp"

namespace daedalus::diagnosis {
namespace {

using Eigen::VectorXd;

struct Euler {
  const Site& site;
  const Place& from;
  double h;

  // False: an equation is refused or not finite there.
  bool rows(const VectorXd& move, VectorXd& x, VectorXd& rates, VectorXd& r) const {
    site.system->layout.plus(from.s.x.data(), move.data(), x.data());
    rates.head(site.size()) = move / h;
    return site.system->residual_view()->residual(from.s.t + h, x.data(), rates.data(), r.data()) ==
               Outcome::ok &&
           r.allFinite();
  }
};

}  // namespace

std::string unmet_equation(const Site& site) {
  ResidualView& view = *site.system->residual_view();
  site.use_modes(*site.end);
  const double h = site.run->last_step;
  if (!site.end || h == 0.0 || !std::isfinite(h) || view.states_leading_term()) return {};
  const Euler euler{site, *site.end, h};
  const int n = site.size();
  VectorXd move = VectorXd::Zero(n), x = site.end->s.x, rates = site.end->rates, r(n), trial_r(n);
  if (!euler.rows(move, x, rates, r)) return {};
  const VectorXd weight = site.weight(*site.end);
  Eigen::MatrixXd E, J;
  VectorXd reach = VectorXd::Ones(n);  // of each equation within tolerance
  constexpr int most = 20;             // corrections; Newton's method that converges needs fewer
  int corrections = 0;
  for (; corrections < most; ++corrections) {
    site.system->layout.plus(site.end->s.x.data(), move.data(), x.data());
    rates.head(n) = move / h;
    if (view.linearise(site.end->s.t + h, x.data(), rates.data()) != Outcome::ok) break;
    view.residual_pencil().dense_e(E);
    view.residual_pencil().dense_j(J);
    const Eigen::MatrixXd R = E / h + J;
    if (!R.allFinite()) break;
    for (int i = 0; i < n; ++i) reach[i] = std::max(R.row(i).cwiseAbs().dot(weight), 1e-300);
    const double before = r.cwiseQuotient(reach).norm();
    if (before <= 1.0) return {};  // it is met: something else keeps the method from it
    const VectorXd change = least_squares(R, -r);
    if (!change.allFinite()) break;
    double damping = 1.0;
    for (; damping > 1e-4; damping *= 0.5) {
      const VectorXd trial = move + damping * change;
      if (!euler.rows(trial, x, rates, trial_r)) continue;
      if (trial_r.cwiseQuotient(reach).norm() < (1.0 - 0.1 * damping) * before) break;
    }
    if (damping <= 1e-4) break;
    move += damping * change;
    r = trial_r;
  }
  int worst = 0;
  const double left = r.cwiseQuotient(reach).cwiseAbs().maxCoeff(&worst);
  if (!(left > 1.0)) return {};
  return fmt::format(
      " The equation that is met worst there is '{}': {} damped Newton correction{} leave the "
      "residual {:.3g}, {:.1e} times what the tolerance allows. Check it, and whether it has a "
      "solution near these values.",
      site.equation(worst), corrections, corrections == 1 ? "" : "s", r[worst], left);
}

}  // namespace daedalus::diagnosis
