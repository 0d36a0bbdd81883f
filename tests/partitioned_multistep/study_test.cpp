// SPDX-License-Identifier: BSD-3-Clause
// Orders of the formulas with constant steps and exact start values on index-2 systems, in long
// double and, where 1/h times its rounding errors shows, with 113 bits; and formulas that fail.
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/index2.hpp>

#include "lab/plmsm_study.hpp"
#include "partitioned_multistep/models.hpp"

namespace daedalus::plmsm {
namespace {

using partitioned_multistep_test::quadruple_slopes;
using partitioned_multistep_test::Slopes;
using partitioned_multistep_test::study_slopes;

// What 40 digits show at the same steps. k = 2 and k = 7 converge faster than their order by
// cancellation; k = 5 in z has not reached it yet.
TEST(Study, OrdersOfAdamsType) {
  const Slopes expected[] = {{1.99, 0.98}, {3.90, 2.00}, {3.95, 2.83}, {4.94, 4.00},
                             {5.86, 4.38}, {6.92, 5.99}, {8.62, 7.51}, {8.88, 7.96}};
  for (int k = 1; k <= 8; ++k) {
    // Above six steps the errors are below what long double resolves in z.
    const Slopes s = k <= 6 ? study_slopes(StudyMethod::adams_type, k)
                            : quadruple_slopes(StudyMethod::adams_type, k);
    EXPECT_NEAR(s.y, expected[k - 1].y, 0.06) << k;
    EXPECT_NEAR(s.z, expected[k - 1].z, 0.03) << k;
    if (k == 2 || k == 5 || k == 7) continue;
    EXPECT_NEAR(s.y, k + 1, 0.2) << k;
    EXPECT_NEAR(s.z, k, 0.2) << k;
  }
}

TEST(Study, OneCorrectorKeepsTheOrder) {
  const Slopes two = study_slopes(StudyMethod::adams_type, 2, 1);
  EXPECT_NEAR(two.y, 2.98, 0.05);
  EXPECT_NEAR(two.z, 1.98, 0.05);
  for (int k = 3; k <= 4; ++k) {
    const Slopes s = study_slopes(StudyMethod::adams_type, k, 1);
    EXPECT_NEAR(s.y, k + 1, 0.2);
    EXPECT_NEAR(s.z, k, 0.25);
  }
}

// More than two change the error by less than 2 %.
TEST(Study, MoreThanTwoCorrectorsChangeLittle) {
  const HessenbergModel<long double, problems::index2::Third> model;
  for (const int k : {3, 4, 6}) {
    const auto two = study<long double>(model, {.k = k, .correctors = 2, .steps = 160});
    const auto four = study<long double>(model, {.k = k, .correctors = 4, .steps = 160});
    EXPECT_NEAR(static_cast<double>(four.max_y() / two.max_y()), 1.0, 0.02) << k;
  }
}

TEST(Study, OrdersWithTheHiddenConstraintAreEqualInYAndZ) {
  for (int k = 3; k <= 4; ++k) {
    const Slopes s = study_slopes(StudyMethod::adams_hidden, k);
    EXPECT_NEAR(s.y, k + 1, 0.2);
    EXPECT_NEAR(s.z, k + 1, 0.2);
  }
}

TEST(Study, OrdersOfBlockedFormulasAndBdf) {
  const auto expect = [](const Slopes& s, double y, double z) {
    EXPECT_NEAR(s.y, y, 0.06);
    EXPECT_NEAR(s.z, z, 0.03);
  };
  expect(study_slopes(StudyMethod::adams_blocked, 3), 3.95, 3.01);
  expect(study_slopes(StudyMethod::dcbdf_blocked, 2), 3.25, 1.99);
  expect(study_slopes(StudyMethod::dcbdf_blocked, 3), 3.96, 3.01);
  expect(quadruple_slopes(StudyMethod::dcbdf_blocked, 6), 6.95, 6.01);
  expect(study_slopes(StudyMethod::bdf, 3), 3.06, 2.87);
  expect(study_slopes(StudyMethod::bdf, 5), 4.95, 5.06);
}

// The classical formula: errors of z grow by 1.7165 in each step for k = 2.
TEST(Study, ClassicalAdamsMoultonDiverges) {
  const HessenbergModel<long double, problems::index2::Third> model;
  for (int k = 2; k <= 3; ++k) {
    const auto e =
        study<long double>(model, {.method = StudyMethod::adams_moulton, .k = k, .steps = 40});
    EXPECT_FALSE(e.max_y() < 1.0L) << k;
  }
  const auto stable =
      study<long double>(model, {.method = StudyMethod::adams_type, .k = 2, .steps = 40});
  EXPECT_LT(stable.max_y(), 1e-6L);
}

// Unstable gamma: below -1/12 is needed for k = 2.
TEST(Study, UnstableBlockingDiverges) {
  const HessenbergModel<long double, problems::index2::Third> model;
  StudySetting s{.method = StudyMethod::adams_blocked, .k = 2, .gamma = 0.05, .steps = 160};
  EXPECT_FALSE(study<long double>(model, s).max_w() < 1e-2L);
  s.gamma = -0.146;
  EXPECT_LT(study<long double>(model, s).max_w(), 1e-3L);
}

// Remark 34: 0 = gamma(y, w) with gamma_w of constant rank one. w = (s, z): s is a function of y,
// z is of index 2; both equations contain s. Exact: y1 = sin t, y2 = exp(0.3 sin t) + s^2 / 4 with
// s = cos(t) / 2, z = 1 + sin(t) / 2.
template <class S>
struct ConstantRank {
  static constexpr int ny = 2, nw = 2;
  void exact(const S& t, S* y, S* w) const {
    using std::cos, std::exp, std::sin;
    w[0] = cos(t) / 2;
    w[1] = S(1) + sin(t) / 2;
    y[0] = sin(t);
    y[1] = exp(S(3) * sin(t) / 10) + w[0] * w[0] / 4;
  }
  void rate(const S& t, const S* y, const S* w, S* out) const {
    using std::cos, std::exp, std::sin;
    const S s = cos(t) / 2, zeta = S(1) + sin(t) / 2;
    S e[2], unused[2];
    exact(t, e, unused);
    // Both combinations of w: nonlinear in z, with s beside it.
    out[0] = cos(t) - (w[1] * w[1] - zeta * zeta) * y[1] + (w[0] - s) / 2;
    out[1] = S(3) * cos(t) / 10 * exp(S(3) * sin(t) / 10) - s * sin(t) / 4 +
             S(7) * (y[0] - e[0]) / 10 + (w[1] - zeta) * (S(1) + y[0] * y[0]);
  }
  void constraint(const S& t, const S* y, const S* w, S* out) const {
    using std::cos, std::exp, std::sin;
    // h = 0 defines s, g = 0 is of index 2; given as the combinations h + g and h - g.
    S e[2], unused[2];
    exact(t, e, unused);
    const S h = w[0] * w[0] * w[0] + w[0] - (unused[0] * unused[0] * unused[0] + unused[0]) -
                (y[0] - e[0]) / 3;
    const S g = y[1] - exp(S(3) * y[0] / 10) - w[0] * w[0] / 4;
    out[0] = h + g;
    out[1] = h - g;
  }
};

TEST(Study, AlgebraicEquationsOfConstantRank) {
  using S = long double;
  const ConstantRank<S> model;
  for (const int k : {1, 3, 4}) {
    const auto coarse = study<S>(model, {.k = k, .steps = 160});
    const auto fine = study<S>(model, {.k = k, .steps = 320});
    const auto order = [](S a, S b) { return std::log2(static_cast<double>(a / b)); };
    EXPECT_GT(order(coarse.max_y(), fine.max_y()), k + 0.8) << k;
    EXPECT_GT(order(coarse.w[1], fine.w[1]), k - 0.2) << k;
    EXPECT_LT(fine.max_w(), std::pow(0.1L, k)) << k;
  }
}

}  // namespace
}  // namespace daedalus::plmsm
