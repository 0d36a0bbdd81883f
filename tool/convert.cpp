// SPDX-License-Identifier: BSD-3-Clause
// daedalus convert FROM TO: a trajectory from one file format to another.
#include <filesystem>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <daedalus/trajectory_file.hpp>

#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/models.hpp"
#include "tool/numbers.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {
namespace {

struct ConvertSettings {
  std::string from, to;
  bool json = false, foreign = false;
};

// A model as C++ source; other conversions of models come with their languages.
int convert_model(const ConvertSettings& settings, Session& io) {
  const LoadedProblem& problem = load_problem(settings.from);
  if (!problem.builder)
    throw InvalidArgument("'" + settings.from + "' is no model that can be written as C++");
  AtomicFile file(settings.to);
  file.stream() << model_as_cpp(*problem.builder(),
                                std::filesystem::path(settings.from).filename().string());
  file.commit();
  if (settings.json) {
    Json json = document();
    json["from"] = settings.from;
    json["to"] = settings.to;
    json["kind"] = problem.kind;
    json["files"] = Json::array({settings.to});
    print(io.out, json);
  } else {
    io.out << fmt::format("model: {}\n", settings.to);
  }
  return exit_success;
}

int convert(const ConvertSettings& settings, Session& io) {
  const std::string target = std::filesystem::path(settings.to).extension().string();
  const bool source_code = target == ".cpp" || target == ".cc" || target == ".cxx";
  if (source_code || settings.from == "-") return convert_model(settings, io);
  if (is_problem_file(settings.from))
    throw InvalidArgument("'" + settings.from +
                          "' is a model; it can be written as C++, to a "
                          "file that ends in .cpp");
  TrajectoryFile file(settings.to);
  const FileTrajectory read = read_trajectory(settings.from, settings.foreign);
  Variables variables;
  variables.names = read.names;
  for (std::size_t i = 0; i < read.t.size(); ++i)
    file.add(StateView(variables, read.t[i], read.y.data() + i * read.names.size()));
  file.commit(read.run);
  if (settings.json) {
    Json json = document();
    json["from"] = settings.from;
    json["to"] = settings.to;
    json["files"] = Json::array({settings.to});
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
  CLI::App* command = app.add_subcommand("convert",
                                         "Check a trajectory file (.csv, .json, .npz, .raw, .h5) "
                                         "and write it in another format, or write a "
                                         "model as C++");
  command->add_option("from", settings->from, "File that 'solve --out' has written, or a model")
      ->required();
  command
      ->add_option("to", settings->to,
                   "File to write; its ending says the format, .cpp for a model")
      ->required();
  command->add_flag("--foreign", settings->foreign,
                    "Read an HDF5 file of another program, which has no hash of its contents");
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return convert(*settings, session); };
  });
}

}  // namespace daedalus::cli
