// SPDX-License-Identifier: BSD-3-Clause
#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "kernel/new_file.hpp"

namespace daedalus {
namespace {

void synchronise(const std::filesystem::path& path, int flags, bool must) {
  const int file = open(path.c_str(), flags | O_CLOEXEC);
  const bool failed = file < 0 || fsync(file) != 0;
  const int error = errno;
  if (file >= 0) close(file);
  // Some file systems cannot synchronise folders; that is no reason to lose a result.
  if (failed && must && error != EINVAL && error != EROFS)
    throw FileError("'" + path.string() + "' could not be written: " + std::strerror(error));
}

// A stream keeps no reason of a write that failed long ago; one more tells it. Empty: it works now.
std::string reason(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return std::strerror(errno);
  constexpr std::array<char, 4096> block{};
  const bool failed = write(file, block.data(), block.size()) < 0 || fsync(file) != 0;
  const std::string text = failed ? std::strerror(errno) : "";
  close(file);
  return text;
}

}  // namespace

void synchronise(const std::filesystem::path& file) { synchronise(file, O_RDONLY, true); }

void replace(const std::filesystem::path& from, const std::filesystem::path& target) {
  synchronise(from);
  std::error_code error;
  std::filesystem::rename(from, target, error);
  if (error) throw FileError("'" + target.string() + "' could not be written: " + error.message());
  const std::filesystem::path folder = target.parent_path();
  synchronise(folder.empty() ? std::filesystem::path(".") : folder, O_RDONLY | O_DIRECTORY, false);
}

void refuse_unwritten(const std::filesystem::path& target, const std::filesystem::path& temporary) {
  const std::string why = reason(temporary);
  throw FileError("'" + target.string() + "' could not be written" +
                  (why.empty() ? std::string() : ": " + why));
}

std::filesystem::path final_name(const std::filesystem::path& target, bool good) {
  std::error_code ignored;
  if (good || !std::filesystem::exists(target, ignored)) return target;
  for (int k = 1;; ++k) {
    std::filesystem::path other = target;
    other.replace_extension();
    other += k == 1 ? std::string(".failed") : ".failed-" + std::to_string(k);
    other += target.extension();
    if (!std::filesystem::exists(other, ignored)) return other;
  }
}

std::filesystem::path new_file_beside(const std::filesystem::path& target) {
  std::string name;
  const int file = create_beside(target.string(), name);
  if (file < 0)
    throw FileError("'" + target.string() + "' cannot be written: " + std::strerror(errno));
  close(file);
  return name;
}

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
  lock_ = FileLock(target_);
  temporary_ = new_file_beside(target_);
  stream_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!stream_) {
    const int error = errno;
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
    throw FileError("'" + target_.string() + "' cannot be written: " + std::strerror(error));
  }
}

AtomicFile::~AtomicFile() {
  if (done_) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

std::filesystem::path AtomicFile::commit(bool good) {
  stream_.close();
  if (!stream_) refuse_unwritten(target_, temporary_);
  const std::filesystem::path name = final_name(target_, good);
  replace(temporary_, name);
  done_ = true;
  return name;
}

}  // namespace daedalus
