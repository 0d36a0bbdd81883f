// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "circuit/netlist/constants.hpp"
#include "circuit/netlist/expression.hpp"
#include "kernel/nearest.hpp"

namespace daedalus::circuit {
namespace {

struct NamedConstant {
  std::string_view name;
  double value;
};
constexpr std::array<NamedConstant, 4> named_constants{{{"pi", std::numbers::pi},
                                                        {"e", std::numbers::e},
                                                        {"boltz", boltzmann},
                                                        {"echarge", elementary_charge}}};

std::optional<Expr> netlist_function(const std::string& name, std::span<const Expr> x) {
  const auto is = [&](std::string_view f, std::size_t arity) {
    return name == f && x.size() == arity;
  };
  if (is("sgn", 1)) return sign(x[0]);
  if (is("int", 1)) return trunc(x[0]);
  if (is("u", 1)) return select(x[0] > 0.0, 1.0, 0.0);
  if (is("uramp", 1)) return max(x[0], 0.0);
  if (is("limit", 3)) return min(max(x[0], min(x[1], x[2])), max(x[1], x[2]));
  if (is("pwr", 2)) return sign(x[0]) * pow(abs(x[0]), x[1]);
  return std::nullopt;
}
const std::vector<std::string> netlist_functions{"sgn", "int", "u", "uramp", "limit", "pwr"};

}  // namespace

class ExpressionScope final : public model::Scope {
 public:
  ExpressionScope(const Parameters& parameters, bool numbers, const Parameters::Signals* signals,
                  int file)
      : parameters_(parameters), numbers_(numbers), signals_(signals), file_(file) {}

  std::optional<Expr> name(const model::Written& written, int node,
                           std::span<const Expr> values) override {
    const std::string name = canonical_name(written, node, values);
    if (name.empty()) return std::nullopt;
    const Span span = written.formula.at(node).span;
    if (const auto known = parameters_.find(name))
      return numbers_ ? Expr(known->number) : known->formula;
    for (const NamedConstant& constant : named_constants)
      if (constant.name == name) return constant.value;
    if (parameters_.is_wrong(name)) return std::nullopt;  // has been reported
    const Where where{file_, written.fragment.in_source(span)};
    if (signals_) {
      if (const auto signal = (*signals_)(name, where)) return signal;
      if (name.find('(') != std::string::npos) return std::nullopt;  // reported by the lookup
    }
    if (name.find('(') != std::string::npos)
      written.error(span, fmt::format("{} changes during the run; here a value is needed", name),
                    "use a B source for expressions of voltages and currents");
    else
      written.error(span, fmt::format("there is no parameter '{}'", name),
                    model::name_hint(name, parameters_.names()));
    return std::nullopt;
  }

  bool call(const model::Written& written, int node, std::span<const Expr> arguments,
            std::optional<Expr>& result) override {
    const model::Syntax& syntax = written.formula.at(node);
    const std::string name = written.formula.plain_name(syntax);
    if (name == "ddt" || name == "idt" || name == "delay" || name == "der" || name == "pre") {
      written.error(syntax.span, fmt::format("{}() is not supported in expressions", name),
                    "use a capacitor and its current");
      return true;
    }
    result = netlist_function(name, arguments);
    return result.has_value();
  }
  std::vector<std::string> functions() const override { return netlist_functions; }

 private:
  const Parameters& parameters_;
  bool numbers_;
  const Parameters::Signals* signals_;
  int file_;
};

void Parameters::define(const std::string& name, double number, Expr formula) {
  Item& item = items_[name];
  item.state = Item::known;
  item.value = {number, formula};
}

void Parameters::define(const std::vector<Assignment>& list) {
  for (const Assignment& a : list) {
    Item& item = items_[a.name];
    if (item.state == Item::known) continue;  // given from outside
    item.text = &a;
    item.state = Item::unknown;
  }
}

void Parameters::settle() {
  for (auto& [name, item] : items_) settle(name, item);
}

void Parameters::settle(const std::string& name, Item& item) const {
  if (item.state == Item::known || item.state == Item::wrong) return;
  if (item.state == Item::busy) {
    const auto first = std::find(chain_.begin(), chain_.end(), name);
    files_->error(item.text->where, fmt::format("parameters {} define each other",
                                                fmt::join(first, chain_.end(), ", ")));
    for (auto i = first; i != chain_.end(); ++i) items_[*i].state = Item::wrong;
    return;
  }
  item.state = Item::busy;
  chain_.push_back(name);
  const auto value = number(item.text->value);
  const auto symbolic = value ? formula(item.text->value) : std::nullopt;
  chain_.pop_back();
  if (item.state == Item::wrong) return;
  if (!value || !symbolic) {
    item.state = Item::wrong;
    return;
  }
  item.value = {*value, *symbolic};
  item.state = Item::known;
}

bool Parameters::is_wrong(const std::string& name) const {
  for (const Parameters* level = this; level; level = level->above_)
    if (const auto i = level->items_.find(name); i != level->items_.end())
      return i->second.state == Item::wrong;
  return false;
}

std::optional<Parameters::Known> Parameters::find(const std::string& name) const {
  for (const Parameters* level = this; level; level = level->above_)
    if (const auto i = level->items_.find(name); i != level->items_.end()) {
      level->settle(name, i->second);
      if (i->second.state != Item::known) return std::nullopt;
      return i->second.value;
    }
  return std::nullopt;
}

std::vector<std::string> Parameters::names() const {
  std::vector<std::string> list;
  for (const Parameters* level = this; level; level = level->above_)
    for (const auto& [name, item] : level->items_) list.push_back(name);
  return list;
}

std::optional<Expr> Parameters::formula(const Value& value, const Signals* signals) const {
  if (value.number) return Expr(*value.number);
  if (!value.expression) return std::nullopt;
  const Expression& e = *value.expression;
  ExpressionScope scope(*this, false, signals, e.file);
  const auto values = model::lower({e.fragment, e.formula, files_->diagnostics(e.file)}, scope);
  if (!values) return std::nullopt;
  return values->back();
}

std::optional<double> Parameters::number(const Value& value) const {
  if (value.number) return value.number;
  if (!value.expression) return std::nullopt;
  const Expression& e = *value.expression;
  ExpressionScope scope(*this, true, nullptr, e.file);
  const auto values = model::lower({e.fragment, e.formula, files_->diagnostics(e.file)}, scope);
  if (!values) return std::nullopt;
  const Expr& result = values->back();
  if (!result.is_number() || !std::isfinite(result.number())) {
    files_->error(value.where, "this expression has no finite value",
                  "a division by zero, or a root or logarithm outside its domain");
    return std::nullopt;
  }
  return result.number();
}

}  // namespace daedalus::circuit
