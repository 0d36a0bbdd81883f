// SPDX-License-Identifier: BSD-3-Clause
// The rows of each formulation against equations written by hand, at points that solve nothing:
// a bead on the moving parabola g = q2 + q1^2 - a t with mass m, and the contact model of Arnold
// (1998), section 3.1, h = s + 0.3 s^3 - q1, g = q2 + s^2.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/daedalus.hpp>

#include "formulation/lower.hpp"

namespace daedalus {
namespace {

constexpr double mass = 2.0, pull = 0.7, gravity = 1.5;

MultibodyProblem parabola() {
  return {
      .name = "parabola",
      .space = euclidean(2),
      .constraint_count = 1,
      .mass = autodiff([](const auto&, const auto&, auto& M) {
        M(0, 0) = M(1, 1) = mass;
        M(0, 1) = M(1, 0) = 0.0;
      }),
      .force = autodiff([](const auto&, const auto&, const auto& v, const auto& lambda, auto& f) {
        f[0] = -0.1 * v[0] * lambda[0] * lambda[0];
        f[1] = mass * gravity;
      }),
      .constraint = autodiff(
          [](const auto& t, const auto& q, auto& g) { g[0] = q[1] + q[0] * q[0] - pull * t; }),
      .q0 = Eigen::Vector2d(1.0, -1.0),
      .v0 = Eigen::Vector2d(0.5, pull - 1.0)};
}

MultibodyProblem contact() {
  return {.name = "contact",
          .space = euclidean(2),
          .constraint_count = 1,
          .contact_count = 1,
          .force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
            f[0] = 0.0;
            f[1] = 1.0;
          }),
          .constraint = autodiff([](const auto&, const auto& q, const auto& s, auto& g) {
            g[0] = q[1] + s[0] * s[0];
          }),
          .contact = autodiff([](const auto&, const auto& q, const auto& s, auto& h) {
            h[0] = s[0] + 0.3 * s[0] * s[0] * s[0] - q[0];
          }),
          .q0 = Eigen::Vector2d(1.3, -1.0),
          .v0 = Eigen::Vector2d(0.0, 0.0),
          .s0 = Eigen::VectorXd::Constant(1, 1.0)};
}

struct Point {
  double t = 0.3;
  Eigen::Vector2d q{0.8, -0.4}, v{0.6, -1.1}, q_rate{0.2, 0.9}, v_rate{-0.7, 0.35}, a{0.15, -0.25};
  double s = 0.55, lambda = 1.3, lambda_rate = 0.45, eta1 = 0.21, eta2 = -0.32;
};

std::unique_ptr<System> lowered(const Problem& p, const char* formulation,
                                std::map<std::string, double> options = {}) {
  LoweringOptions lowering;
  lowering.formulation_options = std::move(options);
  return lower(std::make_shared<const Problem>(p), formulation, View::residual, lowering, 0.0);
}

// Unknowns and rates of the system at the point, block by block.
Eigen::VectorXd rows_of(System& system, const Point& p) {
  State s;
  s.t = p.t;
  s.x.setZero(system.layout.points());
  s.xd.setZero(system.layout.tangents());
  for (const LayoutBlock& b : system.layout.blocks()) {
    double* x = s.x.data() + b.point;
    double* xd = s.xd.data() + b.tangent;
    switch (b.cls) {
      case VariableClass::q:
        std::copy(p.q.data(), p.q.data() + 2, x);
        std::copy(p.q_rate.data(), p.q_rate.data() + 2, xd);
        break;
      case VariableClass::v:
        std::copy(p.v.data(), p.v.data() + 2, x);
        std::copy(p.v_rate.data(), p.v_rate.data() + 2, xd);
        break;
      case VariableClass::s:
        x[0] = p.s;
        break;
      case VariableClass::lambda:
        x[0] = p.lambda;
        xd[0] = p.lambda_rate;
        break;
      case VariableClass::eta:
        x[0] = p.eta1;
        if (b.space.points() > 1) x[1] = p.eta2;
        break;
      default:
        std::copy(p.a.data(), p.a.data() + 2, x);
    }
  }
  system.prepare(s);
  Eigen::VectorXd r(static_cast<Eigen::Index>(system.equations.size()));
  EXPECT_EQ(system.residual_view()->residual(s.t, s.x.data(), s.xd.data(), r.data()), Outcome::ok);
  return r;
}

