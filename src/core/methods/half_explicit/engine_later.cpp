// SPDX-License-Identifier: BSD-3-Clause
// Values inside a step by stages after its end: y by the polynomial of the table, z by one through
// points where it follows from y.
#include <array>

#include "kernel/at.hpp"
#include "methods/half_explicit/engine.hpp"

namespace daedalus::half_explicit {
namespace {

// What r_1 .. r_4 of order8_table.hpp are multiplied with, theta^2 (1 - theta)^2 and so on, by
// powers of theta from the second on.
constexpr std::array<std::array<double, 6>, 4> shape{{
    {1.0, -2.0, 1.0, 0.0, 0.0, 0.0},
    {0.0, 1.0, -2.0, 1.0, 0.0, 0.0},
    {0.0, 1.0, -3.0, 3.0, -1.0, 0.0},
    {0.0, 0.0, 1.0, -3.0, 3.0, -1.0},
}};

// Column j: the polynomial that is 1 at node j and 0 at the others, powers ascending.
std::vector<std::vector<double>> interpolation(const std::vector<double>& nodes) {
  const std::size_t n = nodes.size();
  std::vector<std::vector<double>> result(n, std::vector<double>(n, 0.0));
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<long double> p{1.0L};
    for (std::size_t i = 0; i < n; ++i) {
      if (i == j) continue;
      const long double scale = 1.0L / (static_cast<long double>(nodes[j]) - nodes[i]);
      p.push_back(0.0L);
      for (std::size_t k = p.size(); k-- > 0;)
        p[k] = scale * ((k > 0 ? p[k - 1] : 0.0L) - static_cast<long double>(nodes[i]) * p[k]);
    }
    for (std::size_t k = 0; k < n; ++k) result[k][j] = static_cast<double>(p[k]);
  }
  return result;
}

std::vector<double> values(const ExplicitTable::Row& row) {
  std::vector<double> result;
  for (const ExactText& text : row) result.push_back(number<double>(text));
  return result;
}

}  // namespace

Continuation continuation(const ExplicitTable& table, std::vector<double> probes) {
  Continuation result;
  for (const ExplicitTable::Row& row : table.later) {
    result.a.push_back(values(row));
    double sum = 0.0;
    for (const double a : result.a.back()) sum += a;
    result.c.push_back(sum);
  }
  for (const ExplicitTable::Row& row : table.inside) result.inside.push_back(values(row));
  std::vector<double> nodes{0.0, 1.0};
  nodes.insert(nodes.end(), result.c.begin(), result.c.end());
  nodes.insert(nodes.end(), probes.begin(), probes.end());
  result.z = interpolation(nodes);
  result.probes = std::move(probes);
  return result;
}

Outcome HalfExplicitStepper::make_later_stages() {
  const Continuation& more = configuration_.continuation;
  for (std::size_t k = 0; k < more.c.size(); ++k) {
    const int i = numbers_.stages + static_cast<int>(k);
    combine_rates(more.a[k], i, h_, *this, increment(i));
    if (const Outcome o = explicit_stage(i, current_.t + more.c[k] * h_); o != Outcome::ok)
      return o;
  }
  return Outcome::ok;
}

// On top of the cubic, which is there already.
Outcome HalfExplicitStepper::later_inside(Interpolant& out) {
  const Continuation& more = configuration_.continuation;
  if (const Outcome o = make_later_stages(); o != Outcome::ok) return o;
  const int nodes = numbers_.stages + static_cast<int>(more.c.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    combine_rates(more.inside[k], nodes, h_, *this, known_.data());
    for (std::size_t power = 0; power < shape[k].size(); ++power)
      if (shape[k][power] != 0.0)
        out.c.col(static_cast<int>(power) + 2).head(differential_) += shape[k][power] * known_;
  }
  if (algebraic_ == 0) return Outcome::ok;
  for (std::size_t k = 0; k < more.probes.size(); ++k) {
    const int i = nodes + static_cast<int>(k);
    auto there = increments_.col(i);
    there = out.c.col(out.degree).head(differential_);
    for (int power = out.degree - 1; power >= 0; --power) {
      there *= more.probes[k];
      if (power > 0) there += out.c.col(power).head(differential_);
    }
    if (const Outcome o = explicit_stage(i, current_.t + more.probes[k] * h_); o != Outcome::ok)
      return o;
  }
  for (std::size_t power = 1; power < more.z.size(); ++power) {
    auto c = out.c.col(static_cast<int>(power)).tail(algebraic_);
    const std::vector<double>& row = more.z[power];
    c = row[0] * current_.x.tail(algebraic_) + row[1] * trial_.x.tail(algebraic_);
    for (std::size_t j = 2; j < row.size(); ++j)
      c += row[j] * points_.col(numbers_.stages + static_cast<int>(j) - 2).tail(algebraic_);
  }
  // Weights are large and cancel: what their rounding leaves at the end of the step is taken back.
  auto c1 = out.c.col(1).tail(algebraic_);
  for (int pass = 0; pass < 2; ++pass) {
    error_.tail(algebraic_) = current_.x.tail(algebraic_) - trial_.x.tail(algebraic_);
    for (std::size_t power = 1; power < more.z.size(); ++power)
      error_.tail(algebraic_) += out.c.col(static_cast<int>(power)).tail(algebraic_);
    c1 -= error_.tail(algebraic_);
  }
  return Outcome::ok;
}

}  // namespace daedalus::half_explicit
