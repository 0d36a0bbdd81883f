// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/parser.hpp"

#include <fmt/format.h>

namespace daedalus::modelica {
namespace {

// Deeper nesting would exhaust the stack of a thread.
constexpr int max_text_depth = 200;

}  // namespace

ast::File parse_file(const Files& files, int file, ast::Arena& arena, Mistakes& mistakes) {
  return Parser(tokenise(files.source(file).content(), file, mistakes), file, arena, mistakes)
      .file();
}

Parser::Depth::Depth(Parser& p) : parser(p) {
  if (++parser.depth_ > max_text_depth) {
    --parser.depth_;
    parser.fail(parser.here(), fmt::format("the text is nested more than {} deep", max_text_depth),
                "name parts of it by variables or classes of their own");
  }
}

bool Parser::take(std::string_view word) {
  if (!is(word)) return false;
  ++at_;
  return true;
}

void Parser::expect(std::string_view word, std::string hint) {
  if (!take(word)) unexpected(fmt::format("'{}'", word), std::move(hint));
}

Place Parser::place(const Token& t) const {
  return {file_, t.begin, static_cast<std::uint32_t>(t.text.size())};
}

std::string Parser::shown(const Token& t) const {
  if (t.kind == TokenKind::end) return "the end of the file";
  const std::string_view line = t.text.substr(0, t.text.find('\n'));
  return fmt::format("'{}{}'", line.substr(0, 40), t.text.size() > 40 ? "..." : "");
}

void Parser::fail(const Token& t, std::string message, std::string hint) const {
  throw Mistake{Phase::parse, place(t), std::move(message), std::move(hint)};
}

void Parser::unexpected(std::string_view wanted, std::string hint) const {
  if (wanted.find("name") != std::string_view::npos && here().kind == TokenKind::keyword)
    fail(here(), fmt::format("{} is a keyword; expected {}", shown(here()), wanted),
         fmt::format("write '{}_' or another name", here().text));
  fail(here(), fmt::format("expected {} before {}", wanted, shown(here())), std::move(hint));
}

std::string Parser::identifier(std::string_view what) {
  if (here().kind != TokenKind::name) unexpected(what);
  return std::string(tokens_[at_++].text);
}

// Behind the next ';' or before the next section of the same nesting.
void Parser::recover() {
  broken_ = true;
  int nested = 0;
  for (; here().kind != TokenKind::end; ++at_) {
    if (is("(") || is("{") || is("[")) ++nested;
    if (is(")") || is("}") || is("]")) nested = std::max(0, nested - 1);
    if (nested == 0 && is(";")) {
      ++at_;
      return;
    }
    if (is("equation") || is("algorithm") || is("public") || is("protected") ||
        (is("end") && ahead().kind == TokenKind::name) ||
        (is("initial") && (ahead().text == "equation" || ahead().text == "algorithm")))
      return;
  }
}

ast::File Parser::file() {
  ast::File f;
  try {
    if (take("within")) {
      f.has_within = true;
      if (here().kind == TokenKind::name) f.within = name();
      expect(";");
    }
  } catch (const Mistake& m) {
    mistakes_.error(m);
    recover();
  }
  while (here().kind != TokenKind::end && !mistakes_.full()) {
    const std::size_t before = at_;
    try {
      broken_ = false;
      ast::Prefixes prefixes;
      prefixes.final_ = take("final");
      if (!at_class())
        unexpected("a class",
                   "a file holds classes: model, package, function, ... end with 'end NAME;'");
      ast::Class* c = class_(prefixes, nullptr);
      f.classes.push_back(c);
      expect(";", fmt::format("'end {}' needs a ';' behind it", c->name));
    } catch (const Mistake& m) {
      mistakes_.error(m);
      recover();
      if (at_ == before) ++at_;
      // Without its class the rest makes no sense.
      while (here().kind != TokenKind::end && !at_class()) ++at_;
    }
  }
  return f;
}

ast::Name Parser::name() {
  ast::Name n;
  const Place begin = place(here());
  n.global = take(".");
  n.parts.push_back(identifier("a name"));
  while (is(".") && ahead().kind == TokenKind::name) {
    ++at_;
    n.parts.push_back(identifier("a name"));
  }
  n.place = since(begin);
  return n;
}

std::string Parser::string_comment() {
  std::string all;
  if (here().kind != TokenKind::string) return all;
  all = unquoted(tokens_[at_++].text);
  while (is("+") && ahead().kind == TokenKind::string) {
    ++at_;
    all += unquoted(tokens_[at_++].text);
  }
  return all;
}

std::string Parser::comment(const ast::Modification** annotation) {
  std::string text = string_comment();
  if (take("annotation")) {
    const ast::Modification* m = arguments();
    if (annotation) *annotation = m;
  }
  return text;
}

}  // namespace daedalus::modelica
