// SPDX-License-Identifier: BSD-3-Clause
#include "io/journal.hpp"
#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"

namespace daedalus::fuzz {

extern const Target journal_target;

// A line that was cut off at the end is left out.
static std::size_t whole_lines(const std::uint8_t* data, std::size_t size) {
  while (size > 0 && data[size - 1] != '\n') --size;
  return size;
}

static void journal_read(const std::uint8_t* data, std::size_t size) {
  const std::string path = file("sweep.jsonl", data, size);
  if (reads([&] {
        Journal(path, json::Json{{"problem", "pendulum"}}, JournalKind{"sweep", "run"});
      }))
    only_with_its_hash(data, whole_lines(data, size), journal_target);
}

const Target journal_target{"journal", journal_read, repair_journal, true};

}  // namespace daedalus::fuzz
