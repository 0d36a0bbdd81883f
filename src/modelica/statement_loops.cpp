// SPDX-License-Identifier: BSD-3-Clause
// for and while in algorithms: unrolled, with what 'break' leaves behind.
#include <utility>

#include <fmt/format.h>

#include "modelica/statements.hpp"

namespace daedalus::modelica {
namespace {

// Passes of a loop whose end depends on variables.
constexpr int max_open_passes = 200;
// Passes of a loop that numbers decide: more is a loop that does not end.
constexpr int max_passes = 1'000'000;

}  // namespace

Statements::Signal Statements::for_statement(const ast::Equation& e, std::size_t iterator,
                                             Frame& frame) {
  if (iterator == e.iterators.size()) return block(e.branches.front().body, frame);
  std::vector<Value> values;
  c_.iteration(e.iterators[iterator], {scope_, &frame}, values);
  Frame inner;
  inner.up = &frame;
  inner.variables.emplace_back(e.iterators[iterator].name, Value{});
  loops_.emplace_back();
  Signal result = Signal::none;
  for (const Value& v : values) {
    inner.variables.front().second = v;
    c_.loops.push_back({e.iterators[iterator].name,
                        v.e.front().is_number() ? v.e.front().number() : 0.0,
                        e.iterators[iterator].range});
    const Signal s = for_statement(e, iterator + 1, inner);
    c_.loops.pop_back();
    if (s == Signal::left_loop) break;
    if (s == Signal::returned) {
      // Where a pass was left by 'break' before, the section goes on behind the loop.
      if (loops_.back().empty())
        result = s;
      else
        returned(1.0, frame_.variables);
      break;
    }
  }
  std::vector<Exit> exits = std::move(loops_.back());
  loops_.pop_back();
  leave(exits, frame_.variables, e);
  return result;
}

void Statements::leave(std::vector<Exit>& exits, State final, const ast::Equation& e) {
  for (std::size_t k = exits.size(); k-- > 0;)
    final = merged(exits[k].condition, exits[k].state, final, e);
  frame_.variables = std::move(final);
}

// What numbers decide goes on with numbers. A pass of which it is not known whether it happens
// leaves behind: in the result the value of the pass where it does, for the passes to come the
// same, but numbers as they are where the loop goes on (a counter stays a number).
Statements::Signal Statements::while_statement(const ast::Equation& e, Frame& frame) {
  const ast::Branch& b = e.branches.front();
  Expr active = 1.0;
  State result = frame_.variables;
  int open = 0;
  for (int pass = 0;; ++pass) {
    if (pass >= max_passes)
      throw Mistake{Phase::types, e.place,
                    fmt::format("this loop does not end within {} passes", max_passes)};
    const Value condition = c_.evaluate(*b.condition, {scope_, &frame});
    if (condition.base != Base::boolean || !condition.scalar())
      throw Mistake{Phase::types, b.condition->place,
                    fmt::format("a condition is Boolean; this is {}", type_text(condition))};
    active = active && condition.e.front();
    // Parameters that say how often: a loop of numbers.
    if (!active.is_number() && !depends_on_variables(*c_.graph, active)) c_.make_structural(active);
    if (active.is_number(0.0)) break;
    if (!active.is_number() && ++open > max_open_passes) {
      ends_in_time(e, active, result);
      break;
    }
    c_.undecided += !active.is_number();
    loops_.emplace_back();
    const std::size_t before = returns_.size();
    const Signal s = block(b.body, frame);
    const bool surely = s == Signal::returned && active.is_number() && loops_.back().empty();
    if (s == Signal::returned && !surely) this->returned(1.0, frame_.variables);
    const std::vector<Exit> exits = std::move(loops_.back());
    loops_.pop_back();
    c_.undecided -= !active.is_number();
    State after = frame_.variables;
    Expr goes_on = 1.0;
    for (std::size_t k = before; k < returns_.size(); ++k) {
      returns_[k].condition = active && returns_[k].condition;
      goes_on = goes_on && !returns_[k].condition;
    }
    if (surely) return s;
    for (const Exit& x : exits) goes_on = goes_on && !x.condition;
    for (std::size_t k = exits.size(); k-- > 0;)
      after = merged(exits[k].condition, exits[k].state, after, e);
    result = active.is_number() ? after : merged(active, after, result, e);
    const State path = frame_.variables;
    frame_.variables = result;
    for (std::size_t v = 0; v < path.size(); ++v)
      for (std::size_t k = 0; k < path[v].second.e.size(); ++k)
        if (path[v].second.e[k].is_number()) frame_.variables[v].second.e[k] = path[v].second.e[k];
    if (s != Signal::none) break;
    active = active && goes_on;
  }
  frame_.variables = std::move(result);
  return Signal::none;
}

void Statements::ends_in_time(const ast::Equation& e, const Expr& active, State& state) const {
  for (auto& v : state)
    for (Expr& x : v.second.e)
      if (!x.is_number())
        x = c_.graph->asserted(!active, x,
                               fmt::format("the loop of {} does not end within {} passes",
                                           c_.files.where(e.place), max_open_passes));
}

}  // namespace daedalus::modelica
