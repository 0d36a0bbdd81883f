// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include <fmt/format.h>

#include "modelica/parser.hpp"

namespace daedalus::modelica {

using ast::Class;
using ast::ClassKind;
using ast::Component;
using ast::Prefixes;

bool Parser::at_class() const {
  for (const std::string_view word :
       {"encapsulated", "partial", "class", "model", "record", "block", "connector", "type",
        "package", "function", "operator", "expandable", "pure", "impure"})
    if (is(word)) return true;
  return false;
}

void Parser::class_head(Class& c) {
  c.encapsulated = take("encapsulated");
  c.partial = take("partial");
  c.expandable = take("expandable");
  if (!take("pure")) take("impure");
  c.operator_ = is("operator") && (ahead().text == "record" || ahead().text == "function");
  if (c.operator_) ++at_;
  static constexpr std::array<std::string_view, 9> words{
      "class", "model", "record", "block", "connector", "type", "package", "function", "operator"};
  for (std::size_t k = 0; k < words.size(); ++k)
    if (take(words[k])) {
      c.kind = static_cast<ClassKind>(k);
      return;
    }
  unexpected("a class");
}

Class* Parser::class_(const Prefixes& prefixes, Class* parent) {
  const Depth guard(*this);
  Class* c = arena_.new_class();
  const bool outer_broken = broken_;
  broken_ = false;
  c->prefixes = prefixes;
  c->parent = parent;
  c->place = place(here());
  class_head(*c);
  if (take("extends")) {
    c->class_extends = true;
    c->name_place = place(here());
    c->name = identifier("the name of the class");
    c->base.parts = {c->name};
    c->base.place = c->name_place;
    if (is("(")) c->modification = arguments();
    body(*c);
  } else {
    c->name_place = place(here());
    c->name = identifier("the name of the class");
    class_rest(*c);
  }
  c->broken = broken_;
  broken_ = broken_ || outer_broken;
  return c;
}

void Parser::class_rest(Class& c) {
  if (!take("=")) return body(c);
  if (take("der")) {
    c.form = Class::Form::derivative;
    expect("(");
    c.base = name();
    while (take(",")) identifier("a name");
    expect(")");
    c.comment = comment(&c.annotation);
  } else if (take("enumeration")) {
    enumeration(c);
  } else {
    short_class(c);
  }
}

void Parser::short_class(Class& c) {
  c.form = Class::Form::alias;
  c.prefixes.input = take("input");
  c.prefixes.output = take("output");
  c.base = name();
  if (is("[")) c.base_dimensions = subscripts();
  if (is("(")) c.modification = arguments();
  c.comment = comment(&c.annotation);
}

void Parser::enumeration(Class& c) {
  c.form = Class::Form::enumeration;
  expect("(");
  if (take(":")) {
    c.open_enumeration = true;
  } else {
    while (!is(")")) {
      ast::Literal l;
      l.name = identifier("a name");
      l.comment = comment(nullptr);
      c.literals.push_back(std::move(l));
      if (!take(",")) break;
    }
  }
  expect(")");
  c.comment = comment(&c.annotation);
}

void Parser::body(Class& c) {
  c.comment = string_comment();
  bool is_protected = false;
  while (!is("end") && here().kind != TokenKind::end && !mistakes_.full()) {
    const std::size_t before = at_;
    try {
      if (take("public")) {
        is_protected = false;
      } else if (take("protected")) {
        is_protected = true;
      } else if (is("equation") || is("algorithm")) {
        section(c, false);
      } else if (is("initial") && (ahead().text == "equation" || ahead().text == "algorithm")) {
        ++at_;
        section(c, true);
      } else if (is("external")) {
        external(c);
      } else if (take("annotation")) {
        c.annotation = arguments();
        expect(";");
      } else {
        element(c, is_protected);
      }
    } catch (const Mistake& m) {
      mistakes_.error(m);
      recover();
      if (at_ == before) ++at_;
    }
  }
  close(c);
}

void Parser::close(Class& c) {
  if (mistakes_.full()) return;
  const std::string open = fmt::format("'{} {}' of line {}", ast::to_string(c.kind), c.name,
                                       mistakes_.files().line(c.place));
  expect("end", fmt::format("{} is not closed by 'end {};'", open, c.name));
  const Token& t = here();
  if (t.kind == TokenKind::name && t.text == c.name) {
    ++at_;
    return;
  }
  const std::string found = t.kind == TokenKind::end ? "end" : fmt::format("end {}", t.text);
  mistakes_.error({Phase::parse, place(t), fmt::format("'{}' does not close {}", found, open),
                   fmt::format("did you mean 'end {}'?", c.name)});
  broken_ = true;
  if (t.kind == TokenKind::name || t.kind == TokenKind::keyword) ++at_;
}

void Parser::section(Class& c, bool initial) {
  ast::Section s;
  s.initial = initial;
  s.algorithm = is("algorithm");
  ++at_;
  equations(s.equations, s.algorithm);
  c.sections.push_back(std::move(s));
  if (is("else") || is("elseif") || is("elsewhen"))
    fail(here(), fmt::format("{} without its 'if' or 'when'", shown(here())));
}

void Parser::external(Class& c) {
  ast::External* x = arena_.external();
  x->place = place(here());
  expect("external");
  if (c.kind != ClassKind::function)
    throw Mistake{Phase::parse, x->place,
                  fmt::format("section 'external' in a {}", ast::to_string(c.kind)),
                  "only functions can be external"};
  if (here().kind == TokenKind::string) x->language = unquoted(tokens_[at_++].text);
  if (here().kind == TokenKind::name) {
    const ast::Expression* e = reference();
    if (take("=")) {
      x->result = e;
      e = reference();
    }
    x->function = e->plain_name();
    x->arguments = e->operands;
  }
  comment(nullptr);
  expect(";");
  c.external = x;
}

Prefixes Parser::element_prefixes() {
  Prefixes p;
  for (;;) {
    if (take("redeclare"))
      p.redeclare = true;
    else if (take("final"))
      p.final_ = true;
    else if (take("inner"))
      p.inner = true;
    else if (take("outer"))
      p.outer = true;
    else if (take("replaceable"))
      p.replaceable = true;
    else
      return p;
  }
}

void Parser::element(Class& c, bool is_protected) {
  if (is("import")) return import(c);
  if (is("extends")) return extends(c, is_protected);
  Prefixes prefixes = element_prefixes();
  prefixes.protected_ = is_protected;
  if (at_class()) {
    Class* inner = class_(prefixes, &c);
    if (is("constrainedby")) constrained_by(inner->constraint, inner->constraint_modification);
    const ast::Modification* annotation = nullptr;
    const std::string text = comment(&annotation);
    if (inner->comment.empty()) inner->comment = text;
    expect(";", fmt::format("'{}' in line {} is not finished", inner->name,
                            mistakes_.files().line(inner->place)));
    c.elements.push_back({ast::Element::Kind::class_, nullptr, inner, nullptr});
    return;
  }
  std::vector<const Component*> list;
  components(prefixes, list, true);
  const Component& last = *list.back();
  expect(";", fmt::format("the declaration of '{}' in line {} is not finished", last.name,
                          mistakes_.files().line(last.place)));
  for (const Component* one : list)
    c.elements.push_back({ast::Element::Kind::component, one, nullptr, nullptr});
}

void Parser::import(Class& c) {
  expect("import");
  ast::Element e{ast::Element::Kind::import, nullptr, nullptr, nullptr};
  if (here().kind == TokenKind::name && ahead().text == "=") {
    e.import.alias = identifier("a name");
    ++at_;
    e.import.name = name();
    c.elements.push_back(e);
  } else {
    e.import.name = name();
    const bool all = take(".*");
    if (all || (is(".") && (ahead().text == "*" || ahead().text == "{"))) {
      if (!all) ++at_;
      if (all || take("*")) {
        c.elements.push_back(e);
      } else {
        expect("{");
        do {
          ast::Element one = e;
          one.import.alias = identifier("a name");
          one.import.name.parts.push_back(one.import.alias);
          c.elements.push_back(one);
        } while (take(","));
        expect("}");
      }
    } else {
      e.import.alias = e.import.name.parts.back();
      c.elements.push_back(e);
    }
  }
  comment(nullptr);
  expect(";", "the import is not finished");
}

void Parser::extends(Class& c, bool is_protected) {
  ast::Extends* x = arena_.extends();
  x->place = place(here());
  x->protected_ = is_protected;
  expect("extends");
  x->base = name();
  if (is("(")) x->modification = arguments();
  comment(nullptr);
  c.elements.push_back({ast::Element::Kind::extends, nullptr, nullptr, x});
  expect(";", fmt::format("'extends {}' is not finished", x->base.text()));
}

void Parser::constrained_by(ast::Name& constraint, const ast::Modification*& modification) {
  expect("constrainedby");
  constraint = name();
  if (is("(")) modification = arguments();
}

void Parser::components(Prefixes p, std::vector<const Component*>& list, bool several) {
  using Variability = Prefixes::Variability;
  p.flow = take("flow");
  p.stream = !p.flow && take("stream");
  if (take("discrete"))
    p.variability = Variability::discrete;
  else if (take("parameter"))
    p.variability = Variability::parameter;
  else if (take("constant"))
    p.variability = Variability::constant;
  p.input = take("input");
  p.output = !p.input && take("output");
  const ast::Name type = name();
  ast::Expressions dimensions;
  if (is("[")) dimensions = subscripts();
  do {
    Component* c = arena_.component();
    c->prefixes = p;
    c->type = type;
    c->type_place = type.place;
    c->type_dimensions = dimensions;
    c->place = place(here());
    c->name = identifier("a name");
    if (is("[")) c->dimensions = subscripts();
    c->modification = modification();
    if (take("if")) c->condition = expression();
    if (is("constrainedby")) constrained_by(c->constraint, c->constraint_modification);
    c->comment = comment(&c->annotation);
    list.push_back(c);
  } while (several && take(","));
  if (is("constrainedby")) {
    auto* c = const_cast<Component*>(list.back());
    constrained_by(c->constraint, c->constraint_modification);
    c->comment = comment(&c->annotation);
  }
}

const ast::Modification* Parser::modification() {
  if (!is("(") && !is("=") && !is(":=")) return nullptr;
  const Place begin = place(here());
  auto* m = is("(") ? const_cast<ast::Modification*>(arguments()) : arena_.modification();
  if (take("=") || take(":=")) m->value = expression();
  m->place = since(begin);
  return m;
}

const ast::Modification* Parser::arguments() {
  const Depth guard(*this);
  ast::Modification* m = arena_.modification();
  const Place begin = place(here());
  expect("(");
  while (!is(")")) {
    m->arguments.push_back(argument());
    if (!take(",")) break;
  }
  expect(")", "the list of modifiers is not closed");
  m->place = since(begin);
  return m;
}

ast::Argument Parser::argument() {
  ast::Argument a;
  a.place = place(here());
  Prefixes p;
  p.redeclare = take("redeclare");
  a.each = take("each");
  a.final_ = take("final");
  p.replaceable = take("replaceable");
  if (!p.redeclare && !p.replaceable) {
    a.place = place(here());
    a.name = name();
    a.modification = modification();
    string_comment();
    return a;
  }
  p.each = a.each;
  p.final_ = a.final_;
  if (at_class()) {
    Class* c = class_(p, nullptr);
    if (is("constrainedby")) constrained_by(c->constraint, c->constraint_modification);
    comment(nullptr);
    a.class_ = c;
    a.name.parts = {c->name};
    a.name.place = c->name_place;
  } else {
    std::vector<const Component*> list;
    components(p, list, false);
    a.component = list.front();
    a.name.parts = {a.component->name};
    a.name.place = a.component->place;
  }
  return a;
}

}  // namespace daedalus::modelica
