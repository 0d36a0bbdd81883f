// SPDX-License-Identifier: BSD-3-Clause
// Equations, events, mechanics and outputs as calls of the builder.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/at.hpp"
#include "model/cpp/writer.hpp"

namespace daedalus::model {
namespace {

using graph::InputKind;
using graph::MapArgument;

// Shorter lists are written out.
constexpr std::size_t min_range = 4;

std::string input_kind(InputKind kind) {
  return fmt::format("graph::InputKind::{}", graph::name_of(kind));
}

}  // namespace

std::string CppWriter::index_list(const std::vector<int>& index) {
  const int step = index.size() > 1 ? index[1] - index[0] : 0;
  bool regular = index.size() >= min_range;
  for (std::size_t k = 1; k < index.size() && regular; ++k)
    regular = index[k] - index[k - 1] == step;
  if (!regular) return fmt::format("{{{}}}", fmt::join(index, ", "));
  index_ranges_ = true;
  return fmt::format("indices({}, {}, {})", index.front(), step, index.size());
}

std::string CppWriter::map_argument(const MapArgument& a) {
  switch (a.source) {
    case MapArgument::Source::input:
      return fmt::format("graph::MapArgument::of_input({}, {})", input_kind(a.kind),
                         index_list(a.index));
    case MapArgument::Source::values: {
      std::vector<std::string> digits;
      for (const double value : a.values) digits.push_back(cpp_number(value));
      return fmt::format("graph::MapArgument::of_values({{{}}})", fmt::join(digits, ", "));
    }
    default:
      return fmt::format("graph::MapArgument::of_scalar({})", expr(a.scalar));
  }
}

void CppWriter::map(const BuiltEquation& e) {
  const graph::Map& map = data_.residuals.maps[at(e.map)];
  const graph::Graph& inner = map.kernel->graph();
  const std::string own = names_.make("kernel");
  statement(fmt::format("const auto {} = std::make_shared<graph::Kernel>();", own));
  statement("{");
  CppExpressions formulas(inner, names_, "    ");
  formulas.count_uses(map.kernel->results());
  std::string block;
  for (int k = 0; k < map.kernel->argument_count(); ++k) {
    const int node = map.kernel->argument_node(k);
    const std::string argument = names_.make(node >= 0 ? inner.name(node) : "unused");
    if (node >= 0) formulas.name(inner.expr(node), argument);
    block += fmt::format("    const Expr {} = {}->argument({}, {});\n", argument, own, k,
                         cpp_string(node >= 0 ? inner.name(node) : ""));
  }
  for (const Expr& result : map.kernel->results()) {
    const std::string value = formulas.text(result, block);
    block += fmt::format("    {}->add_result({});\n", own, value);
  }
  out_ += block;
  statement("}");
  std::vector<std::string> arguments;
  for (const MapArgument& a : map.arguments) arguments.push_back(map_argument(a));
  statement(fmt::format("m.equations({}, {}, {{{}}}{});", own, map.count,
                        fmt::join(arguments, ",\n      "), options(e.options, true)));
}

void CppWriter::equations() {
  for (const BuiltEquation& e : data_.equations) {
    if (e.map >= 0) {
      map(e);
      continue;
    }
    const std::string left = expr(e.left), right = expr(e.right);
    statement(fmt::format("m.equation({}, {}{});", left, right, options(e.options, true)));
  }
  for (const BuiltItem& e : data_.initial_equations) {
    const std::string left = expr(e.left), right = expr(e.right);
    statement(fmt::format("m.initial_equation({}, {}{});", left, right, options(e.options, true)));
  }
  for (const auto& r : data_.requirements) {
    const std::string condition = expr(r.condition);
    statement(fmt::format("m.require({}, {});", condition, cpp_string(r.message)));
  }
}

void CppWriter::events() {
  std::vector<std::string> clauses;
  for (const BuiltWhen& w : data_.whens) {
    const std::string condition = expr(w.condition), own = names_.make("clause");
    const std::string made = w.first >= 0 ? clauses[at(w.first)] + ".otherwise" : "m.when";
    statement(
        fmt::format("WhenClause {} = {}({}{});", own, made, condition, options(w.options, true)));
    clauses.push_back(own);
    for (const BuiltAction& action : w.actions) {
      const bool stop = action.kind == BuiltAction::Kind::stop;
      const std::string target = stop ? cpp_string(action.message) : expr(action.target);
      const std::string value = stop ? std::string() : ", " + expr(action.value);
      statement(fmt::format("{}.{}({}{});", own,
                            stop                                    ? "stop"
                            : action.kind == BuiltAction::Kind::set ? "set"
                                                                    : "reinit",
                            target, value));
    }
  }
  for (const BuiltItem& e : data_.discrete_equations) {
    const std::string left = expr(e.left), right = expr(e.right);
    statement(fmt::format("m.discrete_equation({}, {}{});", left, right, options(e.options, true)));
  }
}

void CppWriter::results() {
  for (const BuiltItem& o : data_.outputs) {
    const std::string value = expr(o.left);
    statement(
        fmt::format("m.output({}, {}{});", cpp_string(o.name), value, options(o.options, false)));
  }
  for (const BuiltItem& i : data_.invariants) {
    const std::string value = expr(i.left);
    statement(fmt::format("m.invariant({}, {});", cpp_string(i.name), value));
  }
}

void CppWriter::mechanics() {
  const BuiltMechanics& mechanics = data_.mechanics;
  const graph::Graph& g = *data_.graph;
  const auto input = [&](InputKind kind, std::size_t k) {
    const int node = g.input_node(kind, static_cast<int>(k));
    return g.expr(node);
  };
  std::vector<std::string> pairs;
  for (std::size_t k = 0; k < mechanics.q.size(); ++k) {
    const auto [q, v] = std::pair(mechanics.q[k], mechanics.v[k]);
    const std::string with = options(q.options), rate = options(v.options);
    pairs.push_back(names_.make("pair_" + q.name));
    statement(fmt::format("const Coordinate {} = m.coordinate({}, {}{}{});", pairs.back(),
                          cpp_string(q.name), cpp_string(v.name), with.empty() ? ", {}" : with,
                          rate));
    expressions_.name(input(InputKind::position, k), pairs.back() + ".q");
    expressions_.name(input(InputKind::velocity, k), pairs.back() + ".v");
  }
  for (std::size_t k = 0; k < mechanics.c.size(); ++k)
    declared(input(InputKind::auxiliary, k), mechanics.c[k].name,
             fmt::format("m.dynamic_variable({}{})", cpp_string(mechanics.c[k].name),
                         options(mechanics.c[k].options)));
  std::size_t multiplier = 0;
  for (const auto& [list, call] : {std::pair(&mechanics.holonomic, "constraint"),
                                   std::pair(&mechanics.nonholonomic, "nonholonomic")})
    for (const BuiltItem& row : *list) {
      const std::string value = expr(row.left);
      declared(input(InputKind::multiplier, multiplier++), row.name,
               fmt::format("m.{}({}, {}{})", call, value, cpp_string(row.name),
                           options(row.options, true)));
    }
  for (const auto& entry : mechanics.mass) {
    if (entry.column > entry.row) continue;  // the builder repeats it
    const std::string value = expr(entry.value);
    statement(
        fmt::format("m.mass({}, {}, {});", pairs[at(entry.row)], pairs[at(entry.column)], value));
  }
  for (std::size_t k = 0; k < mechanics.force.size(); ++k) {
    const std::string value = expr(mechanics.force[k]);
    statement(fmt::format("m.force({}, {});", pairs[k], value));
  }
  for (std::size_t k = 0; k < mechanics.dynamics.size(); ++k) {
    const std::string value = expr(mechanics.dynamics[k]);
    statement(fmt::format("m.dynamics({}, {});", expr(input(InputKind::auxiliary, k)), value));
  }
}

}  // namespace daedalus::model
