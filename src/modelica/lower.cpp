// SPDX-License-Identifier: BSD-3-Clause
// The flat model as variables, equations, events and start conditions of a ModelBuilder.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "graph/reach.hpp"
#include "graph/rewrite.hpp"
#include "kernel/at.hpp"
#include "modelica/compile.hpp"
#include "modelica/discrete.hpp"
#include "modelica/past.hpp"
#include "modelica/when_actions.hpp"

namespace daedalus::modelica {
namespace {

using graph::InputKind;

constexpr std::size_t max_name = 60;  // of an equation in messages of a run

class Lowering {
 public:
  Lowering(const FlatModel& flat, const Files& files, Mistakes& mistakes)
      : flat_(flat),
        files_(files),
        mistakes_(mistakes),
        from_(*flat.graph),
        builder_(std::make_shared<ModelBuilder>(flat.name)),
        b_(*builder_),
        copy_(from_, b_.graph(),
              [this](int node, std::span<const Expr>, Expr& result) {
                if (from_.node(node).op != graph::Op::input) return false;
                result = input(node);
                return true;
              }),
        start_(from_, b_.graph(), [this](int node, std::span<const Expr>, Expr& result) {
          if (from_.node(node).op != graph::Op::input) return false;
          result = input_at_start(node);
          return true;
        }) {}

  std::shared_ptr<ModelBuilder> run() {
    for (int k = 0; k < files_.count(); ++k) b_.graph().add_file(files_.source(k).name());
    if (!flat_.comment.empty()) b_.set_title(flat_.comment);
    b_.set_interval({flat_.start_time, flat_.stop_time});
    by_ = explicit_equations(flat_);
    parameters();
    variables();
    discretes();
    equations();
    assign_discrete(flat_, mistakes_, [this](const Expr& v, const Expr& e, const Origin& o) {
      b_.discrete_equation(copy_(v), copy_(e), item(o));
    });
    for (const FlatEquation& e : flat_.initial_equations) initial(e);
    for (const FlatRequirement& r : flat_.requirements)
      b_.require(copy_(r.condition) || b_.initial(),
                 fmt::format("assertion at {} failed: {}", files_.where(r.place), r.message));
    for (const auto& clause : flat_.whens) when(clause);
    for (const FlatDelay& d : flat_.delays) delay(d);
    for (std::size_t j = 0; j < by_.size(); ++j) output(j);
    return builder_;
  }

 private:
  graph::Position position(const Place& p) const {
    return {p.file, files_.line(p), files_.column(p)};
  }

  ItemOptions item(const Origin& o) const {
    ItemOptions i;
    std::string text = files_.where(o.place);
    if (!o.component.empty()) text += " " + o.component;
    text += ": " + o.text;
    if (text.size() > max_name) text = text.substr(0, max_name - 3) + "...";
    i.name = std::move(text);
    i.position = position(o.place);
    return i;
  }

  void parameters() {
    // By number of the input.
    std::vector<const FlatParameter*> inputs(at(from_.count(InputKind::parameter)), nullptr);
    for (const FlatParameter& p : flat_.parameters)
      if (p.settable && !p.value.is_number()) inputs[at(from_.number(p.value.node()))] = &p;
    for (const FlatParameter* p : inputs) {
      if (!p) {
        parameter_.push_back(b_.parameter("homotopy()", 1.0, {0.0, 1.0}));
        continue;
      }
      ParameterOptions o;
      o.min = p->min;
      o.max = p->max;
      o.unit = p->unit;
      o.description = p->comment;
      o.position = position(p->place);
      parameter_.push_back(b_.parameter(p->name, p->number, o));
    }
    for (const FlatParameter& p : flat_.parameters) {
      if (p.value.is_number() || p.settable) continue;
      ParameterOptions o;
      o.unit = p.unit;
      o.description = p.comment;
      b_.dependent_parameter(p.name, copy_(p.value), o);
    }
  }

