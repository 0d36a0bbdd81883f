// SPDX-License-Identifier: BSD-3-Clause
// Half-explicit tables that lose order or diverge, and why: what the conditions of the other tables
// are for. Experiments run them.
#pragma once

#include "kernel/herk_table.hpp"

namespace daedalus {

// The classical method of order 4 and that of Dormand and Prince with gamma_ij = a_{i+1,j} in all
// stages: no explicit first stage, so the first slope is a chord of the manifold. Order 2 in y, 1
// in z (Arnold 1998, (3.63) and Remark 21). z_{n+1} = Z_s.
HerkTable rk4_without_explicit_stage();
HerkTable dopri5_without_explicit_stage();

// The four stages of HENEW4 without the fifth, z_{n+1} = Z_4: q_y = 4, q_z = 2, but kappa = 1, as
// it must be with four stages. Order 4 in y, only 2 instead of 3 in z (Arnold 1998, Example 22 c).
HerkTable henew4_kappa_one();

// The same with other weights d: kappa = 3/2, and the method diverges (Arnold 1998, Remark 18).
HerkTable henew4_kappa_three_halves();

// The method of Dormand and Prince with a last row for q_z = 2 alone, c_8 = 4/5, a_82 = a_85 = 0,
// a_87 = 1/10: order 5 in y, 3 in z (Arnold 1998, Corollary 3 and Example 22 d).
HerkTable dopri5_low_z_order();

}  // namespace daedalus
