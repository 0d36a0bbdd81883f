// What runs of solve() and of an Integrator share, and what makes a run the one that a checkpoint
// belongs to.
#pragma once

#include <chrono>
#include <memory>

#include <daedalus/integrator.hpp>
#include <daedalus/long_run.hpp>

#include "integrate/checkpoint.hpp"
#include "integrate/loop.hpp"
#include "select/automatic_run.hpp"

namespace daedalus {

void check_end(double t1);
void check_times(Interval interval, const Options& options, const LongRun& run);

// Problem, method and every option that a number of the result may depend on. Callables cannot be
// compared; their start values can.
Identity identity_of(const Problem& problem, Interval interval, const Run& whole,
                     const LongRun& run);

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Integrator::Impl {
  Problem problem;
  Options options;
  std::unique_ptr<Run> run;
  std::chrono::steady_clock::time_point clock = std::chrono::steady_clock::now();
  double towards = 0.0;
  double seconds_before = 0.0;  // of the run that was resumed
  Statistics statistics{};      // what the last call of statistics() told
};

}  // namespace daedalus