struct Parabola {
  Eigen::RowVector2d G, K;  // dg/dq and d(G v + g_t)/dq
  Eigen::Vector2d f;
  double position, velocity;
  explicit Parabola(const Point& p)
      : G(2.0 * p.q[0], 1.0),
        K(2.0 * p.v[0], 0.0),
        f(-0.1 * p.v[0] * p.lambda * p.lambda, mass * gravity),
        position(p.q[1] + p.q[0] * p.q[0] - pull * p.t),
        velocity(G * p.v - pull) {}
  double acceleration(const Point& p, const Eigen::Vector2d& a) const {
    return G * a + 2.0 * p.v[0] * p.v[0];
  }
};

void expect_rows(const Eigen::VectorXd& got, const std::vector<double>& expected) {
  ASSERT_EQ(static_cast<std::size_t>(got.size()), expected.size());
  for (int i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[static_cast<std::size_t>(i)], 1e-13) << "row " << i;
}

TEST(FormulationRows, OfStabilisedIndex2AreThoseOfGearLeimkuhlerGupta) {
  const Point p;
  const Parabola e(p);
  const Eigen::Vector2d kinematics = p.q_rate - p.v + e.G.transpose() * p.eta1;
  const Eigen::Vector2d balance = mass * p.v_rate - e.f + e.G.transpose() * p.lambda;
  const std::vector<double> expected{kinematics[0], kinematics[1], balance[0],
                                     balance[1],    e.velocity,    e.position};
  expect_rows(rows_of(*lowered(parabola(), "ggl"), p), expected);
  // Without contact coordinates both overdetermined forms are the same system.
  expect_rows(rows_of(*lowered(parabola(), "overdetermined"), p), expected);
  expect_rows(rows_of(*lowered(parabola(), "overdetermined-plain"), p), expected);
}

TEST(FormulationRows, OfStabilisedIndex1HoldAllThreeLevels) {
  const Point p;
  const Parabola e(p);
  const Eigen::Vector2d kinematics =
      p.q_rate - p.v + e.G.transpose() * p.eta1 + e.K.transpose() * p.eta2;
  // M v' = f - G^T lambda - G^T eta2 with M a = f - G^T lambda.
  const Eigen::Vector2d rate = mass * (p.v_rate - p.a) + e.G.transpose() * p.eta2;
  const Eigen::Vector2d balance = mass * p.a - e.f + e.G.transpose() * p.lambda;
  const std::vector<double> expected{
      kinematics[0], kinematics[1], rate[0],    rate[1],   e.acceleration(p, p.a),
      e.position,    e.velocity,    balance[0], balance[1]};
  expect_rows(rows_of(*lowered(parabola(), "stabilised-index1"), p), expected);
  expect_rows(rows_of(*lowered(parabola(), "overdetermined", {{"level", 1.0}}), p), expected);
}

TEST(FormulationRows, OfBaumgarteCombineTheLevels) {
  const Point p;
  const Parabola e(p);
  const Eigen::Vector2d balance = mass * p.v_rate - e.f + e.G.transpose() * p.lambda;
  const auto row = [&](double alpha, double beta) {
    return e.acceleration(p, p.v_rate) + 2.0 * alpha * e.velocity + beta * e.position;
  };
  const auto system = lowered(parabola(), "baumgarte", {{"alpha", 3.0}});
  expect_rows(rows_of(*system, p), {p.q_rate[0] - p.v[0], p.q_rate[1] - p.v[1], balance[0],
                                    balance[1], row(3.0, 9.0)});  // the aperiodic limit
  EXPECT_TRUE(system->warnings.empty());
  expect_rows(
      rows_of(*lowered(parabola(), "baumgarte", {{"alpha", 3.0}, {"beta", 2.0}}), p).tail(1),
      {row(3.0, 2.0)});
  // Nobody knows the right parameter: a run with the standard one says so.
  EXPECT_EQ(lowered(parabola(), "baumgarte")->warnings.size(), 1u);
}

