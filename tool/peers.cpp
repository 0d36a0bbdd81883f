// SPDX-License-Identifier: BSD-3-Clause
#include "tool/peers.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "tool/files.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/plot.hpp"
#include "tool/program.hpp"
#include "tool/progress.hpp"
#include "tool/run_line.hpp"

namespace daedalus::cli {
namespace {

std::filesystem::path beside_the_tool() {
  std::error_code error;
  const std::filesystem::path tool = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : tool.parent_path() / "daedalus_peers";
}

std::string found_program(const std::string& given) {
  const std::filesystem::path program =
      given.empty() ? beside_the_tool() : std::filesystem::path(given);
  if (!std::filesystem::is_regular_file(program))
    throw InvalidArgument(
        fmt::format("--peers: the program '{}' is not there. 'make bench' builds it, or 'cmake "
                    "--build --preset release --target daedalus_peers'; --peers-program names "
                    "another place",
                    program.string()));
  return program.string();
}

struct Measured {
  std::vector<bench::Run> runs;
  int status = 0;
};

Measured measure(const std::string& program, const std::string& problem,
                 const std::vector<double>& tolerances, const BenchSettings& s) {
  std::string list;
  for (std::size_t i = 0; i < tolerances.size(); ++i)
    list += fmt::format("{}{:.17g}", i > 0 ? "," : "", tolerances[i]);
  std::vector<std::string> words{
      problem, "--rtol=" + list, fmt::format("--repetitions={}", s.repetitions),
      fmt::format("--longest={:.17g}", parse_number("--longest", s.longest))};
  if (!s.methods.empty()) words.push_back("--methods=" + s.methods);
  for (const std::string& code : s.classical) words.push_back("--peer=" + code);
  const TemporaryFolder folder;
  const std::filesystem::path output = folder.path() / "lines";
  Measured result;
  result.status = run_program({program, words, {}, output, false});
  std::ifstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (std::optional<bench::Run> run = bench::from_line(line)) result.runs.push_back(*run);
  return result;
}
std::vector<BenchLine> lines_of(const std::vector<bench::WorkCurve>& curves) {
  std::vector<BenchLine> lines;
  for (const bench::WorkCurve& c : curves) {
    const bool peer_form = c.library != "daedalus" && !c.formulation.empty();
    lines.push_back({problems::find_problem(c.problem),
                     peer_form ? c.solver + " " + c.formulation : c.solver, c.runs});
  }
  return lines;
}

void write(const BenchSettings& settings, const std::vector<bench::WorkCurve>& curves,
           std::optional<AtomicFile>& csv, AtomicFile* picture, Session& io) {
  const std::vector<BenchLine> lines = lines_of(curves);
  const std::vector<bench::Duel> duels = bench::duels(curves);
  if (settings.json) {
    Json json = document();
    json["runs"] = Json::array();
    for (const BenchLine& l : lines)
      for (const bench::Run& r : l.runs) json["runs"].push_back(describe(l, r));
    if (settings.summary) {
      json["summary"] = describe_duels(duels);
      json["standings"] = describe_standings(bench::standings(duels));
    }
    mark_interrupted(json);
    print(io.out, json);
  } else {
    if (settings.summary)
      print_duels(duels, io.out);
    else
      print_lines(lines_of(leaders(curves)), io.out);
  }
  if (csv) {
    write_csv(lines, csv->stream());
    csv->commit();
  }
  if (picture) draw(work_precision_figures(lines_of(leaders(curves))), *picture);
}

}  // namespace

std::vector<bench::WorkCurve> curves_of(const std::string& problem,
                                        const std::vector<bench::Run>& runs) {
  std::vector<bench::WorkCurve> curves;
  for (const bench::Run& r : runs) {
    const auto same = std::find_if(curves.begin(), curves.end(), [&](const bench::WorkCurve& c) {
      return c.library == r.library && c.solver == r.asked &&
             (c.library == "daedalus" || c.formulation == r.formulation);
    });
    if (same != curves.end())
      same->runs.push_back(r);
    else
      curves.push_back({problem, r.library, r.asked, r.formulation, {r}});
  }
  return curves;
}

std::vector<bench::WorkCurve> leaders(const std::vector<bench::WorkCurve>& curves) {
  std::vector<bench::WorkCurve> list;
  for (const bench::WorkCurve& c : curves) {
    const auto leads = [&](double digits) {
      const double own = bench::time_at(c.runs, digits);
      return own > 0.0 && std::none_of(curves.begin(), curves.end(), [&](const auto& other) {
               return other.problem == c.problem &&
                      (other.library == "daedalus") == (c.library == "daedalus") &&
                      bench::time_at(other.runs, digits) < own;
             });
    };
    if ((c.library == "daedalus" && c.solver == "auto") ||
        std::any_of(bench::summary_digits.begin(), bench::summary_digits.end(), leads))
      list.push_back(c);
  }
  return list;
}

int peers_command(const BenchSettings& given, const std::string& program, Session& io) {
  BenchSettings settings = given;
  for (const std::string& name : settings.problems) require_problem(name);
  if (settings.problems.empty())
    for (const problems::Entry* e : problems::all_problems())
      if (e->in_suite("core")) settings.problems.push_back(e->name);
  for (const std::string& method : split(settings.methods, ','))
    if (!method.empty()) require_method(method);
  std::unique_ptr<AtomicFile> picture;
  if (!settings.plot.empty()) picture = picture_file(settings.plot);
  const std::vector<double> tolerances = bench_tolerances(settings.rtol);
  const std::string path = found_program(program);
  std::optional<AtomicFile> csv;
  if (!settings.csv.empty()) csv.emplace(settings.csv);
  std::vector<bench::WorkCurve> curves;
  int code = exit_success;
  for (const std::string& problem : settings.problems) {
    if (InterruptGuard::requested()) break;
    const Measured result = measure(path, problem, tolerances, settings);
    if (result.status != 0) {
      io.err << fmt::format("bench: {}: the program of the peers ended with code {}; left out\n",
                            problem, result.status);
      code = exit_run_failed;
      continue;
    }
    io.err << fmt::format("{}: {} runs\n", problem, result.runs.size());
    const std::vector<bench::WorkCurve> more = curves_of(problem, result.runs);
    curves.insert(curves.end(), more.begin(), more.end());
  }
  write(settings, curves, csv, picture.get(), io);
  return InterruptGuard::requested() ? say_interrupted(io) : code;
}

}  // namespace daedalus::cli
