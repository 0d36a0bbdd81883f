// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/lower.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <daedalus/types.hpp>

namespace daedalus::model {
namespace {

struct OtherName {
  std::string_view written, meant;
};
// What other languages call a function of the text form.
constexpr std::array<OtherName, 9> other_names{{{"noEvent", "no_event"},
                                                {"fabs", "abs"},
                                                {"fmin", "min"},
                                                {"fmax", "max"},
                                                {"ln", "log"},
                                                {"arcsin", "asin"},
                                                {"arccos", "acos"},
                                                {"arctan", "atan"},
                                                {"power", "pow"}}};
constexpr std::array<std::string_view, 3> special{"der", "pre", "assert"};

std::string_view meant(std::string_view name) {
  for (const OtherName& other : other_names)
    if (other.written == name) return other.meant;
  return name;
}

Expr compute(TokenKind op, const Expr& a, const Expr& b) {
  switch (op) {
    case TokenKind::plus:
      return a + b;
    case TokenKind::minus:
      return a - b;
    case TokenKind::times:
      return a * b;
    case TokenKind::divide:
      return a / b;
    case TokenKind::power:
      return pow(a, b);
    case TokenKind::less:
      return a < b;
    case TokenKind::less_equal:
      return a <= b;
    case TokenKind::greater:
      return a > b;
    case TokenKind::greater_equal:
      return a >= b;
    case TokenKind::equal:
      return a == b;
    case TokenKind::not_equal:
      return a != b;
    case TokenKind::logical_and:
      return a && b;
    default:
      return a || b;
  }
}

class Lowering {
 public:
  Lowering(const Written& written, Scope& scope) : written_(written), scope_(scope) {}

  std::optional<std::vector<Expr>> run() {
    const Formula& formula = written_.formula;
    mark_strings();
    values_.reserve(formula.nodes.size());
    for (int i = 0; i <= formula.root(); ++i) {
      std::optional<Expr> value;
      try {
        value = one(i);
      } catch (const InvalidArgument& wrong) {  // of two graphs, or not differentiable
        written_.error(formula.at(i).span, wrong.what());
      }
      good_ = good_ && value;
      values_.push_back(value.value_or(Expr(0.0)));
    }
    if (!good_) return std::nullopt;
    return std::move(values_);
  }

 private:
  // A string is a message of assert, and nothing else.
  void mark_strings() {
    const Formula& formula = written_.formula;
    message_.assign(formula.nodes.size(), false);
    for (const Syntax& node : formula.nodes)
      if (node.kind == SyntaxKind::call && node.operands == 3 &&
          formula.plain_name(node) == "assert")
        message_[static_cast<std::size_t>(formula.operand(node, 2))] = true;
  }

  const Expr& value(int node) const { return values_[static_cast<std::size_t>(node)]; }

  std::optional<Expr> one(int i) {
    const Syntax& node = written_.formula.at(i);
    switch (node.kind) {
      case SyntaxKind::number:
        return node.value;
      case SyntaxKind::string:
        if (message_[static_cast<std::size_t>(i)]) return 0.0;
        written_.error(node.span, "a string is no value",
                       "names are written without double quotes");
        return std::nullopt;
      case SyntaxKind::name:
        return scope_.name(written_, i, values_);
      case SyntaxKind::call:
        return call(i, node);
      case SyntaxKind::negate:
        return -value(node.a);
      case SyntaxKind::invert:
        return !value(node.a);
      case SyntaxKind::binary:
        return compute(node.op, value(node.a), value(node.b));
      case SyntaxKind::choice:
        return select(value(node.a), value(node.b), value(node.c));
      default:
        return 0.0;  // an equation
    }
  }

  std::optional<Expr> call(int i, const Syntax& node) {
    const Formula& formula = written_.formula;
    std::vector<Expr> arguments;
    for (int k = 0; k < node.operands; ++k) arguments.push_back(value(formula.operand(node, k)));
    std::optional<Expr> result;
    if (scope_.call(written_, i, arguments, result)) return result;
    const std::string name = formula.plain_name(node);
    if (name == "der" || name == "pre") {
      if (!arity_is(node, name, 1)) return std::nullopt;
      return name == "der" ? der(arguments[0]) : pre(arguments[0]);
    }
    if (name == "assert") return assertion(node, arguments);
    const std::string_view function_name = meant(name);
    const int arity = function_arity(function_name);
    if (arity == 0) return unknown_function(node, name);
    if (!arity_is(node, name, arity)) return std::nullopt;
    return function(function_name, arguments);
  }

  bool arity_is(const Syntax& node, const std::string& name, int arity) {
    if (node.operands == arity) return true;
    written_.error(node.span, fmt::format("{} takes {} argument{}, {} {} given", name, arity,
                                          arity == 1 ? "" : "s", node.operands,
                                          node.operands == 1 ? "is" : "are"));
    return false;
  }

  std::optional<Expr> assertion(const Syntax& node, const std::vector<Expr>& arguments) {
    if (!arity_is(node, "assert", 3)) return std::nullopt;
    const Syntax& message = written_.formula.at(written_.formula.operand(node, 2));
    if (message.kind != SyntaxKind::string) {
      written_.error(message.span, "the third argument of assert is its message, a string",
                     "write assert(condition, value, \"message\")");
      return std::nullopt;
    }
    return asserted(arguments[0], arguments[1],
                    written_.formula.strings[static_cast<std::size_t>(message.first)]);
  }

  std::optional<Expr> unknown_function(const Syntax& node, const std::string& name) {
    std::vector<std::string> known;  // of names equally near the first one is the hint
    for (const std::string_view f : function_names()) known.emplace_back(f);
    for (const std::string_view f : special) known.emplace_back(f);
    for (const std::string& f : scope_.functions()) known.push_back(f);
    const NamePart& part = written_.formula.parts[static_cast<std::size_t>(node.first)];
    written_.error({part.span.begin, name.size()}, "there is no function '" + name + "'",
                   name_hint(name, known));
    return std::nullopt;
  }

  const Written& written_;
  Scope& scope_;
  std::vector<Expr> values_;
  std::vector<bool> message_;
  bool good_ = true;
};

}  // namespace

std::optional<std::vector<Expr>> lower(const Written& written, Scope& scope) {
  return Lowering(written, scope).run();
}

std::string canonical_name(const Written& written, int node, std::span<const Expr> values) {
  const Formula& formula = written.formula;
  const Syntax& name = formula.at(node);
  std::string text;
  for (int k = 0; k < name.count; ++k) {
    const NamePart& part = formula.parts[static_cast<std::size_t>(name.first + k)];
    text += (k > 0 ? "." : "") + part.text;
    for (int s = 0; s < part.count; ++s) {
      const int subscript = formula.lists[static_cast<std::size_t>(part.list + s)];
      const Expr& value = values[static_cast<std::size_t>(subscript)];
      if (!value.is_number() || value.number() != std::round(value.number()) ||
          std::fabs(value.number()) > 1e9) {
        written.error(formula.at(subscript).span,
                      "a subscript must be an integer that is known when the model is read");
        return {};
      }
      text += fmt::format("{}{}", s == 0 ? "[" : ",", static_cast<long>(value.number()));
      if (s + 1 == part.count) text += "]";
    }
  }
  return text;
}

}  // namespace daedalus::model
