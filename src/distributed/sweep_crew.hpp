// SPDX-License-Identifier: BSD-3-Clause
// The threads of one rank that compute, so that the thread that talks is free to answer.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "distributed/sweep_message.hpp"

namespace daedalus::distributed {

class Crew {
 public:
  using Make = std::function<EnsembleTask(std::size_t)>;
  Crew(int threads, const Make& make, std::function<bool()> cancel);
  ~Crew();  // cancels what is running
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void give(std::span<const std::size_t> runs);
  // Running solves end within a step, waiting runs are dropped.
  void stop();
  // What ended since the last call. Throws what a thread could not make a failed run of.
  std::vector<NumberedRun> take();
  bool waiting() const;  // for a thread
  bool idle() const;     // nothing waits, runs, or is to be taken
  double mean_seconds() const;
  // Until something ended, or that long.
  void pause(std::chrono::microseconds longest);

 private:
  void work();

  const Make& make_;
  std::function<bool()> cancel_;
  mutable std::mutex mutex_;
  std::condition_variable begin_, ended_;
  std::deque<std::size_t> open_;
  std::vector<NumberedRun> finished_;
  std::exception_ptr error_;
  int running_ = 0;
  std::size_t made_ = 0;
  double seconds_ = 0.0;
  std::atomic<bool> stop_ = false;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace daedalus::distributed
