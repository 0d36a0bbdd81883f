// SPDX-License-Identifier: BSD-3-Clause
// One attempted step of a half-explicit Runge-Kutta method on
//   q' = v,  M(t, q) v' = f(t, q, v) - G^T lambda,  0 = G(t, q) v + g_t,
// as formulas, with the library's tables (kernel/herk_table.hpp). Each step ends with one Newton
// step of the projection to both constraints and with v' and lambda from the constraint on
// accelerations.
#include <algorithm>
#include <cmath>

#include <daedalus/method.hpp>
#include <daedalus/types.hpp>

#include "ensemble/lanes/elimination.hpp"
#include "ensemble/lanes/kernel.hpp"
#include "kernel/at.hpp"
#include "kernel/herk_table.hpp"

namespace daedalus::lanes {
namespace {

using graph::InputKind;
using Exprs = std::vector<Expr>;

// What one Newton step may leave of a constraint, in tolerances: more is a step that went wrong.
constexpr double max_projection = 10.0;

class HalfExplicitBuilder {
 public:
  HalfExplicitBuilder(const Formulas& m, const Settings& settings)
      : settings_(settings),
        n_(m.n),
        c_(m.constraints),
        method_(*find_method(settings.method)),
        numbers_(*static_cast<const HerkTable*>(method_.table)),
        motion_(*m.graph, joined(m.mass, m.f)),
        level_(*m.graph, joined(m.g, joined(m.g_q, m.g_t))),
        curvature_(*m.graph, m.curvature),
        guards_(*m.graph, m.guards),
        stops_(*m.graph, m.stops) {
    for (int i = 0; i < numbers_.stages; ++i)
      if (weight(i) != 0.0 || embedded(i) != 0.0) stages_ = i + 1;
  }

  Kernel run(const std::vector<Sample>& samples) {
    choose_order(samples);
    Kernel k;
    k.given = 2 * n_;
    k.variables = 2 * n_ + c_;
    k.state = 3 * n_ + c_ + stop_numbers(settings_);
    k.order = method_.order;
    const auto parameters = static_cast<int>(samples.front().parameters.size());
    {
      graph::Graph graph;
      const Exprs results = attempt(graph);
      k.attempt = compile(graph, results, place_state + k.state, parameters, true);
    }
    graph::Graph graph;
    k.start = compile(graph, start(graph), start_given + k.given, parameters, false);
    return k;
  }

 private:
  static Exprs joined(Exprs a, const Exprs& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  static Exprs part(const Exprs& x, int first, int count) {
    return {x.begin() + first, x.begin() + first + count};
  }
  static Exprs inputs(graph::Graph& graph, int count) {
    Exprs x;
    for (int i = 0; i < count; ++i) x.push_back(graph.input(InputKind::state, i));
    return x;
  }
  double weight(int j) const { return j < numbers_.weights ? numbers_.b[at(j)] : 0.0; }
  double embedded(int j) const { return numbers_.embedded[at(j)] - weight(j); }

  struct Motion {
    Exprs mass, force;
  };
  Motion motion(graph::Graph& graph, const Expr& t, const Exprs& q, const Exprs& v,
                Exprs& conditions) const {
    const Exprs all = motion_(graph, t, joined(q, v)), held = guards_(graph, t, joined(q, v));
    conditions.insert(conditions.end(), held.begin(), held.end());
    return {part(all, 0, n_ * n_), part(all, n_ * n_, n_)};
  }
  struct Level {
    Exprs g, g_q, g_t;
  };
  Level level(graph::Graph& graph, const Expr& t, const Exprs& q) const {
    const Exprs all = level_(graph, t, joined(q, Exprs(at(n_))));
    return {part(all, 0, c_), part(all, c_, c_ * n_), part(all, c_ + c_ * n_, c_)};
  }
  // [M G^T; H 0]
  Exprs saddle(const Exprs& mass, const Exprs& g_q, const Exprs& h_q) const {
    const int all = n_ + c_;
    Exprs e(at(all * all));
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) e[at(i * all + j)] = mass[at(i * n_ + j)];
    for (int i = 0; i < c_; ++i)
      for (int j = 0; j < n_; ++j) {
        e[at(j * all + n_ + i)] = g_q[at(i * n_ + j)];
        e[at((n_ + i) * all + j)] = h_q[at(i * n_ + j)];
      }
    return e;
  }
  Exprs times(const Exprs& g_q, const Exprs& v) const {
    Exprs r(at(c_));
    for (int i = 0; i < c_; ++i)
      for (int j = 0; j < n_; ++j) r[at(i)] += g_q[at(i * n_ + j)] * v[at(j)];
    return r;
  }

