// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "model/json/reader.hpp"

namespace daedalus::model {

std::optional<Formula> Reader::parsed(const JsonValue& value, Want want, std::string_view what) {
  if (!is_kind(value, Kind::string, what, diagnostics_)) return std::nullopt;
  return parse(value.fragment(), want, diagnostics_);
}

graph::Position Reader::position(Span span) {
  const Source::Place place = diagnostics_.source().place(span.begin);
  return {file_number_, place.line, place.column};
}

// Relations become events, which are named by their places.
void Reader::set_positions(const JsonValue& value, const Formula& formula,
                           const std::vector<Expr>& values) {
  const Fragment fragment = value.fragment();
  for (int i = 0; i <= formula.root(); ++i) {
    const Syntax& node = formula.at(i);
    if (node.kind == SyntaxKind::binary && node.op >= TokenKind::less &&
        node.op <= TokenKind::not_equal && !values[static_cast<std::size_t>(i)].is_number())
      builder_->graph().set_position(values[static_cast<std::size_t>(i)],
                                     position(fragment.in_source(node.span)));
  }
}

std::optional<Expr> Reader::expression(const JsonValue& value, std::string_view what) {
  if (value.is(Kind::number)) return value.number;
  if (value.is(Kind::boolean)) return value.truth ? 1.0 : 0.0;
  if (!value.is(Kind::string)) {
    diagnostics_.error(value.span, fmt::format("{} must be a number or a formula, not {}", what,
                                               name_of(value.kind)));
    return std::nullopt;
  }
  const std::optional<Formula> formula = parse(value.fragment(), Want::expression, diagnostics_);
  if (!formula) return std::nullopt;
  const Fragment fragment = value.fragment();
  const auto values = lower({fragment, *formula, diagnostics_}, *scope_);
  if (!values) return std::nullopt;
  set_positions(value, *formula, *values);
  return values->back();
}

std::optional<Sides> Reader::equation(const JsonValue& value) {
  const std::optional<Formula> formula = parsed(value, Want::equation, "an equation");
  if (!formula) return std::nullopt;
  const Fragment fragment = value.fragment();
  const auto values = lower({fragment, *formula, diagnostics_}, *scope_);
  if (!values) return std::nullopt;
  set_positions(value, *formula, *values);
  const Syntax& root = formula->at(formula->root());
  return Sides{(*values)[static_cast<std::size_t>(root.a)],
               (*values)[static_cast<std::size_t>(root.b)]};
}

void Reader::guarded(Span where, const std::function<void()>& make) {
  try {
    make();
  } catch (const InvalidArgument& wrong) {
    diagnostics_.error(where, wrong.what());
  }
}

}  // namespace daedalus::model
