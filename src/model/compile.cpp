// SPDX-License-Identifier: BSD-3-Clause
// From the builder to a compiled model.
#include <fmt/format.h>

#include <algorithm>

#include "graph/lower.hpp"
#include "graph/reach.hpp"
#include "kernel/at.hpp"
#include "model/compiled.hpp"
#include "model/separate.hpp"

namespace daedalus {
namespace {

using graph::InputKind;

bool has_errors(const std::vector<Diagnostic>& all) {
  return std::any_of(all.begin(), all.end(),
                     [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
}

// What decides at events must be known there: rates are not.
void check_relations(const FlatModel& flat, const ModelBuilder::Data& built,
                     std::vector<Diagnostic>& found) {
  if (flat.relations.all.empty()) return;
  const std::vector<graph::KindSet> depends = graph::dependence(*flat.graph);
  for (const auto& s : flat.relations.crossings.single) {
    const graph::Relation& r = flat.relations.all[at(s.row)];
    if (s.value.is_number() ||
        !(depends[at(s.value.node())] & graph::kind_bit(InputKind::derivative)))
      continue;
    found.push_back({Diagnostic::Severity::error,
                     fmt::format("The relation '{}' contains a derivative. Give the derivative a "
                                 "name by a variable of its own, and compare that.",
                                 r.text),
                     {built.place(r.position, r.text)},
                     {}});
  }
}

// Parameters decide start values; variables do not.
void check_starts(const FlatModel& flat, const ModelBuilder::Data& built,
                  std::vector<Diagnostic>& found) {
  const std::vector<graph::KindSet> depends = graph::dependence(*flat.graph);
  const graph::KindSet allowed =
      graph::kind_bit(InputKind::parameter) | graph::kind_bit(InputKind::time);
  for (const BuiltVariable& v : flat.variables) {
    const Expr& start = v.options.start;
    if (start.is_number() || (depends[at(start.node())] & ~allowed) == 0) continue;
    found.push_back({Diagnostic::Severity::error,
                     fmt::format("The start value of '{}' depends on variables. Use an initial "
                                 "equation for that.",
                                 v.name),
                     {built.place(v.options.position, v.name)},
                     {v.name}});
  }
}

// Outputs are computed from a state, which has no rates.
void check_outputs(const FlatModel& flat, std::vector<Diagnostic>& found) {
  const std::vector<graph::KindSet> depends = graph::dependence(*flat.graph);
  for (const FlatOutput& o : flat.outputs)
    if (!o.value.is_number() &&
        (depends[at(o.value.node())] & graph::kind_bit(InputKind::derivative)))
      found.push_back({Diagnostic::Severity::error,
                       fmt::format("The output '{}' contains a derivative. Give the derivative a "
                                   "name by a variable of its own.",
                                   o.about.name),
                       {},
                       {o.about.name}});
}

std::vector<Diagnostic> check_forms(const ModelBuilder::Data& built) {
  std::vector<Diagnostic> found = built.mistakes;
  if (!built.mechanics.empty() && (!built.variables.empty() || built.residuals.count > 0))
    found.push_back({Diagnostic::Severity::error,
                     "A multibody model has coordinates, masses, forces and constraints; it has no "
                     "equations. Use dynamic variables for what is not mechanical.",
                     {},
                     {}});
  if (built.mechanics.empty() && built.variables.empty())
    found.push_back({Diagnostic::Severity::error, "The model has no variables.", {}, {}});
  return found;
}

struct Analysed {
  FlatModel flat;
  ModelStructure structure;
  std::vector<Diagnostic> diagnostics;
};

template <class T>
void algebraic_last(std::vector<T>& by_variable, const std::vector<char>& algebraic) {
  std::vector<T> sorted;
  for (const char which : {0, 1})
    for (std::size_t j = 0; j < by_variable.size(); ++j)
      if (algebraic[j] == which) sorted.push_back(by_variable[j]);
  by_variable = std::move(sorted);
}

// Into y' = f, 0 = g where the equations allow that; otherwise nothing happens.
void separate(const ModelBuilder::Data& built, const ModelOptions& options, Analysed& a) {
  if (options.form != "auto" && options.form != "semi-explicit") return;
  const std::vector<char> algebraic = separable(a.flat, a.structure.differentiated);
  if (algebraic.empty()) {
    if (options.form == "semi-explicit")
      throw InvalidArgument(
          "ModelOptions::form: 'semi-explicit' needs equations der(x) = ... for some variables, "
          "and other variables without derivatives");
    return;
  }
  a.flat = flatten(built, {options.eliminate_aliases, algebraic});
  algebraic_last(a.structure.differentiated, algebraic);
  algebraic_last(a.structure.variable_index, algebraic);
}

Analysed analysed(const ModelBuilder::Data& built, bool eliminate_aliases) {
  Analysed a;
  a.diagnostics = check_forms(built);
  if (has_errors(a.diagnostics)) return a;
  a.flat = flatten(built, {eliminate_aliases, {}});
  check_relations(a.flat, built, a.diagnostics);
  check_starts(a.flat, built, a.diagnostics);
  check_outputs(a.flat, a.diagnostics);
  if (!built.mechanics.empty()) return a;
  a.structure = analyse(a.flat, built);
  a.diagnostics.insert(a.diagnostics.end(), a.structure.diagnostics.begin(),
                       a.structure.diagnostics.end());
  return a;
}

graph::Outputs starts_of(const std::vector<BuiltVariable>& variables) {
  graph::Outputs o;
  for (const BuiltVariable& v : variables) o.add(v.options.start);
  return o;
}

void compile_rest(const FlatModel& flat, Model::Data& d) {
  graph::Graph& g = *flat.graph;
  FormulaSettings plain = d.settings;
  plain.machine_code = false;
  d.start = std::make_unique<Formulas>(g, graph::lower(g, starts_of(d.variables)), plain);
  d.initial_count = flat.initial.count;
  if (d.initial_count > 0)
    d.initial = std::make_shared<const FormulaFunction>(flat.graph, flat.initial, plain,
                                                        FormulaFunction::Wanted{});
  graph::Outputs outputs;
  for (const FlatOutput& o : flat.outputs) {
    outputs.add(o.value);
    d.outputs.push_back(o.about);
  }
  d.output_values = std::make_unique<Formulas>(g, graph::lower(g, outputs), plain);
  for (const BuiltItem& i : flat.invariants) {
    graph::Outputs one;
    one.add(i.left);
    d.invariants.push_back({i.name, std::make_shared<const FormulaFunction>(
                                        flat.graph, one, plain, FormulaFunction::Wanted{})});
  }
  d.events = compile_events(flat, d.settings);
  if (d.common_index > 1 && !d.multibody && d.events.size() > 0)
    d.array = derivative_array(flat, d.settings);
}

void describe_variables(Model::Data& d) {
  for (const BuiltVariable& v : d.variables) {
    d.fixed.push_back(v.options.fixed);
    if (v.options.nominal != 1.0) d.nominal[v.name] = v.options.nominal;
    if (!v.options.unit.empty()) d.units[v.name] = v.options.unit;
    if (!v.options.description.empty()) d.descriptions[v.name] = v.options.description;
  }
  std::vector<BuiltVariable>().swap(d.variables);
}

}  // namespace

std::vector<Diagnostic> ModelBuilder::check() const { return analysed(*data_, true).diagnostics; }

std::shared_ptr<const Model> ModelBuilder::model(const ModelOptions& options) const {
  Analysed a = analysed(*data_, options.eliminate_aliases);
  if (has_errors(a.diagnostics)) throw ModelError(std::move(a.diagnostics));
  if (data_->mechanics.empty()) separate(*data_, options, a);
  auto d = std::make_shared<Model::Data>();
  d->name = data_->name;
  d->title = data_->title;
  d->interval = data_->interval;
  d->scene = data_->scene;
  d->graph = a.flat.graph;
  for (const BuiltParameter& p : data_->parameters) {
    d->parameters.push_back({p.name, p.value});
    d->parameter_options.push_back(p.options);
  }
  d->settings = {data_->mechanics.empty() ? state_kinds : mechanics_kinds, a.flat.mode_count(),
                 options.machine_code};
  d->structure = a.structure.report;
  d->common_index = a.structure.common_index;
  d->differentiated = a.structure.differentiated;
  d->diagnostics = std::move(a.diagnostics);
  if (data_->mechanics.empty()) {
    d->variables = a.flat.variables;
    d->names.reserve(d->variables.size());
    for (const BuiltVariable& v : d->variables) d->names.push_back(v.name);
    d->variable_index = a.structure.variable_index;
    compile_first_order(a.flat, options, *d);
  } else {
    compile_multibody(a.flat, *d);
  }
  compile_rest(a.flat, *d);
  describe_variables(*d);
  return std::make_shared<const Model>(std::move(d));
}

Problem ModelBuilder::problem(const Values& values) const { return model()->problem(values); }

}  // namespace daedalus
