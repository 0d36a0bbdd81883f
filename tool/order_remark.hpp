// SPDX-License-Identifier: BSD-3-Clause
// Why a measured order is below what the method claims.
#pragma once

#include <string>
#include <vector>

#include <daedalus/method.hpp>
#include <daedalus/solve.hpp>
#include <daedalus/testing/order.hpp>

namespace daedalus::cli {

// What the method claims for a class of the study; 0: nothing.
double claimed_order(const Method* method, const std::string& cls);

// One sentence per class that misses its claim by more than a quarter, with what the errors show:
// round-off, steps that are too large, steps that do not divide the interval, start-up of multistep
// methods; else where claims do not hold.
std::vector<std::string> order_remarks(const testing::OrderStudy& study, const Method* method,
                                       const Interval& interval);

}  // namespace daedalus::cli
