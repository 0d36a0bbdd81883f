// SPDX-License-Identifier: BSD-3-Clause
// One writer per file on file systems that machines share, where flock is not to be trusted: a lock
// file that only one process can create, and touches while it lives.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace daedalus {

class HeartbeatLock {
 public:
  // Throws FileError where another process writes `guarded`. A lock without a heartbeat for ten
  // minutes, or of a process of this machine that is gone, is taken over, and `warn` is told.
  HeartbeatLock(std::filesystem::path lock, const std::filesystem::path& guarded,
                const std::function<void(const std::string&)>& warn);
  ~HeartbeatLock();
  HeartbeatLock(const HeartbeatLock&) = delete;
  HeartbeatLock& operator=(const HeartbeatLock&) = delete;

 private:
  bool create();
  void take_over_or_refuse(const std::filesystem::path& guarded,
                           const std::function<void(const std::string&)>& warn);
  void beat();

  std::filesystem::path path_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread heart_;
};

}  // namespace daedalus
