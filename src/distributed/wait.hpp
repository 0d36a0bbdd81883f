// SPDX-License-Identifier: BSD-3-Clause
// Waiting for messages. MPI spins, which is best on cores of one's own. Where the launcher was told
// to yield (OMPI_MCA_mpi_yield_when_idle=1), cores are shared, and a rank that sleeps lets the one
// it waits for run.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace daedalus::distributed {

inline bool cores_are_shared() {
  static const bool shared = [] {
    const char* text = std::getenv("OMPI_MCA_mpi_yield_when_idle");
    return text != nullptr && text[0] == '1';
  }();
  return shared;
}

inline void wait_all(int count, MPI_Request* requests) {
  constexpr std::chrono::microseconds shortest{10}, longest{200};
  if (!cores_are_shared()) {
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    return;
  }
  int done = 0;
  for (std::chrono::microseconds pause = shortest;; pause = std::min(2 * pause, longest)) {
    MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace daedalus::distributed
