// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/place.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>

namespace daedalus::modelica {

Place joined(const Place& from, const Place& to) {
  if (from.file < 0) return to;
  if (to.file != from.file || to.begin < from.begin) return from;
  return {from.file, from.begin, std::max(from.length, to.begin + to.length - from.begin)};
}

int Files::add(std::string name, std::string content) {
  sources_.push_back(std::make_shared<const model::Source>(std::move(name), std::move(content)));
  return count() - 1;
}

int Files::line(const Place& p) const {
  return p.file < 0 ? 0 : source(p.file).place(p.begin).line;
}

int Files::column(const Place& p) const {
  return p.file < 0 ? 0 : source(p.file).place(p.begin).column;
}

std::string Files::text(const Place& p) const {
  return p.file < 0 ? std::string() : source(p.file).content().substr(p.begin, p.length);
}

std::string Files::where(const Place& p) const {
  if (p.file < 0) return "predefined";
  return fmt::format("{}:{}", std::filesystem::path(source(p.file).name()).filename().string(),
                     line(p));
}

std::string Files::seen_from(const Place& here, const Place& other) const {
  return here.file == other.file ? fmt::format("line {}", line(other)) : where(other);
}

SourceDiagnostic Files::diagnostic(const Place& p) const {
  SourceDiagnostic d;
  if (p.file < 0) return d;
  const model::Source& s = source(p.file);
  const model::Source::Place at = s.place(p.begin);
  d.file = s.name();
  d.line = at.line;
  d.column = at.column;
  d.length = s.visible_length({p.begin, std::max<std::size_t>(1, p.length)});
  d.excerpt = std::string(s.line(at.line));
  return d;
}

std::string_view to_string(Phase phase) {
  static constexpr std::array<std::string_view, 14> names{
      "parse",  "load",    "lookup",  "modify",    "instantiate", "types",  "parameters",
      "expand", "connect", "balance", "structure", "start",       "events", "units"};
  return names[static_cast<std::size_t>(phase)];
}

void Mistakes::add(const Mistake& m, Diagnostic::Severity severity) {
  for (Entry& e : list_)
    if (e.diagnostic.message == m.message && e.diagnostic.severity == severity) {
      const SourceDiagnostic here = files_.diagnostic(m.place);
      const bool same_place = here.line == e.diagnostic.line && here.file == e.diagnostic.file &&
                              here.column == e.diagnostic.column;
      if (!same_place) ++e.more;
      return;
    }
  Entry e{files_.diagnostic(m.place), m.phase};
  e.diagnostic.severity = severity;
  e.diagnostic.message = m.message;
  e.diagnostic.hint = m.hint;
  list_.push_back(std::move(e));
}

void Mistakes::error(const Mistake& m) {
  if (full()) return;
  ++errors_;
  add(m, Diagnostic::Severity::error);
}

void Mistakes::warning(const Mistake& m) { add(m, Diagnostic::Severity::warning); }

std::vector<Mistakes::Entry> Mistakes::ordered() const {
  std::vector<Entry> list = list_;
  for (Entry& e : list)
    if (e.more > 0) e.diagnostic.message += fmt::format(" (and {} more of its kind)", e.more);
  std::stable_sort(list.begin(), list.end(), [](const Entry& a, const Entry& b) {
    const SourceDiagnostic &x = a.diagnostic, &y = b.diagnostic;
    if (x.severity != y.severity) return x.severity > y.severity;
    return std::tie(x.file, x.line, x.column) < std::tie(y.file, y.line, y.column);
  });
  return list;
}

std::vector<SourceDiagnostic> Mistakes::sorted() const {
  std::vector<SourceDiagnostic> list;
  for (Entry& e : ordered()) list.push_back(std::move(e.diagnostic));
  return list;
}

std::vector<std::string> Mistakes::phases() const {
  std::vector<std::string> list;
  for (const Entry& e : ordered()) list.emplace_back(to_string(e.phase));
  return list;
}

}  // namespace daedalus::modelica
