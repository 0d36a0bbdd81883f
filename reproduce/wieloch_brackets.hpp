// SPDX-License-Identifier: BSD-3-Clause
// How many brackets [a, b] a step takes, counted in the functions that evaluate the formulas.
#pragma once

#include <daedalus/lie/multistep.hpp>

namespace daedalus::experiments::wieloch {

// An explicit correction term is evaluated once, an implicit one in every Newton iteration.
double brackets_of_bliedf(const lie::CorrectionSet& set, double iterations);
// dexpinv_k in every iteration, BCH_k for the coordinates i = 3, ..., k of the past.
double brackets_of_mkbdf(int k, double iterations);

}  // namespace daedalus::experiments::wieloch
