// SPDX-License-Identifier: BSD-3-Clause
#include "tool/settings.hpp"

#include <malloc.h>

#include <map>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <catalogue/preconditioner.hpp>
#include <daedalus/mechanism/run.hpp>

#include "tool/describe.hpp"
#include "tool/models.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/progress.hpp"

namespace daedalus::cli {
namespace {

template <class Value>
Value one_of(const std::string& option, const std::string& text,
             const std::vector<std::pair<std::string, Value>>& allowed) {
  std::string names;
  for (const auto& [name, value] : allowed) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + name;
  }
  throw InvalidArgument(fmt::format("{} has '{}'; allowed are {}", option, text, names));
}

double number_or_zero(const std::string& option, const std::string& text) {
  return text.empty() ? 0.0 : parse_number(option, text);
}

double positive_or_zero(const std::string& option, const std::string& text) {
  const double value = number_or_zero(option, text);
  if (!text.empty() && !(value > 0.0))
    throw InvalidArgument(fmt::format("{} has '{}'; it must be positive", option, text));
  return value;
}

std::vector<std::string> names_in(const std::string& text) {
  return text.empty() ? std::vector<std::string>{} : split(text, ',');
}

// A scalar is scaled per variable by the catalogue; a list is taken as it is.
Tolerance absolute_tolerance(const std::string& text, const problems::Entry& entry,
                             const Problem& problem) {
  const std::vector<double> given = parse_list("--atol", text);
  for (const double value : given)
    if (!(value >= 0.0))
      throw InvalidArgument(fmt::format("--atol has '{}'; it must not be negative", text));
  const std::vector<VariableFacts> variables = model_variables(problem);
  const auto count = static_cast<Eigen::Index>(variables.size());
  if (given.size() > 1) {
    if (given.size() != variables.size())
      throw InvalidArgument(
          fmt::format("--atol has {} values; allowed are 1 or {} (one per variable of {})",
                      given.size(), variables.size(), entry.name));
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(given.data(), count));
  }
  if (entry.atol_scale.empty()) return given.front();
  Eigen::VectorXd each = Eigen::VectorXd::Constant(count, given.front());
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto scale = entry.atol_scale.find(variables[static_cast<std::size_t>(i)].name);
    if (scale != entry.atol_scale.end()) each[i] *= scale->second;
  }
  return each;
}

void set_method(const RunSettings& s, Options& o) {
  o.method = require_method(s.method);
  o.formulation = require_formulation(s.formulation);
  o.projection = one_of<ProjectionWhen>("--projection", s.projection,
                                        {{"none", ProjectionWhen::none},
                                         {"auto", ProjectionWhen::automatic},
                                         {"every-step", ProjectionWhen::every_step}});
  for (const std::string& text : s.formulation_options) {
    const auto [key, value] = parse_assignment("--formulation-option", text);
    o.formulation_options[key] = value;
  }
  for (const std::string& text : s.method_options) {
    const auto [key, value] = parse_assignment("--option", text);
    o.method_options[key] = value;
  }
}

void set_loop(const RunSettings& s, Options& o) {
  o.fixed_step = positive_or_zero("--fixed-step", s.fixed_step);
  o.initial_step = positive_or_zero("--initial-step", s.initial_step);
  o.max_step = positive_or_zero("--max-step", s.max_step);
  o.min_step = positive_or_zero("--min-step", s.min_step);
  o.safety = positive_or_zero("--safety", s.safety);
  o.min_ratio = positive_or_zero("--least-ratio", s.min_ratio);
  o.max_ratio = positive_or_zero("--largest-ratio", s.max_ratio);
  if (!s.stabilisation.empty()) o.stabilisation = parse_number("--stabilisation", s.stabilisation);
  o.project_output = s.project_output;
  o.max_steps = s.max_steps;
  if (!s.break_times.empty()) o.break_times = parse_list("--break-times", s.break_times);
  o.control = s.control;
  o.index_weights = s.index_weights;
  o.untested = names_in(s.untested);
  o.fixed = names_in(s.fixed);
  o.norm = one_of<ErrorNorm>("--norm", s.norm,
                             {{"rms", ErrorNorm::rms}, {"maximum", ErrorNorm::maximum}});
  o.error_test = one_of<ErrorPolicy>("--error-test", s.error_test,
                                     {{"automatic", ErrorPolicy::automatic},
                                      {"all", ErrorPolicy::all},
                                      {"differential", ErrorPolicy::differential},
                                      {"without-index2", ErrorPolicy::without_index2},
                                      {"index-weighted", ErrorPolicy::index_weighted}});
  o.start = one_of<StartStrategy>("--start", s.start,
                                  {{"automatic", StartStrategy::automatic},
                                   {"solve", StartStrategy::solve},
                                   {"given", StartStrategy::given}});
  o.linear_algebra = one_of<LinearAlgebra>("--linear-algebra", s.linear_algebra,
                                           {{"automatic", LinearAlgebra::automatic},
                                            {"dense", LinearAlgebra::dense},
                                            {"sparse", LinearAlgebra::sparse},
                                            {"range-space", LinearAlgebra::range_space},
                                            {"null-space", LinearAlgebra::null_space},
                                            {"krylov", LinearAlgebra::krylov}});
  o.derivatives = one_of<DerivativeSource>(
      "--derivatives", s.derivatives,
      {{"automatic", DerivativeSource::automatic}, {"differences", DerivativeSource::differences}});
}

}  // namespace

