// SPDX-License-Identifier: BSD-3-Clause
// Files of results: complete or not there at all.
#pragma once

#include <filesystem>
#include <fstream>

#include <daedalus/trajectory_file.hpp>

#include "io/file_lock.hpp"

namespace daedalus {

// Writes beside the target and takes its name at `commit`, after the bytes have reached the disk.
// The constructor finds out whether the place can be written, so that no run is lost for a
// misspelled folder.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ofstream& stream() { return stream_; }
  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& temporary() const { return temporary_; }
  // Results of a failed run (`good` false) replace nothing: where the target exists they take a
  // name beside it, run.failed.csv, run.failed-2.csv, ... Returns the name taken.
  std::filesystem::path commit(bool good = true);

 private:
  std::filesystem::path target_, temporary_;
  FileLock lock_;
  std::ofstream stream_;
  bool done_ = false;
};

// A new, empty file beside the target, under a name that nobody can foresee. Throws FileError that
// names the target.
std::filesystem::path new_file_beside(const std::filesystem::path& target);
// Throws FileError for a temporary file that a stream could not write: what the system says of it.
[[noreturn]] void refuse_unwritten(const std::filesystem::path& target,
                                   const std::filesystem::path& temporary);
// The target, or for a failed run the first name beside it that is free.
std::filesystem::path final_name(const std::filesystem::path& target, bool good);
// Bytes and name of a file have reached the disk. Throws FileError.
void synchronise(const std::filesystem::path& file);
// Renames and makes the new name permanent. Throws FileError that names the target.
void replace(const std::filesystem::path& from, const std::filesystem::path& target);

}  // namespace daedalus