  void variables() {
    variable_.resize(flat_.variables.size());
    rate_.assign(flat_.variables.size(), std::nullopt);
    const std::vector<char> named = named_rates(flat_);
    find_starts();
    for (std::size_t j = 0; j < flat_.variables.size(); ++j) {
      const FlatVariable& v = flat_.variables[j];
      if (by_[j] >= 0) continue;
      VariableOptions o;
      // What follows from fixed values is no guess, whatever a library writes as start.
      o.start = determined(static_cast<int>(j)).value_or(guess(static_cast<int>(j)));
      o.fixed = v.fixed;
      o.nominal = v.nominal;
      o.unit = v.unit;
      o.description = v.comment;
      o.position = position(v.place);
      variable_[j] = b_.variable(v.name, std::move(o));
      if (named[j]) rate_[j] = b_.variable("der(" + v.name + ")");
    }
    // What consists of formulas of time and of discrete variables runs on a clock.
    if (!flat_.variables.empty() || !flat_.discretes.empty()) clock();
  }

  void clock() {
    if (std::any_of(by_.begin(), by_.end(), [](int k) { return k < 0; })) return;
    VariableOptions o;
    o.start = flat_.start_time;
    o.fixed = true;
    o.unit = "s";
    b_.equation(der(b_.variable("clock()", std::move(o))), 1.0, {"clock()"});
  }

  // Equations that would give a variable a guess where the text has none.
  void find_starts() {
    gives_.assign(flat_.variables.size(), -1);
    for (std::size_t k = 0; k < flat_.equations.size(); ++k) {
      const FlatEquation& e = flat_.equations[k];
      if (e.discrete) continue;
      for (const Expr* side : {&e.left, &e.right})
        if (const int j = flat_.number_of(*side); j >= 0 && gives_[at(j)] < 0)
          gives_[at(j)] = static_cast<int>(k);
    }
    guessing_ = met_ = std::vector<char>(flat_.variables.size(), 0);
    determined_.assign(flat_.variables.size(), std::nullopt);
  }

  Expr guess(int j) {
    const FlatVariable& v = flat_.variables[at(j)];
    if (v.explicit_start || v.fixed) return copy_(v.start);
    const int k = by_[at(j)] >= 0 ? by_[at(j)] : gives_[at(j)];
    if (k < 0 || guessing_[at(j)] || depth_ > 50) return copy_(v.start);
    guessing_[at(j)] = 1;
    ++depth_;
    const FlatEquation& e = flat_.equations[at(k)];
    const Expr value = flat_.number_of(e.left) == j ? e.right : e.left;
    unknown_ = false;
    const Expr found = start_(value);
    const bool good = !std::exchange(unknown_, false);
    --depth_;
    return good ? found : copy_(v.start);
  }

  // What fixed values and explicit equations give at the start; none: they leave it open.
  std::optional<Expr> determined(int j) {
    const FlatVariable& v = flat_.variables[at(j)];
    if (v.fixed) return copy_(v.start);
    const int k = by_[at(j)] >= 0 ? by_[at(j)] : gives_[at(j)];
    if (k < 0 || met_[at(j)] || depth_ > 50 || v.unknown_parameter) return determined_[at(j)];
    met_[at(j)] = 1;
    ++depth_;
    bool all = true;
    graph::Rewriter exact(from_, b_.graph(), [&](int node, std::span<const Expr>, Expr& result) {
      if (from_.node(node).op != graph::Op::input) return false;
      std::optional<Expr> found;
      if (from_.kind(node) == InputKind::parameter) found = parameter_[at(from_.number(node))];
      if (from_.kind(node) == InputKind::state) found = determined(from_.number(node));
      all = all && found;
      result = found.value_or(0.0);
      return true;
    });
    const FlatEquation& e = flat_.equations[at(k)];
    const Expr value = exact(flat_.number_of(e.left) == j ? e.right : e.left);
    if (all) determined_[at(j)] = value;
    --depth_;
    return determined_[at(j)];
  }

