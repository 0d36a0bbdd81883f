// SPDX-License-Identifier: BSD-3-Clause
#include "peers/deadline.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace daedalus::peers {

volatile std::sig_atomic_t expired = 0;

namespace {

constexpr double patience = 30.0;  // seconds between the refusal and the end of the program
constexpr int exit_stuck = 7;

void expire(int) {
  if (expired) _exit(exit_stuck);
  expired = 1;
}

timeval split(double seconds) {
  const double whole = std::floor(seconds);
  return {static_cast<time_t>(whole), static_cast<suseconds_t>(1e6 * (seconds - whole))};
}

void set_timer(double first, double next) {
  const itimerval timer{split(next), split(first)};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Deadline::Deadline(double seconds) {
  expired = 0;
  struct sigaction action {};
  action.sa_handler = expire;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  // A timer of zero would be none at all.
  set_timer(std::max(seconds, 1e-3), patience);
}

Deadline::~Deadline() { set_timer(0.0, 0.0); }

}  // namespace daedalus::peers
