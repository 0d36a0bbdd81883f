// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/target.hpp"
#include "tool/check_table_kinds.hpp"
#include "tool/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace daedalus;
  return fuzz::refuses_or_reads([&] {
    const cli::Json table = cli::parse_json(fuzz::text(data, size), "table.json");
    cli::TableFields fields(table, "table.json");
    cli::require_kind(fields).check(fields);
  });
}
