// SPDX-License-Identifier: BSD-3-Clause
// Finished runs of a sweep in a file, one JSON a line, so that an interrupted sweep goes on where
// it was. The first line says which sweep it is. Each line ends with "check": the hash of the line
// without it and of the check before, so that none can be changed, exchanged or left out. A last
// line without end is one that was being written when the program was killed; it is left out and
// done again.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tool/json.hpp"

namespace daedalus::cli {

class SweepJournal {
 public:
  // identity: what has to be the same for the runs of a file to be those of this sweep. Throws
  // FileError that names file, line and difference.
  SweepJournal(std::filesystem::path path, Json identity);
  const std::vector<Json>& finished() const { return finished_; }
  void add(const Json& run);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void open();
  // Reads what is there; returns how many bytes of it are whole lines.
  std::size_t read(const std::string& text, const Json& identity);

  std::filesystem::path path_;
  std::vector<Json> finished_;
  std::string check_;     // of the last line
  std::size_t size_ = 0;  // of all whole lines
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace daedalus::cli
