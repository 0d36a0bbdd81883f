// SPDX-License-Identifier: BSD-3-Clause
#include "tool/run.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <daedalus/status.hpp>
#include <daedalus/types.hpp>
#include <daedalus/version.hpp>
#ifdef DAEDALUS_TOOL_HAS_HDF5
#include <daedalus/hdf5.hpp>
#endif

#include "io/trajectory_formats.hpp"
#include "tool/files.hpp"
#include "tool/harmless_stream.hpp"
#include "tool/memory_reserve.hpp"
#include "tool/models.hpp"
#include "tool/names.hpp"
#include "tool/progress.hpp"
#include "tool/session.hpp"
#include "tool/shell.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

void add_commands(CLI::App& app, Session& session) {
  app.set_version_flag("--version", "daedalus " + std::string(version));
  app.require_subcommand(1);
  app.fallthrough();  // --color may stand after the command
  app.add_option("--color", session.color, "Colours: auto (on terminals), always, never")
      ->capture_default_str();
  app.add_option("--model-kind,--kind", session.models.kind,
                 "Kind of a model file, where extension and content do not tell (needed with -)");
  app.add_flag("--allow", session.models.allow, "Model files may read files outside their folder");
  app.add_option("--model", session.models.model, "Class of a Modelica file: A.B.C");
  app.add_option("--library", session.models.libraries,
                 "Folder that holds Modelica libraries, before those of MODELICAPATH; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--protected", session.models.show_protected,
               "Results of Modelica models show protected variables as well");
  app.add_option_function<std::string>(
      "--diagnostics",
      [&session](const std::string& text) {
        if (text != "text" && text != "json")
          throw InvalidArgument("--diagnostics has '" + text + "'; allowed are text, json");
        session.models.diagnostics = text;
      },
      "What is wrong in a model file: text, or json (one object per line, for editors)");
  app.footer(
      "Every command takes --json. Results go to standard output, messages to standard error.\n"
      "Exit codes: 0 success or stopped by an event, 1 the run failed, 2 wrong usage,\n"
      "3 a file could not be read or written.");
  add_list(app, session);
  add_show(app, session);
  add_solve(app, session);
  add_order(app, session);
  add_check(app, session);
  add_check_table(app, session);
  add_explain(app, session);
  add_eigen(app, session);
  add_sensitivity(app, session);
  add_bench(app, session);
  add_compare(app, session);
  add_perturb(app, session);
  add_sweep(app, session);
  add_fit(app, session);
  add_report(app, session);
  add_reproduce(app, session);
  add_convert(app, session);
  add_recover(app, session);
  add_flatten(app, session);
  add_new(app, session);
  add_build(app, session);
  add_shell(app, session);
  add_examples(app);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// An unknown word in the place of the subcommand would otherwise be called an unexpected argument.
bool unknown_command(const CLI::App& app, int argc, const char* const* argv, std::ostream& err) {
  if (argc < 2 || argv[1][0] == '-') return false;
  const std::vector<std::string> names = command_names(app);
  for (const std::string& name : names)
    if (name == argv[1]) return false;
  err << "daedalus: " << unknown_name("command", argv[1], names, "daedalus --help") << '\n';
  return true;
}

// Names and lines of files stand in messages: nothing in them is for the terminal to act on.
std::string harmless(std::string text) {
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) c = '?';
  return text;
}

// The options that an error of the parser is about: it tells them in its text alone.
std::string option_in(const CLI::App& command, const CLI::App& app, const std::string& what) {
  std::string found;
  for (const CLI::App* from : {&command, &app})
    for (const CLI::Option* option : from->get_options()) {
      const std::string name = option->get_name();
      if (what.rfind(name, 0) == 0 && name.size() > found.size()) found = name;
    }
  return found;
}

