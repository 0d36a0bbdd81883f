// SPDX-License-Identifier: BSD-3-Clause
// What every target shares: an input as a file, in memory, and what a reader may do with it. A
// reader returns, or refuses with FileError or InvalidArgument (InvalidModel is one); anything else
// that comes out of it ends the fuzzer.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <daedalus/trajectory_file.hpp>
#include <daedalus/types.hpp>

namespace daedalus::fuzz {

// A folder below /dev/shm, one per process: readers take names, and disks are slow.
inline const std::string& folder() {
  static const std::string path = [] {
    std::string name = access("/dev/shm", W_OK) == 0 ? "/dev/shm/daedalus-fuzz-XXXXXX"
                                                     : "/tmp/daedalus-fuzz-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    static std::string kept;
    kept = name;
    std::atexit([] {
      [[maybe_unused]] const int ignored = std::system(("rm -rf '" + kept + "'").c_str());
    });
    return name;
  }();
  return path;
}

// The bytes as a file of this name.
inline std::string file(const std::string& name, const std::uint8_t* data, std::size_t size) {
  const std::string path = folder() + "/" + name;
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) std::abort();
  for (std::size_t at = 0; at < size;) {
    const ssize_t n = write(fd, data + at, size - at);
    if (n <= 0) std::abort();
    at += static_cast<std::size_t>(n);
  }
  close(fd);
  return path;
}

inline std::string text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// True: it was read.
template <class Read>
bool reads(Read&& read) {
  try {
    read();
    return true;
  } catch (const FileError&) {
  } catch (const InvalidArgument&) {
  }
  return false;
}

// A reader under test. `repair` mends what would refuse a mutated input before the reader proper
// sees it: check sums and hashes.
struct Target {
  const char* name;
  void (*read)(const std::uint8_t* data, std::size_t size);
  void (*repair)(std::string& bytes);
  bool words = false;  // a text in a language: half of the mutations are of its words
};

// Formats with a hash: what was read had the right one.
inline void only_with_its_hash(const std::uint8_t* data, std::size_t size, const Target& target) {
  const std::string given = text(data, size);
  std::string repaired = given;
  target.repair(repaired);
  if (repaired != given) std::abort();
}

}  // namespace daedalus::fuzz
