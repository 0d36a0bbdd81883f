// SPDX-License-Identifier: BSD-3-Clause
// Second derivatives of constraints, by velocities, contact coordinates and time: exact Jacobians
// of multibody equations against quotients of fourth order, and where higher ones do not exist.
#include "derivatives/support.hpp"

namespace daedalus {
namespace {

using namespace derivatives_test;

// Contact conditions and constraints that depend on everything, time included. An odd number of
// velocities, so that the last column of G has a series of its own.
MultibodyProblem moving_contact() {
  MultibodyProblem p;
  p.name = "moving contact";
  p.space = euclidean(3);
  p.constraint_count = 2;
  p.contact_count = 2;
  p.force = autodiff([](const auto&, const auto& q, const auto& v, auto& f) {
    f[0] = -q[0] * v[1];
    f[1] = v[2] * v[2];
    f[2] = q[1] - 9.81;
  });
  p.contact = autodiff([](const auto& t, const auto& q, const auto& s, auto& h) {
    using std::sin;
    h[0] = s[0] + 0.2 * s[0] * s[0] * s[0] - q[0] * q[1] + t * t + 0.1 * s[1];
    h[1] = s[1] + sin(s[0]) - q[2] * q[0] * t;
  });
  p.constraint = autodiff([](const auto& t, const auto& q, const auto& s, auto& g) {
    using std::cos, std::exp;
    g[0] = q[0] * q[0] * q[2] + q[1] * s[0] + cos(t) * s[1] - q[2];
    g[1] = q[1] * q[2] + s[0] * s[1] * t + exp(0.1 * q[0]);
  });
  p.q0 = vec({0.7, -0.4, 0.9});
  p.v0 = vec({0.3, 1.2, -0.8});
  p.s0 = vec({0.5, -0.3});
  p.lambda0 = vec({1.5, -2.0});
  return p;
}

// A point of a body on a curve that moves: six velocities and the time.
MultibodyProblem moving_body() {
  MultibodyProblem p;
  p.name = "moving body";
  p.space = se3_space();
  p.constraint_count = 2;
  p.force = autodiff([](const auto&, const auto& q, const auto& v, auto& f) {
    for (int i = 0; i < 6; ++i) f[i] = q[i] * v[5 - i];
  });
  p.constraint = autodiff([](const auto& t, const auto& q, auto& g) {
    using std::cos, std::sin;
    g[0] = q[0] * q[3] + q[4] * cos(t) - q[1] * q[2] * q[11];
    g[1] = q[2] * q[2] + q[7] * q[5] * q[0] + sin(t * q[1]);
  });
  VectorXd q(12);
  q << 0.3, -0.2, 0.6, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0;
  p.q0 = q;
  p.v0 = vec({0.1, -0.4, 0.3, 0.5, 0.2, -0.6});
  p.lambda0 = vec({0.8, -1.1});
  return p;
}

template <class F>
VectorXd quotient(F&& f) {
  constexpr double h = 1e-3;
  return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
}

void expect_exact(const MultibodyProblem& p, const std::string& formulation, View view) {
  const Lowered l{p.name, std::make_shared<const Problem>(p), formulation, view};
  const auto system = lowered(l);
  State at = nearby(*system, l);
  at.t = 0.7;
  system->prepare(at);
  const MatrixXd J = matrices(*system, at).J;
  const int n = system->layout.tangents();
  VectorXd x(at.x.size()), r(n);
  const auto moved = [&](int column, double e) {
    VectorXd w = VectorXd::Zero(n);
    double t = at.t;
    (column < n ? w[column] : t) += e;
    system->layout.plus(at.x.data(), w.data(), x.data());
    const Outcome o = view == View::linear
                          ? system->linear_view()->rhs(t, x.data(), r.data())
                          : system->residual_view()->residual(t, x.data(), at.xd.data(), r.data());
    EXPECT_EQ(o, Outcome::ok);
    return VectorXd(r);
  };
  for (int j = 0; j < n; ++j)
    EXPECT_LT((J.col(j) - quotient([&](double e) { return moved(j, e); })).cwiseAbs().maxCoeff(),
              1e-9)
        << p.name << " " << formulation << " by " << system->layout.name(j);
  if (view == View::linear) {
    const VectorXd by_time = quotient([&](double e) { return moved(n, e); });
    EXPECT_LT((system->linear_view()->time_derivative() - by_time).cwiseAbs().maxCoeff(), 1e-9)
        << p.name << " by time";
  }
}

TEST(SecondDerivatives, OfConstraintsAlongMovingContact) {
  expect_exact(moving_contact(), "index1", View::linear);
  expect_exact(moving_contact(), "index2", View::residual);
  expect_exact(moving_contact(), "index3", View::residual);
}

TEST(SecondDerivatives, OfConstraintsOnAGroup) {
  expect_exact(moving_body(), "index1", View::residual);
  expect_exact(moving_body(), "index2", View::residual);
}

// y^2.5 at y = 0 has two derivatives and no third one. y is the first of two columns that share a
// series, whose second coefficient holds a third derivative.
TEST(SecondDerivatives, NeedNoThirdOnes) {
  MultibodyProblem p;
  p.name = "flat";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.force = autodiff([](const auto&, const auto&, const auto&, auto& f) { f[0] = f[1] = 0.0; });
  p.constraint = autodiff([](const auto&, const auto& q, auto& g) {
    using std::pow;
    g[0] = pow(q[0], 2.5) + q[0] * q[1] + q[1];
  });
  p.q0 = vec({0.0, 0.0});
  p.v0 = vec({1.0, 0.0});
  p.lambda0 = vec({2.0});
  const Lowered l{p.name, std::make_shared<const Problem>(p), "index2", View::residual};
  const auto system = lowered(l);
  const State at = model_start(*system, *l.problem, 0.0);
  system->prepare(at);
  const MatrixXd J = matrices(*system, at).J;
  ASSERT_TRUE(J.allFinite());
  // M v' - f + G^T lambda with G = (2.5 y^1.5 + x, y + 1), and G v, by y and x.
  EXPECT_EQ(J.block(2, 0, 2, 2), (MatrixXd(2, 2) << 0.0, 2.0, 2.0, 0.0).finished());
  EXPECT_EQ(J.block(4, 0, 1, 2), (MatrixXd(1, 2) << 0.0, 1.0).finished());
}

}  // namespace
}  // namespace daedalus
