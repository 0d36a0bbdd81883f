// SPDX-License-Identifier: BSD-3-Clause
#include "model/json/scene_values.hpp"

#include <limits>

#include "graph/lower.hpp"
#include "graph/reach.hpp"

namespace daedalus::model {

using graph::InputKind;

SceneValues::SceneValues(std::shared_ptr<ModelBuilder> builder, const std::vector<Expr>& rows,
                         Entry entry)
    : builder_(std::move(builder)), entry_(std::move(entry)) {
  graph::Graph& g = builder_->graph();
  kinds_ = g.count(InputKind::position) > 0 ? mechanics_kinds : state_kinds;
  graph::Outputs outputs;
  for (const Expr& row : rows) outputs.add(row);
  outputs = graph::lower(g, outputs);
  std::vector<int> roots;
  for (const graph::Outputs::Single& single : outputs.single)
    if (!single.value.is_number()) roots.push_back(single.value.node());
  for (const int node : graph::reached(g, roots)) {
    if (g.node(node).op != graph::Op::input || g.kind(node) == InputKind::time) continue;
    Input input{g.kind(node), g.number(node), std::string(g.name(node)), -1};
    for (std::size_t k = 0; k < entry_.outputs.size(); ++k)
      if (entry_.outputs[k].name == input.name) {
        input.output = static_cast<int>(k);
        needs_outputs_ = true;
      }
    inputs_.push_back(std::move(input));
  }
  for (std::size_t k = 0; k < kinds_.size(); ++k)
    if (kinds_[k] != no_kind) counts_[k] = g.count(kinds_[k]);
  parameter_count_ = g.count(InputKind::parameter);
  FormulaSettings settings;
  settings.kinds = kinds_;
  settings.machine_code = false;  // a few hundred evaluations do not pay for it
  formulas_ = std::make_unique<Formulas>(g, outputs, settings);
}

double SceneValues::value_of(const Input& input, const StateView& state,
                             const std::vector<double>& outputs) const {
  const int place = state.variables().find(input.name);
  if (place >= 0) return state.all()[place];
  return input.output >= 0 && !outputs.empty() ? outputs[static_cast<std::size_t>(input.output)]
                                               : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> SceneValues::sizes(const Values& values) const {
  // Where there is no state, variables are not a number, and no outputs are asked for.
  const Variables none;
  return evaluated(values, StateView(none, 0.0, nullptr), {});
}

std::vector<double> SceneValues::at(const Values& values, const StateView& state) const {
  std::vector<double> outputs;
  if (needs_outputs_) {
    outputs.resize(entry_.outputs.size());
    entry_.evaluate_outputs(values, state,
                            Out(outputs.data(), static_cast<Eigen::Index>(outputs.size())));
  }
  return evaluated(values, state, outputs);
}

std::vector<double> SceneValues::evaluated(const Values& values, const StateView& state,
                                           const std::vector<double>& outputs) const {
  std::array<std::vector<double>, 5> x;
  for (std::size_t k = 0; k < x.size(); ++k) x[k].assign(static_cast<std::size_t>(counts_[k]), 0.0);
  std::vector<double> p(static_cast<std::size_t>(parameter_count_));
  for (const Input& input : inputs_) {
    const auto number = static_cast<std::size_t>(input.number);
    if (input.kind == InputKind::parameter) {
      p[number] = values.at(input.name);
      continue;
    }
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (kinds_[k] == input.kind) x[k][number] = value_of(input, state, outputs);
  }
  Arguments<double> a;
  a.t = state.t();
  for (std::size_t k = 0; k < x.size(); ++k) {
    a.x[k] = x[k].data();
    a.n[k] = counts_[k];
  }
  a.p = p.data();
  std::vector<double> out(static_cast<std::size_t>(formulas_->count()));
  formulas_->run(a, out.data());
  return out;
}

}  // namespace daedalus::model
