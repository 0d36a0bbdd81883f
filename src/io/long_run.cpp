// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/long_run.hpp>

#include <fmt/format.h>

#include <daedalus/checkpoint_file.hpp>
#include <daedalus/stepper/archive.hpp>
#include <daedalus/trajectory_file.hpp>

#include "io/file_lock.hpp"
#include "kernel/quiet_denormals.hpp"
#include "solve/checkpoint.hpp"
#include "solve/integrator_impl.hpp"

namespace daedalus {
namespace {

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

void check_outside(const LongRun& run, const Checkpoint& from) {
  if (from.outside.empty() != !run.load)
    throw InvalidArgument(fmt::format(
        "resume: the checkpoint '{}' was written by a run with{} an output file, and this one has "
        "{}",
        run.resume, from.outside.empty() ? "out" : "", run.load ? "one" : "none"));
}

}  // namespace

Solution solve(const Problem& problem, Interval interval, const Options& options,
               const LongRun& run) {
  check_end(interval.to);
  check_times(interval, options, run.times_between);
  check_long_run(run);
  const QuietDenormals quiet;
  const auto clock = std::chrono::steady_clock::now();
  double before = 0.0;
  const KeptStates recording{run.keep_states, run.times_between};
  const RunIdentity which{problem, interval, recording};
  // A damaged file is named before anything is computed.
  Checkpoint from;
  FileLock lock;
  if (!run.checkpoint.empty()) lock = FileLock(run.checkpoint);
  if (!run.resume.empty()) from = read_checkpoint(run.resume);
  Run whole(problem, options, interval.from);
  whole.loop().recorder().configure(run.keep_states, run.times_between);
  whole.loop().recorder().mute(!run.resume.empty());
  Status status = whole.start(interval.to);
  if (!run.resume.empty()) {
    try {
      before = load_checkpoint(which, whole, from, fmt::format("the checkpoint '{}'", run.resume));
    } catch (const DamagedArchive& error) {
      throw FileError(
          fmt::format("'{}' cannot be used: section 'state', {}", run.resume, error.what()));
    }
    check_outside(run, from);
    if (run.load) run.load(from.outside);
    whole.loop().recorder().mute(false);
    status = Status::success;
  }
  if (run.checkpoint.empty()) {
    if (status == Status::success) whole.run(interval.to);
    return Solution(whole.result(before + seconds_since(clock)));
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
    Checkpoint now = take_checkpoint(which, whole, before + seconds_since(clock));
    if (run.save) now.outside = run.save();
    write_checkpoint(run.checkpoint, now);
    steps = 0;
    last = std::chrono::steady_clock::now();
  }
  whole.run(interval.to);  // what is to be said at the end
  return Solution(whole.result(before + seconds_since(clock)));
}

}  // namespace daedalus
