// SPDX-License-Identifier: BSD-3-Clause
#include "soak/run.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <daedalus/analysis.hpp>
#include <daedalus/method.hpp>
#include <daedalus/recommend.hpp>
#include <daedalus/solve.hpp>

#include "soak/judge.hpp"

namespace daedalus::soak {
namespace {

constexpr long max_steps = 100000;  // a method that needs more on these short problems has failed
constexpr double loosest = 1e-3, sharpest = 1e-9;  // relative tolerances that are drawn
// Steps that a method of order p should need at most, with local errors of size h^(p+1) for
// solutions that change within a unit of time: this gives the sharpest tolerance that is asked of
// it, and no more than so many errors add up. Fast signals need as many more.
// Where values inside steps are asked for, the order of the interpolant counts.
constexpr double max_steps_by_order = 300.0, max_steps_by_turns = 20000.0;
constexpr int samples = 40;  // of values between steps

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double sharpest_for(const std::string& method, const Case& c, bool inside) {
  const Method* m = find_method(method);
  if (!m) return sharpest;
  const int at_ends = m->max_order > 0 ? m->max_order : std::max(m->error_order, 1);
  const int between = std::min(at_ends, m->dense_order);
  const int order = inside ? between : at_ends;
  return std::max({sharpest, std::pow(max_steps_by_order, -(order + 1)),
                   std::pow(c.turns / max_steps_by_turns, between + 1)});
}

template <class O>
void give_break_times(O& options, const Case& c) {
  if constexpr (requires { options.break_times; }) options.break_times = c.break_times;
}

struct Drawn {
  Options options;
  std::vector<double> at;  // where dense output is asked for
};

Drawn draw_options(Random& random, const Case& c, const RunRequest& request) {
  Drawn d;
  const double digits = random.uniform(-std::log10(loosest), -std::log10(sharpest));
  const int output = random.integer(c.between_steps ? 2 : 0, 3);
  for (int i = 0; i < samples; ++i) d.at.push_back(random.uniform(c.t0, c.t1));
  std::sort(d.at.begin(), d.at.end());
  const bool differences = random.chance(0.15), maximum = random.chance(0.2);
  const std::uint64_t pick = random.bits();

  Options& o = d.options;
  o.method = request.method;
  if (request.method.empty()) {
    const std::vector<std::string> fitting = methods_for(c);
    o.method = request.seed % 2 == 0 || fitting.empty() || !c.named_too
                   ? std::string("auto")
                   : fitting[pick % fitting.size()];
  }
  constexpr std::array outputs{Output::end, Output::steps, Output::times, Output::dense};
  o.output = outputs[static_cast<std::size_t>(output)];
  const bool inside = o.output == Output::times || o.output == Output::dense || !c.events.empty();
  const double tolerance = request.tolerance > 0.0 ? request.tolerance
                                                   : std::max(std::pow(10.0, -digits),
                                                              sharpest_for(o.method, c, inside));
  o.rtol = tolerance;
  o.atol = tolerance;
  if (o.output == Output::times) o.output_times = d.at;
  o.derivatives = differences ? DerivativeSource::differences : DerivativeSource::automatic;
  o.norm = maximum ? ErrorNorm::maximum : ErrorNorm::rms;
  o.events = c.events;
  o.max_steps = max_steps;
  o.start = c.start;
  give_break_times(o, c);
  return d;
}

std::string_view name_of(Output output) {
  constexpr std::array<std::string_view, 5> names{"none", "end", "steps", "times", "dense"};
  return names[static_cast<std::size_t>(output)];
}

void judge(const Case& c, const Solution& s, const Drawn& d, const StepSizes& steps,
           RunResult& result) {
  Judgement judgement;
  const ModelState start = s.start();
  const auto take = [&](const ModelState& state) {
    if (state.t() > s.end_time()) return;
    judge_state(c, state.view(), d.options.rtol, steps, judgement);
    judge_conserved(c, start.view(), state.view(), d.options.rtol, judgement);
  };
  for (std::size_t i = 0; i < s.times().size(); ++i) take(s.state(i));
  if (d.options.output == Output::dense)
    for (const double t : d.at)
      if (t <= s.end_time()) take(s.at(t));
  take(s.end());
  if (s.ok() && c.has_to_name.empty()) judge_events(c, s, d.options.rtol, judgement);
  result.error = judgement.error;
  result.worst = judgement.worst;
  const bool wrong = !(judgement.error <= wrong_answer);
  if (wrong && (s.ok() || c.has_to_name.empty() == false))
    result.verdict = s.warnings().empty() ? Verdict::silent : Verdict::warned;
  if (!s.ok() && !wrong) {
    // A run that cannot reach the end is right to say so, if it says why.
    const bool named =
        !c.has_to_name.empty() && s.message().find("'" + c.has_to_name + "'") != std::string::npos;
    result.verdict = named ? Verdict::good : Verdict::failed;
  }
  if (!s.ok() && c.has_to_name.empty()) result.verdict = Verdict::failed;
}

void find_index(const Case& c, RunResult& result) {
  try {
    result.index_found = check(c.problem, c.t0).numerical_index;
  } catch (const std::exception& e) {
    result.index_found = -2;
    result.warnings.push_back(std::string("check: ") + e.what());
  }
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, verdict_count> names{"good",   "warned",  "silent",
                                                              "failed", "refused", "hung"};
  return names[static_cast<std::size_t>(verdict)];
}

std::vector<std::string> methods_for(const Case& c) {
  std::vector<std::string> names;
  for (const Method* m : all_methods()) {
    if (m->fixed_step_only || m->error_order == 0) continue;
    // Multistep methods on residuals have no stability to declare, and are for stiff problems;
    // A-stable ones without damping at infinity are not (docs/methods.md).
    const bool implicit = m->stability == Stability::l_stable || m->view == View::residual;
    if (c.stiff && !implicit) continue;
    try {
      Options o;
      o.method = m->name;
      recommend(c.problem, o);
      names.push_back(m->name);
    } catch (const InvalidArgument&) {
    }
  }
  return names;
}

RunResult run_one(const RunRequest& request) {
  Random random(request.seed, request.problem_class->name);
  const Case c = draw(*request.problem_class, random);
  Drawn d = draw_options(random, c, request);
  RunResult result;
  result.seed = request.seed;
  result.description = c.description;
  result.method = d.options.method;
  result.tolerance = d.options.rtol;
  result.output = name_of(d.options.output);
  result.index = c.index;
  StepSizes steps;
  bool late = false;
  const double begin = thread_seconds();
  d.options.cancel = [&] { return late = thread_seconds() - begin > request.max_seconds; };
  d.options.trace = [&steps](const StepRecord& r) {
    if (r.outcome == "accepted") steps.add(r.t, r.h);
  };
  try {
    const Solution s = solve(c.problem, {c.t0, c.t1}, d.options);
    result.seconds = thread_seconds() - begin;
    result.status = s.status();
    result.message = s.message();
    result.warnings = s.warnings();
    result.solver = s.choice().method;
    result.steps = s.statistics().steps();
    judge(c, s, d, steps, result);
  } catch (const std::exception& e) {
    result.verdict = Verdict::refused;
    result.message = e.what();
  }
  if (late) result.verdict = Verdict::hung;
  if (request.find_index) find_index(c, result);
  return result;
}

}  // namespace daedalus::soak
