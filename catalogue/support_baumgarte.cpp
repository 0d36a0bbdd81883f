// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_baumgarte.hpp>

#include <stdexcept>

#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace {

constexpr int max_positions = 12, max_constraints = 4;

struct Reduced {
  MultibodyProblem p;
  int n, m;
  std::array<double, max_positions> inverse_mass;
  double alpha, beta;

  template <class S>
  Arguments<S> arguments(const S& t, const S* y) const {
    Arguments<S> a;
    a.t = t;
    a.x[0] = y;
    a.n[0] = n;
    a.x[1] = y + n;
    a.n[1] = n;
    return a;
  }

  // G by columns, m rows, and M^-1 (f - G^T lambda).
  template <class S>
  Eval accelerations(const Arguments<S>& a, const S* lambda, S* G, S* v_dot) const {
    if (p.force(a, v_dot, n) != Eval::ok) return Eval::reject;
    if (p.constraint_jacobian(a, G, m, n) != Eval::ok) return Eval::reject;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) v_dot[j] = v_dot[j] - G[j * m + i] * lambda[i];
      v_dot[j] = v_dot[j] * inverse_mass[static_cast<std::size_t>(j)];
    }
    return Eval::ok;
  }

  template <class S>
  Eval rates(const S& t, const S* y, const S* lambda, S* out) const {
    std::array<S, max_positions * max_constraints> G;
    for (int j = 0; j < n; ++j) out[j] = y[n + j];
    return accelerations(arguments(t, y), lambda, G.data(), out + n);
  }

  template <class S>
  Eval constraints(const S& t, const S* y, const S* lambda, S* out) const {
    std::array<S, max_positions * max_constraints> G;
    std::array<S, max_positions> v_dot;
    std::array<S, max_constraints> g, g_t;
    const Arguments<S> a = arguments(t, y);
    if (accelerations(a, lambda, G.data(), v_dot.data()) != Eval::ok) return Eval::reject;
    if (p.acceleration_term(a, out, m) != Eval::ok) return Eval::reject;
    if (p.constraint(a, g.data(), m) != Eval::ok) return Eval::reject;
    if (p.constraint_time_derivative(a, g_t.data(), m) != Eval::ok) return Eval::reject;
    for (int i = 0; i < m; ++i) {
      const auto k = static_cast<std::size_t>(i);
      S rate = g_t[k];
      for (int j = 0; j < n; ++j) {
        out[i] =
            out[i] + G[static_cast<std::size_t>(j * m + i)] * v_dot[static_cast<std::size_t>(j)];
        rate = rate + G[static_cast<std::size_t>(j * m + i)] * y[n + j];
      }
      out[i] = out[i] + alpha * rate + beta * g[k];
    }
    return Eval::ok;
  }
};

Reduced reduce(const MultibodyProblem& p, double alpha, double beta) {
  const int n = static_cast<int>(p.q0.size());
  if (n > max_positions || p.constraint_count > max_constraints)
    throw std::logic_error("baumgarte: too many positions or constraints");
  Reduced r{p, n, p.constraint_count, {}, alpha, beta};
  Eigen::MatrixXd M(n, n);
  if (p.mass(r.arguments(0.0, p.q0.data()), M.data(), n, n) != Eval::ok || !M.isDiagonal(0.0))
    throw std::logic_error("baumgarte: the mass matrix must be diagonal");
  for (int j = 0; j < n; ++j) r.inverse_mass[static_cast<std::size_t>(j)] = 1.0 / M(j, j);
  return r;
}

}  // namespace

SemiExplicitProblem baumgarte(const MultibodyProblem& p, const std::string& name, double alpha,
                              double beta) {
  const Reduced r = reduce(p, alpha, beta);
  SemiExplicitProblem result;
  result.name = name;
  result.f = autodiff([r](const auto& t, const auto& y, const auto& z, auto& f) {
    return r.rates(t, y.data(), z.data(), f.data());
  });
  result.g = autodiff([r](const auto& t, const auto& y, const auto& z, auto& g) {
    return r.constraints(t, y.data(), z.data(), g.data());
  });
  result.y0.resize(2 * r.n);
  result.y0 << p.q0, p.v0;
  result.z0 = p.lambda0;
  result.y_names = joined({p.q_names, p.v_names});
  result.z_names = p.lambda_names;
  result.equations = joined({prefixed("rate of ", result.y_names),
                             prefixed("stabilised constraint ", numbered("", r.m))});
  return result;
}

}  // namespace daedalus::problems
