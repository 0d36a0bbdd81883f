// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_report.hpp"

#include <array>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/ensemble_study.hpp>

#include "tool/describe.hpp"
#include "tool/files.hpp"
#include "tool/models.hpp"
#include "tool/run_document.hpp"
#include "tool/solve_output.hpp"
#include "tool/sweep_run.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

// The median, half and nine tenths of all runs.
constexpr std::array band_probabilities{0.05, 0.25, 0.5, 0.75, 0.95};
// Beyond these a page is slow, and dots cover each other.
constexpr std::size_t most_points = 5000, most_variables = 12;

std::vector<double> end_values(const Sweep& sweep, std::size_t variable) {
  std::vector<double> values;
  for (const EnsembleRun& run : sweep.runs)
    if (run.done && run.ok && variable < run.y.size()) values.push_back(run.y[variable]);
  return values;
}

Json bands_of(const SweepSettings& settings, const PreparedRun& standard,
              const std::vector<std::string>& names, const Sweep& sweep) {
  const EnsembleBands bands =
      quantile_bands(sweep.runs, band_times(settings, standard.interval), names.size(),
                     {band_probabilities.begin(), band_probabilities.end()});
  Json json{{"t", numbers(bands.times)},
            {"probabilities", numbers(bands.probabilities)},
            {"counts", Json(bands.counts)},
            {"y", Json::object()}};
  for (std::size_t j = 0; j < std::min(names.size(), most_variables); ++j) {
    Json curves = Json::array();
    for (std::size_t p = 0; p < band_probabilities.size(); ++p) {
      std::vector<double> curve;
      for (std::size_t i = 0; i < bands.times.size(); ++i) curve.push_back(bands.value(i, j, p));
      curves.push_back(numbers(curve));
    }
    json["y"][names[j]] = std::move(curves);
  }
  return json;
}

// Every so many-th run, where there are too many for a plot.
Json points_of(const SweepPlan& plan, const std::vector<std::string>& names, const Sweep& sweep) {
  const std::size_t stride = (plan.size() + most_points - 1) / most_points;
  Json json{{"parameters", Json::object()}, {"y", Json::object()}, {"ok", Json::array()}};
  std::vector<std::size_t> shown;
  for (std::size_t k = 0; k < plan.size(); k += stride)
    if (sweep.runs[k].done) shown.push_back(k);
  for (const std::size_t k : shown) json["ok"].push_back(sweep.runs[k].ok);
  for (std::size_t d = 0; d < plan.names().size(); ++d) {
    Json column = Json::array();
    for (const std::size_t k : shown) column.push_back(number(plan.points.point(k)[d]));
    json["parameters"][plan.names()[d]] = std::move(column);
  }
  for (std::size_t j = 0; j < std::min(names.size(), most_variables); ++j) {
    Json column = Json::array();
    for (const std::size_t k : shown) {
      const EnsembleRun& run = sweep.runs[k];
      column.push_back(run.ok && j < run.y.size() ? number(run.y[j]) : Json());
    }
    json["y"][names[j]] = std::move(column);
  }
  return json;
}

}  // namespace

void print_quantiles(const Sweep& sweep, const std::vector<std::string>& names, std::ostream& out) {
  Table table({"variable", "5 %", "25 %", "50 %", "75 %", "95 %"},
              {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
  for (std::size_t j = 0; j < std::min(names.size(), most_variables); ++j) {
    std::vector<std::string> row{names[j]};
    for (const double q : quantiles(end_values(sweep, j), band_probabilities))
      row.push_back(fmt::format("{:.6g}", q));
    table.add(row);
  }
  out << fmt::format("\nquantiles of the end values, {} runs\n", sweep.done - sweep.failed);
  table.print(out, "  ");
  if (names.size() > most_variables)
    out << fmt::format("  ({} more variables)\n", names.size() - most_variables);
}

void need_sweep_report(const SweepSettings& settings) {
  if (!settings.report.empty()) need_report_page("--report", settings.report);
}

Json sweep_page_document(const SweepSettings& settings, const PreparedRun& standard,
                         const SweepPlan& plan, const std::vector<std::string>& names,
                         const Sweep& sweep) {
  Json json = document();
  json["problem"] = standard.entry.name;
  Json page{{"title", standard.entry.title}, {"set", settings.run.set},
            {"runs", sweep.wanted},          {"done", sweep.done},
            {"failed", sweep.failed},        {"seconds", number(sweep.seconds)},
            {"threads", sweep.threads},      {"statuses", Json(status_counts(sweep.runs))},
            {"failures", Json::array()},     {"quantiles", Json::object()},
            {"variables", names.size()}};
  if (plan.sampled())
    page["sampling"] = Json{{"kind", settings.sampling},
                            {"samples", settings.sample.samples},
                            {"seed", settings.sample.seed}};
  for (std::size_t j = 0; j < std::min(names.size(), most_variables); ++j)
    page["quantiles"][names[j]] = numbers(quantiles(end_values(sweep, j), band_probabilities));
  constexpr std::size_t most_failures = 50;  // as a table
  for (std::size_t k = 0; k < plan.size() && page["failures"].size() < most_failures; ++k)
    if (sweep.runs[k].done && !sweep.runs[k].ok)
      page["failures"].push_back(Json{{"run", k},
                                      {"parameters", parameters_of(plan, k)},
                                      {"status", sweep.runs[k].status},
                                      {"t", number(sweep.runs[k].t)},
                                      {"message", sweep.runs[k].message}});
  if (settings.bands >= 2) page["bands"] = bands_of(settings, standard, names, sweep);
  page["points"] = points_of(plan, names, sweep);
  json["sweep_page"] = std::move(page);
  return json;
}

void write_sweep_report(const SweepSettings& settings, const PreparedRun& standard,
                        const SweepPlan& plan, const std::vector<std::string>& names,
                        const Sweep& sweep, AtomicFile& file, Session& io) {
  file.stream() << report_page(sweep_page_document(settings, standard, plan, names, sweep));
  const std::filesystem::path name = file.commit(sweep.whole() || settings.partial);
  if (!settings.json && !settings.quiet) io.out << "report: " << name.string() << '\n';
}

}  // namespace daedalus::cli