  void choose_order(const std::vector<Sample>& samples) {
    std::vector<std::vector<double>> values;
    std::vector<char> pattern;
    for (const Sample& s : samples) {
      graph::Graph graph;
      const Exprs x = inputs(graph, 2 * n_ + 1), q = part(x, 1, n_), v = part(x, n_ + 1, n_);
      Exprs unused;
      const Level l = level(graph, x[0], q);
      const Exprs e = saddle(motion(graph, x[0], q, v, unused).mass, l.g_q, l.g_q);
      std::vector<double> in{s.t};
      in.insert(in.end(), s.state.begin(), s.state.end());
      const std::vector<double> here = evaluate(graph, e, in, s.parameters);
      if (std::all_of(here.begin(), here.end(), [](double a) { return std::isfinite(a); }))
        values.push_back(here);
      pattern.clear();
      for (const Expr& entry : e) pattern.push_back(!entry.is_number(0.0));
    }
    const auto order = values.empty() ? std::nullopt : choose_pivots(n_ + c_, pattern, values);
    if (!order) throw InvalidArgument("the matrix [M G^T; G 0] is singular at the start values");
    order_ = *order;
  }

  // One Newton step to g = 0 with the matrix at q; `defect` is the rows of constraints there.
  Exprs corrected(const Elimination& lu, const Exprs& x, const Exprs& defect, Exprs& move) const {
    Exprs r(at(n_));
    for (const Expr& d : defect) r.push_back(-d);
    const Exprs solved = lu.solve(r);
    move = part(solved, 0, n_);
    Exprs moved = x;
    for (int k = 0; k < n_; ++k) moved[at(k)] += move[at(k)];
    return moved;
  }

  struct Ends {
    Exprs q, v, a, lambda;
    Expr moved;  // largest move of a projection, in tolerances
  };
  // Projects, then finds accelerations and multipliers. `strict`: the first matrix is checked.
  Ends settle(graph::Graph& graph, const Expr& t, const Exprs& q0, const Exprs& v0,
              Exprs& conditions) const {
    Ends e;
    Exprs move, ignored;
    const Level first = level(graph, t, q0);
    const Elimination lu0(saddle(motion(graph, t, q0, v0, ignored).mass, first.g_q, first.g_q),
                          order_);
    e.q = corrected(lu0, q0, first.g, move);
    e.moved = 0.0;
    const auto see = [&](const Exprs& x, int offset) {
      for (int k = 0; k < n_; ++k)
        e.moved = max(e.moved, abs(move[at(k)]) / (settings_.atol[at(offset + k)] +
                                                   settings_.rtol * abs(x[at(k)])));
    };
    see(q0, 0);
    const Level here = level(graph, t, e.q);
    const Motion at_q = motion(graph, t, e.q, v0, ignored);
    const Elimination lu(saddle(at_q.mass, here.g_q, here.g_q), order_);
    Exprs rate = times(here.g_q, v0);
    for (int i = 0; i < c_; ++i) rate[at(i)] += here.g_t[at(i)];
    e.v = corrected(lu, v0, rate, move);
    see(v0, n_);
    const Motion ends = motion(graph, t, e.q, e.v, conditions);
    Exprs r = ends.force;
    for (const Expr& k : curvature_(graph, t, joined(e.q, e.v))) r.push_back(-k);
    const Exprs solved = lu.solve(r);
    conditions.push_back(lu.is_solution(solved, r, max_backward_error));
    e.a = part(solved, 0, n_);
    e.lambda = part(solved, n_, c_);
    return e;
  }

  Exprs attempt(graph::Graph& graph) const {
    const int of_method = 3 * n_ + c_, numbers = stop_numbers(settings_);
    const Exprs x = inputs(graph, place_state + of_method + numbers);
    const Exprs q = part(x, place_state, n_), v = part(x, place_state + n_, n_),
                lambda = part(x, place_state + 2 * n_, c_),
                a = part(x, place_state + 2 * n_ + c_, n_);
    const Exprs of_stops = part(x, place_state + of_method, numbers);
    const StepLength step = length_of(x, settings_.max_step, in_bracket(of_stops, settings_));
    const Expr &t = x[place_t], &h = step.h;
    std::vector<Exprs> V{v}, A{a};
    Exprs conditions;
    for (int i = 1; i < stages_; ++i) stage(graph, i, t, h, q, v, V, A, conditions);
    const auto combined = [&](const Exprs& base, const std::vector<Exprs>& rates, auto&& of) {
      Exprs sum(at(n_)), moved = base;
      for (int j = 0; j < stages_; ++j)
        for (int k = 0; of(j) != 0.0 && k < n_; ++k) sum[at(k)] += of(j) * rates[at(j)][at(k)];
      for (int k = 0; k < n_; ++k) moved[at(k)] += h * sum[at(k)];
      return moved;
    };
    const auto b = [&](int j) { return weight(j); };
    const auto d = [&](int j) { return embedded(j); };
    const Exprs error = joined(combined(Exprs(at(n_)), V, d), combined(Exprs(at(n_)), A, d));
    const Ends ends = settle(graph, step.t_new, combined(q, V, b), combined(v, A, b), conditions);
    conditions.push_back(ends.moved <= max_projection);
    const Expr value = error_norm(error, joined(q, v), joined(ends.q, ends.v), settings_);
    const Exprs now = stops_(graph, step.t_new, joined(ends.q, ends.v));
    for (const Expr& g : now) conditions.push_back(is_finite(g));
    const Watch watched = watch(
        x, of_stops, step,
        judge(x, step, value, all_of(conditions), Control::elementary, method_.error_order + 1.0),
        now, settings_);
    const Verdict& verdict = watched.verdict;
    Exprs results = verdict.control;
    const auto keep = [&](const Exprs& after, const Exprs& before) {
      for (std::size_t k = 0; k < after.size(); ++k)
        results.push_back(select(verdict.accepted, after[k], before[k]));
    };
    keep(ends.q, q);
    keep(ends.v, v);
    keep(ends.lambda, lambda);
    keep(ends.a, a);
    results = joined(results, watched.numbers);
    results.push_back(ending_of(verdict, watched.stopped, settings_.max_steps));
    return results;
  }

