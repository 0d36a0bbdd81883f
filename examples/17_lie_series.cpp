// SPDX-License-Identifier: BSD-3-Clause
// 17: the series behind the Lie-group methods: increments, correction terms, bounds for steps.
//
// The increment of a motion, q(t + h) = q(t) exp(nu), is a series in brackets of v and its
// derivatives (Magnus); BDF of increments leaves brackets in its local error, and the correction
// term of BLieDF removes them. All of it works on any space, or on any bracket one has.
//
// Builds on 16. New: Bracket, Series, CorrectionSet, CorrectionTerm, difference weights, bounds.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/lie/multistep.hpp>
#include <daedalus/lie/series.hpp>

int main() {
  namespace lie = daedalus::lie;
  const daedalus::Space space = daedalus::se3_space();

  // [increment]
  // v(t) = a + b t: the increment over h from its derivatives, against log(q0^-1 q1) of small
  // steps.
  const Eigen::Matrix<double, 6, 1> a{0.3, -0.2, 0.1, 0.5, 0.4, -0.6},
      b{1.0, 0.2, 0.0, -0.3, 0.8, 0.1};
  const Eigen::Matrix<double, 6, 1> zero = Eigen::Matrix<double, 6, 1>::Zero();
  const double* derivatives[] = {a.data(),    b.data(),    zero.data(),
                                 zero.data(), zero.data(), zero.data()};
  lie::Series series{lie::Bracket(space)};
  Eigen::Matrix<double, 6, 1> nu;
  series.increment(6, 0.1, derivatives, nu.data());
  // [/increment]
  Eigen::VectorXd q(12), start(12), log(6), w(6);
  space.identity(start.data());
  q = start;
  const int parts = 2000;
  for (int i = 0; i < parts; ++i) {
    w = (0.1 / parts) * (a + b * (0.1 * (i + 0.5) / parts));
    space.plus(q.data(), w.data(), q.data());
  }
  space.minus(start.data(), q.data(), log.data());
  const double error = (log - nu).norm();
  std::cout << "increment of degree 6 over h = 0.1: error " << error << '\n';

  // [set]
  const lie::CorrectionSet set = lie::correction_set(4, "tuned-explicit");
  double left = 0.0;
  for (const lie::ConsistencyResidual& r : lie::residuals(set))
    left = std::max(left, std::abs(r.value));
  std::cout << "BLieDF4, " << lie::correction_set_names(4).size() << " named sets; this one leaves "
            << left << " of its conditions, explicit: " << set.is_explicit() << '\n';
  const lie::CorrectionSet other = lie::random_correction_set(4, false, 7);  // consistent, random
  // [/set]
  const bool consistent = left < 1e-12 && lie::max_residual(other) < 1e-9;

  // [term]
  lie::CorrectionTerm term{lie::Bracket(space), lie::correction_set(3)};
  const Eigen::Matrix<double, 6, 1> v1 = a, v2 = a - 0.01 * b, v3 = a - 0.02 * b;
  const double* v[] = {nullptr, v1.data(), v2.data(), v3.data()};
  const double* omega[] = {nullptr, nullptr, zero.data(), zero.data()};
  Eigen::Matrix<double, 6, 1> L, bracket;
  term.prepare(0.01, v, omega);
  term.evaluate(nullptr, nullptr, L.data());  // an explicit set needs no new values
  space.bracket(a.data(), b.data(), bracket.data());
  // [/term]
  const double term_error = (L - 0.01 * 0.01 / 12.0 * bracket).norm();
  std::cout << "h^2/12 [v, v'] to " << term_error << '\n';

  // [steps]
  const double steps[] = {0.02, 0.01, 0.01};
  const lie::BdfFormula formula = lie::bdf_formula(3, steps);
  const lie::DifferenceWeights weights = lie::difference_weights(1, 3, formula.node);
  const lie::SigmaBounds bounds = lie::sigma_bounds(0.1, 1);
  std::cout << "alpha_0 = " << formula.alpha[0] << " (equal steps " << lie::bdf_alpha[3][0]
            << "), error constant " << lie::error_constant(formula) << ", h v' from "
            << weights.points << " values\ngeneralised-alpha, rho = 0.1: ratios in ["
            << bounds.lower << ", " << bounds.upper << "]; BDF3: constant ratio below "
            << lie::bdf_ratio_bound(3) << '\n';
  const lie::ExponentialFormula& four = lie::crouch_grossman[3];
  // [/steps]
  return error < 1e-7 && consistent && term_error < 1e-12 && four.order == 4 &&
                 bounds.upper > 1.26 && bounds.upper < 1.27
             ? 0
             : 1;
}
