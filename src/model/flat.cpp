// SPDX-License-Identifier: BSD-3-Clause
#include "model/flat.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "graph/aliases.hpp"
#include "graph/reach.hpp"
#include "graph/rewrite.hpp"
#include "kernel/at.hpp"
#include "model/reciprocals.hpp"
#include "model/separate.hpp"

namespace daedalus {
namespace {

using graph::Graph;
using graph::InputKind;
using graph::MapArgument;

constexpr std::size_t max_named_rates = 1000;  // inputs der(x) of one argument of a map

class Flattener {
 public:
  Flattener(const ModelBuilder::Data& built, FlatModel& flat)
      : built_(built),
        flat_(flat),
        copy_(*built.graph, *flat.graph, [this](int node, std::span<const Expr>, Expr& result) {
          if (built_.graph->node(node).op != graph::Op::input) return false;
          result = input(node);
          return true;
        }) {}

  void run(const FlattenOptions& options) {
    if (options.eliminate_aliases && built_.mechanics.empty()) find();
    number_variables(options.algebraic);
    number_modes();
    copy_rows();
    copy_events();
    copy_outputs();
    copy_mechanics();
  }

 private:
  void find() {
    const std::array<InputKind, 1> kinds{InputKind::state};
    const std::function<bool(int)> keep = [this](int node) {
      return built_.variables[at(built_.graph->number(node))].options.fixed;
    };
    // What equals a derivative stays a variable: outputs and relations need it.
    const std::vector<graph::KindSet> depends = graph::dependence(*built_.graph);
    graph::Outputs rows = built_.residuals;
    std::erase_if(rows.single, [&](const graph::Outputs::Single& s) {
      return !s.value.is_number() &&
             (depends[at(s.value.node())] & graph::kind_bit(InputKind::derivative)) != 0;
    });
    for (graph::Alias& a : graph::find_aliases(*built_.graph, rows, kinds, keep)) {
      gone_rows_.emplace(a.row, true);
      flat_.aliases.push_back({std::string(built_.graph->name(a.variable)), text(a.by, 200)});
      replaced_.emplace(built_.graph->number(a.variable), a.by);
    }
  }

  void number_variables(const std::vector<char>& algebraic) {
    number_.assign(built_.variables.size(), -1);
    kind_.assign(built_.variables.size(), InputKind::state);
    for (const InputKind kind : {InputKind::state, InputKind::algebraic}) {
      std::size_t old = 0;
      int next = 0;
      for (std::size_t i = 0; i < built_.variables.size(); ++i) {
        if (replaced_.count(static_cast<int>(i))) continue;
        const bool other = !algebraic.empty() && algebraic[old++] != 0;
        if (other != (kind == InputKind::algebraic)) continue;
        number_[i] = next++;
        kind_[i] = kind;
        flat_.graph->input(kind, number_[i], built_.variables[i].name);
        flat_.variables.push_back(built_.variables[i]);
      }
      if (kind == InputKind::algebraic) flat_.algebraic_count = next;
    }
    for (BuiltVariable& v : flat_.variables) v.options.start = copy_(v.options.start);
  }

  void number_modes() {
    const Graph& g = *built_.graph;
    for (int m = 0; m < g.count(InputKind::mode); ++m) {
      const int node = g.input_node(InputKind::mode, m);
      flat_.graph->input(InputKind::mode, m, node < 0 ? std::string_view() : g.name(node));
    }
    if (!built_.initial.is_number()) flat_.initial_mode = g.number(built_.initial.node());
  }

  // An input of the builder's graph in the new one.
  Expr input(int node) {
    const Graph& g = *built_.graph;
    const InputKind kind = g.kind(node);
    const int number = g.number(node);
    if (kind == InputKind::previous) return flat_.graph->pre(input(g.previous_of(number)));
    if (kind != InputKind::state && kind != InputKind::derivative)
      return flat_.graph->input(kind, number, g.name(node));
    if (number < static_cast<int>(number_.size()) && number_[at(number)] >= 0)
      return flat_.graph->input(kind == InputKind::derivative ? kind : kind_[at(number)],
                                number_[at(number)], built_.variables[at(number)].name);
    const Expr by = replaced_.at(number);
    if (by.is_number()) return kind == InputKind::derivative ? Expr(0.0) : by;
    if (g.is_input(by)) return of_kind(input(by.node()), kind);
    return -of_kind(input(g.operands(by.node())[0]), kind);
  }

