// SPDX-License-Identifier: BSD-3-Clause
// daedalus fit MODEL --data FILE --free k1=0.1..10
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "estimation/fit_json.hpp"
#include "tool/files.hpp"
#include "tool/fit_settings.hpp"
#include "tool/json.hpp"
#include "tool/models.hpp"
#include "tool/names.hpp"
#include "tool/progress.hpp"
#include "tool/run_document.hpp"
#include "tool/session.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

constexpr int report_points = 200;  // of a curve in the page

// Digits that tell the ends of the interval apart, three of its width.
int digits_of(const ParameterEstimate& e, int least) {
  constexpr int most = 17, of_width = 3;
  const double width = e.interval[1] - e.interval[0];
  const double size = std::max(std::abs(e.interval[0]), std::abs(e.interval[1]));
  if (!(width > 0.0) || !std::isfinite(size / width)) return width == 0.0 ? most : least;
  return std::clamp(static_cast<int>(std::ceil(std::log10(size / width))) + of_width, least, most);
}

std::string range_text(const ParameterEstimate& e) {
  if (!std::isfinite(e.sd)) return "not determined";
  const int digits = digits_of(e, 6);
  return fmt::format("{:.{}g} .. {:.{}g}", e.interval[0], digits, e.interval[1], digits);
}

void print_estimates(const FitResult& r, double confidence, std::ostream& out) {
  Table table({"parameter", "estimate", "standard error",
               fmt::format("{:g} % interval", 100 * confidence), "start", "remark"},
              {Align::left, Align::right, Align::right, Align::left, Align::right, Align::left});
  for (const ParameterEstimate& e : r.estimates)
    table.add({e.name, fmt::format("{:.{}g}", e.value, digits_of(e, 8)),
               std::isfinite(e.sd) ? brief(e.sd) : "-", range_text(e), brief(e.start),
               e.at_bound ? "at a bound"
               : e.log    ? "by its logarithm"
                          : ""});
  table.print(out);
}

