// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/diagnostics.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/nearest.hpp"

namespace daedalus {
namespace {

// Longer lines (a model on one line) are shown around the place.
constexpr std::size_t max_excerpt = 100;
// Longer than this, a name that is typed is compared with none.
constexpr std::size_t max_compared = 64;
// Each comparison takes about a microsecond.
constexpr std::size_t max_candidates = 20'000;
// So many names fit on a line of help.
constexpr std::size_t max_listed = 8;

struct Shown {
  std::string text;
  int column;
};

std::size_t byte_of(std::string_view text, int character) {
  std::size_t i = 0;
  for (int passed = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && passed++ == character) break;
  return i;
}

// Tabs become blanks, so that the caret stands below its character.
Shown shown_part(const SourceDiagnostic& d) {
  std::string line = d.excerpt;
  std::replace(line.begin(), line.end(), '\t', ' ');
  const int count = static_cast<int>(model::character_count(line));
  if (count <= static_cast<int>(max_excerpt)) return {line, d.column};
  const int half = static_cast<int>(max_excerpt) / 2;
  const int first = std::max(0, std::min(d.column - 1 - half, count - 2 * half));
  const std::size_t begin = byte_of(line, first), end = byte_of(line, first + 2 * half);
  const bool cut = first > 0;
  return {(cut ? "..." : "") + line.substr(begin, end - begin) + (end < line.size() ? "..." : ""),
          d.column - first + (cut ? 3 : 0)};
}

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
  if (d.line > 0 && !d.excerpt.empty()) {
    const Shown shown = shown_part(d);
    const int room = static_cast<int>(model::character_count(shown.text)) - shown.column + 1;
    const int tail = std::max(0, std::min(d.length, room) - 1);
    out += fmt::format("{:4} | {}\n     | {}^{}\n", d.line, shown.text,
                       std::string(static_cast<std::size_t>(shown.column - 1), ' '),
                       std::string(static_cast<std::size_t>(tail), '~'));
  }
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
