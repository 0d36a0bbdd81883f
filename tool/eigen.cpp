// SPDX-License-Identifier: BSD-3-Clause
// daedalus eigen PROBLEM [--at t|equilibrium] [--report PAGE --mode N]: finite eigenvalues of the
// linearised equations; of mechanisms, how their bodies move.
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/analysis.hpp>

#include "tool/json.hpp"
#include "tool/mechanisms.hpp"
#include "tool/mode_page.hpp"
#include "tool/models.hpp"
#include "tool/numbers.hpp"
#include "tool/progress.hpp"
#include "tool/run_document.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

struct EigenSettings {
  RunSettings run;
  std::string at, report;
  int mode = 1;
  bool json = false;
};

struct EigenResult {
  Eigenvalues eigenvalues;
  std::string steady;  // how the equilibrium was found
};

EigenResult eigen_result(const EigenSettings& settings, const PreparedRun& run) {
  if (settings.at == "equilibrium") {
    const SteadyState at = steady_state(run.problem, run.interval.from, run.options);
    return {eigenvalues(run.problem, at, run.options), at.message};
  }
  double t = run.interval.from;
  if (!settings.at.empty()) {
    try {
      t = parse_number("--at", settings.at);
    } catch (const InvalidArgument&) {
      throw InvalidArgument(fmt::format(
          "--at has '{}'; allowed are a time from {} on, or equilibrium", settings.at, t));
    }
    if (t < run.interval.from)
      throw InvalidArgument(fmt::format("--at has '{}'; allowed are times from {} on", settings.at,
                                        run.interval.from));
  }
  return {eigenvalues(run.problem, run.interval.from, t, run.options), {}};
}

Json eigen_json(const EigenResult& result, const PreparedRun& run) {
  const problems::Entry& entry = run.entry;
  const Eigenvalues& e = result.eigenvalues;
  Json json = document();
  json["problem"] = entry.name;
  add_origin(json, entry);
  json["status"] = e.found ? "success" : "failed";
  json["message"] = text_or_null(e.found ? result.steady : e.message);
  json["t"] = number(e.t);
  json["equilibrium"] = e.equilibrium;
  json["state"] = e.state.size() > 0 ? Json::object() : Json(nullptr);
  for (Eigen::Index i = 0; i < e.state.size(); ++i)
    json["state"][e.names[static_cast<std::size_t>(i)]] = number(e.state[i]);
  json["eigenvalues"] = e.found ? Json::array() : Json(nullptr);
  for (const std::complex<double>& v : e.values)
    json["eigenvalues"].push_back(Json{{"re", number(v.real())}, {"im", number(v.imag())}});
  json["degrees_of_freedom"] = e.found ? Json(e.degrees_of_freedom) : Json(nullptr);
  json["index"] = e.found ? Json(e.index) : Json(nullptr);
  json["gap"] = e.found ? number(e.gap) : Json(nullptr);
  const auto m = mechanism_of(run);
  json["modes"] = m && e.found ? modes_array(*m, e) : Json(nullptr);
  json["warnings"] = e.warnings;
  return json;
}

void print_eigen(const EigenResult& result, const PreparedRun& run, Session& io) {
  const Eigenvalues& e = result.eigenvalues;
  io.out << labelled("problem",
                     fmt::format("{}: {}", io.paint.bold(run.entry.name), run.entry.title));
  if (!e.found) {
    io.out << labelled("result", io.paint.bad("none") + ": " + e.message);
    return;
  }
  io.out << labelled("state", e.equilibrium ? fmt::format("equilibrium with t = {:.6g}", e.t)
                                            : fmt::format("at t = {:.6g}", e.t));
  if (!result.steady.empty()) io.out << labelled("search", result.steady);
  io.out << labelled("freedom", fmt::format("{} finite eigenvalue{}", e.degrees_of_freedom,
                                            e.degrees_of_freedom == 1 ? "" : "s"));
  if (e.equilibrium)
    io.out << labelled(
        "stability", e.stable() ? io.paint.good("no growing solution") : io.paint.bad("unstable"));
  for (const std::string& warning : e.warnings) io.out << labelled("warning", warning);
  if (e.values.empty()) return;
  io.out << "\n";
  Table table({"real part", "imaginary part", "period"},
              {Align::right, Align::right, Align::right});
  for (const std::complex<double>& v : e.values)
    table.add({fmt::format("{:.10g}", v.real()), fmt::format("{:.10g}", v.imag()),
               v.imag() != 0.0 ? fmt::format("{:.6g}", 2.0 * 3.141592653589793 / std::abs(v.imag()))
                               : ""});
  table.print(io.out, "  ");
}

int eigen_command(const EigenSettings& settings, Session& io) {
  PreparedRun run = prepare(settings.run);
  std::optional<AtomicFile> page;
  if (!settings.report.empty()) {
    need_report_page("--report", settings.report);
    page.emplace(settings.report);
  }
  const EigenResult result = [&] {
    ProgressBar bar(io.err, io.live, run.interval.from);
    run.options.progress = [&bar](const Progress& progress) { bar.update(progress); };
    return eigen_result(settings, run);
  }();
  run.options.progress = nullptr;
  if (page && result.eigenvalues.found) {
    const auto m = mechanism_of(run);
    if (!m)
      throw InvalidArgument(
          fmt::format("--report shows modes of mechanisms; '{}' is none", run.entry.name));
    write_mode_page(*page, settings.mode, run, *m, result.eigenvalues);
  }
  if (settings.json) {
    Json json = eigen_json(result, run);
    if (!result.eigenvalues.found) mark_interrupted(json);
    print(io.out, json);
  } else {
    print_eigen(result, run, io);
  }
  return result.eigenvalues.found ? exit_success : exit_run_failed;
}

}  // namespace

void add_eigen(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<EigenSettings>();
  CLI::App* command =
      app.add_subcommand("eigen", "Finite eigenvalues of the linearised equations at a state");
  add_problem_options(*command, settings->run);
  add_method_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  command->add_option("--at", settings->at,
                      "A time, reached from the start values, or equilibrium; default: the start");
  command->add_option("--report", settings->report,
                      "Of mechanisms: write a page, mode.html, in which a mode moves");
  add_whole(*command, "--mode", settings->mode, "Which of those that swing, slowest first", 1,
            1'000'000);
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return eigen_command(*settings, session); };
  });
}

}  // namespace daedalus::cli