  static Expr of_kind(const Expr& x, InputKind kind) {
    return kind == InputKind::derivative ? der(x) : x;
  }

  void copy_rows() {
    std::vector<int> row(at(built_.residuals.count), -1);
    for (int r = 0; r < built_.residuals.count; ++r)
      if (!gone_rows_.count(r)) row[at(r)] = flat_.residuals.count++;
    flat_.rows.resize(at(flat_.residuals.count));
    for (const BuiltEquation& e : built_.equations) describe(e, row);
    for (const auto& s : built_.residuals.single)
      if (row[at(s.row)] >= 0) flat_.residuals.single.push_back({row[at(s.row)], copy_(s.value)});
    require();
    for (graph::Map m : maps()) {
      for (auto& rows : m.rows)
        for (int& r : rows) r = row[at(r)];
      for (MapArgument& a : m.arguments) copy_argument(a);
      flat_.residuals.maps.push_back(std::move(m));
    }
    for (const BuiltItem& e : built_.initial_equations) {
      flat_.initial_rows.push_back({e.name, shared(row_text(e.left, e.right)), e.options.position});
      flat_.initial.add(copy_(e.left - e.right));
    }
  }

  // Maps whose arguments read variables of one kind each.
  std::vector<graph::Map> maps() const {
    if (flat_.algebraic_count == 0) return built_.residuals.maps;
    std::vector<char> algebraic;
    for (const InputKind kind : kind_) algebraic.push_back(kind == InputKind::algebraic);
    std::vector<graph::Map> all;
    for (const graph::Map& m : built_.residuals.maps)
      for (graph::Map& part : split_by_kind(m, algebraic)) all.push_back(std::move(part));
    return all;
  }

  static RowText shared(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
  }

  void describe(const BuiltEquation& e, const std::vector<int>& row) {
    if (e.map < 0) {
      if (const int r = row[at(e.row)]; r >= 0)
        flat_.rows[at(r)] = {e.options.name,
                             shared(e.text.empty() ? row_text(e.left, e.right) : e.text),
                             e.options.position};
      return;
    }
    const graph::Map& m = built_.residuals.maps[at(e.map)];
    for (std::size_t k = 0; k < m.rows.size(); ++k) {
      const RowText formula = shared("0 = " + text(m.kernel->results()[k], 120));
      const std::string& stem = e.options.name.empty() ? *formula : e.options.name;
      for (std::size_t i = 0; i < m.rows[k].size(); ++i)
        flat_.rows[at(row[at(m.rows[k][i])])] = {
            m.rows.size() == 1 ? fmt::format("{} [{}]", stem, i + 1)
                               : fmt::format("{} ({}) [{}]", stem, k + 1, i + 1),
            formula, e.options.position};
    }
  }

  void copy_argument(MapArgument& a) {
    a.scalar = copy_(a.scalar);
    if (a.source != MapArgument::Source::input ||
        (a.kind != InputKind::state && a.kind != InputKind::derivative))
      return;
    // One kind for all of them: see maps().
    if (a.kind == InputKind::state && !a.index.empty()) a.kind = kind_[at(a.index.front())];
    // Inputs that maps alone read are named as well; of long maps their variables tell enough.
    const bool named = a.kind != InputKind::derivative || a.index.size() <= max_named_rates;
    for (int& i : a.index) {
      const std::string& name = built_.variables[at(i)].name;
      i = number_[at(i)];
      if (named) flat_.graph->input(a.kind, i, name);
    }
  }

  // Requirements are checked with the first row.
  void require() {
    for (const auto& r : built_.requirements) {
      if (flat_.residuals.single.empty()) flat_.residuals.single.push_back({0, 0.0});
      Expr& value = flat_.residuals.single.front().value;
      value = flat_.graph->asserted(no_event(copy_(r.condition)), value, r.message);
    }
  }

