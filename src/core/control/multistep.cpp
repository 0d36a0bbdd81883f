// SPDX-License-Identifier: BSD-3-Clause
// Step and order of multistep methods from tests at neighbouring orders. The stepper offers the
// estimates; which order follows is decided here and nowhere else.
#include <algorithm>
#include <cmath>

#include "control/controller.hpp"

namespace daedalus {
namespace {

// Ratio proposed at an order, `bias` being the error aimed at: bias value (ratio)^power = 1.
// Zero: this order was not estimated.
double proposed(const ControlReport& r, int order, double bias) {
  double ratio = 1e9;
  bool found = false;
  for (const ErrorTest& t : r.tests) {
    if (t.order != order) continue;
    found = true;
    ratio = std::min(ratio, std::pow(bias * std::max(t.value, min_error), -1.0 / t.power));
  }
  return found ? ratio : 0.0;
}

// Steps aim at a fifth of the tolerance: few are rejected, and the noise that rejections put into
// the differences is what drives the order down. Raising the order has to promise more. (CVODE aims
// at a sixth and a tenth.)
constexpr double bias_here = 5.0, bias_above = 7.0;
// In doubt the higher order: where all orders allow the largest growth, the lowest one wins by
// chance, and its next step is the one that fails. Without this the transistor amplifier gets
// caught between orders 1 and 2.
constexpr double gain_below = 1.2;
// Growth below this factor is not worth a factorisation and an irregular grid.
constexpr double min_growth = 1.5;
// Ratios that are powers of a factor: estimates that are round-off, as those of the first steps at
// sharp tolerances, then decide alike on every way of computing them.
double in_whole_steps(double ratio, double factor) {
  if (!(factor > 1.0)) return ratio;
  return std::pow(factor, std::floor(std::log(ratio) / std::log(factor) + 1e-9));
}
// The first step is a guess; the next ones may leave it quickly.
constexpr double first_growth = 10.0;

}  // namespace

Decision multistep_control(const ControlParameters& p, const ControlHistory& k,
                           const ControlReport& r) {
  if (r.outcome != Outcome::ok) {
    // What the predictor extrapolates may be the trouble: after repeated failures only the last
    // value counts.
    const int order = k.rejections >= 2 ? 1 : r.order;
    return {Verdict::retry, r.h * r.advice.after_failure, order};
  }
  if (r.tests.empty()) return {Verdict::accept, r.h, r.order};
  const double here = proposed(r, r.order, bias_here);
  const double below = proposed(r, r.order - 1, bias_here);
  if (!passes(r)) {
    if (k.rejections >= 2) return {Verdict::retry, 0.25 * r.h, 1};
    const int order = below > here ? r.order - 1 : r.order;
    const double ratio =
        k.rejections == 0 ? std::clamp(std::max(here, below), p.shrink, 0.9) : 0.25;
    return {Verdict::retry, r.h * ratio, order};
  }
  int order = r.order;
  double ratio = here;
  const double most = k.accepted < 2 ? first_growth : p.grow;
  if (k.rising || k.at_order + 1 >= r.advice.hold_order) {
    const double above = proposed(r, r.order + 1, bias_above);
    if (std::min(below, most) > gain_below * std::min(here, most))
      ratio = below, order = r.order - 1;
    else if (above > 0.0 && std::min(above, most) >= std::min(here, most))
      ratio = above, order = r.order + 1;
  }
  if (k.rejections > 0) ratio = std::min(ratio, 1.0);
  ratio = std::min(ratio, most);
  if (ratio < 1.0)
    ratio = std::max(0.5, std::min(ratio, 0.9));
  else if (ratio < min_growth && order == r.order)
    ratio = 1.0;
  return {Verdict::accept, r.h * in_whole_steps(ratio, r.advice.keep_up_to), order};
}

namespace {

struct Proposal {
  double eta;
  int order;
};
// Largest step; the higher order where two are equal.
Proposal largest(const ControlReport& r, bool neighbours) {
  Proposal best{proposed(r, r.order, 1.0), r.order};
  if (!neighbours) return best;
  for (const int order : {r.order - 1, r.order + 1})
    if (const double eta = proposed(r, order, 1.0);
        eta > best.eta || (eta == best.eta && order > best.order))
      best = {eta, order};
  return best;
}

Decision halving(const ControlHistory& k, const ControlReport& r, bool hold) {
  if (r.outcome != Outcome::ok) return {Verdict::retry, 0.25 * r.h, r.order};
  if (r.tests.empty()) return {Verdict::accept, r.h, r.order};
  if (!passes(r)) return {Verdict::retry, 0.5 * r.h, r.order};
  const Proposal best = largest(r, !hold || k.at_order + 1 >= r.advice.hold_order);
  const double factor =
      best.order == r.order ? (best.eta >= 2.0 ? 2.0 : 1.0) : std::min(2.0, best.eta);
  return {Verdict::accept, r.h * factor, best.order};
}

}  // namespace

Decision dae2sol_printed(const ControlParameters& p, const ControlHistory&,
                         const ControlReport& r) {
  if (r.outcome != Outcome::ok) return {Verdict::retry, 0.25 * r.h, r.order};
  if (r.tests.empty()) return {Verdict::accept, r.h, r.order};
  const Proposal best = largest(r, true);
  // "Reduced and repeated": the text gives no factor; eta itself is the proposal.
  if (!passes(r)) {
    const double eta = proposed(r, r.order, 1.0);
    return {Verdict::retry, r.h * std::clamp(eta, p.shrink, 0.95), r.order};
  }
  return {Verdict::accept, r.h * best.eta, best.order};
}

Decision dae2sol_fitted(const ControlParameters& p, const ControlHistory&, const ControlReport& r) {
  // The pair that meets most of the printed numbers of steps (docs/bdf.md).
  constexpr double accepted_from = 0.9, safety = 0.8;
  if (r.outcome != Outcome::ok) return {Verdict::retry, 0.25 * r.h, r.order};
  if (r.tests.empty()) return {Verdict::accept, r.h, r.order};
  const double here = proposed(r, r.order, 1.0);
  if (here < accepted_from) {
    const double below = proposed(r, r.order - 1, 1.0);
    const int order = below > here ? r.order - 1 : r.order;
    return {Verdict::retry, r.h * std::clamp(std::max(here, below), p.shrink, 0.95), order};
  }
  const Proposal best = largest(r, true);
  return {Verdict::accept, r.h * std::min(p.grow, safety * best.eta), best.order};
}

Decision dae2sol_halving(const ControlParameters&, const ControlHistory& k,
                         const ControlReport& r) {
  return halving(k, r, false);
}

Decision dae2sol_holding(const ControlParameters&, const ControlHistory& k,
                         const ControlReport& r) {
  return halving(k, r, true);
}

}  // namespace daedalus
