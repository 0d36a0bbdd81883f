// SPDX-License-Identifier: BSD-3-Clause
// daedalus order PROBLEM --method M
#include <cmath>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/method.hpp>
#include <daedalus/recommend.hpp>
#include <daedalus/testing/order.hpp>

#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/models.hpp"
#include "tool/numbers.hpp"
#include "tool/order_remark.hpp"
#include "tool/order_study.hpp"
#include "tool/paper_plot.hpp"
#include "tool/plot.hpp"
#include "tool/progress.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

struct OrderSettings {
  RunSettings run;
  std::string h, norm = "maximum", plot;
  bool json = false;
};

// Without --h: five halvings from 1/64 of the interval.
std::vector<double> steps_of(const OrderSettings& settings, const Interval& interval) {
  if (!settings.h.empty()) return parse_steps("--h", settings.h);
  std::vector<double> steps;
  for (double n = 64.0; n <= 2048.0; n *= 2.0)
    steps.push_back(std::abs(interval.to - interval.from) / n);
  return steps;
}

void print_study(const testing::OrderStudy& study, const Method* method, std::ostream& out) {
  std::vector<std::string> header{"h"};
  for (const auto& [cls, errors] : study.errors) header.insert(header.end(), {cls, "slope"});
  Table table(header, std::vector<Align>(header.size(), Align::right));
  for (std::size_t i = 0; i < study.steps.size(); ++i) {
    std::vector<std::string> row{brief(study.steps[i])};
    for (const auto& [cls, errors] : study.errors) {
      row.push_back(i < errors.size() ? fmt::format("{:.3e}", errors[i]) : "-");
      double slope = NAN;
      if (i > 0 && i < errors.size())
        slope = std::log(errors[i] / errors[i - 1]) / std::log(study.steps[i] / study.steps[i - 1]);
      row.push_back(std::isfinite(slope) ? fmt::format("{:.2f}", slope) : "");
    }
    table.add(row);
  }
  std::vector<std::string> fit{"fit"}, claim{"claimed"};
  for (const auto& [cls, errors] : study.errors) {
    const auto order = study.orders.find(cls);
    const bool known = order != study.orders.end() && std::isfinite(order->second);
    fit.insert(fit.end(), {"", known ? fmt::format("{:.2f}", order->second) : "-"});
    const double claimed = claimed_order(method, cls);
    claim.insert(claim.end(), {"", claimed > 0.0 ? brief(claimed) : "-"});
  }
  table.add(fit);
  table.add(claim);
  table.print(out);
}

Json describe_study(const testing::OrderStudy& study) {
  Json json = document();
  json["steps"] = numbers(study.steps);
  json["errors"] = Json::object();
  for (const auto& [cls, errors] : study.errors) json["errors"][cls] = numbers(errors);
  json["orders"] = Json::object();
  for (const auto& [cls, order] : study.orders) json["orders"][cls] = number(order);
  json["failure"] = text_or_null(study.failure);
  return json;
}

// Triangles have the slope nearest to what was measured; the legend says what is claimed.
void draw_study(const PreparedRun& run, const Recommendation& choice,
                const testing::OrderStudy& study, const OrderSettings& settings, AtomicFile& file) {
  Figure figure{.title = run.entry.title, .x_label = "step size h", .y_label = "error"};
  figure.subtitle = choice.method + (choice.formulation.empty() ? "" : ", " + choice.formulation) +
                    ": " + norm_text(settings.norm);
  const Method* method = find_method(choice.method);
  for (const auto& [cls, errors] : study.errors) {
    const auto fit = study.orders.find(cls);
    const double slope = fit == study.orders.end() ? NAN : fit->second;
    const double claimed = claimed_order(method, cls);
    std::string label = cls;
    if (std::isfinite(slope)) label += fmt::format(", slope {:.2f}", slope);
    if (claimed > 0.0) label += fmt::format(" (claimed {})", brief(claimed));
    figure.curves.push_back({label, study.steps, errors});
    figure.slopes.push_back(std::isfinite(slope) ? std::round(slope) : claimed);
  }
  if (study.steps.size() < 2 || figure.curves.empty())
    throw FileError("'" + settings.plot + "' was not drawn: fewer than two steps gave an error");
  draw({figure}, file);
}

