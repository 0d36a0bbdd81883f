// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/lanes/plan.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kernel/at.hpp"

namespace daedalus::lanes {
namespace {

// Half-explicit methods of order 5 let errors of all steps add up in the motion: with this share of
// the tolerance per step the sum stays near it, as the library's own choice for these systems does.
constexpr double motion_share = 0.003;
// Straight code beyond this would not stay in the caches.
constexpr std::size_t max_instructions = 60000;

// States where the matrices of steps are looked at, beside the start values.
std::vector<Sample> samples_of(const EnsembleTask& task, const std::vector<double>& given,
                               const std::vector<double>& parameters) {
  // Step sizes from the first one to the largest, as parts of the interval.
  constexpr double parts[] = {1e-9, 1e-5, 1e-2};
  std::vector<Sample> samples;
  for (const double part : parts)
    samples.push_back(
        {task.interval.from, part * (task.interval.to - task.interval.from), given, parameters});
  // Zeros at the start are often none later.
  std::vector<double> moved = given;
  for (std::size_t i = 0; i < moved.size(); ++i)
    moved[i] = moved[i] * (1.0 + 0.01 * std::sin(static_cast<double>(i + 1))) + 1e-3;
  samples.push_back({task.interval.from, samples[1].h, std::move(moved), parameters});
  return samples;
}

Settings settings_of(const EnsembleTask& task, const Capture& capture) {
  Settings s;
  s.method = task.options.method;
  const bool chosen = s.method != "auto";
  if (!chosen) s.method = capture.multibody() ? "phem56" : "rodas5p";
  const double share = capture.multibody() && !chosen ? motion_share : 1.0;
  s.rtol = share * task.options.rtol;
  const int tested = capture.multibody() ? 2 * capture.size() : capture.size();
  for (int i = 0; i < tested; ++i) s.atol.push_back(share * task.options.atol[i]);
  s.max_step = task.options.max_step;
  s.max_steps = static_cast<double>(task.options.max_steps);
  s.stops = capture.stops();
  return s;
}

// Which numbers the probes share.
bool find_fixed(Plan& plan, const std::vector<EnsembleTask>& probes,
                const std::vector<char>& varied, std::vector<double>& given) {
  std::vector<double> numbers, other;
  if (!plan.capture.read(probes.front(), plan.numbers, given)) return false;
  plan.fixed.assign(plan.numbers.size(), 1);
  for (int k = 0; k < plan.capture.parameters(); ++k)
    plan.fixed[at(k)] = !varied.empty() && !varied[at(k)];
  for (const EnsembleTask& probe : probes) {
    if (!plan.capture.read(probe, numbers, other)) continue;
    for (std::size_t k = 0; k < numbers.size(); ++k)
      if (numbers[k] != plan.numbers[k]) plan.fixed[k] = 0;
  }
  plan.parameters = 0;
  for (const char f : plan.fixed) plan.parameters += f ? 0 : 1;
  return true;
}

void choose_code(Plan& plan, const Way& way) {
  const int width = way.set.empty() ? MachineCode::width() : way.width;
  const Functions* wanted = functions(!way.set.empty() ? way.set
                                      : width == 8     ? "avx512"
                                                       : "avx2",
                                      width);
  if (way.code && wanted && MachineCode::width() > 0) {
    plan.functions = wanted;
    plan.start_code = MachineCode::compile(plan.kernel.start, *plan.functions);
    plan.attempt_code = MachineCode::compile(plan.kernel.attempt, *plan.functions);
  }
  if (!plan.start_code || !plan.attempt_code) {
    plan.start_code = plan.attempt_code = nullptr;
    const InstructionSet& set = best_set();
    plan.functions =
        way.set.empty() ? functions(set.name, set.best_width) : functions(way.set, way.width);
    if (!plan.functions)
      throw InvalidArgument(fmt::format("there are no {} lanes of '{}'", way.width, way.set));
    plan.kernel.start = with_shared_slots(plan.kernel.start);
    plan.kernel.attempt = with_shared_slots(plan.kernel.attempt);
  }
  plan.description = fmt::format("{} in {} lanes, {}", plan.settings.method, plan.functions->width,
                                 plan.attempt_code ? "machine code" : "interpreted");
  if (!plan.attempt_code && way.code && !MachineCode::reason().empty())
    plan.description += fmt::format(" ({})", MachineCode::reason());
}

}  // namespace

bool Plan::same_options(const Options& o) const {
  return o.rtol == options.rtol && o.atol.values() == options.atol.values() &&
         o.max_step == options.max_step && o.max_steps == options.max_steps &&
         o.method == options.method && o.formulation == options.formulation &&
         o.start == options.start;
}

bool read_task(const Plan& plan, Capture& capture, const EnsembleTask& task, TaskNumbers& numbers) {
  std::vector<double>& all = numbers.parameters;
  if (!plan.same_options(task.options) || !(task.interval.to > task.interval.from) ||
      !are_inside(task.times, task.interval) || !capture.read(task, all, numbers.given))
    return false;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!plan.fixed[k])
      all[kept++] = all[k];
    else if (all[k] != plan.numbers[k])
      return false;
  }
  all.resize(kept);
  return true;
}

std::shared_ptr<const Plan> make_plan(const std::vector<EnsembleTask>& probes, bool forced,
                                      std::string& reason, const Way& way) {
  const EnsembleTask& first = probes.front();
  reason = refusal(first, forced);
  if (!reason.empty()) return nullptr;
  try {
    auto plan = std::make_shared<Plan>(Capture(first));
    std::vector<double> given, parameters;
    if (!find_fixed(*plan, probes, way.varied, given)) {
      reason = "the callables do something else each time they are called";
      return nullptr;
    }
    for (std::size_t k = 0; k < plan->fixed.size(); ++k)
      if (!plan->fixed[k]) parameters.push_back(plan->numbers[k]);
    plan->options = first.options;
    plan->times = first.times;
    plan->functional = static_cast<bool>(first.functional);
    for (const EnsembleStop& stop : first.stops) plan->stops.push_back(stop.name);
    plan->settings = settings_of(first, plan->capture);
    const Formulas formulas = plan->capture.formulas(plan->numbers, plan->fixed);
    const std::vector<Sample> samples = samples_of(first, given, parameters);
    plan->kernel = plan->capture.multibody()
                       ? half_explicit_kernel(formulas, plan->settings, samples)
                       : rosenbrock_kernel(formulas, plan->settings, samples);
    if (plan->kernel.attempt.body.size() > max_instructions) {
      reason = "a step takes too many operations for straight code";
      return nullptr;
    }
    if (way.lanes)
      choose_code(*plan, way);
    else
      plan->description = plan->settings.method;
    return plan;
  } catch (const InvalidArgument& error) {
    reason = error.what();
    return nullptr;
  }
}

}  // namespace daedalus::lanes