  void copy_events() {
    const Graph& g = *built_.graph;
    for (const BuiltDiscrete& d : built_.discretes)
      flat_.discretes.push_back({d.name, g.number(d.input.node()), copy_(d.options.start)});
    for (const BuiltItem& e : built_.discrete_equations)
      flat_.discrete_equations.push_back({g.number(e.left.node()), copy_(e.right), e.name});
    for (const BuiltSample& s : built_.samples)
      flat_.samples.push_back({g.number(s.input.node()), copy_(s.first), copy_(s.period),
                               std::string(g.name(s.input.node()))});
    for (const BuiltWhen& w : built_.whens) {
      FlatWhen when{w.options.name, copy_(w.condition), w.first, {}};
      for (const BuiltAction& a : w.actions) {
        FlatAction action{a.kind, -1, InputKind::state, copy_(a.value), a.message};
        if (a.kind != BuiltAction::Kind::stop) {
          const Expr target = input(a.target.node());
          action.target = flat_.graph->number(target.node());
          action.target_kind = flat_.graph->kind(target.node());
        }
        when.actions.push_back(std::move(action));
      }
      flat_.whens.push_back(std::move(when));
    }
  }

  void copy_outputs() {
    for (const BuiltItem& o : built_.outputs)
      flat_.outputs.push_back(
          {{o.name, o.options.unit, o.options.description, false}, copy_(o.left)});
    for (int i = 0; i < static_cast<int>(built_.variables.size()); ++i)
      if (number_[at(i)] < 0) {
        const BuiltVariable& v = built_.variables[at(i)];
        flat_.outputs.push_back({{v.name, v.options.unit, v.options.description, true},
                                 input(built_.graph->input_node(InputKind::state, i))});
      }
    for (const BuiltDiscrete& d : built_.discretes)
      flat_.outputs.push_back(
          {{d.name, d.options.unit, d.options.description, false}, input(d.input.node())});
    for (const BuiltItem& i : built_.invariants)
      flat_.invariants.push_back({i.name, copy_(i.left), 0.0, i.options});
  }

  void copy_mechanics() {
    flat_.mechanics = built_.mechanics;
    BuiltMechanics& m = flat_.mechanics;
    for (auto* list : {&m.q, &m.v, &m.c})
      for (BuiltVariable& v : *list) v.options.start = copy_(v.options.start);
    for (auto& entry : m.mass) entry.value = copy_(entry.value);
    for (auto* list : {&m.force, &m.dynamics})
      for (Expr& e : *list) e = copy_(e);
    for (auto* list : {&m.holonomic, &m.nonholonomic})
      for (BuiltItem& i : *list) i.left = copy_(i.left);
  }

  const ModelBuilder::Data& built_;
  FlatModel& flat_;
  graph::Rewriter copy_;
  std::unordered_map<int, Expr> replaced_;  // by number of the variable
  std::unordered_map<int, bool> gone_rows_;
  std::vector<int> number_;      // new numbers of variables; -1: replaced
  std::vector<InputKind> kind_;  // and their kinds
};

// Relations of everything that decides how the model moves.
void extract_relations(FlatModel& flat) {
  graph::RelationTable table(*flat.graph, flat.mode_count());
  flat.residuals = table.extract(flat.residuals);
  flat.initial = table.extract(flat.initial);
  BuiltMechanics& m = flat.mechanics;
  for (auto& entry : m.mass) entry.value = table.extract(entry.value);
  for (auto* list : {&m.force, &m.dynamics})
    for (Expr& e : *list) e = table.extract(e);
  for (auto& e : flat.discrete_equations) e.value = table.extract(e.value);
  for (FlatWhen& w : flat.whens) w.condition = table.extract(w.condition);
  for (FlatWhen& w : flat.whens)
    for (FlatAction& a : w.actions) a.value = table.extract_known(a.value);
  flat.relations = table.relations();
  // Those of kernels have no node of their own yet.
  for (const graph::Relation& r : flat.relations.all)
    flat.graph->input(InputKind::mode, r.mode, r.text);
}

}  // namespace

FlatModel flatten(const ModelBuilder::Data& built, const FlattenOptions& options) {
  FlatModel flat;
  Flattener(built, flat).run(options);
  extract_relations(flat);
  if (built.mechanics.empty()) point_rates_up(flat);
  use_reciprocals(flat);
  return flat;
}

}  // namespace daedalus