void print_correlations(const FitResult& r, std::ostream& out) {
  constexpr double strong = 0.95;  // worth a line
  for (Eigen::Index i = 0; i < r.correlation.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (std::abs(r.correlation(i, j)) > strong)
        out << fmt::format("correlation of {} and {}: {:.4f}\n",
                           r.estimates[static_cast<std::size_t>(j)].name,
                           r.estimates[static_cast<std::size_t>(i)].name, r.correlation(i, j));
}

void print_fit(const FitResult& r, const Fit& fit, Session& io) {
  io.out << labelled("status", fmt::format("{}{}{}", to_string(r.status),
                                           r.message.empty() ? "" : ": ", r.message));
  if (r.estimates.empty()) return;
  print_estimates(r, fit.confidence, io.out);
  io.out << labelled("cost", fmt::format("{:.10g} of {} values, {} degrees of freedom", r.cost,
                                         r.points, r.degrees_of_freedom));
  io.out << labelled(
      "sigmas",
      r.sigma_known
          ? fmt::format("known; 2 cost/dof is {}, 1 is expected", brief(r.variance))
          : fmt::format("estimated: {} times those of the weights", brief(std::sqrt(r.variance))));
  for (const FittedExperiment& e : r.experiments)
    io.out << labelled("residuals",
                       fmt::format("{}: {} sigma (root mean square)", e.name, brief(e.rms)));
  print_correlations(r, io.out);
  if (r.starts.size() > 1)
    io.out << labelled(
        "starts", fmt::format("{} of {} reached this minimum", r.reached_best, r.starts.size()));
  io.out << labelled("work", fmt::format("{} runs, {} failed, derivatives {}, {}", r.runs,
                                         r.failed_runs, r.derivative, brief_time(r.seconds)));
}

Json fit_document(const FitSettings& settings, const Fit& fit, const FitResult& r) {
  Json json = document();
  json["problem"] = fit.model.name;
  add_origin(json, require_problem(settings.run.problem));
  json.update(estimation::describe_fit(r));
  return json;
}

// The result of a search that was cut short replaces none of a whole one.
void commit(AtomicFile& file, bool good, Session& io) {
  const std::filesystem::path name = file.commit(good);
  if (name != file.target())
    io.err << fmt::format("daedalus: '{}' stays as it was; what was found is in '{}'\n",
                          file.target().string(), name.string());
}

void write_page(const Fit& fit, const Json& json, bool good, AtomicFile& file, Session& io) {
  Json page = json;
  page["title"] = fit.model.title.empty() ? fit.model.name : fit.model.title;
  page["confidence"] = fit.confidence;
  page["loss"] = std::string(to_string(fit.loss));
  page["command"] = io.command;
  file.stream() << report_page(page);
  commit(file, good, io);
}

void check_names(const FitSettings& settings) {
  if (!settings.out.empty() && std::filesystem::path(settings.out).extension() != ".json")
    throw InvalidArgument("--out has '" + settings.out + "'; the name must end in .json");
  refuse_one_file_for_two(
      {{"--journal", settings.journal}, {"--out", settings.out}, {"--report", settings.report}});
  if (!settings.report.empty()) need_report_page("--report", settings.report);
}

int fit_command(const FitSettings& settings, Session& io) {
  check_names(settings);
  Fit fit = fit_of(settings);
  if (!settings.report.empty()) fit.curve_points = report_points;
  std::optional<AtomicFile> out, page;  // places that cannot be written end it before the search
  if (!settings.out.empty()) out.emplace(settings.out);
  if (!settings.report.empty()) page.emplace(settings.report);
  const bool live = io.live && !settings.quiet;
  if (live)
    fit.progress = [&io](const FitProgress& p) {
      io.err << fmt::format(
                    "\r\033[Kstart {} of {}, iteration {}: cost {:.6g}, step {:.2g}, {} "
                    "failed trials, best {:.6g}",
                    p.start + 1, p.starts, p.iteration, p.cost, p.step, p.failed_trials, p.best)
             << std::flush;
    };
  const InterruptGuard guard;
  fit.cancel = InterruptGuard::requested;
  const FitResult result = daedalus::fit(fit);
  if (live) io.err << "\r\033[K" << std::flush;
  const Json json = fit_document(settings, fit, result);
  if (out) {
    out->stream() << line(json) << '\n';
    commit(*out, result.ok(), io);
  }
  if (page && !result.estimates.empty()) write_page(fit, json, result.ok(), *page, io);
  if (settings.json)
    print(io.out, json);
  else if (!settings.quiet)
    print_fit(result, fit, io);
  for (const std::string& w : result.warnings) io.err << "daedalus: " << w << '\n';
  if (result.ok()) return exit_success;
  io.err << fmt::format("daedalus: {}: {}\n", to_string(result.status), result.message);
  return exit_run_failed;
}

}  // namespace

void add_fit(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<FitSettings>();
  CLI::App* command =
      app.add_subcommand("fit", "Estimate parameters of a model from measured data");
  command->footer(
      "Data are CSV: names in the first line, t in the first column, x.sigma beside x for "
      "standard\n"
      "deviations, empty cells where a value is missing. docs/estimation.md has the details.\n"
      "Examples:\n"
      "  daedalus fit reactions.json --data abc.csv --free k1=0.1..10,k2=0.01..1 --sigma "
      "A=0.01,B=0.01,C=0.01\n"
      "  daedalus fit enzyme.json --data enzyme-1.csv --data enzyme-2.csv --free "
      "kf=0.1..100,kr=0.01..10,kcat=0.1..10\n"
      "      --sigma S=0.005,P=0.005 --loss soft-l1 --starts 20 --report fit.html");
  add_problem_options(*command, settings->run);
  add_fit_options(*command, *settings);
  add_method_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  add_loop_options(*command, settings->run);
  command->add_flag("--json", settings->json, "Print JSON");
  command->add_flag("--quiet", settings->quiet, "Print no report; files are written all the same");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return fit_command(*settings, session); };
  });
}

}  // namespace daedalus::cli
