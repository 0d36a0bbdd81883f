// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include <fmt/format.h>

#include "tool/bench.hpp"
#include "tool/models.hpp"
#include "tool/numbers.hpp"
#include "tool/table.hpp"
#include "tool/work_curve.hpp"

namespace daedalus::cli {
namespace {

using bench::summary_digits;
constexpr double no_time = std::numeric_limits<double>::quiet_NaN();

double least_time(const std::vector<BenchLine>& lines, const problems::Entry* entry,
                  double digits) {
  double least = no_time;
  for (const BenchLine& l : lines)
    if (const double s = seconds_at(l, digits); l.entry == entry && !(s >= least) && s > 0.0)
      least = s;
  return least;
}

std::string solver_text(const BenchLine& line, const bench::Run& run) {
  return line.method == "auto" ? "auto: " + run.solver : line.method;
}

// Of a whole line: the automatic choice may differ between its runs.
std::string solver_text(const BenchLine& line) {
  const auto differs = [&](const bench::Run& r) { return r.solver != line.runs.front().solver; };
  return line.runs.empty() || std::any_of(line.runs.begin(), line.runs.end(), differs)
             ? line.method
             : solver_text(line, line.runs.front());
}

}  // namespace

double seconds_at(const BenchLine& line, double mescd) { return bench::time_at(line.runs, mescd); }

Json describe(const BenchLine& line, const bench::Run& run) {
  const LoadedProblem* from = loaded_from_file(*line.entry);
  return Json{{"problem", line.entry->name},
              {"kind", from ? from->kind : "catalogue"},
              {"file", from ? Json(from->file) : Json(nullptr)},
              {"solver", run.solver},
              {"asked", line.method},
              {"library", run.library},
              {"formulation", text_or_null(run.formulation)},
              {"rtol", number(run.tol)},
              {"atol", number(run.tol)},
              {"status", run.status},
              {"message", text_or_null(run.ok ? "" : run.message)},
              {"mescd", number(run.ok ? run.mescd : no_time)},
              {"seconds", number(run.seconds)},
              {"steps", run.accepted + run.rejected},
              {"accepted", run.accepted},
              {"rejected", run.rejected},
              {"function_evaluations", run.evaluations},
              {"jacobian_evaluations", run.jacobians},
              {"factorisations", run.factorisations}};
}

Json describe_summary(const std::vector<BenchLine>& lines) {
  Json list = Json::array();
  for (const BenchLine& l : lines)
    for (const double digits : summary_digits) {
      const double seconds = seconds_at(l, digits);
      if (std::isnan(seconds)) continue;
      list.push_back(Json{{"problem", l.entry->name},
                          {"solver", l.method},
                          {"mescd", digits},
                          {"seconds", number(seconds)},
                          {"ratio", number(seconds / least_time(lines, l.entry, digits))}});
    }
  return list;
}

void print_lines(const std::vector<BenchLine>& lines, std::ostream& out) {
  Table table({"problem", "method", "formulation", "rtol", "mescd", "steps", "f", "Jacobians", "LU",
               "CPU time"},
              {Align::left, Align::left, Align::left, Align::right, Align::right, Align::right,
               Align::right, Align::right, Align::right, Align::right});
  for (const BenchLine& l : lines)
    for (const bench::Run& r : l.runs)
      table.add({l.entry->name, solver_text(l, r), r.formulation.empty() ? "-" : r.formulation,
                 brief(r.tol),
                 !r.ok                 ? r.status
                 : std::isnan(r.mescd) ? std::string("-")
                                       : fmt::format("{:.2f}", r.mescd),
                 std::to_string(r.accepted + r.rejected), std::to_string(r.evaluations),
                 std::to_string(r.jacobians), std::to_string(r.factorisations),
                 brief_time(r.seconds)});
  table.print(out);
}

void print_summary(const std::vector<BenchLine>& lines, std::ostream& out) {
  out << "\nCPU time over the least one, at so many digits (mescd)\n";
  std::vector<std::string> header{"problem", "method"};
  for (const double digits : summary_digits) header.push_back(brief(digits));
  Table table(header,
              {Align::left, Align::left, Align::right, Align::right, Align::right, Align::right});
  for (const BenchLine& l : lines) {
    std::vector<std::string> row{l.entry->name, solver_text(l)};
    for (const double digits : summary_digits) {
      const double seconds = seconds_at(l, digits);
      row.push_back(std::isnan(seconds)
                        ? "-"
                        : fmt::format("{:.2f}", seconds / least_time(lines, l.entry, digits)));
    }
    table.add(row);
  }
  table.print(out);
}

void write_csv(const std::vector<BenchLine>& lines, std::ostream& out) {
  out << "problem,method,formulation,rtol,status,mescd,accepted,rejected,function_evaluations,"
         "jacobian_evaluations,factorisations,seconds,library,asked\n";
  for (const BenchLine& l : lines)
    for (const bench::Run& r : l.runs)
      out << fmt::format(
          "{},{},{},{:.3g},{},{},{},{},{},{},{},{:.6e},{},{}\n", l.entry->name, r.solver,
          r.formulation, r.tol, r.status,
          r.ok && !std::isnan(r.mescd) ? fmt::format("{:.6f}", r.mescd) : std::string(), r.accepted,
          r.rejected, r.evaluations, r.jacobians, r.factorisations, r.seconds, r.library, r.asked);
}

std::vector<Figure> work_precision_figures(const std::vector<BenchLine>& lines) {
  std::vector<Figure> figures;
  std::vector<const problems::Entry*> entries;
  for (const BenchLine& l : lines)
    if (std::find(entries.begin(), entries.end(), l.entry) == entries.end())
      entries.push_back(l.entry);
  for (const problems::Entry* entry : entries) {
    Figure time{.title = entry->title,
                .x_label = "error (10^-mescd)",
                .y_label = "CPU time in seconds",
                .reverse_x = true};
    Figure work = time;
    work.y_label = "evaluations of the right-hand side or residual";
    for (const BenchLine& l : lines) {
      if (l.entry != entry) continue;
      Curve seconds{solver_text(l), {}, {}}, evaluations = seconds;
      for (const bench::Run& r : l.runs) {
        const double error = r.ok ? std::pow(10.0, -r.mescd) : no_time;
        seconds.x.push_back(error);
        evaluations.x.push_back(error);
        seconds.y.push_back(std::max(r.seconds, 1e-6));
        evaluations.y.push_back(static_cast<double>(r.evaluations));
      }
      time.curves.push_back(std::move(seconds));
      work.curves.push_back(std::move(evaluations));
    }
    figures.push_back(std::move(time));
    figures.push_back(std::move(work));
  }
  return figures;
}

}  // namespace daedalus::cli
