// SPDX-License-Identifier: BSD-3-Clause
// Recursive descent by binding strength. Chains (sums, else if) are loops; only nesting recurses.
#include <array>
#include <utility>

#include "model/text/syntax.hpp"

namespace daedalus::model {
namespace {

// Each nesting takes three frames of a few hundred bytes: far below the smallest stacks in use.
constexpr int max_nesting = 400;

// How tightly signs bind; `not` stands between and and relations, a sign of a term with sums.
enum : int {
  no_binding,
  bind_or,
  bind_and,
  bind_not,
  bind_relation,
  bind_sum,
  bind_term,
  bind_power
};

int binding_strength(TokenKind kind) {
  switch (kind) {
    case TokenKind::logical_or:
      return bind_or;
    case TokenKind::logical_and:
      return bind_and;
    case TokenKind::less:
    case TokenKind::less_equal:
    case TokenKind::greater:
    case TokenKind::greater_equal:
    case TokenKind::equal:
    case TokenKind::not_equal:
      return bind_relation;
    case TokenKind::plus:
    case TokenKind::minus:
      return bind_sum;
    case TokenKind::times:
    case TokenKind::divide:
      return bind_term;
    case TokenKind::power:
      return bind_power;
    default:
      return no_binding;
  }
}

// Unwinds to the formula; the error has been reported.
struct Stop {};

class Parser {
 public:
  Parser(const Fragment& fragment, Diagnostics& diagnostics)
      : fragment_(fragment), diagnostics_(diagnostics) {}

  std::optional<Formula> run(Want want) {
    if (!tokenise(fragment_, diagnostics_, tokens_)) return std::nullopt;
    try {
      if (now().kind == TokenKind::end)
        fail(now(), "a formula is expected here, the text is empty");
      int root = expression();
      if (want == Want::equation || (want == Want::either && now().kind == TokenKind::equation))
        root = equation(root);
      else if (now().kind == TokenKind::equation)
        fail(now(), "'=' makes an equation, but an expression is expected here",
             "'==' compares two values");
      if (now().kind != TokenKind::end) unexpected();
      return std::move(formula_);
    } catch (const Stop&) {
      return std::nullopt;
    }
  }

 private:
  struct Depth {
    Parser& parser;
    explicit Depth(Parser& p) : parser(p) {
      if (++p.depth_ > max_nesting)
        p.fail(p.now(), "the formula is nested too deeply",
               "name parts of it and write equations for them");
    }
    ~Depth() { --parser.depth_; }
  };

