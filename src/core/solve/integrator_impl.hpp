// SPDX-License-Identifier: BSD-3-Clause
// What runs of solve(), of an Integrator and of long runs (component io) share.
#pragma once

#include <chrono>
#include <memory>

#include <daedalus/integrator.hpp>

#include "integrate/loop.hpp"
#include "solve/automatic_run.hpp"

namespace daedalus {

void check_end(double t1);
// `times_between`: of a long run.
void check_times(Interval interval, const Options& options,
                 const std::vector<double>& times_between = {});

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
