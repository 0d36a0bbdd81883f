// SPDX-License-Identifier: BSD-3-Clause
// daedalus report RUN.json
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <ostream>

#include <CLI/CLI.hpp>

#include <daedalus/types.hpp>

#include "files/plugin.hpp"
#include "io/trajectory_formats.hpp"
#include "tool/files.hpp"
#include "tool/models.hpp"
#include "tool/progress.hpp"
#include "tool/report_page.hpp"
#include "tool/run_document.hpp"
#include "tool/session.hpp"
#include "tool/solve_output.hpp"

namespace daedalus::cli {
namespace {

constexpr std::string_view data_mark = "<!--run-->";
// Shorter arrays stay text: people look into pages.
constexpr std::size_t min_packed = 32;

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    std::uint32_t word = static_cast<std::uint32_t>(bytes[i]) << 16;
    if (left > 1) word |= static_cast<std::uint32_t>(bytes[i + 1]) << 8;
    if (left > 2) word |= bytes[i + 2];
    text += digits[word >> 18];
    text += digits[(word >> 12) & 63];
    text += left > 1 ? digits[(word >> 6) & 63] : '=';
    text += left > 2 ? digits[word & 63] : '=';
  }
  return text;
}

bool is_column(const Json& json) {
  if (!json.is_array() || json.size() < min_packed) return false;
  for (const Json& entry : json)
    if (!entry.is_number() && !entry.is_null()) return false;
  return true;
}

Json packed(const Json& json) {
  if (is_column(json)) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(8 * json.size());
    for (const Json& entry : json) {
      const double value =
          entry.is_null() ? std::numeric_limits<double>::quiet_NaN() : entry.get<double>();
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      for (int shift = 0; shift < 64; shift += 8)
        bytes.push_back(static_cast<std::uint8_t>(bits >> shift));
    }
    return Json{{"$f64", base64(bytes)}};
  }
  if (!json.is_structured()) return json;
  Json result = json.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : json.items()) {
    if (json.is_array())
      result.push_back(packed(value));
    else
      result[key] = packed(value);
  }
  return result;
}

struct ReportSettings {
  std::vector<std::string> runs;
  std::string out;
  bool json = false;
};

Json read_run(const std::string& path) {
  Json run = parse_json(files::contents(path), path);
  const auto wrong = [&path](const std::string& what) {
    return FileError("'" + path + "' is no run of 'daedalus solve --out run.json': " + what);
  };
  if (!run.is_object()) throw wrong("it holds no object");
  if (run.value("version", Json()) != 1) throw wrong("'version' is not 1");
  for (const char* key : {"problem", "status", "statistics", "trajectory"})
    if (!run.contains(key)) throw wrong(std::string("it has no '") + key + "'");
  const Json& trajectory = run["trajectory"];
  if (!trajectory.is_object() || !trajectory.contains("t") || !trajectory["t"].is_array() ||
      !trajectory.contains("y") || !trajectory["y"].is_object())
    throw wrong("'trajectory' has no columns 't' and 'y'");
  for (const auto& [name, column] : trajectory["y"].items())
    if (!column.is_array() || column.size() != trajectory["t"].size())
      throw wrong("'trajectory.y." + name + "' is not as long as 'trajectory.t'");
  return run;
}

// A problem or a model file is solved first, with everything as `solve` chooses it.
int report_of_problem(const std::string& name, const std::filesystem::path& target, Session& io) {
  RunSettings settings;
  settings.problem = name;
  PreparedRun run = prepare(settings);
  OutputSettings wanted;
  wanted.report = target.string();
  RunOutput output(wanted, true);
  output.attach(run, true);
  ProgressBar bar(io.err, io.live, run.interval.from);
  run.options.progress = [&bar](const Progress& progress) { bar.update(progress); };
  const Solution solution = solve(run.problem, run.interval, run.options, output.long_run());
  output.finish(make_report(run, solution), io);
  if (!solution.ok())
    io.err << "daedalus: " << to_string(solution.status()) << ": " << solution.message() << '\n';
  return solution.ok() ? exit_success : exit_run_failed;
}

