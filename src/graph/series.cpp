// SPDX-License-Identifier: BSD-3-Clause
#include "graph/series.hpp"

#include <cmath>

#include "graph/lifted.hpp"
#include "graph/lower.hpp"
#include "graph/operations.hpp"
#include "graph/partials.hpp"
#include "graph/reach.hpp"
#include "graph/rewrite.hpp"

namespace daedalus::graph {
namespace {

// Larger natural powers are left to Euler's recurrence, which cannot start at zero.
constexpr double max_natural_power = 64.0;

}  // namespace

Series::Series(Graph& graph, std::span<const Expr> outputs, int max_order)
    : graph_(graph), order_(max_order) {
  Rewriter rewrite(graph, graph, [&graph](int node, std::span<const Expr> x, Expr& result) {
    if (graph.node(node).op != Op::power || x[0].is_number() || !x[1].is_number()) return false;
    const double p = x[1].number();
    if (p != std::floor(p) || p < 1.0 || p > max_natural_power) return false;
    result = natural_power(x[0], static_cast<int>(p));
    return true;
  });
  std::vector<int> roots;
  for (const Expr& e : outputs) {
    if (e.is_number()) continue;
    const Expr written = rewrite(e);
    if (written.is_number()) {
      numbers_[e.node()] = written.number();
    } else {
      written_as_[e.node()] = written.node();
      roots.push_back(written.node());
    }
  }
  // Slopes found on the way are outputs of their own, until no new ones come.
  while (!roots.empty()) {
    std::vector<int> next;
    const std::size_t known_parts = parts_.size();
    for (const int i : reached(graph, roots))
      if (!slots_.count(i)) add_step(graph, i);
    for (std::size_t k = known_parts; k < parts_.size(); ++k)
      if (!slots_.count(parts_[k].slope)) next.push_back(parts_[k].slope);
    roots = std::move(next);
  }
  for (Part& p : parts_) p.slope = slots_.at(p.slope);
  c_.assign(steps_.size() * at(order_ + 1), 0.0);
  adjoint_.assign(c_.size(), 0.0);
  marked_.assign(steps_.size(), 0);
  work_.assign(at(order_ + 1), 0.0);
}

void Series::add_step(Graph& graph, int node) {
  const Node n = graph.node(node);
  Step s{Rule::flat, node};
  if (n.operand_count > 0) s.a = slots_.at(n.x[0]);
  if (n.operand_count > 1) s.b = slots_.at(n.x[1]);
  const bool power = n.op == Op::power && graph.node(n.x[1]).op == Op::constant;
  switch (n.op) {
    case Op::constant:
      s.rule = Rule::constant;
      break;
    case Op::input:
      s.rule = Rule::input;
      break;
    case Op::add:
      s.rule = Rule::add;
      break;
    case Op::subtract:
      s.rule = Rule::subtract;
      break;
    case Op::multiply:
      s.rule = Rule::multiply;
      break;
    case Op::divide:
      s.rule = Rule::divide;
      break;
    case Op::negate:
      s.rule = Rule::negate;
      break;
    case Op::select:
    case Op::min:
    case Op::max:
    case Op::no_event:
    case Op::assertion:
      s.rule = Rule::pick;
      s.first = static_cast<int>(picks_.size());
      for (const int k : graph.operands(node)) picks_.push_back(slots_.at(k));
      break;
    default:
      if (power) {
        s.rule = Rule::power;
        s.exponent = graph.constant_value(n.x[1]);
      } else if (!info(n.op).boolean) {
        add_integral(graph, node, s);
      }
  }
  slots_[node] = static_cast<int>(steps_.size());
  steps_.push_back(s);
}

void Series::add_part(Graph& graph, int operand, const Expr& slope, Step& step) {
  if (slope.is_number(0.0)) return;
  parts_.push_back({slots_.at(operand), graph.node_of(slope)});
  ++step.count;
}

void Series::add_integral(Graph& graph, int node, Step& step) {
  const auto span = graph.operands(node);
  const std::vector<int> operands(span.begin(), span.end());
  step.first = static_cast<int>(parts_.size());
  if (graph.node(node).op == Op::power) {
    const Expr z = graph.expr(node), a = graph.expr(operands[0]), b = graph.expr(operands[1]);
    if (!a.is_number()) add_part(graph, operands[0], b * z / a, step);
    add_part(graph, operands[1], z * log(a), step);
  } else {
    for (std::size_t k = 0; k < operands.size(); ++k)
      if (graph.node(operands[k]).op != Op::constant)
        add_part(graph, operands[k], partial(graph, node, static_cast<int>(k)), step);
  }
  step.rule = step.count > 0 ? Rule::integral : Rule::flat;
}

const double* Series::as_number(const Expr& x) const {
  const auto found = numbers_.find(x.node());
  return found == numbers_.end() ? nullptr : &found->second;
}

void Series::set(const Expr& input, std::span<const double> coefficients) {
  const auto found = slots_.find(input.node());
  if (found == slots_.end()) return;  // nothing depends on it
  for (int k = 0; k <= order_ && at(k) < coefficients.size(); ++k)
    c_[place(found->second, k)] = coefficients[at(k)];
}

double Series::value(const Step& s) const {
  const auto first = [&](int slot) { return c_[place(slot, 0)]; };
  switch (graph_.node(s.node).op) {
    case Op::select:
    case Op::assertion:
      return first(picked(s));
    case Op::table: {
      const LookUp& l = GraphAccess::look_up(graph_, s.node);
      const double x[2] = {first(s.a), s.b < 0 ? 0.0 : first(s.b)};
      return lifted(TableSource{l.table.get(), l.order}, x, s.b < 0 ? 1 : 2);
    }
    case Op::external: {
      std::array<double, max_external_arguments> x{};
      const auto operands = graph_.operands(s.node);
      for (std::size_t k = 0; k < operands.size(); ++k) x[k] = first(slots_.at(operands[k]));
      return GraphAccess::external(graph_, s.node)->value({x.data(), operands.size()});
    }
    default:
      return apply(graph_.node(s.node).op, first(s.a), s.b < 0 ? 0.0 : first(s.b));
  }
}

int Series::picked(const Step& s) const {
  const int* x = picks_.data() + s.first;
  const auto first = [&](int slot) { return c_[place(slot, 0)]; };
  switch (graph_.node(s.node).op) {
    case Op::select:
      return first(x[0]) != 0.0 ? x[1] : x[2];
    case Op::min:
      return first(x[1]) < first(x[0]) ? x[1] : x[0];
    case Op::max:
      return first(x[0]) < first(x[1]) ? x[1] : x[0];
    case Op::assertion:
      return x[1];
    default:
      return x[0];
  }
}

void Series::evaluate_values() {
  failed_ = -1;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& s = steps_[i];
    double& c = c_[i * at(order_ + 1)];
    if (s.rule == Rule::constant)
      c = graph_.constant_value(s.node);
    else if (s.rule != Rule::input)
      c = value(s);
    if (graph_.node(s.node).op == Op::assertion && failed_ < 0 && c_[place(s.a, 0)] == 0.0)
      failed_ = graph_.node(s.node).x[2];
  }
}

