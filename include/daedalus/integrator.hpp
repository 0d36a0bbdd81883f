// SPDX-License-Identifier: BSD-3-Clause
// The same machinery as solve(), one step at a time. The integrator owns its copy of the problem.
#pragma once

#include <memory>
#include <string>

#include <daedalus/checkpoint.hpp>
#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solution.hpp>

namespace daedalus {

class Run;

struct StepInfo {
  double t, h;  // new time and the step that led there
  int order;
  Status status;
};

class Integrator {
 public:
  Integrator(Problem problem, Options options);
  ~Integrator();
  Integrator(Integrator&&) noexcept;
  Integrator& operator=(Integrator&&) noexcept;

  // Consistent start at t0; `towards` tells the direction and scale of the run.
  Status initialize(double t0);
  Status initialize(double t0, double towards);
  StepInfo step(double t_end);  // one accepted step that does not pass t_end
  Status run(double t_end);
  double t() const;
  ModelState state() const;
  ModelState interpolate(double t) const;  // within the last step
  Sensitivity sensitivity() const;         // at t(), with Options::sensitivities
  const Statistics& statistics() const;
  Solution solution() const;  // everything so far

  // The state of the run between two steps, and an integrator of the same problem and options that
  // goes on from it instead of initialize(); it gives the same bits as one that never stopped. One
  // of another problem, method or other options throws InvalidArgument that names the difference.
  Checkpoint checkpoint() const;
  void resume(const Checkpoint& checkpoint);

 private:
  struct Impl;
  // Throw InvalidArgument after a move, and before initialize().
  Impl& whole(const char* function) const;
  Run& running(const char* function) const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace daedalus
