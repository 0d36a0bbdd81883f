// SPDX-License-Identifier: BSD-3-Clause
// daedalus flatten FILE.mo, daedalus new NAME --modelica
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <daedalus/trajectory_file.hpp>

#include "tool/json.hpp"
#include "tool/models.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {
namespace {

struct FlattenSettings {
  std::string problem;
  bool json = false;
};

int flatten_command(const FlattenSettings& settings, Session& io) {
  const LoadedProblem& problem = load_problem(settings.problem);
  if (!problem.modelica)
    throw InvalidArgument(
        fmt::format("'{}' is no Modelica model; 'daedalus show' prints its equations",
                    settings.problem));
  if (!settings.json) {
    io.out << problem.modelica->flat();
    return exit_success;
  }
  const ModelicaFlat flat = problem.modelica->flat_parts();
  Json json = document();
  json["problem"] = problem.entry.name;
  add_origin(json, problem.entry);
  json["variables"] = Json::array();
  for (const auto& v : flat.variables)
    json["variables"].push_back(
        Json{{"name", v.name}, {"kind", v.kind}, {"unit", text_or_null(v.unit)}, {"start", v.start}});
  json["equations"] = Json::array();
  for (const auto& e : flat.equations)
    json["equations"].push_back(Json{{"text", e.text}, {"from", e.from}});
  json["when"] = flat.whens;
  json["start"] = flat.starts;
  print(io.out, json);
  return exit_success;
}

struct NewSettings {
  std::string name;
  bool modelica = false;
};

constexpr std::string_view modelica_template = R"(model {0} "A mass on a spring; write your own equations here"
  parameter Real m(unit = "kg") = 1 "Mass";
  parameter Real c(unit = "N/m") = 4 "Stiffness";
  parameter Real d(unit = "N.s/m") = 0.1 "Damping";
  Real s(start = 1, fixed = true, unit = "m") "Position";
  Real v(start = 0, fixed = true, unit = "m/s") "Velocity";
equation
  der(s) = v;
  m*der(v) = -c*s - d*v;
  annotation(experiment(StopTime = 10, Tolerance = 1e-6));
end {0};
)";

int new_command(const NewSettings& settings, Session& io) {
  if (!settings.modelica)
    throw InvalidArgument("new: say of which kind; --modelica writes NAME.mo");
  const std::string file = settings.name + ".mo";
  const bool word = !settings.name.empty() &&
                    settings.name.find_first_not_of(
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
                        std::string::npos &&
                    (settings.name[0] < '0' || settings.name[0] > '9');
  if (!word)
    throw InvalidArgument(fmt::format(
        "new: '{}' is no name of a class; letters, digits and _ are allowed", settings.name));
  if (std::filesystem::exists(file))
    throw FileError(fmt::format("'{}' exists already", file));
  std::ofstream stream(file);
  stream << fmt::format(modelica_template, settings.name);
  if (!stream.flush()) throw FileError(fmt::format("'{}' cannot be written", file));
  io.out << fmt::format("{} written. Next:\n  daedalus check {}\n  daedalus solve {}\n", file, file,
                        file);
  return exit_success;
}

}  // namespace

void add_flatten(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<FlattenSettings>();
  CLI::App* command = app.add_subcommand(
      "flatten", "Print the flat model of a Modelica file, and where each equation comes from");
  command->add_option("problem", settings->problem, "A .mo file, or a class of a library")
      ->required();
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return flatten_command(*settings, session); };
  });
}

void add_new(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<NewSettings>();
  CLI::App* command = app.add_subcommand("new", "Write a model file to begin with");
  command->add_option("name", settings->name, "Name of the model")->required();
  command->add_flag("--modelica", settings->modelica, "A Modelica model, NAME.mo");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return new_command(*settings, session); };
  });
}

}  // namespace daedalus::cli
