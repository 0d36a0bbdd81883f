// SPDX-License-Identifier: BSD-3-Clause
// Assertions are left to evaluations with plain numbers. Relations that make events are modes, so
// that comparisons are met inside no_event only.
#include <numbers>

#include "model/record.hpp"

#include <daedalus/graph_table.hpp>

#include "function/recording.hpp"
#include "graph/reach.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

using graph::InputKind;
using graph::Op;

constexpr double ln_2 = std::numbers::ln2, ln_10 = std::numbers::ln10;

// A tape is played elsewhere: what holds around the present point alone is no line of it.
bool on_tape(const Recorded& x) { return x.recording && x.recording->tape(); }
void read_on_tape(std::span<const Recorded> arguments) {
  for (const Recorded& x : arguments)
    if (on_tape(x)) x.recording->note_value_read();
}

Recorded truth(bool b) { return b ? 1.0 : 0.0; }

Recorded unary(Op op, const Recorded& x) {
  switch (op) {
    case Op::negate:
      return -x;
    case Op::sqrt:
      return sqrt(x);
    case Op::cbrt:
      return cbrt(x);
    case Op::exp:
      return exp(x);
    case Op::exp2:
      return exp(x * ln_2);
    case Op::expm1:
      return expm1(x);
    case Op::log:
      return log(x);
    case Op::log2:
      return log(x) / ln_2;
    case Op::log10:
      return log(x) / ln_10;
    case Op::log1p:
      return log1p(x);
    case Op::sin:
      return sin(x);
    case Op::cos:
      return cos(x);
    case Op::tan:
      return tan(x);
    case Op::asin:
      return asin(x);
    case Op::acos:
      return acos(x);
    case Op::atan:
      return atan(x);
    case Op::sinh:
      return sinh(x);
    case Op::cosh:
      return cosh(x);
    case Op::tanh:
      return tanh(x);
    case Op::erf:
      return erf(x);
    case Op::erfc:
      return 1.0 - erf(x);
    default:
      throw InvalidArgument("no recorded form of '" + std::string(graph::name_of(op)) + "'");
  }
}

// Functions that main elementary ones make, and those with kinks.
Recorded other_unary(Op op, const Recorded& x) {
  switch (op) {
    case Op::asinh:
      return log(x + sqrt(x * x + 1.0));
    case Op::acosh:
      return log(x + sqrt(x * x - 1.0));
    case Op::atanh:
      return 0.5 * log((1.0 + x) / (1.0 - x));
    case Op::abs:
      return abs(x);
    case Op::sign:
      return x > Recorded(0.0) ? 1.0 : x < Recorded(0.0) ? -1.0 : 0.0;
    case Op::floor:
      return floor(x);
    case Op::ceil:
      return ceil(x);
    case Op::round:
      return round(x);
    case Op::trunc:
      return x < Recorded(0.0) ? ceil(x) : floor(x);
    case Op::logical_not:
      return truth(x == Recorded(0.0));
    case Op::no_event:
      return x;
    default:
      return unary(op, x);
  }
}

Recorded binary(Op op, const Recorded& x, const Recorded& y) {
  const auto is_true = [](const Recorded& r) { return !(r == Recorded(0.0)); };
  switch (op) {
    case Op::add:
      return x + y;
    case Op::subtract:
      return x - y;
    case Op::multiply:
      return x * y;
    case Op::divide:
      return x / y;
    case Op::power:
      return pow(x, y);
    case Op::atan2:
      return atan2(x, y);
    case Op::hypot:
      return hypot(x, y);
    case Op::mod:
      return x - floor(x / y) * y;
    case Op::copysign:
      return y < Recorded(0.0) ? -abs(x) : abs(x);
    case Op::min:
      return min(x, y);
    case Op::max:
      return max(x, y);
    case Op::less:
      return truth(x < y);
    case Op::less_equal:
      return truth(x <= y);
    case Op::greater:
      return truth(x > y);
    case Op::greater_equal:
      return truth(x >= y);
    case Op::equal:
      return truth(x == y);
    case Op::not_equal:
      return truth(!(x == y));
    case Op::logical_and:
      return truth(is_true(x) && is_true(y));
    case Op::logical_or:
      return truth(is_true(x) || is_true(y));
    default:
      throw InvalidArgument("no recorded form of '" + std::string(graph::name_of(op)) + "'");
  }
}

// The piece around the point: cubic in one argument, bilinear in two.
Recorded look_up(const graph::Table& table, std::array<int, 2> order, std::span<const Recorded> x) {
  if (x.size() == 1) {
    const Recorded d = x[0] - x[0].v;
    Recorded sum = table.at(x[0].v, order[0]), power = d;
    double factorial = 1.0;
    for (int k = 1; k <= 3; ++k) {
      factorial *= k;
      sum += table.at(x[0].v, order[0] + k) / factorial * power;
      power = power * d;
    }
    return sum;
  }
  const Recorded dx = x[0] - x[0].v, dy = x[1] - x[1].v;
  const auto value = [&](int i, int j) {
    return table.at(x[0].v, x[1].v, order[0] + i, order[1] + j);
  };
  return value(0, 0) + value(1, 0) * dx + value(0, 1) * dy + value(1, 1) * dx * dy;
}

