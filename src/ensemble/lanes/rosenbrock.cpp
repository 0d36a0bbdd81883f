// SPDX-License-Identifier: BSD-3-Clause
// One attempted step of a Rosenbrock-Wanner method on M y' = f(t, y), as formulas: the engine of
// src/core/methods/rosenbrock with the library's tables and its check of the matrix at the end of
// the step (matrix_check.hpp).
#include <cmath>
#include <limits>

#include <daedalus/method.hpp>
#include <daedalus/types.hpp>

#include "ensemble/lanes/elimination.hpp"
#include "ensemble/lanes/kernel.hpp"
#include "kernel/at.hpp"
#include "kernel/rosenbrock_table.hpp"

namespace daedalus::lanes {
namespace {

using graph::InputKind;
using Exprs = std::vector<Expr>;

// Of the estimates of both methods in algebraic variables.
constexpr double algebraic_power = 4.0;
// As in matrix_check.hpp and residual_rows.cpp.
constexpr double max_missing = 3.0, max_verified = 10.0, min_kept = 0.5,
                 noise_of_rows = 64.0 * std::numeric_limits<double>::epsilon();

class RosenbrockBuilder {
 public:
  RosenbrockBuilder(const Formulas& m, const Settings& settings)
      : m_(m),
        settings_(settings),
        n_(m.n),
        method_(*find_method(settings.method)),
        table_(*static_cast<const RosenbrockCoefficients*>(method_.table)),
        values_(*m.graph, joined(m.f, m.guards)),
        slopes_(*m.graph, joined(m.f_y, m.f_t)),
        mass_(*m.graph, m.mass),
        stops_(*m.graph, m.stops) {}

  Kernel run(const std::vector<Sample>& samples) {
    choose_order(samples);
    Kernel k;
    k.given = k.variables = n_;
    k.state = 2 * n_ + stop_numbers(settings_);
    k.order = method_.order;
    const int parameters = parameter_count(samples);
    {
      graph::Graph graph;
      const Exprs results = attempt(graph);
      k.attempt = compile(graph, results, place_state + k.state, parameters, true);
    }
    graph::Graph graph;
    k.start = compile(graph, start(graph), start_given + n_, parameters, false);
    return k;
  }

 private:
  static Exprs joined(const Exprs& a, const Exprs& b) {
    Exprs both = a;
    both.insert(both.end(), b.begin(), b.end());
    return both;
  }
  static int parameter_count(const std::vector<Sample>& samples) {
    return static_cast<int>(samples.front().parameters.size());
  }
  static Exprs inputs(graph::Graph& graph, int count) {
    Exprs x;
    for (int i = 0; i < count; ++i) x.push_back(graph.input(InputKind::state, i));
    return x;
  }
  static Exprs part(const Exprs& x, int first, int count) {
    return {x.begin() + first, x.begin() + first + count};
  }

  struct Slopes {
    Exprs f_y, f_t, mass;
  };
  Slopes slopes(graph::Graph& graph, const Expr& t, const Exprs& y) const {
    const Exprs all = slopes_(graph, t, y);
    return {part(all, 0, n_ * n_), part(all, n_ * n_, n_), mass_(graph, t, y)};
  }
  // f there; conditions are collected.
  Exprs rates(graph::Graph& graph, const Expr& t, const Exprs& y, Exprs& conditions) const {
    const Exprs all = values_(graph, t, y);
    conditions.insert(conditions.end(), all.begin() + n_, all.end());
    return part(all, 0, n_);
  }
  // alpha M - J
  Exprs matrix(const Slopes& s, const Expr& alpha) const {
    Exprs e;
    for (std::size_t k = 0; k < s.f_y.size(); ++k) e.push_back(s.mass[k] * alpha - s.f_y[k]);
    return e;
  }
  Exprs mass_times(const Slopes& s, const Exprs& x) const {
    Exprs r(at(n_));
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) r[at(i)] += s.mass[at(i * n_ + j)] * x[at(j)];
    return r;
  }

  void choose_order(const std::vector<Sample>& samples) {
    std::vector<std::vector<double>> values;
    std::vector<char> pattern;
    for (const Sample& sample : samples) {
      graph::Graph graph;
      const Exprs x = inputs(graph, n_ + 2);
      const Exprs e = matrix(slopes(graph, x[0], part(x, 2, n_)), 1.0 / (x[1] * table_.gamma));
      std::vector<double> in{sample.t, sample.h};
      in.insert(in.end(), sample.state.begin(), sample.state.end());
      const std::vector<double> here = evaluate(graph, e, in, sample.parameters);
      bool finite = true;
      for (const double v : here) finite = finite && std::isfinite(v);
      if (finite) values.push_back(here);
      pattern.clear();
      for (const Expr& entry : e) pattern.push_back(!entry.is_number(0.0));
    }
    const auto order = values.empty() ? std::nullopt : choose_pivots(n_, pattern, values);
    if (!order) throw InvalidArgument("the matrix of a step is singular at the start values");
    order_ = *order;
  }

