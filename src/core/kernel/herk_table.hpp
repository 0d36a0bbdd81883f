// SPDX-License-Identifier: BSD-3-Clause
// Coefficients of half-explicit Runge-Kutta methods for y' = f(t, y, z), 0 = g(t, y) (Arnold 1998,
// (3.21)): for i = 1, ..., stages
//   Y_i   = y_n + h sum_{j<i}  a_ij f(Y_j, Z_j),
//   eta_i = y_n + h sum_{j<=i} gamma_ij f(Y_j, Z_j),   g(eta_i) = 0 defines Z_i,
//   y_{n+1} = y_n + h sum_{j<=s} b_j f(Y_j, Z_j),      z_{n+1} = sum_j d_j Z_j,
// where an explicit first stage (gamma_11 = 0) takes Z_1 = z_n. Numbers are exact texts, so that
// the table that runs is the table that is checked in exact arithmetic.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace daedalus {

// A fraction, a decimal, or a sum of such multiples of 1 and one square root: "-56/15", "0.25",
// "1/6 - 1/108 sqrt(3)".
using ExactText = std::string;

struct HerkTable {
  std::string name{};
  std::vector<std::vector<ExactText>> a{};      // row i: a_i1 .. a_i,i-1; as many rows as stages
  std::vector<std::vector<ExactText>> gamma{};  // row i: gamma_i1 .. gamma_ii
  std::vector<ExactText> b{};                   // s <= stages entries
  std::vector<ExactText> d{};                   // one per stage
  std::vector<ExactText> embedded{};            // one per stage; empty: no embedded solution

  int stages() const { return static_cast<int>(a.size()); }
};

// The value of an ExactText in a field: Field{} is constructible from long long and has + - * /;
// root(n) gives the square root of n. Throws InvalidArgument naming the text.
template <class Field, class Root>
Field exact_value(std::string_view text, Root&& root);

// The same in floating point.
template <class S>
S number(std::string_view text);

// The table in floating point, rows padded with zeros to `stages` entries.
template <class S>
struct HerkNumbers {
  int stages = 0, weights = 0;  // weights: s
  std::vector<std::vector<S>> a, gamma;
  std::vector<S> b, d, embedded;
  std::vector<S> c, c_hat;      // row sums of a and of gamma (c_hat[i] belongs to eta_i)
  bool explicit_first = false;  // gamma_11 = 0: Z_1 = z_n
  // eta_i = Y_{i+1} for all i from 2 (from 1 without explicit stage) on, where row `stages` + 1 of
  // a is the last row of gamma: one constraint matrix per stage serves two stage systems.
  bool next_point = false;
  // The last stage but one of gamma is b, and d is the last unit vector: y_{n+1} = Y_stages,
  // z_{n+1} = Z_stages, and the last stage is the first of the next step.
  bool first_same_as_last = false;

  explicit HerkNumbers(const HerkTable& table);
};

}  // namespace daedalus

#include "kernel/herk_table_impl.hpp"
