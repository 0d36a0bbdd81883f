// SPDX-License-Identifier: BSD-3-Clause
// Recursive descent over the tokens of one text, with one token of look-ahead. What is wrong is
// reported where the text stops making sense, with what is unfinished as a hint, and the parser
// goes on behind the next ';'.
#pragma once

#include <string>
#include <string_view>

#include "modelica/ast.hpp"
#include "modelica/lexer.hpp"

namespace daedalus::modelica {

// Parses a whole file. Mistakes are reported; classes that have some are marked as broken.
ast::File parse_file(const Files& files, int file, ast::Arena& arena, Mistakes& mistakes);

class Parser {
 public:
  Parser(std::vector<Token> tokens, int file, ast::Arena& arena, Mistakes& mistakes)
      : tokens_(std::move(tokens)), file_(file), arena_(arena), mistakes_(mistakes) {}

  ast::File file();

 private:
  // ---- tokens ----
  const Token& here() const { return tokens_[at_]; }
  const Token& ahead(std::size_t k = 1) const {
    return tokens_[std::min(at_ + k, tokens_.size() - 1)];
  }
  const Token& last() const { return tokens_[at_ > 0 ? at_ - 1 : 0]; }
  bool is(std::string_view word) const {
    return (here().kind == TokenKind::keyword || here().kind == TokenKind::sign) &&
           here().text == word;
  }
  bool take(std::string_view word);
  void expect(std::string_view word, std::string hint = {});
  Place place(const Token& token) const;
  Place since(const Place& begin) const { return joined(begin, place(last())); }
  std::string shown(const Token& token) const;
  [[noreturn]] void fail(const Token& token, std::string message, std::string hint = {}) const;
  [[noreturn]] void unexpected(std::string_view wanted, std::string hint = {}) const;
  void recover();
  std::string identifier(std::string_view what);
  // Text nested more deeply is refused instead of recursed into.
  struct Depth {
    explicit Depth(Parser& parser);
    ~Depth() { --parser.depth_; }
    Parser& parser;
  };

  // ---- classes (parser_classes.cpp) ----
  bool at_class() const;
  ast::Class* class_(const ast::Prefixes& prefixes, ast::Class* parent);
  void class_head(ast::Class& c);
  void class_rest(ast::Class& c);
  void short_class(ast::Class& c);
  void enumeration(ast::Class& c);
  void body(ast::Class& c);
  void close(ast::Class& c);
  void section(ast::Class& c, bool initial);
  void external(ast::Class& c);
  void element(ast::Class& c, bool is_protected);
  void import(ast::Class& c);
  void extends(ast::Class& c, bool is_protected);
  ast::Prefixes element_prefixes();
  void components(ast::Prefixes prefixes, std::vector<const ast::Component*>& list, bool several);
  void constrained_by(ast::Name& constraint, const ast::Modification*& modification);
  const ast::Modification* modification();
  const ast::Modification* arguments();
  ast::Argument argument();
  std::string comment(const ast::Modification** annotation);
  std::string string_comment();

  // ---- equations and statements (parser_equations.cpp) ----
  void equations(ast::Equations& list, bool algorithm);
  bool ends_equations() const;
  const ast::Equation* equation(bool algorithm);
  const ast::Equation* if_equation(bool algorithm);
  const ast::Equation* for_equation(bool algorithm);
  const ast::Equation* when_equation(bool algorithm);
  const ast::Equation* while_statement();
  const ast::Equation* simple_equation(bool algorithm);
  ast::Equation* new_equation(ast::Equation::Kind kind);
  void close_block(std::string_view word, const Place& begin);

  // ---- expressions (parser_expressions.cpp) ----
  const ast::Expression* expression();
  const ast::Expression* choice();
  const ast::Expression* simple();
  const ast::Expression* logic();
  const ast::Expression* conjunction();
  const ast::Expression* negation();
  const ast::Expression* relation();
  const ast::Expression* sum();
  const ast::Expression* term();
  const ast::Expression* factor();
  const ast::Expression* primary();
  const ast::Expression* bracketed();
  const ast::Expression* parenthesis();
  const ast::Expression* reference();
  void call_arguments(ast::Expression& call);
  ast::Expressions subscripts();
  std::vector<ast::Iterator> iterators();
  ast::Name name();
  ast::Expression* make(ast::Kind kind, const Place& begin);
  const ast::Expression* binary(std::string_view op, const ast::Expression* a,
                                const ast::Expression* b);

  std::vector<Token> tokens_;
  int file_;
  ast::Arena& arena_;
  Mistakes& mistakes_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool broken_ = false;  // since the class at hand began
  std::string unfinished_;  // what a missing ';' leaves open
};

}  // namespace daedalus::modelica
