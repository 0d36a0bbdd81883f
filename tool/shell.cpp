// SPDX-License-Identifier: BSD-3-Clause
// daedalus completion bash|zsh, daedalus man
#include "tool/shell.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <daedalus/version.hpp>

#include "tool/models.hpp"
#include "tool/names.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {
namespace {

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// "--set" of every option; positional arguments have none.
std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional) {
  std::vector<const CLI::Option*> list;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() == positional) list.push_back(option);
  return list;
}

std::string first_line(const std::string& text) {
  std::string line = text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// For a shell between single quotes.
std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// For zsh's _arguments, where colons and brackets have a meaning.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : first_line(text)) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::vector<std::string> kinds_of_models() {
  std::vector<std::string> kinds;
  for (const ProblemReader& reader : problem_readers()) kinds.emplace_back(reader.kind);
  return kinds;
}

// Lines that start with a point or a quote are commands; backslashes are escapes; minus signs in
// options are to be copied as such.
std::string roff(const std::string& text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    line_start = c == '\n';
  }
  return result;
}

}  // namespace

Words words_for(const CLI::Option& option, const std::vector<std::string>& experiments) {
  const std::string name =
      option.get_lnames().empty() ? option.get_name(true) : option.get_lnames().front();
  const auto with_auto = [](std::vector<std::string> names) {
    names.insert(names.begin(), "auto");
    return names;
  };
  static const std::map<std::string, std::vector<std::string>> fixed{
      {"projection", {"none", "auto", "every-step"}},
      {"control",
       {"auto", "elementary", "pi", "stabilised", "filter", "steinebach", "multistep", "dae2sol",
        "dae2sol-a", "dae2sol-printed", "dae2sol-fitted"}},
      {"error-test", {"automatic", "all", "differential", "without-index2", "index-weighted"}},
      {"start", {"automatic", "solve", "given"}},
      {"linear-algebra", {"automatic", "dense", "sparse", "range-space", "null-space", "krylov"}},
      {"derivatives", {"automatic", "differences"}},
      {"color", {"auto", "always", "never"}},
      {"what", {"methods", "problems", "formulations"}},
      {"shell", {"bash", "zsh"}},
      {"model-kind", kinds_of_models()},
      {"kind", {"alternating", "rotating", "smooth", "random", "single"}}};
  if (name == "problem" || name == "problems") return {problem_names(), false, false};
  if (name == "method") return {with_auto(method_names())};
  if (name == "methods") return {with_auto(method_names()), true};
  if (name == "formulation") return {with_auto(formulation_names())};
  if (name == "formulations") return {formulation_names(), true};
  if (name == "id") return {experiments};
  if (name == "name") {
    Words all{problem_names()};
    for (const auto& more : {method_names(), formulation_names()})
      all.names.insert(all.names.end(), more.begin(), more.end());
    return all;
  }
  for (const char* file : {"out", "plot", "trace", "checkpoint", "resume", "csv", "file", "export",
                           "from", "to", "report"})
    if (name == file) return {{}, false, true};
  if (const auto found = fixed.find(name); found != fixed.end()) return {found->second};
  return {};
}

