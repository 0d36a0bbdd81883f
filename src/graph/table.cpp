// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/graph_table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/types.hpp>

#include "graph/operations.hpp"
#include "graph/store.hpp"

namespace daedalus::graph {
namespace {

void check_grid(const std::string& name, const char* which, const std::vector<double>& grid,
                std::size_t smallest) {
  if (grid.size() < smallest)
    throw InvalidArgument("table '" + name + "' has " + std::to_string(grid.size()) +
                          " points in " + which + "; it needs at least " +
                          std::to_string(smallest));
  for (std::size_t i = 0; i < grid.size(); ++i)
    if (!std::isfinite(grid[i]) || (i > 0 && !(grid[i - 1] < grid[i])))
      throw InvalidArgument(fmt::format(
          "table '{}': {}[{}] = {:.6g}; the grid must increase strictly", name, which, i, grid[i]));
}

void check_values(const std::string& name, std::size_t found, std::size_t wanted) {
  if (found != wanted)
    throw InvalidArgument("table '" + name + "' has " + std::to_string(found) + " values for " +
                          std::to_string(wanted) + " grid points");
}

// Slopes at the grid points: weighted means of neighbouring differences. Akima (1970).
std::vector<double> akima_slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  // Differences of the pieces with two more at each end, continued linearly.
  std::vector<double> m(n + 3);
  for (std::size_t i = 0; i + 1 < n; ++i) m[i + 2] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
  if (n == 2) return {m[2], m[2]};
  m[1] = 2.0 * m[2] - m[3];
  m[0] = 2.0 * m[1] - m[2];
  m[n + 1] = 2.0 * m[n] - m[n - 1];
  m[n + 2] = 2.0 * m[n + 1] - m[n];
  std::vector<double> slope(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double left = std::fabs(m[i + 1] - m[i]), right = std::fabs(m[i + 3] - m[i + 2]);
    slope[i] = left + right > 0.0 ? (right * m[i + 1] + left * m[i + 2]) / (left + right)
                                  : 0.5 * (m[i + 1] + m[i + 2]);
  }
  return slope;
}

// The piece of the grid that holds x; beyond it the first or last one.
std::size_t piece_of(const std::vector<double>& grid, double x) {
  if (grid.size() < 2) return 0;
  const auto above = std::upper_bound(grid.begin() + 1, grid.end() - 1, x);
  return static_cast<std::size_t>(above - grid.begin()) - 1;
}

}  // namespace

Table::Table(std::string name, std::vector<double> x, std::vector<double> values,
             Interpolation interpolation, Beyond beyond)
    : name_(std::move(name)),
      x_(std::move(x)),
      values_(std::move(values)),
      interpolation_(interpolation),
      beyond_(beyond) {
  check_grid(name_, "x", x_, interpolation == Interpolation::akima ? 2 : 1);
  check_values(name_, values_.size(), x_.size());
  if (x_.size() < 2) return;
  const std::vector<double> slope =
      interpolation == Interpolation::akima ? akima_slopes(x_, values_) : std::vector<double>{};
  for (std::size_t i = 0; i + 1 < x_.size(); ++i) {
    const double h = x_[i + 1] - x_[i], m = (values_[i + 1] - values_[i]) / h;
    double c[4] = {values_[i], interpolation == Interpolation::linear ? m : 0.0, 0.0, 0.0};
    if (interpolation == Interpolation::akima) {
      c[1] = slope[i];
      c[2] = (3.0 * m - 2.0 * slope[i] - slope[i + 1]) / h;
      c[3] = (slope[i] + slope[i + 1] - 2.0 * m) / (h * h);
    }
    coefficients_.insert(coefficients_.end(), c, c + 4);
  }
}

Table::Table(std::string name, std::vector<double> x, std::vector<double> y,
             std::vector<double> values, Beyond beyond)
    : name_(std::move(name)),
      x_(std::move(x)),
      y_(std::move(y)),
      values_(std::move(values)),
      interpolation_(Interpolation::linear),
      beyond_(beyond) {
  check_grid(name_, "x", x_, 2);
  check_grid(name_, "y", y_, 2);
  check_values(name_, values_.size(), x_.size() * y_.size());
}