// What the parser found wrong, in the words of this tool.
std::string usage_text(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  const std::string what = error.what(), option = option_in(command, app, what);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::string words;
    for (const std::string& extra : app.remaining(true)) words += " '" + extra + "'";
    return "too many words:" + words;
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    return option.empty() ? "a command is missing" : "'" + option + "' is missing";
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return option +
           (what.find("missing") != std::string::npos || what.find("At least") != std::string::npos
                ? " needs a value"
                : " may be given only once");
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    const std::size_t other = what.rfind(' ');
    return option + " and " + what.substr(other == std::string::npos ? 0 : other + 1) +
           " exclude each other";
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    const std::size_t name = what.find("--"), sign = what.find(" = ");
    if (name != std::string::npos && sign != std::string::npos && name < sign)
      return what.substr(name, sign - name) + " has '" + what.substr(sign + 3) +
             "', which is not allowed";
  }
  const std::size_t colon = what.find(": ");
  return option.empty() || colon == std::string::npos ? what
                                                      : option + ": " + what.substr(colon + 2);
}

int usage_error(const CLI::App& app, const CLI::ParseError& error, std::ostream& err) {
  const CLI::App* command = &app;
  if (const auto chosen = app.get_subcommands(); !chosen.empty()) command = chosen.front();
  const std::string help =
      command == &app ? "daedalus --help" : "daedalus " + command->get_name() + " --help";
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    for (const std::string& extra : app.remaining(true)) {
      if (extra.rfind("--", 0) == 0) {
        const std::string name = extra.substr(0, extra.find('='));
        std::vector<std::string> known = option_names(*command);
        for (const std::string& general : option_names(app)) known.push_back(general);
        err << "daedalus: " << unknown_name("option", name, known, help) << '\n';
        return exit_wrong_usage;
      }
    }
  }
  err << "daedalus: " << harmless(usage_text(app, *command, error)) << "; '" << help
      << "' shows the usage\n";
  return exit_wrong_usage;
}

bool is_terminal(const std::ostream& stream) {
  const char* kind = std::getenv("TERM");
  if (kind != nullptr && std::string(kind) == "dumb") return false;
  if (&stream == &std::cout) return isatty(STDOUT_FILENO) != 0;
  if (&stream == &std::cerr) return isatty(STDERR_FILENO) != 0;
  return false;
}

// COLUMNS, else what the terminal says; 0: results go to a file or a pipe.
std::size_t terminal_width(const std::ostream& stream) {
  if (const char* given = std::getenv("COLUMNS"); given != nullptr)
    if (const long columns = std::strtol(given, nullptr, 10); columns > 0)
      return static_cast<std::size_t>(columns);
  winsize size{};
  if (!is_terminal(stream) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

// NO_COLOR (no-color.org): present and not empty means plain text.
bool colour_wanted() {
  const char* value = std::getenv("NO_COLOR");
  return value == nullptr || *value == '\0';
}

// Words that a shell would change are quoted; the name of the program is ours, wherever it stood.
std::string command_line(int argc, const char* const* argv) {
  std::string line = "daedalus";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain =
        !word.empty() && word.find_first_of(" \t\n\"'\\$`*?[]{}()<>|&;#~!") == std::string::npos;
    line += plain ? " " + word : " '" + word + "'";
  }
  return line;
}

bool asks_for_json(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--json") return true;
  return false;
}

// A word on the command line outweighs the environment.
bool painted_output(const std::string& when, const std::ostream& out) {
  if (when == "always") return true;
  if (when == "never") return false;
  if (when != "auto")
    throw InvalidArgument("--color has '" + when + "'; allowed are auto, always, never");
  return is_terminal(out) && colour_wanted();
}

std::string painted(bool on, const char* code, const std::string& text) {
  return on ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
}

}  // namespace

std::string Paint::bold(const std::string& text) const { return painted(on, "1", text); }
std::string Paint::good(const std::string& text) const { return painted(on, "32", text); }
std::string Paint::bad(const std::string& text) const { return painted(on, "1;31", text); }
std::string Paint::faint(const std::string& text) const { return painted(on, "2", text); }

int say_interrupted(Session& session) {
  session.err << "daedalus: interrupted; what was finished before is above\n";
  return exit_run_failed;
}