void write_bash_completion(const CLI::App& app, const std::vector<std::string>& experiments,
                           std::ostream& out) {
  std::vector<std::string> names;
  for (const CLI::App* c : commands_of(app)) names.push_back(c->get_name());
  out << "# Completion of daedalus for bash, written by 'daedalus completion bash'.\n"
         "_daedalus_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$cur\")); }\n"
         "_daedalus_list() {  # the part after the last comma\n"
         "  local before=\n"
         "  [[ $cur == *,* ]] && before=${cur%,*},\n"
         "  COMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\"))\n"
         "}\n"
         "_daedalus() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= i\n"
         "  if [[ $cur == = ]]; then cur=; fi\n"
         "  if [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    [[ ${COMP_WORDS[i]} != -* ]] && { command=${COMP_WORDS[i]}; break; }\n"
         "  done\n"
      << "  case \"$command $prev\" in\n";
  std::string positional,
      flags = fmt::format("    '') flags={} ;;\n", shell_quoted("--help --version --color"));
  for (const CLI::App* c : commands_of(app)) {
    std::vector<std::string> all{"--help", "--color"};
    for (const CLI::Option* option : options_of(*c, false)) {
      const std::vector<std::string> own = flags_of(*option);
      for (const std::string& flag : own)
        if (std::find(all.begin(), all.end(), flag) == all.end()) all.push_back(flag);
      if (!takes_value(*option)) continue;
      std::vector<std::string> patterns;
      for (const std::string& flag : own)
        patterns.push_back("'" + c->get_name() + " " + flag + "'");
      const Words words = words_for(*option, experiments);
      const std::string what =
          words.file ? "COMPREPLY=($(compgen -f -- \"$cur\")); compopt -o filenames"
          : words.names.empty()
              ? std::string("COMPREPLY=()")
              : fmt::format("_daedalus_{} {}", words.list ? "list" : "words",
                            shell_quoted(fmt::format("{}", fmt::join(words.names, " "))));
      out << fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, "|"), what);
    }
    for (const CLI::Option* option : options_of(*c, true)) {
      const Words words = words_for(*option, experiments);
      positional += fmt::format(
          "    {}) {} ;;\n", c->get_name(),
          words.file ? std::string("COMPREPLY=($(compgen -f -- \"$cur\")); compopt -o filenames")
                     : fmt::format("_daedalus_words {}",
                                   shell_quoted(fmt::format("{}", fmt::join(words.names, " ")))));
      break;
    }
    flags += fmt::format("    {}) flags={} ;;\n", c->get_name(),
                         shell_quoted(fmt::format("{}", fmt::join(all, " "))));
  }
  out << "    *' --color') _daedalus_words 'auto always never'; return ;;\n  esac\n"
      << "  local flags=\n  case \"$command\" in\n"
      << flags << "  esac\n"
      << "  if [[ $cur == -* ]]; then _daedalus_words \"$flags\"; return; fi\n"
      << "  case \"$command\" in\n"
      << fmt::format("    '') _daedalus_words '{}' ;;\n", fmt::join(names, " ")) << positional
      << "  esac\n}\ncomplete -F _daedalus daedalus\n";
}

void write_zsh_completion(const CLI::App& app, const std::vector<std::string>& experiments,
                          std::ostream& out) {
  const auto action = [&](const CLI::Option& option) -> std::string {
    const Words words = words_for(option, experiments);
    if (words.file) return "_files";
    if (words.names.empty()) return " ";
    const std::string all = fmt::format("{}", fmt::join(words.names, " "));
    return words.list ? "_values -s , name " + all : "(" + all + ")";
  };
  out << "#compdef daedalus\n# Completion of daedalus for zsh, written by 'daedalus completion "
         "zsh'.\n_daedalus() {\n  local curcontext=$curcontext state line\n  local -a commands\n"
         "  commands=(\n";
  for (const CLI::App* c : commands_of(app))
    out << "    " << shell_quoted(c->get_name() + ":" + first_line(c->get_description())) << '\n';
  out << "  )\n  _arguments -C '--help[Help]' '--version[Version]' "
         "'--color[When to use colours]:when:(auto always never)' '1:command:->command' "
         "'*::argument:->argument'\n"
         "  case $state in\n  command) _describe command commands ;;\n  argument)\n"
         "    case $line[1] in\n";
  for (const CLI::App* c : commands_of(app)) {
    out << "    " << c->get_name() << ") _arguments";
    for (const CLI::Option* option : options_of(*c, false))
      for (const std::string& flag : flags_of(*option)) {
        const std::string repeat = option->get_items_expected_max() > 1 ? "*" : "";
        std::string spec = repeat + flag + "[" + zsh_text(option->get_description()) + "]";
        if (takes_value(*option)) spec += ":value:" + action(*option);
        out << " \\\n      " << shell_quoted(spec);
      }
    for (const CLI::Option* option : options_of(*c, true))
      out << " \\\n      "
          << shell_quoted(std::string(option->get_items_expected_max() > 1 ? "*:" : ":") +
                          option->get_name(true) + ":" + action(*option));
    out << " ;;\n";
  }
  out << "    esac ;;\n  esac\n}\n_daedalus \"$@\"\n";
}

