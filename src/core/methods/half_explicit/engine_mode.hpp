// SPDX-License-Identifier: BSD-3-Clause
// A half-explicit method on the test equation, where its stability ends.
#pragma once

#include <complex>
#include <vector>

#include "kernel/herk_table.hpp"

namespace daedalus::half_explicit {

// u'' = damping u' + spring u: a pair of eigenvalues; with spring = 0 a single one.
struct Mode {
  double damping = 0.0, spring = 0.0;
  std::complex<double> eigenvalue() const;  // the larger one
  Mode in_units_of(double h) const { return {h * damping, h * h * spring}; }
};

// The method on a mode. v'_n of an explicit first stage is a result of the last step, which need
// not be the force at y_n: three values, q, v and v', make a state.
class TestEquation {
 public:
  // `carried`: share of the defect of v'_n in the other stages (HalfExplicit::balance); empty:
  // none. `coarse`: differences of a second estimate (Configuration::coarse); empty: there is none.
  TestEquation(const HerkNumbers<double>& numbers, const std::vector<double>& embedded,
               std::vector<double> carried, const std::vector<double>& coarse = {});
  double growth(Mode m) const;                    // per step of length 1, in long runs
  double estimate(std::complex<double> z) const;  // of an amplitude 1, z = h lambda
  double leading(int power) const { return std::abs(estimate_[static_cast<std::size_t>(power)]); }
  // The first |h lambda| where growth is noticeable within some thousand steps.
  double boundary(Mode m) const;

 private:
  HerkNumbers<double> numbers_;
  std::vector<double> carried_;
  std::vector<double> estimate_, coarse_;  // coefficients of polynomials in z, ascending
};

}  // namespace daedalus::half_explicit
