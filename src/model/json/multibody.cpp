// SPDX-License-Identifier: BSD-3-Clause
// M(t, q) v' = f(t, q, v, lambda, c) - G^T lambda, 0 = g(t, q), from a "multibody" section.
#include <fmt/format.h>

#include "model/json/reader.hpp"

namespace daedalus::model {

// {"x": 1, "y": {"start": 0}}, or ["x", "y"] with start values of zero.
std::vector<std::pair<std::string, VariableOptions>> Reader::coordinate_list(
    const JsonValue& value) {
  std::vector<std::pair<std::string, VariableOptions>> list;
  if (value.is(Kind::array)) {
    for (const JsonValue& name : value.items) {
      if (!is_kind(name, Kind::string, "a name", diagnostics_)) continue;
      const JsonValue::Member member{name.string, name.span, {}};
      if (new_name(member)) list.emplace_back(name.string, variable_options(member));
    }
    return list;
  }
  if (!is_kind(value, Kind::object, "a list of coordinates", diagnostics_)) return list;
  for (const JsonValue::Member& member : value.members)
    if (new_name(member)) list.emplace_back(member.name, variable_options(member));
  return list;
}

// Rows of formulas, or one list: the diagonal.
void Reader::mass_matrix(const JsonValue& value) {
  if (!is_kind(value, Kind::array, "'mass'", diagnostics_)) return;
  const std::size_t n = coordinates_.size();
  if (value.items.size() != n) {
    diagnostics_.error(value.span,
                       fmt::format("'mass' has {} rows for {} velocities", value.items.size(), n));
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const JsonValue& row = value.items[i];
    if (!row.is(Kind::array)) {
      if (const auto m = expression(row, "a mass"))
        builder_->mass(coordinates_[i], coordinates_[i], *m);
      continue;
    }
    if (row.items.size() != n && row.items.size() != i + 1) {
      diagnostics_.error(row.span,
                         fmt::format("row {} of 'mass' has {} entries; it must have {}, or "
                                     "{} up to the diagonal",
                                     i + 1, row.items.size(), n, i + 1));
      continue;
    }
    // The matrix is symmetric: entries right of the diagonal repeat those below it.
    for (std::size_t k = 0; k <= i; ++k) {
      const auto m = expression(row.items[k], "an entry of the mass matrix");
      if (m && !m->is_number(0.0)) builder_->mass(coordinates_[i], coordinates_[k], *m);
    }
    for (std::size_t k = i + 1; k < row.items.size(); ++k) {
      const auto upper = expression(row.items[k], "an entry of the mass matrix");
      const JsonValue& other = value.items[k];
      if (!upper || !other.is(Kind::array) || i >= other.items.size()) continue;
      const auto lower_entry = expression(other.items[i], "an entry of the mass matrix");
      if (lower_entry && !lower_entry->same(*upper))
        diagnostics_.error(
            row.items[k].span,
            fmt::format("the mass matrix is not symmetric: entries ({}, {}) and ({}, "
                        "{}) differ",
                        i + 1, k + 1, k + 1, i + 1));
    }
  }
}

// A formula that is zero, or an equation.
std::optional<Expr> Reader::zero_row(const JsonValue& text) {
  if (text.is(Kind::number)) return text.number;
  const auto formula = parsed(text, Want::either, "a constraint");
  if (!formula) return std::nullopt;
  const Fragment fragment = text.fragment();
  const auto values = lower({fragment, *formula, diagnostics_}, *scope_);
  if (!values) return std::nullopt;
  const Syntax& root = formula->at(formula->root());
  if (root.kind != SyntaxKind::equation) return values->back();
  return (*values)[static_cast<std::size_t>(root.a)] - (*values)[static_cast<std::size_t>(root.b)];
}

void Reader::constraint_rows(const JsonValue& value, const JsonValue* names, bool holonomic) {
  const char* what = holonomic ? "'constraint'" : "'nonholonomic'";
  if (!is_kind(value, Kind::array, what, diagnostics_)) return;
  const std::string stem = holonomic ? "lambda" : "mu";
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonValue& text = value.items[k];
    std::string multiplier = value.items.size() == 1 ? stem : fmt::format("{}{}", stem, k + 1);
    if (names && k < names->items.size() &&
        is_kind(names->items[k], Kind::string, "a name", diagnostics_))
      multiplier = names->items[k].string;
    const std::optional<Expr> row = zero_row(text);
    if (!row) continue;
    ItemOptions item = item_options(text, text.string);
    guarded(text.span, [&] {
      const Expr lambda = holonomic ? builder_->constraint(*row, multiplier, item)
                                    : builder_->nonholonomic(*row, multiplier, item);
      scope_->add(multiplier, lambda);
    });
  }
}

