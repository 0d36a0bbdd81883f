// SPDX-License-Identifier: BSD-3-Clause
// Rows of positions and, behind them, of velocities as one matrix: what ranks, start velocities and
// impacts are computed from.
#pragma once

#include <string>
#include <vector>

#include "mechanism/plan.hpp"

namespace daedalus::mechanism {

// Gradients by the velocities of the bodies, scaled as the rows are. near: unwrapped coordinates
// nearby.
SparseMatrix stacked_rows(const Plan& plan, double t, const Eigen::VectorXd& q,
                          const std::vector<double>& near);

// Of a row of that matrix:
int joint_of_row(const Plan& plan, int row);
std::string row_name(const Plan& plan, int row);  // joint.row
bool follows_time(const Plan& plan, int row);     // a drive prescribes it

}  // namespace daedalus::mechanism
