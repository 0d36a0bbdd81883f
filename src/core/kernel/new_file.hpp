// SPDX-License-Identifier: BSD-3-Clause
// A new file beside another, under a name that nobody can foresee: nothing that exists is opened,
// and no symbolic link is followed.
#pragma once

#include <fcntl.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace daedalus {

// Descriptor of a new, empty file TARGET.part-XXXXXXXXXXXX whose name goes to `name`; -1: errno
// says why. Permissions are those of the umask, as for the file it becomes.
inline int create_beside(const std::string& target, std::string& name) {
  for (int tries = 0; tries < 100; ++tries) {
    std::uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random) return -1;
    name = target + ".part-";
    for (int k = 0; k < 12; ++k, random >>= 5)
      name += "abcdefghijklmnopqrstuvwxyz234567"[random & 31u];
    const int file = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

}  // namespace daedalus