  void stage(graph::Graph& graph, int i, const Expr& t, const Expr& h, const Exprs& q,
             const Exprs& v, std::vector<Exprs>& V, std::vector<Exprs>& A,
             Exprs& conditions) const {
    const auto sum = [&](const std::vector<double>& w, const std::vector<Exprs>& rates, int count) {
      Exprs s(at(n_));
      for (int j = 0; j < count; ++j)
        for (int k = 0; w[at(j)] != 0.0 && k < n_; ++k) s[at(k)] += w[at(j)] * rates[at(j)][at(k)];
      return s;
    };
    const auto moved = [&](const Exprs& x, const Exprs& rate) {
      Exprs y = x;
      for (int k = 0; k < n_; ++k) y[at(k)] += h * rate[at(k)];
      return y;
    };
    const std::vector<double>&row = numbers_.a[at(i)], &gamma = numbers_.gamma[at(i)];
    const Exprs Q = moved(q, sum(row, V, i));
    V.push_back(moved(v, sum(row, A, i)));
    // eta_i: positions with this stage's velocity, velocities up to this stage's acceleration.
    const Exprs eta = moved(q, sum(gamma, V, i + 1)), known = moved(v, sum(gamma, A, i));
    const Expr t_eta = t + numbers_.c_hat[at(i)] * h, factor = h * gamma[at(i)];
    const Motion here = motion(graph, t + numbers_.c[at(i)] * h, Q, V.back(), conditions);
    const Level at_stage = level(graph, t + numbers_.c[at(i)] * h, Q),
                at_eta = level(graph, t_eta, eta);
    const Elimination lu(saddle(here.mass, at_stage.g_q, at_eta.g_q), order_);
    Exprs r = here.force;
    const Exprs rate = times(at_eta.g_q, known);
    for (int k = 0; k < c_; ++k) r.push_back(-(rate[at(k)] + at_eta.g_t[at(k)]) / factor);
    const Exprs solved = lu.solve(r);
    if (i == 1) conditions.push_back(lu.is_solution(solved, r, max_backward_error));
    A.push_back(part(solved, 0, n_));
  }

  Exprs start(graph::Graph& graph) const {
    const Exprs x = inputs(graph, start_given + 2 * n_);
    const Exprs q = part(x, start_given, n_), v = part(x, start_given + n_, n_);
    Exprs conditions;
    const Ends ends = settle(graph, x[start_t], q, v, conditions);
    Expr size = 0.0, rate = 0.0;
    const auto add = [&](Expr& sum, const Exprs& y, const Exprs& over, int offset) {
      for (int k = 0; k < n_; ++k) {
        const Expr r =
            y[at(k)] / (settings_.atol[at(offset + k)] + settings_.rtol * abs(over[at(k)]));
        sum += r * r;
      }
    };
    add(size, q, q, 0);
    add(size, v, v, n_);
    add(rate, v, q, 0);
    add(rate, ends.a, v, n_);
    Exprs results = judge_start(x, sqrt(size * (1.0 / (2.0 * n_))), sqrt(rate * (1.0 / (2.0 * n_))),
                                ends.moved, all_of(conditions), method_.order, settings_.max_step);
    for (const Exprs* list : {&q, &v, &ends.lambda, &ends.a})
      results.insert(results.end(), list->begin(), list->end());
    return joined(results, stop_start(stops_(graph, x[start_t], joined(q, v)), settings_));
  }

  const Settings& settings_;
  int n_, c_;
  const Method& method_;
  HerkNumbers<double> numbers_;
  Transplant motion_, level_, curvature_, guards_, stops_;
  int stages_ = 0;
  PivotOrder order_;
};

}  // namespace

Kernel half_explicit_kernel(const Formulas& formulas, const Settings& settings,
                            const std::vector<Sample>& samples) {
  return HalfExplicitBuilder(formulas, settings).run(samples);
}

}  // namespace daedalus::lanes
