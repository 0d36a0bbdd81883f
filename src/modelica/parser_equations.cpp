// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "modelica/parser.hpp"

namespace daedalus::modelica {

using ast::Equation;

ast::Equation* Parser::new_equation(Equation::Kind kind) {
  Equation* e = arena_.equation();
  e->kind = kind;
  e->place = place(here());
  return e;
}

bool Parser::ends_equations() const {
  for (const std::string_view word : {"end", "else", "elseif", "elsewhen", "equation", "algorithm",
                                      "public", "protected", "external", "annotation"})
    if (is(word)) return true;
  return here().kind == TokenKind::end ||
         (is("initial") && (ahead().text == "equation" || ahead().text == "algorithm"));
}

void Parser::equations(ast::Equations& list, bool algorithm) {
  while (!ends_equations() && !mistakes_.full()) {
    const Place begin = place(here());
    const std::size_t before = at_;
    try {
      const Equation* e = equation(algorithm);
      const_cast<Equation*>(e)->comment = comment(nullptr);
      expect(";", fmt::format("the {} in line {} is not finished",
                              algorithm ? "statement" : "equation", mistakes_.files().line(begin)));
      list.push_back(e);
    } catch (const Mistake& m) {
      mistakes_.error(m);
      recover();
      if (at_ == before) ++at_;
    }
  }
}

const Equation* Parser::equation(bool algorithm) {
  const Depth guard(*this);
  if (is("if")) return if_equation(algorithm);
  if (is("for")) return for_equation(algorithm);
  if (is("when")) return when_equation(algorithm);
  if (is("while")) return while_statement();
  if (is("break") || is("return")) {
    Equation* e = new_equation(is("break") ? Equation::Kind::break_ : Equation::Kind::return_);
    ++at_;
    return e;
  }
  return simple_equation(algorithm);
}

void Parser::close_block(std::string_view word, const Place& begin) {
  const std::string hint = fmt::format("the '{}' of line {} is not closed by 'end {}'", word,
                                       mistakes_.files().line(begin), word);
  expect("end", hint);
  expect(word, hint);
}

const Equation* Parser::if_equation(bool algorithm) {
  Equation* e = new_equation(Equation::Kind::if_);
  const Place begin = e->place;
  expect("if");
  do {
    ast::Branch b;
    b.condition = expression();
    expect("then", "write 'if condition then ... end if;'");
    equations(b.body, algorithm);
    e->branches.push_back(std::move(b));
  } while (take("elseif"));
  if (take("else")) {
    ast::Branch b;
    equations(b.body, algorithm);
    e->branches.push_back(std::move(b));
  }
  close_block("if", begin);
  e->place = since(begin);
  return e;
}

const Equation* Parser::for_equation(bool algorithm) {
  Equation* e = new_equation(Equation::Kind::for_);
  const Place begin = e->place;
  expect("for");
  e->iterators = iterators();
  expect("loop", "write 'for i in 1:n loop ... end for;'");
  ast::Branch b;
  equations(b.body, algorithm);
  e->branches.push_back(std::move(b));
  close_block("for", begin);
  e->place = since(begin);
  return e;
}

const Equation* Parser::when_equation(bool algorithm) {
  Equation* e = new_equation(Equation::Kind::when);
  const Place begin = e->place;
  expect("when");
  do {
    ast::Branch b;
    b.condition = expression();
    expect("then", "write 'when condition then ... end when;'");
    equations(b.body, algorithm);
    e->branches.push_back(std::move(b));
  } while (take("elsewhen"));
  close_block("when", begin);
  e->place = since(begin);
  return e;
}

const Equation* Parser::while_statement() {
  Equation* e = new_equation(Equation::Kind::while_);
  const Place begin = e->place;
  expect("while");
  ast::Branch b;
  b.condition = expression();
  expect("loop", "write 'while condition loop ... end while;'");
  equations(b.body, true);
  e->branches.push_back(std::move(b));
  close_block("while", begin);
  e->place = since(begin);
  return e;
}

const Equation* Parser::simple_equation(bool algorithm) {
  Equation* e = new_equation(Equation::Kind::equal);
  const Place begin = e->place;
  if (take("connect")) {
    e->kind = Equation::Kind::connect;
    expect("(");
    e->left = reference();
    expect(",");
    e->right = reference();
    expect(")");
    e->place = since(begin);
    return e;
  }
  e->left = algorithm ? primary() : expression();
  if (take(algorithm ? ":=" : "=")) {
    e->kind = algorithm ? Equation::Kind::assign : Equation::Kind::equal;
    e->right = expression();
  } else if (is(algorithm ? "=" : ":=")) {
    fail(here(), algorithm ? "'=' in an algorithm" : "':=' in an equation section",
         algorithm ? "statements assign by ':='" : "equations are written with '='");
  } else if (e->left->kind == ast::Kind::call) {
    e->kind = Equation::Kind::call;
  } else {
    unexpected(algorithm ? "':='" : "'='");
  }
  e->place = since(begin);
  return e;
}

}  // namespace daedalus::modelica
