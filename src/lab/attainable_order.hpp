// SPDX-License-Identifier: BSD-3-Clause
// Which order can a linearly implicit method with s stages attain on index-1 systems?
//
// Order p asks for all y-conditions up to p, all z-conditions up to p - 1 and |R(infinity)| < 1
// (Steinebach 1988, theorem 4.4 and section 6.4; Roche 1988 for approach A):
//   approach A   s = 1, 2, 3, 4, 5     order 1, 2, 3, 3, 4;
//   approach B   s = 1, 2, 3, 4, 6     order 1, 2, 3, 3, 4; s = 5 is left open there, this search
//                                      finds order 4.
// The conditions of the generated trees, those that coincide for every table taken once, are solved
// by Levenberg and Marquardt's method in long double from random starts within
//   |alpha_ij|, |beta_ij|, |mu_i| <= largest,  min_gamma <= gamma <= max_gamma.
// A solution is a proof up to rounding, and is confirmed by the order checker. No solution is
// evidence: the least residual over all starts stays away from zero.
#pragma once

#include <vector>

#include "lab/rosenbrock_order.hpp"

namespace daedalus::analysis {

struct OrderSearch {
  int starts = 200;
  int iterations = 300;  // per start
  unsigned number = 1;   // of the sequence of random starts
  double largest = 20;   // bounds of the coefficients
  double min_gamma = 0.1, max_gamma = 3;
  // |R(infinity)| asked for: a bound below one, so that solutions on the border do not count.
  double max_r_infinity = 0.95;
};

struct OrderSearchResult {
  bool found = false;
  int starts = 0;       // used; the search ends with the first solution
  double residual = 0;  // root of the sum of squares: of the solution, else the least of all starts
  RosenbrockScheme scheme;  // the table it belongs to
};

// Is there a table with these stages of this order? Orders up to 4.
OrderSearchResult search_order(bool explicit_in_y, int stages, int order,
                               const OrderSearch& search = {});

// Number of different conditions for order p: 1, 2, 5, 13 (approach A), 1, 2, 6, 18 (approach B).
int condition_count(bool explicit_in_y, int order);

struct AttainableOrder {
  bool explicit_in_y = false;
  int stages = 0;
  int order = 0;              // the highest one found
  OrderSearchResult witness;  // of that order
  OrderSearchResult next;     // of order + 1, not found; starts = 0 where order + 1 > 4
};

AttainableOrder attainable_order(bool explicit_in_y, int stages, const OrderSearch& search = {});

// The table of section 6.4: approach A with 1 to 5 stages, approach B with 1 to 6.
std::vector<AttainableOrder> attainable_order_table(const OrderSearch& search = {});

}  // namespace daedalus::analysis
