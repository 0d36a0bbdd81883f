// SPDX-License-Identifier: BSD-3-Clause
// What a run delivered against what is known.
#pragma once

#include <string>
#include <vector>

#include <daedalus/solution.hpp>

#include "soak/case.hpp"

namespace daedalus::soak {

// The accepted steps of a run, as its trace saw them.
class StepSizes {
 public:
  void add(double t, double h) { steps_.push_back({t, h}); }
  double at(double t) const;  // the smaller one of the two steps that meet or surround t
  std::size_t count() const { return steps_.size(); }

 private:
  struct Step {
    double t, h;
  };
  std::vector<Step> steps_;
};

struct Judgement {
  double error = 0.0;
  std::string worst{};
  void take(double value, const std::string& where);
};

// Error of index-k components in units of tolerance (1 + |x|), times h^(k-1) with the step at t
// (Hairer, Wanner 1996, section VII.7; for h < 1).
void judge_state(const Case& c, const StateView& state, double tolerance, const StepSizes& steps,
                 Judgement& judgement);
void judge_conserved(const Case& c, const StateView& start, const StateView& state,
                     double tolerance, Judgement& judgement);
// Number and times of events; a missing or additional one is an error without bound.
void judge_events(const Case& c, const Solution& solution, double tolerance, Judgement& judgement);

}  // namespace daedalus::soak
