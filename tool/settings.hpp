// SPDX-License-Identifier: BSD-3-Clause
// Options of a run as the command line gives them; the names are those of daedalus::Options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include <catalogue/catalogue.hpp>
#include <daedalus/circuit.hpp>
#include <daedalus/options.hpp>
#include <daedalus/solve.hpp>

#include "tool/mode_history.hpp"
#include "tool/numbers.hpp"
#include "tool/reference.hpp"

namespace daedalus::cli {

struct RunSettings {
  std::string problem;
  std::vector<std::string> set;
  std::string t_end;
  std::string method = "auto", formulation = "auto", projection = "auto";
  std::string rtol = "1e-6", atol;
  bool rtol_given = false;  // otherwise a model may ask for another one
  std::vector<std::string> method_options, formulation_options;
  std::string fixed_step, initial_step, max_step, min_step, safety;
  std::string min_ratio, max_ratio, stabilisation;
  long max_steps = Options{}.max_steps;
  std::string control = "auto", norm = "rms", start = "automatic";
  std::string error_test = "automatic";
  std::string linear_algebra = "automatic", derivatives = "automatic";
  std::string untested, fixed, break_times;
  bool index_weights = true, project_output = false;
};

// An option that takes whole numbers as people write them: 1000, 1e6, 2^10.
template <class Number>
CLI::Option* add_whole(CLI::App& command, const std::string& name, Number& value,
                       const std::string& help, long min, long max) {
  CLI::Option* option = command.add_option_function<std::string>(
      name,
      [name, min, max, &value](const std::string& text) {
        value = static_cast<Number>(parse_whole(name, text, min, max));
      },
      help);
  const auto standard = static_cast<long>(value);
  if (standard >= min) option->default_str(brief_whole(standard));
  return option->type_name("N");
}
inline constexpr long max_steps_limit = 1'000'000'000'000'000;

void add_problem_options(CLI::App& command, RunSettings& settings);    // PROBLEM --set
void add_interval_options(CLI::App& command, RunSettings& settings);   // --t-end
void add_method_options(CLI::App& command, RunSettings& settings);     // --method ... --option
void add_tolerance_options(CLI::App& command, RunSettings& settings);  // --rtol --atol
void add_loop_options(CLI::App& command, RunSettings& settings);       // the other fields

// Everything checked and built. Throws InvalidArgument naming the option.
struct PreparedRun {
  const problems::Entry& entry;
  ChosenParameters parameters;
  Problem problem;
  Interval interval;
  Options options;
  std::shared_ptr<const ModeHistory> modes{};  // of the run, as far as it went
  std::shared_ptr<const Circuit> circuit{};    // of a netlist, with the parameters of the run
  std::string method_reason{};                 // where the netlist chose the method
  double tolerance_share = 1.0;                // of what was asked for, in the options
  // Of the method: what the library says, unless the netlist took its choice.
  const std::string& reason(const std::string& of_library) const {
    return method_reason.empty() ? of_library : method_reason;
  }
};
// The circuit of a netlist with the parameters and the formulation of the command line; null: the
// problem is no netlist.
std::shared_ptr<const Circuit> chosen_circuit(const RunSettings& settings);
PreparedRun prepare(const RunSettings& settings);

}  // namespace daedalus::cli
