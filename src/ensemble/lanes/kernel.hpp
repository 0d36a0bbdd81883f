// SPDX-License-Identifier: BSD-3-Clause
// A trajectory as its lane sees it: numbers that one attempted step replaces by new ones. Step
// length, error test, acceptance and the next step are formulas like the stages, so that lanes
// never wait for each other; a rejected step leaves the state as it was.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <daedalus/event.hpp>

#include "ensemble/lanes/formulas.hpp"
#include "ensemble/lanes/program.hpp"

namespace daedalus::lanes {

// Inputs of an attempt, and its results. The state of the method follows, and behind it in the
// results whether the run is at its end.
enum Place : int {
  place_t,
  place_h,
  place_end,         // of the interval
  place_last_h,      // of the last accepted step
  place_last_error,  // its logarithm
  place_accepted,
  place_rejected,  // in a row
  place_attempts,
  place_state
};
// The last result of an attempt. Lost: it goes on in the library's loop. Stopped: the number of the
// condition is added.
inline constexpr double ending_open = 0.0, ending_done = 1.0, ending_lost = 2.0,
                        ending_stopped = 3.0;
// Inputs of a start: time, a time step that is short against everything, the end, then the
// variables as given. Results: the first step, 1 where it is good, a shorter time step for the next
// try; then the state of the method.
enum StartPlace : int { start_h, start_good, start_next, start_state };
enum StartInput : int { start_t, start_short, start_end, start_given };
// Short time steps as parts of the interval: the first one, and the last that is tried.
// First steps of stiff problems are down to 1e-25 of it.
inline constexpr double first_probe = 1e-6, shortest_probe = 1e-32;

// A solution with a larger backward error needs other pivots: the library's loop takes over.
inline constexpr double max_backward_error = 1e-9;

struct Settings {
  std::string method;  // rodas4, rodas5p, phem56, hedop5
  double rtol = 1e-6;
  std::vector<double> atol;  // per variable of the state
  double max_step = 0.0;     // 0: none
  double max_steps = 0.0;
  std::vector<Crossing> stops;
};

struct Kernel {
  Program start, attempt;
  int given = 0;      // start values: y, or (q, v)
  int variables = 0;  // of the state that are reported: the first ones
  int state = 0;
  double order = 1.0;  // of the method, for the first step
};

// Points where matrices of steps are looked at, to fix the order of pivots: parameters as numbers.
struct Sample {
  double t = 0.0, h = 0.0;
  std::vector<double> state, parameters;
};

// Both throw InvalidArgument where there is no order of pivots.
Kernel rosenbrock_kernel(const Formulas& formulas, const Settings& settings,
                         const std::vector<Sample>& samples);
Kernel half_explicit_kernel(const Formulas& formulas, const Settings& settings,
                            const std::vector<Sample>& samples);

// ---- what both are made of ----

struct StepLength {
  Expr t_new, h;
};
struct Verdict {
  Expr accepted;
  std::vector<Expr> control;  // places before the state
};
enum class Control { elementary, pi };

// Results of a start before the state: `size` of the state and `rate` of its change in tolerances,
// `defect`: how far the start values are from consistent ones, `holds`: the formulas could be
// evaluated. Loop::first_step.
std::vector<Expr> judge_start(const std::vector<Expr>& x, const Expr& size, const Expr& rate,
                              const Expr& defect, const Expr& holds, double order, double max_step);
// The end rule of the library's loop, but where the step is given: in a bracket of stops.
StepLength length_of(const std::vector<Expr>& x, double max_step, const Expr& given = 0.0);
// value: of the error test, which falls like h^power. good: the attempt could be made.
Verdict judge(const std::vector<Expr>& x, const StepLength& step, const Expr& value,
              const Expr& good, Control control, double power);
// Whether a run is at its end after an attempt with this verdict; `stopped` as Watch has it.
Expr ending_of(const Verdict& verdict, const Expr& stopped, double max_steps);

// ---- conditions that end a run (stops.cpp) ----

// Numbers of the state that they take, behind those of the method.
int stop_numbers(const Settings& settings);
// At a start, from their values there.
std::vector<Expr> stop_start(const std::vector<Expr>& values, const Settings& settings);
// Whether a run is in a bracket.
Expr in_bracket(const std::vector<Expr>& before, const Settings& settings);
// `before`: their numbers in the state; `now`: their values at the end of the step. A step over a
// crossing is taken back, and shorter ones follow until the crossing is bracketed.
struct Watch {
  Verdict verdict;
  std::vector<Expr> numbers;
  Expr stopped = 0.0;  // ending_stopped and the number of the condition, or 0
};
Watch watch(const std::vector<Expr>& x, const std::vector<Expr>& before, const StepLength& step,
            const Verdict& verdict, const std::vector<Expr>& now, const Settings& settings);
// Root mean square over tolerances at both ends.
Expr error_norm(const std::vector<Expr>& error, const std::vector<Expr>& before,
                const std::vector<Expr>& after, const Settings& settings);
Expr all_of(const std::vector<Expr>& conditions);
Expr is_finite(const Expr& x);

// Values of formulas of states and parameters at a sample, NaN included.
std::vector<double> evaluate(graph::Graph& graph, const std::vector<Expr>& formulas,
                             const std::vector<double>& inputs,
                             const std::vector<double>& parameters);

}  // namespace daedalus::lanes
