// SPDX-License-Identifier: BSD-3-Clause
// Files of Rosenbrock tables: read into the form of the order checker, written from built-in ones.
//
// Two ways to write a table:
//   alpha, gamma_ij, mu, mu_hat    the notation of the theory (b, b_hat are other names of mu);
//   A, C, m, e                     approach A only, the form of implementations, with
//                                  A = alpha Gamma^-1, C = I/gamma - Gamma^-1, m = mu Gamma^-1,
//                                  e = m - m_hat (Hairer and Wanner II, section IV.7).
#pragma once

#include <daedalus/method.hpp>

#include "lab/rosenbrock_order.hpp"
#include "tool/check_table_fields.hpp"

namespace daedalus::cli {

struct ReadTable {
  analysis::RosenbrockScheme scheme;
  bool embedded = false;  // the file has weights of an embedded solution
};

ReadTable read_rosenbrock(TableFields& fields, bool explicit_in_y);

// Null for methods of another kind.
Json exported_rosenbrock_a(const Method& method);
Json exported_rosenbrock_b(const Method& method);

}  // namespace daedalus::cli
