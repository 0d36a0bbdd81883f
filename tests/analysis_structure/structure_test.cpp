// SPDX-License-Identifier: BSD-3-Clause
// The Sigma method: combinatorics against brute force, catalogue problems against their known
// index, and the circuits whose structure misleads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include <catalogue/catalogue.hpp>
#include <daedalus/analysis.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/solve.hpp>

#include "analysis/structure_signature.hpp"

namespace daedalus::structure_test {
namespace {

using ::testing::HasSubstr;

StructuralAnalysis of(const std::string& name) {
  const problems::Entry& e = *problems::find_problem(name);
  return structural_analysis(e.problem(), e.t0);
}

// Largest sum over all permutations, -1000 for a missing entry.
int by_permutations(const Signature& signature, int n) {
  std::vector<int> p(static_cast<std::size_t>(n));
  std::iota(p.begin(), p.end(), 0);
  int best = -1000000;
  do {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      int value = -1000;
      for (const SignatureRow& e : signature[static_cast<std::size_t>(i)])
        if (e.variable == p[static_cast<std::size_t>(i)]) value = e.order;
      sum += value;
    }
    best = std::max(best, sum);
  } while (std::next_permutation(p.begin(), p.end()));
  return best;
}

TEST(Transversal, HasTheLargestSumAndItsOffsetsAreTight) {
  std::mt19937 random(7);
  int complete = 0, incomplete = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 2 + trial % 5;
    Signature signature(static_cast<std::size_t>(n));
    for (auto& row : signature)
      for (int j = 0; j < n; ++j)
        if (const auto kind = random() % 5; kind < 2) row.push_back({j, static_cast<int>(kind)});
    const Transversal t = max_transversal(signature, n);
    const int best = by_permutations(signature, n);
    ASSERT_EQ(t.complete, best >= 0);
    if (!t.complete) {
      ++incomplete;
      const auto over = overdetermined_part(signature, t);
      const auto under = underdetermined_part(signature, n, t);
      EXPECT_GT(over.equations.size(), over.variables.size());
      EXPECT_GT(under.variables.size(), under.equations.size());
      continue;
    }
    ++complete;
    const Offsets o = min_offsets(signature, n, t);
    int sum = 0;
    for (int j = 0; j < n; ++j) sum += o.d[static_cast<std::size_t>(j)];
    for (int i = 0; i < n; ++i) {
      sum -= o.c[static_cast<std::size_t>(i)];
      for (const SignatureRow& e : signature[static_cast<std::size_t>(i)])
        EXPECT_GE(o.d[static_cast<std::size_t>(e.variable)] - o.c[static_cast<std::size_t>(i)],
                  e.order);
    }
    EXPECT_EQ(sum, best);  // duality: only a transversal of largest sum gives this
    EXPECT_EQ(*std::min_element(o.c.begin(), o.c.end()), 0);
    std::size_t solved = 0;
    for (const auto& block : triangular_blocks(signature, t, o)) solved += block.equations.size();
    EXPECT_EQ(solved, signature.size());
  }
  EXPECT_GT(complete, 50);
  EXPECT_GT(incomplete, 50);
}

// Pryce (2001), example 2, in first order: c = (1, 1, 0, 0, 2) for (x', y', u', v', constraint).
TEST(Structure, OfThePendulum) {
  const StructuralAnalysis s = of("pendulum");
  EXPECT_EQ(s.index, 3);
  EXPECT_EQ(s.degrees_of_freedom, 2);
  EXPECT_EQ(s.equation_offsets, (std::vector<int>{1, 1, 0, 0, 2}));
  EXPECT_EQ(s.variable_offsets, (std::vector<int>{2, 2, 1, 1, 0}));
  EXPECT_TRUE(s.regular && s.regular_nearby);
  EXPECT_EQ(s.sigma(0, 0), 1);
  EXPECT_EQ(s.sigma(0, 1), -1);
  EXPECT_EQ(s.sigma(2, 4), 0);  // x lambda
  ASSERT_EQ(s.blocks.size(), 1u);
  EXPECT_THAT(s.text(), HasSubstr("differentiated twice: 'constraint 1'"));
}

