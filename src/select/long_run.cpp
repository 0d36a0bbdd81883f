#include <daedalus/long_run.hpp>

#include <fmt/format.h>

#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "kernel/quiet_denormals.hpp"
#include "select/run.hpp"

namespace daedalus {
namespace {

struct Saved {
  double seconds = 0.0;  // that the run had taken
  std::string outside;
};

void save(const std::string& file, const Problem& problem, Interval interval, Run& whole,
          const LongRun& run, const Saved& extra) {
  Checkpoint c;
  c.identity = identity_of(problem, interval, whole, run);
  Archive archive;
  double seconds = extra.seconds;
  archive(seconds);
  whole.archive(archive, interval.to);
  c.state = archive.bytes();
  c.outside = extra.outside;
  write_checkpoint(file, c);
}

// `whole` was started at t0, so that its work arrays exist.
Saved load(const std::string& file, const Problem& problem, Interval interval, Run& whole,
           const LongRun& run) {
  Checkpoint c = read_checkpoint(file);
  require_same(file, c.identity, identity_of(problem, interval, whole, run));
  if (c.outside.empty() != !run.load)
    throw InvalidArgument(fmt::format(
        "resume: the checkpoint '{}' was written by a run with{} an output file, and this one has "
        "{}",
        file, c.outside.empty() ? "out" : "", run.load ? "one" : "none"));
  Saved saved;
  Archive archive(std::move(c.state));
  archive(saved.seconds);
  whole.archive(archive, interval.to);
  saved.outside = std::move(c.outside);
  return saved;
}

// What it throws ends the run at the next step, which asks again.
bool asks_to_cancel(const Options& options) {
  try {
    return options.cancel && options.cancel();
  } catch (...) {
    return false;
  }
}

void check_long_run(const LongRun& run) {
  if (!(run.checkpoint_seconds >= 0.0))
    throw InvalidArgument(fmt::format("checkpoint_seconds: {} is not allowed; give a number >= 0",
                                      run.checkpoint_seconds));
  if (run.checkpoint_steps < 0)
    throw InvalidArgument(fmt::format("checkpoint_steps: {} is not allowed; give a number >= 0",
                                      run.checkpoint_steps));
}

}  // namespace

Solution solve(const Problem& problem, Interval interval, const Options& options,
               const LongRun& run) {
  check_end(interval.to);
  check_times(interval, options, run);
  check_long_run(run);
  const QuietDenormals quiet;
  const auto clock = std::chrono::steady_clock::now();
  double before = 0.0;
  // A damaged file is named before anything is computed.
  if (!run.resume.empty()) read_checkpoint(run.resume);
  Run whole(problem, options, interval.from);
  whole.loop().recorder().configure(run.keep_states, run.times_between);
  whole.loop().recorder().mute(!run.resume.empty());
  Status status = whole.start(interval.to);
  if (!run.resume.empty()) {
    const Saved saved = load(run.resume, problem, interval, whole, run);
    before = saved.seconds;
    if (run.load) run.load(saved.outside);
    whole.loop().recorder().mute(false);
    status = Status::success;
  }
  if (run.checkpoint.empty()) {
    if (status == Status::success) whole.run(interval.to);
    return Solution(whole.loop().result(before + seconds_since(clock)));
  }
  auto last = std::chrono::steady_clock::now();
  long steps = 0;
  const auto due = [&] {
    if (run.checkpoint_steps > 0) return steps >= run.checkpoint_steps;
    return asks_to_cancel(options) || seconds_since(last) >= run.checkpoint_seconds;
  };
  while (status == Status::success && whole.loop().t() != interval.to) {
    status = whole.step(interval.to).status;
    ++steps;
    if (status != Status::success || whole.loop().t() == interval.to || !due()) continue;
    save(run.checkpoint, problem, interval, whole, run,
         {before + seconds_since(clock), run.save ? run.save() : std::string()});
    steps = 0;
    last = std::chrono::steady_clock::now();
  }
  whole.run(interval.to);  // what is to be said at the end
  return Solution(whole.loop().result(before + seconds_since(clock)));
}

void Integrator::save(const std::string& file) const {
  Loop& loop = running("save").loop();
  if (loop.status() != Status::success)
    throw InvalidArgument(fmt::format("save: the run has ended with {}", to_string(loop.status())));
  daedalus::save(file, impl_->problem, {loop.data().start_time, impl_->towards}, *impl_->run, {},
                 {impl_->seconds_before + seconds_since(impl_->clock), {}});
}

void Integrator::resume(const std::string& file) {
  whole("resume");
  const Checkpoint c = read_checkpoint(file);
  const auto number = [&](const std::string& name) {
    for (const auto& [key, value] : c.identity)
      if (key == name) return std::stod(value);
    throw InvalidArgument("resume: the checkpoint does not say " + name);
  };
  const double t0 = number("t0"), towards = number("t_end");
  const QuietDenormals quiet;
  auto run = std::make_unique<Run>(impl_->problem, impl_->options, t0);
  run->loop().keep_interpolants();
  run->loop().recorder().mute(true);
  run->start(towards);
  const Saved saved = load(file, impl_->problem, {t0, towards}, *run, {});
  run->loop().recorder().mute(false);
  impl_->run = std::move(run);
  impl_->towards = towards;
  impl_->seconds_before = saved.seconds;
  impl_->clock = std::chrono::steady_clock::now();
}

}  // namespace daedalus
