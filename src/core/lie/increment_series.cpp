// SPDX-License-Identifier: BSD-3-Clause
#include "lie/increment_series.hpp"

#include <algorithm>

namespace daedalus::lie {

namespace {

series::Element munthe_kaas(const BdfFormula& formula, Series& algebra) {
  const int k = formula.k;
  // omega[i] at the step s from t_{n+1-s}: re-centring starts where only omega_0 is needed.
  series::Element omega[7], next[7], minus;
  for (int step = k; step >= 1; --step) {
    for (int i = 2; i <= k; ++i) {
      next[i] = series::Element();
      if (i - 1 + step > k) continue;  // would reach back behind the first increment
      minus = series::Element();
      minus.add(-1.0, omega[0]);
      if (i == 2)
        next[i] = minus;
      else
        algebra.bch(k, minus.data(), omega[i - 1].data(), next[i].data());
    }
    std::copy(next, next + 7, omega);
    omega[0] = series::increment(formula.node[step], formula.ratio[step]);
    omega[1] = series::Element();
  }
  series::Element out, right;
  for (int i = 0; i <= k; ++i) out.add(formula.alpha[i], omega[i]);
  minus = series::Element();
  minus.add(-1.0, omega[0]);
  algebra.dexpinv(k, minus.data(), series::velocity(1.0).data(), right.data());
  return out.add(-1.0, right);
}

}  // namespace

series::Element increment_defect(const BdfFormula& formula) {
  series::Element out;
  for (int i = 1; i <= formula.k; ++i)
    out.add(formula.gamma[i], series::increment(formula.node[i], formula.ratio[i]));
  return out.add(-1.0, series::velocity(1.0));
}

series::Element correction_series(const CorrectionSet& set, const BdfFormula& formula) {
  series::Element out;
  if (set.factors() == 0) return out;
  series::Element lin[7];
  for (int i = 0; i <= set.k; ++i) {
    const series::Element v = series::velocity(formula.node[i]);
    const series::Element nu =
        i > 0 ? series::increment(formula.node[i], formula.ratio[i]) : series::Element();
    for (int j = 1; j <= set.factors(); ++j) lin[j].add(set.a[i][j], v).add(set.b[i][j], nu);
  }
  for (int j = set.factors() - 1; j >= 1; j -= 2) {
    out = series::bracket(lin[j], lin[j + 1]);
    if (j > 1) lin[j - 1].add(1.0, out);
  }
  return out;
}

series::Element correction_series(const BdfFormula& formula, const series::Element& defect,
                                  const DifferenceWeights& weights) {
  const int k = formula.k;
  series::Element letters[6];
  for (int j = 0; j < std::min(6, weights.points); ++j)
    for (int i = weights.first; i < weights.first + weights.points; ++i)
      letters[j].add(weights.weight[j][i], series::velocity(formula.node[i]));
  series::Element out;
  for (std::size_t m = 0; m < defect.size(); ++m) {
    const series::Monomial& one = series::monomials[m];
    if (one.weight > k) break;
    if (one.length < 2 || defect[m] == 0.0) continue;
    series::Element nested = letters[one.letters[one.length - 1]];
    for (int i = one.length - 2; i >= 0; --i)
      nested = series::bracket(letters[one.letters[i]], nested, k + 1);
    out.add(defect[m], nested);
  }
  return out;
}

series::Element munthe_kaas_defect(const BdfFormula& formula) {
  Series algebra(series::element_bracket());
  return munthe_kaas(formula, algebra);
}

DifferenceWeights correction_differences(const BdfFormula& formula) {
  return difference_weights(1, std::max(1, formula.k - 1), formula.node);
}

IncrementSeries::IncrementSeries(const Bracket& bracket)
    : bracket_(bracket),
      algebra_(series::element_bracket()),
      memory_(static_cast<std::size_t>(series::nested_scratch + 6) * bracket.size()) {}

void IncrementSeries::set(const BdfFormula& formula, const CorrectionSet& set) {
  formula_ = formula;
  weights_ = correction_differences(formula);
  defect_ = increment_defect(formula);
  remainder_ = defect_;
  remainder_.add(-1.0, correction_series(set, formula));
}

void IncrementSeries::set(const BdfFormula& formula, const DifferenceWeights& weights) {
  formula_ = formula;
  weights_ = weights;
  defect_ = increment_defect(formula);
  remainder_ = defect_;
  remainder_.add(-1.0, correction_series(formula, defect_, weights));
}

void IncrementSeries::set_munthe_kaas(const BdfFormula& formula) {
  formula_ = formula;
  weights_ = correction_differences(formula);
  defect_ = munthe_kaas(formula, algebra_);
  remainder_ = defect_;
}

void IncrementSeries::correction(double h, const double* const* derivatives, double* out) {
  if (formula_.k < 3 || bracket_.is_zero()) {
    std::fill(out, out + bracket_.size(), 0.0);
    return;
  }
  series::Element terms;
  double power = 1.0;
  int weight = 1;
  for (std::size_t m = 0; m < terms.size(); ++m) {
    const series::Monomial& one = series::monomials[m];
    for (; weight < one.weight; ++weight) power *= h;
    if (one.length > 1) terms[m] = power * defect_[m];
  }
  series::evaluate(bracket_, terms, 1, formula_.k, derivatives, scratch(0), out);
}

void IncrementSeries::correction_of_values(double h, const double* const* values, double* out) {
  const int size = bracket_.size();
  const int count = std::clamp(formula_.k - 1, 1, 5);
  const double* derivatives[7] = {};
  double scale = 1.0;
  for (int j = 0; j < count; ++j) {
    double* d = scratch(series::nested_scratch + j);
    derivatives[j] = d;
    std::fill(d, d + size, 0.0);
    if (!bracket_.is_zero())
      for (int i = weights_.first; i < weights_.first + weights_.points; ++i) {
        const double factor = weights_.weight[j][i] * scale;
        if (factor == 0.0) continue;
        for (int l = 0; l < size; ++l) d[l] += factor * values[i][l];
      }
    scale /= h;
  }
  correction(h, derivatives, out);
}

void IncrementSeries::leading_error(double h, const double* const* derivatives, double* out) {
  const int weight = formula_.k + 1;
  double power = 1.0;
  for (int i = 0; i < formula_.k; ++i) power *= h;
  series::Element terms;
  for (std::size_t m = 0; m < terms.size(); ++m)
    if (series::monomials[m].weight == weight) terms[m] = power * remainder_[m];
  series::evaluate(bracket_, terms, weight, weight, derivatives, scratch(0), out);
}

}  // namespace daedalus::lie
