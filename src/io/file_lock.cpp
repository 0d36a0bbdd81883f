// SPDX-License-Identifier: BSD-3-Clause
#include "io/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <daedalus/trajectory_file.hpp>

namespace daedalus {

FileLock::FileLock(const std::filesystem::path& target) : name_(target) {
  name_ += ".lock";
  const auto refuse = [&](const std::string& why) {
    throw FileError("'" + target.string() + "' cannot be written: " + why);
  };
  // What is written is put in the place of the target: that may be a file, or a link, never a
  // device or a pipe, which would be gone.
  std::error_code ignored;
  const std::filesystem::file_type kind = std::filesystem::status(target, ignored).type();
  using Type = std::filesystem::file_type;
  if (kind == Type::directory) refuse("it is a folder");
  if (kind != Type::regular && kind != Type::not_found && kind != Type::none)
    refuse("it is a device or a pipe");
  for (int tries = 0; tries < 1000; ++tries) {
    file_ = open(name_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ < 0 && errno == ELOOP) refuse("'" + name_.string() + "' is a symbolic link");
    if (file_ < 0) refuse(std::strerror(errno));
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      close(std::exchange(file_, -1));
      // File systems without locks are rare; a result is worth more than the lock.
      if (error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS) return;
      refuse("it is in use by another run");
    }
    // The owner before us may have removed the name between our open and our lock.
    struct stat ours {
    }, named{};
    if (fstat(file_, &ours) == 0 && lstat(name_.c_str(), &named) == 0 &&
        ours.st_ino == named.st_ino && ours.st_dev == named.st_dev)
      return;
    close(std::exchange(file_, -1));
  }
  refuse("its lock changes hands too fast");
}

FileLock::FileLock(FileLock&& other) noexcept
    : name_(std::move(other.name_)), file_(std::exchange(other.file_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  if (this == &other) return *this;
  release();
  name_ = std::move(other.name_);
  file_ = std::exchange(other.file_, -1);
  return *this;
}

void FileLock::release() {
  if (file_ < 0) return;
  unlink(name_.c_str());
  close(std::exchange(file_, -1));
}

}  // namespace daedalus
