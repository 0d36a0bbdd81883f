// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/mechanism/time_function.hpp>

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "io/json.hpp"
#include "linalg/sparse_factors.hpp"
#include "mechanism/profile_data.hpp"

namespace daedalus {
namespace {

using json::Json;
using mechanism::PiecewisePolynomial;
using mechanism::ProfileData;

TimeFunction of(ProfileData data, const Json& written) {
  data.written = json::line(written);
  return TimeFunction(std::make_shared<const ProfileData>(std::move(data)));
}

PiecewisePolynomial derivative(PiecewisePolynomial p) {
  for (std::vector<double>& c : p.pieces) {
    for (std::size_t k = 1; k < c.size(); ++k) c[k - 1] = static_cast<double>(k) * c[k];
    if (c.size() > 1)
      c.pop_back();
    else
      c[0] = 0.0;
  }
  return p;
}

ProfileData pieces(PiecewisePolynomial p, bool smooth) {
  ProfileData data;
  data.pieces[0] = std::move(p);
  data.pieces[1] = derivative(data.pieces[0]);
  data.pieces[2] = derivative(data.pieces[1]);
  data.smooth = smooth;
  return data;
}

void check_points(const std::vector<double>& t, const std::vector<double>& y, TableKind kind) {
  const std::size_t needed = kind == TableKind::spline ? 4 : 2;
  if (t.size() != y.size() || t.size() < needed)
    throw InvalidArgument(fmt::format(
        "table: {} times and {} values; allowed: as many of both, at least {} for a {}", t.size(),
        y.size(), needed, kind == TableKind::spline ? "spline" : "linear table"));
  for (std::size_t i = 1; i < t.size(); ++i)
    if (!(t[i] > t[i - 1]))
      throw InvalidArgument(
          fmt::format("table: time {} at knot {} does not lie after {}; times must rise strictly",
                      t[i], i, t[i - 1]));
}

// Second derivatives at the knots of the cubic spline: not-a-knot, or periodic.
Eigen::VectorXd bending(const std::vector<double>& t, const std::vector<double>& y, bool periodic) {
  const int n = static_cast<int>(t.size());
  const auto h = [&](int i) {
    return t[static_cast<std::size_t>(i + 1)] - t[static_cast<std::size_t>(i)];
  };
  const auto slope = [&](int i) {
    return (y[static_cast<std::size_t>(i + 1)] - y[static_cast<std::size_t>(i)]) / h(i);
  };
  std::vector<Eigen::Triplet<double>> entries;
  const auto set = [&](int i, int j, double value) { entries.emplace_back(i, j, value); };
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  for (int i = 1; i + 1 < n; ++i) {
    set(i, i - 1, h(i - 1)), set(i, i, 2.0 * (h(i - 1) + h(i))), set(i, i + 1, h(i));
    b[i] = 6.0 * (slope(i) - slope(i - 1));
  }
  if (periodic) {
    const int l = n - 2;  // last piece
    set(0, 0, 1.0), set(0, n - 1, -1.0);
    set(n - 1, 0, 2.0 * (h(l) + h(0))), set(n - 1, 1, h(0)), set(n - 1, l, h(l));
    b[n - 1] = 6.0 * (slope(0) - slope(l));
  } else {
    set(0, 0, h(1)), set(0, 1, -(h(0) + h(1))), set(0, 2, h(0));
    set(n - 1, n - 3, h(n - 2)), set(n - 1, n - 2, -(h(n - 3) + h(n - 2)));
    set(n - 1, n - 1, h(n - 3));
  }
  Eigen::SparseMatrix<double> A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  SparseFactors factors;
  if (!factors.compute(A)) return Eigen::VectorXd::Constant(n, std::nan(""));
  return factors.solve(b);
}

[[noreturn]] void refuse_steps() {
  throw InvalidArgument(
      fmt::format("formula: more than {} operations; use a table", mechanism::max_formula_steps));
}

int add_node(const graph::Graph& g, int node, std::map<int, int>& known, mechanism::Formula& f) {
  if (const auto it = known.find(node); it != known.end()) return it->second;
  using graph::Op;
  mechanism::Formula::Step step;
  step.op = g.node(node).op;
  if (step.op == Op::constant) {
    step.value = g.constant_value(node);
  } else if (step.op == Op::input) {
    const graph::InputKind kind = g.kind(node);
    if (kind != graph::InputKind::time && kind != graph::InputKind::argument)
      throw InvalidArgument(
          fmt::format("formula: '{}' is neither time nor an argument", std::string(g.name(node))));
    step.argument = kind == graph::InputKind::time ? -1 : g.number(node);
    f.max_argument = std::max(f.max_argument, step.argument);
    f.uses_time = f.uses_time || step.argument < 0;
  } else {
    if (step.op == Op::no_event)  // nothing in a mechanism makes events of formulas
      return known[node] = add_node(g, g.operands(node)[0], known, f);
    if (!mechanism::formula_has(step.op))
      throw InvalidArgument(fmt::format("formula: '{}' is not allowed in a mechanism",
                                        std::string(graph::name_of(step.op))));
    const auto operands = g.operands(node);
    int* const slots[] = {&step.a, &step.b, &step.c};
    for (std::size_t k = 0; k < operands.size(); ++k)
      *slots[k] = add_node(g, operands[k], known, f);
    if (step.op == Op::power && g.node(operands[1]).op == Op::constant) {
      step.argument = 0;  // marks a constant exponent
      step.value = g.constant_value(operands[1]);
    }
  }
  f.steps.push_back(step);
  if (static_cast<int>(f.steps.size()) > mechanism::max_formula_steps) refuse_steps();
  return known[node] = static_cast<int>(f.steps.size()) - 1;
}

// What follows goes down into the formula: a sum of 10^5 terms would be as deep.
void refuse_long(const Expr& value) {
  std::set<int> seen{value.node()};
  std::vector<int> next{value.node()};
  while (!next.empty()) {
    const int node = next.back();
    next.pop_back();
    for (const int operand : value.graph()->operands(node))
      if (seen.insert(operand).second) next.push_back(operand);
    if (seen.size() > static_cast<std::size_t>(mechanism::max_formula_steps)) refuse_steps();
  }
}

mechanism::Formula listed(const Expr& value) {
  mechanism::Formula f;
  if (!value.is_number()) refuse_long(value);
  f.text = text(value);
  if (value.is_number()) {
    f.steps = {{.value = value.number()}};
    return f;
  }
  std::map<int, int> known;
  add_node(*value.graph(), value.node(), known, f);
  return f;
}

}  // namespace

TimeFunction::TimeFunction(double constant) {
  PiecewisePolynomial p;
  p.pieces = {{constant}, {constant}};
  *this = of(pieces(std::move(p), true), json::number(constant));
}

double TimeFunction::operator()(double t) const { return mechanism::evaluate<double>(*data_, t); }
double TimeFunction::rate(double t) const {
  return mechanism::evaluate<double>(*data_, t, nullptr, 1);
}
double TimeFunction::acceleration(double t) const {
  return mechanism::evaluate<double>(*data_, t, nullptr, 2);
}
bool TimeFunction::constant() const {
  if (data_->kind != ProfileData::Kind::pieces) return false;
  const auto& all = data_->pieces[0].pieces;
  for (const auto& piece : all)
    if (piece.size() > 1 || piece[0] != all[0][0]) return false;
  return true;
}
bool TimeFunction::smooth() const { return data_->smooth; }
const std::vector<double>& TimeFunction::break_times() const { return data_->break_times; }

TimeFunction polynomial(const std::vector<double>& coefficients) {
  PiecewisePolynomial p;
  const std::vector<double> c = coefficients.empty() ? std::vector<double>{0.0} : coefficients;
  p.pieces = {c, c};
  return of(pieces(std::move(p), true), {{"polynomial", json::numbers(c)}});
}

TimeFunction harmonic(double offset, double amplitude, double omega, double phase) {
  ProfileData data;
  data.kind = ProfileData::Kind::oscillation;
  data.oscillation = {offset, amplitude, omega, phase};
  return of(std::move(data),
            {{"harmonic",
              {{"offset", offset}, {"amplitude", amplitude}, {"omega", omega}, {"phase", phase}}}});
}

TimeFunction smooth_step(double t0, double t1, double y0, double y1) {
  if (!(t1 > t0))
    throw InvalidArgument(fmt::format("step: t1 = {} does not lie after t0 = {}", t1, t0));
  const double d = t1 - t0, d3 = d * d * d, dy = y1 - y0;
  PiecewisePolynomial p;
  p.knots = {t0, t1};
  p.pieces = {
      {y0}, {y0, 0.0, 0.0, 10.0 * dy / d3, -15.0 * dy / (d3 * d), 6.0 * dy / (d3 * d * d)}, {y1}};
  return of(pieces(std::move(p), true),
            {{"step", {{"t0", t0}, {"t1", t1}, {"y0", y0}, {"y1", y1}}}});
}

TimeFunction table(const std::vector<double>& t, const std::vector<double>& y, TableKind kind,
                   TableEnd end) {
  check_points(t, y, kind);
  const bool periodic = end == TableEnd::periodic, spline = kind == TableKind::spline;
  if (periodic && y.front() != y.back())
    throw InvalidArgument(
        fmt::format("table: a periodic table ends with {} and begins with {}; both must be equal",
                    y.back(), y.front()));
  Eigen::VectorXd m = Eigen::VectorXd::Zero(static_cast<int>(t.size()));
  if (spline) m = bending(t, y, periodic);
  PiecewisePolynomial p;
  p.knots = t;
  // A run that ends with its table ends inside of it: what is held begins behind the last point.
  p.knots.back() = std::nextafter(t.back(), std::numeric_limits<double>::infinity());
  p.only_inside = end == TableEnd::error;
  p.period = periodic ? t.back() - t.front() : 0.0;
  p.pieces.push_back({y.front()});
  const auto refuse_knot = [&](std::size_t i) {
    throw InvalidArgument(
        fmt::format("table: between knots {} and {}, times {} and {}, values {} and {}, the curve "
                    "is no number; "
                    "are the times too close, or the values too large?",
                    i, i + 1, t[i], t[i + 1], y[i], y[i + 1]));
  };
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    const double h = t[i + 1] - t[i], a = m[static_cast<int>(i)], b = m[static_cast<int>(i) + 1];
    const double slope = (y[i + 1] - y[i]) / h - h * (2.0 * a + b) / 6.0;
    if (spline)
      p.pieces.push_back({y[i], slope, 0.5 * a, (b - a) / (6.0 * h)});
    else
      p.pieces.push_back({y[i], slope});
    for (const double c : p.pieces.back())
      if (!std::isfinite(c)) refuse_knot(i);
  }
  p.pieces.push_back({y.back()});
  const double behind = p.knots.back();
  ProfileData data = pieces(std::move(p), spline);
  if (!spline)
    data.break_times = t;
  else if (end == TableEnd::hold)
    data.break_times = {t.front(), behind};
  const char* beyond = periodic ? "periodic" : end == TableEnd::error ? "error" : "hold";
  return of(std::move(data), {{"table",
                               {{"t", json::numbers(t)},
                                {"y", json::numbers(y)},
                                {"kind", spline ? "spline" : "linear"},
                                {"end", beyond}}}});
}

TimeFunction formula(const Expr& value) {
  if (value.is_number()) return TimeFunction(value.number());
  ProfileData data;
  data.kind = ProfileData::Kind::formula;
  data.formula[0] = listed(value);
  if (data.formula[0].max_argument < 0) {
    data.formula[1] = listed(der(value));
    data.formula[2] = listed(der(der(value)));
  }
  for (const auto& step : data.formula[0].steps)
    if (step.op == graph::Op::abs || step.op == graph::Op::min || step.op == graph::Op::max ||
        step.op == graph::Op::sign || step.op == graph::Op::select)
      data.smooth = false;
  const Json written{{"expression", data.formula[0].text}};
  return of(std::move(data), written);
}

}  // namespace daedalus
