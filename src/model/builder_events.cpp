// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "kernel/at.hpp"
#include "model/builder_data.hpp"

namespace daedalus {

using graph::InputKind;

WhenClause ModelBuilder::when(const Expr& condition, ItemOptions options) {
  if (options.name.empty()) options.name = text(condition, 120);
  data_->whens.push_back({condition, std::move(options), {}, -1});
  return {*this, static_cast<int>(data_->whens.size()) - 1};
}

WhenClause WhenClause::otherwise(const Expr& condition, ItemOptions options) {
  auto& whens = builder_->data_->whens;
  if (options.name.empty()) options.name = text(condition, 120);
  const int first = whens[at(number_)].first >= 0 ? whens[at(number_)].first : number_;
  whens.push_back({condition, std::move(options), {}, first});
  return {*builder_, static_cast<int>(whens.size()) - 1};
}

WhenClause& WhenClause::reinit(const Expr& variable, const Expr& value) {
  ModelBuilder::Data& d = *builder_->data_;
  BuiltWhen& when = d.whens[at(number_)];
  const graph::Graph& g = *d.graph;
  const auto may_jump = [](InputKind k) {
    return k == InputKind::state || k == InputKind::position || k == InputKind::velocity ||
           k == InputKind::auxiliary;
  };
  if (!g.is_input(variable) || !may_jump(g.kind(variable.node())))
    d.mistake(fmt::format("reinit({}, ...): only variables of the model can start anew.",
                          text(variable, 80)),
              when.options.position, when.options.name);
  else
    when.actions.push_back({BuiltAction::Kind::reinit, variable, value, {}});
  return *this;
}

WhenClause& WhenClause::set(const Expr& discrete, const Expr& value) {
  ModelBuilder::Data& d = *builder_->data_;
  BuiltWhen& when = d.whens[at(number_)];
  if (!d.graph->is_input(discrete) || d.graph->kind(discrete.node()) != InputKind::mode)
    d.mistake(fmt::format("set({}, ...): only discrete variables are assigned at events. Use "
                          "reinit for a variable.",
                          text(discrete, 80)),
              when.options.position, when.options.name);
  else
    when.actions.push_back({BuiltAction::Kind::set, discrete, value, {}});
  return *this;
}

WhenClause& WhenClause::stop(std::string_view message) {
  builder_->data_->whens[at(number_)].actions.push_back(
      {BuiltAction::Kind::stop, {}, {}, std::string(message)});
  return *this;
}

void ModelBuilder::discrete_equation(const Expr& discrete, const Expr& value, ItemOptions options) {
  if (options.name.empty()) options.name = row_text(discrete, value);
  if (!data_->graph->is_input(discrete) || data_->graph->kind(discrete.node()) != InputKind::mode)
    return data_->mistake(fmt::format("'{}' is not a discrete variable.", text(discrete, 80)),
                          options.position, options.name);
  data_->discrete_equations.push_back({options.name, discrete, value, options});
}

Expr ModelBuilder::sample(const Expr& first, const Expr& period) {
  const Expr now =
      data_->graph->mode(fmt::format("sample({}, {})", text(first, 40), text(period, 40)));
  data_->samples.push_back({first, period, now});
  return now;
}

Expr ModelBuilder::initial() {
  if (data_->initial.is_number()) data_->initial = data_->graph->mode("initial()");
  return data_->initial;
}

Expr edge(const Expr& discrete) { return discrete && !pre(discrete); }
Expr change(const Expr& discrete) { return discrete != pre(discrete); }

}  // namespace daedalus
