// A run of solve() or of an Integrator: a loop, and with the automatic choice another one when
// stiffness shows or goes away; and what makes a run the one that a checkpoint belongs to.
#pragma once

#include <chrono>
#include <memory>

#include <daedalus/integrator.hpp>
#include <daedalus/long_run.hpp>

#include "integrate/checkpoint.hpp"
#include "integrate/loop.hpp"

namespace daedalus {

class Run {
 public:
  // may_change: another method may go on during the run. A checkpoint holds one method.
  Run(const Problem& problem, const Options& options, double t0, bool may_change = true);

  Status start(double towards);
  StepInfo step(double t_end);
  Status run(double t_end);
  Loop& loop() { return *loop_; }
  const Loop& loop() const { return *loop_; }

 private:
  std::unique_ptr<Loop> make(const Options& options, bool stiff,
                             std::shared_ptr<SolutionData> data);
  void look_for_stiffness(double towards);
  bool explicit_now() const;
  // Goes on with a method for stiff or non-stiff systems; false: none fits, and the run stays.
  bool change(bool stiff, double t_end, const std::string& why);
  void watch(double t_end);
  void explain(double t_end);

  const Problem& problem() const { return *owned_; }

  std::shared_ptr<const Problem> owned_;
  double t0_;
  std::unique_ptr<Loop> loop_;
  const Method* method_ = nullptr;
  bool automatic_ = false;
  bool watched_ = false;         // for stiffness, during the run
  std::unique_ptr<Loop> other_;  // the explicit one that was left: its equations tell stiffness
  int changes_ = 0, calm_ = 0, limited_ = 0;
  bool told_ = false;  // what a run that went well has to say besides
};

void check_end(double t1);
void check_times(Interval interval, const Options& options, const LongRun& run);

// Problem, method and every option that a number of the result may depend on. Callables cannot be
// compared; their start values can.
Identity identity_of(const Problem& problem, Interval interval, const Loop& loop,
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
};

}  // namespace daedalus
