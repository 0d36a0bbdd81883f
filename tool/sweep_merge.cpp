// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_merge.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include <daedalus/ensemble_study.hpp>

#include "io/trajectory_formats.hpp"
#include "tool/sweep_journal.hpp"

namespace daedalus::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> part_files(const SweepSettings& settings) {
  if (!settings.parts.empty()) return settings.parts;
  if (settings.journal.empty())
    throw InvalidArgument("--merge needs files, or --journal FILE, whose folder FILE.d it reads");
  std::vector<std::string> found;
  if (fs::is_regular_file(settings.journal)) found.push_back(settings.journal);
  const fs::path folder = shard_folder(settings.journal);
  if (fs::is_directory(folder))
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".jsonl") found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  if (found.empty())
    throw FileError(fmt::format("there is neither '{}' nor a journal in '{}'", settings.journal,
                                folder.string()));
  return found;
}

// What a part says of how it was made; none of it decides about numbers.
void check_maker(const MergedPart& part) {
  try {
    if (part.by.value("threads", 0) < 0) throw InvalidArgument("threads");
    parse_shard(part.by.value("shard", "1/1"), [](const char*) { return nullptr; });
  } catch (const std::exception&) {  // of the JSON library, or of an option of ours
    throw FileError(
        fmt::format("'{}': 'threads' or 'shard' is none that a sweep writes", part.file));
  }
}

MergedPart part_of(const std::string& file) {
  if (!file.ends_with(".json")) {
    JournalContents contents = read_journal(file, sweep_journal);
    if (contents.whole == 0) throw FileError(fmt::format("'{}' holds no whole line", file));
    return {file, std::move(contents.identity), std::move(contents.by), std::move(contents.lines)};
  }
  Json json = parse_json(files::contents(file), file);
  if (!json.is_object() || !json.contains("sweep") || !json.contains("runs") ||
      !json["runs"].is_array())
    throw FileError(fmt::format("'{}' is no document of a sweep", file));
  MergedPart part{file, std::move(json["sweep"]),
                  Json{{"threads", json.value("threads", Json(0))},
                       {"shard", json.value("shard", Json("1/1"))}}};
  for (Json& run : json["runs"]) part.runs.push_back(std::move(run));
  return part;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// What two lines about one run say differently: variable and both values. Empty: nothing.
std::string contradiction(const Json& a, const Json& b) {
  for (const char* key : {"status", "t"})
    if (a.value(key, Json()) != b.value(key, Json()))
      return fmt::format("{} is {} and {}", key, line(a.value(key, Json())),
                         line(b.value(key, Json())));
  const Json ya = a.value("y", Json()), yb = b.value("y", Json());
  if (!ya.is_object() || !yb.is_object()) return ya == yb ? std::string() : "values are missing";
  for (const auto& [name, value] : ya.items())
    if (!yb.contains(name) || yb[name] != value)
      return fmt::format("{} is {} and {}", name, line(value),
                         yb.contains(name) ? line(yb[name]) : "missing");
  if (ya.size() != yb.size()) return "they have other variables";
  if (a.value("series", Json()) != b.value("series", Json())) return "states before the end differ";
  if (a.value("message", Json()) != b.value("message", Json())) return "the messages differ";
  return {};
}

}  // namespace

std::vector<MergedPart> read_parts(const SweepSettings& settings) {
  std::vector<MergedPart> parts;
  for (const std::string& file : part_files(settings)) {
    parts.push_back(part_of(file));
    check_maker(parts.back());
  }
  return parts;
}

void require_same_sweep(const std::vector<MergedPart>& parts, const SweepSettings& settings,
                        std::ostream& err) {
  const Json identity = identity_of(settings);
  std::set<std::string> processors, builds;
  for (const MergedPart& part : parts) {
    if (part.identity != identity)
      throw FileError(fmt::format("'{}' belongs to another sweep ({})", part.file,
                                  identity_difference(part.identity, identity)));
    if (part.by.contains("processor")) processors.insert(line(part.by["processor"]));
    if (part.by.contains("build")) builds.insert(line(part.by["build"]));
  }
  if (processors.size() > 1)
    err << "daedalus: warning: the parts were computed on different processors; last digits may "
           "differ\n";
  if (builds.size() > 1)
    err << "daedalus: warning: the parts were computed by different builds; last digits may "
           "differ\n";
}

