// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_document.hpp"

#include <algorithm>
#include <limits>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/ensemble_study.hpp>
#include <daedalus/status.hpp>

#include "io/trajectory_formats.hpp"
#include "tool/describe.hpp"
#include "tool/models.hpp"
#include "tool/sweep_engine.hpp"

namespace daedalus::cli {

void count_runs(Sweep& sweep, const SweepPlan& plan) {
  sweep.wanted = sweep.done = sweep.failed = 0;
  for (std::size_t k = 0; k < plan.size(); ++k) {
    sweep.wanted += sweep.shard.has(k) ? 1 : 0;
    sweep.done += sweep.runs[k].done ? 1 : 0;
    sweep.failed += sweep.runs[k].done && !sweep.runs[k].ok ? 1 : 0;
  }
}

Json parameters_of(const SweepPlan& plan, std::size_t run) {
  Json values = Json::object();
  for (const Parameter& p : plan.parameters(run)) values[p.name] = number(p.value);
  return values;
}

Json describe_run(const SweepPlan& plan, const std::vector<std::string>& names,
                  std::size_t number_of_run, const EnsembleRun& r) {
  Json y = Json::object();
  for (std::size_t j = 0; j < std::min(names.size(), r.y.size()); ++j) y[names[j]] = number(r.y[j]);
  Json json{{"run", number_of_run},
            {"parameters", parameters_of(plan, number_of_run)},
            {"status", r.status},
            {"message", text_or_null(r.ok ? "" : r.message)},
            {"t", number(r.t)},
            {"y", std::move(y)},
            {"engine", to_string(r.engine)},
            {"seconds", number(r.seconds)}};
  if (!r.series.empty()) json["series"] = numbers(r.series);
  return json;
}

EnsembleRun run_from(const Json& json) {
  EnsembleRun r;
  r.done = true;
  r.status = json.value("status", "");
  r.ok = r.status == to_string(Status::success) || r.status == to_string(Status::stopped_by_event);
  if (json.contains("message") && json["message"].is_string())
    r.message = json["message"].get<std::string>();
  const auto value = [](const Json& x) {
    return x.is_number() ? x.get<double>() : std::numeric_limits<double>::quiet_NaN();
  };
  r.t = value(json.value("t", Json()));
  r.seconds = value(json.value("seconds", Json()));
  r.engine = parse_engine(json.value("engine", "threads"));
  const Json y = json.value("y", Json::object());
  for (const auto& [name, x] : y.items()) r.y.push_back(value(x));
  if (const auto series = json.find("series"); series != json.end())
    for (const Json& x : *series) r.series.push_back(value(x));
  return r;
}

std::pair<std::size_t, EnsembleRun> read_run(const Json& json, const SweepPlan& plan,
                                             const std::string& file) {
  std::size_t k = 0;
  try {
    k = json.at("run").get<std::size_t>();
    if (k < plan.size() && json.value("parameters", Json()) == parameters_of(plan, k))
      return {k, run_from(json)};
  } catch (const Json::exception&) {
    throw FileError(fmt::format("'{}' has a run {} that is none of a sweep", file, k));
  }
  throw FileError(fmt::format("'{}' has a run {} that this sweep does not have", file, k));
}

Json sweep_document(const PreparedRun& standard, const SweepSettings& settings,
                    const SweepPlan& plan, const std::vector<std::string>& names,
                    const Sweep& sweep) {
  Json json = document();
  json["problem"] = standard.entry.name;
  add_origin(json, standard.entry);
  json["sweep"] = identity_of(settings);
  if (!sweep.shard.whole()) {
    json["shard"] = sweep.shard.text();
    json["runs_in_all"] = plan.size();
  }
  json["runs"] = Json::array();
  for (std::size_t k = 0; k < plan.size(); ++k)
    if (sweep.runs[k].done) json["runs"].push_back(describe_run(plan, names, k, sweep.runs[k]));
  json["failed"] = sweep.failed;
  json["statuses"] = Json(status_counts(sweep.runs));
  json["seconds"] = number(sweep.seconds);
  json["threads"] = sweep.threads;
  // Of the runs, so that parts put together say what the whole sweep says.
  const bool lanes = std::any_of(sweep.runs.begin(), sweep.runs.end(), [](const EnsembleRun& r) {
    return r.done && r.engine == Engine::lanes;
  });
  json["engine"] = to_string(lanes ? Engine::lanes : Engine::threads);
  return json;
}

void write_sweep_csv(std::ostream& out, const SweepPlan& plan,
                     const std::vector<std::string>& names, const Sweep& sweep) {
  const bool part = !sweep.shard.whole();
  if (part) out << shard_column << plan.size() << ',';
  for (const std::string& name : plan.names()) out << files::csv_field(name) << ',';
  out << "status,t";
  for (const std::string& name : names) out << ',' << files::csv_field(name);
  out << '\n';
  for (std::size_t k = 0; k < sweep.runs.size(); ++k) {
    const EnsembleRun& run = sweep.runs[k];
    if (!run.done) continue;
    if (part) out << k << ',';
    for (const double value : plan.points.point(k)) out << fmt::format("{:.17g},", value);
    out << run.status << fmt::format(",{:.17g}", run.t);
    for (std::size_t j = 0; j < names.size(); ++j)
      out << (j < run.y.size() ? fmt::format(",{:.17g}", run.y[j]) : ",");
    out << '\n';
  }
}

}  // namespace daedalus::cli
