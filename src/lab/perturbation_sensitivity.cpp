// SPDX-License-Identifier: BSD-3-Clause
// mu = max |f_zz| and nu = max |f_yz| along a trajectory: f is recorded at each point, and the
// derivatives of f as series along z_k + tau have one column of second derivatives at order one.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <daedalus/perturbation.hpp>

#include "formulation/parameters.hpp"
#include "function/recording.hpp"
#include "graph/series.hpp"

namespace daedalus {
namespace {

constexpr std::size_t max_points = 40;  // of the solution, spread over it
// Relative; what exact derivatives and differences leave of a zero.
constexpr double negligible = 1e-12, negligible_difference = 1e-5;

// f(w) at a point: w = (z, y); the first `algebraic` entries are z.
struct ForceFunction {
  int rows = 0, algebraic = 0, other = 0;
  bool differentiable = false;
  std::function<Eval(double t, const std::vector<double>& w, const StateView&, double* f)> value{};
  std::function<Eval(double t, const std::vector<Recorded>& w, const StateView&, Recorded* f)>
      recorded{};
};

template <class S>
std::vector<S> lifted(const In& values) {
  std::vector<S> out;
  for (const double x : values) out.emplace_back(S(x));
  return out;
}
template <class S>
Eval call(const SemiExplicitProblem& p, const ParameterSet& parameters, double t,
          const std::vector<S>& w, S* f) {
  const auto ny = static_cast<int>(p.y0.size()), nz = static_cast<int>(p.z0.size());
  return p.f(state_arguments<S>(parameters, S(t), w.data() + nz, ny, w.data(), nz), f, ny);
}

template <class S>
Eval call(const MultibodyProblem& p, const ParameterSet& parameters, double t,
          const std::vector<S>& w, const StateView& state, S* f) {
  const std::vector<S> q = lifted<S>(state.q()), c = lifted<S>(state.c()), s = lifted<S>(state.s());
  Arguments<S> a;
  a.t = S(t);
  const int n = p.multipliers(), nv = p.velocities();
  a.x = {q.data(), w.data() + n, w.data(), c.data(), s.data()};
  a.n = {static_cast<int>(q.size()), nv, n, static_cast<int>(c.size()), static_cast<int>(s.size())};
  parameters.apply(a);
  return p.force(a, f, nv);
}

struct Norms {
  double mu = 0.0, nu = 0.0;
  Eigen::MatrixXd f_z;
  bool good = false;
};

Norms exact_norms(const ForceFunction& f, double t, const std::vector<double>& w,
                  const StateView& state) {
  Norms n;
  n.f_z.setZero(f.rows, f.algebraic);
  const int count = static_cast<int>(w.size());
  Recording recording;
  std::vector<Recorded> x, out(static_cast<std::size_t>(f.rows));
  for (const double value : w) x.push_back(recording.input(value));
  if (f.recorded(t, x, state, out.data()) != Eval::ok) return n;
  std::vector<Expr> rows;
  for (const Recorded& r : out) rows.push_back(recording.expr(r));
  graph::Series series(recording.graph(), rows, 1);
  double mu = 0.0, nu = 0.0;
  // Derivatives along the coordinate k: of order 0 the first, of order 1 the second ones.
  for (int k = 0; k < f.algebraic; ++k) {
    for (int i = 0; i < count; ++i)
      series.set(recording.expr(x[static_cast<std::size_t>(i)]),
                 std::array{w[static_cast<std::size_t>(i)], i == k ? 1.0 : 0.0});
    series.evaluate(1);
    for (int r = 0; r < f.rows; ++r)
      series.derivatives(rows[static_cast<std::size_t>(r)], 1,
                         [&](int node, int order, double value) {
                           const int i = recording.graph().number(node);
                           if (order == 0 && i == k) n.f_z(r, k) = value;
                           if (order == 1) (i < f.algebraic ? mu : nu) += value * value;
                         });
  }
  n.mu = std::sqrt(mu);
  n.nu = std::sqrt(nu);
  n.good = n.f_z.allFinite() && std::isfinite(mu) && std::isfinite(nu);
  return n;
}

// Second differences, increments of the fourth root of the round-off.
Norms difference_norms(const ForceFunction& f, double t, const std::vector<double>& w,
                       const StateView& state) {
  Norms n;
  n.f_z.setZero(f.rows, f.algebraic);
  double mu = 0.0, nu = 0.0;
  Eigen::VectorXd pp(f.rows), pm(f.rows), mp(f.rows), mm(f.rows);
  const auto step = [&](int i) {
    return 1e-4 * std::max(1.0, std::abs(w[static_cast<std::size_t>(i)]));
  };
  const auto at = [&](int k, double a, int i, double b, Eigen::VectorXd& out) {
    std::vector<double> x = w;
    x[static_cast<std::size_t>(k)] += a;
    x[static_cast<std::size_t>(i)] += b;
    return f.value(t, x, state, out.data()) == Eval::ok;
  };
  for (int k = 0; k < f.algebraic; ++k)
    for (int i = 0; i < static_cast<int>(w.size()); ++i) {
      const double a = step(k), b = step(i);
      if (!at(k, a, i, b, pp) || !at(k, a, i, -b, pm) || !at(k, -a, i, b, mp) ||
          !at(k, -a, i, -b, mm))
        return n;
      const double second = ((pp - pm - mp + mm) / (4.0 * a * b)).squaredNorm();
      (i < f.algebraic ? mu : nu) += second;
      if (i == k) n.f_z.col(k) = (pp - mm) / (4.0 * a);
    }
  n.mu = std::sqrt(mu);
  n.nu = std::sqrt(nu);
  n.good = n.f_z.allFinite() && std::isfinite(mu) && std::isfinite(nu);
  return n;
}

PerturbationSensitivity along(const ForceFunction& f, const Solution& trajectory,
                              VariableClass algebraic, VariableClass other) {
  PerturbationSensitivity s;
  s.algebraic_count = f.algebraic;
  s.exact = f.differentiable;
  s.linear = s.constant = true;
  const std::size_t count = trajectory.times().size();
  if (count == 0) {
    s.reason = "no trajectory";
    return s;
  }
  Eigen::MatrixXd first;
  double turn = 0.0, size = 0.0;
  int points = 0;
  const std::size_t used = std::min(count, max_points);
  for (std::size_t i = 0; i < used; ++i) {
    const ModelState state = trajectory.state(used > 1 ? i * (count - 1) / (used - 1) : 0);
    std::vector<double> w;
    for (const VariableClass cls : {algebraic, other})
      for (const Variables::Range& range : state.variables().ranges)
        if (range.cls == cls)
          for (int k = 0; k < range.count; ++k) w.push_back(state.y()[range.first + k]);
    if (static_cast<int>(w.size()) != f.algebraic + f.other) continue;
    const Norms n = f.differentiable ? exact_norms(f, state.t(), w, state.view())
                                     : difference_norms(f, state.t(), w, state.view());
    if (!n.good) continue;
    if (points++ == 0) first = n.f_z;
    s.mu = std::max(s.mu, n.mu);
    s.nu = std::max(s.nu, n.nu);
    turn = std::max(turn, (n.f_z - first).norm());
    size = std::max(size, n.f_z.norm());
  }
  if (points == 0) {
    s.reason = "f could not be differentiated at any point of the trajectory";
    return s;
  }
  const double small = (s.exact ? negligible : negligible_difference) * std::max(size, 1.0);
  s.linear = s.mu <= small;
  if (s.linear) s.mu = 0.0;
  if (s.nu <= small) s.nu = 0.0;
  s.constant = s.linear && s.nu == 0.0 && turn <= small;
  return s;
}

}  // namespace

PerturbationSensitivity analyse_sensitivity(const Problem& problem, const Solution& trajectory) {
  ForceFunction f;
  if (const auto* p = std::get_if<SemiExplicitProblem>(&problem); p && p->z0.size() > 0) {
    const auto modes = std::make_shared<const std::vector<double>>(p->modes);
    const ParameterSet parameters(p->parameters, modes);
    f.rows = f.other = static_cast<int>(p->y0.size());
    f.algebraic = static_cast<int>(p->z0.size());
    f.differentiable = p->f.differentiable();
    f.value = [&](double t, const std::vector<double>& w, const StateView&, double* out) {
      return call<double>(*p, parameters, t, w, out);
    };
    f.recorded = [&](double t, const std::vector<Recorded>& w, const StateView&, Recorded* out) {
      return call<Recorded>(*p, parameters, t, w, out);
    };
    return along(f, trajectory, VariableClass::z, VariableClass::y);
  }
  if (const auto* p = std::get_if<MultibodyProblem>(&problem); p && p->multipliers() > 0) {
    const auto modes = std::make_shared<const std::vector<double>>(p->modes);
    const ParameterSet parameters(p->parameters, modes);
    f.rows = f.other = p->velocities();
    f.algebraic = p->multipliers();
    f.differentiable = p->force.differentiable();
    f.value = [&](double t, const std::vector<double>& w, const StateView& s, double* out) {
      return call<double>(*p, parameters, t, w, s, out);
    };
    f.recorded = [&](double t, const std::vector<Recorded>& w, const StateView& s, Recorded* out) {
      return call<Recorded>(*p, parameters, t, w, s, out);
    };
    return along(f, trajectory, VariableClass::lambda, VariableClass::v);
  }
  PerturbationSensitivity none;
  none.reason = "the problem does not say which variables are algebraic";
  return none;
}

}  // namespace daedalus