Sweep merge(const std::vector<MergedPart>& parts, SweepPlan& plan,
            const std::vector<std::string>& names, const SweepSettings& settings) {
  struct Found {
    const Json* run;
    const std::string* file;
  };
  std::map<std::size_t, Found> found;
  Sweep sweep;
  for (const MergedPart& part : parts) {
    sweep.threads = std::max(sweep.threads, part.by.value("threads", 0));
    for (const Json& run : part.runs) {
      if (!run.is_object() || !run.contains("run") || !run["run"].is_number_unsigned())
        throw FileError(fmt::format("'{}' has a run without a number", part.file));
      // One that found no memory is no result.
      if (run.value("status", Json()) == out_of_memory) continue;
      const auto k = run["run"].get<std::size_t>();
      const auto [place, fresh] = found.try_emplace(k, Found{&run, &part.file});
      if (fresh) continue;
      if (const std::string what = contradiction(*place->second.run, run); !what.empty())
        throw FileError(fmt::format("run {} is in '{}' and in '{}', and they contradict: {}", k,
                                    *place->second.file, part.file, what));
    }
  }
  const std::unique_ptr<GridRefinement> refinement =
      settings.refine.empty()
          ? nullptr
          : std::make_unique<GridRefinement>(
                plan.grid(), RefinementSettings{parse_number("--refine", settings.refine),
                                                settings.refine_runs});
  for (;;) {
    sweep.runs.resize(plan.size());
    while (!found.empty() && found.begin()->first < plan.size()) {
      const Found& next = found.begin()->second;
      auto [k, run] = read_run(*next.run, plan, names, *next.file);
      sweep.seconds += same(run.seconds, run.seconds) && !std::isnan(run.seconds) ? run.seconds : 0;
      sweep.runs[k] = std::move(run);
      found.erase(found.begin());
    }
    count_runs(sweep, plan);
    if (!refinement || !sweep.whole() || refinement->refine(plan.points, sweep.runs) == 0) break;
  }
  if (!found.empty())
    throw FileError(fmt::format("'{}' has a run {} that this sweep does not have",
                                *found.begin()->second.file, found.begin()->first));
  return sweep;
}

std::string missing_runs(const Sweep& sweep, const std::vector<MergedPart>& parts) {
  if (sweep.whole()) return {};
  std::string numbers;
  std::size_t shown = 0, count = 1;
  for (const MergedPart& part : parts) {
    const std::string text = part.by.value("shard", "1/1");
    count = std::max(count, parse_shard(text, [](const char*) { return nullptr; }).count);
  }
  std::set<std::size_t> owing;
  constexpr std::size_t most = 5;  // numbers in a sentence
  for (std::size_t k = 0; k < sweep.runs.size(); ++k) {
    if (sweep.runs[k].done) continue;
    owing.insert(k % count + 1);
    if (++shown <= most) numbers += fmt::format("{}{}", shown == 1 ? "" : ", ", k);
  }
  if (shown > most) numbers += ", ...";
  std::string shards;
  if (count > 1) {
    std::size_t named = 0;
    for (const std::size_t index : owing) {
      if (++named <= most) shards += fmt::format("{}{}", named == 1 ? "" : ", ", index);
    }
    if (named > most) shards += ", ...";
    shards = fmt::format(" (shard{} {} of {})", owing.size() == 1 ? "" : "s", shards, count);
  }
  return fmt::format("{} of {} runs are missing: {}{}", shown, sweep.runs.size(), numbers, shards);
}

}  // namespace daedalus::cli