void add_problem_options(CLI::App& command, RunSettings& s) {
  command
      .add_option("problem", s.problem,
                  "Problem of the catalogue (daedalus list problems), a model file, or - for "
                  "standard input")
      ->required();
  command
      .add_option(
          "--set", s.set,
          "Set a parameter of the problem, name=value, with a unit if you like (2m); repeatable")
      ->allow_extra_args(false);
  // Behind --set, whose values replace what is in the list.
  command.add_flag_callback(
      "--free-root", [&s] { s.set.push_back("free_root=1"); },
      "Of a URDF: the root link is a body that moves, not ground");
}

void add_interval_options(CLI::App& command, RunSettings& s) {
  command.add_option("--t-end", s.t_end, "End time instead of the catalogue's");
}

void add_method_options(CLI::App& command, RunSettings& s) {
  command.add_option("--method", s.method, "Method (daedalus list methods)")->capture_default_str();
  command
      .add_option("--formulation", s.formulation,
                  "Formulation of the equations (daedalus list formulations)")
      ->capture_default_str();
  command
      .add_option("--formulation-option", s.formulation_options,
                  "Set an option of the formulation, key=value; repeatable")
      ->allow_extra_args(false);
  command
      .add_option("--projection", s.projection,
                  "Projection onto the constraints: none, auto, every-step")
      ->capture_default_str();
  command
      .add_option("--option", s.method_options,
                  "Set an option of the method, key=value; repeatable")
      ->allow_extra_args(false);
}

void add_tolerance_options(CLI::App& command, RunSettings& s) {
  command
      .add_option("--rtol", s.rtol, "Relative tolerance; without it the model's own, if it has one")
      ->capture_default_str()
      ->each([&s](const std::string&) { s.rtol_given = true; });
  command.add_option("--atol", s.atol,
                     "Absolute tolerance: one value, multiplied by the catalogue's factor per\n"
                     "variable, or one per variable A,A,...; the value of --rtol if not given");
}

void add_loop_options(CLI::App& command, RunSettings& s) {
  command.add_option("--fixed-step", s.fixed_step, "Constant steps without error control");
  command.add_option("--initial-step", s.initial_step, "First step; chosen if not given");
  command.add_option("--max-step", s.max_step, "Largest step");
  command.add_option("--break-times", s.break_times,
                     "Times where the right-hand side is not smooth, a,b,...: steps end there");
  command.add_option("--min-step", s.min_step, "Smallest step");
  add_whole(command, "--max-steps", s.max_steps, "Largest number of steps", 1, max_steps_limit);
  command
      .add_option("--control", s.control,
                  "Step control: auto, elementary, pi, stabilised, filter, steinebach, multistep,\n"
                  "dae2sol, dae2sol-a, dae2sol-printed, dae2sol-fitted")
      ->capture_default_str();
  command.add_option("--safety", s.safety, "Safety factor of the step control");
  command.add_option("--least-ratio", s.min_ratio, "Smallest ratio of consecutive steps");
  command.add_option("--largest-ratio", s.max_ratio, "Largest ratio of consecutive steps");
  command.add_option("--stabilisation", s.stabilisation, "Beta of --control stabilised (0.04)");
  command.add_flag("--project-output", s.project_output,
                   "Project states between steps to the constraints before they are written");
  command.add_option("--norm", s.norm, "Norm of the error test: rms, maximum")
      ->capture_default_str();
  command
      .add_option("--error-test", s.error_test,
                  "Part of the error that is tested: automatic, all, differential,\n"
                  "without-index2, index-weighted")
      ->capture_default_str();
  command.add_flag("--index-weights,!--no-index-weights", s.index_weights,
                   "Errors of index-k variables count with h^(k-1) (default)");
  command.add_option("--untested", s.untested, "Variables left out of the error test, a,b,...");
  command.add_option("--start", s.start, "Start values: automatic, solve, given")
      ->capture_default_str();
  command.add_option("--fixed", s.fixed, "Variables that --start solve must not change, a,b,...");
  command
      .add_option("--linear-algebra,--linear-solver", s.linear_algebra,
                  "Linear algebra: automatic, dense, sparse, range-space, null-space, krylov "
                  "(matrix-free, with the problem's preconditioner if it has one)")
      ->capture_default_str();
  command.add_option("--derivatives", s.derivatives, "Derivatives: automatic, differences")
      ->capture_default_str();
}

