// SPDX-License-Identifier: BSD-3-Clause
// Rows that must vanish, met by the smallest change of the start values, in the error scale or in a
// norm given.
#pragma once

#include <functional>

#include "start/consistent.hpp"

namespace daedalus {

using StartRows = std::function<Outcome(const State& at, Eigen::VectorXd& rows)>;

// Jacobian of rows by central differences over the given tangent coordinates: this runs at starts
// only, on rows that callables give as values.
Outcome row_jacobian(System& system, const State& at, const StartRows& rows, int row_count,
                     const std::vector<int>& columns, Eigen::MatrixXd& J);

// What rounding errors may leave in each row, ten times what the start values of this library are
// solved to: 1e-12 of the row's largest term, sum_j |J_ij x_j|, or of one.
Outcome row_round_off(System& system, const State& at, const StartRows& rows, int row_count,
                      const std::vector<int>& columns, Eigen::VectorXd& limit);

// A change of the given coordinates is scale * y, and the smallest change is that of the shortest
// y. False: there is no such norm here, and the error scale serves.
using ChangeScale =
    std::function<bool(const State& at, const std::vector<int>& columns, Eigen::MatrixXd& scale)>;

// Gauss-Newton with the minimum-norm correction; `columns` are the coordinates that may change
// (those of request.fixed are taken out).
Outcome min_change(System& system, State& state, const StartRequest& request, const StartRows& rows,
                   int row_count, std::vector<int> columns, const ChangeScale& norm = {});

// The columns that are not those of fixed model variables.
std::vector<int> free_columns(const Layout& layout, const std::vector<int>& fixed,
                              std::vector<int> columns);

// Adds the initial equations to a report, scaled like the other rows.
Outcome report_extra(System& system, const State& state, const StartRequest& request,
                     const std::vector<int>& columns, StartReport& report);

}  // namespace daedalus
