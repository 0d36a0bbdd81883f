// SPDX-License-Identifier: BSD-3-Clause
// Local errors of BLieDF and the Munthe-Kaas BDF: every printed coefficient, flows of matrices as
// the reference, misprints as controls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include "lie/increment_series.hpp"
#include "lie_series/matrix_series.hpp"

namespace daedalus::increment_series_test {
namespace {

using lie::BdfFormula;
using lie::CorrectionSet;
using lie::IncrementSeries;
using lie::series::Element;
using matrix_series::Power;
using matrix_series::Term;
using matrix_series::Vectors;

double coefficient(const Element& e, std::initializer_list<int> letters) {
  return e[static_cast<std::size_t>(lie::series::monomial_index(letters))];
}

// Every monomial of the weight has the coefficient of the list; those not listed have none.
void expect_terms(const Element& e, int weight, const std::vector<Term>& terms, double tolerance) {
  std::size_t found = 0;
  for (std::size_t m = 0; m < e.size(); ++m) {
    const lie::series::Monomial& one = lie::series::monomials[m];
    if (one.weight != weight) continue;
    double expected = 0.0;
    for (const Term& term : terms)
      if (term.letters == std::vector<int>(one.letters, one.letters + one.length)) {
        expected = term.coefficient;
        ++found;
      }
    EXPECT_NEAR(e[m], expected, tolerance) << lie::series::monomial_name(static_cast<int>(m));
  }
  EXPECT_EQ(found, terms.size());
}

const std::vector<Term>& lemma5_h4() {
  static const std::vector<Term> terms = {{{0, 3}, 29.0 / 720},
                                          {{1, 2}, 13.0 / 360},
                                          {{0, 0, 2}, 1.0 / 720},
                                          {{1, 0, 1}, -1.0 / 240},
                                          {{0, 0, 0, 1}, -1.0 / 720}};
  return terms;
}

TEST(IncrementSeries, LemmaFive) {
  for (int k = 3; k <= 6; ++k) {
    const Element s = lie::increment_defect(lie::bdf_formula(k));
    expect_terms(s, 1, {}, 1e-14);
    expect_terms(s, 2, {}, 1e-14);
    expect_terms(s, 3, {{{0, 1}, 1.0 / 12}}, 1e-14);
    if (k > 3) expect_terms(s, 4, {{{0, 2}, 1.0 / 12}}, 1e-14);
    if (k > 4) expect_terms(s, 5, lemma5_h4(), 1e-14);
    if (k > 5)
      expect_terms(s, 6,
                   {{{0, 4}, 1.0 / 80},
                    {{1, 3}, 1.0 / 48},
                    {{0, 0, 3}, 1.0 / 720},
                    {{0, 1, 2}, 1.0 / 180},
                    {{1, 0, 2}, -1.0 / 144},
                    {{0, 0, 0, 2}, -1.0 / 720},
                    {{1, 0, 0, 1}, -1.0 / 360}},
                   1e-14);
  }
}

TEST(IncrementSeries, LemmaFiveAsPrintedWithoutJacobi) {
  const Vectors v = matrix_series::random_matrices(7, 11);
  const Power s = matrix_series::increment_defect(v, lie::bdf_formula(6));
  const auto line = [&](double last) {
    return matrix_series::sum(v, {{{0, 4}, 1.0 / 80},
                                  {{1, 3}, 1.0 / 48},
                                  {{0, 0, 3}, 1.0 / 720},
                                  {{0, 1, 2}, 1.0 / 864},
                                  {{1, 0, 2}, -11.0 / 4320},
                                  {{2, 0, 1}, -19.0 / 4320},
                                  {{0, 0, 0, 2}, -1.0 / 720},
                                  {{0, 1, 0, 1}, -13.0 / 8640},
                                  {{1, 0, 0, 1}, last}});
  };
  EXPECT_LT(matrix_series::distance(s, 6, line(-11.0 / 8640)), 1e-14);
  EXPECT_GT(matrix_series::distance(s, 6, line(11.0 / 8640)), 1e-4);
}

Element bliedf_error(const CorrectionSet& set) {
  IncrementSeries series(matrix_series::bracket_view());
  series.set(lie::bdf_formula(set.k), set);
  return series.remainder();
}

TEST(LeadingError, OfTheDefaultSets) {
  expect_terms(bliedf_error(lie::correction_set(1)), 2, {{{1}, -1.0 / 2}}, 1e-15);
  expect_terms(bliedf_error(lie::correction_set(2)), 3, {{{2}, -1.0 / 3}, {{0, 1}, 1.0 / 12}},
               1e-15);
  expect_terms(bliedf_error(lie::correction_set(3)), 4, {{{3}, -1.0 / 4}, {{0, 2}, 1.0 / 12}},
               1e-15);
  std::vector<Term> fourth = lemma5_h4();
  fourth[0].coefficient = 77.0 / 360;
  fourth.push_back({{4}, -1.0 / 5});
  expect_terms(bliedf_error(lie::correction_set(4)), 5, fourth, 1e-15);
  expect_terms(bliedf_error(lie::correction_set(5)), 6,
               {{{5}, -1.0 / 6},
                {{0, 4}, 401.0 / 5400},
                {{1, 3}, 107.0 / 8100},
                {{0, 0, 3}, -2.0 / 675},
                {{0, 1, 2}, 77.0 / 10800},
                {{1, 0, 2}, -18517.0 / 3531600},
                {{0, 0, 0, 2}, 2.0 / 675},
                {{1, 0, 0, 1}, 2473.0 / 353160},
                {{0, 0, 0, 0, 1}, -109.0 / 21600}},
               1e-14);
  expect_terms(bliedf_error(lie::correction_set(6)), 7,
               {{{6}, -1.0 / 7},
                {{0, 5}, 132308227.0 / 1161972000},
                {{1, 4}, -11080757.0 / 8845200},
                {{2, 3}, 1.0 / 2800},
                {{0, 0, 4}, 236729.0 / 290493000},
                {{0, 1, 3}, 12569341891.0 / 90067354650.0},
                {{1, 0, 3}, -71.0 / 9450},
                {{1, 1, 2}, -571.0 / 75600},
                {{2, 0, 2}, 1.0 / 4200},
                {{0, 0, 0, 3}, -3959309.0 / 1742958000},
                {{0, 0, 1, 2}, -3856101859.0 / 832715614080.0},
                {{0, 1, 0, 2}, -5739657990564193.0 / 43030579357584000.0},
                {{1, 0, 0, 2}, 1.0 / 75600},
                {{1, 1, 0, 1}, 169.0 / 3628800},
                {{0, 0, 0, 0, 2}, -1423259.0 / 6971832000.0},
                {{0, 0, 1, 0, 1}, 3133558708669.0 / 14410776744000.0},
                {{1, 0, 0, 0, 1}, -1.0 / 151200},
                {{0, 0, 0, 0, 0, 1}, 344963.0 / 1742958000}},
               1e-13);
}

std::vector<Term> minus_magnus_over(int weight) {
  std::vector<Term> terms;
  for (const lie::series::Monomial& one : lie::series::monomials)
    if (one.weight == weight && one.magnus != 0.0)
      terms.push_back(
          {std::vector<int>(one.letters, one.letters + one.length), -one.magnus / weight});
  return terms;
}
void change(std::vector<Term>& terms, const std::vector<int>& letters, double value) {
  for (Term& term : terms)
    if (term.letters == letters) {
      term.coefficient = value;
      return;
    }
  terms.push_back({letters, value});
}

TEST(LeadingError, OfTheMuntheKaasBdfWithTruncatedSeries) {
  std::vector<Term> third = minus_magnus_over(4), fourth = minus_magnus_over(5),
                    fifth = minus_magnus_over(6), sixth = minus_magnus_over(7);
  change(third, {0, 0, 1}, 1.0 / 24);
  change(fourth, {0, 0, 0, 1}, 23.0 / 1440);  // 1/30 without the truncation of BCH
  change(fifth, {0, 0, 0, 0, 1}, 49.0 / 2880);
  change(sixth, {0, 0, 1, 0, 1}, 3593.0 / 151200);
  change(sixth, {1, 0, 0, 0, 1}, -14393.0 / 151200);
  change(sixth, {0, 0, 0, 0, 0, 1}, -247.0 / 10080);
  const std::vector<Term> expected[] = {
      {{{1}, -1.0 / 2}}, {{{2}, -1.0 / 3}, {{0, 1}, 1.0 / 12}}, third, fourth, fifth, sixth};
  for (int k = 1; k <= 6; ++k) {
    const Element e = lie::munthe_kaas_defect(lie::bdf_formula(k));
    for (int weight = 1; weight <= k; ++weight) expect_terms(e, weight, {}, 1e-14);
    expect_terms(e, k + 1, expected[k - 1], 1e-14);
  }
}

// The moments m_jl, s_j, s'_j of a set with two factors.
TEST(LeadingError, OfAnySetByItsMoments) {
  for (const int k : {3, 4})
    for (unsigned number = 1; number <= 4; ++number) {
      const CorrectionSet set = lie::random_correction_set(k, number % 2 == 0, number);
      double m[3][4] = {}, s[3] = {}, t[3] = {};
      for (int j = 1; j <= 2; ++j)
        for (int i = 0; i <= k; ++i) {
          double factorial = 1.0;
          for (int l = 0; l <= 3; ++l) {
            if (l > 0) factorial *= l;
            m[j][l] += set.a[i][j] * std::pow(1 - i, l) / factorial +
                       set.b[i][j] * (std::pow(2 - i, l + 1) - std::pow(1 - i, l + 1)) /
                           (factorial * (l + 1));
          }
          s[j] += set.b[i][j] / 12;
          t[j] += set.b[i][j] * (1.0 / 8 - i / 12.0);
        }
      const Element e = bliedf_error(set);
      if (k == 3)
        expect_terms(e, 4,
                     {{{3}, -1.0 / 4},
                      {{0, 2}, 1.0 / 12 - m[1][0] * m[2][2] + m[1][2] * m[2][0]},
                      {{0, 0, 1}, -m[1][0] * s[2] + s[1] * m[2][0]}},
                     1e-12);
      else
        expect_terms(e, 5,
                     {{{4}, -1.0 / 5},
                      {{0, 3}, 29.0 / 720 - m[1][0] * m[2][3] + m[1][3] * m[2][0]},
                      {{1, 2}, 13.0 / 360 - m[1][1] * m[2][2] + m[1][2] * m[2][1]},
                      {{0, 0, 2}, 1.0 / 720 - m[1][0] * t[2] + t[1] * m[2][0]},
                      {{1, 0, 1}, -1.0 / 240 - m[1][1] * s[2] + s[1] * m[2][1]},
                      {{0, 0, 0, 1}, -1.0 / 720}},
                     1e-11);
    }
}

TEST(LeadingError, IsWhatFlowsOfMatricesLeave) {
  const Vectors v = matrix_series::random_matrices(7, 12);
  const auto pointers = matrix_series::pointers(v);
  IncrementSeries series(matrix_series::bracket_view());
  std::vector<double> error(matrix_series::size);
  for (int k = 1; k <= 6; ++k) {
    const BdfFormula formula = lie::bdf_formula(k);
    const CorrectionSet set = lie::correction_set(k);
    Power left = matrix_series::increment_defect(v, formula);
    left.add(-1.0L, matrix_series::correction(v, set, formula));
    EXPECT_LT(matrix_series::largest(left, 1, k), 1e-12) << k;
    series.set(formula, set);
    series.leading_error(1.0, pointers.data(), error.data());
    EXPECT_LT(matrix_series::distance(left, k + 1, error), 1e-11) << k;
    EXPECT_GT(matrix_series::largest(left, k + 1, k + 1), 1e-2) << k;
  }
}

struct Ratios {
  double s, r, q;
};
BdfFormula uneven(int k, const Ratios& x) {
  const double h = 0.01;
  const double steps[] = {h,
                          h / x.s,
                          h / (x.s * x.r),
                          h / (x.s * x.r * x.q),
                          h / (x.s * x.r * x.q) * 1.3,
                          h / (x.s * x.r * x.q) * 0.8};
  return lie::bdf_formula(k, steps);
}
constexpr Ratios cases[] = {{1.0, 1.0, 1.0}, {2.0, 0.5, 1.25}, {0.6, 1.7, 0.9}, {0.2, 5.0, 1.0}};

TEST(VariableSteps, ErrorsOfOrderTwoAndThree) {
  IncrementSeries series(matrix_series::bracket_view());
  for (const Ratios& x : cases) {
    const double s = x.s, r = x.r;
    series.set(uneven(2, x));
    const double size = 1.0 + 1.0 / (s * s);
    expect_terms(series.remainder(), 3,
                 {{{2}, -(1 + s) / (6 * s)}, {{0, 1}, (2 * s - 1) / (12 * s)}}, 1e-13 * size);
    series.set(uneven(3, x));
    // True coefficient of h^2 [v,v']; (5.36b) comes from it by v'_n = sigma_n (v_n - v_{n-1}) /
    // h_n.
    EXPECT_NEAR(coefficient(series.defect(), {0, 1}),
                (s * s * r + s - r) / (4 * s * (1 + r + s * r)), 1e-13 * size);
    const auto f = [](double a, double b) {
      return (-1 + a * (-1 + b * (1 + b + a * (2 + (4 + 3 * a) * b)))) /
             (24 * a * a * b * (1 + b + a * b));
    };
    expect_terms(series.remainder(), 3, {}, 1e-13 * size);
    expect_terms(series.remainder(), 4,
                 {{{3}, -(1 + s) * (1 + r + s * r) / (24 * s * s * r)}, {{0, 2}, f(s, r)}},
                 1e-12 * size);
    if (s != r) {
      EXPECT_GT(std::abs(coefficient(series.remainder(), {0, 2}) - f(r, s)), 1e-2);
    }
  }
}

TEST(VariableSteps, CorrectionOfOrderThreeAsPrinted) {
  const Vectors v = matrix_series::random_matrices(4, 13);
  const auto values = matrix_series::pointers(v);
  IncrementSeries series(matrix_series::bracket_view());
  std::vector<double> out(matrix_series::size), printed(out.size());
  const double h = 0.01;
  for (const Ratios& x : cases) {
    series.set(uneven(3, x));
    series.correction_of_values(h, values.data(), out.data());
    matrix_series::bracket(values[1], values[2], printed.data());
    const double factor = -0.25 * h * (x.s - 1 + 1 / (1 + x.r + x.s * x.r));
    for (std::size_t l = 0; l < out.size(); ++l) EXPECT_NEAR(out[l], factor * printed[l], 1e-15);
  }
}

TEST(VariableSteps, OrderFour) {
  const Vectors v = matrix_series::random_matrices(4, 14);
  const auto derivatives = matrix_series::pointers(v);
  IncrementSeries series(matrix_series::bracket_view());
  for (const Ratios& x : cases) {
    const BdfFormula f = uneven(4, x);
    series.set(f);
    double c1 = 0, c2 = 0, g = 0, far = 0, near = 0, e = -1;
    for (int i = 1; i <= 4; ++i) {
      const double r = f.ratio[i], c = f.node[i], w = f.gamma[i];
      c1 += w * r * r * r / 12;
      c2 += w * (r * r * r * c / 12 + std::pow(r, 4) / 24);
      g += w * std::pow(r, 5);
      const double common = r * r * r * c * c / 24 + std::pow(r, 4) * c / 24;
      far += w * (common + std::pow(r, 5) / 80);
      near += w * (common + std::pow(r, 5) / 120);
      e *= (1 - c) / (i + 1);
    }
    const double scale = 1e-13 * (1 + std::abs(g) + std::abs(far) + std::abs(e));
    far += c1 * f.node[2] * f.node[3] / 6 - c2 * (f.node[2] + f.node[3]) / 3;
    EXPECT_NEAR(e, lie::error_constant(f), scale);
    for (int weight = 1; weight <= 4; ++weight) expect_terms(series.remainder(), weight, {}, scale);
    expect_terms(series.remainder(), 5,
                 {{{4}, e},
                  {{0, 3}, far},
                  {{1, 2}, near},
                  {{0, 0, 2}, g / 720},
                  {{1, 0, 1}, -g / 240},
                  {{0, 0, 0, 1}, -g / 720}},
                 10 * scale);
    const double h = 0.1;
    std::vector<double> out(matrix_series::size);
    series.correction(h, derivatives.data(), out.data());
    const std::vector<double> expected =
        matrix_series::sum(v, {{{0, 1}, h * h * c1}, {{0, 2}, h * h * h * c2}});
    for (std::size_t l = 0; l < out.size(); ++l) EXPECT_NEAR(out[l], expected[l], scale);
  }
}

// Differences of order k - 1 keep the order, fewer lose it: h L from flows of matrices.
TEST(VariableSteps, EveryOrderKeepsItsOrder) {
  const Vectors v = matrix_series::random_matrices(7, 15);
  const auto pointers = matrix_series::pointers(v);
  IncrementSeries series(matrix_series::bracket_view());
  std::vector<double> error(matrix_series::size);
  const Ratios x = {1.4, 0.7, 1.2};
  for (int k = 3; k <= 6; ++k) {
    const BdfFormula formula = uneven(k, x);
    for (const int points : {k - 1, k}) {
      const lie::DifferenceWeights weights = lie::difference_weights(1, points, formula.node);
      series.set(formula, weights);
      Power letters[6], left = matrix_series::increment_defect(v, formula);
      for (int j = 0; j < k - 1; ++j)
        for (int i = 1; i <= points; ++i)
          letters[j].add(weights.weight[j][i], matrix_series::velocity(v, formula.node[i]));
      for (std::size_t m = 0; m < series.defect().size(); ++m) {
        const lie::series::Monomial& one = lie::series::monomials[m];
        if (one.length < 2 || one.weight > k) continue;
        Power nested = letters[one.letters[one.length - 1]];
        for (int i = one.length - 2; i >= 0; --i)
          nested = matrix_series::commutator(letters[one.letters[i]], nested);
        left.add(-series.defect()[m], nested);
      }
      const double scale = 1e-12 * (1.0 + matrix_series::largest(left, k + 1, k + 1));
      EXPECT_LT(matrix_series::largest(left, 1, k), scale) << k;
      series.leading_error(1.0, pointers.data(), error.data());
      EXPECT_LT(matrix_series::distance(left, k + 1, error), 10 * scale) << k;
    }
    if (k > 3) {  // one point too few
      lie::DifferenceWeights weights = lie::difference_weights(1, k - 2, formula.node);
      weights.points = k - 1;
      series.set(formula, weights);
      double lost = 0.0;
      for (std::size_t m = 0; m < series.remainder().size(); ++m)
        if (lie::series::monomials[m].weight <= k)
          lost = std::max(lost, std::abs(series.remainder()[m]));
      EXPECT_GT(lost, 1e-4) << k;
    }
  }
}

TEST(IncrementSeries, BracketsAreCounted) {
  int count = 0;
  const auto counting = [&count](const double* a, const double* b, double* out) {
    ++count;
    matrix_series::bracket(a, b, out);
  };
  IncrementSeries series(lie::Bracket(matrix_series::size, counting));
  const Vectors v = matrix_series::random_matrices(7, 16);
  const auto pointers = matrix_series::pointers(v);
  std::vector<double> out(matrix_series::size);
  const int of_correction[] = {0, 0, 0, 1, 1, 5, 7}, of_error[] = {0, 0, 1, 1, 5, 7, 17};
  for (int k = 1; k <= 6; ++k) {
    series.set(uneven(k, cases[1]));
    count = 0;
    series.correction(0.1, pointers.data(), out.data());
    EXPECT_EQ(count, of_correction[k]) << k;
    count = 0;
    series.leading_error(0.1, pointers.data(), out.data());
    EXPECT_EQ(count, of_error[k]) << k;
  }
}

TEST(IncrementSeries, OnSpaces) {
  const Space space = product({euclidean(2), se3_space(), so3_space()});
  const auto size = static_cast<std::size_t>(space.tangents());
  Vectors v = matrix_series::random_matrices(4, 17);
  for (auto& one : v) one.resize(size);
  const Space flat = euclidean(11);
  IncrementSeries series(space), flat_series(flat);
  std::vector<double> out(size), expected(size);
  series.set(uneven(3, cases[1]));
  series.correction(0.1, matrix_series::pointers(v).data(), out.data());
  space.bracket(v[0].data(), v[1].data(), expected.data());
  for (std::size_t l = 0; l < size; ++l)
    EXPECT_NEAR(out[l], 0.01 * coefficient(series.defect(), {0, 1}) * expected[l], 1e-15);
  EXPECT_EQ(out[0], 0.0);
  EXPECT_NE(out[2], 0.0);
  flat_series.set(uneven(3, cases[1]));
  flat_series.correction_of_values(0.1, matrix_series::pointers(v).data(), out.data());
  EXPECT_EQ(*std::max_element(out.begin(), out.end()), 0.0);
  flat_series.leading_error(0.1, matrix_series::pointers(v).data(), out.data());
  EXPECT_NEAR(out[5], 1e-3 * lie::error_constant(uneven(3, cases[1])) * v[3][5], 1e-15);
}

}  // namespace
}  // namespace daedalus::increment_series_test
