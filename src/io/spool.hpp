// SPDX-License-Identifier: BSD-3-Clause
// States on the disk while a run lasts: names, then rows of fixed size, each with a check sum of
// its own, so that what a killed run leaves can be told from what it was still writing.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "io/trajectory_formats.hpp"
#include "kernel/crc32.hpp"

namespace daedalus {

class Spool {
 public:
  // TARGET.part, where a resumed run finds it, or a name nobody can foresee. Throws FileError.
  Spool(const std::filesystem::path& target, bool to_be_found);
  explicit Spool(const std::filesystem::path& leftover);  // of a killed run, to be read
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  static bool is_one(const std::filesystem::path& file);
  bool found() const { return found_; }  // it existed before
  bool exists() const { return found_ || begun(); }
  bool begun() const { return head_ > 0; }
  long states() const { return count_; }
  void begin(const std::vector<std::string>& names);
  void add(double t, const double* y);
  // How far it is written, on the disk; and back to such a place: returns the last time there.
  std::string mark();
  double go_back(const std::string& mark);
  files::Rows rows();
  void remove();

  // Of a leftover: the states before the first that is not whole; throws FileError if none is.
  long take_what_is_whole();
  std::size_t lost_bytes() const { return lost_; }

 private:
  [[noreturn]] void fail(const char* what) const;
  void open(int flags);
  void write(const void* data, std::size_t size);
  void read_head();
  bool read_row();  // false: it ends or its check sum differs
  std::uint64_t check_of_row() const;
  std::size_t row_bytes() const { return row_.size() * sizeof(double) + sizeof(std::uint64_t); }
  std::uint64_t size_on_disk() const;
  void each(const std::function<void(const double*)>& use);

  std::filesystem::path target_, path_;
  bool found_ = false;
  std::FILE* file_ = nullptr;
  std::vector<std::string> names_;
  std::size_t head_ = 0;  // bytes before the first row
  long count_ = 0, at_row_ = 0;
  std::size_t lost_ = 0;
  Crc32 crc_;  // of everything so far
  std::vector<double> row_;
  std::uint64_t check_ = 0;  // of the row
};

}  // namespace daedalus
