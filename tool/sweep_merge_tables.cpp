// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <map>
#include <ostream>
#include <sstream>

#include <fmt/format.h>

#include "io/trajectory_formats.hpp"
#include "tool/files.hpp"
#include "tool/sweep_merge.hpp"

namespace daedalus::cli {
namespace {

struct TableParts {
  std::string header;      // without the column of numbers
  std::size_t in_all = 0;  // runs
  struct Row {
    std::string text, file;
  };
  std::map<std::size_t, Row> rows;
};

std::size_t leading_number(std::string_view text, const std::string& file, std::size_t line) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != ',')
    throw FileError(fmt::format("'{}', line {}: there is no number of a run", file, line));
  return value;
}

// Names may hold commas between quotes.
std::size_t fields_of(std::string_view line) {
  std::size_t fields = 1;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    fields += c == ',' && !quoted ? 1 : 0;
  }
  return fields;
}

void read_table(const std::string& file, TableParts& parts) {
  const std::string whole = files::contents(file);
  if (!whole.ends_with('\n'))
    throw FileError(fmt::format("'{}' was cut off: its last line has no end", file));
  std::istringstream in(whole);
  std::string text;
  if (!std::getline(in, text) || !text.starts_with(shard_column))
    throw FileError(fmt::format("'{}' is no table of a shard: the first column must be '{}N'", file,
                                shard_column));
  const std::size_t in_all = leading_number(text.substr(shard_column.size()), file, 1);
  const std::string header = text.substr(text.find(',') + 1);
  if (parts.header.empty()) {
    parts.header = header;
    parts.in_all = in_all;
  }
  if (header != parts.header || in_all != parts.in_all)
    throw FileError(
        fmt::format("'{}' belongs to another sweep ({}: {} there, {} here)", file,
                    header != parts.header ? "columns" : "runs",
                    header != parts.header ? header : std::to_string(in_all),
                    header != parts.header ? parts.header : std::to_string(parts.in_all)));
  const std::size_t columns = fields_of(header);
  for (std::size_t number = 2; std::getline(in, text); ++number) {
    const std::size_t run = leading_number(text, file, number);
    const std::string row = text.substr(text.find(',') + 1);
    if (fields_of(row) != columns)
      throw FileError(fmt::format("'{}', line {}: there are {} fields where the head has {}", file,
                                  number, fields_of(row), columns));
    const auto [place, fresh] = parts.rows.try_emplace(run, TableParts::Row{row, file});
    if (run >= in_all || (!fresh && place->second.text != row))
      throw FileError(
          fresh ? fmt::format("'{}' has a run {} that this sweep does not have", file, run)
                : fmt::format("run {} is in '{}' and in '{}', and they contradict: {} "
                              "and {}",
                              run, place->second.file, file, place->second.text, row));
  }
}

}  // namespace

bool are_tables(const SweepSettings& settings) {
  return !settings.parts.empty() && settings.parts.front().ends_with(".csv");
}

int merge_tables(const SweepSettings& settings, Session& io) {
  if (settings.json || (!settings.out.empty() && !settings.out.ends_with(".csv")))
    throw InvalidArgument(
        "tables (.csv) make a table; journals and .json files have what --json needs");
  TableParts parts;
  for (const std::string& file : settings.parts) read_table(file, parts);
  const std::size_t missing = parts.in_all - parts.rows.size();
  if (missing > 0 && !settings.partial) {
    std::size_t first = 0;
    while (parts.rows.contains(first)) ++first;
    io.err << fmt::format(
        "daedalus: {} of {} runs are missing: {}{}; --partial writes what there is\n", missing,
        parts.in_all, first, missing > 1 ? ", ..." : "");
    return exit_run_failed;
  }
  std::optional<AtomicFile> file;
  if (!settings.out.empty()) file.emplace(settings.out);
  std::ostream& out = file ? static_cast<std::ostream&>(file->stream()) : io.out;
  out << parts.header << '\n';
  for (const auto& [run, row] : parts.rows) out << row.text << '\n';
  if (file) file->commit();
  if (file && !settings.quiet)
    io.out << fmt::format("{} of {} runs merged from {} tables\n", parts.rows.size(), parts.in_all,
                          settings.parts.size());
  return exit_success;
}

}  // namespace daedalus::cli
