// SPDX-License-Identifier: BSD-3-Clause
// daedalus build FILE.cpp: compiles a plug-in with the headers that belong to this tool.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <daedalus/trajectory_file.hpp>
#include <daedalus/types.hpp>

#include "files/plugin.hpp"
#include "io/trajectory_formats.hpp"
#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/program.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {
namespace {

namespace fs = std::filesystem;

struct BuildSettings {
  std::string source, out, compiler;
  std::vector<std::string> flags;
  bool json = false;
};

// The compiler that was named, that of CXX, or the first of the usual names.
fs::path find_compiler(const std::string& asked) {
  const char* environment = std::getenv("CXX");
  const std::string named =
      !asked.empty() ? asked : std::string(environment == nullptr ? "" : environment);
  if (!named.empty()) {
    const fs::path found =
        named.find('/') != std::string::npos ? fs::path(named) : find_program(named);
    if (found.empty()) throw FileError(fmt::format("there is no compiler '{}'", named));
    return found;
  }
  for (const char* name : {"c++", "g++", "clang++"})
    if (fs::path found = find_program(name); !found.empty()) return found;
  throw FileError("there is no C++ compiler: install g++ (12 or later) or clang, or set CXX");
}

// Beside a tool that was not installed lies a file with the flags; an installed one has its headers
// under the same prefix.
std::vector<std::string> include_flags() {
  std::error_code failed;
  const fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  std::vector<std::string> flags;
  if (std::ifstream list(folder / "daedalus-plugin.flags"); list) {
    for (std::string line; std::getline(list, line);)
      if (!line.empty()) flags.push_back(line);
    return flags;
  }
  const fs::path include = folder.parent_path() / "include";
  if (!fs::exists(include / "daedalus" / "plugin.hpp", failed))
    throw FileError(fmt::format(
        "the headers of daedalus are not in '{}': install them (package libdaedalus-dev)",
        include.string()));
  flags.push_back("-I" + include.string());
  for (const fs::path& eigen : {include / "eigen3", fs::path("/usr/include/eigen3")})
    if (fs::exists(eigen, failed)) {
      flags.insert(flags.end(), {"-isystem", eigen.string()});
      break;
    }
  return flags;
}

int build_command(const BuildSettings& s, Session& io) {
  const fs::path source = s.source;
  std::error_code failed;
  if (!fs::is_regular_file(source, failed))
    throw FileError(fmt::format("there is no file '{}'; 'daedalus new NAME' writes one", s.source));
  const fs::path target =
      s.out.empty() ? fs::path(source).replace_extension(".so") : fs::path(s.out);
  if (target.extension() != ".so")
    throw InvalidArgument(fmt::format("--out has '{}'; the name must end in .so", s.out));
  const TemporaryFolder scratch;
  const fs::path fresh = scratch.path() / "plugin.so", words = scratch.path() / "words";
  ProgramRun run{.program = find_compiler(s.compiler)};
  // Contracted multiply-adds would give other bits than the library's.
  run.arguments = {"-std=c++20", "-O2", "-fPIC", "-shared", "-ffp-contract=off"};
  for (const std::string& flag : include_flags()) run.arguments.push_back(flag);
  run.arguments.insert(run.arguments.end(), s.flags.begin(), s.flags.end());
  run.arguments.insert(run.arguments.end(),
                       {"-o", fresh.string(), fs::absolute(source, failed).string()});
  run.output = words;
  if (io.live) io.err << "compiling '" << s.source << "', about 5 seconds\n";
  const int code = run_program(run);
  if (code != 0) {
    io.err << files::contents(words)
           << fmt::format("daedalus: '{}' does not compile ({} ended with code {})\n", s.source,
                          run.program.filename().string(), code);
    return exit_run_failed;
  }
  load_plugin(fresh.string());  // says what is missing before anything is replaced
  AtomicFile file(target);
  file.stream() << files::contents(fresh);
  file.commit();
  if (s.json) {
    Json json = document();
    json["files"] = Json::array({target.string()});
    print(io.out, json);
  } else {
    const std::string name = target.has_parent_path() ? target.string() : "./" + target.string();
    io.out << fmt::format("{} built. Next:\n  daedalus check {}\n  daedalus solve {}\n", name, name,
                          name);
  }
  return exit_success;
}

}  // namespace

void add_build(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<BuildSettings>();
  CLI::App* command = app.add_subcommand("build", "Compile a problem in C++ to a plug-in, .so");
  command->add_option("source", settings->source, "The C++ file ('daedalus new' writes one)")
      ->type_name("FILE.cpp")
      ->required();
  command->add_option("-o,--out", settings->out, "The plug-in (default: FILE.so beside the file)");
  command->add_option("--compiler", settings->compiler,
                      "Compiler; default: that of CXX, then c++, g++, clang++");
  command->add_option("--flag", settings->flags, "A flag for the compiler, --flag=-O0; repeatable")
      ->allow_extra_args(false);
  command->add_flag("--json", settings->json, "Print JSON");
  command->footer(
      "The plug-in runs inside the tool and uses its library; it is compiled again for another\n"
      "version. Load only plug-ins that you trust: they are programs.");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return build_command(*settings, session); };
  });
}

}  // namespace daedalus::cli
