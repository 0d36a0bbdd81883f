// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/solve.hpp>

#include <fmt/format.h>

#include <cmath>

#include "kernel/quiet_denormals.hpp"
#include "solve/integrator_impl.hpp"

namespace daedalus {

void check_end(double t1) {
  if (!std::isfinite(t1))
    throw InvalidArgument(fmt::format("interval: the end time {} is not finite", t1));
}

void check_times(Interval interval, const Options& o, const std::vector<double>& times_between) {
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
  check("times_between", times_between);
  if (!times_between.empty() && o.output != Output::steps)
    throw InvalidArgument("times_between: states are reported between steps with Output::steps");
  for (double h : o.step_sequence)
    if (sign * h < 0.0)
      throw InvalidArgument(
          fmt::format("step_sequence: {} points away from the end of the interval", h));
}

Solution solve(const Problem& problem, Interval interval, const Options& options) {
  check_end(interval.to);
  check_times(interval, options);
  const QuietDenormals quiet;
  const auto clock = std::chrono::steady_clock::now();
  Run run(problem, options, interval.from);
  if (run.start(interval.to) == Status::success) run.run(interval.to);
  return Solution(run.result(seconds_since(clock)));
}

Integrator::Integrator(Problem problem, Options options)
    : impl_(new Impl{std::move(problem), std::move(options), nullptr}) {}
Integrator::~Integrator() = default;
Integrator::Integrator(Integrator&&) noexcept = default;
Integrator& Integrator::operator=(Integrator&&) noexcept = default;

Integrator::Impl& Integrator::whole(const char* function) const {
  if (!impl_)
    throw InvalidArgument(
        fmt::format("{}: the integrator was moved from; use the one it was moved to", function));
  return *impl_;
}

Run& Integrator::running(const char* function) const {
  Impl& impl = whole(function);
  if (!impl.run) throw InvalidArgument(fmt::format("{}: call initialize(t0) first", function));
  return *impl.run;
}

Status Integrator::initialize(double t0) { return initialize(t0, t0 + 1.0); }

Status Integrator::initialize(double t0, double towards) {
  Impl& impl = whole("initialize");
  check_end(towards);
  const QuietDenormals quiet;
  impl.run = std::make_unique<Run>(impl.problem, impl.options, t0);
  impl.towards = towards;
  impl.run->loop().keep_interpolants();
  return impl.run->start(towards);
}

StepInfo Integrator::step(double t_end) {
  Run& run = running("step");
  const QuietDenormals quiet;
  return run.step(t_end);
}

Status Integrator::run(double t_end) {
  Run& run = running("run");
  const QuietDenormals quiet;
  return run.run(t_end);
}

double Integrator::t() const { return running("t").loop().t(); }

ModelState Integrator::state() const {
  Loop& loop = running("state").loop();
  const System& system = loop.system();
  Eigen::VectorXd y(system.variables->size());
  system.to_model(loop.current(), y.data());
  return {system.variables, loop.t(), std::move(y)};
}

Sensitivity Integrator::sensitivity() const {
  const Loop& loop = running("sensitivity").loop();
  const SensitivityData& data = loop.data().sensitivities;
  if (!loop.columns())
    throw InvalidArgument("sensitivity: name parameters or start values in Options::sensitivities");
  return {data.names, data.classes, loop.t(), loop.columns()->now()};
}

ModelState Integrator::interpolate(double t) const {
  Loop& loop = running("interpolate").loop();
  const Interpolant& p = loop.last_interpolant();
  const double theta = p.h == 0.0 ? -1.0 : (t - p.t0) / p.h;
  if (!(theta >= -1e-12 && theta <= 1.0 + 1e-12))
    throw InvalidArgument(
        fmt::format("interpolate: t = {} is not in the last step [{}, {}]", t, p.t0, p.t0 + p.h));
  loop.ask_inside(t);
  const System& system = loop.system();
  State s;
  s.t = t;
  s.x.resize(system.layout.points());
  Eigen::VectorXd w(system.layout.tangents()), y(system.variables->size());
  p.evaluate(system.layout, t, w, s.x.data());
  system.to_model(s, y.data());
  return {system.variables, t, std::move(y)};
}

const Statistics& Integrator::statistics() const {
  const Run& run = running("statistics");
  return impl_->statistics = run.loop().statistics();
}
Solution Integrator::solution() const {
  return Solution(running("solution").result(impl_->seconds_before + seconds_since(impl_->clock)));
}

}  // namespace daedalus
