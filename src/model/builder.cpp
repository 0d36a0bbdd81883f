// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedalus/model.hpp>

#include "kernel/at.hpp"
#include "model/builder_data.hpp"

namespace daedalus {

using graph::InputKind;

void ModelBuilder::Data::take_name(std::string_view taken, const Expr& value,
                                   const graph::Position& position) {
  if (taken.empty()) return mistake("A name is empty.", position, {});
  if (!named.emplace(std::string(taken), value).second)
    return mistake(fmt::format("The name '{}' is used twice.", taken), position, std::string(taken),
                   {std::string(taken)});
  order_of_names.emplace_back(taken);
}

Diagnostic::Place ModelBuilder::Data::place(const graph::Position& position,
                                            std::string text) const {
  return {position.file >= 0 ? std::string(graph->file(position.file)) : std::string(),
          position.line, position.column, std::move(text)};
}

void ModelBuilder::Data::mistake(std::string message, const graph::Position& position,
                                 std::string text, std::vector<std::string> names) {
  mistakes.push_back({Diagnostic::Severity::error,
                      std::move(message),
                      {place(position, std::move(text))},
                      std::move(names)});
}

std::string row_text(const Expr& left, const Expr& right, std::size_t max_length) {
  return text(left, max_length) + " = " + text(right, max_length);
}

ModelBuilder::ModelBuilder(std::string name) : data_(std::make_unique<Data>()) {
  data_->name = std::move(name);
}
ModelBuilder::~ModelBuilder() = default;
ModelBuilder::ModelBuilder(ModelBuilder&&) noexcept = default;
ModelBuilder& ModelBuilder::operator=(ModelBuilder&&) noexcept = default;

graph::Graph& ModelBuilder::graph() { return *data_->graph; }
const std::string& ModelBuilder::name() const { return data_->name; }
void ModelBuilder::set_title(std::string title) { data_->title = std::move(title); }
void ModelBuilder::set_interval(Interval interval) { data_->interval = interval; }
void ModelBuilder::set_scene(std::function<Scene(const Values&)> scene) {
  data_->scene = std::move(scene);
}

Expr ModelBuilder::time() { return data_->graph->time(); }

Expr ModelBuilder::variable(std::string_view name, VariableOptions options) {
  const Expr x =
      data_->graph->input(InputKind::state, static_cast<int>(data_->variables.size()), name);
  data_->take_name(name, x, options.position);
  data_->graph->set_position(x, options.position);
  data_->variables.push_back({std::string(name), std::move(options)});
  return x;
}

int ModelBuilder::variables(std::string_view name, int count, VariableOptions options) {
  const int first = static_cast<int>(data_->variables.size());
  data_->variables.reserve(data_->variables.size() + at(count));
  for (int i = 0; i < count; ++i) variable(fmt::format("{}[{}]", name, i + 1), options);
  return first;
}

Expr ModelBuilder::variable_at(int number) {
  if (number < 0 || number >= static_cast<int>(data_->variables.size()))
    throw InvalidArgument(fmt::format("variable_at: {} is not a number from 0 to {}", number,
                                      data_->variables.size()));
  return data_->graph->input(InputKind::state, number);
}

int ModelBuilder::number_of(const Expr& variable) const {
  const graph::Graph& g = *data_->graph;
  return g.is_input(variable) && g.kind(variable.node()) == InputKind::state
             ? g.number(variable.node())
             : -1;
}

Expr ModelBuilder::parameter(std::string_view name, double value, ParameterOptions options) {
  const int number = static_cast<int>(data_->parameters.size());
  const Expr p = data_->graph->input(InputKind::parameter, number, name);
  data_->take_name(name, p, options.position);
  if (!(value >= options.min && value <= options.max))
    data_->mistake(fmt::format("Parameter '{}' is {:.10g}, allowed: from {:.10g} to {:.10g}.", name,
                               value, options.min, options.max),
                   options.position, std::string(name), {std::string(name)});
  data_->parameters.push_back({std::string(name), value, std::move(options)});
  return p;
}

Expr ModelBuilder::dependent_parameter(std::string_view name, const Expr& value,
                                       ParameterOptions options) {
  data_->take_name(name, value, options.position);
  data_->dependents.push_back({std::string(name), value, std::move(options)});
  return value;
}

Expr ModelBuilder::discrete(std::string_view name, VariableOptions options) {
  const Expr d = data_->graph->mode(name);
  data_->take_name(name, d, options.position);
  data_->discretes.push_back({std::string(name), std::move(options), d});
  return d;
}

std::optional<Expr> ModelBuilder::find(std::string_view name) const {
  const auto known = data_->named.find(std::string(name));
  return known == data_->named.end() ? std::nullopt : std::optional(known->second);
}

std::vector<std::string> ModelBuilder::names() const { return data_->order_of_names; }

void ModelBuilder::equation(const Expr& left, const Expr& right, ItemOptions options) {
  if (options.name.empty()) options.name = row_text(left, right);
  BuiltEquation e;
  e.options = std::move(options);
  e.left = left;
  e.right = right;
  e.row = data_->residuals.count;
  data_->equations.push_back(std::move(e));
  data_->residuals.add(left - right);
}

void ModelBuilder::equations(std::shared_ptr<const graph::Kernel> kernel, int count,
                             std::vector<graph::MapArgument> arguments, ItemOptions options) {
  graph::Map map{std::move(kernel), count, std::move(arguments), {}, false};
  BuiltEquation e;
  e.options = std::move(options);
  e.map = static_cast<int>(data_->residuals.maps.size());
  e.row = data_->residuals.count;
  e.rows = count * static_cast<int>(map.kernel->results().size());
  int& row = data_->residuals.count;
  for (std::size_t k = 0; k < map.kernel->results().size(); ++k) {
    auto& rows = map.rows.emplace_back();
    for (int i = 0; i < count; ++i) rows.push_back(row++);
  }
  data_->residuals.maps.push_back(std::move(map));
  data_->equations.push_back(std::move(e));
}

void ModelBuilder::initial_equation(const Expr& left, const Expr& right, ItemOptions options) {
  if (options.name.empty()) options.name = row_text(left, right);
  data_->initial_equations.push_back({options.name, left, right, options});
}

void ModelBuilder::if_equations(const Expr& condition, std::span<const Row> then_rows,
                                std::span<const Row> else_rows, ItemOptions options) {
  if (then_rows.size() != else_rows.size())
    return data_->mistake(
        fmt::format("The branches of 'if {}' have {} and {} equations; both need the same number.",
                    text(condition, 200), then_rows.size(), else_rows.size()),
        options.position, text(condition, 200));
  for (std::size_t i = 0; i < then_rows.size(); ++i) {
    ItemOptions row = options;
    std::string shown = fmt::format("if {} then {} else {}", text(condition, 60),
                                    row_text(then_rows[i].left, then_rows[i].right),
                                    row_text(else_rows[i].left, else_rows[i].right));
    if (options.name.empty())
      row.name = shown;
    else if (then_rows.size() > 1)
      row.name = fmt::format("{} ({})", options.name, i + 1);
    equation(select(condition, then_rows[i].left - then_rows[i].right,
                    else_rows[i].left - else_rows[i].right),
             0.0, std::move(row));
    data_->equations.back().text = std::move(shown);
  }
}

void ModelBuilder::require(const Expr& condition, std::string_view message, ItemOptions) {
  data_->requirements.push_back({condition, std::string(message)});
}

void ModelBuilder::output(std::string_view name, const Expr& value, ItemOptions options) {
  data_->take_name(name, value, options.position);
  data_->outputs.push_back({std::string(name), value, 0.0, std::move(options)});
}

}  // namespace daedalus
