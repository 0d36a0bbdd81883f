// SPDX-License-Identifier: BSD-3-Clause
// Output: at steps, at given times, dense, or only the end; always in model variables.
#pragma once

#include <exception>
#include <utility>

#include <daedalus/options.hpp>

#include "integrate/columns.hpp"
#include "integrate/drift.hpp"
#include "integrate/solution_data.hpp"
#include "system/system.hpp"

namespace daedalus {

class Recorder {
 public:
  Recorder(const Options& options, System& system, SolutionData& data);

  // Of LongRun: whether states stay in memory, and times between the steps.
  void configure(bool keep_states, std::vector<double> times_between) {
    keep_ = keep_states;
    between_ = std::move(times_between);
  }
  void record_into(SolutionData& data) { data_ = &data; }
  // What the sink threw since the last call; it is not called any more.
  std::exception_ptr take_exception() { return std::exchange(thrown_, nullptr); }
  void mute(bool on) { muted_ = on; }  // no state reaches the sink
  void follow(Columns* columns) { columns_ = columns; }
  void archive(Archive& a);

  void begin(const State& s, double direction);
  void resume(const Recorder& before);  // of the same run with another system
  // Whether the interpolant of a step to t_new is needed for output.
  bool wants_interpolant(double t_new) const;
  // Before the commit: output times inside the step.
  void inside(const Interpolant& p, double t_new);
  // After the commit.
  void accepted(const State& s);
  void jump(const State& after);  // the other side of a jump, at the same time
  void end(const State& s);

 private:
  void report(const State& s, bool between = false);
  void call_sink(double t);
  const std::vector<double>& times() const {
    return options_.output == Output::times ? options_.output_times : between_;
  }
  void project(State& s);      // Options::project_output
  void watch(const State& s);  // Options::watch_drift
  const Options& options_;
  System& system_;
  SolutionData* data_;
  std::vector<double> between_;
  Columns* columns_ = nullptr;
  bool keep_ = true, muted_ = false;
  std::exception_ptr thrown_;
  std::size_t next_ = 0;
  double direction_ = 1.0;
  State scratch_, projected_;
  DriftMonitor drift_;
  Eigen::VectorXd model_, tangent_, weight_;
};

}  // namespace daedalus