  Expr weight(int i, const Exprs& y) const {
    return settings_.atol[at(i)] + settings_.rtol * abs(y[at(i)]);
  }

  // What the rows of residuals are compared with (residual_rows.cpp).
  struct Rows {
    Exprs unit, bound;
  };
  Rows rows_of(const Slopes& s, const Expr& alpha, const Exprs& y, const Exprs& y_new) const {
    Rows rows;
    for (int i = 0; i < n_; ++i) {
      Expr unit = 0.0, noise = 0.0;
      for (int j = 0; j < n_; ++j) {
        const Expr &m = s.mass[at(i * n_ + j)], &d = s.f_y[at(i * n_ + j)];
        const Expr of_mass = m.is_number(0.0) ? Expr(0.0) : alpha * abs(m);
        unit += of_mass * weight(j, y);
        noise += (d.is_number(0.0) ? of_mass : of_mass + abs(d)) * abs(y_new[at(j)]);
      }
      rows.unit.push_back(unit);
      rows.bound.push_back(max(max_missing * unit, noise_of_rows * noise));
    }
    return rows;
  }
  struct Finding {
    Expr matter = 0.0, wrong = 0.0, largest = 0.0;
  };
  // A residual after a correction that came from the one before.
  Finding look(const Rows& rows, const Exprs& before, const Exprs& now) const {
    Finding f;
    for (int i = 0; i < n_; ++i) {
      const Expr& unit = rows.unit[at(i)];
      if (unit.is_number(0.0)) continue;
      const Expr size = abs(now[at(i)]);
      const Expr matters = unit > 0.0 && size > rows.bound[at(i)];
      const Expr kept = matters && size >= min_kept * abs(before[at(i)]);
      f.matter = f.matter.is_number(0.0) ? matters : (f.matter || matters);
      f.wrong = f.wrong.is_number(0.0) ? kept : (f.wrong || kept);
      f.largest = max(f.largest, select(matters, size / unit, 0.0));
    }
    return f;
  }
  // What the error test will find at least.
  Expr least_error(const Exprs& y, const Exprs& y_new, const Exprs& error) const {
    Expr sum = 0.0;
    for (int i = 0; i < n_; ++i) {
      const Expr part =
          error[at(i)] / weight(i, y) * min(1.0, abs(y[at(i)]) / max(abs(y_new[at(i)]), 0x1p-1022));
      sum += part * part;
    }
    return sqrt(sum * (1.0 / n_));
  }
  // f - M rate / h
  Exprs residual(const Slopes& s, const Exprs& f, const Exprs& rate, const Expr& inverse_h) const {
    Exprs r = mass_times(s, rate);
    for (int k = 0; k < n_; ++k) r[at(k)] = f[at(k)] - inverse_h * r[at(k)];
    return r;
  }

  // MatrixCheck::verify: up to three residuals tell whether the matrix holds at the end of the
  // step. `before`: what the last stage corrected; `rate`: h y' at the end. The value that the
  // error test has at least. What the equations do not allow at the corrected point fails the step.
  struct End {
    Expr t;
    Exprs y, f, rate, before;
  };
  Expr check(graph::Graph& graph, const Slopes& s, const Elimination& lu, const Expr& alpha,
             const Expr& h, const Exprs& y, const End& end, const Exprs& error,
             Exprs& conditions) const {
    const Rows rows = rows_of(s, alpha, y, end.y);
    const Expr inverse_h = 1.0 / h;
    const Exprs second = residual(s, end.f, end.rate, inverse_h);
    const Finding two = look(rows, end.before, second);
    const Exprs correction = lu.solve(second);
    Exprs moved = end.y, rate = end.rate, held;
    for (int k = 0; k < n_; ++k) {
      moved[at(k)] += correction[at(k)];
      rate[at(k)] += (h * alpha) * correction[at(k)];
    }
    const Exprs third = residual(s, rates(graph, end.t, moved, held), rate, inverse_h);
    const Finding three = look(rows, second, third);
    // Written so that all of it hangs on `matter`, which is rare: a GPU has branches.
    const Expr tested = two.matter && least_error(y, end.y, error) <= max_verified;
    if (!held.empty()) conditions.push_back(!tested || two.wrong || all_of(held));
    return select(tested, select(two.wrong, two.largest, select(three.wrong, three.largest, 0.0)),
                  0.0);
  }

