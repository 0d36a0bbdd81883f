// SPDX-License-Identifier: BSD-3-Clause
// CPU time of the runs that are compared, and a limit on it: a peer that gets stuck must not block
// the rest. The limit is a signal that sets a flag, which costs nothing until it comes; every
// evaluation looks at the flag and refuses once it is set, which ends any solver.
#pragma once

#include <csignal>

namespace daedalus::peers {

extern volatile std::sig_atomic_t expired;

double cpu_seconds();  // of this thread

// From here to the end of the scope `expired` is set after so many seconds of CPU time. A solver
// that never asks for an evaluation again ends the program, much later.
class Deadline {
 public:
  explicit Deadline(double seconds);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
};

}  // namespace daedalus::peers
