// SPDX-License-Identifier: BSD-3-Clause
// What a run notices of itself over many steps.
#pragma once

#include <daedalus/stepper/archive.hpp>
#include <daedalus/stepper/layout.hpp>

namespace daedalus {

// Stability and not accuracy limits the steps: fifteen at the stability boundary with never six in
// a row away from it (Hairer, Wanner II, section IV.2).
class StabilityWatch {
 public:
  // `value` is Attempt::stiffness of a step that ended at t. True: it has just become certain.
  bool add(double value, double t);
  bool certain() const { return memory_.certain; }
  double since() const { return memory_.since; }
  void archive(Archive& a) { a(memory_.at_boundary, memory_.away, memory_.since, memory_.certain); }

 private:
  struct {
    int at_boundary = 0, away = 0;
    double since = 0.0;
    bool certain = false;
  } memory_;
};

// The place with the most rejected steps within the length of the first of them, if there were
// many.
struct Rejections {
  int count = 0;
  double h = 0.0;  // the first one rejected
  State at;
};

class RejectionWatch {
 public:
  void add(const State& from, double h);
  const Rejections& worst() const { return worst_; }
  void start(const State& s);  // of a method: earlier places were looked at by another system
  void archive(Archive& a);

 private:
  struct {
    double t = 0.0, h = 0.0;
    int count = 0;
  } here_;
  Rejections worst_;
};

// An error test that fails with the same value however short the step is.
class StayWatch {
 public:
  // True: so often in a row, within one step, that the step size cannot be the reason.
  bool add(double t, double h, double value);
  // Whether a variable jumps: in one place, with short steps accepted before the jump, the error
  // falls far more slowly than h, and errors of variables that do not jump, which fall like h at
  // least, are below the tolerance by now.
  bool jumps() const;
  void forget() { place_ = {}; }
  void archive(Archive& a) { a(last_, place_, count_); }

 private:
  struct Rejected {
    double t = 0.0, h = 0.0, value = 0.0;
  };
  Rejected last_, place_;
  int count_ = 0;
};

}  // namespace daedalus