  Exprs attempt(graph::Graph& graph) const {
    const Exprs x = inputs(graph, place_state + 2 * n_ + stop_numbers(settings_));
    const Exprs y = part(x, place_state, n_), f0 = part(x, place_state + n_, n_);
    const Exprs of_stops = part(x, place_state + 2 * n_, stop_numbers(settings_));
    const StepLength step = length_of(x, settings_.max_step, in_bracket(of_stops, settings_));
    const Expr &t = x[place_t], &h = step.h;
    const Slopes s = slopes(graph, t, y);
    const Expr inverse_h = 1.0 / h, alpha = inverse_h * (1.0 / table_.gamma);
    const Elimination lu(matrix(s, alpha), order_);
    const int last = table_.step_stages() - 1;
    std::vector<Exprs> u;
    Exprs conditions, rates_here = f0, before;
    for (int i = 0; i <= last; ++i) {
      if (i > 0 && table_.evaluated_by(i) == i)
        rates_here = rates(graph, t + table_.abscissae[i] * h,
                           combined(y, u, table_.a + i * table_.stages, i), conditions);
      Exprs r = table_.evaluated_by(i) == 0 ? f0 : rates_here;
      const Exprs carried =
          mass_times(s, combined(Exprs(at(n_)), u, table_.c + i * table_.stages, i));
      for (int k = 0; k < n_; ++k) {
        r[at(k)] += (h * table_.time_weights[i]) * s.f_t[at(k)];
        if (i > 0) r[at(k)] += inverse_h * carried[at(k)];
      }
      u.push_back(lu.solve(r));
      if (i == 0) conditions.push_back(lu.is_solution(u[0], r, max_backward_error));
      before = r;
    }
    const Exprs y_new = combined(y, u, table_.weights, last + 1);
    const Exprs error = combined(Exprs(at(n_)), u, table_.error, last + 1);
    const Exprs f_new = rates(graph, step.t_new, y_new, conditions);
    // h y' at the end as the step has it.
    Exprs rate = combined(Exprs(at(n_)), u, table_.c + last * table_.stages, last);
    for (int k = 0; k < n_; ++k)
      rate[at(k)] = u[at(last)][at(k)] * (1.0 / table_.gamma) - rate[at(k)];
    const Expr missing = check(graph, s, lu, alpha, h, y, {step.t_new, y_new, f_new, rate, before},
                               error, conditions);
    const Expr value = max(error_norm(error, y, y_new, settings_), missing);
    const double usual = method_.error_order + 1.0;
    const Exprs now = stops_(graph, step.t_new, y_new);
    for (const Expr& g : now) conditions.push_back(is_finite(g));
    const Watch watched = watch(x, of_stops, step,
                                judge(x, step, value, all_of(conditions), Control::pi,
                                      m_.algebraic ? std::min(usual, algebraic_power) : usual),
                                now, settings_);
    const Verdict& verdict = watched.verdict;
    Exprs results = verdict.control;
    for (int k = 0; k < n_; ++k)
      results.push_back(select(verdict.accepted, y_new[at(k)], y[at(k)]));
    for (int k = 0; k < n_; ++k)
      results.push_back(select(verdict.accepted, f_new[at(k)], f0[at(k)]));
    results.insert(results.end(), watched.numbers.begin(), watched.numbers.end());
    results.push_back(ending_of(verdict, watched.stopped, settings_.max_steps));
    return results;
  }

  // base + sum_j weights_j u_j
  Exprs combined(Exprs base, const std::vector<Exprs>& u, const double* weights, int count) const {
    for (int j = 0; j < count; ++j)
      for (int k = 0; weights[j] != 0.0 && k < n_; ++k) base[at(k)] += weights[j] * u[at(j)][at(k)];
    return base;
  }

  // A step of the linearly implicit Euler method that is short against everything gives the rates
  // of all variables, algebraic ones included, where the start values are consistent; where they
  // are not it does not become small with its length.
  Exprs start(graph::Graph& graph) const {
    const Exprs x = inputs(graph, start_given + n_);
    const Expr &t = x[start_t], &length = x[start_short];
    const Exprs y = part(x, start_given, n_);
    Exprs conditions;
    const Exprs f = rates(graph, t, y, conditions);
    const Slopes s = slopes(graph, t, y);
    const Elimination lu(matrix(s, 1.0 / length), order_);
    Exprs r = f;
    for (int k = 0; k < n_; ++k) r[at(k)] += length * s.f_t[at(k)];
    const Exprs move = lu.solve(r);
    conditions.push_back(lu.is_solution(move, r, max_backward_error));
    Expr size = 0.0, moved = 0.0;
    for (int i = 0; i < n_; ++i) {
      const Expr a = y[at(i)] / weight(i, y), b = move[at(i)] / weight(i, y);
      size += a * a;
      moved += b * b;
    }
    const Expr norm = sqrt(moved * (1.0 / n_));
    Exprs results = judge_start(x, sqrt(size * (1.0 / n_)), norm / length, norm, all_of(conditions),
                                method_.order, settings_.max_step);
    results.insert(results.end(), y.begin(), y.end());
    results.insert(results.end(), f.begin(), f.end());
    const Exprs numbers = stop_start(stops_(graph, t, y), settings_);
    results.insert(results.end(), numbers.begin(), numbers.end());
    return results;
  }

  const Formulas& m_;
  const Settings& settings_;
  int n_;
  const Method& method_;
  const RosenbrockCoefficients& table_;
  Transplant values_, slopes_, mass_, stops_;
  PivotOrder order_;
};

}  // namespace

Kernel rosenbrock_kernel(const Formulas& formulas, const Settings& settings,
                         const std::vector<Sample>& samples) {
  return RosenbrockBuilder(formulas, settings).run(samples);
}

}  // namespace daedalus::lanes
