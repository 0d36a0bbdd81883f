// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "modelica/parser.hpp"

namespace daedalus::modelica {

using ast::Expression;
using ast::Kind;

namespace {
// Operators in a row become a tree of that depth, which later passes descend.
constexpr int max_chain = 2000;
}  // namespace

Expression* Parser::make(Kind kind, const Place& begin) {
  Expression* e = arena_.expression();
  e->kind = kind;
  e->place = begin;
  return e;
}

const Expression* Parser::binary(std::string_view op, const Expression* a, const Expression* b) {
  // Chains a + b + c + ... grow to the left without recursion here, but not elsewhere.
  if (a->chain >= max_chain)
    fail(last(), fmt::format("more than {} operators in a row", max_chain),
         "name parts of it by variables, or use sum()");
  Expression* e = make(Kind::binary, joined(a->place, b->place));
  e->text = std::string(op);
  e->operands = {a, b};
  e->chain = a->chain + 1;
  return e;
}

const Expression* Parser::expression() {
  const Depth guard(*this);
  return is("if") ? choice() : simple();
}

const Expression* Parser::choice() {
  const Place begin = place(here());
  Expression* e = make(Kind::choice, begin);
  expect("if");
  do {
    e->operands.push_back(expression());
    expect("then", "write 'if condition then a else b'");
    e->operands.push_back(expression());
  } while (take("elseif"));
  expect("else", "an if-expression needs an else: 'if condition then a else b'");
  e->operands.push_back(expression());
  e->place = since(begin);
  return e;
}

const Expression* Parser::simple() {
  const Expression* first = logic();
  if (!is(":") || ahead().text == "]" || ahead().text == ",") return first;
  ++at_;
  Expression* e = make(Kind::range, first->place);
  e->operands = {first, logic()};
  if (take(":")) e->operands.push_back(logic());
  e->place = since(first->place);
  return e;
}

const Expression* Parser::logic() {
  const Expression* e = conjunction();
  while (take("or")) e = binary("or", e, conjunction());
  return e;
}

const Expression* Parser::conjunction() {
  const Expression* e = negation();
  while (take("and")) e = binary("and", e, negation());
  return e;
}

const Expression* Parser::negation() {
  const Place begin = place(here());
  if (!take("not")) return relation();
  Expression* e = make(Kind::invert, begin);
  e->operands = {relation()};
  e->place = since(begin);
  return e;
}

const Expression* Parser::relation() {
  const Expression* e = sum();
  for (const std::string_view op : {"<", "<=", ">", ">=", "==", "<>"})
    if (take(op)) return binary(op, e, sum());
  return e;
}

const Expression* Parser::sum() {
  const Place begin = place(here());
  const Expression* e = nullptr;
  if (is("-") || is(".-") || is("+") || is(".+")) {
    const bool minus = is("-") || is(".-");
    ++at_;
    Expression* sign = make(minus ? Kind::negate : Kind::plus, begin);
    sign->operands = {term()};
    sign->place = since(begin);
    e = sign;
  } else {
    e = term();
  }
  while (is("+") || is("-") || is(".+") || is(".-")) {
    const std::string_view op = tokens_[at_++].text;
    e = binary(op, e, term());
  }
  return e;
}

const Expression* Parser::term() {
  const Expression* e = factor();
  while (is("*") || is("/") || is(".*") || is("./")) {
    const std::string_view op = tokens_[at_++].text;
    e = binary(op, e, factor());
  }
  return e;
}

const Expression* Parser::factor() {
  const Expression* e = primary();
  if (is("^") || is(".^")) {
    const std::string_view op = tokens_[at_++].text;
    e = binary(op, e, primary());
    if (is("^") || is(".^")) fail(here(), "'^' does not chain", "write (a^b)^c or a^(b^c)");
  }
  return e;
}

const Expression* Parser::primary() {
  const Depth guard(*this);
  const Token& t = here();
  const Place begin = place(t);
  switch (t.kind) {
    case TokenKind::integer:
    case TokenKind::real: {
      Expression* e = make(Kind::number, begin);
      e->value = t.value;
      e->integer = t.kind == TokenKind::integer;
      ++at_;
      return e;
    }
    case TokenKind::string: {
      Expression* e = make(Kind::string, begin);
      e->text = unquoted(t.text);
      ++at_;
      return e;
    }
    case TokenKind::name:
      return reference();
    case TokenKind::keyword:
      if (is("true") || is("false")) {
        Expression* e = make(Kind::boolean, begin);
        e->value = is("true");
        ++at_;
        return e;
      }
      if (take("end")) return make(Kind::end, begin);
      if (is("der") || is("initial") || is("pure")) {
        Expression* e = make(Kind::call, begin);
        e->parts.push_back({std::string(t.text), {}, begin});
        ++at_;
        call_arguments(*e);
        e->place = since(begin);
        return e;
      }
      break;
    default:
      if (is("(")) return parenthesis();
      if (is("{") || is("[")) return bracketed();
      if (is(".")) return reference();
  }
  unexpected("an expression");
}

const Expression* Parser::parenthesis() {
  const Place begin = place(here());
  expect("(");
  ast::Expressions list;
  bool commas = false;
  if (!is(")")) {
    for (;;) {
      list.push_back(is(",") || is(")") ? make(Kind::missing, place(here())) : expression());
      if (!take(",")) break;
      commas = true;
    }
  }
  expect(")", "a '(' is not closed");
  Expression* e = make(Kind::tuple, since(begin));
  e->operands = list;
  if (is("[") && list.size() == 1) {
    Expression* s = make(Kind::subscripted, begin);
    s->operands = {list.front()};
    const ast::Expressions subs = subscripts();
    s->operands.insert(s->operands.end(), subs.begin(), subs.end());
    s->place = since(begin);
    return s;
  }
  if (list.size() == 1 && !commas) {
    // The parentheses belong to the text of the expression that they hold.
    return e;
  }
  return e;
}

const Expression* Parser::bracketed() {
  const Place begin = place(here());
  if (take("{")) {
    Expression* e = make(Kind::array, begin);
    if (!is("}")) {
      e->operands.push_back(expression());
      if (take("for")) {
        e->kind = Kind::comprehension;
        e->iterators = iterators();
      }
      while (e->kind == Kind::array && take(",")) e->operands.push_back(expression());
    }
    expect("}", "a '{' is not closed");
    e->place = since(begin);
    return e;
  }
  Expression* e = make(Kind::matrix, begin);
  expect("[");
  do {
    int count = 0;
    do {
      e->operands.push_back(expression());
      ++count;
    } while (take(","));
    e->row_sizes.push_back(count);
  } while (take(";"));
  expect("]", "a '[' is not closed");
  e->place = since(begin);
  return e;
}

ast::Expressions Parser::subscripts() {
  ast::Expressions list;
  expect("[");
  do {
    const Place begin = place(here());
    if (is(":") && (ahead().text == "," || ahead().text == "]")) {
      ++at_;
      list.push_back(make(Kind::colon, begin));
    } else {
      list.push_back(expression());
    }
  } while (take(","));
  expect("]", "the subscripts are not closed");
  return list;
}

const Expression* Parser::reference() {
  const Place begin = place(here());
  Expression* e = make(Kind::reference, begin);
  e->global = take(".");
  do {
    ast::Part part;
    part.place = place(here());
    part.name = identifier("a name");
    if (is("[")) part.subscripts = subscripts();
    e->parts.push_back(std::move(part));
  } while (take("."));
  if (is("(")) {
    e->kind = Kind::call;
    call_arguments(*e);
  }
  e->place = since(begin);
  return e;
}

std::vector<ast::Iterator> Parser::iterators() {
  std::vector<ast::Iterator> list;
  do {
    ast::Iterator i;
    i.place = place(here());
    i.name = identifier("a loop variable");
    if (take("in")) i.range = expression();
    list.push_back(std::move(i));
  } while (take(","));
  return list;
}

void Parser::call_arguments(Expression& call) {
  const Place open = place(here());
  expect("(", fmt::format("write '{}(...)'", call.plain_name()));
  while (!is(")")) {
    std::string argument;
    if (here().kind == TokenKind::name && ahead().text == "=" && ahead().kind == TokenKind::sign) {
      argument = std::string(here().text);
      at_ += 2;
    }
    if (take("function")) {
      Expression* f = make(Kind::function, place(here()));
      const ast::Name n = name();
      for (const std::string& part : n.parts) f->parts.push_back({part, {}, n.place});
      f->global = n.global;
      call_arguments(*f);
      call.operands.push_back(f);
    } else {
      call.operands.push_back(expression());
      if (call.operands.size() == 1 && take("for")) call.iterators = iterators();
    }
    call.names.push_back(std::move(argument));
    if (!take(",")) break;
  }
  if (!take(")"))
    unexpected("')'", fmt::format("the '(' of '{}' in line {} is not closed", call.plain_name(),
                                  mistakes_.files().line(open)));
}

}  // namespace daedalus::modelica
