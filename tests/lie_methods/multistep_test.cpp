// SPDX-License-Identifier: BSD-3-Clause
// The multistep methods on groups with fixed steps: errors on the heavy top, digit by digit.
#include <gtest/gtest.h>

#include <vector>

#include "heavy_top.hpp"

namespace daedalus::multistep_test {
namespace {

using lie_testing::Errors;
using lie_testing::exact_start;
using lie_testing::HeavyTopRun;
using lie_testing::run_heavy_top;
using lie_testing::slope;
using problems::HeavyTop;

// ERR2 on [0, 1] with exact start values in 80-bit arithmetic by an independent program.
struct Row {
  HeavyTop form;
  const char* method;
  bool corrected;
  int steps;
  Errors largest;
};
const std::vector<Row> rows = {
    {HeavyTop::so3, "bliedf2", true, 1000, {1.2003, 6.6177, 0}},
    {HeavyTop::so3, "bliedf3", true, 1000, {4.0345e-1, 9.5268e-1, 0}},
    {HeavyTop::so3, "bliedf4", true, 1000, {2.1322e-2, 9.5303e-2, 0}},
    {HeavyTop::so3, "bliedf5", true, 1000, {5.0604e-3, 1.1882e-2, 0}},
    {HeavyTop::so3, "bliedf6", true, 1000, {3.9056e-4, 1.5075e-3, 0}},
    {HeavyTop::so3, "mkbdf3", true, 1000, {4.0953e-1, 9.6089e-1, 0}},
    {HeavyTop::so3, "mkbdf4", true, 1000, {2.0657e-2, 9.5942e-2, 0}},
    {HeavyTop::so3, "mkbdf5", true, 1000, {5.1029e-3, 1.1977e-2, 0}},
    {HeavyTop::so3, "mkbdf6", true, 1000, {3.8302e-4, 1.5127e-3, 0}},
    {HeavyTop::r3xso3, "bliedf2", true, 1000, {7.1433e-2, 4.3984e-1, 2.9353e1}},
    {HeavyTop::r3xso3, "bliedf3", true, 1000, {2.4439e-2, 9.4234e-2, 8.0602}},
    {HeavyTop::r3xso3, "bliedf4", true, 1000, {1.7057e-3, 8.2711e-3, 5.8981e-1}},
    {HeavyTop::r3xso3, "bliedf5", true, 1000, {3.5937e-4, 1.3159e-3, 1.1598e-1}},
    {HeavyTop::r3xso3, "bliedf6", true, 1000, {1.3055e-5, 8.9978e-5, 6.3913e-3}},
    {HeavyTop::r3xso3, "mkbdf3", true, 1000, {3.5477e-3, 1.3495e-2, 1.1874}},
    {HeavyTop::r3xso3, "mkbdf4", true, 1000, {1.3638e-4, 6.5152e-4, 4.7133e-2}},
    {HeavyTop::r3xso3, "mkbdf5", true, 1000, {6.7006e-5, 2.6188e-4, 2.2665e-2}},
    {HeavyTop::r3xso3, "mkbdf6", true, 1000, {8.3991e-6, 3.4955e-5, 2.7153e-3}},
    {HeavyTop::se3, "bliedf2", true, 1000, {1.2449, 9.3588, 4.6697e2}},
    {HeavyTop::se3, "bliedf3", true, 1000, {4.3862e-1, 1.3473, 1.4613e2}},
    {HeavyTop::se3, "bliedf4", true, 1000, {2.1759e-2, 1.3478e-1, 6.9568}},
    {HeavyTop::se3, "bliedf5", true, 1000, {5.5143e-3, 1.6804e-2, 1.7942}},
    {HeavyTop::se3, "bliedf6", true, 1000, {3.9880e-4, 2.1320e-3, 1.2143e-1}},
    {HeavyTop::se3, "mkbdf3", true, 1000, {4.4511e-1, 1.3589, 1.4747e2}},
    {HeavyTop::se3, "mkbdf4", true, 1000, {2.1123e-2, 1.3568e-1, 6.9704}},
    {HeavyTop::se3, "mkbdf5", true, 1000, {5.5574e-3, 1.6938e-2, 1.8070}},
    {HeavyTop::se3, "mkbdf6", true, 1000, {3.9100e-4, 2.1392e-3, 1.2098e-1}},
    {HeavyTop::r3xso3, "bliedf2", false, 1000, {7.1420e-2, 4.3976e-1, 2.9348e1}},
    {HeavyTop::r3xso3, "bliedf3", false, 1000, {2.4431e-2, 9.4211e-2, 8.0588}},
    {HeavyTop::r3xso3, "bliedf4", false, 1000, {1.7053e-3, 8.2698e-3, 5.8973e-1}},
    {HeavyTop::r3xso3, "bliedf5", false, 1000, {3.5929e-4, 1.3158e-3, 1.1775e-1}},
    {HeavyTop::r3xso3, "bliedf6", false, 1000, {1.3026e-5, 8.9871e-5, 9.8198e-3}},
    {HeavyTop::r3xso3, "mkbdf3", false, 1000, {3.5490e-3, 1.3499e-2, 1.1876}},
    {HeavyTop::r3xso3, "mkbdf4", false, 1000, {1.3641e-4, 6.5165e-4, 6.5318e-2}},
    {HeavyTop::r3xso3, "mkbdf5", false, 1000, {6.7013e-5, 2.6191e-4, 2.2667e-2}},
    {HeavyTop::r3xso3, "mkbdf6", false, 1000, {8.3989e-6, 3.4953e-5, 2.7152e-3}},
    {HeavyTop::so3, "crouch-grossman2", true, 1000, {2.7558e-1, 1.7318, 0}},
    {HeavyTop::so3, "crouch-grossman3", true, 1000, {6.7397e-2, 1.6070e-1, 0}},
    {HeavyTop::so3, "crouch-grossman4", true, 1000, {2.1717e-3, 1.2020e-2, 0}},
    {HeavyTop::so3, "commutator-free2", true, 1000, {2.7660e-1, 1.7222, 0}},
    {HeavyTop::so3, "commutator-free3", true, 1000, {6.6841e-2, 1.5991e-1, 0}},
    {HeavyTop::so3, "commutator-free4", true, 1000, {2.1795e-3, 1.2008e-2, 0}},
};

// Rounding errors of q reach lambda as h^-2 times 1.4e-12; below a hundred times that, and for q
// and v below 1e-8, four digits are not to be had in double precision.
void expect_digits(double measured, double expected, double floor, const char* what) {
  if (expected > 100.0 * floor) {
    EXPECT_NEAR(measured, expected, 1e-4 * expected) << what;
  } else {
    EXPECT_LT(measured, expected + 100.0 * floor) << what;
  }
}

HeavyTopRun run(const Row& row) {
  Options o = exact_start(row.form, row.method);
  o.fixed_step = 1.0 / row.steps;
  if (!row.corrected) o.method_options["start"] = 0.0;
  return run_heavy_top(row.form, o);
}

TEST(FixedSteps, ErrorsOfTheHeavyTopToFourDigits) {
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.method) + (row.corrected ? "" : ", exact start") + ", form " +
                 std::to_string(static_cast<int>(row.form)));
    const HeavyTopRun r = run(row);
    ASSERT_EQ(r.status, Status::success) << r.message;
    const double floor = 1.4e-12 * row.steps * row.steps;
    expect_digits(r.largest.q, row.largest.q, 1e-10, "q");
    expect_digits(r.largest.v, row.largest.v, 1e-10, "v");
    if (row.largest.lambda > 0.0)
      expect_digits(r.largest.lambda, row.largest.lambda, floor, "lambda");
  }
}

