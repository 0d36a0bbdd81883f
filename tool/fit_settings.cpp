// SPDX-License-Identifier: BSD-3-Clause
#include "tool/fit_settings.hpp"

#include <fmt/format.h>

#include "kernel/nearest.hpp"

namespace daedalus::cli {
namespace {

// a=1,b=2 of one or several occurrences of an option.
std::map<std::string, double> assigned(const std::string& option,
                                       const std::vector<std::string>& texts) {
  std::map<std::string, double> values;
  for (const std::string& text : texts)
    for (const std::string& part : split(text, ',')) {
      const auto [name, value] = parse_assignment(option, part);
      values[name] = value;
    }
  return values;
}

Loss loss_named(const std::string& name) {
  for (const Loss loss : {Loss::linear, Loss::huber, Loss::soft_l1, Loss::cauchy})
    if (to_string(loss) == name) return loss;
  throw InvalidArgument(
      fmt::format("--loss has '{}'; allowed are linear, huber, soft-l1 and cauchy", name));
}

// FILE or FILE,name=value,...
Experiment experiment_of(const std::string& text, DataOptions options) {
  const std::vector<std::string> parts = split(text, ',');
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const auto [name, value] = parse_assignment("--data", parts[k]);
    options.set[name] = value;
  }
  return read_experiment(parts.front(), options);
}

std::vector<Experiment> experiments_of(const FitSettings& s) {
  DataOptions options{.sigma = assigned("--sigma", s.sigma),
                      .scale = assigned("--scale", s.scale),
                      .weight = assigned("--weight", s.weight),
                      .shared_names = true};
  for (const std::string& text : s.ignore)
    for (const std::string& name : split(text, ',')) options.ignore.push_back(name);
  std::vector<Experiment> list;
  std::vector<std::string> columns;
  for (const std::string& text : s.data) {
    Experiment e = experiment_of(text, options);
    const auto same = std::count_if(list.begin(), list.end(), [&](const Experiment& other) {
      return other.name == e.name || other.name.starts_with(e.name + "-");
    });
    if (same > 0) e.name += fmt::format("-{}", same + 1);
    for (const Measurement& m : e.outputs) columns.push_back(m.name);
    list.push_back(std::move(e));
  }
  for (const auto& [option, given] :
       {std::pair{"--sigma", &options.sigma}, std::pair{"--scale", &options.scale},
        std::pair{"--weight", &options.weight}})
    for (const auto& [name, value] : *given)
      if (std::find(columns.begin(), columns.end(), name) == columns.end())
        throw InvalidArgument(fmt::format("{} has '{}', which is no column of the data.{}", option,
                                          name, suggestion(name, columns)));
  return list;
}

}  // namespace

Fit fit_of(const FitSettings& s) {
  PreparedRun run = prepare(s.run);
  Fit fit{.model = run.circuit ? run.circuit->entry() : run.entry};
  // Events and start strategy of the model come with each run, for its own values.
  fit.options = std::move(run.options);
  fit.options.events.clear();
  if (s.run.start == "automatic") {
    fit.options.start = StartStrategy::automatic;
    fit.options.fixed.clear();
  }
  fit.options.progress = {};
  if (!run.circuit) fit.set = run.parameters.all;
  fit.experiments = experiments_of(s);
  for (const std::string& text : s.free)
    for (const std::string& part : split(text, ',')) fit.free.push_back(parse_free(part));
  fit.loss = loss_named(s.loss);
  fit.loss_scale = parse_number("--loss-scale", s.loss_scale);
  fit.confidence = parse_number("--confidence", s.confidence);
  if (!s.trial_seconds.empty())
    fit.trial_seconds = parse_number("--trial-seconds", s.trial_seconds);
  fit.sigma_known = s.sigma_known;
  fit.starts = static_cast<int>(s.starts);
  fit.seed = static_cast<unsigned>(s.seed);
  fit.max_iterations = static_cast<int>(s.max_iterations);
  fit.by_differences = s.by_differences;
  fit.journal = s.journal;
  fit.threads =
      s.threads == "auto" ? 0 : static_cast<int>(parse_whole("--threads", s.threads, 1, 4096));
  return fit;
}

void add_fit_options(CLI::App& command, FitSettings& s) {
  s.run.rtol = "1e-10";  // costs have eight digits then
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* help) {
    return command.add_option(name, values, help)->allow_extra_args(false);
  };
  list("--data", s.data, "CSV file of one experiment, FILE or FILE,name=value,...; repeatable")
      ->required();
  list("--free", s.free,
       "What the fit may change: name, name=START, name=FROM..TO, name=FROM..TO@START, with :log\n"
       "behind; start:x is a start value, run2.k1 belongs to the experiment run2; a,b,...")
      ->required();
  list("--sigma", s.sigma, "Standard deviation of columns without one, x=0.01,...");
  list("--scale", s.scale, "Factors on columns, from the unit of the file to that of the model");
  list("--weight", s.weight, "Factors on the residuals of columns, x=2,...");
  list("--ignore", s.ignore, "Columns that are no data, a,b,...");
  command.add_option("--loss", s.loss, "Loss: linear, huber, soft-l1, cauchy")
      ->capture_default_str();
  command.add_option("--loss-scale", s.loss_scale, "Where the loss begins to bend, in sigmas")
      ->capture_default_str();
  command.add_flag_function(
      "--sigma-known", [&s](std::int64_t n) { s.sigma_known = n > 0; },
      "Sigmas are standard deviations, not only weights (=false: weights); standard: if all\n"
      "data have one");
  command.add_option("--confidence", s.confidence, "Of intervals and bands")->capture_default_str();
  add_whole(command, "--starts", s.starts,
            "Searches, from the best points of a Latin hypercube in the bounds", 1, 100000);
  add_whole(command, "--seed", s.seed, "Of that hypercube", 0, 4294967295);
  add_whole(command, "--max-iterations", s.max_iterations, "Of one search", 1, 1000000);
  command.add_option("--trial-seconds", s.trial_seconds,
                     "A longer run counts as failed; 100 times the first one if not given");
  command.add_flag("--differences", s.by_differences,
                   "Derivatives by differences of runs, even where runs carry them");
  command.add_option("--threads", s.threads, "Runs at the same time; auto: one per core")
      ->capture_default_str();
  command.add_option("--journal", s.journal,
                     "Keep evaluated points in this file and go on where it ends");
  command.add_option("--report", s.report,
                     "Write a page with data, curves and residuals, fit.html");
  command.add_option("--out", s.out, "Write the result, fit.json");
}

}  // namespace daedalus::cli
