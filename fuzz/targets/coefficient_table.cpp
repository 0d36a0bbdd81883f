// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/target.hpp"
#include "tool/check_table_kinds.hpp"
#include "tool/json.hpp"

namespace daedalus::fuzz {

static void coefficient_table_read(const std::uint8_t* data, std::size_t size) {
  reads([&] {
    const cli::Json table = cli::parse_json(text(data, size), "table.json");
    cli::TableFields fields(table, "table.json");
    cli::require_kind(fields).check(fields);
  });
}

extern const Target coefficient_table_target{"coefficient_table", coefficient_table_read, nullptr,
                                             true};

}  // namespace daedalus::fuzz
