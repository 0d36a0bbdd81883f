// SPDX-License-Identifier: BSD-3-Clause
// Step lengths and error tests over expressions: what src/core/control and the end rule of the loop
// do for one run. Numbers of the controls are theirs (control/controller.hpp).
#include <cmath>
#include <limits>

#include "control/controller.hpp"
#include "control/policy.hpp"
#include "ensemble/lanes/interpret.hpp"
#include "ensemble/lanes/kernel.hpp"
#include "kernel/at.hpp"

namespace daedalus::lanes {
namespace {

// Larger values of a test are those of a step that went wrong.
constexpr double max_value = 1e100;
// What the methods ask for after an attempt that could not be made.
constexpr double after_failure = 0.25;
// The loop of the library shortens rejected steps by no less.
constexpr double max_shrink = 0.95;
// The last error that the prediction takes into account, as in the loop.
constexpr double min_last_error = 1e-2;
// So many failures in a row make the library look at the algebraic equations (Loop::prepare_retry).
constexpr double max_rejected = 8.0;
// How far start values may be from consistent ones, in tolerances.
constexpr double max_defect = 0.01;
// Parts of the first step that a short time step is at most, and of the time step before it.
constexpr double short_part = 0.01, next_part = 1e-3;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

Expr clamped(const Expr& x, double low, double high) { return min(max(x, low), high); }

}  // namespace

StepLength length_of(const std::vector<Expr>& x, double max_step, const Expr& given) {
  const Expr &t = x[place_t], &end = x[place_end];
  const Expr h = max_step > 0.0 ? min(x[place_h], max_step) : x[place_h];
  const double stretch = find_control("pi")->stretch();
  const Expr rest = end - t, next = t + h;
  const Expr usual =
      select(next - end >= -stretch * h, end, select(rest < 2.0 * h, t + 0.5 * rest, next));
  const Expr t_new = given.is_number(0.0) ? usual : select(given, next, usual);
  return {t_new, t_new - t};
}

Verdict judge(const std::vector<Expr>& x, const StepLength& step, const Expr& value,
              const Expr& good, Control control, double power) {
  const ControlParameters p;
  const ControlPolicy& policy = *find_control(control == Control::pi ? "pi" : "elementary");
  const Expr sound = good && value <= max_value;  // false for NaN
  const Expr accepted = sound && value <= 1.0;
  const Expr log_value = log(clamped(value, min_error, max_value));
  const Expr proposed = p.safety * exp(log_value * (-1.0 / power));
  Expr grown = proposed;
  if (control == Control::pi) {
    const Expr first = x[place_accepted] == 0.0;
    const Expr predicted = p.safety * (step.h / select(first, 1.0, x[place_last_h])) *
                           exp((x[place_last_error] - 2.0 * log_value) * (1.0 / power));
    grown = select(first, proposed, min(proposed, predicted));
  }
  grown = clamped(grown, policy.shrink, policy.grow);
  grown = select(x[place_rejected] > 0.0, min(grown, 1.0), grown);
  const Expr next = step.h * grown;
  // A step cut short by the end says nothing against the step size in use.
  const Expr after = select(step.h < 0.99 * x[place_h], max(x[place_h], next), next);
  const Expr retry =
      step.h * select(sound, clamped(proposed, policy.shrink, max_shrink), after_failure);
  Verdict v;
  v.accepted = accepted;
  v.control = {select(accepted, step.t_new, x[place_t]),
               select(accepted, after, retry),
               x[place_end],
               select(accepted, step.h, x[place_last_h]),
               select(accepted, max(log_value, std::log(min_last_error)), x[place_last_error]),
               x[place_accepted] + accepted,
               select(accepted, 0.0, x[place_rejected] + 1.0),
               x[place_attempts] + 1.0};
  return v;
}

Expr ending_of(const Verdict& v, const Expr& stopped, double max_steps) {
  const Expr &t = v.control[place_t], &h = v.control[place_h];
  // The least step of the library's loop (ControlPolicy::min_step).
  const Expr lost = v.control[place_rejected] >= max_rejected ||
                    v.control[place_attempts] >= max_steps || !(h > 16.0 * epsilon * abs(t));
  const Expr ending =
      select(t >= v.control[place_end], ending_done, select(lost, ending_lost, ending_open));
  return stopped.is_number(0.0) ? ending : select(stopped > 0.0, stopped, ending);
}

std::vector<Expr> judge_start(const std::vector<Expr>& x, const Expr& size, const Expr& rate,
                              const Expr& defect, const Expr& holds, double order,
                              double max_step) {
  const Expr &t = x[start_t], &tau = x[start_short], length = x[start_end] - t;
  Expr h = select(size < 1e-5 || rate < 1e-5, 1e-6 * length, 0.01 * size / rate);
  const double part = 1.0 / (order + 1.0);
  h = select(rate > 0.0, min(h, pow(100.0 / rate, part) * pow(length, order * part)), h);
  h = min(h, 0.1 * length);
  if (max_step > 0.0) h = min(h, max_step);
  h = max(h, 32.0 * epsilon * abs(t));
  const Expr sound = holds && h <= std::numeric_limits<double>::max();  // false for NaN
  const Expr shorter = short_part * tau;
  return {h, sound && defect <= max_defect && tau <= short_part * h,
          select(sound, min(shorter, next_part * h), shorter)};
}

Expr error_norm(const std::vector<Expr>& error, const std::vector<Expr>& before,
                const std::vector<Expr>& after, const Settings& settings) {
  Expr sum = 0.0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const Expr scale = settings.atol[i] + settings.rtol * max(abs(before[i]), abs(after[i]));
    const Expr r = error[i] / scale;
    sum += r * r;
  }
  return sqrt(sum * (1.0 / static_cast<double>(error.size())));
}

Expr all_of(const std::vector<Expr>& conditions) {
  Expr all = 1.0;
  for (const Expr& c : conditions) all = all.is_number(1.0) ? c : (all && c);
  return all;
}

Expr is_finite(const Expr& x) { return abs(x) <= std::numeric_limits<double>::max(); }

std::vector<double> evaluate(graph::Graph& graph, const std::vector<Expr>& formulas,
                             const std::vector<double>& inputs,
                             const std::vector<double>& parameters) {
  const Program p = compile(graph, formulas, static_cast<int>(inputs.size()),
                            static_cast<int>(parameters.size()), false);
  std::vector<double> w(at(p.slots()));
  std::copy(p.constants.begin(), p.constants.end(), w.begin());
  std::copy(inputs.begin(), inputs.end(), w.begin() + p.first_input());
  std::copy(parameters.begin(), parameters.end(), w.begin() + p.first_parameter());
  const Functions& one = *functions("plain", 1);
  one.run(p.prologue.data(), p.prologue.data() + p.prologue.size(), w.data());
  one.run(p.body.data(), p.body.data() + p.body.size(), w.data());
  const auto first = w.begin() + p.first_result();
  return {first, first + p.results};
}

}  // namespace daedalus::lanes