namespace {

// What the command line leaves open is said by .options and .tran. Why the method is what it is.
std::string follow_netlist(const RunSettings& s, const Circuit& circuit, Options& options) {
  const bool own_rtol = s.rtol_given || s.rtol != RunSettings{}.rtol;
  const Options asked = circuit.options(own_rtol ? options.rtol : 0.0);
  options.rtol = asked.rtol;
  options.atol =
      s.atol.empty() ? asked.atol : Tolerance(circuit_tolerance_share * options.atol.values());
  options.formulation = "auto";
  if (options.max_step == 0.0) options.max_step = asked.max_step;
  if (options.method != "auto") return {};
  options.method = asked.method;
  return circuit.method_reason();
}

// The same of "run" in a mechanism; its rtol comes by tolerance_of. The share of the tolerance that
// the error of a step takes.
double follow_mechanism(const RunSettings& s, const RunStandards& run, const problems::Entry& entry,
                        const Problem& problem, Options& options) {
  if (s.atol.empty() && run.atol > 0.0)
    options.atol = absolute_tolerance(fmt::format("{}", run.atol), entry, problem);
  if (options.method == "auto" && !run.method.empty()) options.method = run.method;
  if (options.formulation == "auto" && !run.formulation.empty())
    options.formulation = run.formulation;
  // What the equations hold of the constraints they hold to round-off, as joints do.
  if (s.projection == "auto" && (options.formulation == "index3" || options.formulation == "ggl"))
    options.projection = ProjectionWhen::every_step;
  const double share =
      options.fixed_step > 0.0 ? 1.0 : step_error_share(options.method, options.formulation);
  options.rtol *= share;
  options.atol = Tolerance(share * options.atol.values());
  return share;
}

// A model that was read leaves holes between what stays of it, which the long vectors of a run do
// not fit into: 15 MB of 10^5 equations.
void give_memory_back([[maybe_unused]] const problems::Entry& entry) {
#ifdef __GLIBC__
  if (loaded_from_file(entry)) malloc_trim(0);
#endif
}

}  // namespace

std::shared_ptr<const Circuit> chosen_circuit(const RunSettings& s) {
  if (!names_file(s.problem)) return nullptr;
  const LoadedProblem& file = load_problem(s.problem);
  if (!file.circuit) return nullptr;
  const ChosenParameters parameters = choose_parameters(file.entry, s.set);
  return std::make_shared<const Circuit>(
      file.circuit->with(parameters.standard ? Values{} : parameters.all,
                         s.formulation == "auto" ? "" : s.formulation));
}

PreparedRun prepare(const RunSettings& s) {
  const problems::Entry& entry = structured_entry(require_problem(s.problem), s.set);
  ChosenParameters parameters = choose_parameters(entry, s.set);
  const std::shared_ptr<const Circuit> circuit = chosen_circuit(s);
  Problem problem = circuit ? circuit->entry().problem() : entry.problem(parameters.all);
  const double t_end = s.t_end.empty() ? entry.t_end : parse_number("--t-end", s.t_end);
  Options options;
  const double wanted = s.rtol_given ? 0.0 : tolerance_of(entry);
  const std::string rtol = wanted > 0.0 ? fmt::format("{}", wanted) : s.rtol;
  options.rtol = parse_number("--rtol", rtol);
  if (options.rtol < 0.0)
    throw InvalidArgument(fmt::format("--rtol has '{}'; it must not be negative", s.rtol));
  options.atol = absolute_tolerance(s.atol.empty() ? rtol : s.atol, entry, problem);
  RunSettings of_library = s;
  if (circuit) of_library.formulation = "auto";  // was the choice of a form of the circuit
  set_method(of_library, options);
  set_loop(s, options);
  options.cancel = InterruptGuard::requested;
  std::string reason;
  double share = 1.0;
  if (circuit) {
    reason = follow_netlist(s, *circuit, options);
    share = circuit_tolerance_share;
  } else if (const LoadedProblem* file = loaded_from_file(entry); file && file->mechanism) {
    share = follow_mechanism(s, file->mechanism(parameters.all)->run, entry, problem, options);
    if (share < 1.0)
      reason = fmt::format("chosen by the user; a step's error takes {:g} of the tolerance", share);
  }
  entry.apply(options, parameters.all);
  if (options.linear_algebra == LinearAlgebra::krylov)
    options.krylov.preconditioner = problems::preconditioner_of(entry, parameters.all);
  std::shared_ptr<const ModeHistory> modes =
      entry.outputs.empty() ? nullptr : remember_modes(problem, entry.t0, options);
  give_memory_back(entry);
  return {entry,
          std::move(parameters),
          std::move(problem),
          {entry.t0, t_end},
          std::move(options),
          std::move(modes),
          circuit,
          std::move(reason),
          share};
}

}  // namespace daedalus::cli
