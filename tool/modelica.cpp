// SPDX-License-Identifier: BSD-3-Clause
// daedalus flatten FILE.mo
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

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
  const auto refuse = [&] {
    throw InvalidArgument(fmt::format(
        "'{}' is no Modelica model; 'daedalus show' prints its equations", settings.problem));
  };
  if (problems::find_problem(settings.problem)) refuse();
  const LoadedProblem& problem = load_problem(settings.problem);
  if (!problem.modelica) refuse();
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
    json["variables"].push_back(Json{
        {"name", v.name}, {"kind", v.kind}, {"unit", text_or_null(v.unit)}, {"start", v.start}});
  json["equations"] = Json::array();
  for (const auto& e : flat.equations)
    json["equations"].push_back(Json{{"text", e.text}, {"from", e.from}});
  json["when"] = flat.whens;
  json["start"] = flat.starts;
  print(io.out, json);
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

}  // namespace daedalus::cli
