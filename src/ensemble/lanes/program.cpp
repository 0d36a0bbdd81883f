// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/lanes/program.hpp"

#include <map>

#include <daedalus/types.hpp>

#include "graph/operations.hpp"
#include "graph/reach.hpp"
#include "kernel/at.hpp"

namespace daedalus::lanes {
namespace {

using graph::InputKind;
using graph::Op;

std::vector<int> roots_of(const std::vector<Expr>& formulas) {
  std::vector<int> roots;
  for (const Expr& e : formulas)
    if (!e.is_number()) roots.push_back(e.node());
  return roots;
}

class Compiler {
 public:
  Compiler(graph::Graph& graph, const std::vector<Expr>& results, int inputs, int parameters)
      : graph_(graph),
        order_(graph::reached(graph, roots_of(results))),
        slot_(at(graph.size()), -1) {
    p_.inputs = inputs;
    p_.parameters = parameters;
    p_.results = static_cast<int>(results.size());
    number_constants(results);
    sort_by_dependence();
    for (const int i : order_) add(i);
    for (std::size_t k = 0; k < results.size(); ++k)
      p_.body.push_back({copy_op, p_.first_result() + static_cast<int>(k), slot_of(results[k])});
  }
  Program take(bool replace) {
    for (int k = 0; replace && k < p_.inputs; ++k)
      p_.body.push_back({copy_op, p_.first_input() + k, p_.first_result() + k});
    return std::move(p_);
  }

 private:
  int constant(double value) {
    const auto [found, fresh] = constants_.try_emplace(bits(value), p_.constants.size());
    if (fresh) p_.constants.push_back(value);
    return static_cast<int>(found->second);
  }
  static std::uint64_t bits(double value) {
    std::uint64_t b = 0;
    static_assert(sizeof b == sizeof value);
    __builtin_memcpy(&b, &value, sizeof b);
    return b;
  }
  int slot_of(const Expr& e) { return e.is_number() ? constant(e.number()) : slot_[at(e.node())]; }

  // All of them first: the slots behind them are counted from their number.
  void number_constants(const std::vector<Expr>& results) {
    for (const int i : order_)
      if (graph_.node(i).op == Op::constant) slot_[at(i)] = constant(graph_.constant_value(i));
    for (const Expr& e : results)
      if (e.is_number()) constant(e.number());
  }
  void sort_by_dependence() {
    changes_.assign(at(graph_.size()), 0);
    for (const int i : order_) {
      if (graph_.node(i).op == Op::input) {
        const InputKind kind = graph_.kind(i);
        if (kind != InputKind::state && kind != InputKind::parameter)
          throw InvalidArgument("a step of lanes has states and parameters as inputs");
        changes_[at(i)] = kind == InputKind::state;
      }
      for (const int k : graph_.operands(i)) changes_[at(i)] |= changes_[at(k)];
      const bool computed = graph_.node(i).op != Op::input && graph_.node(i).op != Op::constant;
      if (computed) ++(changes_[at(i)] ? p_.temporaries : p_.kept);
    }
    next_kept_ = p_.first_kept();
    next_temporary_ = p_.first_temporary();
  }
  void add(int i) {
    const graph::Node& n = graph_.node(i);
    if (n.op == Op::constant) return;
    if (n.op == Op::input) {
      slot_[at(i)] =
          (graph_.kind(i) == InputKind::state ? p_.first_input() : p_.first_parameter()) +
          graph_.number(i);
      return;
    }
    if (n.op == Op::table || n.op == Op::external || n.op == Op::assertion)
      throw InvalidArgument("tables, external functions and assertions are not run in lanes");
    const auto x = graph_.operands(i);
    Instruction made{static_cast<std::uint16_t>(n.op), 0, slot_[at(x[0])]};
    if (n.op == Op::no_event) made.op = copy_op;
    if (x.size() > 1) made.b = slot_[at(x[1])];
    if (x.size() > 2) made.c = slot_[at(x[2])];
    made.d = slot_[at(i)] = changes_[at(i)] ? next_temporary_++ : next_kept_++;
    (changes_[at(i)] ? p_.body : p_.prologue).push_back(made);
  }

  graph::Graph& graph_;
  std::vector<int> order_, slot_;
  std::vector<char> changes_;  // by node: depends on more than parameters
  std::map<std::uint64_t, std::size_t> constants_;
  Program p_;
  int next_kept_ = 0, next_temporary_ = 0;
};

int operands(const Instruction& i) {
  if (i.op == copy_op) return 1;
  return graph::info(static_cast<Op>(i.op)).operand_count;
}

}  // namespace

Program compile(graph::Graph& graph, const std::vector<Expr>& results, int inputs, int parameters,
                bool replace) {
  return Compiler(graph, results, inputs, parameters).take(replace);
}

Program with_shared_slots(const Program& program) {
  Program p = program;
  const int first = p.first_temporary();
  std::vector<int> last_use(at(p.temporaries), -1), place(at(p.temporaries), -1), free;
  const auto each_operand = [&](Instruction& i, auto&& f) {
    const int n = operands(i);
    f(i.a);
    if (n > 1) f(i.b);
    if (n > 2) f(i.c);
  };
  for (std::size_t k = 0; k < p.body.size(); ++k)
    each_operand(p.body[k], [&](std::int32_t s) {
      if (s >= first) last_use[at(s - first)] = static_cast<int>(k);
    });
  int count = 0;
  for (std::size_t k = 0; k < p.body.size(); ++k) {
    Instruction& i = p.body[k];
    const Instruction was = i;
    each_operand(i, [&](std::int32_t& s) {
      if (s >= first) s = first + place[at(s - first)];
    });
    Instruction ended = was;
    each_operand(ended, [&](std::int32_t& s) {
      if (s < first || last_use[at(s - first)] != static_cast<int>(k)) return;
      free.push_back(place[at(s - first)]);
      last_use[at(s - first)] = -1;  // an operand that stands twice is freed once
    });
    if (was.d < first) continue;
    if (free.empty()) free.push_back(count++);
    place[at(was.d - first)] = free.back();
    free.pop_back();
    i.d = first + place[at(was.d - first)];
  }
  p.temporaries = count;
  return p;
}

Transplant::Transplant(const graph::Graph& from, const std::vector<Expr>& roots)
    : from_(from), roots_(roots), order_(graph::reached(from, roots_of(roots))) {}

std::vector<Expr> Transplant::operator()(graph::Graph& to, const Expr& time,
                                         const std::vector<Expr>& state) const {
  std::vector<Expr> value(at(from_.size()));
  for (const int i : order_) {
    const graph::Node& n = from_.node(i);
    const auto x = from_.operands(i);
    Expr& v = value[at(i)];
    if (n.op == Op::constant)
      v = from_.constant_value(i);
    else if (n.op == Op::input && from_.kind(i) == InputKind::time)
      v = time;
    else if (n.op == Op::input && from_.kind(i) == InputKind::state)
      v = state[at(from_.number(i))];
    else if (n.op == Op::input)
      v = to.input(from_.kind(i), from_.number(i));
    else if (n.op == Op::select)
      v = to.select(value[at(x[0])], value[at(x[1])], value[at(x[2])]);
    else
      v = x.size() == 1 ? to.make(n.op, value[at(x[0])])
                        : to.make(n.op, value[at(x[0])], value[at(x[1])]);
  }
  std::vector<Expr> result;
  for (const Expr& e : roots_) result.push_back(e.is_number() ? e : value[at(e.node())]);
  return result;
}

}  // namespace daedalus::lanes
