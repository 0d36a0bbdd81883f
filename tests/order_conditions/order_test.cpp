// SPDX-License-Identifier: BSD-3-Clause
// The checker against published claims, against conditions written out by hand, and against
// coefficient sets known to be misprinted.
#include "lab/rosenbrock_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "daedalus/types.hpp"
#include "tables.hpp"

namespace daedalus::analysis {
namespace {

// Largest |residual| of the orders 1, 2, ...; zero where the conditions hold.
struct Residuals {
  std::vector<double> y, z;
};

struct Claim {
  const char* name;
  RosenbrockScheme scheme;
  bool exact;  // residuals are fractions; otherwise two digits
  int convergence, ode, embedded_convergence, embedded_ode;
  Residuals main, embedded;
};
void PrintTo(const Claim& claim, std::ostream* out) { *out << claim.name; }

// Fractions: Steinebach's sets in rational arithmetic; two digits: an independent evaluation of
// the sets of 16 digits.
std::vector<Claim> claims() {
  using namespace tables;
  return {
      {"dae3s",
       dae3s,
       true,
       3,
       3,
       2,
       2,
       {{0, 0, 0, 1}, {0, 0, 1, 1}},
       {{0, 0, 4361.0 / 82720, 1}, {0, 445.0 / 8272, 1, 1}}},
      {"dae4sf",
       dae4sf,
       true,
       4,
       4,
       3,
       3,
       {{0, 0, 0, 0}, {0, 0, 0, 149.0 / 32}},
       {{0, 0, 0, 3.0 / 40}, {0, 0, 3.0 / 80, 3011.0 / 640}}},
      {"dae4sf_printed",
       dae4sf_printed,
       true,
       3,
       3,
       3,
       3,
       {{0, 0, 0, 13.0 / 54}, {0, 0, 13.0 / 36, 1091.0 / 324}},
       {{0, 0, 0, 97.0 / 540}, {0, 0, 119.0 / 360, 45103.0 / 12960}}},
      {"dae3ns",
       dae3ns,
       true,
       3,
       3,
       2,
       2,
       {{0, 0, 0, 1}, {0, 0, 1.0 / 3, 1}},
       {{0, 0, 1, 1}, {0, 0, 1, 1}}},
      {"dae33ns",
       dae33ns,
       true,
       3,
       3,
       2,
       2,
       {{0, 0, 0, 35.0 / 26}, {0, 0, 0, 35.0 / 26}},
       {{0, 0, 7.0 / 26, 35.0 / 26}, {0, 0, 7.0 / 26, 35.0 / 26}}},
      {"dae34ns",
       dae34ns,
       true,
       3,
       4,
       4,
       5,
       {{0, 0, 0, 7.0 / 78}, {0, 0, 1.0 / 8, 11.0 / 13}},
       {{0, 0, 0, 0}, {0, 0, 0, 9.0 / 26}}},
      {"rodas3",
       rodas3,
       false,
       3,
       3,
       2,
       2,
       {{0, 0, 0, 1.0, 4.0}, {0, 0, 0, 1.0, 4.0}},
       {{0, 0, 0.50, 2.5, 16}, {0, 0, 1.0, 2.5, 16}}},
      {"rodas3p",
       rodas3p,
       false,
       3,
       3,
       2,
       2,
       {{0, 0, 0, 1.8, 6.4}, {0, 0, 0.33, 1.8, 6.4}},
       {{0, 0, 0.22, 0.78, 2.0}, {0, 0, 0.33, 1.0, 2.0}}},
      {"ros34pw2",
       ros34pw2,
       false,
       3,
       3,
       2,
       2,
       {{0, 0, 0, 0.66, 5.0}, {0, 0, 0.46, 1.3, 5.0}},
       {{0, 0, 0.24, 0.62, 1.4}, {0, 0, 0.25, 1.2, 1.4}}},
      {"rodas4",
       rodas4,
       false,
       4,
       4,
       3,
       3,
       {{0, 0, 0, 0, 0.35}, {0, 0, 0, 0, 1.1}},
       {{0, 0, 0, 0.56, 1.6}, {0, 0, 0, 1.1, 1.6}}},
      {"rodas4pw",
       rodas4pw,
       false,
       4,
       4,
       3,
       3,
       {{0, 0, 0, 0, 3.0}, {0, 0, 0, 2.2, 3.0}},
       {{0, 0, 0, 0.20, 10}, {0, 0, 2.2, 2.2, 10}}},
      {"rodas5p",
       rodas5p,
       false,
       5,
       5,
       4,
       4,
       {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0.28}},
       {{0, 0, 0, 0, 2.6}, {0, 0, 0, 0.28, 2.6}}},
      {"rodas6p",
       rodas6p,
       false,
       6,
       6,
       5,
       5,
       {{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0.45}},
       {{0, 0, 0, 0, 0, 1.8}, {0, 0, 0, 0, 0.45, 1.8}}},
      {"grk4t",
       grk4t,
       false,
       2,
       4,
       2,
       3,
       {{0, 0, 0, 0.073, 1.0}, {0, 0.23, 0.49, 1.0, 1.0}},
       {{0, 0, 0, 1.0, 1.6}, {0, 1.1, 2.2, 2.2, 1.9}}},
  };
}

class PublishedSets : public testing::TestWithParam<Claim> {};
INSTANTIATE_TEST_SUITE_P(Rosenbrock, PublishedSets, testing::ValuesIn(claims()),
                         [](const auto& suite) { return std::string(suite.param.name); });

int leading_zeros(const std::vector<double>& residuals) {
  return static_cast<int>(
      std::find_if(residuals.begin(), residuals.end(), [](double r) { return r != 0; }) -
      residuals.begin());
}

void expect_residuals(const Claim& claim, Weights weights, const Residuals& expected) {
  const int max_order = static_cast<int>(expected.y.size());
  Residuals found{std::vector<double>(max_order, 0), std::vector<double>(max_order, 0)};
  for (const auto& c : order_conditions(claim.scheme, weights, max_order)) {
    double& largest = (c.kind == 'y' ? found.y : found.z)[c.order - 1];
    largest = std::max(largest, std::abs(c.residual));
  }
  const auto compare = [&](const std::vector<double>& have, const std::vector<double>& want) {
    for (int k = 0; k < max_order; ++k) {
      const double digit = want[k] == 0 ? 0 : std::pow(10.0, std::floor(std::log10(want[k])) - 1);
      // 4e-12: what 16 digits leave of order 4 in rodas4pw.
      const double tolerance = want[k] == 0 ? 4e-12 : claim.exact ? 1e-12 : 0.51 * digit;
      EXPECT_NEAR(have[k], want[k], tolerance) << "order " << k + 1;
    }
  };
  compare(found.y, expected.y);
  compare(found.z, expected.z);
}

TEST_P(PublishedSets, ResidualsAreThoseOfAnIndependentEvaluation) {
  expect_residuals(GetParam(), Weights::main, GetParam().main);
  expect_residuals(GetParam(), Weights::embedded, GetParam().embedded);
}

TEST_P(PublishedSets, AttainTheClaimedOrdersAndNoMore) {
  const Claim& claim = GetParam();
  const auto check = [&](Weights weights, const Residuals& expected, int convergence, int ode) {
    for (const Precision precision : {Precision::extended, Precision::quadruple}) {
      const auto order = attained_order(claim.scheme, weights, order_tolerance, 6, precision);
      EXPECT_EQ(order.y, leading_zeros(expected.y));
      EXPECT_EQ(order.z, leading_zeros(expected.z));
      EXPECT_EQ(order.convergence(), convergence);
      EXPECT_EQ(order.ode, ode);
    }
  };
  check(Weights::main, claim.main, claim.convergence, claim.ode);
  check(Weights::embedded, claim.embedded, claim.embedded_convergence, claim.embedded_ode);
}

TEST(OrderConditions, ListsEveryTreeOfEveryOrder) {
  const auto conditions = order_conditions(tables::rodas4, Weights::main, 5);
  std::map<std::pair<char, int>, int> count;
  for (const auto& c : conditions) ++count[{c.kind, c.order}];
  const std::vector<int> y{1, 2, 10, 56, 372}, z{1, 5, 28, 186, 1326};
  for (int order = 1; order <= 5; ++order) {
    EXPECT_EQ((count[{'y', order}]), y[order - 1]);
    EXPECT_EQ((count[{'z', order}]), z[order - 1]);
  }
}

std::map<std::string, double> by_tree(const RosenbrockScheme& scheme, int max_order) {
  std::map<std::string, double> result;
  for (const auto& c : order_conditions(scheme, Weights::main, max_order)) {
    result[c.tree] = c.residual;
  }
  return result;
}

// A scheme without any structure, so that different conditions have different values.
RosenbrockScheme arbitrary_scheme(bool explicit_in_y) {
  constexpr int s = 4;
  RosenbrockScheme scheme;
  scheme.explicit_in_y = explicit_in_y;
  scheme.stages = s;
  scheme.alpha.assign(s * s, 0);
  scheme.gamma.assign(s * s, 0);
  for (int i = 0; i < s; ++i) {
    scheme.gamma[i * s + i] = 0.375;
    scheme.mu.push_back(0.1875 + 0.09 * i - 0.031 * i * i);
    for (int j = 0; j < i; ++j) {
      scheme.alpha[i * s + j] = 0.21 + 0.13 * i - 0.17 * j + 0.011 * i * j * j;
      scheme.gamma[i * s + j] = -0.33 + 0.07 * i * i - 0.05 * j;
    }
  }
  scheme.mu_hat = scheme.mu;
  return scheme;
}

int distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  int count = 1;
  for (std::size_t i = 1; i < values.size(); ++i) count += values[i] - values[i - 1] > 1e-9;
  return count;
}

