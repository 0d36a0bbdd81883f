// SPDX-License-Identifier: BSD-3-Clause
// A kernel of steps as source text, which is both CUDA for NVRTC and plain C++ for a compiler of
// the host: tests run the same text on a processor.
#pragma once

#include <cstddef>
#include <string>

#include "ensemble/lanes/kernel.hpp"

namespace daedalus::gpu {

// What the functions of the source get; the source has the same text. Column k of a table begins at
// k * stride. Where all runs share their start values, or their interval, the step between runs
// is 0.
struct Arguments {
  const double *numbers, *given, *times;  // times: beginning and end
  double *state, *y;
  unsigned char* outcome;
  unsigned int* next;  // run that nobody has taken yet
  long long stride, given_stride, times_stride;
  unsigned int count, given_step, times_step;
  // States at times inside, in their order, for all runs: column k of time j begins at
  // (j * variables + k) * stride. `ended`: times at which runs ended, where conditions end them.
  const double* inside;
  double *series, *ended;
  unsigned int inside_count;
};

// How a run ended: finished, or stopped and the number of the condition; the others are left to the
// library's loop.
enum Outcome : unsigned char { finished = 0, given_up = 1, no_start = 2, stopped = 3 };
// Conditions that an outcome tells apart.
inline constexpr std::size_t max_stops = 250;
inline bool is_done(unsigned char outcome) { return outcome == finished || outcome >= stopped; }

// Functions of the source: daedalus_start finds states and first steps, daedalus_attempts makes
// steps until all runs are done.
inline constexpr const char* start_function = "daedalus_start";
inline constexpr const char* attempts_function = "daedalus_attempts";
// Four groups of 32: blocks are small, so that registers of an ended one are free soon.
inline constexpr int threads_per_block = 128;

// Columns of Arguments::state: the state of the method and the first step.
inline int state_columns(const lanes::Kernel& kernel) { return kernel.state + 1; }

// Programs as lanes::compile makes them, each slot written once. inside: with states at times.
std::string source_of(const lanes::Kernel& kernel, bool inside, bool stops);

}  // namespace daedalus::gpu