int order_command(const OrderSettings& settings, Session& io) {
  std::unique_ptr<AtomicFile> picture;
  if (!settings.plot.empty()) picture = picture_file(settings.plot);
  PreparedRun run = prepare(settings.run);
  const std::vector<double> steps = steps_of(settings, run.interval);
  run.options.fixed_step = steps.front();  // methods without error control fit as well
  const Recommendation choice = recommend(run.problem, run.options);
  run.options.method = choice.method;
  run.options.formulation = choice.formulation.empty() ? "auto" : choice.formulation;
  const testing::OrderStudy study = [&] {
    RunsLine line(io.err, io.live, steps.size());
    run.options.progress = [&line](const Progress& progress) { line.update(progress); };
    return study_order(run, steps, settings.norm);
  }();
  run.options.progress = nullptr;
  if (settings.json) {
    Json json = document();
    json["method"] = choice.method;
    json["problem"] = run.entry.name;
    add_origin(json, run.entry);
    json["formulation"] = text_or_null(choice.formulation);
    json["norm"] = settings.norm;
    json.update(describe_study(study));
    json["remarks"] = order_remarks(study, find_method(choice.method), run.interval);
    mark_interrupted(json);
    print(io.out, json);
  } else {
    io.out << labelled("problem", run.entry.name + ": " + run.entry.title)
           << labelled("method", choice.formulation.empty()
                                     ? choice.method
                                     : choice.method + ", " + choice.formulation)
           << labelled("errors", norm_text(settings.norm)) << '\n';
    const Method* method = find_method(choice.method);
    if (!study.steps.empty()) print_study(study, method, io.out);
    const std::vector<std::string> remarks = order_remarks(study, method, run.interval);
    if (!remarks.empty()) io.out << '\n';
    for (const std::string& remark : remarks) io.out << labelled("remark", remark);
  }
  if (picture && study.failure.empty()) draw_study(run, choice, study, settings, *picture);
  if (study.failure.empty()) return exit_success;
  io.err << "daedalus: the study stopped: " << study.failure << '\n';
  return exit_run_failed;
}

}  // namespace

void add_order(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<OrderSettings>();
  settings->run.rtol = "1e-12";  // Newton iterations stop far below the errors of the steps
  CLI::App* command =
      app.add_subcommand("order", "Measure the order of a method with constant steps");
  add_problem_options(*command, settings->run);
  add_interval_options(*command, settings->run);
  add_method_options(*command, settings->run);
  command->add_option("--h", settings->h,
                      "Steps: a list 0.1,0.05 or a range 2^-3:2^-9 with factor 2; if not given,\n"
                      "1/64 to 1/2048 of the interval");
  command
      ->add_option("--norm", settings->norm,
                   "Error per class: maximum (largest component at the end time), relative\n"
                   "(divided by the solution), err1 (2-norm at the end time), err2 (2-norm of\n"
                   "the largest errors of the components over all steps)")
      ->capture_default_str();
  command->add_option("--start", settings->run.start, "Start values: automatic, solve, given")
      ->capture_default_str();
  command
      ->add_option("--derivatives", settings->run.derivatives,
                   "Derivatives: automatic, differences")
      ->capture_default_str();
  command->add_option("--plot", settings->plot,
                      "Draw the errors over h with triangles of their slopes, .svg or .pdf (needs\n"
                      "gnuplot)");
  command->add_flag("--json", settings->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  daedalus order jay --method bdf --h 2^-6:2^-10\n"
      "  daedalus order kvaerno-a --method rodas4 --plot order.pdf\n"
      "The orders are least-squares slopes of log(error) over log(h).");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return order_command(*settings, session); };
  });
}

}  // namespace daedalus::cli