TEST(FormulationRows, OfRegularisedGiveLambdaARate) {
  const Point p;
  const Parabola e(p);
  const auto system = lowered(parabola(), "regularised", {{"epsilon", 0.01}});
  EXPECT_NEAR(rows_of(*system, p)[4], e.velocity - 0.01 * p.lambda_rate, 1e-14);
}

TEST(FormulationRows, OfLinearisedHoldVelocitiesByEtaAlone) {
  const Point p;
  const Parabola e(p);
  Point q = p;
  q.eta1 = p.eta2;  // the only eta there is
  const auto system = lowered(parabola(), "linearised");
  const Eigen::VectorXd r = rows_of(*system, q);
  const Eigen::Vector2d kinematics = p.q_rate - p.v + e.K.transpose() * p.eta2;
  const Eigen::Vector2d rate = mass * (p.v_rate - p.a) + e.G.transpose() * p.eta2;
  EXPECT_NEAR(r[0], kinematics[0], 1e-13);
  EXPECT_NEAR(r[2], rate[0], 1e-13);
  EXPECT_NEAR(r[3], rate[1], 1e-13);
  EXPECT_NEAR(r[4], e.acceleration(p, p.a), 1e-13);
  EXPECT_NEAR(r[5], e.velocity, 1e-13);
}

// With contact coordinates the plain coupling puts eta into the contact condition, the corrected
// one does not; there the derivative along h = 0 takes the place of the partial one.
TEST(FormulationRows, CouplingOfContactCoordinates) {
  const Point p;
  const double h = p.s + 0.3 * p.s * p.s * p.s - p.q[0], h_s = 1.0 + 0.9 * p.s * p.s;
  const double s_q = 1.0 / h_s;  // -h_q / h_s
  const Eigen::RowVector2d total(2.0 * p.s * s_q, 1.0), partial(0.0, 1.0);
  const Eigen::VectorXd corrected = rows_of(*lowered(contact(), "overdetermined"), p),
                        plain = rows_of(*lowered(contact(), "overdetermined-plain"), p);
  const Eigen::Vector2d of_total = p.q_rate - p.v + total.transpose() * p.eta1,
                        of_partial = p.q_rate - p.v + partial.transpose() * p.eta1;
  EXPECT_NEAR(corrected[0], of_total[0], 1e-13);
  EXPECT_NEAR(plain[0], of_partial[0], 1e-13);
  EXPECT_NEAR(corrected[1], of_total[1], 1e-13);
  EXPECT_NEAR(corrected[4], h, 1e-14);
  EXPECT_NEAR(plain[4], h + 2.0 * p.s * p.eta1, 1e-13);
  EXPECT_GT(std::abs(plain[0] - corrected[0]), 0.1);  // or nothing would have been tested
}

// d(G v)/dq along h = 0 for the velocity level, by differences of G v with s following.
TEST(FormulationRows, VelocityCouplingFollowsTheContactPoint) {
  const Point p;
  const auto follow = [](double q1) {
    double s = 0.5;
    for (int i = 0; i < 50; ++i) s -= (s + 0.3 * s * s * s - q1) / (1.0 + 0.9 * s * s);
    return s;
  };
  Point on = p;
  on.s = follow(p.q[0]);
  const auto level = [&](double q1) {
    const double s = follow(q1);
    return 2.0 * s / (1.0 + 0.9 * s * s) * p.v[0] + p.v[1];
  };
  const double K = (level(p.q[0] + 1e-5) - level(p.q[0] - 1e-5)) / 2e-5;
  const double G = 2.0 * on.s / (1.0 + 0.9 * on.s * on.s);
  const Eigen::VectorXd r = rows_of(*lowered(contact(), "overdetermined", {{"level", 1.0}}), on);
  EXPECT_NEAR(r[0], p.q_rate[0] - p.v[0] + G * p.eta1 + K * p.eta2, 1e-9);
}

// Exact where eta = 0, which is where Newton's method works.
TEST(FormulationJacobians, AgreeWithDifferencesWhereEtaVanishes) {
  for (const char* formulation : {"baumgarte", "ggl", "stabilised-index1", "overdetermined",
                                  "overdetermined-plain", "linearised", "regularised"})
    for (const Problem& problem : {Problem(parabola()), Problem(contact())}) {
      Options o{.formulation = formulation};
      const Check c = check(problem, 0.0, o);
      EXPECT_LT(c.jacobian_error, 1e-6)
          << formulation << " " << name_of(problem) << " " << c.worst_entry;
    }
}