// Steinebach (1988): the 69 y-trees up to order 4 and the 34 z-trees up to order 3 collapse to 13
// different conditions in (6.12) for approach A and to 18 in (6.17) for approach B.
TEST(OrderConditions, CollapseToTheListsOfSteinebach) {
  for (const auto& [explicit_in_y, expected] : {std::pair(false, 13), std::pair(true, 18)}) {
    std::vector<double> values;
    for (const auto& c : order_conditions(arbitrary_scheme(explicit_in_y), Weights::main, 4)) {
      if (c.kind == 'y' || c.order <= 3) values.push_back(c.residual);
    }
    EXPECT_EQ(values.size(), 69u + 34u);
    EXPECT_EQ(distinct(values), expected) << (explicit_in_y ? "approach B" : "approach A");
  }
}

// The sums of (6.12) and (6.17) with their indices written out.
class WrittenOut {
 public:
  explicit WrittenOut(const RosenbrockScheme& scheme) : s_(scheme.stages) {
    for (int i = 0; i < s_; ++i) {
      mu.push_back(static_cast<double>(scheme.mu[i]));
      for (int j = 0; j < s_; ++j) {
        a[i][j] = static_cast<double>(scheme.alpha[i * s_ + j]);
        b[i][j] = a[i][j] + static_cast<double>(scheme.gamma[i * s_ + j]);
        alpha[i] += a[i][j];
        beta[i] += b[i][j];
      }
    }
    // Column by column: beta w = 1.
    for (int j = 0; j < s_; ++j) {
      for (int i = 0; i < s_; ++i) {
        double rest = i == j;
        for (int k = 0; k < i; ++k) rest -= b[i][k] * w[k][j];
        w[i][j] = rest / b[i][i];
      }
    }
  }

