// SPDX-License-Identifier: BSD-3-Clause
// A part of a sweep given to --merge: a journal, a document or a table, as its first characters
// say. The whole command runs: it merges, or refuses with the exit code of a file or of wrong
// content, in words of its own.
#include <sstream>

#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"
#include "tool/run.hpp"

namespace daedalus::fuzz {

static std::string ending_of(const std::string& content) {
  if (content.starts_with("run_of_")) return ".csv";
  return content.starts_with("{\"sweep\":") ? ".jsonl" : ".json";
}

static void repair_sweep_part(std::string& content) {
  if (ending_of(content) == ".jsonl") repair_journal(content);
}

static void sweep_part_read(const std::uint8_t* data, std::size_t size) {
  const std::string given = text(data, size);
  const std::string path = file("part" + ending_of(given), data, size);
  const std::string out = folder() + "/merged.csv";
  const char* const words[] = {"daedalus", "sweep",     "--quiet", "--partial",
                               "--out",    out.c_str(), "--merge", path.c_str()};
  std::ostringstream said, wrong;
  const int code = cli::run(static_cast<int>(std::size(words)), words, said, wrong);
  if (code < 0 || code > 3) std::abort();
  // Neither the JSON library nor the standard one speaks to users; the input is quoted to them.
  for (const char* foreign :
       {"json.exception", "std::", "basic_string", "--shard has", "--engine has"})
    if (wrong.str().find(foreign) != std::string::npos && given.find(foreign) == std::string::npos)
      std::abort();
}

extern const Target sweep_part_target{"sweep_part", sweep_part_read, repair_sweep_part, true};

}  // namespace daedalus::fuzz