void Reader::dynamic_variables(const JsonValue& section) {
  if (!is_kind(section, Kind::object, "'dynamics'", diagnostics_)) return;
  std::vector<std::pair<Expr, const JsonValue*>> rates;
  for (const JsonValue::Member& member : section.members) {
    const Fields fields(member.value, "a dynamic variable",
                        {"start", "rate", "unit", "description"}, diagnostics_);
    const JsonValue* rate = fields.find("rate");
    if (!rate) diagnostics_.error(member.value.span, "a dynamic variable needs 'rate'");
    if (!rate || !new_name(member)) continue;
    VariableOptions o;
    o.position = position(member.span);
    o.unit = fields.text("unit");
    o.description = fields.text("description");
    if (const JsonValue* start = fields.find("start"))
      o.start = element_value(*start, {}, "a start value");
    guarded(member.span, [&] {
      const Expr c = builder_->dynamic_variable(member.name, o);
      scope_->add(member.name, c);
      rates.emplace_back(c, rate);
    });
  }
  for (const auto& pair : rates)
    if (const auto rate = expression(*pair.second, "a rate"))
      guarded(pair.second->span, [&] { builder_->dynamics(pair.first, *rate); });
}

void Reader::invariants(const JsonValue& section) {
  if (!is_kind(section, Kind::object, "'invariants'", diagnostics_)) return;
  for (const JsonValue::Member& member : section.members)
    if (const auto value = expression(member.value, "an invariant"))
      guarded(member.span, [&] { builder_->invariant(member.name, *value); });
}

void Reader::multibody(const JsonValue& section) {
  const Fields fields(section, "'multibody'",
                      {"q", "v", "mass", "force", "constraint", "multipliers", "nonholonomic",
                       "nonholonomic_multipliers", "dynamics", "invariants"},
                      diagnostics_);
  for (const char* key : {"q", "v", "mass", "force"})
    if (!fields.find(key))
      diagnostics_.error(section.span, fmt::format("'multibody' needs '{}'", key));
  if (diagnostics_.errors() > 0) return;
  scope_->set_word("parameter");
  const auto q = coordinate_list(*fields.find("q")), v = coordinate_list(*fields.find("v"));
  if (q.size() != v.size()) {
    diagnostics_.error(fields.find("v")->span,
                       fmt::format("'q' has {} coordinates, 'v' has {}", q.size(), v.size()),
                       "velocity k is the rate of coordinate k");
    return;
  }
  for (std::size_t k = 0; k < q.size(); ++k)
    guarded(fields.find("q")->span, [&] {
      coordinates_.push_back(
          builder_->coordinate(q[k].first, v[k].first, q[k].second, v[k].second));
      scope_->add(q[k].first, coordinates_.back().q);
      scope_->add(v[k].first, coordinates_.back().v);
    });
  if (coordinates_.size() != q.size()) return;
  scope_->set_word("variable or parameter");
  if (definitions_) definitions(*definitions_);
  if (const JsonValue* rows = fields.find("constraint"))
    constraint_rows(*rows, fields.of("multipliers", Kind::array), true);
  if (const JsonValue* rows = fields.find("nonholonomic"))
    constraint_rows(*rows, fields.of("nonholonomic_multipliers", Kind::array), false);
  if (const JsonValue* list = fields.find("dynamics")) dynamic_variables(*list);
  mass_matrix(*fields.find("mass"));
  const JsonValue& force = *fields.find("force");
  if (!is_kind(force, Kind::array, "'force'", diagnostics_)) return;
  if (force.items.size() != q.size())
    diagnostics_.error(force.span, fmt::format("'force' has {} entries for {} velocities",
                                               force.items.size(), q.size()));
  for (std::size_t k = 0; k < std::min(q.size(), force.items.size()); ++k)
    if (const auto f = expression(force.items[k], "a force"))
      guarded(force.items[k].span, [&] { builder_->force(coordinates_[k], *f); });
  if (const JsonValue* list = fields.find("invariants")) invariants(*list);
}

}  // namespace daedalus::model
