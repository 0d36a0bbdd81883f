// SPDX-License-Identifier: BSD-3-Clause
// daedalus new NAME [--modelica]: a file to begin with.
#include <filesystem>
#include <memory>
#include <ostream>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <daedalus/trajectory_file.hpp>
#include <daedalus/types.hpp>

#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {
namespace {

struct NewSettings {
  std::string name;
  bool modelica = false, json = false;
};

constexpr std::string_view modelica_template =
    R"(model @NAME@ "A mass on a spring; write your own equations here"
  parameter Real m(unit = "kg") = 1 "Mass";
  parameter Real c(unit = "N/m") = 4 "Stiffness";
  parameter Real d(unit = "N.s/m") = 0.1 "Damping";
  Real s(start = 1, fixed = true, unit = "m") "Position";
  Real v(start = 0, fixed = true, unit = "m/s") "Velocity";
equation
  der(s) = v;
  m*der(v) = -c*s - d*v;
  annotation(experiment(StopTime = 10, Tolerance = 1e-6));
end @NAME@;
)";

constexpr std::string_view plugin_template =
    R"(// A problem of your own. Compile and solve it:
//   daedalus build @NAME@.cpp
//   daedalus solve ./@NAME@.so
//   daedalus solve ./@NAME@.so --set length=2 --report @NAME@.html
// Every command takes it: check, explain, order, sweep, eigen, compare, ...
#include <daedalus/daedalus.hpp>
#include <daedalus/plugin.hpp>

// A pendulum in Cartesian coordinates: M v' = f - G^T lambda, 0 = g(q), index 3. The other forms are
// ImplicitProblem, MassMatrixProblem and SemiExplicitProblem.
daedalus::Problem pendulum(const daedalus::Values& values) {
  const double length = values.at("length"), gravity = values.at("gravity");
  return daedalus::MultibodyProblem{
      .name = "@NAME@",
      .space = daedalus::euclidean(2),
      .constraint_count = 1,
      // Generic functions are differentiated exactly: you never write a Jacobian.
      .mass = daedalus::autodiff([](auto, const auto&, auto& M) {
        M.setZero();
        M(0, 0) = M(1, 1) = 1.0;
      }),
      .force = daedalus::autodiff([=](auto, const auto&, const auto&, auto& f) {
        f[0] = 0.0;
        f[1] = -gravity;
      }),
      .constraint = daedalus::autodiff(
          [=](auto, const auto& q, auto& c) { c[0] = q.squaredNorm() - length * length; }),
      .q0 = Eigen::Vector2d(length, 0.0),
      .v0 = Eigen::Vector2d::Zero()};  // multipliers come from the start-value solver
}

// What the tool knows about the problem.
daedalus::Entry @NAME@() {
  daedalus::Entry entry;
  entry.name = "@NAME@";
  entry.title = "My pendulum";
  entry.form = "multibody";
  entry.index = 3;
  entry.t_end = 10.0;
  entry.parameters = {{"length", 1.0}, {"gravity", 9.81}};  // --set length=2
  entry.units = {{"length", "m"}, {"gravity", "m/s2"}};
  entry.build = pendulum;
  return entry;
}

DAEDALUS_PLUGIN(@NAME@)
)";

constexpr std::string_view cmake_template =
    R"(# The same as 'daedalus build @NAME@.cpp', for projects that are built by CMake:
#   cmake -B build && cmake --build build && daedalus solve build/@NAME@.so
cmake_minimum_required(VERSION 3.21)
project(@NAME@ LANGUAGES CXX)
find_package(daedalus 0.2 REQUIRED COMPONENTS model)
add_library(@NAME@ MODULE @NAME@.cpp)
set_target_properties(@NAME@ PROPERTIES PREFIX "")
target_link_libraries(@NAME@ PRIVATE daedalus::model)
)";

std::string filled_in(std::string_view pattern, const std::string& name) {
  constexpr std::string_view mark = "@NAME@";
  std::string text(pattern);
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
    text.replace(at, mark.size(), name);
  return text;
}

void require_word(const std::string& name) {
  const bool word =
      !name.empty() &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
          std::string::npos &&
      (name[0] < '0' || name[0] > '9');
  if (!word)
    throw InvalidArgument(fmt::format(
        "new: '{}' is no name of a class or function; letters, digits and _ are allowed", name));
}

void write_new(const std::filesystem::path& file, const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored))
    throw FileError(fmt::format("'{}' exists already", file.string()));
  AtomicFile target(file);
  target.stream() << text;
  target.commit();
}

int new_command(const NewSettings& s, Session& io) {
  require_word(s.name);
  std::vector<std::string> files, next;
  if (s.modelica) {
    files = {s.name + ".mo"};
    write_new(files[0], filled_in(modelica_template, s.name));
    next = {"daedalus check " + files[0], "daedalus solve " + files[0]};
  } else {
    files = {s.name + "/" + s.name + ".cpp", s.name + "/CMakeLists.txt"};
    std::error_code ignored;
    std::filesystem::create_directory(s.name, ignored);
    write_new(files[0], filled_in(plugin_template, s.name));
    write_new(files[1], filled_in(cmake_template, s.name));
    next = {"cd " + s.name, "daedalus build " + s.name + ".cpp",
            "daedalus solve ./" + s.name + ".so"};
  }
  if (s.json) {
    Json json = document();
    json["files"] = files;
    json["next"] = next;
    print(io.out, json);
    return exit_success;
  }
  for (const std::string& file : files) io.out << file << " written\n";
  io.out << "Next:\n";
  for (const std::string& line : next) io.out << "  " << line << '\n';
  return exit_success;
}

}  // namespace

void add_new(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<NewSettings>();
  CLI::App* command =
      app.add_subcommand("new", "Write a problem to begin with: C++ for 'build', or Modelica");
  command->add_option("name", settings->name, "Name of the problem")->required();
  command->add_flag("--modelica", settings->modelica, "A Modelica model, NAME.mo");
  command->add_flag("--json", settings->json, "Print JSON");
  command->footer(
      "Without --modelica a folder NAME with NAME.cpp, a pendulum with comments, and a CMake\n"
      "project that builds the same plug-in.");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return new_command(*settings, session); };
  });
}

}  // namespace daedalus::cli