// On R^3 x SO(3): order k in all classes with the corrected start, k - 1 in lambda without it.
TEST(FixedSteps, TheStartCorrectionSavesAnOrderOfLambda) {
  for (const int k : {2, 4}) {
    const std::string method = "bliedf" + std::to_string(k);
    const auto at = [&](int steps, bool corrected) {
      return run({HeavyTop::r3xso3, method.c_str(), corrected, steps, {}}).largest;
    };
    const Errors a = at(2000, true), b = at(4000, true);
    EXPECT_NEAR(slope(a.q, b.q), k, 0.2) << method;
    EXPECT_NEAR(slope(a.v, b.v), k, 0.2) << method;
    EXPECT_NEAR(slope(a.lambda, b.lambda), k, 0.2) << method;
    const Errors c = at(4000, false), d = at(8000, false);
    EXPECT_NEAR(slope(c.q, d.q), k, 0.2) << method;
    EXPECT_NEAR(slope(c.lambda, d.lambda), k - 1, 0.3) << method;
  }
}

TEST(FixedSteps, StabilisedIndexTwoHasTheSameOrderInAllClasses) {
  // ERR2 at h = 1/2000 in 80-bit arithmetic.
  const Errors expected[] = {{9.8831e-3, 2.8541e-2, 2.0045},
                             {5.3402e-4, 2.1634e-3, 2.0574e-1},
                             {4.6921e-5, 1.2994e-4, 8.1025e-3},
                             {1.8038e-6, 7.3287e-6, 6.8595e-4}};
  for (int k = 2; k <= 5; ++k) {
    Options o = exact_start(HeavyTop::r3xso3, "bliedf" + std::to_string(k));
    o.fixed_step = 1.0 / 2000;
    o.formulation = "ggl";
    const HeavyTopRun r = run_heavy_top(HeavyTop::r3xso3, o);
    ASSERT_EQ(r.status, Status::success) << r.message;
    const Errors& e = expected[k - 2];
    EXPECT_NEAR(r.largest.q, e.q, 1e-4 * e.q) << k;
    EXPECT_NEAR(r.largest.v, e.v, 1e-4 * e.v) << k;
    EXPECT_NEAR(r.largest.lambda, e.lambda, k < 5 ? 1e-4 * e.lambda : 1e-3 * e.lambda) << k;
  }
}

