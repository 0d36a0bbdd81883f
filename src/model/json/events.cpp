// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "model/json/reader.hpp"

namespace daedalus::model {

// "when": a condition that becomes true; "at": a time; "sample": {"first", "period"}.
std::optional<Expr> Reader::event_condition(const JsonValue& value, const Fields& fields) {
  const JsonValue *when = fields.find("when"), *at = fields.find("at"),
                  *sample = fields.find("sample");
  if ((when ? 1 : 0) + (at ? 1 : 0) + (sample ? 1 : 0) != 1) {
    diagnostics_.error(value.span, "an event needs one of 'when', 'at' and 'sample'");
    return std::nullopt;
  }
  if (when) return expression(*when, "'when'");
  if (at) {
    const auto time = expression(*at, "'at'");
    return time ? std::optional<Expr>(builder_->time() >= *time) : std::nullopt;
  }
  const Fields own(*sample, "'sample'", {"first", "period"}, diagnostics_);
  const JsonValue *first = own.find("first"), *period = own.find("period");
  if (!period) {
    diagnostics_.error(sample->span, "'sample' needs 'period'");
    return std::nullopt;
  }
  const auto begin = first ? expression(*first, "'first'") : std::optional<Expr>(0.0);
  const auto step = expression(*period, "'period'");
  if (!begin || !step) return std::nullopt;
  if (step->is_number() && !(step->number() > 0.0)) {
    diagnostics_.error(period->span, "'period' must be positive");
    return std::nullopt;
  }
  return builder_->sample(*begin, *step);
}

void Reader::event_actions(const Fields& fields, WhenClause& clause) {
  for (const char* key : {"reinit", "set"}) {
    const JsonValue* list = fields.of(key, Kind::object);
    if (!list) continue;
    for (const JsonValue::Member& member : list->members) {
      const auto value = expression(member.value, "a new value");
      const std::optional<Expr> target = scope_->find(member.name);
      if (!target || target->is_number()) {
        const Fragment name(member.name, member.span.begin + 1);
        if (const auto formula = parse(name, Want::expression, diagnostics_)) {
          // A name with a subscript, or none that is known: reported there.
          const auto values = lower({name, *formula, diagnostics_}, *scope_);
          if (values && value)
            guarded(member.span, [&] {
              std::string_view(key) == "set" ? clause.set(values->back(), *value)
                                             : clause.reinit(values->back(), *value);
            });
        }
        continue;
      }
      if (!value) continue;
      guarded(member.span, [&] {
        std::string_view(key) == "set" ? clause.set(*target, *value)
                                       : clause.reinit(*target, *value);
      });
    }
  }
  if (const JsonValue* stop = fields.find("stop")) {
    if (stop->is(Kind::string))
      clause.stop(stop->string);
    else if (is_kind(*stop, Kind::boolean, "'stop'", diagnostics_) && stop->truth)
      clause.stop();
  }
}

void Reader::event(const JsonValue& value) {
  const std::initializer_list<std::string_view> keys{"name", "when", "at",   "sample",     "reinit",
                                                     "set",  "stop", "else", "description"};
  std::optional<WhenClause> clause;
  const JsonValue* link = &value;
  while (link) {
    const Fields fields(*link, "an event", keys, diagnostics_);
    if (!link->is(Kind::object)) return;
    const auto condition = event_condition(*link, fields);
    if (!condition) return;
    ItemOptions item;
    item.name = fields.text("name");
    item.description = fields.text("description");
    item.position = position(link->span);
    guarded(link->span, [&] {
      if (clause)
        clause.emplace(clause->otherwise(*condition, item));
      else
        clause.emplace(builder_->when(*condition, item));
    });
    if (!clause) return;
    event_actions(fields, *clause);
    link = fields.find("else");
  }
}

void Reader::events(const JsonValue& section) {
  if (!is_kind(section, Kind::array, "'events'", diagnostics_)) return;
  for (const JsonValue& value : section.items) {
    if (diagnostics_.full()) return;
    event(value);
  }
}

void Reader::requirements(const JsonValue& section) {
  if (!is_kind(section, Kind::array, "'require'", diagnostics_)) return;
  for (const JsonValue& value : section.items) {
    const Fields fields(value, "a requirement", {"condition", "message"}, diagnostics_);
    const JsonValue* text = fields.need("condition", Kind::string);
    if (!text) continue;
    const auto condition = expression(*text, "a condition");
    if (!condition) continue;
    const ItemOptions item = item_options(*text, text->string);
    guarded(text->span,
            [&] { builder_->require(*condition, fields.text("message", text->string), item); });
  }
}

}  // namespace daedalus::model
