// SPDX-License-Identifier: BSD-3-Clause
// Index reduction with Baumgarte's stabilisation, as Steinebach (1988), section 8.2, uses it: the
// constraints g of a multibody problem with constant diagonal mass matrix become
//   q' = v,  v' = M^-1 (f - G^T lambda),  0 = g'' + alpha g' + beta g,
// a semi-explicit system of index 1 with y = (q, v), z = lambda. With beta = (alpha/2)^2 an error
// of the constraints decays like t exp(-alpha t / 2); with alpha = beta = 0 it grows linearly.
#pragma once

#include <array>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {

inline constexpr int max_baumgarte_positions = 12, max_baumgarte_constraints = 4;

// The data of a reduction that do not depend on the callables. Throws std::logic_error when there
// are more positions or constraints, or when the mass matrix is not diagonal.
struct BaumgarteData {
  int n, m;
  std::array<double, max_baumgarte_positions> inverse_mass;
  double alpha, beta;
};
BaumgarteData baumgarte_data(const MultibodyProblem& p, double alpha, double beta);

// Names and start values of the reduced problem.
SemiExplicitProblem baumgarte_frame(const MultibodyProblem& p, const std::string& name);

// Model has force(t, q, v, f), constraint(t, q, g), constraint_jacobian(t, q, G),
// constraint_time_derivative(t, q, g_t) and acceleration_term(t, q, v, out) for every kind of
// number: the reduced equations are asked for numbers that slots of multibody problems lack.
template <class Model>
struct Baumgarte {
  Model model;
  BaumgarteData data;

  // G by columns, m rows, and M^-1 (f - G^T lambda).
  template <class S>
  void accelerations(const S& t, const S* y, const S* lambda, S* G, S* v_dot) const {
    const int n = data.n, m = data.m;
    const VectorView<S> q(y, n), v(y + n, n);
    VectorOut<S> f(v_dot, n);
    MatrixOutOf<S> matrix(G, m, n);
    model.force(t, q, v, f);
    model.constraint_jacobian(t, q, matrix);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) v_dot[j] = v_dot[j] - G[j * m + i] * lambda[i];
      v_dot[j] = v_dot[j] * data.inverse_mass[static_cast<std::size_t>(j)];
    }
  }

  template <class S>
  void rates(const S& t, const S* y, const S* lambda, S* out) const {
    std::array<S, max_baumgarte_positions * max_baumgarte_constraints> G;
    for (int j = 0; j < data.n; ++j) out[j] = y[data.n + j];
    accelerations(t, y, lambda, G.data(), out + data.n);
  }

  template <class S>
  void constraints(const S& t, const S* y, const S* lambda, S* out) const {
    const int n = data.n, m = data.m;
    std::array<S, max_baumgarte_positions * max_baumgarte_constraints> G;
    std::array<S, max_baumgarte_positions> v_dot;
    std::array<S, max_baumgarte_constraints> g, g_t;
    const VectorView<S> q(y, n), v(y + n, n);
    VectorOut<S> term(out, m), value(g.data(), m), in_time(g_t.data(), m);
    accelerations(t, y, lambda, G.data(), v_dot.data());
    model.acceleration_term(t, q, v, term);
    model.constraint(t, q, value);
    model.constraint_time_derivative(t, q, in_time);
    for (int i = 0; i < m; ++i) {
      const auto k = static_cast<std::size_t>(i);
      S rate = g_t[k];
      for (int j = 0; j < n; ++j) {
        const S& entry = G[static_cast<std::size_t>(j * m + i)];
        out[i] = out[i] + entry * v_dot[static_cast<std::size_t>(j)];
        rate = rate + entry * y[n + j];
      }
      out[i] = out[i] + data.alpha * rate + data.beta * g[k];
    }
  }
};

// `p` is the problem that `model` belongs to.
template <class Model>
SemiExplicitProblem baumgarte(const Model& model, const MultibodyProblem& p,
                              const std::string& name, double alpha, double beta) {
  const Baumgarte<Model> r{model, baumgarte_data(p, alpha, beta)};
  SemiExplicitProblem result = baumgarte_frame(p, name);
  result.f = autodiff([r](const auto& t, const auto& y, const auto& z, auto& f) {
    r.rates(t, y.data(), z.data(), f.data());
  });
  result.g = autodiff([r](const auto& t, const auto& y, const auto& z, auto& g) {
    r.constraints(t, y.data(), z.data(), g.data());
  });
  return result;
}

// The callables of a multibody problem from a model of this kind.
template <class Model>
void give_callables(const Model& model, MultibodyProblem& p) {
  p.force = autodiff(
      [model](const auto& t, const auto& q, const auto& v, auto& f) { model.force(t, q, v, f); });
  p.constraint =
      autodiff([model](const auto& t, const auto& q, auto& g) { model.constraint(t, q, g); });
  p.constraint_jacobian = autodiff(
      [model](const auto& t, const auto& q, auto& G) { model.constraint_jacobian(t, q, G); });
  p.constraint_time_derivative = autodiff([model](const auto& t, const auto& q, auto& g_t) {
    model.constraint_time_derivative(t, q, g_t);
  });
  p.acceleration_term = autodiff([model](const auto& t, const auto& q, const auto& v, auto& out) {
    model.acceleration_term(t, q, v, out);
  });
}

}  // namespace daedalus::problems