double Table::at(double x, int order) const {
  const bool outside = x < x_.front() || x >= x_.back();
  if (x_.size() == 1) return order == 0 ? values_[0] : 0.0;
  if (outside && (beyond_ == Beyond::hold || interpolation_ == Interpolation::hold)) {
    if (x != x) return x;
    return order > 0 ? 0.0 : x < x_.front() ? values_.front() : values_.back();
  }
  const std::size_t i = piece_of(x_, x);
  const double* c = &coefficients_[4 * i];
  const double s = x - x_[i];
  switch (order) {
    case 0:
      return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
    case 1:
      return c[1] + s * (2.0 * c[2] + s * 3.0 * c[3]);
    case 2:
      return 2.0 * c[2] + s * 6.0 * c[3];
    case 3:
      return 6.0 * c[3];
    default:
      return 0.0;
  }
}

double Table::at(double x, double y, int order_x, int order_y) const {
  if (order_x > 1 || order_y > 1) return 0.0;
  const auto clamp = [](const std::vector<double>& grid, double v) {
    return v < grid.front() ? grid.front() : v > grid.back() ? grid.back() : v;
  };
  if (beyond_ == Beyond::hold) {
    const double inside_x = clamp(x_, x), inside_y = clamp(y_, y);
    if ((order_x == 1 && inside_x != x) || (order_y == 1 && inside_y != y)) return 0.0;
    x = inside_x;
    y = inside_y;
  }
  const std::size_t i = piece_of(x_, x), j = piece_of(y_, y), n = y_.size();
  const double hx = x_[i + 1] - x_[i], hy = y_[j + 1] - y_[j];
  const double u = (x - x_[i]) / hx, v = (y - y_[j]) / hy;
  const double u0 = order_x == 0 ? 1.0 - u : -1.0 / hx, u1 = order_x == 0 ? u : 1.0 / hx;
  const double v0 = order_y == 0 ? 1.0 - v : -1.0 / hy, v1 = order_y == 0 ? v : 1.0 / hy;
  return u0 * (v0 * values_[i * n + j] + v1 * values_[i * n + j + 1]) +
         u1 * (v0 * values_[(i + 1) * n + j] + v1 * values_[(i + 1) * n + j + 1]);
}

bool Table::vanishes(int order) const {
  switch (interpolation_) {
    case Interpolation::hold:
      return order > 0;
    case Interpolation::linear:
      return order > 1;
    default:
      return order > 3;
  }
}

Expr Graph::table(std::shared_ptr<const Table> table, const Expr& x) {
  if (table->argument_count() != 1)
    throw InvalidArgument("table '" + table->name() + "' takes two arguments, not one");
  if (x.is_number()) return table->at(x.number());
  const int number = GraphAccess::look_up_number(*this, table, {0, 0});
  return {*this, GraphAccess::intern(*this, Op::table, node_of(x), -1, number)};
}

Expr Graph::table(std::shared_ptr<const Table> table, const Expr& x, const Expr& y) {
  if (table->argument_count() != 2)
    throw InvalidArgument("table '" + table->name() + "' takes one argument, not two");
  if (x.is_number() && y.is_number()) return table->at(x.number(), y.number());
  const int number = GraphAccess::look_up_number(*this, table, {0, 0});
  const int a = node_of(x), b = node_of(y);
  return {*this, GraphAccess::intern(*this, Op::table, a, b, number)};
}

Expr Graph::external(std::shared_ptr<const External> function, std::span<const Expr> arguments) {
  if (static_cast<int>(arguments.size()) != function->argument_count)
    throw InvalidArgument("function '" + function->name + "' takes " +
                          std::to_string(function->argument_count) + " arguments, not " +
                          std::to_string(arguments.size()));
  if (function->argument_count > max_external_arguments)
    throw InvalidArgument("function '" + function->name + "' takes " +
                          std::to_string(function->argument_count) + " arguments; at most " +
                          std::to_string(max_external_arguments) + " are allowed");
  std::vector<std::int32_t> nodes;
  for (const Expr& a : arguments) nodes.push_back(node_of(a));
  const int number = GraphAccess::external_number(*this, function);
  return {*this, GraphAccess::intern_external(*this, number, nodes)};
}

}  // namespace daedalus::graph
