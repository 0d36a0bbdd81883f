// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "control/policy.hpp"

namespace daedalus {
namespace {

// Steinebach (1988), section 7.1: differential and algebraic variables are tested apart in the
// maximum norm over max(atol, rtol times the largest value so far); the ratio formula holds after
// rejections too; h >= rest: the rest, 2 h > rest: half of it (as in RKF45).
struct Steinebach final : ControlPolicy {
  using ControlPolicy::ControlPolicy;
  void shape(MeasureOptions& m) const override {
    m.norm = ErrorNorm::maximum;
    m.scale = ScaleRule::larger_part;
    m.split = true;
  }
  bool grows_after_rejection() const override { return true; }
  // With ratios near one many rejections in a row are no sign of trouble.
  int max_rejections() const override { return 1000; }
  bool repairs() const override { return false; }
  bool tests_inside() const override { return false; }
  // Ten units of round-off of the interval: his text gives no number. Options::min_step takes its
  // place.
  double min_step(double length, double t) const override {
    return std::max(2.2e-15 * length, 2.0 * std::numeric_limits<double>::epsilon() * std::abs(t));
  }
  double stretch() const override { return 0.0; }
  bool keeps_step_when_cut() const override { return false; }
};

// DAE2SOL: componentwise test of P x alone, no step above a twentieth of the interval.
struct Dae2sol final : ControlPolicy {
  using ControlPolicy::ControlPolicy;
  void shape(MeasureOptions& m) const override { m.norm = ErrorNorm::maximum; }
  ErrorPolicy error_policy() const override { return ErrorPolicy::differential; }
  bool repairs() const override { return false; }
  double max_step(double length) const override { return 0.05 * length; }
};

}  // namespace

std::array<const ControlPolicy*, 5> historical_controls() {
  static const Steinebach steinebach(
      "steinebach", "elementary, split tests, ratios between 0.5 and 1.5 (Steinebach 1988)",
      elementary_control, 0.5, 1.5);
  static const Dae2sol b(
      "dae2sol", "halve or double, an order stays for k + 1 steps (Tischendorf 1992, setting B)",
      dae2sol_holding, 0.0, 2.0),
      a("dae2sol-a", "halve or double, the order may change in every step (setting A)",
        dae2sol_halving, 0.0, 2.0),
      printed("dae2sol-printed", "h times eta, as printed", dae2sol_printed, 0.1, 1e9),
      fitted("dae2sol-fitted", "0.8 h eta, accepted from eta = 0.9 on: fits the printed steps best",
             dae2sol_fitted, 0.1, 2.0);
  return {&steinebach, &b, &a, &printed, &fitted};
}

}  // namespace daedalus
