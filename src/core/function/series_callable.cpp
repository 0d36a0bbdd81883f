// SPDX-License-Identifier: BSD-3-Clause
#include "function/series_callable.hpp"

#include <algorithm>

#include "graph/interpreter.hpp"
#include "graph/lower.hpp"

namespace daedalus {

using graph::InputKind;

namespace {

// More branches than this are seldom alive at a time; the one that was not used longest goes.
constexpr std::size_t max_branches = 8;

graph::Outputs part(const graph::Outputs& all, int first, int last) {
  graph::Outputs some;
  for (const auto& s : all.single)
    if (s.row >= first && s.row < last) some.add(s.value);
  return some;
}

}  // namespace

// Guards are looked at over plain numbers before anything is computed over series.
struct SeriesCallable::Branch {
  explicit Branch(RecordedCallable c, std::vector<double> modes_then)
      : callable(std::move(c)), modes(std::move(modes_then)) {
    graph::Graph& g = callable.recording->graph();
    const auto lowered = [&](int first, int last) {
      return graph::lower(g, part(callable.outputs, first, last));
    };
    guards = graph::Program(g, lowered(callable.rows, callable.outputs.count));
    rows = graph::Program(g, lowered(0, callable.rows));
    guard_workspace = graph::Workspace<double>(guards);
    workspace = graph::Workspace<Taylor2Dual>(rows);
    outcomes.resize(callable.recording->guards().size());
  }
  bool holds(const CallPoint& at) {
    if (!callable.recording->holds_elsewhere() || at.modes != modes) return false;
    if (guard_workspace.run(guards, graph_point(at, callable.kinds), outcomes.data()) >= 0)
      return false;
    const auto& wanted = callable.recording->guards();
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if ((outcomes[k] != 0.0) != wanted[k].outcome) return false;
    return true;
  }

  RecordedCallable callable;
  std::vector<double> modes;  // callables read them as plain numbers: part of the recording
  graph::Program guards, rows;
  graph::Workspace<double> guard_workspace;
  graph::Workspace<Taylor2Dual> workspace;
  std::vector<double> outcomes;
};

void SeriesCallable::Delete::operator()(Branch* b) const { delete b; }

void SeriesCallable::read_values(const Arguments<Taylor2Dual>& a) {
  const auto read = [](const Taylor2Dual* from, int n, std::vector<double>& to) {
    to.resize(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) to[static_cast<std::size_t>(i)] = value_of(from[i]);
  };
  at_.t = value_of(a.t);
  for (std::size_t k = 0; k < a.x.size(); ++k) read(a.x[k], a.n[k], at_.x[k]);
  read(a.p, a.parameter_count, at_.p);
  at_.modes.assign(a.modes, a.modes + a.mode_count);
}

SeriesCallable::Branch* SeriesCallable::find() {
  for (auto b = branches_.begin(); b != branches_.end(); ++b)
    if ((*b)->holds(at_)) {
      std::rotate(branches_.begin(), b, b + 1);
      return branches_.front().get();
    }
  return nullptr;
}

SeriesCallable::Branch& SeriesCallable::keep(RecordedCallable callable) {
  ++recordings_;
  // What holds at its point only is in the way of the others.
  if (!branches_.empty() && !branches_.front()->callable.recording->holds_elsewhere())
    branches_.erase(branches_.begin());
  if (branches_.size() == max_branches) branches_.pop_back();
  branches_.emplace(branches_.begin(), new Branch(std::move(callable), at_.modes));
  return *branches_.front();
}

Eval SeriesCallable::run(Branch& branch, const Arguments<Taylor2Dual>& a, Taylor2Dual* out) const {
  graph::Point<Taylor2Dual> point;
  point[InputKind::time] = &a.t;
  for (std::size_t k = 0; k < a.x.size(); ++k) point[branch.callable.kinds[k]] = a.x[k];
  point[InputKind::parameter] = a.p;
  point.modes = a.modes;
  return branch.workspace.run(branch.rows, point, out) < 0 ? Eval::ok : Eval::reject;
}

}  // namespace daedalus
