// SPDX-License-Identifier: BSD-3-Clause
// Two runs never write one file: who writes NAME holds NAME.lock. The kernel gives the lock back
// when its owner dies, so that a file left by a killed run stops nobody.
#pragma once

#include <filesystem>

namespace daedalus {

class FileLock {
 public:
  FileLock() = default;
  // Throws FileError: another run holds it, or the folder cannot be written.
  explicit FileLock(const std::filesystem::path& target);
  ~FileLock() { release(); }
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  void release();

 private:
  std::filesystem::path name_;
  int file_ = -1;
};

}  // namespace daedalus
