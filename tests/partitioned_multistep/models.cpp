// SPDX-License-Identifier: BSD-3-Clause
#include "partitioned_multistep/models.hpp"

#include <cmath>

#include <catalogue/index2.hpp>
#include <daedalus/autodiff.hpp>

#include "lab/plmsm_quadruple.hpp"

namespace daedalus::partitioned_multistep_test {
namespace {

struct Motion {
  double x, y, v1, v2, a1, a2, s, lambda;
};

Motion motion(double t) {
  Motion m{};
  const double sine = std::sin(t), cosine = std::cos(t);
  m.x = sine;
  m.s = 0.7 * sine;
  for (int i = 0; i < 50; ++i) m.s -= (m.s * m.s * m.s + m.s - m.x) / (3.0 * m.s * m.s + 1.0);
  const double slope = 3.0 * m.s * m.s + 1.0, ds = cosine / slope;
  const double dds = (-sine - 6.0 * m.s * ds * ds) / slope;
  m.y = 0.3 * sine * sine + 0.1 * std::sin(2.0 * t) + 0.2 * m.s;
  m.v2 = 0.3 * std::sin(2.0 * t) + 0.2 * std::cos(2.0 * t) + 0.2 * ds;
  m.a2 = 0.6 * std::cos(2.0 * t) - 0.4 * std::sin(2.0 * t) + 0.2 * dds;
  const double T = 1.0 + 0.2 * sine * sine;
  m.v1 = cosine / T;
  m.a1 = (-sine * T - 0.4 * sine * cosine * cosine) / (T * T);
  m.lambda = 1.0 + 0.5 * cosine;
  return m;
}

// G = g_q T with the share of the contact coordinate in g_q.
double direction(double x, double s) {
  return -(0.6 * x + 0.2 / (3.0 * s * s + 1.0)) * (1.0 + 0.2 * x * x);
}

}  // namespace

Eigen::VectorXd exact_everything(double t) {
  const Motion m = motion(t);
  Eigen::VectorXd x(7);
  x << m.x, m.y, m.v1, m.v2, std::sin(t), m.s, m.lambda;
  return x;
}

MultibodyProblem everything() {
  MultibodyProblem p;
  p.name = "everything";
  p.space = euclidean(2);
  p.velocity_count = 2;
  p.constraint_count = 1;
  p.dynamic_count = 1;
  p.contact_count = 1;
  p.kinematics = autodiff([](const auto&, const auto& q, auto& T) {
    T(0, 0) = 1.0 + 0.2 * q[0] * q[0];
    T(1, 1) = 1.0;
    T(0, 1) = T(1, 0) = 0.0;
  });
  p.mass = autodiff([](const auto&, const auto& q, auto& M) {
    M(0, 0) = 2.0 + q[0];
    M(1, 1) = 1.0;
    M(0, 1) = M(1, 0) = 0.0;
  });
  p.force = [](const auto& at, Out f) {
    const Motion m = motion(at.t);
    const double off = at.lambda[0] - m.lambda;
    f[0] = (2.0 + m.x) * m.a1 + direction(m.x, m.s) * m.lambda + 0.5 * (at.c[0] - m.x) -
           0.3 * (at.v[0] - m.v1) + 0.4 * (at.q[1] - m.y) + 0.2 * off + 0.1 * off * off;
    f[1] = m.a2 + m.lambda - 0.5 * (at.v[1] - m.v2) * at.v[0] + 0.3 * off;
  };
  p.constraint = autodiff([](const auto& t, const auto& q, const auto& s, auto& g) {
    using std::sin;
    g[0] = q[1] - 0.3 * q[0] * q[0] - 0.1 * sin(2.0 * t) - 0.2 * s[0];
  });
  p.contact = autodiff([](const auto&, const auto& q, const auto& s, auto& h) {
    h[0] = s[0] * s[0] * s[0] + s[0] - q[0];
  });
  p.dynamics = autodiff([](const auto& at, auto& d) {
    using std::cos, std::sin;
    d[0] = sin(at.t) + cos(at.t) - at.c[0] + 0.2 * (at.q[0] - sin(at.t));
  });
  const Eigen::VectorXd start = exact_everything(0.0);
  p.q0 = start.head(2);
  p.v0 = start.segment(2, 2);
  p.c0 = start.segment(4, 1);
  p.s0 = start.segment(5, 1);
  p.lambda0 = start.tail(1);
  return p;
}

namespace {
template <class S>
Slopes slopes(plmsm::StudyMethod method, int k, int correctors) {
  const plmsm::HessenbergModel<S, problems::index2::Third> model;
  plmsm::StudySetting setting{.method = method, .k = k, .correctors = correctors, .steps = 80};
  const auto coarse = plmsm::study<S>(model, setting);
  setting.steps = 160;
  const auto fine = plmsm::study<S>(model, setting);
  const auto ratio = [](const S& a, const S& b) { return std::log2(static_cast<double>(a / b)); };
  return {ratio(coarse.max_y(), fine.max_y()), ratio(coarse.max_w(), fine.max_w())};
}
}  // namespace

Slopes study_slopes(plmsm::StudyMethod method, int k, int correctors) {
  return slopes<long double>(method, k, correctors);
}
Slopes quadruple_slopes(plmsm::StudyMethod method, int k) {
  return slopes<plmsm::Quadruple>(method, k, 2);
}

}  // namespace daedalus::partitioned_multistep_test