// Euler: a z' = p a' z. Where a starts at zero z has no series beyond p times the order of the
// first coefficient of a that is not zero.
double Series::power_coefficient(const Step& s, int i, int k) const {
  const double* a = &c_[place(s.a, 0)];
  const double* z = &c_[place(i, 0)];
  if (a[0] == 0.0) {
    int order = 1;
    while (order <= k && a[order] == 0.0) ++order;
    return k < s.exponent * order ? 0.0 : std::nan("");
  }
  double sum = 0.0;
  for (int j = 1; j <= k; ++j) sum += (s.exponent * j - (k - j)) * a[j] * z[k - j];
  return sum / (k * a[0]);
}

double Series::coefficient_at(const Step& s, int i, int k) const {
  const auto c = [&](int slot, int order) { return c_[place(slot, order)]; };
  double sum = 0.0;
  switch (s.rule) {
    case Rule::add:
      return c(s.a, k) + c(s.b, k);
    case Rule::subtract:
      return c(s.a, k) - c(s.b, k);
    case Rule::negate:
      return -c(s.a, k);
    case Rule::multiply:
      for (int j = 0; j <= k; ++j) sum += c(s.a, j) * c(s.b, k - j);
      return sum;
    case Rule::divide:
      sum = c(s.a, k);
      for (int j = 1; j <= k; ++j) sum -= c(s.b, j) * c(i, k - j);
      return sum / c(s.b, 0);
    case Rule::power:
      return power_coefficient(s, i, k);
    case Rule::integral:
      for (int p = s.first; p < s.first + s.count; ++p)
        for (int j = 1; j <= k; ++j)
          sum += j * c(parts_[at(p)].operand, j) * c(parts_[at(p)].slope, k - j);
      return sum / k;
    case Rule::pick:
      return c(picked(s), k);
    default:
      return 0.0;
  }
}

