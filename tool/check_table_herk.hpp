// SPDX-License-Identifier: BSD-3-Clause
// Files of half-explicit Runge-Kutta tables: rows of exact numbers, or a family with its
// parameters.
#pragma once

#include <daedalus/method.hpp>

#include "kernel/herk_table.hpp"
#include "tool/check_table_fields.hpp"

namespace daedalus::cli {

struct ReadHerkTable {
  HerkTable table;
  double residual_bound = 0;  // 0: conditions hold exactly or not at all
};

ReadHerkTable read_herk(TableFields& fields);

// Null for methods of another kind.
Json exported_herk(const Method& method);

}  // namespace daedalus::cli
