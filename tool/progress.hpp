// SPDX-License-Identifier: BSD-3-Clause
// What a person sees and may do while a run lasts.
#pragma once

#include <chrono>
#include <iosfwd>

#include <daedalus/options.hpp>

namespace daedalus::cli {

// One line that is rewritten at most ten times a second, first after `delay`.
class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;
  ProgressBar(std::ostream& out, bool enabled, double t0,
              Clock::duration delay = std::chrono::seconds(1));
  ~ProgressBar();  // wipes the line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void update(const Progress& progress);

 private:
  std::ostream& out_;
  bool enabled_;
  bool shown_ = false;
  double t0_;
  Clock::time_point begin_, next_;
};

// While it lives, an interrupt (Ctrl-C) asks the run to stop at its next step, so that what was
// computed is still reported and written. A second interrupt ends the program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool requested();

 private:
  void (*before_)(int);
};

}  // namespace daedalus::cli
