// SPDX-License-Identifier: BSD-3-Clause
#include "model/event_program.hpp"

#include "graph/incidence.hpp"
#include "graph/lower.hpp"
#include "graph/reach.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

std::unique_ptr<Formulas> formulas(const FlatModel& flat, const graph::Outputs& rows,
                                   FormulaSettings settings) {
  settings.machine_code = false;  // too short and too rare to be worth compiling
  return std::make_unique<Formulas>(*flat.graph, graph::lower(*flat.graph, rows), settings);
}

void compile_relations(const FlatModel& flat, const FormulaSettings& settings, EventProgram& p) {
  p.relations = flat.relations.all;
  const graph::Outputs& z = flat.relations.crossings;
  p.crossings = formulas(flat, z, settings);
  p.depends = graph::incidence(
      *flat.graph, z,
      flat.mechanics.empty() ? graph::InputKind::state : graph::InputKind::position);
  const int first_algebraic = static_cast<int>(flat.variables.size()) - flat.algebraic_count;
  const auto algebraic = graph::incidence(*flat.graph, z, graph::InputKind::algebraic);
  for (std::size_t i = 0; i < algebraic.size(); ++i)
    for (const int j : algebraic[i]) p.depends[i].push_back(first_algebraic + j);
  p.positions_only.assign(p.relations.size(), 1);
  for (const auto kind :
       {graph::InputKind::velocity, graph::InputKind::multiplier, graph::InputKind::auxiliary}) {
    const auto others = graph::incidence(*flat.graph, z, kind);
    for (std::size_t i = 0; i < others.size(); ++i)
      if (!others[i].empty()) p.positions_only[i] = 0;
  }
  p.crossing.resize(p.relations.size());
  for (const auto& s : z.single) {
    graph::Outputs one;
    one.add(s.value);
    p.crossing[at(s.row)] = formulas(flat, one, settings);
  }
  for (const graph::Map& m : z.maps)
    for (int i = 0; i < m.count; ++i) {
      graph::Map single = m;
      single.count = 1;
      for (graph::MapArgument& a : single.arguments) {
        if (!a.index.empty()) a.index = {a.index[at(i)]};
        if (!a.values.empty()) a.values = {a.values[at(i)]};
      }
      graph::Outputs one;
      one.count = 1;
      single.rows = {{0}};
      one.maps.push_back(std::move(single));
      p.crossing[at(m.rows[0][at(i)])] = formulas(flat, one, settings);
    }
}

// An event that is the condition of a clause has the name of the clause.
void name_by_clauses(const FlatModel& flat, EventProgram& p) {
  const graph::Graph& g = *flat.graph;
  for (const FlatWhen& w : flat.whens) {
    if (w.name.empty() || w.condition.is_number() || !g.is_input(w.condition) ||
        g.kind(w.condition.node()) != graph::InputKind::mode)
      continue;
    const int mode = g.number(w.condition.node());
    for (auto& relation : p.relations)
      if (relation.mode == mode) relation.text = w.name;
    for (auto& sample : p.sample)
      if (sample.mode == mode) sample.name = w.name;
  }
}

// Modes that the rows read and assign, by item of the order.
struct EventItem {
  int item;
  std::vector<int> reads, sets;
};

void add_modes(const graph::Graph& g, std::span<const int> roots, std::vector<int>& reads) {
  for (const int node : graph::reached(g, roots))
    if (g.node(node).op == graph::Op::input && g.kind(node) == graph::InputKind::mode)
      reads.push_back(g.number(node));
}

void add_modes(const graph::Graph& g, const Expr& e, std::vector<int>& reads) {
  const int root[] = {e.is_number() ? -1 : e.node()};
  if (!e.is_number()) add_modes(g, root, reads);
}

