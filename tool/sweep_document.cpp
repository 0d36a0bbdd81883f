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

namespace {

double value_of(const Json& x) {
  return x.is_number() ? x.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

// By name: people and programs that edit a document exchange its keys.
std::vector<double> values_of(const Json& y, const std::vector<std::string>& names) {
  std::vector<double> values;
  if (y.empty()) return values;  // a run that has no state
  if (y.size() != names.size()) throw FileError("other variables");
  auto next = y.begin();  // as we write them
  for (const std::string& name : names) {
    const auto found = next.key() == name ? next : y.find(name);
    if (found == y.end()) throw FileError(fmt::format("no variable '{}'", name));
    values.push_back(value_of(*found));
    ++next;
  }
  return values;
}

// Words of a status stand in tables without quotes.
bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

EnsembleRun run_from(const Json& json, const std::vector<std::string>& names) {
  EnsembleRun r;
  r.done = true;
  r.status = json.at("status").get<std::string>();
  if (!is_word(r.status)) throw FileError("no status");
  r.ok = r.status == to_string(Status::success) || r.status == to_string(Status::stopped_by_event);
  if (json.contains("message") && json["message"].is_string())
    r.message = json["message"].get<std::string>();
  r.t = value_of(json.value("t", Json()));
  r.seconds = value_of(json.value("seconds", Json()));
  try {
    r.engine = parse_engine(json.value("engine", "threads"));
  } catch (const InvalidArgument&) {
    throw FileError("an engine that this version does not know");
  }
  const Json y = json.value("y", Json::object());
  if (!y.is_object()) throw FileError("no values of variables");
  r.y = values_of(y, names);
  if (const auto series = json.find("series"); series != json.end())
    for (const Json& x : *series) r.series.push_back(value_of(x));
  return r;
}

}  // namespace

std::pair<std::size_t, EnsembleRun> read_run(const Json& json, const SweepPlan& plan,
                                             const std::vector<std::string>& names,
                                             const std::string& file) {
  std::size_t k = 0;
  std::string wrong = "is none of this sweep";
  try {
    k = json.at("run").get<std::size_t>();
    if (k < plan.size() && json.value("parameters", Json()) == parameters_of(plan, k))
      return {k, run_from(json, names)};
  } catch (const Json::exception&) {
    wrong = "lacks a field, or has one of another type";
  } catch (const FileError& error) {
    wrong = std::string("has ") + error.what();
  }
  throw FileError(fmt::format("'{}': run {} {}", file, k, wrong));
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
