// SPDX-License-Identifier: BSD-3-Clause
// daedalus recover FILE: what a killed run left beside its output, as a file of its own.
#include <filesystem>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <daedalus/trajectory_file.hpp>

#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {
namespace {

namespace fs = std::filesystem;

struct RecoverSettings {
  std::string file, out;
  bool keep = false, json = false;
};

// The file itself, where its name is that of a leftover; else those beside it.
std::vector<fs::path> found(const std::string& file) {
  const std::size_t part = file.rfind(".part");
  std::error_code ignored;
  if (part != std::string::npos && fs::exists(file, ignored)) return {file};
  return leftovers(file);
}

// run.csv.part-abc -> run.recovered.csv, run.recovered-2.csv, ...: nothing is replaced.
fs::path free_name(const std::string& target) {
  fs::path name = target;
  std::error_code ignored;
  for (int k = 1;; ++k) {
    name = target;
    name.replace_extension();
    name += k == 1 ? std::string(".recovered") : fmt::format(".recovered-{}", k);
    name += fs::path(target).extension();
    if (!fs::exists(name, ignored)) return name;
  }
}

int recover(const RecoverSettings& settings, Session& io) {
  const std::vector<fs::path> list = found(settings.file);
  if (list.empty())
    throw FileError("'" + settings.file + "' has no leftovers of a killed run beside it (" +
                    settings.file + ".part...)");
  if (!settings.out.empty() && list.size() > 1)
    throw InvalidArgument(
        fmt::format("--out names one file, and there are {} leftovers; name one "
                    "of them, '{}' for example",
                    list.size(), list.front().string()));
  Json files = Json::array();
  for (const fs::path& leftover : list) {
    const std::string whole = leftover.string(), target = whole.substr(0, whole.rfind(".part"));
    const fs::path name = settings.out.empty() ? free_name(target) : fs::path(settings.out);
    const Recovered recovered = recover_trajectory(leftover, name);
    if (!settings.keep) fs::remove(leftover);
    files.push_back(Json{{"from", whole},
                         {"file", name.string()},
                         {"states", recovered.states},
                         {"lost_bytes", recovered.lost_bytes}});
    if (!settings.json)
      io.out << fmt::format(
          "{}: {} states of {}{}\n", name.string(), recovered.states, whole,
          recovered.lost_bytes > 0
              ? fmt::format(", {} bytes at its end are no whole state", recovered.lost_bytes)
              : std::string());
  }
  if (settings.json) {
    Json json = document();
    json["recovered"] = files;
    print(io.out, json);
  }
  return exit_success;
}

}  // namespace

void add_recover(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<RecoverSettings>();
  CLI::App* command = app.add_subcommand(
      "recover", "Make a trajectory file of the states that a killed run left behind");
  command
      ->add_option("file", settings->file,
                   "What --out named in that run, or one of the files .part... beside it")
      ->required();
  command->add_option("--out", settings->out,
                      "The file to write (default: run.recovered.csv for run.csv)");
  command->add_flag("--keep", settings->keep, "Leave the leftover where it is");
  command->add_flag("--json", settings->json, "Print JSON");
  command->footer(
      "A run with --checkpoint goes on with --resume instead, to the same bits. Every state has a\n"
      "check sum of its own: what is recovered is what the run computed.\n"
      "Example: daedalus recover run.csv");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return recover(*settings, session); };
  });
}

}  // namespace daedalus::cli