std::vector<int> event_order(const FlatModel& flat) {
  const graph::Graph& g = *flat.graph;
  std::vector<EventItem> items;
  for (std::size_t k = 0; k < flat.discrete_equations.size(); ++k) {
    EventItem item{static_cast<int>(k), {}, {flat.discrete_equations[k].mode}};
    add_modes(g, flat.discrete_equations[k].value, item.reads);
    items.push_back(std::move(item));
  }
  std::vector<int> item_of(flat.whens.size(), -1);
  for (std::size_t w = 0; w < flat.whens.size(); ++w) {
    const FlatWhen& when = flat.whens[w];
    if (when.first < 0) {
      item_of[w] = static_cast<int>(items.size());
      items.push_back({-1 - static_cast<int>(w), {}, {}});
    } else {
      item_of[w] = item_of[at(when.first)];
    }
    EventItem& item = items[at(item_of[w])];
    add_modes(g, when.condition, item.reads);
    for (const FlatAction& a : when.actions) {
      add_modes(g, a.value, item.reads);
      if (a.kind == BuiltAction::Kind::set) item.sets.push_back(a.target);
    }
  }
  // Depth first: what an item reads comes before it. Circles keep the order of the model.
  std::vector<std::vector<int>> setters(at(flat.mode_count()));
  for (std::size_t i = 0; i < items.size(); ++i)
    for (const int mode : items[i].sets) setters[at(mode)].push_back(static_cast<int>(i));
  std::vector<char> seen(items.size(), 0);
  std::vector<int> order;
  std::vector<std::pair<int, std::size_t>> open;
  for (std::size_t first = 0; first < items.size(); ++first) {
    if (seen[first]) continue;
    seen[first] = 1;
    open.emplace_back(static_cast<int>(first), 0);
    while (!open.empty()) {
      auto& [i, next] = open.back();
      if (next == items[at(i)].reads.size()) {
        order.push_back(items[at(i)].item);
        open.pop_back();
        continue;
      }
      for (const int before : setters[at(items[at(i)].reads[next++])])
        if (!seen[at(before)]) {
          seen[at(before)] = 1;
          open.emplace_back(before, 0);
          break;
        }
    }
  }
  return order;
}

// Relations that decide discrete values and conditions alone, with the rows that read them.
std::vector<std::vector<int>> rows_decided(const FlatModel& flat, const EventProgram& p,
                                           const graph::Outputs& conditions) {
  const graph::Graph& g = *flat.graph;
  std::vector<int> elsewhere;  // modes
  // One sweep over the graph for all: it takes as long for one.
  std::vector<int> roots;
  const auto add_root = [&](const Expr& e) {
    if (!e.is_number()) roots.push_back(e.node());
  };
  const auto add = [&](const graph::Outputs& outputs) {
    for (const auto& s : outputs.single) add_root(s.value);
    for (const graph::Map& m : outputs.maps)
      for (const graph::MapArgument& a : m.arguments) {
        add_root(a.scalar);
        if (a.kind == graph::InputKind::mode)
          elsewhere.insert(elsewhere.end(), a.index.begin(), a.index.end());
      }
  };
  add(flat.residuals);
  add(flat.initial);
  add(flat.relations.crossings);
  for (const FlatOutput& o : flat.outputs) add_root(o.value);
  for (const FlatWhen& w : flat.whens)
    for (const FlatAction& a : w.actions) add_root(a.value);
  add_modes(g, roots, elsewhere);
  std::vector<std::vector<int>> rows(at(flat.mode_count())), by_relation(p.relations.size());
  for (const auto& s : conditions.single) {
    std::vector<int> modes;
    add_modes(g, s.value, modes);
    for (const int m : modes) rows[at(m)].push_back(s.row);
  }
  for (const int m : elsewhere) rows[at(m)].clear();
  if (!flat.mechanics.empty()) return by_relation;
  for (std::size_t i = 0; i < by_relation.size(); ++i)
    by_relation[i] = rows[at(p.relations[i].mode)];
  return by_relation;
}

}  // namespace

EventProgram compile_events(const FlatModel& flat, const FormulaSettings& settings) {
  EventProgram p;
  const graph::Graph& g = *flat.graph;
  p.modes = settings.mode_count;
  p.previous = flat.previous_count();
  p.conditions = static_cast<int>(flat.whens.size());
  p.samples = static_cast<int>(flat.samples.size());
  p.initial_mode = flat.initial_mode;
  for (int k = 0; k < p.previous; ++k) {
    const int node = g.previous_of(k);
    p.previous_of.push_back({g.kind(node), g.number(node)});
  }
  compile_relations(flat, settings, p);
  graph::Outputs starts, values, times, conditions;
  for (const FlatDiscrete& d : flat.discretes) {
    p.discretes.push_back({d.name, d.mode});
    starts.add(d.start);
  }
  for (const auto& e : flat.discrete_equations) {
    p.assigned.push_back({e.name, e.mode});
    conditions.single.push_back({values.count, e.value});
    values.add(e.value);
  }
  for (const FlatWhen& w : flat.whens) {
    EventProgram::When when{w.name, values.count, w.first, {}};
    conditions.single.push_back({values.count, w.condition});
    values.add(w.condition);
    for (const FlatAction& a : w.actions) {
      when.actions.push_back({a.kind, a.target_kind, a.target, values.count, a.message});
      values.add(a.value);
    }
    p.whens.push_back(std::move(when));
  }
  for (const auto& s : flat.samples) {
    p.sample.push_back({s.name, s.mode});
    times.add(s.first);
    times.add(s.period);
  }
  p.order = event_order(flat);
  p.decides = rows_decided(flat, p, conditions);
  name_by_clauses(flat, p);
  p.discrete_starts = formulas(flat, starts, settings);
  p.values = formulas(flat, values, settings);
  p.sample_times = formulas(flat, times, settings);
  return p;
}

}  // namespace daedalus
