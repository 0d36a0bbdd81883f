// SPDX-License-Identifier: BSD-3-Clause
// Coefficient tables, correction sets with their consistency conditions, bounds on step ratios.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include "lie_series/matrix_series.hpp"

#include <daedalus/types.hpp>

namespace daedalus::multistep_test {
namespace {

using lie::BdfFormula;
using lie::CorrectionSet;
using lie::CorrectionTerm;
using lie::Matrix;
using matrix_series::Power;
using matrix_series::Vectors;

long whole(double x) {
  EXPECT_NEAR(x, std::round(x), 1e-10) << "not a multiple";
  return std::lround(x);
}
long power(long base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

// In integers after multiplication by 60: exact.
TEST(MultistepTables, BdfOrderConditions) {
  for (int k = 1; k <= 6; ++k) {
    for (int l = 0; l <= k + 1; ++l) {
      long sum = 0;
      for (int i = 0; i <= k; ++i) sum += whole(60 * lie::bdf_alpha[k][i]) * power(i, l);
      if (l <= k)
        EXPECT_EQ(sum, l == 1 ? -60 : 0) << k << ' ' << l;
      else
        EXPECT_NE(sum, 0) << k;
    }
    long partial = 0;
    for (int i = 1; i <= k; ++i) {
      partial += whole(60 * lie::bdf_alpha[k][i - 1]);
      EXPECT_EQ(whole(60 * lie::bdf_gamma[k][i]), partial);
    }
    EXPECT_NEAR(lie::error_constant(lie::bdf_formula(k)), -1.0 / (k + 1), 1e-15);
  }
}

TEST(MultistepTables, AdamsMoultonOrderConditions) {
  for (int k = 0; k <= 3; ++k)
    for (int l = 1; l <= k + 2; ++l) {  // 24 l sum_i beta_i (1 - i)^(l-1) = 24
      long sum = 0;
      for (int i = 0; i <= k; ++i)
        sum += l * whole(24 * lie::adams_moulton[k][i]) * power(1 - i, l - 1);
      if (l <= k + 1)
        EXPECT_EQ(sum, 24) << k << ' ' << l;
      else
        EXPECT_NE(sum, 24) << k;
    }
}

enum class Blocks { as_given, reversed };
double exponential_defect(const lie::ExponentialFormula& f, bool grossman, int degree,
                          Blocks order) {
  const Vectors v = matrix_series::random_matrices(7, 21);
  Power q = matrix_series::identity();
  for (int b = 0; b < f.blocks; ++b) {
    const int j = order == Blocks::as_given ? f.blocks - 1 - b : b;
    Power together;
    for (int i = f.steps; i >= 0; --i) {
      Power one;
      one.add(f.beta[j][i], matrix_series::velocity(v, 1.0 - i));
      if (grossman)
        q = matrix_series::product(q, matrix_series::exponential(one));
      else
        together.add(1.0L, one);
    }
    if (!grossman) q = matrix_series::product(q, matrix_series::exponential(together));
  }
  Power left = matrix_series::logarithm(q);
  left.add(-1.0L, matrix_series::increment(v, 0.0, 1.0));
  return matrix_series::largest(left, degree, degree);
}

TEST(MultistepTables, ProductsOfExponentialsHaveTheirOrder) {
  for (int p = 1; p <= 4; ++p)
    for (const bool grossman : {true, false}) {
      const lie::ExponentialFormula& f =
          grossman ? lie::crouch_grossman[p - 1] : lie::commutator_free[p - 1];
      EXPECT_EQ(f.order, p);
      for (int degree = 1; degree <= p; ++degree)
        EXPECT_LT(exponential_defect(f, grossman, degree, Blocks::as_given), 1e-14)
            << p << ' ' << degree;
      EXPECT_GT(exponential_defect(f, grossman, p + 1, Blocks::as_given), 1e-3) << p;
      if (p >= 3) {
        EXPECT_GT(exponential_defect(f, grossman, p, Blocks::reversed), 1e-3) << p;
      }
      for (int i = 0; i <= f.steps; ++i)
        EXPECT_NEAR(f.beta[0][i] + f.beta[1][i] + f.beta[2][i], lie::adams_moulton[p - 1][i],
                    1e-15);
    }
}

TEST(VariableStepBdf, PrintedCoefficients) {
  for (const double s : {1.0, 0.5, 1.8})
    for (const double r : {1.0, 2.0, 0.7}) {
      const double steps[] = {0.3, 0.3 / s, 0.3 / (s * r)};
      const BdfFormula two = lie::bdf_formula(2, steps), three = lie::bdf_formula(3, steps);
      EXPECT_NEAR(two.alpha[0], (1 + 2 * s) / (1 + s), 1e-14);
      EXPECT_NEAR(two.alpha[1], -(1 + s), 1e-14);
      EXPECT_NEAR(two.alpha[2], s * s / (1 + s), 1e-14);
      EXPECT_NEAR(two.gamma[2], -s * s / (1 + s), 1e-14);
      const double d = 1 + r + s * r;
      EXPECT_NEAR(three.alpha[0], (1 + r + s * (2 + r * (4 + 3 * s))) / ((1 + s) * d), 1e-13);
      EXPECT_NEAR(three.alpha[1], -(1 + s) * d / (1 + r), 1e-13);
      EXPECT_NEAR(three.alpha[2], s * s * d / (1 + s), 1e-13);
      EXPECT_NEAR(three.alpha[3], -s * s * (1 + s) * r * r * r / ((1 + r) * d), 1e-13);
      EXPECT_NEAR(three.gamma[3], -three.alpha[3], 1e-13);
      EXPECT_NEAR(three.gamma[1], three.alpha[0], 1e-13);
    }
}

TEST(VariableStepBdf, IsExactForPolynomials) {
  const double steps[] = {0.3, 0.2, 0.35, 0.1, 0.2, 0.25};
  for (int k = 1; k <= 6; ++k) {
    const BdfFormula f = lie::bdf_formula(k, steps);
    for (int l = 0; l <= k + 1; ++l) {
      double sum = 0.0, factorial = 1.0, in_steps = 0.0;
      for (int i = 0; i <= k; ++i) sum += f.alpha[i] * std::pow(f.node[i], l);
      for (int i = 1; i <= k; ++i)
        in_steps += f.gamma[i] * (std::pow(f.node[i - 1], l) - std::pow(f.node[i], l));
      for (int i = 2; i <= l; ++i) factorial *= i;
      const double expected = l + (l > k ? factorial * lie::error_constant(f) : 0.0);
      EXPECT_NEAR(sum, expected, 1e-10) << k << ' ' << l;
      EXPECT_NEAR(in_steps, expected, 1e-10) << k << ' ' << l;
    }
  }
}

TEST(DifferenceWeights, PrintedThirdDifference) {
  const double s = 1.3, s1 = 0.8, s2 = 1.6;
  const double steps[] = {1.0, 1 / s, 1 / (s * s1), 1 / (s * s1 * s2)};
  const BdfFormula f = lie::bdf_formula(4, steps);
  const lie::DifferenceWeights first = lie::difference_weights(1, 2, f.node);
  const lie::DifferenceWeights second = lie::difference_weights(1, 3, f.node);
  const lie::DifferenceWeights third = lie::difference_weights(1, 4, f.node);
  EXPECT_NEAR(first.weight[1][1], s, 1e-14);
  EXPECT_NEAR(first.weight[1][2], -s, 1e-14);
  const double of_second = 2 * s * s * s1 / (1 + s1), of_third = 6 * s * s * s * s1 * s1 * s2;
  EXPECT_NEAR(second.weight[2][1], of_second, 1e-13);
  EXPECT_NEAR(second.weight[2][2], -of_second * (1 + s1), 1e-13);
  EXPECT_NEAR(second.weight[2][3], of_second * s1, 1e-13);
  const double d = 1 + s2 + s1 * s2;
  EXPECT_NEAR(third.weight[3][1], of_third / ((1 + s1) * d), 1e-12);
  EXPECT_NEAR(third.weight[3][2], -of_third / (1 + s2), 1e-12);
  EXPECT_NEAR(third.weight[3][3], of_third * s1 / (1 + s1), 1e-12);
  EXPECT_NEAR(third.weight[3][4], -of_third * s1 * s2 * s2 / ((1 + s2) * d), 1e-12);
}

// On flows of matrices, without the algebra that `residuals` uses.
double bracket_defect(const CorrectionSet& set) {
  const Vectors v = matrix_series::random_matrices(7, 22);
  const BdfFormula formula = lie::bdf_formula(set.k);
  Power left = matrix_series::increment_defect(v, formula);
  left.add(-1.0L, matrix_series::correction(v, set, formula));
  return matrix_series::largest(left, 1, set.k);
}

TEST(CorrectionSets, NamedOnesAreConsistent) {
  for (int k = 1; k <= 6; ++k)
    for (const std::string& name : lie::correction_set_names(k)) {
      CorrectionSet set = lie::correction_set(k, name);
      EXPECT_EQ(set.is_explicit(), name != "tuned-implicit") << k << name;
      if (name == "none" && k >= 3) {
        EXPECT_NEAR(lie::max_residual(set), 1.0 / 12, 1e-15);
        EXPECT_GT(bracket_defect(set), 1e-2);
        continue;
      }
      EXPECT_LT(lie::max_residual(set), 1e-13) << k << name;
      EXPECT_LT(bracket_defect(set), 1e-11) << k << name;
      if (k < 3) continue;
      if (k < 5) {
        for (const auto& r : lie::lemma6_residuals(set))
          EXPECT_LT(std::abs(r.value), 1e-13) << name << ' ' << r.condition;
      }
      set.a[2][2] += 1e-6;
      EXPECT_GT(lie::max_residual(set), 1e-8) << k << name;
      EXPECT_GT(bracket_defect(set), 1e-8) << k << name;
    }
}

TEST(CorrectionSets, ConditionsByNumberAndName) {
  const int count[] = {0, 0, 0, 1, 3, 8, 16};
  for (int k = 1; k <= 6; ++k)
    EXPECT_EQ(lie::residuals(lie::correction_set(k)).size(), static_cast<std::size_t>(count[k]));
  EXPECT_EQ(lie::residuals(lie::correction_set(4))[1].condition, "h^3 [v,v'']");
  EXPECT_THROW(lie::correction_set(5, "tuned-explicit"), InvalidArgument);
  EXPECT_THROW(lie::correction_set(7), InvalidArgument);
  EXPECT_THROW(lie::lemma6_residuals(lie::correction_set(5)), InvalidArgument);
}

// (3.41e) belongs to h^3 [v,v''] with 7/6. The 7/2 of the print shows as soon as sum b_i2 is not 0.
TEST(CorrectionSets, SecondMomentOfLemmaSix) {
  CorrectionSet set = lie::correction_set(4);
  set.b[2][2] += 0.5;  // the next two lines restore the zeroth and the first moment
  set.a[1][2] -= 0.25;
  set.a[2][2] -= 0.25;
  const auto lemma = lie::lemma6_residuals(set);
  ASSERT_NEAR(lemma[1].value, 0.0, 1e-15);
  ASSERT_NEAR(lemma[2].value, 0.0, 1e-15);
  const double in_error = 12 * lie::residuals(set)[1].value;
  EXPECT_NEAR(lemma[4].value, in_error, 1e-14);
  const double printed = lemma[4].value + (7.0 / 2 - 7.0 / 6) * 0.5;
  EXPECT_GT(std::abs(printed - in_error), 1.0);
  EXPECT_NEAR(lemma[5].value, 0.5, 1e-15);
  EXPECT_NEAR(lie::residuals(set)[2].value, 0.5 / 144, 1e-15);  // sum b_i2 = 0 is [v,[v,v']]
}

TEST(CorrectionSets, RandomOnesAreConsistentAndReproducible) {
  for (int k = 3; k <= 6; ++k)
    for (const bool implicit : {false, true}) {
      const CorrectionSet set = lie::random_correction_set(k, implicit, 5);
      EXPECT_LT(lie::max_residual(set), 1e-12) << k;
      EXPECT_LT(bracket_defect(set), 1e-10) << k;
      EXPECT_EQ(set.is_explicit(), !implicit);
      double largest = 0.0;
      for (int i = 0; i <= k; ++i)
        for (int j = 1; j <= set.factors(); ++j)
          largest = std::max({largest, std::abs(set.a[i][j]), std::abs(set.b[i][j])});
      EXPECT_LT(largest, 10.0);
      EXPECT_GT(largest, 2.0);
      EXPECT_EQ(lie::random_correction_set(k, implicit, 5).a[2][1], set.a[2][1]);
      EXPECT_NE(lie::random_correction_set(k, implicit, 6).a[2][1], set.a[2][1]);
    }
}

TEST(CorrectionTerms, ValueAndDerivatives) {
  const Space space = product({euclidean(1), se3_space(), so3_space()});
  const auto size = static_cast<std::size_t>(space.tangents());
  const Vectors v = matrix_series::random_matrices(7, 23),
                omega = matrix_series::random_matrices(7, 24);
  const auto pv = matrix_series::pointers(v), po = matrix_series::pointers(omega);
  const double h = 0.5;
  for (int k = 3; k <= 6; ++k) {
    const CorrectionSet set = lie::random_correction_set(k, true, 2);
    CorrectionTerm term(space, set);
    const auto value = [&](double change, std::size_t j, bool in_omega) {
      std::vector<double> new_v = v[0], new_omega = omega[1], out(size);
      (in_omega ? new_omega : new_v)[j] += (in_omega ? h : 1.0) * change;
      term.prepare(h, pv.data(), po.data());
      term.evaluate(new_v.data(), new_omega.data(), out.data());
      return out;
    };
    // The definition.
    Vectors lin(7, std::vector<double>(size));
    for (std::size_t j = 1; j <= static_cast<std::size_t>(set.factors()); ++j)
      for (std::size_t i = 0; i <= static_cast<std::size_t>(k); ++i)
        for (std::size_t l = 0; l < size; ++l)
          lin[j][l] += h * set.a[i][j] * v[i][l] + set.b[i][j] * omega[i][l];
    std::vector<double> nested = lin[static_cast<std::size_t>(set.factors())];
    for (std::size_t j = static_cast<std::size_t>(set.factors()) - 1;; j -= 2) {
      space.bracket(lin[j].data(), nested.data(), nested.data());
      if (j == 1) break;
      for (std::size_t l = 0; l < size; ++l) nested[l] += lin[j - 1][l];
    }
    const std::vector<double> at = value(0.0, 0, false);
    const double scale = *std::max_element(nested.begin(), nested.end());
    for (std::size_t l = 0; l < size; ++l) EXPECT_NEAR(at[l], nested[l] / h, 1e-13 * scale) << k;
    // L is a polynomial of degree k at most in the new values: exact differences.
    for (const auto& [kind, first, length] :
         {std::tuple{SpaceKind::se3, 1, 6}, std::tuple{SpaceKind::so3, 7, 3}}) {
      Matrix by[2];
      value(0.0, 0, false);
      term.derivatives(kind, first, by[1], by[0]);
      double largest = 0.0, wrong = 0.0;
      for (const bool in_omega : {false, true})
        for (int j = 0; j < length; ++j) {
          const double weights[] = {0.75, -0.15, 1.0 / 60};
          std::vector<double> column(size);
          for (int i = 1; i <= 3; ++i)
            for (const double sign : {1.0, -1.0}) {
              const auto there =
                  value(0.5 * sign * i, static_cast<std::size_t>(first + j), in_omega);
              for (std::size_t l = 0; l < size; ++l)
                column[l] += 2 * sign * weights[i - 1] * there[l];
            }
          for (int l = 0; l < length; ++l) {
            const double expected = column[static_cast<std::size_t>(first + l)];
            largest = std::max(largest, std::abs(by[in_omega](l, j) - expected));
            wrong = std::max(wrong, std::abs(by[!in_omega](l, j) - expected));
          }
        }
      EXPECT_LT(largest, 1e-10 * scale) << k;
      EXPECT_GT(wrong, 1e-3 * scale) << k;
    }
  }
}

// Table 4.1: lower bounds are printed rounded up, upper ones rounded down.
TEST(SigmaBounds, TableFourOne) {
  const double printed[9][8] = {{0.7872, 1.2688, 0.6357, 1.6048, 0.6287, 1.6473, 0.7264, 1.2038},
                                {0.8491, 1.1587, 0.6326, 1.5897, 0.6134, 1.1064, 0.7974, 1.1302},
                                {0.9029, 1.0842, 0.6632, 1.5525, 0.6368, 1.0254, 0.8625, 1.0934},
                                {0.9419, 1.0454, 0.7495, 1.4931, 0.7112, 1.0619, 0.9100, 1.0651},
                                {0.9682, 1.0234, 0.8375, 1.3491, 0.7930, 1.0818, 0.9436, 1.0434},
                                {0.9845, 1.0110, 0.9131, 1.0880, 0.8740, 1.0812, 0.9669, 1.0269},
                                {0.9951, 1.0043, 0.9633, 1.0433, 0.9519, 1.0609, 0.9826, 1.0149},
                                {0.9990, 1.0012, 0.9885, 1.0154, 0.9839, 1.0279, 0.9935, 1.0062},
                                {1.0000, 1.0001, 0.9980, 1.0023, 0.9965, 1.0057, 0.9988, 1.0012}};
  const double last_digit = 1.1e-4;
  for (int i = 0; i < 9; ++i)
    for (int a = 1; a <= 4; ++a) {
      const double rho = 0.1 * (i + 1);
      const lie::SigmaBounds b = lie::sigma_bounds(rho, a, a != 2);
      double lower = printed[i][2 * a - 2], upper = printed[i][2 * a - 1];
      if (a == 2 && i == 5) {
        EXPECT_GT(std::abs(b.upper - upper), 0.02);  // a digit of the print is lost
        upper = 1.1088;
      }
      if (a == 3 && i >= 6) {  // printed more cautiously than necessary
        EXPECT_LT(b.lower, lower);
        lower = i == 6 ? 0.9449 : i == 7 ? 0.9821 : 0.9964;
        if (i == 8) upper = 1.0060;
      }
      EXPECT_NEAR(b.lower, lower, last_digit) << rho << " A" << a;
      EXPECT_NEAR(b.upper, upper, last_digit) << rho << " A" << a;
    }
  // A2 with independent ratios.
  const double box[9][2] = {{0.6357, 1.6048}, {0.6326, 1.1179}, {0.6633, 1.0489},
                            {0.7495, 1.0632}, {0.8375, 1.0608}, {0.9131, 1.0468},
                            {0.9652, 1.0283}, {0.9893, 1.0116}, {0.9981, 1.0021}};
  for (int i = 0; i < 9; ++i) {
    const lie::SigmaBounds b = lie::sigma_bounds(0.1 * (i + 1), 2);
    EXPECT_NEAR(b.lower, box[i][0], last_digit) << i;
    EXPECT_NEAR(b.upper, box[i][1], last_digit) << i;
  }
}

TEST(SigmaBounds, HoldInsideAndFailOutside) {
  for (const double rho : {0.0, 0.4, 0.8})
    for (int a = 1; a <= 4; ++a) {
      const double jordan = std::max(std::abs(2 + 3 / (rho - 2)), (1 + rho) / 2);
      EXPECT_NEAR(lie::transfer_norm(rho, a, 1.0, 1.0), jordan, 1e-12);
      const lie::SigmaBounds b = lie::sigma_bounds(rho, a);
      double largest = 0.0;
      for (int i = 0; i <= 10; ++i)
        for (int j = 0; j <= 10; ++j)
          largest =
              std::max(largest, lie::transfer_norm(rho, a, b.lower + (b.upper - b.lower) * i / 10,
                                                   b.lower + (b.upper - b.lower) * j / 10));
      EXPECT_LT(largest, 1.0 + 1e-9) << rho << " A" << a;
      double outside = 0.0;
      for (const double sigma : {b.lower - 1e-3, b.upper + 1e-3})
        for (const double next : {b.lower - 1e-3, b.upper + 1e-3})
          outside = std::max(outside, lie::transfer_norm(rho, a, sigma, next));
      EXPECT_GT(outside, 1.0) << rho << " A" << a;
    }
  EXPECT_THROW(lie::sigma_bounds(1.0, 1), InvalidArgument);
  EXPECT_THROW(lie::sigma_bounds(0.5, 5), InvalidArgument);
}

TEST(SigmaBounds, ConstantRatiosOfBdf) {
  EXPECT_NEAR(lie::bdf_ratio_bound(2), 1.0 + std::sqrt(2.0), 1e-10);
  EXPECT_NEAR(lie::bdf_ratio_bound(3), 0.5 * (1.0 + std::sqrt(5.0)), 1e-10);
  EXPECT_NEAR(lie::bdf_ratio_bound(4), 1.280737, 1e-6);
  EXPECT_NEAR(lie::bdf_ratio_bound(5), 1.127091, 1e-6);
  EXPECT_NEAR(lie::bdf_ratio_bound(6), 1.0443, 1e-4);
}

TEST(StepSequences, StayWithinTheirBounds) {
  lie::StepSequence s;
  s.h_min = 1e-3;
  s.h_max = 8e-3;
  s.sigma_min = 0.2;
  s.sigma_max = 5.0;
  s.hold = 10;
  s.equal_start = 4;
  const std::vector<double> steps = lie::random_steps(s, 2000);
  ASSERT_EQ(steps.size(), 2000u);
  int changes = 0, at_end = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    EXPECT_GE(steps[i], s.h_min);
    EXPECT_LE(steps[i], s.h_max);
    const double ratio = steps[i] / steps[i - 1];
    EXPECT_TRUE(ratio >= s.sigma_min && ratio <= s.sigma_max) << ratio;
    if (ratio != 1.0) {
      EXPECT_EQ((i - 1) % 10, 0u);
      EXPECT_GE(i, 4u);
      ++changes;
    }
    at_end += steps[i] == s.h_min || steps[i] == s.h_max;
  }
  EXPECT_GT(changes, 50);  // most of the 200 draws are cut off at an end
  EXPECT_GT(at_end, 200);
  EXPECT_EQ(lie::random_steps(s, 2000), steps);
  s.number = 2;
  EXPECT_NE(lie::random_steps(s, 2000), steps);
}

TEST(StepSequences, AreTheSameOnEveryMachine) {
  lie::StepSequence s;
  s.h_min = 1.0;
  s.h_max = 1e9;
  s.sigma_min = 1.0;
  s.sigma_max = 2.0;
  const std::vector<double> steps = lie::random_steps(s, 3);
  // SplitMix64 from 1 begins with 0x910a2dec89025cc1, 0xbeeb8da1658eec67.
  EXPECT_NEAR(steps[1] / steps[0], 1.0 + 0x910a2dec89025cp-56, 1e-14);
  EXPECT_NEAR(steps[2] / steps[1], 1.0 + 0xbeeb8da1658eecp-56, 1e-14);
}

TEST(StepSequences, MeetTheEndOfAnInterval) {
  lie::StepSequence s;
  s.h_min = 1e-3;
  s.h_max = 1e-2;
  const std::vector<double> steps = lie::random_steps_over(s, 1.0);
  EXPECT_NEAR(std::accumulate(steps.begin(), steps.end(), 0.0), 1.0, 1e-13);
  EXPECT_LE(*std::max_element(steps.begin(), steps.end()), s.h_max);
  EXPECT_GE(*std::min_element(steps.begin(), steps.end()), s.h_min * (1.0 - s.h_max));
  s.hold = 0;
  EXPECT_THROW(lie::random_steps(s, 3), InvalidArgument);
  s.hold = 1;
  s.h_min = 0.0;
  EXPECT_THROW(lie::random_steps(s, 3), InvalidArgument);
}

}  // namespace
}  // namespace daedalus::multistep_test
