// SPDX-License-Identifier: BSD-3-Clause
#include "model/json/scope.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace daedalus::model {
namespace {

Expr joined(std::string_view name, const Expr& a, const Expr& b) {
  if (name == "sum") return a + b;
  if (name == "product") return a * b;
  return function(name, std::vector<Expr>{a, b});
}

// In halves: a chain of 10^5 sums would be as deep as it is long.
Expr over(std::string_view name, std::span<const Expr> elements) {
  if (elements.size() == 1) return elements.front();
  const std::size_t half = elements.size() / 2;
  return joined(name, over(name, elements.first(half)), over(name, elements.subspan(half)));
}

}  // namespace

std::optional<std::size_t> Array::place(std::span<const double> subscripts) const {
  if (subscripts.size() != sizes.size()) return std::nullopt;
  std::size_t place = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const double i = subscripts[k];
    if (!(i >= 1.0 && i <= static_cast<double>(sizes[k])) || i != std::floor(i))
      return std::nullopt;
    place = place * static_cast<std::size_t>(sizes[k]) + static_cast<std::size_t>(i) - 1;
  }
  return place;
}

std::vector<int> subscripts_of(int element, const std::vector<int>& sizes) {
  std::vector<int> subscripts(sizes.size());
  int left = element - 1;
  for (std::size_t k = sizes.size(); k-- > 0; left /= sizes[k]) subscripts[k] = left % sizes[k] + 1;
  return subscripts;
}

bool ModelScope::has(const std::string& name) const {
  return values_.count(name) > 0 || arrays_.count(name) > 0 || tables_.count(name) > 0;
}

const Array* ModelScope::array(const std::string& name) const {
  const auto found = arrays_.find(name);
  return found == arrays_.end() ? nullptr : &found->second;
}

std::optional<Expr> ModelScope::find(const std::string& name) {
  if (const auto index = indices_.find(name); index != indices_.end()) return index->second;
  if (const auto value = values_.find(name); value != values_.end()) return value->second;
  if (name == "time" || name == "t") return builder_.time();
  if (name == "pi") return std::numbers::pi;
  return std::nullopt;
}

std::optional<Expr> ModelScope::element(const Written& written, const Syntax& syntax,
                                        const std::string& array_name,
                                        std::span<const double> subscripts) const {
  const Array& array = *this->array(array_name);
  if (const auto place = array.place(subscripts)) return array.elements[*place];
  std::vector<std::string> ranges;
  for (const int size : array.sizes) ranges.push_back(fmt::format("1 to {}", size));
  const std::string range = fmt::format("{}", fmt::join(ranges, ", and from "));
  if (subscripts.size() != array.sizes.size()) {
    written.error(syntax.span,
                  fmt::format("'{}' has {} subscripts, {} given", array_name, array.sizes.size(),
                              subscripts.size() == 1 ? std::string("one is")
                                                     : fmt::format("{} are", subscripts.size())),
                  fmt::format("they run from {}", range));
    return std::nullopt;
  }
  std::string where;
  for (const auto& [index, value] : indices_)
    where += fmt::format("{}{} = {:g}", where.empty() ? " at " : ", ", index, value);
  written.error(
      syntax.span,
      fmt::format("there is no '{}[{:g}]'{}", array_name, fmt::join(subscripts, ","), where),
      fmt::format("subscripts of '{}' run from {}", array_name, range));
  return std::nullopt;
}

std::optional<Expr> ModelScope::name(const Written& written, int node,
                                     std::span<const Expr> values) {
  const Formula& formula = written.formula;
  const Syntax& syntax = formula.at(node);
  const NamePart& part = formula.parts[static_cast<std::size_t>(syntax.first)];
  if (syntax.count == 1 && part.count == 0) {
    if (!find(part.text) && is_taken_whole(formula, node)) return 0.0;
    return scalar(written, syntax, part.text);
  }
  const std::string full = canonical_name(written, node, values);
  if (full.empty()) return std::nullopt;
  if (const auto value = values_.find(full); value != values_.end()) return value->second;
  const NamePart& last = formula.parts[static_cast<std::size_t>(syntax.first + syntax.count - 1)];
  if (last.count > 0) {
    const std::string base = full.substr(0, full.rfind('['));
    if (array(base)) {
      std::vector<double> subscripts;
      for (int s = 0; s < last.count; ++s) {
        const int subscript = formula.lists[static_cast<std::size_t>(last.list + s)];
        subscripts.push_back(values[static_cast<std::size_t>(subscript)].number());
      }
      return element(written, syntax, base, subscripts);
    }
  }
  report_unknown(written, syntax, full);
  return std::nullopt;
}

