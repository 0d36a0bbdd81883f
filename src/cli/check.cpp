// daedalus check PROBLEM
#include <cmath>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/solve.hpp>

#include "cli/json.hpp"
#include "cli/numbers.hpp"
#include "cli/session.hpp"
#include "cli/settings.hpp"
#include "cli/table.hpp"

namespace daedalus::cli {
namespace {

constexpr std::size_t worst_shown = 8;
// Central differences agree with exact derivatives to about 1e-8; this leaves room for bad scaling.
constexpr double jacobian_tolerance = 1e-5;

Json known(int value) { return value >= 0 ? Json(value) : Json(nullptr); }
Json positive(double value) { return value > 0.0 ? number(value) : Json(nullptr); }
std::string known_text(int value) { return value >= 0 ? std::to_string(value) : "not computed"; }

Json describe_check(const Check& check, const std::string& problem) {
  Json json = document();
  json["problem"] = problem;
  json["index"] = Json{{"structural", known(check.structural_index)},
                       {"numerical", known(check.numerical_index)},
                       {"gap", positive(check.gap)}};
  json["why"] = check.why;
  json["redundant"] = check.redundant;
  json["advice"] = check.advice;
  json["degrees_of_freedom"] = known(check.degrees_of_freedom);
  json["consistent"] = check.consistent;
  json["residuals"] = Json::array();
  for (const Check::Residual& r : check.residuals)
    json["residuals"].push_back(Json{{"equation", r.equation}, {"value", number(r.value)}});
  json["jacobian"] = Json{{"max_error", number(check.jacobian_error)},
                          {"worst_entry", text_or_null(check.worst_entry)}};
  json["stiffness"] = positive(check.stiffness);
  json["warnings"] = check.warnings;
  return json;
}

void print_check(const Check& check, const PreparedRun& run, Session& io) {
  std::ostream& out = io.out;
  out << labelled("problem",
                  fmt::format("{}: {} ({}, declared index {})", io.paint.bold(run.entry.name),
                              run.entry.title, run.entry.form, run.entry.index));
  std::string index = fmt::format("structural {}, numerical {}", known_text(check.structural_index),
                                  known_text(check.numerical_index));
  if (check.gap > 0.0) index += fmt::format(" (gap of the rank decision {:.2g})", check.gap);
  out << labelled("index", index);
  for (const std::string& reason : check.why) out << labelled("", reason);
  out << labelled("freedom", check.degrees_of_freedom >= 0
                                 ? fmt::format("{} degree{} of freedom", check.degrees_of_freedom,
                                               check.degrees_of_freedom == 1 ? "" : "s")
                                 : std::string("not computed"))
      << labelled("start",
                  check.consistent ? io.paint.good("consistent") : io.paint.bad("not consistent"));
  const bool wrong = !(check.jacobian_error <= jacobian_tolerance);
  std::string jacobian =
      fmt::format("largest error against differences {:.2g}", check.jacobian_error);
  if (!check.worst_entry.empty()) jacobian += " in " + check.worst_entry;
  out << labelled("derivatives", wrong ? io.paint.bad("wrong") + ": " + jacobian : jacobian);
  if (check.stiffness > 0.0)
    out << labelled("stiffness", fmt::format("ratio of eigenvalues about {:.1e}", check.stiffness));
  for (const std::string& equations : check.redundant) out << labelled("redundant", equations);
  for (const std::string& advice : check.advice) out << labelled("scaling", advice);
  for (const std::string& warning : check.warnings) out << labelled("warning", warning);
  if (check.residuals.empty()) return;
  out << "\nlargest residuals at the start values\n";
  Table table({"equation", "residual"}, {Align::left, Align::right});
  for (std::size_t i = 0; i < std::min(worst_shown, check.residuals.size()); ++i)
    table.add({check.residuals[i].equation, fmt::format("{:.3e}", check.residuals[i].value)});
  table.print(out, "  ");
  if (check.residuals.size() > worst_shown)
    out << fmt::format("  ({} more with --json)\n", check.residuals.size() - worst_shown);
}

int check_command(const RunSettings& settings, bool as_json, Session& io) {
  const PreparedRun run = prepare(settings);
  const Check result = check(run.problem, run.interval.from, run.options);
  if (as_json)
    print(io.out, describe_check(result, run.entry.name));
  else
    print_check(result, run, io);
  return exit_success;
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  struct Settings {
    RunSettings run;
    bool json = false;
  };
  const auto settings = std::make_shared<Settings>();
  CLI::App* command = app.add_subcommand(
      "check", "Check a problem: index, consistency of its start values, derivatives");
  add_problem_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, &session] {
    session.action = [settings, &session] {
      return check_command(settings->run, settings->json, session);
    };
  });
}

}  // namespace daedalus::cli
