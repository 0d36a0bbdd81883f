// SPDX-License-Identifier: BSD-3-Clause
// Evaluations are counted where they happen, per phase of the run.
#pragma once

#include <array>

#include <daedalus/solution.hpp>

namespace daedalus {

class Counter {
 public:
  Counts& now() { return phases_[static_cast<std::size_t>(phase_)]; }
  Phase phase() const { return phase_; }
  const std::array<Counts, phase_count>& phases() const { return phases_; }
  std::array<Counts, phase_count>& phases() { return phases_; }

 private:
  friend class PhaseScope;
  std::array<Counts, phase_count> phases_{};
  Phase phase_ = Phase::start;
};

// Counts into another phase until the end of the scope.
class PhaseScope {
 public:
  PhaseScope(Counter& counter, Phase phase) : counter_(counter), before_(counter.phase_) {
    counter.phase_ = phase;
  }
  ~PhaseScope() { counter_.phase_ = before_; }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  Counter& counter_;
  Phase before_;
};

}  // namespace daedalus
