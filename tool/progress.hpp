// SPDX-License-Identifier: BSD-3-Clause
// What a person sees and may do while a run lasts.
#pragma once

#include <array>
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

// While it lives, SIGINT (Ctrl-C), SIGTERM and SIGHUP ask runs to stop at their next step, so that
// what was computed is still reported and written. A second signal ends the program. Guards may be
// nested, in one thread; the outermost counts.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool requested();

 private:
  std::array<void (*)(int), 3> before_{};
};

}  // namespace daedalus::cli
