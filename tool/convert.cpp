// SPDX-License-Identifier: BSD-3-Clause
// daedalus convert FROM TO: a trajectory from one file format to another.
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <daedalus/trajectory_file.hpp>

#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/numbers.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {
namespace {

struct ConvertSettings {
  std::string from, to;
  bool json = false;
};

int convert(const ConvertSettings& settings, Session& io) {
  TrajectoryFile file(settings.to);
  const FileTrajectory read = read_trajectory(settings.from);
  Variables variables;
  variables.names = read.names;
  for (std::size_t i = 0; i < read.t.size(); ++i)
    file.add(StateView(variables, read.t[i], read.y.data() + i * read.names.size()));
  file.commit(read.run);
  if (settings.json) {
    Json json = document();
    json["from"] = settings.from;
    json["to"] = settings.to;
    json["states"] = read.t.size();
    json["variables"] = read.names;
    print(io.out, json);
  } else {
    io.out << fmt::format("{} states of {} variables", read.t.size(), read.names.size());
    if (!read.t.empty())
      io.out << fmt::format(", t = {} .. {}", brief(read.t.front()), brief(read.t.back()));
    io.out << '\n';
  }
  return exit_success;
}

}  // namespace

void add_convert(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<ConvertSettings>();
  CLI::App* command = app.add_subcommand(
      "convert", "Check a trajectory file (.csv, .json, .npz, .h5) and write it in another format");
  command->add_option("from", settings->from, "File that 'solve --out' has written")->required();
  command->add_option("to", settings->to, "File to write; its ending says the format")->required();
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return convert(*settings, session); };
  });
}

}  // namespace daedalus::cli
