// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/diagnostics.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/excerpt.hpp"
#include "kernel/nearest.hpp"

namespace daedalus {
namespace {

// Longer than this, a name that is typed is compared with none.
constexpr std::size_t max_compared = 64;
// Each comparison takes about a microsecond.
constexpr std::size_t max_candidates = 20'000;
// So many names fit on a line of help.
constexpr std::size_t max_listed = 8;

}  // namespace

std::string_view to_string(Diagnostic::Severity severity) {
  switch (severity) {
    case Diagnostic::Severity::note:
      return "note";
    case Diagnostic::Severity::warning:
      return "warning";
    default:
      return "error";
  }
}

std::string text(const SourceDiagnostic& d) {
  std::string out = d.file;
  if (d.line > 0) out += fmt::format(":{}:{}", d.line, d.column);
  out += fmt::format(": {}: {}\n", to_string(d.severity), d.message);
  if (d.line > 0 && !d.excerpt.empty())
    out += files::excerpt({d.line, d.column, d.excerpt}, d.length);
  if (!d.hint.empty()) out += fmt::format("hint: {}\n", d.hint);
  return out;
}

std::string text(const std::vector<SourceDiagnostic>& diagnostics) {
  std::string out;
  for (const SourceDiagnostic& d : diagnostics) out += text(d);
  if (!out.empty()) out.pop_back();
  return out;
}

InvalidModel::InvalidModel(std::vector<SourceDiagnostic> list)
    : InvalidArgument(text(list)), diagnostics(std::move(list)) {}

namespace model {

void Diagnostics::add(Diagnostic::Severity severity, Span where, std::string message,
                      std::string hint) {
  if (full()) return;
  const Source::Place place = source_->place(where.begin);
  for (const SourceDiagnostic& d : list_)
    if (d.line == place.line && d.column == place.column && d.message == message) return;
  if (severity == Diagnostic::Severity::error) ++errors_;
  list_.push_back({source_->name(), place.line, place.column, source_->visible_length(where),
                   severity, std::move(message), std::move(hint),
                   std::string(source_->line(place.line))});
}

std::vector<SourceDiagnostic> Diagnostics::sorted() const {
  std::vector<SourceDiagnostic> list = list_;
  std::stable_sort(list.begin(), list.end(),
                   [](const SourceDiagnostic& a, const SourceDiagnostic& b) {
                     if (a.severity != b.severity) return a.severity > b.severity;
                     return std::tie(a.line, a.column) < std::tie(b.line, b.column);
                   });
  return list;
}

void Diagnostics::throw_if_any() const {
  if (errors_ > 0) throw InvalidModel(sorted());
}

std::string name_hint(std::string_view typed, const std::vector<std::string>& known) {
  if (typed.size() <= max_compared) {
    // Names of another length are not near, and there may be many.
    std::vector<std::string> candidates;
    for (const std::string& name : known)
      if (3 * std::max(name.size(), typed.size()) <= 4 * std::min(name.size(), typed.size()) + 6 &&
          candidates.size() < max_candidates)
        candidates.push_back(name);
    if (const std::string near = nearest_name(typed, candidates); !near.empty())
      return "did you mean '" + near + "'?";
  }
  if (known.empty() || known.size() > max_listed) return {};
  return fmt::format("known are {}", fmt::join(known, ", "));
}

}  // namespace model
}  // namespace daedalus