void write_manual(const CLI::App& app, std::ostream& out) {
  out << ".TH DAEDALUS 1 \"\" \"daedalus " << version << "\" \"User Commands\"\n"
      << ".SH NAME\ndaedalus \\- solve and study differential\\-algebraic equations\n"
      << ".SH SYNOPSIS\n.B daedalus\n.I command\n.RI [ options ]\n"
      << ".SH DESCRIPTION\n"
      << roff(app.get_description()) << ".\n"
      << "Problems, methods, formulations and experiments have names; the command\n.B list\n"
      << "shows them. Every command takes\n.BR \\-\\-json .\n"
      << "Results go to standard output, messages to standard error.\n.SH COMMANDS\n";
  for (const CLI::App* c : commands_of(app)) {
    out << ".SS daedalus " << roff(c->get_name());
    for (const CLI::Option* option : options_of(*c, true))
      out << ' '
          << roff(option->get_required() ? option->get_name(true)
                                         : "[" + option->get_name(true) + "]");
    out << '\n' << roff(c->get_description()) << ".\n";
    for (const CLI::Option* option : options_of(*c, false)) {
      out << ".TP\n.B " << roff(fmt::format("{}", fmt::join(flags_of(*option), ", ")));
      if (takes_value(*option)) out << " \\fIvalue\\fR";
      out << '\n' << roff(option->get_description());
      if (!option->get_default_str().empty()) out << " [" << roff(option->get_default_str()) << "]";
      out << '\n';
    }
    for (const CLI::Option* option : options_of(*c, true))
      out << ".TP\n.I " << roff(option->get_name(true)) << '\n'
          << roff(option->get_description()) << '\n';
    if (!c->get_footer().empty()) out << ".PP\n.nf\n" << roff(c->get_footer()) << "\n.fi\n";
  }
  out << ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nPlain text, also on terminals.\n"
      << ".SH EXIT STATUS\n0 success or stopped by an event, 1 the run failed, 2 wrong usage, 3 a "
         "file "
         "could not be read or written.\n";
}

void add_shell(CLI::App& app, Session& session) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* completion =
      app.add_subcommand("completion", "Print the completion of commands for a shell");
  completion->add_option("shell", *shell, "bash or zsh")->required();
  completion->footer(
      "bash: daedalus completion bash > ~/.local/share/bash-completion/completions/daedalus\n"
      "zsh: daedalus completion zsh > _daedalus, in a folder of $fpath. 'make install' does both.");
  const auto ids = [&session] {
    std::vector<std::string> list;
    for (const experiments::Experiment& e : session.experiments) list.push_back(e.id);
    return list;
  };
  completion->callback([shell, ids, &app, &session] {
    session.action = [shell, ids, &app, &session] {
      if (*shell == "bash")
        write_bash_completion(app, ids(), session.out);
      else if (*shell == "zsh")
        write_zsh_completion(app, ids(), session.out);
      else
        throw InvalidArgument(
            unknown_name("shell", *shell, {"bash", "zsh"}, "daedalus completion --help"));
      return exit_success;
    };
  });
  CLI::App* manual = app.add_subcommand("man", "Print the manual page (roff, section 1)");
  manual->footer("Read it with: daedalus man | man -l -");
  manual->callback([&app, &session] {
    session.action = [&app, &session] {
      write_manual(app, session.out);
      return exit_success;
    };
  });
}

}  // namespace daedalus::cli