  template <class Term>
  double sum3(Term term) const {
    double total = 0;
    for (int i = 0; i < s_; ++i)
      for (int j = 0; j < s_; ++j)
        for (int k = 0; k < s_; ++k) total += mu[i] * term(i, j, k);
    return total;
  }
  template <class Term>
  double sum4(Term term) const {
    double total = 0;
    for (int l = 0; l < s_; ++l)
      total += sum3([&](int i, int j, int k) { return term(i, j, k, l); });
    return total;
  }

  std::vector<double> mu;
  double a[4][4] = {}, b[4][4] = {}, w[4][4] = {}, alpha[4] = {}, beta[4] = {};

 private:
  int s_;
};

TEST(OrderConditions, ApproachAAgreesWithTheSumsWrittenOut) {
  const auto scheme = arbitrary_scheme(false);
  const auto residual = by_tree(scheme, 4);
  const WrittenOut x(scheme);
  const auto square = [](double v) { return v * v; };
  // (6.12h), 1/4
  EXPECT_NEAR(residual.at("f[f,g[f,f]]"), 4 * x.sum3([&](int i, int j, int k) {
    return x.alpha[i] * x.a[i][j] * x.w[j][k] * square(x.alpha[k]);
  }) - 1,
              1e-13);
  // (6.12i), 1/24
  EXPECT_NEAR(residual.at("f[f[f[f]]]"), 24 * x.sum3([&](int i, int j, int k) {
    return x.b[i][j] * x.b[j][k] * x.beta[k];
  }) - 1,
              1e-13);
  // (6.12l), 1/2
  EXPECT_NEAR(residual.at("g[f,f[f]]"), 2 * x.sum3([&](int i, int j, int k) {
    return x.w[i][j] * x.alpha[j] * x.a[j][k] * x.beta[k];
  }) - 1,
              1e-13);
  // (6.12m), 1
  EXPECT_NEAR(residual.at("g[f,g[f,f]]"), x.sum4([&](int i, int j, int k, int l) {
    return x.w[i][j] * x.alpha[j] * x.a[j][k] * x.w[k][l] * square(x.alpha[l]);
  }) - 1,
              1e-13);
}

