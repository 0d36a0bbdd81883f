// SPDX-License-Identifier: BSD-3-Clause
// Self-check of coefficient tables: shape, row sums, sums of weights.
#include <gtest/gtest.h>

#include <limits>

#include "kernel/rosenbrock_table.hpp"
#include "tables.hpp"

namespace daedalus {
namespace {

// The check is a constant expression, so that a method file can assert its own table.
static_assert(defect(tables::dae3s).empty());
static_assert(defect(tables::dae4sf).empty());
static_assert(defect(tables::dae4sf_printed).empty());
static_assert(defect(tables::dae3ns).empty());
static_assert(defect(tables::dae33ns).empty());
static_assert(defect(tables::dae34ns).empty());
static_assert(defect(tables::rodas3).empty());
static_assert(defect(tables::rodas3p).empty());
static_assert(defect(tables::ros34pw2).empty());
static_assert(defect(tables::rodas4).empty());
static_assert(defect(tables::rodas4pw).empty());
static_assert(defect(tables::rodas5p).empty());
static_assert(defect(tables::rodas6p).empty());
static_assert(defect(tables::grk4t).empty());

TEST(RosenbrockTable, ViewsSeeTheTable) {
  const RosenbrockCoefficients a = tables::rodas4;
  EXPECT_EQ(a.stages, 6);
  EXPECT_EQ(a.a[5 * 6 + 4], 1.0);
  EXPECT_EQ(a.c[1 * 6 + 0], -5.6688);
  EXPECT_EQ(a.dense_rows, 2);
  EXPECT_EQ(a.dense[1 * 6 + 0], tables::rodas4.dense[1][0]);
  EXPECT_FALSE(a.approach_b);
  EXPECT_EQ(defect(a), "");

  const RosenbrockBCoefficients b = tables::dae34ns;
  EXPECT_EQ(b.stages, 6);
  EXPECT_EQ(b.alpha[4 * 6 + 1], -8.0);
  EXPECT_EQ(b.gamma_ij[1 * 6 + 0], -0.25);
  EXPECT_TRUE(b.approach_b);
  EXPECT_EQ(defect(b), "");
}

TEST(RosenbrockTable, DefectsAreNamed) {
  const auto with = [](auto change) {
    auto table = tables::rodas4;
    change(table);
    return defect(RosenbrockCoefficients(table));
  };
  EXPECT_EQ(with([](auto& t) { t.gamma = 0; }), "gamma must be a number other than zero");
  EXPECT_EQ(with([](auto& t) { t.gamma = std::numeric_limits<double>::quiet_NaN(); }),
            "gamma must be a number other than zero");
  EXPECT_EQ(with([](auto& t) { t.a[2][1] += 1e-10; }),
            "abscissae differ from the row sums of alpha");
  EXPECT_EQ(with([](auto& t) { t.abscissae[3] += 1e-10; }),
            "abscissae differ from the row sums of alpha");
  EXPECT_EQ(with([](auto& t) { t.abscissae[3] = std::numeric_limits<double>::quiet_NaN(); }),
            "abscissae differ from the row sums of alpha");
  EXPECT_EQ(with([](auto& t) { t.time_weights[2] += 1e-10; }),
            "time_weights differ from the row sums of Gamma");
  EXPECT_EQ(with([](auto& t) { t.weights[0] += 1e-10; }),
            "weights do not sum to one (sum of mu_i)");
  EXPECT_EQ(with([](auto& t) { t.error[0] += 1e-10; }),
            "error weights do not sum to zero (sum of mu_i - mu_hat_i)");
  EXPECT_EQ(with([](auto& t) { t.a[2][2] = 1; }), "a must be strictly lower triangular");
  EXPECT_EQ(with([](auto& t) { t.c[1][4] = 1; }), "c must be strictly lower triangular");
  EXPECT_EQ(with([](auto& t) { t.dense_rows = 5; }), "dense_rows must be between 0 and 4");
  EXPECT_EQ(defect(RosenbrockCoefficients()), "stages must be between 1 and 32");
}

TEST(RosenbrockTable, DefectsOfExplicitTablesAreNamed) {
  const auto with = [](auto change) {
    auto table = tables::dae3ns;
    change(table);
    return defect(RosenbrockBCoefficients(table));
  };
  EXPECT_EQ(with([](auto& t) { t.alpha[2][1] += 1e-11; }),
            "abscissae differ from the row sums of alpha");
  EXPECT_EQ(with([](auto& t) { t.gamma_ij[2][0] += 1e-11; }),
            "time_weights differ from the row sums of gamma_ij");
  EXPECT_EQ(with([](auto& t) { t.mu[1] += 1e-11; }), "mu does not sum to one");
  EXPECT_EQ(with([](auto& t) { t.mu_hat[1] += 1e-11; }), "mu_hat does not sum to one");
  EXPECT_EQ(with([](auto& t) { t.gamma_ij[1][1] = 1; }),
            "gamma_ij must be strictly lower triangular");
  EXPECT_EQ(with([](auto& t) { t.alpha[0][2] = 1; }), "alpha must be strictly lower triangular");
}

}  // namespace
}  // namespace daedalus
