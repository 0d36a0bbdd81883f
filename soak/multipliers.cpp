// SPDX-License-Identifier: BSD-3-Clause
// M v' = f - G^T lambda, 0 = gamma(q) - gamma(q*(t)), with chosen q* and lambda*:
//   f = M q*'' + G(q)^T lambda* - D (v - v*) - K (q - q*) - c (q^3 - q*^3).
// Multipliers are known at every time, between the steps as well, which energies do not tell.
#include <cmath>
#include <memory>

#include "linalg/decompositions.hpp"
#include "soak/case.hpp"
#include "soak/signal.hpp"

namespace daedalus::soak {
namespace {

struct DrivenBody {
  Eigen::MatrixXd mass, G, w;
  Eigen::VectorXd damping, stiffness, cubic;
  double curvature = 0.0;
  Signals q, v, a, lambda;  // the solution and its derivatives

  int count() const { return static_cast<int>(q.size()); }
  int rows() const { return static_cast<int>(lambda.size()); }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  template <class S, class Q>
  S constraint(int k, const Q& x) const {
    S sum = 0.0;
    for (int j = 0; j < count(); ++j)
      sum += G(k, j) * x[j] + 0.5 * curvature * w(k, j) * x[j] * x[j];
    return sum;
  }
  template <class T, class Q, class V, class F>
  void force(const T& t, const Q& x, const V& u, F& f) const {
    using S = std::decay_t<decltype(f[0])>;
    for (int i = 0; i < count(); ++i) {
      const S qs = S(q[at(i)].value(t)), vs = S(v[at(i)].value(t));
      S sum = -damping[i] * (u[i] - vs) - stiffness[i] * (x[i] - qs) -
              cubic[i] * (x[i] * x[i] * x[i] - qs * qs * qs);
      for (int j = 0; j < count(); ++j)
        if (mass(i, j) != 0.0) sum += mass(i, j) * S(a[at(j)].value(t));
      for (int k = 0; k < rows(); ++k)
        sum += (G(k, i) + curvature * w(k, i) * x[i]) * S(lambda[at(k)].value(t));
      f[i] = sum;
    }
  }
  double regularity(double t) const {
    const Eigen::MatrixXd gradient = G + curvature * w * values_of(q, t).asDiagonal();
    return singular_values(gradient).minCoeff();
  }
};

// An error of v changes lambda by so much times the damping: as little as errors may be amplified.
constexpr double max_damping = 30.0;

std::shared_ptr<DrivenBody> draw_body(Random& random) {
  auto body = std::make_shared<DrivenBody>();
  const int rows = random.integer(1, 2), n = rows + random.integer(1, 4);
  const Eigen::VectorXd masses = random.vector(n, 0.5, 2.0);
  body->mass = masses.asDiagonal();
  if (random.chance(0.5)) {
    const Eigen::MatrixXd turn = random.orthogonal(n);
    body->mass = turn * masses.asDiagonal() * turn.transpose();
  }
  body->G = random.orthogonal(n).topRows(rows);
  body->w = random.matrix(rows, n, -1.0, 1.0);
  body->curvature = random.chance(0.3) ? 0.0 : random.log_uniform(0.1, 1.0);
  body->damping = random.vector(n, 0.0, random.chance(0.25) ? max_damping : 3.0);
  body->stiffness = random.vector(n, 0.0, 10.0);
  body->cubic = random.vector(n, 0.0, 1.0);
  body->q = draw_signals(random, n, {.max_frequency = 4.0});
  body->lambda = draw_signals(random, rows, {.max_frequency = 4.0});
  for (const Signal& s : body->q) {
    body->v.push_back(s.derivative());
    body->a.push_back(body->v.back().derivative());
  }
  return body;
}

MultibodyProblem problem_of(const std::shared_ptr<const DrivenBody>& body, double t0) {
  MultibodyProblem p{.name = "driven body"};
  p.space = euclidean(body->count());
  p.constraint_count = body->rows();
  p.mass_matrix = body->mass.sparseView();
  p.force =
      autodiff([body](auto t, const auto& q, const auto& v, auto& f) { body->force(t, q, v, f); });
  p.constraint = autodiff([body](auto t, const auto& x, auto& g) {
    using S = std::decay_t<decltype(g[0])>;
    Eigen::Matrix<S, Eigen::Dynamic, 1> there(body->count());
    for (int i = 0; i < body->count(); ++i) there[i] = S(body->q[DrivenBody::at(i)].value(t));
    for (int k = 0; k < body->rows(); ++k)
      g[k] = body->template constraint<S>(k, x) - body->template constraint<S>(k, there);
  });
  p.q0 = values_of(body->q, t0);
  p.v0 = values_of(body->v, t0);
  return p;
}

}  // namespace

Case draw_multipliers(Random& random) {
  constexpr double min_regularity = 0.3;  // of G along the solution
  for (;;) {
    Case c;
    c.index = 3;
    c.t1 = random.uniform(0.5, 3.0);
    const std::shared_ptr<const DrivenBody> body = draw_body(random);
    double regular = 1.0;
    for (int k = 0; k <= 40; ++k)
      regular = std::min(regular, body->regularity(c.t0 + (c.t1 - c.t0) * k / 40.0));
    if (regular < min_regularity) continue;
    c.problem = problem_of(body, c.t0);
    c.solution = [body](double t) {
      const int n = body->count(), m = body->rows();
      Eigen::VectorXd x(2 * n + m);
      x << values_of(body->q, t), values_of(body->v, t), values_of(body->lambda, t);
      return x;
    };
    c.between_steps = random.chance(0.5);
    c.description = std::to_string(body->count()) + " coordinates, " +
                    std::to_string(body->rows()) + " constraints, curvature " +
                    std::to_string(body->curvature) + ", damping to " +
                    std::to_string(body->damping.maxCoeff());
    return c;
  }
}

}  // namespace daedalus::soak