// Several runs side by side: the page draws their curves over each other.
Json comparison_of(const std::vector<std::string>& files) {
  Json json = document();
  json["comparison"] = Json::array();
  for (const std::string& file : files) {
    Json run = read_run(file);
    run["$file"] = std::filesystem::path(file).filename().string();
    for (const char* only_alone : {"scene", "steps", "residuals"}) run.erase(only_alone);
    json["comparison"].push_back(std::move(run));
  }
  return json;
}

int report_command(const ReportSettings& settings, Session& io) {
  const std::string& first = settings.runs.front();
  std::filesystem::path target = settings.out;
  if (settings.out.empty())
    target = settings.runs.size() > 1 ? std::filesystem::path("comparison.html")
             : first == "-"           ? std::filesystem::path("model.html")
                                      : std::filesystem::path(first).replace_extension(".html");
  need_report_page("--out", target);
  int code = exit_success;
  if (settings.runs.size() == 1 && (problems::find_problem(first) || first == "-" ||
                                    is_problem_file(first) || names_plugin(first))) {
    code = report_of_problem(first, target, io);
  } else {
    const Json run = settings.runs.size() > 1 ? comparison_of(settings.runs) : read_run(first);
    AtomicFile file(target);
    file.stream() << report_page(run);
    file.commit();
  }
  if (settings.json) {
    Json json = document();
    json["run"] = first;
    json["runs"] = settings.runs;
    json["report"] = target.string();
    json["files"] = Json::array({target.string()});
    if (code == exit_run_failed) mark_interrupted(json);
    print(io.out, json);
  } else {
    io.out << "report: " << target.string() << '\n';
  }
  return code;
}

}  // namespace

std::string missing_report_page() { return report_page_missing; }

void need_report_page(const std::string& option, const std::filesystem::path& target) {
  if (target.extension() != ".html" && target.extension() != ".htm")
    throw InvalidArgument(option + " has '" + target.string() + "'; the name must end in .html");
  const std::string missing = missing_report_page();
  if (!missing.empty())
    throw FileError("'" + target.string() +
                    "' cannot be made: this daedalus was built without its report " +
                    "page, because " + missing +
                    ". Install nodejs and npm, connect to the npm registry, and build again; "
                    "everything else works without them");
}

std::string report_page(const Json& run) {
  std::string page;
  for (std::size_t i = 0; i < report_page_piece_count; ++i) page += report_page_pieces[i];
  const std::size_t mark = page.find(data_mark);
  if (mark == std::string::npos) throw FileError("the report page has no place for data");
  // A "</script>" in a text of the run must not end the element that holds it.
  std::string data = line(packed(run)), safe;
  safe.reserve(data.size());
  for (const char c : data)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return page.replace(mark, data_mark.size(),
                      "<script type=\"application/json\" id=\"run\">" + safe + "</script>");
}

void add_report(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<ReportSettings>();
  CLI::App* command = app.add_subcommand("report", "Make a page with plots and animation of a run");
  command
      ->add_option("run", settings->runs,
                   "File of 'daedalus solve --out run.json', a problem, or a model file; several\n"
                   "files are compared in one page")
      ->type_name("RUN.json|PROBLEM")
      ->required();
  command->add_option(
      "-o,--out", settings->out,
      "The page (default: RUN.html beside the file, model.html of standard input, or "
      "comparison.html)");
  command->add_flag("--json", settings->json, "Print JSON");
  command->footer(
      "The page needs no network and shows only what is in the file. For constraint residuals at\n"
      "all levels solve with --watch-drift; 'daedalus solve --report run.html' does it all at "
      "once.\n"
      "Examples:\n"
      "  daedalus solve andrews --out run.json --watch-drift && daedalus report run.json\n"
      "  daedalus report loose.json tight.json -o comparison.html");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return report_command(*settings, session); };
  });
}

}  // namespace daedalus::cli