TEST(Structure, AgreesWithTheIndexOfTheCatalogue) {
  struct Known {
    const char* name;
    int index, freedom;
  };
  for (const Known& k : {Known{"robertson", 1, 2},
                         {"akzo", 1, 5},
                         {"ring-modulator", 0, 15},
                         {"car-axis", 3, 4},
                         {"slider-crank", 3, 8},
                         {"jay", 2, 1},
                         {"arevalo", 3, 2},
                         {"knife-edge", 2, 5},
                         {"weissinger", 0, 1},
                         {"truck9", 3, 14},
                         {"heavy-top-r3xso3", 3, 6},
                         {"nilpotent", 3, 0},
                         {"gear-petzold", 2, 0},
                         {"brenan", 1, 1}}) {
    const StructuralAnalysis s = of(k.name);
    EXPECT_EQ(s.index, k.index) << k.name;
    EXPECT_EQ(s.degrees_of_freedom, k.freedom) << k.name;
    EXPECT_TRUE(s.regular) << k.name;
    EXPECT_TRUE(compare_index(s, k.index).agree) << k.name;
    EXPECT_FALSE(compare_index(s, k.index + 1).agree) << k.name;
  }
}

// Capacitances between two nodes enter as [-C C; C -C], and the sum of the four inner currents of
// the ring modulator vanishes without C_S: the structure sees neither.
TEST(Structure, OfCircuitsMisleadsAndIsReported) {
  const StructuralAnalysis ring = of("ring-modulator-index2");
  EXPECT_EQ(ring.index, 1);
  EXPECT_FALSE(ring.regular || ring.regular_nearby);
  const problems::Entry& e = *problems::find_problem("ring-modulator-index2");
  const IndexComparison c = compare_index(ring, check(e.problem(), e.t0).numerical_index);
  EXPECT_EQ(c.numerical, 2);
  EXPECT_FALSE(c.agree);
  EXPECT_THAT(c.text, HasSubstr("too small"));
  EXPECT_THAT(c.text, HasSubstr("singular"));
  ASSERT_FALSE(ring.warnings.empty());
  EXPECT_THAT(ring.warnings.back(), HasSubstr("'balance of U3'"));

  const StructuralAnalysis amplifier = of("transistor-amplifier");
  EXPECT_EQ(amplifier.index, 0);
  EXPECT_FALSE(amplifier.regular);
  EXPECT_FALSE(compare_index(amplifier, 0).agree);  // the same number would be a coincidence
}

// z twice determined, w not at all.
TEST(Structure, NamesWhatIsDeterminedTwiceAndNotAtAll) {
  ImplicitProblem p{.name = "singular",
                    .residual = autodiff([](const auto&, const auto& y, const auto& yp, auto& r) {
                      r[0] = yp[0] - y[1] - y[2];
                      r[1] = y[1] - 1.0;
                      r[2] = 2.0 * y[1] - 2.0 + 0.0 * y[2];
                      r[3] = yp[0] + y[0] + y[3];
                    }),
                    .y0 = Eigen::Vector4d(0.0, 1.0, 0.0, 0.0),
                    .yp0 = Eigen::Vector4d(1.0, 0.0, 0.0, -1.0),
                    .variables = {"x", "z", "w", "y"},
                    .equations = {"rate", "first", "second", "output"}};
  const StructuralAnalysis s = structural_analysis(p, 0.0);
  EXPECT_TRUE(s.singular);
  EXPECT_EQ(s.overdetermined.equations, (std::vector<int>{1, 2}));
  EXPECT_EQ(s.overdetermined.variables, (std::vector<int>{1}));
  EXPECT_EQ(s.underdetermined.variables, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(s.underdetermined.equations, (std::vector<int>{0, 3}));
  EXPECT_THAT(s.text(), HasSubstr("'first', 'second' contain only the 1 variables 'z'"));
  EXPECT_THAT(compare_index(s, 1).text, HasSubstr("structurally singular"));
}

// y z with y = 0 at the start: the entry is there although its derivative vanishes.
TEST(Structure, DoesNotTakeAnAccidentalZeroForAnAbsentEntry) {
  SemiExplicitProblem p{
      .name = "accidental",
      .f = autodiff(
          [](const auto&, const auto& y, const auto& z, auto& f) { f[0] = y[0] * z[0] + 1.0; }),
      .g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) { g[0] = z[0] - y[0]; }),
      .y0 = Eigen::VectorXd::Zero(1),
      .z0 = Eigen::VectorXd::Zero(1)};
  const StructuralAnalysis s = structural_analysis(p, 0.0);
  EXPECT_EQ(s.sigma(0, 1), 0);
  EXPECT_EQ(s.index, 1);
  EXPECT_EQ(s.degrees_of_freedom, 1);
}

}  // namespace
}  // namespace daedalus::structure_test