void Series::evaluate(int order, int from) {
  if (from == 0) evaluate_values();
  for (int k = std::max(from, 1); k <= order; ++k)
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (steps_[i].rule != Rule::input && steps_[i].rule != Rule::constant)
        c_[place(static_cast<int>(i), k)] = coefficient_at(steps_[i], static_cast<int>(i), k);
}

double Series::coefficient(const Expr& x, int k) const {
  if (x.is_number()) return k == 0 ? x.number() : 0.0;
  if (const double* number = as_number(x)) return k == 0 ? *number : 0.0;
  return c_[place(slot_of(x.node()), k)];
}

bool Series::finite(const Expr& x, int order) const {
  for (int k = 0; k <= order; ++k)
    if (!std::isfinite(coefficient(x, k))) return false;
  return true;
}

// adjoint of `slot` += sign * adjoint * factor (null: one).
void Series::add(int slot, const double* adjoint, const double* factor, double sign, int order) {
  if (!marked_[at(slot)]) {
    marked_[at(slot)] = 1;
    reached_.push_back(slot);
  }
  double* to = &adjoint_[place(slot, 0)];
  for (int k = 0; k <= order; ++k) {
    if (!factor) {
      to[k] += sign * adjoint[k];
      continue;
    }
    for (int j = 0; j <= k; ++j) to[k] += sign * adjoint[j] * factor[k - j];
  }
}

void Series::spread(const Step& s, int i, int order) {
  const double* w = &adjoint_[place(i, 0)];
  const auto series = [&](int slot) { return &c_[place(slot, 0)]; };
  const auto divide_into_work = [&](const double* a, const double* b, double scale) {
    for (int k = 0; k <= order; ++k) {
      double sum = scale * a[k];
      for (int j = 1; j <= k; ++j) sum -= b[j] * work_[at(k - j)];
      work_[at(k)] = sum / b[0];
    }
  };
  switch (s.rule) {
    case Rule::add:
    case Rule::subtract:
      add(s.a, w, nullptr, 1.0, order);
      add(s.b, w, nullptr, s.rule == Rule::add ? 1.0 : -1.0, order);
      break;
    case Rule::negate:
      add(s.a, w, nullptr, -1.0, order);
      break;
    case Rule::multiply:
      add(s.a, w, series(s.b), 1.0, order);
      add(s.b, w, series(s.a), 1.0, order);
      break;
    case Rule::divide:
      divide_into_work(w, series(s.b), 1.0);
      add(s.a, work_.data(), nullptr, 1.0, order);
      add(s.b, work_.data(), series(i), -1.0, order);
      break;
    case Rule::power: {
      divide_into_work(series(i), series(s.a), s.exponent);
      const std::vector<double>& slope = work_;
      if (c_[place(s.a, 0)] == 0.0) {  // p a^(p-1) at zero: a number for the value alone
        work_.assign(work_.size(), std::nan(""));
        work_[0] = s.exponent * std::pow(0.0, s.exponent - 1.0);
      }
      add(s.a, w, slope.data(), 1.0, order);
      break;
    }
    case Rule::integral:
      for (int p = s.first; p < s.first + s.count; ++p)
        add(parts_[at(p)].operand, w, series(parts_[at(p)].slope), 1.0, order);
      break;
    case Rule::pick:
      add(picked(s), w, nullptr, 1.0, order);
      break;
    default:
      break;
  }
}

// Operands have smaller slots than their users among outputs; slopes come later but are only read.
void Series::sweep(int slot, int order) {
  marked_[at(slot)] = 1;
  reached_.push_back(slot);
  adjoint_[place(slot, 0)] = 1.0;
  for (int i = slot; i >= 0; --i)
    if (marked_[at(i)]) spread(steps_[at(i)], i, order);
}

void Series::clear() {
  for (const int slot : reached_) {
    marked_[at(slot)] = 0;
    for (int k = 0; k <= order_; ++k) adjoint_[place(slot, k)] = 0.0;
  }
  reached_.clear();
}

}  // namespace daedalus::graph