TEST(FixedSteps, WithoutCorrectionTermTheOrderIsTwo) {
  Errors e[2];
  for (const int i : {0, 1}) {
    Options o = exact_start(HeavyTop::r3xso3, "bliedf4");
    o.fixed_step = 1.0 / (2000 << i);
    o.method_options["correction"] = 0.0;
    e[i] = run_heavy_top(HeavyTop::r3xso3, o).end;
  }
  EXPECT_NEAR(slope(e[0].q, e[1].q), 2.0, 0.2);
  EXPECT_NEAR(e[1].q, 4.1e-4, 0.05e-4);  // h = 2.5e-4
}

TEST(FixedSteps, TunedSetsAreMoreAccurateAndOwnSetsAreChecked) {
  const auto error = [](const char* method, double correction) {
    Options o = exact_start(HeavyTop::r3xso3, method);
    o.fixed_step = 1e-3;
    o.method_options["correction"] = correction;
    return run_heavy_top(HeavyTop::r3xso3, o).end.q;
  };
  EXPECT_NEAR(error("bliedf3", 2), 2.3349e-3, 1e-7);
  EXPECT_NEAR(error("bliedf3", 3), 2.0698e-3, 1e-7);
  EXPECT_NEAR(error("bliedf4", 2), 2.2368e-4, 1e-8);
  EXPECT_NEAR(error("bliedf4", 3), 2.4043e-4, 1e-8);
  try {
    error("bliedf3", 4);  // all parameters 0
    FAIL() << "an inconsistent set was taken";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("correction"), std::string::npos) << e.what();
  }
}

// One change h -> 2h at t = 1 of [0, 2]; 80-bit arithmetic, variable formulas throughout.
TEST(ChangedSteps, ModifiedVelocitiesSaveAnOrderOfLambda) {
  struct Expected {
    int k;
    Errors modified;
    double plain;  // lambda
  };
  const Expected all[] = {{2, {5.9905e-3, 3.7408e-2, 2.2384}, 3.9551},
                          {3, {5.6448e-4, 2.0034e-3, 1.2768e-1}, 1.7133e-1}};
  for (const Expected& e : all) {
    for (const bool modified : {true, false}) {
      Options o = exact_start(HeavyTop::r3xso3, "bliedf" + std::to_string(e.k));
      o.step_sequence.assign(8000, 1.0 / 8000);
      o.step_sequence.resize(12000, 2.0 / 8000);
      o.method_options = {{"variable_formula", 1.0}, {"modification", modified ? 1.0 : 0.0}};
      const HeavyTopRun r = run_heavy_top(HeavyTop::r3xso3, o, 2.0);
      ASSERT_EQ(r.status, Status::success) << r.message;
      EXPECT_NEAR(r.largest.lambda, modified ? e.modified.lambda : e.plain, 1e-4 * e.plain) << e.k;
      EXPECT_NEAR(r.largest.q, e.modified.q, 1e-4 * e.modified.q) << e.k;
    }
  }
}

TEST(Spaces, QuaternionsAndMatricesAgree) {
  struct Pair {
    HeavyTop matrix, quaternion;
  };
  for (const Pair p : {Pair{HeavyTop::so3, HeavyTop::s3}, Pair{HeavyTop::r3xso3, HeavyTop::r3xs3},
                       Pair{HeavyTop::se3, HeavyTop::s3_semidirect}}) {
    for (const char* method : {"bliedf3", "mkbdf4"}) {
      const Errors a = run({p.matrix, method, true, 1000, {}}).largest;
      const Errors b = run({p.quaternion, method, true, 1000, {}}).largest;
      EXPECT_NEAR(a.v, b.v, 1e-8 * a.v) << method;
      EXPECT_NEAR(a.lambda, b.lambda, 1.4e-6 + 1e-7 * a.lambda) << method;  // round-off over h^2
    }
  }
}

TEST(Spaces, TwoStepsOfBothFamiliesAreTheSameMethod) {
  const Errors a = run({HeavyTop::r3xso3, "bliedf2", true, 1000, {}}).largest;
  const Errors b = run({HeavyTop::r3xso3, "mkbdf2", true, 1000, {}}).largest;
  EXPECT_NEAR(a.q, b.q, 1e-9 * a.q);
  EXPECT_NEAR(a.lambda, b.lambda, 1e-9 * a.lambda);
}

}  // namespace
}  // namespace daedalus::multistep_test