void mark_interrupted(Json& document) {
  if (InterruptGuard::requested()) document["status"] = std::string(to_string(Status::cancelled));
}

static int run_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                       std::span<const experiments::Experiment> experiments,
                       Ranks* ranks = nullptr) {
  HarmlessStream shown(out), told(err);
  shown.filter.everything = asks_for_json(argc, argv);
  Session session{.out = shown, .err = told, .experiments = experiments, .ranks = ranks};
  session.live = told.filter.colours = is_terminal(err);
  use_terminal_width(terminal_width(out));
  session.command = command_line(argc, argv);
#ifdef DAEDALUS_TOOL_HAS_HDF5
  enable_hdf5();
#endif

  // 'daedalus help solve' is 'daedalus solve --help', and the bare name asks for help as well.
  std::vector<const char*> words(argv, argv + argc);
  if (argc == 1) words.push_back("--help");
  if (argc > 1 && std::string_view(argv[1]) == "help") {
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  argc = static_cast<int>(words.size());
  argv = words.data();

  CLI::App app{"Daedalus: differential-algebraic equations and constrained mechanical systems",
               "daedalus"};
  try {
    add_commands(app, session);
    if (unknown_command(app, argc, argv, told)) return exit_wrong_usage;
    app.parse(argc, argv);
    session.paint.on = shown.filter.colours = painted_output(session.color, out);
    use_model_settings(session.models);
    const InterruptGuard guard;
    const int code = session.action();
    print_model_warnings(told);
    shown.flush();
    if (!shown) throw FileError("the results could not be written to standard output");
    return code;
  } catch (const CLI::Success& request) {  // --help and --version
    std::ostringstream text;
    app.exit(request, text, err);
    out << wrapped_help(text.str()) << std::flush;
    if (out) return exit_success;
    told << "daedalus: this could not be written to standard output\n";
    return exit_file_error;
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, told);
  } catch (const InvalidModel& error) {
    const auto chosen = app.get_subcommands();
    if (asks_for_json(argc, argv))
      print(shown, invalid_model_document(chosen.empty() ? "" : chosen.front()->get_name(), error));
    print_diagnostics(error, told);
    return exit_wrong_usage;
  } catch (const InvalidArgument& error) {
    told << "daedalus: " << error.what() << '\n';
    return exit_wrong_usage;
  } catch (const FileError& error) {
    told << "daedalus: " << error.what() << '\n';
    return exit_file_error;
  } catch (const std::filesystem::filesystem_error& error) {
    told << "daedalus: '" << error.path1().string() << "': " << error.code().message() << '\n';
    return exit_file_error;
  } catch (const std::length_error&) {  // a size that no vector can have
    err << "daedalus: the problem is too large for this machine's memory\n";
    return exit_run_failed;
  } catch (const std::bad_alloc&) {
    err << "daedalus: there is not enough memory; what was written before is whole\n";
    return exit_run_failed;
  } catch (const std::exception& error) {
    err << "daedalus: the run ended with an exception: " << files::printable(error.what()) << '\n';
    return exit_run_failed;
  }
}

namespace {

// Also what a command needs before it begins, the list of experiments above all, may fail.
template <class Action>
int guarded(std::ostream& err, const Action& action) {
  const MemoryReserve reserve;
  try {
    return action();
  } catch (const std::exception&) {  // before there was a command that could fail
    err << "daedalus: there is not enough memory to begin\n";
    return exit_run_failed;
  }
}

}  // namespace

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
        std::span<const experiments::Experiment> experiments) {
  return guarded(err, [&] { return run_command(argc, argv, out, err, experiments); });
}

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  return guarded(err,
                 [&] { return run_command(argc, argv, out, err, experiments::all_experiments()); });
}

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err, Ranks& ranks) {
  return guarded(err, [&] {
    return run_command(argc, argv, out, err, experiments::all_experiments(), &ranks);
  });
}

}  // namespace daedalus::cli
