// SPDX-License-Identifier: BSD-3-Clause
// From the tree of instances to the flat model.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "modelica/connections.hpp"
#include "modelica/context.hpp"
#include "modelica/flat_model.hpp"

namespace daedalus::modelica {

class Flattener {
 public:
  Flattener(Context& c, FlatModel& flat, bool roll) : c_(c), flat_(flat), roll_(roll) {}
  void prepare() { connect_to_graph(); }  // before anything is evaluated
  void run();

 private:
  // ---- variables (flatten_variables.cpp) ----
  void connect_to_graph();
  void find_discrete(Instance& i);
  void find_discrete(const ast::Equations& list, const Env& env, bool inside_when);
  ast::Equations decided_branch(const ast::Equation& e, const Scope* scope);
  void find_unknown_parameters(const ast::Section& s, const Scope* scope);
  void mark_discrete(const ast::Expression& e, const Env& env);
  void declare(Instance& i);
  FlatVariable variable_of(Instance& i);
  void declare_all(Instance& i);
  void note_parameter(Instance& i);
  Expr new_parameter(Instance& i, int k, double value);

  // ---- equations (flatten.cpp) ----
  void free_inputs();
  void sections(Instance& i);
  void section(const ast::Section& s, const Scope* scope);
  void bindings(Instance& i);
  void binding(Instance& i);
  void equations(const ast::Equations& list, const Env& env);
  void equation(const ast::Equation& e, const Env& env);
  void equal(const ast::Equation& e, const Env& env);
  void equal(const Value& left, const Value& right, const Origin& origin, const ast::Equation* e,
             const Env& env);
  void emit(const Expr& left, const Expr& right, const Value& l, const Value& r,
            const Origin& origin);
  void call(const ast::Equation& e, const Env& env);
  void require(const ast::Expression& call, const Env& env);
  FlatAction remembered(FlatRequirement& r);
  void unused_members(Instance& i, bool expandable);
  void for_equation(const ast::Equation& e, std::size_t iterator, const Env& env);
  void if_equation(const ast::Equation& e, const Env& env);
  void if_branches(const ast::Equation& e, const Env& env);
  [[noreturn]] void wrong_shapes(const Value& l, const Value& r, const Origin& origin,
                                 const ast::Equation* e, const Env& env);
  Origin origin_of(const ast::Equation& e, const Env& env) const;
  bool rolled(const ast::Equation& e, const Env& env);  // roll.cpp

  // ---- events and algorithms (flatten_events.cpp) ----
  void when(const ast::Equation& e, const Env& env);
  std::vector<FlatAction> actions(const ast::Equations& list, const Env& env);
  void action(const ast::Equation& e, const Env& env, std::vector<FlatAction>& list);
  void choice_of_actions(const ast::Equation& e, const Env& env, std::vector<FlatAction>& list);
  FlatAction reinit(const ast::Expression& call, const Env& env);
  void algorithm(const ast::Section& s, const Scope* scope);
  void add_in_order(std::vector<FlatBranch> clause);
  void when_statement(const ast::Equation& e, const Env& env);
  void check_assigned_once();

  // Runs a piece; what is wrong with it is kept, and the rest goes on.
  template <class Piece>
  void guarded(Piece&& piece) {
    try {
      piece();
    } catch (const Mistake& m) {
      c_.mistakes.error(m);
      // Parameters that were being evaluated have no value: others would complain of that.
      stop_ = stop_ || !c_.chain.empty();
      c_.chain.clear();
      c_.loops.clear();
      c_.end_sizes.clear();
      c_.no_events = c_.in_functions = c_.call_depth = c_.undecided = 0;
    }
  }

  Context& c_;
  FlatModel& flat_;
  bool roll_;
  bool stop_ = false;  // nothing sensible can be said any more
  Connections connections_{c_};
  std::vector<char> read_;                     // by node: equations and clauses read it
  bool at_start_ = false;                      // within 'when initial()'
  bool connecting_ = false;                    // the sweep over connections, which comes first
  std::vector<FlatEquation>* sink_ = nullptr;  // where equations go
  bool initial_ = false;                       // within an initial section
  Expr guard_ = 1.0;                           // of the branches around
};

}  // namespace daedalus::modelica
