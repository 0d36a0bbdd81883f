// SPDX-License-Identifier: BSD-3-Clause
// Columns for a run: who is asked for, by which equations, by which scheme.
#pragma once

#include <memory>
#include <string>

#include <daedalus/method.hpp>
#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>

#include "formulation/first_order_system.hpp"
#include "integrate/columns.hpp"
#include "system/system.hpp"

namespace daedalus {

struct ColumnRequest {
  std::shared_ptr<const Problem> problem;
  const Options& options;
  const Method& method;
  std::string formulation;  // of the run
  LoweringOptions lowering;
  double t0;
};

// Throws InvalidArgument for requests that cannot be served, before anything runs.
std::unique_ptr<Columns> make_columns(const ColumnRequest& request, System& run);

}  // namespace daedalus