  Expr input_at_start(int node) {
    switch (from_.kind(node)) {
      case InputKind::parameter:
        return parameter_[at(from_.number(node))];
      case InputKind::state: {
        const bool before = unknown_;
        const Expr e = guess(from_.number(node));
        unknown_ = before;
        return e;
      }
      case InputKind::time:
        return flat_.start_time;
      default:
        unknown_ = true;
        return 0.0;
    }
  }

  void discretes() {
    mode_.assign(at(from_.count(InputKind::mode)), Expr(0.0));
    for (const FlatVariable& v : flat_.discretes) {
      VariableOptions o;
      o.start = copy_(v.start);
      o.unit = v.unit;
      o.description = v.comment;
      o.position = position(v.place);
      mode_[at(from_.number(v.value.node()))] = b_.discrete(v.name, std::move(o));
    }
    for (const FlatSample& s : flat_.samples)
      mode_[at(from_.number(s.input.node()))] = b_.sample(copy_(s.first), copy_(s.period));
    for (const FlatDelay& d : flat_.delays) {
      VariableOptions o;
      o.start = d.number;
      mode_[at(from_.number(d.history.node()))] =
          b_.discrete(from_.name(d.history.node()), std::move(o));
    }
    if (!flat_.initial.is_number()) mode_[at(from_.number(flat_.initial.node()))] = b_.initial();
  }

  // An input of the flat model in the graph of the builder.
  Expr input(int node) {
    const int k = from_.number(node);
    switch (from_.kind(node)) {
      case InputKind::state:
        return value(k);
      case InputKind::derivative:
        return rate_[at(k)] ? *rate_[at(k)] : der(value(k));
      case InputKind::parameter:
        return parameter_[at(k)];
      case InputKind::mode:
        return mode_[at(k)];
      case InputKind::previous:
        return pre(copy_(Expr(*flat_.graph, from_.previous_of(k))));
      default:
        return b_.time();
    }
  }

  Expr value(int j) {
    if (by_[at(j)] < 0) return variable_[at(j)];
    const FlatEquation& e = flat_.equations[at(by_[at(j)])];
    return copy_(flat_.number_of(e.left) == j ? e.right : e.left);
  }

  void equations() {
    std::vector<char> gone(flat_.equations.size(), 0);
    for (const int k : by_)
      if (k >= 0) gone[at(k)] = 1;
    for (std::size_t k = 0; k < flat_.equations.size(); ++k) {
      const FlatEquation& e = flat_.equations[k];
      if (e.discrete || gone[k]) continue;
      Expr left = copy_(e.left), right = copy_(e.right);
      same_rate(left, right);
      same_rate(right, left);
      b_.equation(left, right, item(e.origin));
    }
    for (const FlatFamily& f : flat_.families) family(f);
    for (std::size_t j = 0; j < flat_.variables.size(); ++j) {
      if (rate_[j])
        b_.equation(der(variable_[j]), *rate_[j], {"der(" + flat_.variables[j].name + ")"});
      if (flat_.variables[j].unknown_parameter)
        b_.equation(der(variable_[j]), 0.0, {flat_.variables[j].name + " is constant"});
    }
  }

  // v = der(x) and w = der(x): w = v, which keeps the index of what is written twice.
  void same_rate(const Expr& variable, Expr& rate) {
    const graph::Graph& g = b_.graph();
    const auto is = [&](const Expr& e, InputKind kind) {
      return !e.is_number() && g.is_input(e) && g.kind(e.node()) == kind;
    };
    if (!is(variable, InputKind::state) || !is(rate, InputKind::derivative)) return;
    const auto [first, added] = rate_names_.emplace(rate.node(), variable);
    if (!added && !first->second.same(variable)) rate = first->second;
  }

