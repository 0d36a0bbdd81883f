// SPDX-License-Identifier: BSD-3-Clause
// Threads that share one list of work.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace daedalus {

// 0: as many as the machine has cores.
inline std::size_t thread_count(int asked) {
  return asked > 0 ? static_cast<std::size_t>(asked)
                   : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

// The same work on all threads, this one included.
inline void on_threads(std::size_t threads, const std::function<void()>& work) {
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
}

// f(0), ..., f(count - 1), each once. What one throws ends the work and reaches the caller.
inline void parallel_for(std::size_t count, std::size_t threads,
                         const std::function<void(std::size_t)>& f) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::exception_ptr error;
  on_threads(std::min(threads, count), [&] {
    for (std::size_t k = next++; k < count && !stop; k = next++) {
      try {
        f(k);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        stop = true;
      }
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace daedalus
