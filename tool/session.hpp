// SPDX-License-Identifier: BSD-3-Clause
// What every subcommand gets: where to write, and what the command line asked for.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>

#include <CLI/App.hpp>

#include "reproduce/experiment.hpp"
#include "tool/json.hpp"
#include "tool/models.hpp"

namespace daedalus {
class Ranks;
}

namespace daedalus::cli {

inline constexpr int exit_success = 0;
inline constexpr int exit_run_failed = 1;
inline constexpr int exit_wrong_usage = 2;
inline constexpr int exit_file_error = 3;

// Emphasis for terminals; plain text when off.
struct Paint {
  bool on = false;
  std::string bold(const std::string& text) const;
  std::string good(const std::string& text) const;
  std::string bad(const std::string& text) const;
  std::string faint(const std::string& text) const;
};

struct Session {
  std::ostream& out;  // results
  std::ostream& err;  // everything else
  Paint paint{};      // of `out`
  std::string color = "auto";
  ModelSettings models{};
  bool live = false;  // `err` is a terminal that may show progress
  std::span<const experiments::Experiment> experiments{};
  Ranks* ranks = nullptr;         // under a launcher, and with --distributed
  std::string command{};          // the command line, as it can be typed again
  std::function<int()> action{};  // set by the subcommand that was named
};

// Prints that a signal ended the command before its end; the exit code for it.
int say_interrupted(Session& session);
// A document of a command that a signal ended early says so: "status": "cancelled".
void mark_interrupted(Json& document);

// Each adds its subcommand; the parsed subcommand leaves its work in session.action.
void add_list(CLI::App& app, Session& session);
void add_show(CLI::App& app, Session& session);
void add_solve(CLI::App& app, Session& session);
void add_order(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_check_table(CLI::App& app, Session& session);
void add_explain(CLI::App& app, Session& session);
void add_eigen(CLI::App& app, Session& session);
void add_sensitivity(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_perturb(CLI::App& app, Session& session);
void add_sweep(CLI::App& app, Session& session);
void add_fit(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_reproduce(CLI::App& app, Session& session);
void add_convert(CLI::App& app, Session& session);
void add_recover(CLI::App& app, Session& session);
void add_flatten(CLI::App& app, Session& session);
void add_new(CLI::App& app, Session& session);
void add_build(CLI::App& app, Session& session);
void add_shell(CLI::App& app, Session& session);  // completion and man

}  // namespace daedalus::cli