SemiExplicitProblem circle() {
  return {.name = "circle",
          .f = autodiff([](const auto& t, const auto& y, const auto& z, auto& f) {
            f[0] = -y[1] + y[0] * z[0] + 0.1 * z[0] * z[0] + t;
            f[1] = y[0] + y[1] * z[0];
          }),
          .g = autodiff([](const auto& t, const auto& y, const auto&, auto& g) {
            g[0] = y[0] * y[0] + y[1] * y[1] - 1.0 - 0.2 * t;
          }),
          .hessenberg_blocks = {2},
          .y0 = Eigen::Vector2d(1.0, 0.0),
          .z0 = Eigen::VectorXd::Constant(1, 0.1)};
}

TEST(HessenbergForms, RowsAreThoseOfTheirEquations) {
  const double t = 0.4, y1 = 0.7, y2 = -0.3, z = 0.6, zeta = 0.25, r1 = 0.11, r2 = -0.2, rz = 0.9;
  const double f1 = -y2 + y1 * z + 0.1 * z * z + t, f2 = y1 + y2 * z;
  const double g = y1 * y1 + y2 * y2 - 1.0 - 0.2 * t, hidden = 2 * y1 * f1 + 2 * y2 * f2 - 0.2;
  const auto rows = [&](const char* formulation, std::map<std::string, double> options) {
    const auto system = lowered(circle(), formulation, std::move(options));
    State s;
    s.t = t;
    s.x.setZero(system->layout.points());
    s.xd.setZero(system->layout.tangents());
    s.x.head(3) << y1, y2, z;
    s.xd.head(3) << r1, r2, rz;
    if (s.x.size() > 3) s.x[3] = zeta;
    system->prepare(s);
    Eigen::VectorXd r(s.x.size());
    EXPECT_EQ(system->residual_view()->residual(t, s.x.data(), s.xd.data(), r.data()), Outcome::ok);
    return r;
  };
  expect_rows(rows("baumgarte", {{"alpha", 4.0}}), {r1 - f1, r2 - f2, hidden / 4.0 + g});
  expect_rows(rows("linearised", {}),
              {r1 - f1 + 2 * y1 * zeta, r2 - f2 + 2 * y2 * zeta, hidden, g});
  // g_y f_z = 2 (y1^2 + y2^2) + ... > 0 here: the sign is turned.
  expect_rows(rows("regularised", {{"epsilon", 0.01}}), {r1 - f1, r2 - f2, 0.01 * rz + g});
}

TEST(HessenbergForms, BaumgarteSaysThatNobodyChoseItsParameter) {
  EXPECT_EQ(lowered(circle(), "baumgarte")->warnings.size(), 1u);
  EXPECT_TRUE(lowered(circle(), "baumgarte", {{"alpha", 4.0}})->warnings.empty());
  // beta has no meaning here and is not ignored.
  EXPECT_THROW(lowered(circle(), "baumgarte", {{"alpha", 4.0}, {"beta", 1.0}}), InvalidArgument);
}

TEST(FormulationOptions, AreChecked) {
  const auto message = [](const Problem& p, Options o) {
    try {
      solve(p, {0.0, 0.1}, o);
    } catch (const InvalidArgument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  Options o{.method = "bdf", .formulation = "baumgarte"};
  o.formulation_options = {{"alpa", 1.0}};
  EXPECT_NE(message(parabola(), o).find("alpha"), std::string::npos) << message(parabola(), o);
  o.formulation_options = {{"alpha", -1.0}};
  EXPECT_NE(message(parabola(), o).find("alpha = -1"), std::string::npos) << message(parabola(), o);
  o.formulation = "ggl";
  EXPECT_NE(message(parabola(), o).find("'ggl' has no option"), std::string::npos);
  EXPECT_NE(message(circle(), {.method = "bdf", .formulation = "ggl"}).find("multibody"),
            std::string::npos);
  EXPECT_NE(message(parabola(), {.method = "rodas4", .formulation = "ggl"}).find("ggl"),
            std::string::npos);
  EXPECT_NE(message(circle(), {.method = "odassl"}).find("overdetermined"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
