// SPDX-License-Identifier: BSD-3-Clause
// A run of solve() or of an Integrator: a loop, and with the automatic choice another one when
// stiffness shows or goes away, or the run proves long.
#pragma once

#include <memory>

#include <daedalus/integrator.hpp>
#include <daedalus/solve.hpp>

#include "integrate/loop.hpp"
#include "kernel/run_memory.hpp"
#include "select/choose.hpp"

namespace daedalus {

class Run {
 public:
  // The problem outlives the run, which keeps no copy: large ones take as much memory once more.
  Run(const Problem& problem, const Options& options, double t0);
  Run(const Problem&& problem, const Options& options, double t0) = delete;

  Status start(double towards);
  // A run of the same problem and options that was started towards t_end goes on from there, with
  // the method that was in use. Between two steps.
  void archive(Archive& a, double t_end);
  // What the run began with; data().choice tells what it goes on with.
  const MethodChoice& first_choice() const { return first_; }
  StepInfo step(double t_end);
  Status run(double t_end);
  Loop& loop() { return *loop_; }
  const Loop& loop() const { return *loop_; }
  // With the output at the end; callables may be asked for it.
  std::shared_ptr<const SolutionData> result(double seconds);
  // Its callables ask for the past, by which there are no derivatives.
  bool remembers() const { return !memory_.empty(); }

 private:
  std::unique_ptr<Loop> make(const Options& options, Course course,
                             std::shared_ptr<SolutionData> data);
  void look_for_stiffness(double towards);
  bool explicit_now() const;
  bool has_friction() const;
  // Goes on with the method for that course; false: none fits, and the run stays.
  bool change(Course course, double t_end, const std::string& why);
  Status go_on_with(std::unique_ptr<Loop> next, Course course, double t_end);
  void watch(double t_end);
  void look_at_length(double t_end);
  void explain(double t_end);

  const Problem& problem() const { return *problem_; }

  std::shared_ptr<const Problem> problem_;  // the caller's, or one with start values of its own
  double t0_;
  RunMemory memory_;
  std::unique_ptr<Loop> loop_;
  const Method* method_ = nullptr;
  MethodChoice first_;
  bool automatic_ = false;
  Course course_ = Course::usual;
  bool short_runs_only_ = false;  // the method in use is for short runs
  std::unique_ptr<Loop> other_;   // the explicit one that was left: its equations tell stiffness
  int changes_ = 0, calm_ = 0, limited_ = 0;
  double long_since_ = 0.0;  // where Course::long_run began
  bool told_ = false;        // what a run that went well has to say besides
};

}  // namespace daedalus