  void family(const FlatFamily& f) {
    std::vector<graph::MapArgument> arguments = f.arguments;
    for (graph::MapArgument& a : arguments) {
      a.scalar = copy_(a.scalar);
      if (a.source != graph::MapArgument::Source::input) continue;
      for (int& j : a.index) {
        if (a.kind == InputKind::parameter) j = b_.graph().number(parameter_[at(j)].node());
        if (a.kind == InputKind::mode) j = b_.graph().number(mode_[at(j)].node());
        if (a.kind != InputKind::state && a.kind != InputKind::derivative) continue;
        j = b_.number_of(variable_[at(j)]);
      }
    }
    b_.equations(f.kernel, f.count, std::move(arguments), item(f.origin));
  }

  void initial(const FlatEquation& e) {
    // Discrete variables have a value at the start; equations are for the others.
    const auto mode_of = [&](const Expr& x) -> Expr {
      if (x.is_number() || !from_.is_input(x)) return 0.0;
      if (from_.kind(x.node()) == InputKind::mode) return x;
      if (from_.kind(x.node()) == InputKind::previous)
        return Expr(*flat_.graph, from_.previous_of(from_.number(x.node())));
      return 0.0;
    };
    if (const Expr mode = mode_of(e.left); !mode.is_number()) {
      b_.when(b_.initial(), item(e.origin)).set(copy_(mode), copy_(e.right));
      return;
    }
    b_.initial_equation(copy_(e.left), copy_(e.right), item(e.origin));
  }

  // The search for events writes the past down. No step is longer than the delay, and what the
  // start left moves on by it.
  void delay(const FlatDelay& d) {
    const Expr history = copy_(d.history);
    const Expr arguments[] = {history, b_.time(), copy_(d.value)};
    ItemOptions o;
    o.name = "delay()";
    b_.when(b_.graph().external(write_history(d.number, d.time), arguments) < 0.0, o)
        .set(history, pre(history));
    (void)b_.sample(flat_.start_time + d.time, d.time);
  }

  void when(const std::vector<FlatBranch>& clause) {
    std::optional<WhenClause> w;
    for (const FlatBranch& b : clause) {
      ItemOptions o = item(b.origin);
      o.name = b.origin.text;
      if (!b.origin.component.empty()) o.name = b.origin.component + ": " + o.name;
      w = w ? w->otherwise(copy_(b.condition), o) : b_.when(copy_(b.condition), o);
      std::vector<FlatAction> actions = b.actions;
      for (FlatAction& a : actions) a.target = copy_(a.target), a.value = copy_(a.value);
      for (const FlatAction& a : settled(std::move(actions), b_.graph(), mistakes_)) {
        if (a.kind == FlatAction::Kind::reinit)
          w->reinit(a.target, a.value);
        else if (a.kind == FlatAction::Kind::set)
          w->set(a.target, a.value);
        else
          w->stop(a.message);
      }
    }
  }

  void output(std::size_t j) {
    if (by_[j] < 0) return;
    const FlatVariable& v = flat_.variables[j];
    ItemOptions o;
    o.unit = v.unit;
    o.description = v.comment;
    b_.output(v.name, value(static_cast<int>(j)), o);
  }

  const FlatModel& flat_;
  const Files& files_;
  Mistakes& mistakes_;
  const graph::Graph& from_;
  std::shared_ptr<ModelBuilder> builder_;
  ModelBuilder& b_;
  graph::Rewriter copy_, start_;
  std::vector<Expr> parameter_, variable_, mode_;
  std::vector<std::optional<Expr>> rate_;
  std::unordered_map<int, Expr> rate_names_;  // by derivative: the first variable that is equal
  std::vector<int> by_, gives_;
  std::vector<char> guessing_, met_;
  std::vector<std::optional<Expr>> determined_;
  int depth_ = 0;
  bool unknown_ = false;
};

}  // namespace

std::shared_ptr<ModelBuilder> lower(const FlatModel& flat, const Files& files, Mistakes& mistakes) {
  return Lowering(flat, files, mistakes).run();
}

}  // namespace daedalus::modelica
