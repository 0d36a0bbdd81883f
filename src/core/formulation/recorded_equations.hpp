// SPDX-License-Identifier: BSD-3-Clause
// The equations of every problem form as F(t, x, x') = 0 over recorded numbers. Multibody problems
// stand as they are, in x = (q, v, c, s, lambda) and, with contact coordinates, the multipliers mu
// of h:
//   q' = R(q) v,   M v' = f - R^T (g_q^T lambda + h_q^T mu) - A^T lambda_n,   c' = d,   0 = h,
//   0 = g,   0 = A v + a,   0 = g_s^T lambda + h_s^T mu,
// where R v is T v, or the rate of a point of a group with velocity v. Points of groups are
// coordinates here (rotation matrices, quaternions), which stay on the group by themselves. Forces
// of multibody problems that are given over first derivatives alone are replaced by their tangents.
#pragma once

#include <memory>
#include <string>

#include <daedalus/problem.hpp>

#include "formulation/parameters.hpp"
#include "system/equation_series.hpp"

namespace daedalus {

// Null where a callable gives values only; `why`, if given, then names it.
std::unique_ptr<EquationSeries> recorded_equations(std::shared_ptr<const Problem> problem,
                                                   Modes modes, std::string* why = nullptr);

}  // namespace daedalus