// Up to the second derivatives that it knows.
Recorded outside(const graph::External& f, std::span<const Recorded> x) {
  std::vector<double> at_point;
  for (const Recorded& r : x) at_point.push_back(r.v);
  const auto partial = [](const graph::External& of, std::size_t k) -> const graph::External* {
    return k < of.partial.size() ? of.partial[k].get() : nullptr;
  };
  Recorded sum = f.value(at_point);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const graph::External* slope = partial(f, k);
    if (!slope) throw InvalidArgument("'" + f.name + "' does not give its derivatives");
    const Recorded dk = x[k] - x[k].v;
    sum += slope->value(at_point) * dk;
    for (std::size_t j = 0; j < x.size(); ++j)
      if (const graph::External* curve = partial(*slope, j))
        sum += 0.5 * curve->value(at_point) * (dk * (x[j] - x[j].v));
  }
  return sum;
}

// Values of the nodes that `roots` need, by node.
template <class Input>
std::vector<Recorded> values_of(const graph::Graph& g, const std::vector<int>& roots,
                                Input&& input) {
  std::vector<Recorded> value(at(g.size()));
  std::vector<Recorded> x;
  for (const int i : graph::reached(g, roots)) {
    Recorded& v = value[at(i)];
    const graph::Node& n = g.node(i);
    x.clear();
    for (const int k : g.operands(i)) x.push_back(value[at(k)]);
    if (n.op == Op::table || n.op == Op::external) read_on_tape(x);
    if (n.op == Op::constant)
      v = g.constant_value(i);
    else if (n.op == Op::input)
      v = input(g.kind(i), g.number(i));
    else if (n.op == Op::select)
      v = x[0] == Recorded(0.0) ? x[2] : x[1];
    else if (n.op == Op::assertion)
      v = on_tape(x[0]) && x[0] == Recorded(0.0) ? Recorded(0.0) : x[1];  // a guard there
    else if (n.op == Op::table)
      v = look_up(g.table_of(i), g.table_order(i), x);
    else if (n.op == Op::external)
      v = outside(g.external_of(i), x);
    else
      v = x.size() == 1 ? other_unary(n.op, x[0]) : binary(n.op, x[0], x[1]);
  }
  return value;
}

}  // namespace

void record(const graph::Graph& g, const graph::Outputs& outputs, const Arguments<Recorded>& a,
            const FormulaSettings& settings, std::span<Recorded> out) {
  const auto input = [&](InputKind kind, int number) -> Recorded {
    if (kind == InputKind::time) return a.t;
    if (kind == InputKind::parameter) return a.p[number];
    if (kind == InputKind::mode) return a.modes[number];
    if (kind == InputKind::previous) return a.modes[settings.mode_count + number];
    for (std::size_t k = 0; k < settings.kinds.size(); ++k)
      if (settings.kinds[k] == kind) return a.x[k][number];
    throw InvalidArgument("an input of this kind is not given");
  };
  std::vector<int> roots;
  const auto need = [&](const Expr& e) {
    if (!e.is_number()) roots.push_back(e.node());
  };
  for (const auto& s : outputs.single) need(s.value);
  for (const graph::Map& m : outputs.maps)
    for (const graph::MapArgument& x : m.arguments) need(x.scalar);
  const std::vector<Recorded> value = values_of(g, roots, input);
  const auto of = [&](const Expr& e) {
    return e.is_number() ? Recorded(e.number()) : value[at(e.node())];
  };
  std::fill(out.begin(), out.end(), Recorded(0.0));
  for (const auto& s : outputs.single) out[at(s.row)] = of(s.value);
  for (const graph::Map& m : outputs.maps) {
    const graph::Graph& inside = m.kernel->graph();
    std::vector<int> results;
    for (const Expr& e : m.kernel->results())
      if (!e.is_number()) results.push_back(e.node());
    for (int i = 0; i < m.count; ++i) {
      const auto argument = [&](InputKind, int k) -> Recorded {
        const graph::MapArgument& x = m.arguments[at(k)];
        if (x.source == graph::MapArgument::Source::input) return input(x.kind, x.index[at(i)]);
        if (x.source == graph::MapArgument::Source::values) return x.values[at(i)];
        return of(x.scalar);
      };
      const std::vector<Recorded> local = values_of(inside, results, argument);
      for (std::size_t k = 0; k < m.rows.size(); ++k) {
        const Expr& e = m.kernel->results()[k];
        const Recorded r = e.is_number() ? Recorded(e.number()) : local[at(e.node())];
        Recorded& row = out[at(m.rows[k][at(i)])];
        row = m.accumulate ? row + r : r;
      }
    }
  }
}

}  // namespace daedalus
