// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/when_actions.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "graph/rewrite.hpp"

namespace daedalus::modelica {
namespace {

class Branch {
 public:
  Branch(std::vector<FlatAction>& actions, graph::Graph& graph) : actions_(actions), graph_(graph) {
    for (std::size_t k = 0; k < actions.size(); ++k)
      if (actions[k].kind == FlatAction::Kind::set && !actions[k].target.is_number())
        by_target_[actions[k].target.node()] = k;
    state_.assign(actions.size(), State::open);
  }

  void settle(std::size_t k) {
    if (state_[k] == State::done) return;
    if (state_[k] == State::busy)
      throw Mistake{Phase::events, actions_[k].place,
                    fmt::format("the equation for '{}' of this when-clause depends on its own "
                                "result",
                                text(actions_[k].target, 80)),
                    "take the value before the event by pre()"};
    state_[k] = State::busy;
    graph::Rewriter rewrite(graph_, graph_, [&](int node, std::span<const Expr>, Expr& result) {
      const auto other = by_target_.find(node);
      if (other == by_target_.end()) return false;
      settle(other->second);
      result = actions_[other->second].value;
      return true;
    });
    actions_[k].value = rewrite(actions_[k].value);
    state_[k] = State::done;
  }

 private:
  enum class State { open, busy, done };
  std::vector<FlatAction>& actions_;
  graph::Graph& graph_;
  std::unordered_map<int, std::size_t> by_target_;
  std::vector<State> state_;
};

}  // namespace

std::vector<FlatAction> settled(std::vector<FlatAction> actions, graph::Graph& graph,
                                Mistakes& mistakes) {
  Branch branch(actions, graph);
  try {
    for (std::size_t k = 0; k < actions.size(); ++k) branch.settle(k);
  } catch (const Mistake& m) {
    mistakes.error(m);
  }
  return actions;
}

}  // namespace daedalus::modelica
