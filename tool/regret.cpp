// SPDX-License-Identifier: BSD-3-Clause
#include "tool/regret.hpp"

#include <cmath>
#include <limits>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/solve.hpp>

#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/progress.hpp"
#include "tool/reference.hpp"
#include "tool/table.hpp"
#include "tool/work_run.hpp"

namespace daedalus::cli {
namespace {

// Absolute tolerances per variable as the catalogue scales them; the names come with any solution.
Options options_for(const problems::Entry& entry, const Problem& problem, double tol,
                    long max_steps) {
  Options options;
  options.rtol = tol;
  options.atol = tol;
  options.max_steps = max_steps;
  if (!entry.atol_scale.empty())
    options.atol = bench::absolute_tolerance(
        entry, solve(problem, {entry.t0, entry.t0}, options).variables().names, tol);
  return options;
}

std::string with_formulation(const std::string& method, const std::string& formulation) {
  return formulation.empty() ? method : method + " " + formulation;
}

RegretSummary summary_of(const std::vector<RegretRow>& rows) {
  std::vector<Regret> regrets;
  for (const RegretRow& row : rows) regrets.push_back(row.regret);
  return summarise(regrets);
}

std::string worst_at(const std::vector<RegretRow>& rows, const RegretSummary& summary) {
  const RegretRow& row = rows[static_cast<std::size_t>(summary.worst_row)];
  return fmt::format("{} at {:.0e}", row.problem, row.rtol);
}

}  // namespace

RegretRow measure_row(const problems::Entry& entry, double tol, const RegretCommand& settings) {
  const Problem problem = entry.problem();
  const Options options = options_for(entry, problem, tol, settings.max_steps);
  const ChosenParameters standard = choose_parameters(entry, {});
  const Digits digits = [&](const Solution& s) {
    const auto target = target_at(entry, standard, s.end_time());
    if (!target || !s.ok()) return std::numeric_limits<double>::quiet_NaN();
    const ModelState end = s.end();
    return measure_error(end.view(), *target, options.rtol, options.atol).mescd;
  };
  RegretSettings contest{.enough = -std::log10(tol) - 1.0,
                         .repetitions = settings.repetitions,
                         .methods = settings.methods};
  contest.cancel = InterruptGuard::requested;
  return {entry.name, tol,
          measure_regret(problem, {entry.t0, entry.t_end}, options, digits, contest)};
}

Json describe_regret(const std::vector<RegretRow>& rows) {
  Json list = Json::array();
  for (const RegretRow& row : rows) {
    const MeasuredRun &chosen = row.regret.chosen, &best = row.regret.best;
    const bool alone = best.method.empty();
    list.push_back(Json{{"problem", row.problem},
                        {"rtol", number(row.rtol)},
                        {"chosen", chosen.solver},
                        {"chosen_formulation", text_or_null(chosen.solver_formulation)},
                        {"chosen_status", chosen.status},
                        {"chosen_mescd", number(chosen.digits)},
                        {"chosen_seconds", chosen.ok ? number(chosen.seconds) : Json()},
                        {"best", text_or_null(best.solver)},
                        {"best_formulation", text_or_null(best.solver_formulation)},
                        {"best_mescd", alone ? Json() : number(best.digits)},
                        {"best_seconds", alone ? Json() : number(best.seconds)},
                        {"competitors", row.regret.competitors},
                        {"failed", row.regret.failed()},
                        {"ratio", number(row.regret.ratio())}});
  }
  return list;
}

void print_regret(const std::vector<RegretRow>& rows, std::ostream& out) {
  Table table(
      {"problem", "rtol", "chosen", "mescd", "seconds", "cheapest", "mescd", "seconds", "ratio"},
      {Align::left, Align::right, Align::left, Align::right, Align::right, Align::left,
       Align::right, Align::right, Align::right});
  const auto shown = [](double x, const char* format) {
    return std::isnan(x) ? std::string("-") : fmt::format(fmt::runtime(format), x);
  };
  for (const RegretRow& row : rows) {
    const MeasuredRun &chosen = row.regret.chosen, &best = row.regret.best;
    const bool alone = best.method.empty();
    table.add(
        {row.problem, fmt::format("{:.0e}", row.rtol),
         chosen.ok ? with_formulation(chosen.solver, chosen.solver_formulation) : chosen.status,
         shown(chosen.digits, "{:.2f}"), chosen.ok ? shown(chosen.seconds, "{:.2e}") : "-",
         alone ? "-" : with_formulation(best.solver, best.solver_formulation),
         alone ? "-" : shown(best.digits, "{:.2f}"), alone ? "-" : shown(best.seconds, "{:.2e}"),
         shown(row.regret.ratio(), "{:.2f}")});
  }
  table.print(out);
  const RegretSummary s = summary_of(rows);
  out << fmt::format("median {}, worst {}{}; {} failure{} where a competitor succeeds\n",
                     shown(s.median, "{:.2f}"), shown(s.worst, "{:.2f}"),
                     s.worst_row < 0 ? "" : " (" + worst_at(rows, s) + ")", s.failures,
                     s.failures == 1 ? "" : "s");
}

int regret_command(const std::vector<std::string>& names, const RegretCommand& settings, bool json,
                   Session& io) {
  std::vector<const problems::Entry*> entries;
  for (const std::string& name : names) entries.push_back(&require_problem(name));
  if (names.empty())
    for (const problems::Entry* e : problems::all_problems())
      if (e->in_suite("core")) entries.push_back(e);
  std::vector<RegretRow> rows;
  RunsLine line(io.err, io.live, entries.size() * settings.tolerances.size());
  for (const problems::Entry* e : entries)
    for (const double tol : settings.tolerances) {
      if (InterruptGuard::requested()) break;
      line.begin(fmt::format("{} at {}", e->name, brief(tol)));
      RegretRow row = measure_row(*e, tol, settings);
      if (!InterruptGuard::requested()) rows.push_back(std::move(row));  // it ended by itself
    }
  line.done();
  const int code = InterruptGuard::requested() ? say_interrupted(io) : exit_success;
  if (!json) {
    print_regret(rows, io.out);
    return code;
  }
  const RegretSummary s = summary_of(rows);
  Json answer = document();
  answer["runs"] = Json::array();
  answer["regret"] = describe_regret(rows);
  answer["summary"] = Json{{"rows", s.rows},
                           {"median", number(s.median)},
                           {"worst", number(s.worst)},
                           {"worst_at", s.worst_row < 0 ? Json() : Json(worst_at(rows, s))},
                           {"failures", s.failures}};
  mark_interrupted(answer);
  print(io.out, answer);
  return code;
}

}  // namespace daedalus::cli
