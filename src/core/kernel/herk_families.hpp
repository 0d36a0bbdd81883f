// SPDX-License-Identifier: BSD-3-Clause
// Families of half-explicit Runge-Kutta methods with explicit first stage (Arnold 1998, Example
// 22), with gamma_ij = a_{i+1,j} for i >= 2. Parameters are exact texts, and so are the tables: any
// fraction, and one square root, gives a table that fulfils its order conditions exactly.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernel/herk_table.hpp"

namespace daedalus {

// All throw InvalidArgument naming the parameter that is singular or no number.

// Order 2 in y, 1 in z: b_2 = 1 / (2 c2), d = b (Example 22 a); c2 is not 0.
HerkTable herk2_table(const ExactText& c2);

// Order 3 in y, 2 in z: b = (1/4, 0, 3/4), c_3 = 2/3 (Example 22 b); c2 is not 0.
HerkTable herk3_table(const ExactText& c2);

// Order 4 in y, 3 in z: b = (1/6, 0, 2/3, 1/6), a fifth stage for z alone whose row solves (3.78)
// (Example 22 c); c2 is not 0, c6 none of 0, 1/2, 1. The c6 of HENEW4 maximises |a_65| on (0, 1).
HerkTable henew4_table(const ExactText& c2 = "2/5", const ExactText& c6 = "1/2 - 1/6 sqrt(3)",
                       const ExactText& a62 = "0");

// Order 5 in y, 4 in z: the method of Dormand and Prince, a seventh stage for z alone whose row
// solves (3.79) (Table 3.4); c8 is not 1, a87 not 0. With embedded weights of order 4.
HerkTable hedop5_table(const ExactText& c8 = "19/20", const ExactText& a87 = "-3280/75413");

// Weights, one per stage of hedop5_table, of the dense output of Dormand and Prince at t_n + theta
// h (Hairer, Noersett, Wanner I, section II.6): all conditions up to order 3, and those of order 4
// whose tree is not f[u].
std::vector<ExactText> hedop5_dense_weights(const ExactText& theta);

struct HerkParameter {
  std::string_view name;
  std::string_view usual;  // empty: it has to be given
};

struct HerkFamily {
  std::string_view name;
  std::vector<HerkParameter> parameters;
  HerkTable (*make)(std::span<const ExactText> parameters);
};

std::span<const HerkFamily> herk_families();

}  // namespace daedalus
