// SPDX-License-Identifier: BSD-3-Clause
// A Modelica text as it was written. Nothing is looked up yet; every node knows its place.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modelica/place.hpp"

namespace daedalus::modelica::ast {

struct Expression;
struct Equation;
struct Class;
struct Modification;

using Expressions = std::vector<const Expression*>;
using Equations = std::vector<const Equation*>;

// One part of a reference: body[3].
struct Part {
  std::string name;
  Expressions subscripts;
  Place place;
};

struct Name {
  bool global = false;  // .A.B
  std::vector<std::string> parts;
  Place place;
  std::string text() const;
};

struct Iterator {
  std::string name;
  const Expression* range = nullptr;  // null: from the subscripts that use it
  Place place;
};

enum class Kind {
  number,     // value, integer
  string,     // text
  boolean,    // value
  end,        // the size, in a subscript
  colon,      // the subscript ':'
  missing,    // an empty place of a tuple
  reference,  // parts, global
  call,       // parts; arguments, names by argument (empty: positional), or iterators
  function,   // function f(...) as an argument: parts, arguments, names
  negate,     // also -, .-
  plus,
  invert,  // not
  binary,  // op
  choice,  // condition, value, condition, value, ..., value
  range,   // first, last or first, step, last
  array,   // {a, b}
  comprehension,  // {e for i in r}
  matrix,         // [a, b; c, d]: rows by `row_sizes`
  tuple,          // (a, b)
  subscripted     // (e)[i]
};

struct Expression {
  Kind kind = Kind::number;
  bool integer = false, global = false;
  int chain = 0;  // operators in a row up to here
  double value = 0.0;
  std::string text;  // of a string; operator of a binary one
  std::vector<Part> parts;
  Expressions operands;
  std::vector<std::string> names;
  std::vector<Iterator> iterators;
  std::vector<int> row_sizes;
  Place place;
  std::string plain_name() const;  // parts without subscripts, joined by points
};

struct Argument;

struct Modification {
  std::vector<Argument> arguments;
  const Expression* value = nullptr;
  Place place;
};

struct Prefixes {
  bool final_ = false, inner = false, outer = false, replaceable = false, redeclare = false;
  bool flow = false, stream = false, input = false, output = false, protected_ = false;
  bool each = false;
  enum class Variability { none, discrete, parameter, constant } variability = Variability::none;
};

struct Component {
  Prefixes prefixes;
  Name type;
  Expressions type_dimensions;
  std::string name;
  Expressions dimensions;
  const Modification* modification = nullptr;
  const Expression* condition = nullptr;
  std::string comment;
  const Modification* annotation = nullptr;
  Name constraint;  // of constrainedby; empty: none
  const Modification* constraint_modification = nullptr;
  Place place;       // of the name
  Place type_place;  // of the type's name
};

struct Argument {
  bool each = false, final_ = false;
  Name name;
  const Modification* modification = nullptr;
  // redeclare: one of
  const Component* component = nullptr;
  const Class* class_ = nullptr;
  Place place;
};

struct Import {
  std::string alias;  // the name it is known by; empty: all of `name`
  Name name;
};

struct Extends {
  Name base;
  const Modification* modification = nullptr;
  bool protected_ = false;
  Place place;
};

struct Element {
  enum class Kind { component, class_, extends, import } kind;
  const Component* component = nullptr;
  const Class* class_ = nullptr;
  const Extends* extends = nullptr;
  Import import{};
};

struct Branch {
  const Expression* condition = nullptr;  // null: else
  Equations body;
};

// Equations and statements.
struct Equation {
  enum class Kind {
    equal,    // left = right
    assign,   // left := right; left may be a tuple
    call,     // left: the call
    connect,  // left, right
    if_,
    for_,
    when,
    while_,
    break_,
    return_
  } kind = Kind::equal;
  const Expression *left = nullptr, *right = nullptr;
  std::vector<Branch> branches;      // of if and when; of for and while: one
  std::vector<Iterator> iterators;  // of for
  std::string comment;
  Place place;
};

struct Section {
  bool algorithm = false, initial = false;
  Equations equations;
};

struct Literal {
  std::string name, comment;
};

struct External {
  std::string language, function;
  const Expression* result = nullptr;
  Expressions arguments;
  Place place;
};

enum class ClassKind { class_, model, record, block, connector, type, package, function, operator_ };
std::string_view to_string(ClassKind kind);

struct Class {
  ClassKind kind = ClassKind::class_;
  std::string name, comment;
  Prefixes prefixes;
  bool encapsulated = false, partial = false, expandable = false, operator_ = false;
  bool class_extends = false;  // model extends X
  bool broken = false;         // something was wrong in its text
  enum class Form { full, alias, enumeration, derivative } form = Form::full;
  // Of an alias: class = base[dimensions](modification).
  Name base;
  Expressions base_dimensions;
  const Modification* modification = nullptr;  // also of class_extends
  std::vector<Literal> literals;
  bool open_enumeration = false;  // enumeration(:)
  std::vector<Element> elements;
  std::vector<Section> sections;
  const External* external = nullptr;
  const Modification* annotation = nullptr;
  Name constraint;
  const Modification* constraint_modification = nullptr;
  Class* parent = nullptr;  // the class it stands in
  Place place, name_place;  // of its first word; of its name
};

struct File {
  bool has_within = false;
  Name within;
  std::vector<Class*> classes;
};

// Owns the nodes of one or more texts.
class Arena {
 public:
  Expression* expression() { return &expressions_.emplace_back(); }
  Equation* equation() { return &equations_.emplace_back(); }
  Class* new_class() { return &classes_.emplace_back(); }
  Component* component() { return &components_.emplace_back(); }
  Modification* modification() { return &modifications_.emplace_back(); }
  Extends* extends() { return &extends_.emplace_back(); }
  External* external() { return &externals_.emplace_back(); }

 private:
  std::deque<Expression> expressions_;
  std::deque<Equation> equations_;
  std::deque<Class> classes_;
  std::deque<Component> components_;
  std::deque<Modification> modifications_;
  std::deque<Extends> extends_;
  std::deque<External> externals_;
};

// The argument of a modification or annotation by name; null: there is none.
const Argument* find(const Modification* modification, std::string_view name);

}  // namespace daedalus::modelica::ast
