// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/tables.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <daedalus/graph_table.hpp>

#include "kernel/at.hpp"

namespace daedalus::modelica {
namespace {

constexpr double never_again = 1e60;  // ModelicaServices.Machine.inf
// Events are met a little before or behind their time.
constexpr double time_share = 1e-9, time_resolution = 1e-13;

}  // namespace

std::vector<double> TableCall::numbers(const char* member) const {
  const Value* v = table.member(member);
  if (!v) throw Mistake{Phase::types, place, fmt::format("the table has no '{}'", member)};
  std::vector<double> list;
  for (const Expr& e : v->e) {
    if (!e.is_number()) c.make_structural(e);
    list.push_back(e.number());
  }
  return list;
}

double TableCall::number(const char* member) const { return numbers(member).at(0); }

TableCall::Smoothness TableCall::smoothness() const {
  const int kind = static_cast<int>(number("smoothness"));
  if (kind > static_cast<int>(Smoothness::constant))
    throw Mistake{Phase::types, place, "not supported yet: this smoothness of a table",
                  "LinearSegments, ContinuousDerivative and ConstantSegments are"};
  return static_cast<Smoothness>(kind);
}

bool TableCall::holds() const {
  const auto beyond = static_cast<Beyond>(static_cast<int>(number("extrapolation")));
  if (beyond == Beyond::periodic)
    throw Mistake{Phase::types, place, "not supported yet: periodic tables",
                  "repeat the points over the span of the run"};
  return beyond != Beyond::last_two || smoothness() == Smoothness::constant;
}

// Points of one column, by the first one; equal abscissae are a jump.
std::vector<TableCall::Pair> TableCall::column(int k) const {
  const Value* v = table.member("table");
  const Value* file = table.member("fileName");
  if (file && !file->s.empty() && file->s.front() != "NoName")
    throw Mistake{Phase::types, place,
                  fmt::format("not supported yet: the table of the file '{}'", file->s.front()),
                  "give its numbers by the parameter 'table'"};
  const std::vector<double> all = numbers("table");
  const std::vector<double> columns = numbers("columns");
  if (!v || v->shape.size() != 2 || v->shape[0] < 1 || k < 1 || at(k) > columns.size() ||
      columns[at(k) - 1] < 1 || columns[at(k) - 1] > v->shape[1])
    throw Mistake{Phase::types, place, fmt::format("the table has no column {}", k)};
  std::vector<Pair> points;
  const int width = v->shape[1], from = static_cast<int>(columns[at(k) - 1]) - 1;
  for (int r = 0; r < v->shape[0]; ++r)
    points.push_back({all[at(r * width)], all[at(r * width + from)]});
  for (std::size_t r = 1; r < points.size(); ++r)
    if (points[r].x < points[r - 1].x)
      throw Mistake{Phase::types, place,
                    fmt::format("the first column of the table falls in row {}", r + 1)};
  return points;
}

Expr TableCall::one(int k, const Expr& u) const {
  const std::vector<Pair> points = column(k);
  std::vector<double> x, y;
  for (const Pair& p : points) x.push_back(p.x), y.push_back(p.y);
  if (x.size() == 1) return y.front();
  const Smoothness s = smoothness();
  using graph::Table;
  const auto kind = s == Smoothness::linear  ? Table::Interpolation::linear
                    : s == Smoothness::akima ? Table::Interpolation::akima
                                             : Table::Interpolation::hold;
  return c.graph->table(
      std::make_shared<const Table>("table", x, y, kind,
                                    holds() ? Table::Beyond::hold : Table::Beyond::extrapolate),
      u);
}

Expr TableCall::two(const Expr& u1, const Expr& u2) const {
  const Value* v = table.member("table");
  const std::vector<double> all = numbers("table");
  if (!v || v->shape.size() != 2 || v->shape[0] < 3 || v->shape[1] < 3)
    throw Mistake{Phase::types, place, "the table of two arguments needs two rows and columns"};
  if (smoothness() != Smoothness::linear)
    throw Mistake{Phase::types, place, "not supported yet: this smoothness of a table",
                  "LinearSegments is"};
  const int rows = v->shape[0], width = v->shape[1];
  std::vector<double> x, y(all.begin() + 1, all.begin() + width), values;
  for (int r = 1; r < rows; ++r) {
    x.push_back(all[at(r * width)]);
    values.insert(values.end(), all.begin() + r * width + 1, all.begin() + (r + 1) * width);
  }
  using graph::Table;
  return c.graph->table(
      std::make_shared<const Table>("table", x, y, values,
                                    holds() ? Table::Beyond::hold : Table::Beyond::extrapolate),
      u1, u2);
}

double TableCall::first() const { return column(1).front().x; }
double TableCall::last() const { return column(1).back().x; }

std::vector<double> TableCall::event_times() const {
  const double start = number("startTime"), shift = number("shiftTime");
  const auto kind = static_cast<Events>(static_cast<int>(number("timeEvents")));
  const std::vector<Pair> points = column(1);
  std::vector<double> times{start};
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double t = points[k].x + shift;
    const bool jump =
        (k > 0 && points[k - 1].x == points[k].x) || smoothness() == Smoothness::constant;
    if (t > start && (kind == Events::always || (kind == Events::at_discontinuities && jump)))
      times.push_back(t);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

Expr TableCall::next_event(const Expr& t) const {
  const std::vector<double> times = event_times();
  Expr next = never_again;
  for (std::size_t k = times.size(); k-- > 0;) {
    const double gap = k > 0 ? times[k] - times[k - 1] : 0.0;
    const double early = time_share * gap + time_resolution * std::abs(times[k]);
    next = select(no_event(t < times[k] - early), times[k], next);
  }
  return next;
}

// What holds between two neighbouring times, either of which may be infinite.
Expr TableCall::piece(const std::vector<Pair>& points, double from, double to,
                      const Expr& t) const {
  const std::size_t n = points.size();
  if (n == 1) return points.front().y;
  // The last point at or before `from` that is not before a jump there.
  std::size_t k = 0;
  while (k + 1 < n && points[k + 1].x <= from) ++k;
  const bool before = to <= points.front().x, behind = from >= points.back().x;
  if (smoothness() == Smoothness::constant) return points[before ? 0 : k].y;
  if ((before || behind) && holds()) return points[before ? 0 : n - 1].y;
  std::size_t a = before ? 0 : behind ? n - 2 : k, b = a + 1;
  while (b + 1 < n && points[b].x == points[a].x) ++b;
  while (a > 0 && points[b].x == points[a].x) --a;
  if (points[b].x == points[a].x) return points[b].y;
  const double slope = (points[b].y - points[a].y) / (points[b].x - points[a].x);
  return points[a].y + slope * (t - points[a].x);
}

Expr TableCall::at_time(int k, const Expr& t, const Expr& next) const {
  const double start = number("startTime"), shift = number("shiftTime");
  const auto kind = static_cast<Events>(static_cast<int>(number("timeEvents")));
  const double infinity = std::numeric_limits<double>::infinity();
  if (smoothness() == Smoothness::akima) {
    const Expr value = one(k, t - shift);
    return select(no_event(next <= start + time_resolution), 0.0, value);
  }
  std::vector<Pair> points = column(k);
  for (Pair& p : points) p.x += shift;
  std::vector<double> knots{start};
  for (const Pair& p : points)
    if (p.x > start) knots.push_back(p.x);
  knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
  Expr value = piece(points, knots.back(), infinity, t);
  for (std::size_t i = knots.size(); i-- > 0;) {
    const Expr before = i > 0 ? piece(points, knots[i - 1], knots[i], t) : Expr(0.0);
    const bool by_event = kind == Events::always || i == 0;
    value = select(no_event(by_event ? next <= knots[i] : t < knots[i]), before, value);
  }
  return value;
}

}  // namespace daedalus::modelica
