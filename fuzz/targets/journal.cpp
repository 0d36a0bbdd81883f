// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"
#include "tool/sweep_journal.hpp"

DAEDALUS_FUZZ_REPAIR(daedalus::fuzz::repair_journal)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace daedalus;
  const std::string path = fuzz::file("sweep.jsonl", data, size);
  return fuzz::refuses_or_reads(
      [&] { cli::SweepJournal(path, cli::Json{{"problem", "pendulum"}}); });
}
