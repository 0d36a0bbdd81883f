// SPDX-License-Identifier: BSD-3-Clause
// Local errors of the Lie-group BDF methods as series in h with brackets of v, v', ... at t_n, for
// steps of any sizes. With the exact increments nu and the weights gamma of the formula
//   S = (1/h) sum_i gamma_i nu_{n+1-i}(t_{n+2-i}) - v(t_{n+1})
// is what BLieDF without correction term leaves (lemma 5); the coefficient of each bracket is a sum
// of the moments sum_i gamma_i r_i^a c_i^b. On constant steps L is given by a set of parameters, on
// variable ones L is the bracket part of S itself, with differences for the derivatives ((5.36) for
// k = 3). What remains, S - L = h^k lbar + O(h^(k+1)), is the leading local error: theorems 6 and
// 14 of Wieloch (2022), whose F is not printed there beyond k = 3.
#pragma once

#include <vector>

#include <daedalus/lie/multistep.hpp>
#include "lie/series_algebra.hpp"

namespace daedalus::lie {

// All are h times the quantity: the power of h^(w-1) has weight w.
series::Element increment_defect(const BdfFormula& formula);  // h S
series::Element correction_series(const CorrectionSet& set, const BdfFormula& formula);
// The bracket part of S up to h^(k-1), each derivative replaced by its difference.
series::Element correction_series(const BdfFormula& formula, const series::Element& defect,
                                  const DifferenceWeights& weights);
// sum_i alpha_i omega_i^(n) - h dexpinv_k(-omega_0^(n), v(t_{n+1})) for exact increments, the
// omega_i^(n) carried on by BCH_k as in (3.14), (3.23).
series::Element munthe_kaas_defect(const BdfFormula& formula);

// The points by which the variable-step correction of order k takes its differences: the fewest
// that keep its order, k - 1 from v_n backwards; (5.34) and (5.36).
DifferenceWeights correction_differences(const BdfFormula& formula);

// Evaluates these series for vectors. Setting a formula and evaluating do not allocate.
class IncrementSeries {
 public:
  explicit IncrementSeries(const Bracket& bracket);

  // BLieDF with a set of parameters; the steps should be equal.
  void set(const BdfFormula& formula, const CorrectionSet& set);
  // BLieDF on variable steps with the correction below, for the differences that the caller uses.
  void set(const BdfFormula& formula, const DifferenceWeights& weights);
  void set(const BdfFormula& formula) { set(formula, correction_differences(formula)); }
  // Munthe-Kaas BDF.
  void set_munthe_kaas(const BdfFormula& formula);

  // L^(k) of variable steps: derivatives[j] = v^(j)(t_n), j = 0..k-2 are read.
  void correction(double h, const double* const* derivatives, double* out);
  // The same from values[i] = v_{n+1-i} by the differences that were set.
  void correction_of_values(double h, const double* const* values, double* out);
  // h^k lbar; j = 0..k are read.
  void leading_error(double h, const double* const* derivatives, double* out);

  // Coefficients by monomial: h S (or the Munthe-Kaas defect) and that minus h L.
  const series::Element& defect() const { return defect_; }
  const series::Element& remainder() const { return remainder_; }

 private:
  double* scratch(int i) {
    return memory_.data() + i * static_cast<std::ptrdiff_t>(bracket_.size());
  }

  Bracket bracket_;
  BdfFormula formula_;
  DifferenceWeights weights_;
  series::Element defect_, remainder_;
  Series algebra_;  // over elements
  std::vector<double> memory_;
};

}  // namespace daedalus::lie
