// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/netlist/reader.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include <daedalus/trajectory_file.hpp>

#include "model/text/named_file.hpp"

namespace daedalus::circuit {
namespace {

std::string unquoted_path(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
      text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

}  // namespace

void NetlistReader::run(std::string name, std::string text) {
  files_.push_back({name, folder_, {}});
  const int file = n_.files.add(std::move(name), std::move(text));
  Lines lines = read_lines(n_.files, file, true);
  n_.title = lines.title;
  n_.title_span = lines.title_span;
  title_remark();
  statements(std::move(lines));
  for (const auto& s : open_)
    n_.files.error(s->where, fmt::format(".subckt {} is not closed", s->written),
                   ".ends is missing");
  if (in_control_) n_.files.error(control_where_, ".control is not closed", ".endc is missing");
}

// Whoever forgets the title loses an element.
void NetlistReader::title_remark() {
  std::istringstream words(n_.title);
  std::string name, a, b, value;
  if (!(words >> name >> a >> b >> value)) return;
  constexpr std::string_view with_value = "rclvi";
  if (with_value.find(lower_case(name)[0]) == std::string_view::npos || !read_number(value).value)
    return;
  n_.files.warning({0, n_.title_span},
                   fmt::format("the first line is the title; {} is not part of the circuit", name),
                   "write a title above it");
}

void NetlistReader::statements(Lines lines) {
  for (Statement& s : lines.statements) {
    if (n_.files.full()) return;
    one(std::move(s));
  }
}

void NetlistReader::one(Statement statement) {
  const std::string& text = statement.fragment.text();
  if (in_control_) return control_line(statement);
  const bool is_dot = text[0] == '.';
  if (!in_section_ && !is_dot) return;
  if (is_dot)
    dot(std::move(statement));
  else
    element(std::move(statement));
}

void NetlistReader::element(Statement statement) {
  Card card;
  card.words = split(n_.files, statement);
  if (card.words.empty() || card.words[0].kind != WordKind::word) {
    n_.files.error(statement.whole(), "a line begins with the name of an element, '.' or '*'");
    return;
  }
  const Span name = card.words[0].span;
  card.written = statement.fragment.text().substr(name.begin, name.length);
  card.name = lower_case(card.written);
  card.kind = card.name[0];
  if (card.kind < 'a' || card.kind > 'z') {
    n_.files.error(statement.where(name),
                   fmt::format("'{}' is no element: names begin with a letter that tells its kind",
                               card.written));
    return;
  }
  card.statement = std::move(statement);
  body().cards.push_back(std::move(card));
}

void NetlistReader::control_line(const Statement& statement) {
  const std::string text = lower_case(statement.fragment.text());
  if (text.rfind(".endc", 0) == 0) {
    in_control_ = false;
    std::string same;
    for (const std::string& c : control_)
      if (c == "run" || c == "tran" || c == "op" || c == "ac" || c == "dc") same += " ." + c;
    n_.files.warning(control_where_,
                     fmt::format(".control is skipped (commands: {})", fmt::join(control_, ", ")),
                     "dot lines do the same: .tran, .op, .dc, .ac, .print, .meas");
    return;
  }
  control_.push_back(text.substr(0, text.find_first_of(" \t")));
}

void NetlistReader::assignments(Cursor& cursor, std::vector<Assignment>& list,
                                bool (Cursor::*next)(Assignment&)) {
  while (!cursor.done()) {
    Assignment a;
    if ((cursor.*next)(a)) {
      if (a.value.good()) list.push_back(std::move(a));
    } else if (cursor.is(WordKind::open) || cursor.is(WordKind::close)) {
      cursor.skip();
    } else {
      n_.files.error(cursor.where(), "name=value is expected here");
      return;
    }
  }
}

void NetlistReader::include(const Statement& statement, const std::vector<Word>& words,
                            bool library) {
  if (words.size() < 2) {
    n_.files.error(statement.whole(), "the name of a file is missing");
    return;
  }
  // Names of files keep their case and may hold '=' and ','.
  const std::string& all = statement.fragment.text();
  const std::size_t begin = words[1].span.begin;
  std::size_t end = all.size();
  if (library && words.size() > 2) end = words.back().span.begin;
  while (end > begin && (all[end - 1] == ' ' || all[end - 1] == '\t')) --end;
  const std::string written = unquoted_path(std::string_view(all).substr(begin, end - begin));
  const std::string path = std::filesystem::path(written).is_absolute()
                               ? written
                               : (std::filesystem::path(files_.back().folder) / written).string();
  for (const Inclusion& above : files_)
    if (above.path == path) {
      n_.files.error(statement.whole(), fmt::format("{} includes itself", written),
                     above.from.file < 0 ? "" : "first included at " + n_.files.place(above.from));
      return;
    }
  if (!allow_files_ && !model::lies_in(path, folder_)) {
    n_.files.error(statement.whole(),
                   fmt::format("{} lies outside the folder of the netlist", written),
                   model::allow_hint);
    return;
  }
  const auto content = model::named_content(path);
  if (!content) {
    n_.files.error(statement.whole(), fmt::format("cannot read {} (included from {}:{})", written,
                                                  n_.files.source(statement.file).name(),
                                                  n_.files.line(statement.whole())));
    return;
  }
  const std::string wanted_before = section_;
  const bool in_before = in_section_;
  if (library && words.size() > 2) {
    const Span last = words.back().span;
    section_ = lower_case(std::string_view(all).substr(last.begin, last.length));
    in_section_ = false;
  }
  files_.push_back({path, std::filesystem::path(path).parent_path().string(), statement.whole()});
  const int file = n_.files.add(written, *content);
  statements(read_lines(n_.files, file, false));
  files_.pop_back();
  section_ = wanted_before;
  in_section_ = in_before;
}

Netlist read_netlist_text(std::string text, const std::string& name, const std::string& folder,
                          bool allow_files) {
  Netlist netlist;
  NetlistReader(netlist, folder, allow_files).run(name, std::move(text));
  return netlist;
}

Netlist read_netlist(const std::string& path, bool allow_files) {
  auto text = model::named_content(path);
  if (!text) throw FileError(fmt::format("cannot read {}", path));
  return read_netlist_text(std::move(*text), path,
                           std::filesystem::path(path).parent_path().string(), allow_files);
}

}  // namespace daedalus::circuit
