// SPDX-License-Identifier: BSD-3-Clause
// What a person sees and may do while a run lasts.
#pragma once

#include <array>
#include <chrono>
#include <iosfwd>
#include <string>

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

// The same line for commands of many runs: which one it is, and how far.
class RunsLine {
 public:
  using Clock = ProgressBar::Clock;
  // total 0: not known before.
  RunsLine(std::ostream& out, bool enabled, std::size_t total = 0,
           Clock::duration delay = std::chrono::seconds(1));
  ~RunsLine();
  RunsLine(const RunsLine&) = delete;
  RunsLine& operator=(const RunsLine&) = delete;
  void begin(const std::string& name);
  void done();  // wipes the line, before results are printed
  // Where the runs are started elsewhere, a time that goes back begins the next one.
  void update(const Progress& progress);

 private:
  void show(const std::string& more);
  std::ostream& out_;
  bool enabled_, shown_ = false, named_ = false;
  std::size_t total_, run_ = 0;
  double last_ = 0.0;
  std::string name_;
  Clock::time_point begin_, next_;
};

// While it lives, SIGINT (Ctrl-C), SIGTERM, SIGHUP and SIGUSR1 ask runs to stop at their next step,
// so that what was computed is still reported and written. A second signal ends the program. Guards
// may be nested, in one thread; the outermost counts.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool requested();

 private:
  std::array<void (*)(int), 4> before_{};
};

}  // namespace daedalus::cli