TEST(OrderConditions, ApproachBAgreesWithTheSumsWrittenOut) {
  const auto scheme = arbitrary_scheme(true);
  const auto residual = by_tree(scheme, 4);
  const WrittenOut x(scheme);
  const auto square = [](double v) { return v * v; };
  // (6.17e), 1/3
  EXPECT_NEAR(residual.at("f[g[f,f]]"), 3 * x.sum3([&](int i, int j, int k) {
    return x.a[i][j] * x.w[j][k] * square(x.alpha[k]);
  }) - 1,
              1e-13);
  // (6.17k), 1/12
  EXPECT_NEAR(residual.at("f[f[g[f,f]]]"), 12 * x.sum4([&](int i, int j, int k, int l) {
    return x.a[i][j] * x.a[j][k] * x.w[k][l] * square(x.alpha[l]);
  }) - 1,
              1e-13);
  // (6.17m), 1/8
  EXPECT_NEAR(residual.at("f[g[f,f[f]]]"), 8 * x.sum4([&](int i, int j, int k, int l) {
    return x.a[i][j] * x.w[j][k] * x.alpha[k] * x.a[k][l] * x.alpha[l];
  }) - 1,
              1e-13);
  // (6.17q), 1/2
  EXPECT_NEAR(residual.at("g[f,f[f]]"), 2 * x.sum3([&](int i, int j, int k) {
    return x.w[i][j] * x.alpha[j] * x.a[j][k] * x.alpha[k];
  }) - 1,
              1e-13);
}

// The two conditions behind order 3 instead of 4: (6.12f) is missed by -13/432 of 1/8, (6.12l) by
// -13/72 of 1/2; the others of (6.12) hold.
TEST(OrderConditions, NameTheConditionsThatThePrintedDae4sfMisses) {
  const auto residual = by_tree(tables::dae4sf_printed, 4);
  EXPECT_NEAR(residual.at("f[f,f[f]]"), -13.0 / 54, 1e-12);
  EXPECT_NEAR(residual.at("g[f,f[f]]"), -13.0 / 36, 1e-12);
  for (const char* tree :
       {"f[f,f,f]", "f[f[f,f]]", "f[f,g[f,f]]", "f[f[f[f]]]", "g[f,f,f]", "g[f,g[f,f]]"}) {
    EXPECT_NEAR(residual.at(tree), 0, 1e-12) << tree;
  }
}

TEST(OrderConditions, CatchTheMisprintInDae3s) {
  RosenbrockScheme scheme(tables::dae3s);
  // gamma_31 = 0.4 gamma~_31 as printed in 1988, with one digit too many.
  scheme.gamma[2 * 3 + 0] = Quadruple(0.4) * Quadruple(-2.081711542553192);
  EXPECT_EQ(attained_order(scheme, Weights::main).y, 1);
  // (6.12b): mu_3 times the change of gamma_31, twice because the right side is 1/2.
  const double change = 0.4 * (-2.081711542553192 + 31309.0 / 15040);
  EXPECT_NEAR(by_tree(scheme, 2).at("f[f]"), 2 * 752.0 / 1593 * change, 1e-13);
}

struct DenseClaim {
  const char* name;
  RosenbrockScheme scheme;
  int order;
};

