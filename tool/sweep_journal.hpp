// SPDX-License-Identifier: BSD-3-Clause
// Finished runs of a sweep in a file, one JSON a line, so that an interrupted sweep goes on where
// it was. The first line says which sweep it is. A last line without end is one that was being
// written when the program was killed; it is left out and done again.
#pragma once

#include <filesystem>
#include <fstream>
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
  std::filesystem::path path_;
  std::vector<Json> finished_;
  std::ofstream stream_;
};

}  // namespace daedalus::cli
