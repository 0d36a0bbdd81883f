// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include "kernel/at.hpp"
#include "model/compiled.hpp"

namespace daedalus {
namespace {

// Start values are found unless all are meant as they stand.
void set_start(const Model::Data& d, Entry& e) {
  bool all_fixed = true, algebraic_fixed = false;
  std::vector<std::string> fixed;
  for (std::size_t j = 0; j < d.names.size(); ++j) {
    const bool is_fixed = d.fixed[j] != 0;
    all_fixed = all_fixed && is_fixed;
    if (!is_fixed) continue;
    fixed.push_back(d.names[j]);
    if (j < d.differentiated.size() && !d.differentiated[j]) algebraic_fixed = true;
  }
  if (all_fixed || d.multibody) return;
  e.start = StartStrategy::solve;
  // Of index 1 what is differentiated stays anyway, and the rest follows.
  if (d.structure.index > 1 || d.initial_count > 0 || algebraic_fixed) e.fixed = std::move(fixed);
}

constexpr std::size_t max_shown = 200;  // equations

std::string shown(const std::vector<RowText>& texts) {
  std::string text;
  for (std::size_t i = 0; i < std::min(max_shown, texts.size()); ++i)
    text += (i > 0 ? "\n" : "") + *texts[i];
  if (texts.size() > max_shown)
    text += fmt::format("\n... and {} more equations", texts.size() - max_shown);
  return text;
}

}  // namespace

Entry Model::entry() const {
  const Data& d = *data_;
  const std::shared_ptr<const Model> self = shared_from_this();
  Entry e;
  e.name = d.name;
  e.title = d.title.empty() ? d.name : d.title;
  e.form = d.form;
  e.index = d.multibody ? (d.mechanics.holonomic > 0      ? 3
                           : d.mechanics.nonholonomic > 0 ? 2
                                                          : 0)
                        : d.structure.index;
  e.t0 = d.interval.from;
  e.t_end = d.interval.to;
  e.equations = shown(d.equation_texts);
  e.parameters = d.parameters;
  for (std::size_t k = 0; k < d.parameters.size(); ++k) {
    const ParameterOptions& o = d.parameter_options[k];
    e.parameters[k].lower = o.min;
    e.parameters[k].upper = o.max;
    if (!o.unit.empty()) e.units[d.parameters[k].name] = o.unit;
    if (!o.description.empty()) e.descriptions[d.parameters[k].name] = o.description;
  }
  e.atol_scale = d.nominal;
  for (const auto& [name, unit] : d.units) e.units[name] = unit;
  for (const auto& [name, description] : d.descriptions) e.descriptions[name] = description;
  for (const ModelOutput& o : d.outputs) {
    if (!o.unit.empty()) e.units[o.name] = o.unit;
    if (!o.description.empty()) e.descriptions[o.name] = o.description;
  }
  e.build = [self](const Values& values) { return self->problem(values); };
  if (!d.events.empty())
    e.build_events = [self](const Values& values) { return self->events(values); };
  e.scene = d.scene;
  e.outputs = d.outputs;
  e.evaluate_outputs = [self](const Values& values, const StateView& s, Out out) {
    self->evaluate_outputs(values, s, out);
  };
  set_start(d, e);
  for (const Diagnostic& n : d.diagnostics) e.notes.push_back(n.message);
  if (!d.structure.text.empty()) e.notes.push_back(d.structure.text);
  return e;
}

}  // namespace daedalus
