#include <daedalus/solve.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/controller.hpp"
#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "formulation/multibody_form.hpp"
#include "formulation/problem_invariants.hpp"
#include "function/nearest.hpp"
#include "integrate/loop.hpp"
#include "select/choose.hpp"
#include "select/run.hpp"
#include "select/tested_part.hpp"
#include "system/model_size.hpp"

namespace daedalus {
namespace {

void check_options(const Options& o, const Variables& variables, const Method& method) {
  const auto bad = [](const char* field, auto value, const char* allowed) {
    throw InvalidArgument(fmt::format("{}: {} is not allowed; {}", field, value, allowed));
  };
  if (!(o.rtol >= 0.0) || !std::isfinite(o.rtol)) bad("rtol", o.rtol, "give a number >= 0");
  const int of_model = model_size(variables);
  if (!o.atol.scalar() && o.atol.size() != of_model)
    bad("atol", fmt::format("a list of {}", o.atol.size()),
        fmt::format("give one value or {}, one per variable", of_model).c_str());
  for (int i = 0; i < o.atol.size(); ++i) {
    if (!(o.atol.values()[i] >= 0.0) || !std::isfinite(o.atol.values()[i]))
      bad("atol", o.atol.values()[i], "give numbers >= 0");
    if (o.rtol == 0.0 && o.atol.values()[i] == 0.0)
      bad("atol", 0.0, "rtol and atol cannot both be zero");
  }
  const auto length = [&](const char* field, double value) {
    if (!(value >= 0.0) || !std::isfinite(value)) bad(field, value, "give a number >= 0");
  };
  length("initial_step", o.initial_step);
  length("max_step", o.max_step);
  length("min_step", o.min_step);
  length("fixed_step", o.fixed_step);
  length("difference_increment", o.difference_increment);
  for (double h : o.step_sequence)
    if (h == 0.0 || !std::isfinite(h)) bad("step_sequence", h, "steps are finite and not zero");
  if (o.max_steps <= 0) bad("max_steps", o.max_steps, "give a number > 0");
  if (o.max_step > 0.0 && o.min_step > o.max_step)
    bad("min_step", o.min_step, "it must not exceed max_step");
  if (!(o.safety >= 0.0 && o.safety < 1.0))
    bad("safety", o.safety, "give a number in (0, 1), or 0");
  if (!(o.least_ratio >= 0.0 && o.least_ratio < 1.0))
    bad("least_ratio", o.least_ratio, "give a number in (0, 1), or 0");
  if (!(o.largest_ratio == 0.0 || (o.largest_ratio > 1.0 && std::isfinite(o.largest_ratio))))
    bad("largest_ratio", o.largest_ratio, "give a number above 1, or 0");
  if (o.project_output && o.output != Output::times)
    throw InvalidArgument(
        "project_output: only states at output_times are projected; set output to Output::times");
  if (!(o.stabilisation >= 0.0 && o.stabilisation <= 0.2))
    bad("stabilisation", o.stabilisation, "give a number between 0 and 0.2");
  if (o.control != "auto" && !find_control(o.control)) {
    std::vector<std::string> names{"auto"};
    for (const NamedControl& c : all_controls()) names.emplace_back(c.name);
    throw InvalidArgument(fmt::format("control: there is no controller '{}'.{}", o.control,
                                      suggestion(o.control, names)));
  }
  const auto known_variables = [&](const char* field, const std::vector<std::string>& list) {
    for (const std::string& name : list)
      if (variables.find(name) < 0)
        throw InvalidArgument(fmt::format("{}: there is no variable '{}'.{}", field, name,
                                          suggestion(name, variables.names)));
  };
  known_variables("untested", o.untested);
  known_variables("fixed", o.fixed);
  for (const Event& e : o.events) {
    if (!e.when) throw InvalidArgument(fmt::format("events: '{}' has no function 'when'", e.name));
    if (e.action == EventAction::handle && !e.handler)
      throw InvalidArgument(fmt::format("events: '{}' has action 'handle' but no handler", e.name));
  }
  for (const auto& [key, value] : o.method_options) {
    std::vector<std::string> keys;
    for (const MethodOption& m : method.options) keys.push_back(m.key);
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw InvalidArgument(fmt::format("method_options: '{}' has no option '{}'.{}", method.name,
                                        key, suggestion(key, keys)));
    if (!std::isfinite(value)) bad(key.c_str(), value, "give a finite number");
  }
}

}  // namespace

std::unique_ptr<Loop> make_loop(const Problem& problem, const Options& options, double t0) {
  if (!std::isfinite(t0)) throw InvalidArgument("t0: the start time is not finite");
  validate(problem, t0);
  const Choice choice = choose(problem, options);
  check_formulation_options(choice.formulation, options.formulation_options);
  auto owned = std::make_shared<const Problem>(problem);
  std::unique_ptr<System> system =
      lower(owned, choice.formulation, choice.view, lowering_of(options), t0);
  check_options(options, *system->variables, *choice.method);
  system->invariants = problem_invariants(owned, choice.formulation, *system, options);
  StartRequest start = initial_equations(owned, *system);
  for (const std::string& name : options.fixed)
    start.fixed.push_back(system->variables->find(name));
  MethodChoice report{choice.method->name, choice.formulation, "", choice.reason};
  StructureAnalysis analyse = tested_part(options, *choice.method, *system);
  auto loop = std::make_unique<Loop>(std::move(system), *choice.method, options, report,
                                     std::move(start), std::move(analyse));
  if (choice.method->stability == Stability::none)
    loop->suggest_when_stiff(stiff_alternative(problem));
  return loop;
}

void check_end(double t1) {
  if (!std::isfinite(t1))
    throw InvalidArgument(fmt::format("interval: the end time {} is not finite", t1));
}

void check_times(Interval interval, const Options& o, const LongRun& run) {
  const double sign = interval.to >= interval.from ? 1.0 : -1.0;
  const auto check = [&](const char* field, const std::vector<double>& times) {
    double last = interval.from;
    for (double t : times) {
      if (!std::isfinite(t) || sign * (t - last) < 0.0 || sign * (interval.to - t) < 0.0)
        throw InvalidArgument(fmt::format(
            "{}: {} is not allowed; give times inside the interval [{}, {}], in its order", field,
            t, interval.from, interval.to));
      last = t;
    }
  };
  check("output_times", o.output_times);
  check("times_between", run.times_between);
  if (!run.times_between.empty() && o.output != Output::steps)
    throw InvalidArgument("times_between: states are reported between steps with Output::steps");
  for (double h : o.step_sequence)
    if (sign * h < 0.0)
      throw InvalidArgument(
          fmt::format("step_sequence: {} points away from the end of the interval", h));
}

Solution solve(const Problem& problem, Interval interval, const Options& options) {
  return solve(problem, interval, options, LongRun{});
}

Integrator::Integrator(Problem problem, Options options)
    : impl_(new Impl{std::move(problem), std::move(options), nullptr}) {}
Integrator::~Integrator() = default;
Integrator::Integrator(Integrator&&) noexcept = default;
Integrator& Integrator::operator=(Integrator&&) noexcept = default;

Status Integrator::initialize(double t0) { return initialize(t0, t0 + 1.0); }

Status Integrator::initialize(double t0, double towards) {
  check_end(towards);
  impl_->loop = make_loop(impl_->problem, impl_->options, t0);
  impl_->towards = towards;
  impl_->loop->keep_interpolants();
  return impl_->loop->start(model_start(impl_->loop->system(), impl_->problem, t0), towards);
}

StepInfo Integrator::step(double t_end) {
  if (!impl_->loop) throw InvalidArgument("step: call initialize(t0) first");
  return impl_->loop->step(t_end);
}

Status Integrator::run(double t_end) {
  if (!impl_->loop) throw InvalidArgument("run: call initialize(t0) first");
  return impl_->loop->run(t_end);
}

double Integrator::t() const {
  if (!impl_->loop) throw InvalidArgument("t: call initialize(t0) first");
  return impl_->loop->t();
}

ModelState Integrator::state() const {
  if (!impl_->loop) throw InvalidArgument("state: call initialize(t0) first");
  const System& system = impl_->loop->system();
  Eigen::VectorXd y(system.variables->size());
  system.to_model(impl_->loop->current(), y.data());
  return {system.variables, impl_->loop->t(), std::move(y)};
}

ModelState Integrator::interpolate(double t) const {
  if (!impl_->loop) throw InvalidArgument("interpolate: call initialize(t0) first");
  const Interpolant& p = impl_->loop->last_interpolant();
  const double theta = p.h == 0.0 ? -1.0 : (t - p.t0) / p.h;
  if (!(theta >= -1e-12 && theta <= 1.0 + 1e-12))
    throw InvalidArgument(
        fmt::format("interpolate: t = {} is not in the last step [{}, {}]", t, p.t0, p.t0 + p.h));
  const System& system = impl_->loop->system();
  State s;
  s.t = t;
  s.x.resize(system.layout.points());
  Eigen::VectorXd w(system.layout.tangents()), y(system.variables->size());
  p.evaluate(system.layout, t, w, s.x.data());
  system.to_model(s, y.data());
  return {system.variables, t, std::move(y)};
}

const Statistics& Integrator::statistics() const {
  if (!impl_->loop) throw InvalidArgument("statistics: call initialize(t0) first");
  return impl_->loop->statistics();
}
Solution Integrator::solution() const {
  if (!impl_->loop) throw InvalidArgument("solution: call initialize(t0) first");
  return Solution(impl_->loop->result(impl_->seconds_before + seconds_since(impl_->clock)));
}

}  // namespace daedalus
