// SPDX-License-Identifier: BSD-3-Clause
// What machine code calls.
#pragma once

#include "graph/program.hpp"

namespace daedalus::graph {

// double (*)(double) or double (*)(double, double): the function the interpreter calls, too.
const void* library_function(Op op);
void sine_cosine_from_code(double x, double* both);
double look_up_from_code(const LookUp* table, const double* x, int n);
double external_from_code(const External* function, const double* x, int n);

}  // namespace daedalus::graph
