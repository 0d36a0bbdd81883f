// SPDX-License-Identifier: BSD-3-Clause
// daedalus check-table FILE | --method NAME [--export FILE]
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <daedalus/types.hpp>

#include "io/trajectory_formats.hpp"
#include "tool/check_table_kinds.hpp"
#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/names.hpp"
#include "tool/session.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

struct TableSettings {
  std::string file, method, target;
  bool json = false;
};

Json read_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw FileError(fmt::format("the table file '{}' could not be opened", path));
  return parse_json(files::contents(path), path);
}

Json table_of(const std::string& name) {
  std::vector<std::string> names;
  for (const Method* method : all_methods()) {
    for (const TableKind& kind : table_kinds()) {
      const Json table = kind.exported(*method);
      if (table.is_null()) continue;
      if (method->name == name) return table;
      names.push_back(method->name);
    }
  }
  require_method(name);
  throw InvalidArgument(
      fmt::format("the method {} has no table of coefficients to check; {} have one", name,
                  fmt::join(names, ", ")));
}

// One line per field and per row of a matrix, for people who edit the file.
std::string readable(const Json& table) {
  std::vector<std::string> fields;
  for (const auto& [name, value] : table.items()) {
    std::string text = line(value);
    if (value.is_array() && !value.empty() && value.front().is_array()) {
      std::vector<std::string> rows;
      for (const Json& row : value) rows.push_back("    " + line(row));
      text = fmt::format("[\n{}\n  ]", fmt::join(rows, ",\n"));
    }
    fields.push_back(fmt::format("  {}: {}", line(name), text));
  }
  return fmt::format("{{\n{}\n}}\n", fmt::join(fields, ",\n"));
}

std::string tree_kind(const Violation& v) {
  return v.variable == 'w' ? "any Jacobian" : std::string(1, v.variable);
}

Json describe_table(const TableReport& report, const std::string& name, const TableKind& kind,
                    const std::string& message) {
  Json json = document();
  json["name"] = text_or_null(name);
  json["kind"] = kind.name;
  json["family"] = report.family;
  json["status"] = message.empty() ? "success" : "claims_failed";
  json["message"] = text_or_null(message);
  json["stages"] = report.stages;
  json["order"] = report.order;
  for (const char* key : {"residuals", "tree_counts", "r_infinity", "a_stable"})
    json[key] = nullptr;
  json["claims"] = Json::array();
  for (const TableClaim& c : report.claims)
    json["claims"].push_back(
        {{"claim", c.key}, {"claimed", c.claimed}, {"found", c.found}, {"holds", c.holds}});
  json["violations"] = Json::array();
  for (const Violation& v : report.violations)
    json["violations"].push_back({{"of", v.part},
                                  {"part", std::string(1, v.variable)},
                                  {"order", v.order},
                                  {"tree", v.tree},
                                  {"value", number(v.residual)}});
  json.update(report.details);
  return json;
}

void print_text(const TableReport& report, const std::string& name, const TableKind& kind,
                Session& io) {
  std::ostream& out = io.out;
  out << labelled("name", fmt::format("{} ({})", io.paint.bold(name), kind.name));
  for (const auto& [label, text] : report.facts) out << labelled(label, text);
  for (const auto& [label, text] : report.stability) out << labelled(label, text);

  out << "\norders attained\n";
  Table orders(report.order_columns, [&] {
    std::vector<Align> align(report.order_columns.size(), Align::right);
    align.front() = Align::left;
    return align;
  }());
  for (const auto& row : report.order_rows) orders.add(row);
  orders.print(out, "  ");

  if (!report.violations.empty()) {
    out << "\nfirst conditions that fail\n";
    Table table({"of", "for", "order", "tree", "residual"},
                {Align::left, Align::left, Align::right, Align::left, Align::right});
    for (const Violation& v : report.violations)
      table.add({v.part, tree_kind(v), std::to_string(v.order), v.tree,
                 fmt::format("{:.3g}", v.residual)});
    table.print(out, "  ");
  }
  if (!report.claims.empty()) {
    out << "\nclaims\n";
    Table table({"claim", "claimed", "found", ""},
                {Align::left, Align::right, Align::right, Align::left});
    for (const TableClaim& c : report.claims)
      table.add(
          {c.key, c.claimed, c.found, c.holds ? io.paint.good("holds") : io.paint.bad("FAILS")});
    table.print(out, "  ");
  }
  out << '\n' << indented(io.paint.faint(report.legend), "");
}

int check_table(const TableSettings& settings, Session& io) {
  const Json table = settings.method.empty() ? read_file(settings.file) : table_of(settings.method);
  if (!settings.target.empty()) {
    AtomicFile file(settings.target);
    file.stream() << readable(table);
    file.commit();
    io.err << fmt::format("table of {} written to {}\n", settings.method, settings.target);
  }
  TableFields fields(table, settings.method.empty() ? settings.file : settings.method);
  const TableKind& kind = require_kind(fields);
  const std::string name = fields.text("name", "");
  for (const char* field : {"title", "reference", "notes"}) fields.text(field, "");
  const TableReport report = kind.check(fields);

  std::string message;
  for (const TableClaim& c : report.claims)
    if (!c.holds)
      message += fmt::format("{}{}: claimed {}, found {}", message.empty() ? "" : "; ", c.key,
                             c.claimed, c.found);
  if (settings.json)
    print(io.out, describe_table(report, name, kind, message));
  else
    print_text(report, name.empty() ? "without name" : name, kind, io);
  if (message.empty()) return exit_success;
  io.err << "daedalus: the table does not keep its claims: " << message << '\n';
  return exit_run_failed;
}

}  // namespace

void add_check_table(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<TableSettings>();
  CLI::App* command = app.add_subcommand(
      "check-table", "Check a table of coefficients: order conditions, stability, its claims");
  command->add_option("file", settings->file, "JSON file with the table (see docs/own-table.md)");
  command->add_option("--method", settings->method, "Check the table of a built-in method instead");
  command->add_option("--export", settings->target,
                      "Write the table of that method to a file, as a template");
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, &session] {
    session.action = [settings, &session] {
      if (settings->file.empty() == settings->method.empty())
        throw InvalidArgument("check-table needs either a file or --method NAME");
      if (!settings->target.empty() && settings->method.empty())
        throw InvalidArgument("--export needs --method NAME: it writes a built-in table");
      return check_table(*settings, session);
    };
  });
}

}  // namespace daedalus::cli