  const Token& now() const { return tokens_[at_]; }
  bool accept(TokenKind kind) {
    if (now().kind != kind) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(const Token& token, std::string message, std::string hint = {}) {
    diagnostics_.error(fragment_.in_source(token.span), std::move(message), std::move(hint));
    throw Stop{};
  }

  std::string written(const Token& token) const {
    if (token.kind == TokenKind::end) return "the end of the formula";
    return "'" + fragment_.text().substr(token.span.begin, token.span.length) + "'";
  }

  void expect(TokenKind kind, const std::string& what) {
    if (!accept(kind)) fail(now(), "expected " + what + " before " + written(now()));
  }

  // Behind a complete expression.
  [[noreturn]] void unexpected() {
    const Token& token = now();
    switch (token.kind) {
      case TokenKind::close_parenthesis:
        fail(token, "there is no '(' for this ')'");
      case TokenKind::equation:
        fail(token, "a second '=' in one equation", "'==' compares two values");
      case TokenKind::name:
      case TokenKind::number:
      case TokenKind::open_parenthesis:
        fail(token, "expected an operator before " + written(token),
             "products need '*': write a*b, not a b");
      case TokenKind::semicolon:
        fail(token, "';' does not belong to a formula", "write one equation per text");
      default:
        fail(token, "expected an operator before " + written(token));
    }
  }

  int add(Syntax node) {
    formula_.nodes.push_back(node);
    return static_cast<int>(formula_.nodes.size()) - 1;
  }
  Span from(std::size_t begin) const {
    const Span last = tokens_[at_ > 0 ? at_ - 1 : 0].span;
    return {begin, last.begin + last.length - begin};
  }
  std::size_t begin_of(int node) const { return formula_.at(node).span.begin; }

  int equation(int left) {
    if (now().kind == TokenKind::end && formula_.at(left).kind == SyntaxKind::binary &&
        formula_.at(left).op == TokenKind::equal) {
      formula_.nodes.back().kind = SyntaxKind::equation;
      return left;
    }
    if (!accept(TokenKind::equation)) {
      if (now().kind != TokenKind::end) unexpected();
      fail(tokens_[at_], "an equation needs '='",
           "write 'left = right'; 'left = 0' if nothing else");
    }
    const int right = expression();
    return add({.kind = SyntaxKind::equation, .span = from(begin_of(left)), .a = left, .b = right});
  }

  int expression() {
    const Depth depth(*this);
    if (now().kind == TokenKind::word_if) return if_chain();
    const int first = binary(bind_or);
    return now().kind == TokenKind::question ? question_chain(first) : first;
  }

  struct Branch {
    int condition, value;
    std::size_t begin;
  };

  int joined(const std::vector<Branch>& branches, int last) {
    for (std::size_t k = branches.size(); k-- > 0;)
      last = add({.kind = SyntaxKind::choice,
                  .span = from(branches[k].begin),
                  .a = branches[k].condition,
                  .b = branches[k].value,
                  .c = last});
    return last;
  }

  int if_chain() {
    std::vector<Branch> branches;
    do {
      const std::size_t begin = now().span.begin;
      ++at_;  // if or elseif
      const int condition = expression();
      expect(TokenKind::word_then, "'then'");
      branches.push_back({condition, expression(), begin});
      if (now().kind == TokenKind::word_elseif) continue;
      expect(TokenKind::word_else, "'else'");
    } while (now().kind == TokenKind::word_if || now().kind == TokenKind::word_elseif);
    return joined(branches, expression());
  }

  int question_chain(int condition) {
    std::vector<Branch> branches;
    int last = condition;
    while (accept(TokenKind::question)) {
      const int value = expression();
      expect(TokenKind::colon, "':'");
      branches.push_back({last, value, begin_of(last)});
      last = now().kind == TokenKind::word_if ? if_chain() : binary(bind_or);
    }
    return joined(branches, last);
  }

  int prefix(int weakest) {
    const Token& token = now();
    if (token.kind == TokenKind::logical_not && weakest <= bind_not) {
      const Depth depth(*this);
      ++at_;
      const int operand = binary(bind_not);
      return add({.kind = SyntaxKind::invert, .span = from(token.span.begin), .a = operand});
    }
    if (token.kind == TokenKind::plus || token.kind == TokenKind::minus) {
      const Depth depth(*this);
      const bool minus = token.kind == TokenKind::minus;
      ++at_;
      const int operand = binary(std::max<int>(bind_term, weakest));
      if (!minus) return operand;
      return add({.kind = SyntaxKind::negate, .span = from(token.span.begin), .a = operand});
    }
    return primary();
  }

  int binary(int weakest) {
    int left = prefix(weakest);
    for (;;) {
      const Token op = now();
      const int strength = binding_strength(op.kind);
      if (strength == no_binding || strength < weakest) return left;
      ++at_;
      const int right = strength == bind_power ? exponent() : binary(strength + 1);
      left = add({.kind = SyntaxKind::binary,
                  .op = op.kind,
                  .span = from(begin_of(left)),
                  .a = left,
                  .b = right});
      check_chain(strength);
    }
  }

  int exponent() {
    const Token& token = now();
    if (token.kind == TokenKind::minus || token.kind == TokenKind::plus)
      return prefix(bind_power + 1);
    return primary();
  }

  void check_chain(int strength) {
    if (binding_strength(now().kind) != strength) return;
    if (strength == bind_power) fail(now(), "powers do not chain", "write a^(b^c) or (a^b)^c");
    if (strength == bind_relation) fail(now(), "comparisons do not chain", "write a < b and b < c");
  }

  int primary() {
    const Token token = now();
    switch (token.kind) {
      case TokenKind::number:
        ++at_;
        return add({.kind = SyntaxKind::number, .span = token.span, .value = token.value});
      case TokenKind::word_true:
      case TokenKind::word_false:
        ++at_;
        return add({.kind = SyntaxKind::number,
                    .span = token.span,
                    .value = token.kind == TokenKind::word_true ? 1.0 : 0.0});
      case TokenKind::string:
        ++at_;
        formula_.strings.push_back(unquoted(fragment_.text(), token));
        return add({.kind = SyntaxKind::string,
                    .span = token.span,
                    .first = static_cast<int>(formula_.strings.size()) - 1});
      case TokenKind::name:
        return name();
      case TokenKind::word_if:
        fail(token, "'if' inside a formula needs parentheses", "write (if c then a else b)");
      case TokenKind::open_parenthesis: {
        ++at_;
        const int inner = expression();
        close(token, TokenKind::close_parenthesis, "')'");
        return inner;
      }
      default:
        fail(token, "expected a value before " + written(token));
    }
  }

  void close(const Token& opened, TokenKind kind, const std::string& what) {
    if (accept(kind)) return;
    const Source::Place place = diagnostics_.source().place(fragment_.in_source(opened.span).begin);
    std::string hint =
        what + " closes the " + written(opened) + " in column " + std::to_string(place.column);
    if (now().kind == TokenKind::name || now().kind == TokenKind::number)
      hint += ", or '*' is missing";
    fail(now(), "expected " + what + " before " + written(now()), std::move(hint));
  }

  std::pair<int, int> list_until(const Token& opened, TokenKind closing, const std::string& what) {
    std::vector<int> entries;
    if (now().kind != closing) do
        entries.push_back(expression());
      while (accept(TokenKind::comma));
    close(opened, closing, what);
    const int first = static_cast<int>(formula_.lists.size());
    formula_.lists.insert(formula_.lists.end(), entries.begin(), entries.end());
    return {first, static_cast<int>(entries.size())};
  }

  int name() {
    const std::size_t begin = now().span.begin;
    std::vector<NamePart> parts;
    do {
      const Token word = now();
      if (word.kind != TokenKind::name) fail(word, "expected a name before " + written(word));
      ++at_;
      NamePart part{unquoted(fragment_.text(), word), word.span};
      if (const Token open = now(); accept(TokenKind::open_bracket))
        std::tie(part.list, part.count) = list_until(open, TokenKind::close_bracket, "']'");
      parts.push_back(std::move(part));
    } while (accept(TokenKind::point));
    Syntax node{.kind = SyntaxKind::name};
    if (const Token open = now(); accept(TokenKind::open_parenthesis)) {
      node.kind = SyntaxKind::call;
      std::tie(node.list, node.operands) = list_until(open, TokenKind::close_parenthesis, "')'");
    }
    node.span = from(begin);
    node.first = static_cast<int>(formula_.parts.size());
    node.count = static_cast<int>(parts.size());
    for (NamePart& part : parts) formula_.parts.push_back(std::move(part));
    return add(node);
  }

  const Fragment& fragment_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Formula formula_;
};

}  // namespace

std::string Formula::plain_name(const Syntax& name) const {
  std::string text;
  for (int k = 0; k < name.count; ++k)
    text += (k > 0 ? "." : "") + parts[static_cast<std::size_t>(name.first + k)].text;
  return text;
}

std::optional<Formula> parse(const Fragment& fragment, Want want, Diagnostics& diagnostics) {
  return Parser(fragment, diagnostics).run(want);
}

}  // namespace daedalus::model
