// SPDX-License-Identifier: BSD-3-Clause
#include "model/cpp/writer.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <daedalus/graph_table.hpp>

#include "graph/reach.hpp"

namespace daedalus::model {
namespace {

using graph::InputKind;

void add_bound(std::vector<std::string>& parts, const char* key, double value) {
  if (std::isfinite(value)) parts.push_back(fmt::format(".{} = {}", key, cpp_number(value)));
}

void add_text(std::vector<std::string>& parts, const char* key, const std::string& text) {
  if (!text.empty()) parts.push_back(fmt::format(".{} = {}", key, cpp_string(text)));
}

std::string braces(const std::vector<std::string>& parts) {
  return parts.empty() ? "" : fmt::format(", {{{}}}", fmt::join(parts, ", "));
}

bool same_options(const VariableOptions& a, const VariableOptions& b) {
  return a.start.same(b.start) && a.fixed == b.fixed && a.nominal == b.nominal && a.min == b.min &&
         a.max == b.max && a.unit == b.unit && a.description == b.description;
}

}  // namespace

std::vector<Expr> all_expressions(const ModelBuilder::Data& d) {
  std::vector<Expr> all;
  const auto add = [&](std::initializer_list<Expr> more) { all.insert(all.end(), more); };
  for (const auto& list : {&d.variables, &d.mechanics.q, &d.mechanics.v, &d.mechanics.c})
    for (const BuiltVariable& v : *list) add({v.options.start});
  for (const BuiltDependent& p : d.dependents) add({p.value});
  for (const BuiltDiscrete& x : d.discretes) add({x.options.start});
  for (const BuiltEquation& e : d.equations) add({e.left, e.right});
  for (const graph::Map& map : d.residuals.maps)
    for (const graph::MapArgument& a : map.arguments) add({a.scalar});
  for (const auto& list : {&d.initial_equations, &d.discrete_equations, &d.outputs, &d.invariants,
                           &d.mechanics.holonomic, &d.mechanics.nonholonomic})
    for (const BuiltItem& item : *list) add({item.left, item.right});
  for (const auto& r : d.requirements) add({r.condition});
  for (const BuiltWhen& w : d.whens) {
    add({w.condition});
    for (const BuiltAction& action : w.actions) add({action.target, action.value});
  }
  for (const BuiltSample& s : d.samples) add({s.first, s.period});
  for (const auto& entry : d.mechanics.mass) add({entry.value});
  all.insert(all.end(), d.mechanics.force.begin(), d.mechanics.force.end());
  all.insert(all.end(), d.mechanics.dynamics.begin(), d.mechanics.dynamics.end());
  return all;
}

CppWriter::CppWriter(const ModelBuilder::Data& data, Identifiers& names)
    : data_(data), names_(names), expressions_(*data.graph, names, "  ") {
  expressions_.count_uses(all_expressions(data));
}

std::string CppWriter::declared(const Expr& x, std::string_view name, const std::string& call) {
  const std::string own = names_.make(name);
  statement(fmt::format("[[maybe_unused]] const Expr {} = {};", own, call));
  expressions_.name(x, own);
  return own;
}

std::string CppWriter::options(const VariableOptions& o) {
  std::vector<std::string> parts;
  if (!o.start.is_number(0.0)) parts.push_back(".start = " + expr(o.start));
  if (o.fixed) parts.emplace_back(".fixed = true");
  if (o.nominal != 1.0) parts.push_back(".nominal = " + cpp_number(o.nominal));
  add_bound(parts, "min", o.min);
  add_bound(parts, "max", o.max);
  add_text(parts, "unit", o.unit);
  add_text(parts, "description", o.description);
  return braces(parts);
}

std::string CppWriter::options(const ParameterOptions& o) {
  std::vector<std::string> parts;
  add_bound(parts, "min", o.min);
  add_bound(parts, "max", o.max);
  add_text(parts, "unit", o.unit);
  add_text(parts, "description", o.description);
  return braces(parts);
}

std::string CppWriter::options(const ItemOptions& o, bool with_name) {
  std::vector<std::string> parts;
  if (with_name) add_text(parts, "name", o.name);
  add_text(parts, "unit", o.unit);
  add_text(parts, "description", o.description);
  return braces(parts);
}

void CppWriter::tables() {
  std::vector<int> roots;
  for (const Expr& x : all_expressions(data_))
    if (!x.is_number()) roots.push_back(x.node());
  std::set<const graph::Table*> seen;
  for (const int node : graph::reached(*data_.graph, roots)) {
    if (data_.graph->node(node).op != graph::Op::table) continue;
    const graph::Table& t = data_.graph->table_of(node);
    if (!seen.insert(&t).second) continue;
    if (t.argument_count() != 1 || data_.graph->table_order(node)[0] > 0)
      throw InvalidArgument("the table '" + t.name() + "' cannot be written as C++");
    const auto list = [](const std::vector<double>& values) {
      std::vector<std::string> digits;
      for (const double value : values) digits.push_back(cpp_number(value));
      return fmt::format("std::vector<double>{{{}}}", fmt::join(digits, ", "));
    };
    const char* kind = t.interpolation() == graph::Table::Interpolation::akima  ? "akima"
                       : t.interpolation() == graph::Table::Interpolation::hold ? "hold"
                                                                                : "linear";
    const char* beyond = t.beyond() == graph::Table::Beyond::hold ? "hold" : "extrapolate";
    const std::string own = names_.make(t.name());
    statement(
        fmt::format("const auto {} = std::make_shared<const graph::Table>({}, {}, {}, "
                    "graph::Table::Interpolation::{}, graph::Table::Beyond::{});",
                    own, cpp_string(t.name()), list(t.grid()), list(t.values()), kind, beyond));
    expressions_.name_table(&t, own);
  }
}

void CppWriter::parameters() {
  for (std::size_t k = 0; k < data_.parameters.size(); ++k) {
    const BuiltParameter& p = data_.parameters[k];
    const int node = data_.graph->input_node(InputKind::parameter, static_cast<int>(k));
    declared(data_.graph->expr(node), p.name,
             fmt::format("m.parameter({}, {}{})", cpp_string(p.name), cpp_number(p.value),
                         options(p.options)));
  }
  for (const BuiltDependent& p : data_.dependents) {
    const std::string value = expr(p.value);
    statement(fmt::format("m.dependent_parameter({}, {}{});", cpp_string(p.name), value,
                          options(p.options)));
  }
}

// Number of variables from `first` on that are name[1], name[2], ... with equal options.
std::size_t CppWriter::array_at(std::size_t first) const {
  const std::string& name = data_.variables[first].name;
  if (!name.ends_with("[1]")) return 0;
  const std::string base = name.substr(0, name.size() - 3);
  std::size_t n = 1;
  while (first + n < data_.variables.size() &&
         data_.variables[first + n].name == fmt::format("{}[{}]", base, n + 1) &&
         same_options(data_.variables[first + n].options, data_.variables[first].options))
    ++n;
  return n;
}

void CppWriter::variables() {
  for (std::size_t k = 0; k < data_.variables.size();) {
    const BuiltVariable& v = data_.variables[k];
    const auto input = [&](std::size_t number) {
      return data_.graph->expr(data_.graph->input_node(InputKind::state, static_cast<int>(number)));
    };
    const std::string with = options(v.options);
    const std::size_t n = array_at(k);
    if (n < 2) {
      declared(input(k), v.name, fmt::format("m.variable({}{})", cpp_string(v.name), with));
      ++k;
      continue;
    }
    const std::string base = v.name.substr(0, v.name.size() - 3), own = names_.make(base);
    statement(fmt::format("const int {} = m.variables({}, {}{});", own, cpp_string(base), n, with));
    for (std::size_t i = 0; i < n; ++i)
      expressions_.name(input(k + i), fmt::format("m.variable_at({} + {})", own, i));
    k += n;
  }
}

void CppWriter::discretes() {
  for (const BuiltDiscrete& d : data_.discretes) {
    const std::string with = options(d.options);
    declared(d.input, d.name, fmt::format("m.discrete({}{})", cpp_string(d.name), with));
  }
  for (const BuiltSample& s : data_.samples) {
    const std::string first = expr(s.first), period = expr(s.period);
    declared(s.input, "sample", fmt::format("m.sample({}, {})", first, period));
  }
  if (!data_.initial.is_number()) declared(data_.initial, "initial", "m.initial()");
}

std::string CppWriter::body() {
  out_.clear();
  if (!data_.title.empty()) statement(fmt::format("m.set_title({});", cpp_string(data_.title)));
  statement(fmt::format("m.set_interval({{{}, {}}});", cpp_number(data_.interval.from),
                        cpp_number(data_.interval.to)));
  tables();
  parameters();
  variables();
  discretes();
  mechanics();
  equations();
  events();
  results();
  return std::move(out_);
}

}  // namespace daedalus::model