std::optional<Expr> ModelScope::scalar(const Written& written, const Syntax& syntax,
                                       const std::string& name) {
  if (std::optional<Expr> value = find(name)) return value;
  if (const Array* elements = array(name)) {
    const std::vector<int> first(elements->sizes.size(), 1);
    written.error(syntax.span, fmt::format("'{}' is an array, a subscript is missing", name),
                  fmt::format("write {0}[{1}] to {0}[{2}], \"for\" where an equation holds for all "
                              "of them, sum({0}) for all together",
                              name, fmt::join(first, ","), fmt::join(elements->sizes, ",")));
    return std::nullopt;
  }
  report_unknown(written, syntax, name);
  return std::nullopt;
}

void ModelScope::report_unknown(const Written& written, const Syntax& node,
                                const std::string& name) const {
  std::vector<std::string> known{"time"};
  for (const auto& [other, value] : values_) known.push_back(other);
  for (const auto& [other, elements] : arrays_) known.push_back(other);
  for (const auto& [other, value] : indices_) known.push_back(other);
  std::sort(known.begin(), known.end());
  std::string hint = name_hint(name.substr(0, name.find('[')), known);
  if (function_arity(name) > 0) hint = "'" + name + "' is a function: write " + name + "(...)";
  written.error(node.span, fmt::format("there is no {} '{}'", word_, name), std::move(hint));
}

bool ModelScope::call(const Written& written, int node, std::span<const Expr> arguments,
                      std::optional<Expr>& result) {
  const Syntax& syntax = written.formula.at(node);
  const std::string name = written.formula.plain_name(syntax);
  if (takes_array(written.formula, syntax)) return result = over_array(written, syntax), true;
  if (name == "initial" && arguments.empty()) return result = builder_.initial(), true;
  if ((name == "edge" || name == "change") && arguments.size() == 1) {
    result = name == "edge" ? edge(arguments[0]) : change(arguments[0]);
    return true;
  }
  if (name == "sample" && arguments.size() == 2) {
    result = builder_.sample(arguments[0], arguments[1]);
    return true;
  }
  const auto table = tables_.find(name);
  if (table == tables_.end()) return false;
  if (static_cast<int>(arguments.size()) != table->second->argument_count()) {
    written.error(syntax.span, fmt::format("table '{}' takes {} argument{}, {} {} given", name,
                                           table->second->argument_count(),
                                           table->second->argument_count() == 1 ? "" : "s",
                                           arguments.size(), arguments.size() == 1 ? "is" : "are"));
    return true;
  }
  graph::Graph& g = builder_.graph();
  result = arguments.size() == 1 ? g.table(table->second, arguments[0])
                                 : g.table(table->second, arguments[0], arguments[1]);
  return true;
}

bool ModelScope::takes_array(const Formula& formula, const Syntax& call) const {
  if (call.kind != SyntaxKind::call || call.operands != 1) return false;
  const std::string name = formula.plain_name(call);
  return (name == "sum" || name == "product" || name == "min" || name == "max") &&
         tables_.count(name) == 0;
}

bool ModelScope::is_taken_whole(const Formula& formula, int node) const {
  return std::any_of(formula.nodes.begin(), formula.nodes.end(), [&](const Syntax& call) {
    return takes_array(formula, call) && formula.operand(call, 0) == node;
  });
}

std::optional<Expr> ModelScope::over_array(const Written& written, const Syntax& call) const {
  const Formula& formula = written.formula;
  const std::string function = formula.plain_name(call);
  const Syntax& given = formula.at(formula.operand(call, 0));
  std::string name;
  bool subscripts = false;
  if (given.kind == SyntaxKind::name) {
    name = formula.plain_name(given);
    for (int k = 0; k < given.count; ++k)
      subscripts = subscripts || formula.parts[static_cast<std::size_t>(given.first + k)].count > 0;
  }
  const Array* elements = subscripts ? nullptr : array(name);
  if (elements) return over(function, elements->elements);
  if (given.kind == SyntaxKind::name && !subscripts && !has(name))
    report_unknown(written, given, name);
  else
    written.error(given.span, fmt::format("{} of one argument takes an array", function),
                  fmt::format("write {}(x) for \"x\": {{\"size\": 3, ...}}", function));
  return std::nullopt;
}

std::vector<std::string> ModelScope::functions() const {
  std::vector<std::string> names{"initial", "edge", "change", "sample", "sum", "product"};
  for (const auto& [name, table] : tables_) names.push_back(name);
  return names;
}

}  // namespace daedalus::model
