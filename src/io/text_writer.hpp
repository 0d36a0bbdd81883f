// SPDX-License-Identifier: BSD-3-Clause
// Text that goes to a file while it is made, so that memory does not grow with it.
#pragma once

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include <daedalus/trajectory_file.hpp>

namespace daedalus::files {

// Buffers lines; a stream's own formatting takes most of the time of long files.
class TextWriter {
 public:
  explicit TextWriter(const std::filesystem::path& file)
      : file_(file), stream_(file, std::ios::binary | std::ios::trunc) {}
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<T>(values)...);
    if (buffer_.size() > max_buffer) flush();
  }
  void close() {
    flush();
    stream_.close();
    if (!stream_)
      throw FileError("'" + file_.string() + "' could not be written: " + std::strerror(errno));
  }

 private:
  // Bytes before they are written: large enough that the number of system calls does not matter.
  static constexpr std::size_t max_buffer = 1u << 20;

  void flush() {
    stream_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }
  std::filesystem::path file_;
  std::ofstream stream_;
  fmt::memory_buffer buffer_;
};

}  // namespace daedalus::files
