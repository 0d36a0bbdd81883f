// SPDX-License-Identifier: BSD-3-Clause
#include "model/json/reader.hpp"

#include <fmt/format.h>

namespace daedalus::model {
namespace {

// Of "version" at the top.
constexpr double newest_version = 1.0;

}  // namespace

bool Reader::header(const JsonValue& document) {
  if (!is_kind(document, Kind::object, "a model", diagnostics_)) return false;
  const JsonValue* mark = document.find("daedalus");
  if (!mark || !mark->is(Kind::string) || mark->string != "model") {
    diagnostics_.error(mark ? mark->span : document.span,
                       "a model says \"daedalus\": \"model\" at its top");
    return false;
  }
  const Fields fields(
      document, "a model",
      {"daedalus",  "version",           "name",       "title",      "description", "source",
       "stiff",     "interval",          "parameters", "tables",     "variables",   "discrete",
       "equations", "initial_equations", "events",     "require",    "outputs",     "multibody",
       "scene",     "reference",         "atol_scale", "invariants", "definitions"},
      diagnostics_);
  if (const double version = fields.number("version", 1.0); version > newest_version)
    diagnostics_.error(fields.find("version")->span,
                       fmt::format("version {:g} is newer than this program", version));
  if (const JsonValue* multibody = fields.find("multibody"))
    for (const char* key : {"variables", "equations"})
      if (const JsonValue* other = fields.find(key))
        diagnostics_.error(other->span, fmt::format("'{}' does not go with 'multibody'", key),
                           fmt::format("coordinates are in 'multibody' on line {}",
                                       diagnostics_.source().place(multibody->span.begin).line));
  return true;
}

void Reader::sections(const JsonValue& document) {
  const auto with = [&](const char* key, const auto& read) {
    if (const JsonValue* section = document.find(key); section && !diagnostics_.full())
      read(*section);
  };
  with("parameters", [&](const JsonValue& s) { parameters(s); });
  with("tables", [&](const JsonValue& s) { tables(s); });
  with("variables", [&](const JsonValue& s) { variables(s, false); });
  with("discrete", [&](const JsonValue& s) { variables(s, true); });
  definitions_ = document.find("definitions");
  with("multibody", [&](const JsonValue& s) { multibody(s); });
  scope_->set_word("variable or parameter");
  if (!document.find("multibody")) with("definitions", [&](const JsonValue& s) { definitions(s); });
  with("equations", [&](const JsonValue& s) { equations(s, false); });
  with("initial_equations", [&](const JsonValue& s) { equations(s, true); });
  with("events", [&](const JsonValue& s) { events(s); });
  with("require", [&](const JsonValue& s) { requirements(s); });
  with("invariants", [&](const JsonValue& s) { invariants(s); });
  with("outputs", [&](const JsonValue& s) { outputs(s); });
  with("interval", [&](const JsonValue& s) {
    if (!is_kind(s, Kind::array, "'interval'", diagnostics_)) return;
    if (s.items.size() != 2 || !s.items[0].is(Kind::number) || !s.items[1].is(Kind::number))
      diagnostics_.error(s.span, "'interval' must be two numbers, the first and the last time");
    else
      builder_->set_interval({s.items[0].number, s.items[1].number});
  });
}

// What the builder finds in the structure is reported at the places it names.
std::shared_ptr<const Model> Reader::compiled() {
  try {
    return builder_->model(options_.model);
  } catch (const ModelError& wrong) {
    for (const Diagnostic& d : wrong.diagnostics) {
      Span where{};
      if (!d.places.empty() && d.places.front().line > 0)
        where = diagnostics_.source().span_of(d.places.front().line, d.places.front().column);
      std::string hint;
      for (std::size_t k = 1; k < d.places.size(); ++k)
        hint += fmt::format("{}line {}: {}", hint.empty() ? "see also " : "; ", d.places[k].line,
                            d.places[k].text);
      diagnostics_.add(d.severity, where, d.message, std::move(hint));
    }
  } catch (const InvalidArgument& wrong) {
    diagnostics_.error({}, wrong.what());
  }
  diagnostics_.throw_if_any();
  return nullptr;
}

std::shared_ptr<const ModelBuilder> Reader::build(const JsonValue& document) {
  if (!header(document)) diagnostics_.throw_if_any();
  const JsonValue *name = document.find("name"), *title = document.find("title");
  const bool named = name && name->is(Kind::string) && !name->string.empty();
  builder_ = std::make_shared<ModelBuilder>(named ? name->string : std::string("model"));
  if (title && is_kind(*title, Kind::string, "'title'", diagnostics_))
    builder_->set_title(title->string);
  file_number_ = builder_->graph().add_file(diagnostics_.source().name());
  scope_.emplace(*builder_);
  sections(document);
  diagnostics_.throw_if_any();
  return builder_;
}

ModelFile Reader::read(const JsonValue& document) {
  build(document);
  ModelFile file;
  file.model = compiled();
  file.entry = file.model->entry();
  facts(document, file.entry);
  if (const JsonValue* section = document.find("scene")) scene(*section, file.entry);
  diagnostics_.throw_if_any();
  file.warnings = diagnostics_.sorted();
  return file;
}

}  // namespace daedalus::model
