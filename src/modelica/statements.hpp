// SPDX-License-Identifier: BSD-3-Clause
// Algorithms, executed with formulas in place of numbers: what is decided by numbers is decided
// now, the rest becomes a choice between formulas. A loop that ends by a condition of variables is
// unrolled along the path that goes on, each exit with the state it leaves behind, so that counters
// stay numbers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "modelica/context.hpp"

namespace daedalus::modelica {

class Statements {
 public:
  Statements(Context& c, const Scope* scope, Frame& frame) : c_(c), scope_(scope), frame_(frame) {}

  void run(const ast::Equations& list);  // to the end or to 'return'

  // A when-clause met on the way, with the state of that moment; for algorithm sections of models.
  std::function<void(const ast::Equation&, const Env&)> on_when;

 private:
  enum class Signal { none, left_loop, returned };
  using State = std::vector<std::pair<std::string, Value>>;
  struct Exit {
    Expr condition;
    State state;
  };

  struct ExitCounts {
    std::size_t returned = 0, left = 0;
  };

  ExitCounts exit_counts() const;
  void only_where(const Expr& condition, const ExitCounts& since);
  void returned(Expr condition, State state);
  Signal block(const ast::Equations& list, Frame& frame);
  Signal statement(const ast::Equation& e, Frame& frame);
  Signal if_statement(const ast::Equation& e, Frame& frame);
  Signal branches(const ast::Equation& e, std::size_t k, Frame& frame);
  Signal for_statement(const ast::Equation& e, std::size_t iterator, Frame& frame);
  Signal while_statement(const ast::Equation& e, Frame& frame);
  void assign(const ast::Expression& target, Value value, Frame& frame);
  void assign_tuple(const ast::Equation& e, Frame& frame);
  void call(const ast::Equation& e, Frame& frame);
  State merged(const Expr& condition, const State& a, const State& b, const ast::Equation& at);
  void ends_in_time(const ast::Equation& e, const Expr& active, State& state) const;
  void leave(std::vector<Exit>& exits, State final, const ast::Equation& at);

  Context& c_;
  const Scope* scope_;
  Frame& frame_;  // of the variables that are assigned
  std::vector<std::vector<Exit>> loops_;
  std::vector<Exit> returns_;
};

// What an initial algorithm gives the parameters that it assigns.
std::vector<std::pair<Instance*, Value>> initial_results(Context& c, const ast::Section& section,
                                                         const Scope* scope);

// On more than parameters. `e` is no number.
bool depends_on_variables(const graph::Graph& g, const Expr& e);

// Names that a list of statements assigns.
void assigned_names(const ast::Equations& list, std::vector<std::string>& names);

}  // namespace daedalus::modelica
