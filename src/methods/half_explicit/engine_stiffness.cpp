// Does stability limit the step? Two stages at one time differ by a polynomial in h times the
// Jacobian of f, applied to the solution: delta y, in which the fastest modes stand out. It and
// delta f cost nothing.
//   Decaying modes: |delta f| / |delta y| is the eigenvalue (Hairer, Wanner II, section IV.2).
//   Oscillations: of a mode with frequency omega the quotient |delta v'| / |delta v| is anything
//   between 0 and infinity, depending on the phase. With a = |h delta v'| and b = |delta v| the
//   mean of a^2 / (a^2 + b^2) over all phases is y / (1 + y), y = h omega, whatever the amplitudes,
//   and <delta v', delta v> is zero in the mean (of a decaying mode: minus the product of the
//   norms). That y is at the boundary of stability does not say that the mode need not be resolved.
//   It need not be where the motion itself is slow: from its changes over the step,
//     |q'_{n+1} - q'_n| / |q_{n+1} - q_n|  times  |v'_{n+1} - v'_n| / |v_{n+1} - v_n|
//   is the square of a frequency, far below omega. Its amplitude would tell nothing: stages pump
//   the mode up to some hundred tolerances before the error test sees it (|R(iy)| is 1.001 and the
//   estimate 0.004 of the amplitude at y = 1.35), and at loose tolerances it may outgrow the
//   motion.
#include <algorithm>
#include <cmath>

#include "methods/half_explicit/engine.hpp"

namespace daedalus::half_explicit {
namespace {

constexpr double round_off = 1e-12;
constexpr double memory = 0.9;           // ten steps, two periods at the boundary
constexpr double least_contrast = 8.0;   // the motion is slower than the mode by this factor
constexpr double largest_damping = 0.3;  // damped more, a mode is stable far beyond the boundary

template <class A, class B>
double weighted(const Eigen::MatrixBase<A>& v, const Eigen::MatrixBase<B>& weight) {
  return v.cwiseQuotient(weight).norm();
}

}  // namespace

double HalfExplicitStepper::stiffness(const Eigen::VectorXd& weight) {
  if (configuration_.stiffness_stage < 0) return 0.0;
  return std::max(decay(), oscillation(weight));
}

// q and v have different units: of a decaying mode both quotients show the eigenvalue, of anything
// else the smaller one raises no false alarm. Dynamic variables and y stand for themselves.
double HalfExplicitStepper::decay() const {
  const int i = configuration_.stiffness_stage;
  constexpr double none = 1e300;
  double motion = none, largest = 0.0;
  for (const LayoutBlock& b : system_.layout.blocks()) {
    const int n = b.space.tangents();
    if (b.tangent >= differential_ || n == 0) continue;
    const double change =
        (increments_.col(i + 1) - increments_.col(i)).segment(b.tangent, n).norm();
    const double rate = (rates_.col(i + 1) - rates_.col(i)).segment(b.tangent, n).norm();
    if (!(change > round_off * increments_.col(i).segment(b.tangent, n).norm())) continue;
    if (b.cls == VariableClass::q || b.cls == VariableClass::v)
      motion = std::min(motion, rate / change);
    else
      largest = std::max(largest, rate / change);
  }
  if (motion < none) largest = std::max(largest, motion);
  return std::abs(h_) * largest / configuration_.stability_boundary;
}

double HalfExplicitStepper::oscillation(const Eigen::VectorXd& weight) {
  recent_trial_ = recent_;
  const LayoutBlock* q = system_.layout.find(VariableClass::q);
  const LayoutBlock* v = system_.layout.find(VariableClass::v);
  if (!q || !v || general_) return 0.0;
  const int i = configuration_.stiffness_stage, n = v->space.tangents(), m = q->space.tangents();
  const double h = std::abs(h_);
  const auto wv = weight.segment(v->tangent, n), wq = weight.segment(q->tangent, m);
  const auto change = (increments_.col(i + 1) - increments_.col(i)).segment(v->tangent, n);
  const auto rate = (rates_.col(i + 1) - rates_.col(i)).segment(v->tangent, n);
  const double moved = weighted(change, wv), turned = h * weighted(rate, wv);
  const double both = turned * turned + moved * moved;
  if (std::isfinite(both) &&
      moved > round_off * weighted(increments_.col(i).segment(v->tangent, n), wv)) {
    const double product = h * rate.cwiseQuotient(wv).dot(change.cwiseQuotient(wv));
    recent_trial_.steps = memory * recent_.steps + 1.0;
    recent_trial_.share = memory * recent_.share + turned * turned / both;
    recent_trial_.product = memory * recent_.product + product / both;
  }
  const Recent& s = recent_trial_;
  const double rest = s.steps - s.share;
  if (!(rest > 0.0)) return 0.0;
  const double fast = s.share / rest;
  if (fast < configuration_.oscillation_boundary || fast > configuration_.oscillation_end ||
      -s.product > largest_damping * std::sqrt(s.share * rest))
    return 0.0;
  const auto turn = end_rate_ - first_rate_;
  const double slow = std::sqrt(
      h * weighted(turn.segment(q->tangent, m), wq) / weighted(step_.segment(q->tangent, m), wq) *
      h * weighted(turn.segment(v->tangent, n), wv) / weighted(step_.segment(v->tangent, n), wv));
  // Not a number (a step without any change) is no contrast.
  return slow * least_contrast < fast ? fast / configuration_.oscillation_boundary : 0.0;
}

}  // namespace daedalus::half_explicit
