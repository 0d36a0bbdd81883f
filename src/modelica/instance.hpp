// SPDX-License-Identifier: BSD-3-Clause
// The model as a tree of instances: what every component became after inheritance, modifiers and
// redeclarations. Names are looked up through scopes, values stay where they were written.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modelica/value.hpp"

namespace daedalus::modelica {

struct FunctionArgument;
struct Instance;
struct Modifier;
struct Scope;
using Modifiers = std::shared_ptr<const Modifier>;

// A class and the scope that it stands in.
struct ClassRef {
  const ast::Class* def = nullptr;
  const Scope* env = nullptr;
  Base base = Base::nothing;  // of a predefined type; def is null then
  Modifiers constraint{};     // modifiers of constrainedby, which hold for replacements too
  explicit operator bool() const { return def || base != Base::nothing; }
};

// Where names are looked up: the elements of a class (as they are in an instance, if there is one),
// then what lies around it.
struct Scope {
  const ast::Class* cls = nullptr;
  Instance* instance = nullptr;
  const Scope* outer = nullptr;
};

// Loop variables, and the variables of a function that is being evaluated.
struct Frame {
  std::vector<std::pair<std::string, Value>> variables;
  std::vector<std::pair<std::string, std::shared_ptr<const FunctionArgument>>> functions;
  Frame* up = nullptr;
  Value* find(const std::string& name);
  std::shared_ptr<const FunctionArgument> find_function(const std::string& name) const;
};

struct Env {
  const Scope* scope = nullptr;
  Frame* frame = nullptr;
};

// What is said about an element from outside: a value, a redeclaration, and the same for its parts.
struct Modifier {
  const ast::Expression* value = nullptr;
  const Scope* scope = nullptr;  // where `value` and redeclarations are looked up
  bool each = false, final_ = false;
  Place place;
  std::vector<int> subscripts;      // the part of `value` that is meant, for elements of arrays
  std::vector<std::string> member;  // and of records
  const ast::Class* class_ = nullptr;
  const ast::Component* component = nullptr;
  std::vector<std::pair<std::string, Modifiers>> inner;
  const Modifiers* find(std::string_view name) const;
};

struct Instance {
  std::string name;  // within its parent, with subscripts: body[3]
  Instance* parent = nullptr;
  const ast::Component* component = nullptr;  // null: the top, or a package
  const Scope* declared_in = nullptr;
  Modifiers modifiers;

  ClassRef type;                           // its class without aliases
  const ast::Class* named_type = nullptr;  // the class that its declaration names, if it is one
  Base base = Base::nothing;               // of a simple variable
  Shape shape;
  std::vector<Instance*> elements;  // of an array of components, by rows
  std::vector<Instance*> children;  // in the order of the text, inherited ones first
  std::unordered_map<std::string, Instance*> by_name;
  std::unordered_map<std::string, ClassRef> classes;  // redeclared ones
  std::vector<const Scope*> contributions;            // class bodies, bases first

  Instance* inner = nullptr;  // of an outer component
  bool off = false;           // its condition is false
  bool connector = false, expandable = false;
  ast::Prefixes prefixes;  // effective: flow, input, output, protected, variability
  enum class State { shell, expanding, ready } state = State::shell;
  bool evaluating = false, valued = false;
  Value value;
  std::vector<double> literals;  // of a parameter that can be set, by element
  // Of variables.
  bool discrete = false;    // changes at events only
  bool structural = false;  // a parameter whose value decided what the model looks like
  int number = -1;          // of its flat variable
  const ast::Expression* condition_text = nullptr;
  // Of a parameter with fixed = false: what an initial section of its component says about it.
  const ast::Equation* initial_equation = nullptr;
  const ast::Section* initial_algorithm = nullptr;
  const Scope* initial_scope = nullptr;

  bool simple() const { return base != Base::nothing && base != Base::record; }
  bool array_of_components() const { return !elements.empty() || (!simple() && !shape.empty()); }
  const Instance* top() const;
  std::string path() const;  // "bench.load"; empty for the top
  Instance* real() { return inner ? inner : this; }
  Place place() const { return component ? component->place : Place{}; }
  std::string type_name() const;  // "Parts.Electrical.Resistor", "Real"
  Variability variability() const;
};

// A name inside a name: "load" and "r" give "load.r".
std::string joined_name(const std::string& path, const std::string& name);

// ---- modifiers (modifiers.cpp) ----

// Of `(a = 1, b(c = 2)) = value`.
Modifiers make_modifier(const ast::Modification* m, const Scope* scope);
// Attribute by attribute, the outer one wins. What is final below is not to be changed.
Modifiers merged(const Modifiers& outer, const Modifiers& inner, const Files& files);
// Of one element of an array.
Modifiers indexed(const Modifiers& m, const std::vector<int>& subscripts);
Modifiers part(const Modifiers& m, std::string_view name);  // null: nothing is said about it
Modifiers member_of(const Modifiers& record, const std::string& name);  // of a record's binding

}  // namespace daedalus::modelica
