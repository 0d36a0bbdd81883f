// SPDX-License-Identifier: BSD-3-Clause
#include "tool/progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <ostream>

#include <fmt/format.h>

#include "tool/numbers.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// SIGUSR1 is how batch systems warn of the end of a job.
constexpr std::array signals{SIGINT, SIGTERM, SIGHUP, SIGUSR1};
int guards = 0;

// Nothing but a flag: whatever allocates, locks or prints is not allowed here. A second signal of
// any kind ends the program.
extern "C" void on_interrupt(int) {
  interrupted = 1;
  for (const int signal : signals) std::signal(signal, SIG_DFL);
}

constexpr int bar_width = 30;
constexpr const char* wipe = "\r\033[K";

}  // namespace

ProgressBar::ProgressBar(std::ostream& out, bool enabled, double t0, Clock::duration delay)
    : out_(out), enabled_(enabled), t0_(t0), begin_(Clock::now()), next_(begin_ + delay) {}

ProgressBar::~ProgressBar() {
  if (shown_) out_ << wipe << std::flush;
}

void ProgressBar::update(const Progress& progress) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const double part = std::clamp((progress.t - t0_) / (progress.t_end - t0_), 0.0, 1.0);
  const int filled = static_cast<int>(std::lround(part * bar_width));
  out_ << wipe
       << fmt::format("[{}{}] {:3.0f} %  t = {} of {}  {} steps", std::string(filled, '#'),
                      std::string(bar_width - filled, '-'), 100.0 * part, brief(progress.t),
                      brief(progress.t_end), progress.steps);
  if (part > 0.01) out_ << "  about " << brief_time(elapsed * (1.0 - part) / part) << " left";
  out_ << std::flush;
}

RunsLine::RunsLine(std::ostream& out, bool enabled, std::size_t total, Clock::duration delay)
    : out_(out), enabled_(enabled), total_(total), begin_(Clock::now()), next_(begin_ + delay) {}

RunsLine::~RunsLine() { done(); }

void RunsLine::done() {
  if (shown_) out_ << wipe << std::flush;
  shown_ = false;
}

void RunsLine::begin(const std::string& name) {
  if (!enabled_) return;
  ++run_;
  named_ = true;
  name_ = name;
  show({});
}

void RunsLine::update(const Progress& progress) {
  if (!enabled_) return;
  const double done = std::abs(progress.t_end - progress.t);
  if (!named_ && (run_ == 0 || done > last_)) ++run_;
  last_ = done;
  show(fmt::format(", t = {} of {}, {} steps", brief(progress.t), brief(progress.t_end),
                   progress.steps));
}

void RunsLine::show(const std::string& more) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  std::string line = fmt::format("run {}", run_);
  if (total_ > 0) line += fmt::format(" of {}", total_);
  if (!name_.empty()) line += ": " + name_;
  line += more;
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  if (total_ > 0 && run_ > 1)
    line +=
        fmt::format(", about {} left", brief_time(elapsed * static_cast<double>(total_ + 1 - run_) /
                                                  static_cast<double>(run_ - 1)));
  // A line that is broken could not be wiped.
  if (line.size() >= text_width()) line.resize(text_width() - 1);
  out_ << wipe << line << std::flush;
}

InterruptGuard::InterruptGuard() {
  if (guards++ > 0) return;
  interrupted = 0;
  for (std::size_t k = 0; k < signals.size(); ++k) {
    before_[k] = std::signal(signals[k], on_interrupt);
    // Shells start background jobs with interrupts ignored, nohup with hang-ups, and both mean it.
    if (before_[k] == SIG_IGN) std::signal(signals[k], SIG_IGN);
  }
}
InterruptGuard::~InterruptGuard() {
  if (--guards > 0) return;
  for (std::size_t k = 0; k < signals.size(); ++k)
    std::signal(signals[k], before_[k] == SIG_ERR ? SIG_DFL : before_[k]);
}
bool InterruptGuard::requested() { return interrupted != 0; }

}  // namespace daedalus::cli