TEST(DenseOutput, AttainsTheClaimedOrdersOnTheWholeStep) {
  const std::vector<DenseClaim> dense{{"rodas3p", tables::rodas3p, 3},
                                      {"rodas4", tables::rodas4, 3},
                                      {"rodas4pw", tables::rodas4pw, 3},
                                      {"rodas5p", tables::rodas5p, 4},
                                      {"rodas6p", tables::rodas6p, 5}};
  for (const auto& claim : dense) {
    const auto order = attained_dense_order(claim.scheme);
    EXPECT_EQ(order.y, claim.order) << claim.name;
    EXPECT_EQ(order.convergence(), claim.order) << claim.name;
  }
}

TEST(DenseOutput, IsTheSolutionAtTheEndOfTheStep) {
  const RosenbrockScheme scheme(tables::rodas4);
  const auto solution = order_conditions(scheme, Weights::main, 5);
  const auto end = dense_order_conditions(scheme, 1.0, 5);
  ASSERT_EQ(solution.size(), end.size());
  for (std::size_t i = 0; i < end.size(); ++i) {
    EXPECT_EQ(end[i].residual, solution[i].residual) << end[i].tree;
  }
}

// Without rows the interpolant is the chord: order one and no more.
TEST(DenseOutput, WithoutRowsHasOrderOne) { EXPECT_EQ(attained_dense_order(tables::rodas3).y, 1); }

// Orders observed with a constant wrong matrix in place of the Jacobian.
TEST(ArbitraryJacobian, AttainsTheObservedOrders) {
  EXPECT_EQ(attained_w_order(tables::ros34pw2, Weights::main), 3);
  EXPECT_EQ(attained_w_order(tables::ros34pw2, Weights::embedded), 2);
  EXPECT_EQ(attained_w_order(tables::rodas4pw, Weights::main), 4);
  EXPECT_EQ(attained_w_order(tables::rodas4pw, Weights::embedded), 3);
  EXPECT_EQ(attained_w_order(tables::rodas3p, Weights::main), 1);
  EXPECT_EQ(attained_w_order(tables::rodas3p, Weights::embedded), 2);  // Rodas23W
  EXPECT_EQ(attained_w_order(tables::rodas4, Weights::main), 1);
  EXPECT_EQ(attained_w_order(tables::rodas5p, Weights::main), 2);
}

// Adding the conditions with f and with A in place of a singly branched vertex gives back the
// condition for the exact Jacobian, since beta = alpha + gamma.
TEST(ArbitraryJacobian, ConditionsAddUpToThoseOfTheExactJacobian) {
  const auto scheme = arbitrary_scheme(false);
  const auto exact = by_tree(scheme, 3);
  std::map<std::string, double> w;
  for (const auto& c : w_order_conditions(scheme, Weights::main, 3)) {
    EXPECT_EQ(c.kind, 'w');
    w[c.tree] = c.residual;
  }
  EXPECT_NEAR(w.at("f[f]") + w.at("A[f]"), exact.at("f[f]"), 1e-14);
  EXPECT_NEAR(w.at("f[f[f]]") + w.at("f[A[f]]") + w.at("A[f[f]]") + w.at("A[A[f]]"),
              exact.at("f[f[f]]"), 1e-14);
  EXPECT_NEAR(w.at("f[f,f]"), exact.at("f[f,f]"), 1e-14);
}

TEST(OrderConditions, RefuseMisuse) {
  EXPECT_THROW(order_conditions(tables::rodas4, Weights::main, 7), InvalidArgument);
  EXPECT_THROW(attained_order(tables::rodas4, Weights::main, 1e-10, 0), InvalidArgument);
  EXPECT_THROW(attained_w_order(tables::dae3ns, Weights::main), InvalidArgument);
  EXPECT_THROW(RosenbrockScheme{RosenbrockCoefficients{}}, InvalidArgument);
}

TEST(OrderConditions, NotANumberIsNotFulfilled) {
  RosenbrockScheme scheme(tables::rodas4);
  scheme.mu[0] = std::nan("");
  const auto order = attained_order(scheme, Weights::main);
  EXPECT_EQ(order.y, 0);
  EXPECT_EQ(order.z, 0);
}

}  // namespace
}  // namespace daedalus::analysis
