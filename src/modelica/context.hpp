// SPDX-License-Identifier: BSD-3-Clause
// What the passes of one compilation share, and what they do for each other: looking up a name may
// instantiate a package, instantiating may evaluate a size, evaluating looks up names.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <daedalus/graph.hpp>

#include "modelica/instance.hpp"
#include "modelica/library.hpp"

namespace daedalus::modelica {

// Of components in each other: deeper ones are a circle of classes.
constexpr int max_nesting = 100;

// Thrown when a parameter turns out to decide what the model looks like: the compilation starts
// again and takes its value for good.
struct Restart {};

// The name that was meant: equal up to case, or near.
std::string near_name(const std::string& typed, const std::vector<std::string>& known);

// A loop that is being unrolled, for messages.
struct LoopNow {
  std::string name;
  double value;
  const ast::Expression* range;
};

// A subscript that is known only during the run, for a dimension of what the others choose.
struct ChosenLater {
  std::size_t dimension;
  Expr index;
};

struct Context {
  Context(Files& f, Mistakes& m, Library& l) : files(f), mistakes(m), library(l) {}
  Files& files;
  Mistakes& mistakes;
  Library& library;
  graph::Graph* graph = nullptr;
  Instance* root = nullptr;

  std::deque<Scope> scopes;
  std::deque<Instance> instances;
  const Scope* make_scope(const ast::Class* cls, Instance* instance, const Scope* outer) {
    return &scopes.emplace_back(Scope{cls, instance, outer});
  }

  // ---- parameters ----
  std::map<std::string, double> set;            // values from outside, by flat name
  std::set<std::string>* structural = nullptr;  // names found so far; grows over restarts
  std::function<Expr(Instance&, int, double)> make_parameter;  // an input for element k
  std::function<void(Instance&)> declare;                      // inputs of a variable
  std::function<Expr(const Expr&, const Expr&)> sample;
  std::function<Expr()> initial;
  std::function<Expr(const Expr& value, double time)> delay;
  std::function<Expr()> homotopy_share;  // of the actual expression
  std::vector<Instance*> by_parameter;   // instance of parameter input k
  int no_events = 0;                     // within functions and noEvent()
  int in_functions = 0;
  int undecided = 0;            // branches around, of which it is not known whether they are taken
  bool before_section = false;  // names mean components, not what an algorithm made of them so far
  // assert: condition, message, whether a failure ends the run, place.
  std::function<void(const Expr&, const std::string&, bool, const Place&)> require;
  double start_time = 0.0;
  bool time_is_start = false;  // initial equations of parameters are being evaluated
  std::set<std::pair<const void*, const Scope*>> used_initial;  // equations that gave parameters
  std::vector<LoopNow> loops;
  std::vector<int> end_sizes;                  // what 'end' means
  std::map<const Instance*, int> cardinality;  // connect statements by connector

  // ---- lookup.cpp ----
  ClassRef find_class(const ast::Name& name, const Scope* scope);  // throws
  ClassRef find_class(const std::vector<std::string>& parts, bool global, const Scope* scope);
  ClassRef find_simple(const std::string& name, const Scope* scope, bool with_inherited = true);
  ClassRef member_class(const ClassRef& of, const std::string& name);
  const Scope* static_scope(const ast::Class* cls);
  const Scope* scope_of(const ClassRef& c);  // of its body, without an instance
  ClassRef extended(const ClassRef& c);
  ClassRef imported(const ast::Class* cls, const std::string& name);
  std::vector<std::string> visible_classes(const Scope* scope);
  Instance* package_of(const ClassRef& c);  // its constants
  ClassRef resolved(ClassRef c);            // aliases followed
  std::unordered_map<const ast::Class*, const Scope*> static_scopes;
  std::map<std::pair<const Scope*, std::string>, ClassRef> class_memo;
  std::map<std::pair<const ast::Class*, const Scope*>, Instance*> packages;
  std::map<std::pair<const ast::Class*, const Scope*>, const Scope*> body_scopes;
  int lookup_depth = 0;

  // ---- instantiate.cpp ----
  Instance* new_instance(Instance* parent, std::string name);
  void populate(Instance& i, const ClassRef& c, const Modifiers& mods);
  void expand(Instance& child);
  void expand_all(Instance& i, int depth = 0);
  Instance* child(Instance& of, const std::string& name);  // expanded; null: none

  // ---- values (evaluate.cpp and its parts) ----
  const Value& value_of(Instance& i);
  Value bound_value(const Modifiers& m);  // of a modifier, subscripts and members taken
  Value evaluate(const ast::Expression& e, const Env& env);
  Value reference(const ast::Expression& e, const Env& env);
  Value navigate(Instance& from, const ast::Expression& e, std::size_t k, const Env& env);
  Value chosen(const Value& v, const ast::Part& part, const Env& env);  // subscripts taken
  // Instances that a reference means (connectors), or nothing.
  // `elements`: positions that subscripts of simple arrays choose; absent: all of them.
  std::vector<Instance*> instances_of(const ast::Expression& e, const Env& env, Shape& shape,
                                      std::optional<std::vector<int>>* elements = nullptr);
  std::vector<Subscript> subscripts(const ast::Expressions& list, const Shape& shape,
                                    const Env& env, const std::string& name,
                                    std::vector<ChosenLater>* later);
  Value picked(Value v, const std::vector<ChosenLater>& later, const Place& place);
  Instance* constant_in(const ClassRef& c, const std::string& name);
  Instance* find_component(const std::string& name, const Scope* scope, const Place& place);
  bool literal(const ClassRef& type, const std::string& name, Value& value);
  [[noreturn]] void unknown_name(const ast::Expression& e, const Env& env, std::size_t part);
  Value builtin(const std::string& name, const ast::Expression& call, const Env& env, bool& known);
  Value record(const ClassRef& type, const ast::Expression& call, const Env& env);
  Value converted(Value v, Base base, const ast::Class* type, const Shape& shape,
                  const Place& place, const std::string& what);
  bool is_unknown_parameter(Instance& i);               // fixed = false
  bool from_initial_section(Instance& i);               // whether it gave the parameter its value
  Value attribute(Instance& i, std::string_view name);  // nothing: not given
  int integer(const ast::Expression& e, const Env& env, std::string_view what);
  // A scalar formula of this kind: a number, or a Boolean where `boolean` says so.
  Expr scalar(const ast::Expression& e, const Env& env, bool boolean);
  double number(const Value& v, const Place& place, std::string_view what);
  bool condition(const ast::Expression& e, const Env& env, std::string_view what);
  void make_structural(const Expr& e);
  std::vector<int> iteration(const ast::Iterator& i, const Env& env, std::vector<Value>& values);

  // Calls of functions that are written in Modelica: all results.
  std::vector<Value> call(const ClassRef& function, const ast::Expression& call, const Env& env);
  std::vector<std::string> chain;  // of parameters being evaluated
  std::map<std::pair<const ast::Expression*, const Scope*>, Value> bound_memo;
  int call_depth = 0;
};

}  // namespace daedalus::modelica
