// SPDX-License-Identifier: BSD-3-Clause
// Whether tasks can be run in lanes, and with what. Decided once per ensemble from a few tasks;
// a task that turns out to be different is left to the library's own loop.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <daedalus/ensemble.hpp>

#include "ensemble/lanes/capture.hpp"
#include "ensemble/lanes/kernel.hpp"
#include "ensemble/lanes/machine_code.hpp"

namespace daedalus::lanes {

// For tests and measurements; the standard is the best that there is.
struct Way {
  std::string set{};  // instruction set; empty: the best
  int width = 0;
  bool code = true;   // machine code where possible
  bool lanes = true;  // false: programs alone, for other machines
  // Which parameters by name differ between runs; empty: all may.
  std::vector<char> varied{};
};

struct Plan {
  Capture capture;
  std::vector<double> numbers;  // of the first task
  std::vector<char> fixed;      // which of them all tasks share
  int parameters = 0;           // that are not fixed
  Settings settings;
  Options options;                 // of the first task
  std::vector<double> times;       // the same
  std::vector<std::string> stops;  // names of the conditions
  bool functional = false;
  Kernel kernel;
  const Functions* functions = nullptr;                         // null: no lanes
  std::shared_ptr<const MachineCode> start_code, attempt_code;  // null: interpreted
  std::string description;  // method, lanes, machine code or not

  explicit Plan(Capture c) : capture(std::move(c)) {}
  bool same_options(const Options& o) const;
};

// The numbers and start values of another task, with a capture of this thread. False: it computes
// something else, or other options.
struct TaskNumbers {
  std::vector<double> parameters, given;  // the first ones are those that are not fixed
};
bool read_task(const Plan& plan, Capture& capture, const EnsembleTask& task, TaskNumbers& numbers);

// Whether times are in their order, inside the interval.
bool are_inside(const std::vector<double>& times, const Interval& interval);

// Why a task cannot be run in lanes whatever its callables do; empty: it can.
std::string refusal(const EnsembleTask& task, bool forced);

// Null, with a reason, where the tasks cannot be run in lanes. forced: methods that the library
// would not choose, too.
std::shared_ptr<const Plan> make_plan(const std::vector<EnsembleTask>& probes, bool forced,
                                      std::string& reason, const Way& way = {});

}  // namespace daedalus::lanes
