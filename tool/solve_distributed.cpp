// SPDX-License-Identifier: BSD-3-Clause
#include "tool/solve_distributed.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <catalogue/cut.hpp>
#include <daedalus/distributed.hpp>

#include "tool/names.hpp"
#include "tool/progress.hpp"
#include "tool/table.hpp"
#include "tool/trajectory.hpp"

namespace daedalus::cli {
namespace {

// States up to this many bytes are gathered at rank 0 without being asked for.
constexpr double max_gathered = 64e6;

constexpr std::pair<const char*, DistributedPreconditioner> preconditioners[] = {
    {"automatic", DistributedPreconditioner::automatic},
    {"redundant", DistributedPreconditioner::redundant},
    {"lu", DistributedPreconditioner::lu},
    {"asm", DistributedPreconditioner::asm_lu},
    {"hypre", DistributedPreconditioner::hypre},
    {"gamg", DistributedPreconditioner::gamg},
    {"user", DistributedPreconditioner::user}};

DistributedPreconditioner preconditioner_named(const std::string& name) {
  std::string all;
  for (const auto& [known, kind] : preconditioners) {
    if (name == known) return kind;
    all += fmt::format("{}{}", all.empty() ? "" : ", ", known);
  }
  throw InvalidArgument(fmt::format("--preconditioner has '{}'; allowed are {}", name, all));
}

void refuse_what_needs_one_process(const OutputSettings& output) {
  const auto no = [](const std::string& given, const char* option) {
    if (!given.empty())
      throw InvalidArgument(fmt::format(
          "{} is not supported with --distributed; --out, --points, --json and --quiet are",
          option));
  };
  no(output.report, "--report");
  no(output.trace, "--trace");
  no(output.checkpoint, "--checkpoint");
  no(output.resume, "--resume");
}

// Options and interval of the run with the parameters asked for. The problem of the catalogue is
// built with its standard ones: none of the size asked for has room on one rank.
PreparedRun prepare_small(const RunSettings& settings) {
  RunSettings standard = settings;
  standard.set.clear();
  PreparedRun run = prepare(standard);
  run.parameters = choose_parameters(run.entry, settings.set);
  if (!run.options.atol.scalar())
    throw InvalidArgument("--atol takes one number with --distributed");
  return run;
}

Json describe_ranks(const Ranks& ranks, const DistributedSolution& s) {
  return Json{{"ranks", ranks.size()},
              {"unknowns", s.unknowns},
              {"reductions", s.counts.reductions},
              {"messages", s.counts.messages},
              {"bytes", s.counts.bytes},
              {"preconditioner_setups", s.counts.preconditioner_setups}};
}

std::string text_of_ranks(const Ranks& ranks, const DistributedSolution& s) {
  const Counts c = s.own.statistics().total();
  return fmt::format(
      "{} unknowns on {} rank{}; {} reductions, {} messages and {:.3g} MB of rank 0, "
      "{} products, {} set-ups of {}",
      s.unknowns, ranks.size(), ranks.size() == 1 ? "" : "s", s.counts.reductions,
      s.counts.messages, s.counts.bytes / 1e6, c.krylov_iterations, s.counts.preconditioner_setups,
      s.own.choice().linear_solver);
}

void write_states(const std::string& path, const Solution& whole, Session& io) {
  TrajectoryFile file(path);
  for (std::size_t k = 0; k < whole.times().size(); ++k) {
    const ModelState state = whole.state(k);
    file.add(state.view());
  }
  const std::filesystem::path written = file.commit({}, whole.ok());
  if (written != path)
    io.err << "daedalus: the run failed, so '" << path << "' was left as it is; its states are in '"
           << written.string() << "'\n";
}

// Rank 0 alone: `whole` has all states where they were gathered.
void tell(const PreparedRun& run, const DistributedSolution& s, const Solution& whole,
          bool gathered, bool json, bool quiet, Session& io) {
  RunReport report =
      gathered ? make_report(run, whole) : RunReport{run, whole, std::nullopt, std::nullopt, {}};
  if (json) {
    Json document = solve_document(report);
    if (!gathered) document["y"] = nullptr;
    document["distributed"] = describe_ranks(*io.ranks, s);
    print(io.out, document);
  } else if (!quiet) {
    if (gathered) {
      print_text(report, io);
    } else {
      io.out << labelled("status", fmt::format("{}, t = {}", to_string(whole.status()),
                                               brief(whole.end_time())))
             << labelled("steps",
                         fmt::format("{} accepted, {} rejected", whole.statistics().accepted,
                                     whole.statistics().rejected))
             << labelled("time", brief_time(whole.statistics().seconds));
    }
    io.out << labelled("ranks", text_of_ranks(*io.ranks, s));
  }
  for (const std::string& warning : whole.warnings()) io.err << "warning: " << warning << '\n';
  if (!whole.ok())
    io.err << "daedalus: " << to_string(whole.status()) << " at t = " << brief(whole.end_time())
           << ": " << whole.message() << '\n';
  io.out.flush();
}

}  // namespace

void add_rank_options(CLI::App& command, RankSettings& settings) {
  command.add_flag("--distributed", settings.distributed,
                   "Cut the problem over the ranks that mpirun or srun started");
  command
      .add_option("--preconditioner", settings.preconditioner,
                  "With --distributed: redundant or lu (direct), asm (overlapping blocks), hypre, "
                  "gamg, or user\n"
                  "(what --petsc says)")
      ->capture_default_str();
  command.add_option("--overlap", settings.overlap, "Of asm, in rows of the graph of the matrix");
  command
      .add_option("--petsc", settings.petsc,
                  "An option of PETSc and its value, '-dae_pc_type=bjacobi'; repeatable")
      ->allow_extra_args(false);
  command.add_flag("--gather", settings.gather,
                   "With --distributed: all states at rank 0, also above 64 MB");
}

int solve_over_ranks(const RunSettings& settings, const OutputSettings& output,
                     const RankSettings& rank_settings, bool json, bool quiet, Session& io) {
  if (!io.ranks)
    throw InvalidArgument(
        "this daedalus was built without MPI and PETSc (libopenmpi-dev, libpetsc-real-dev)");
  refuse_what_needs_one_process(output);
  Distribution distribution;
  distribution.preconditioner = preconditioner_named(rank_settings.preconditioner);
  distribution.overlap = rank_settings.overlap;
  for (const std::string& word : rank_settings.petsc) {
    const std::size_t equals = word.find('=');
    distribution.petsc_options.push_back(word.substr(0, equals));
    if (equals != std::string::npos) distribution.petsc_options.push_back(word.substr(equals + 1));
  }
  PreparedRun run = prepare_small(settings);
  const std::optional<DistributedProblem> part =
      problems::cut(run.entry.name, run.parameters.all, io.ranks->rank(), io.ranks->size());
  if (!part) {
    std::string all;
    for (const std::string& name : problems::cut_problems())
      all += fmt::format("{}{}", all.empty() ? "" : ", ", name);
    throw InvalidArgument(
        fmt::format("'{}' cannot be cut over ranks; those that can: {}", run.entry.name, all));
  }
  Options& o = run.options;
  o.output = output.out.empty() ? Output::end : Output::steps;
  if (!output.out.empty() && output.points > 0) {
    o.output = Output::times;
    o.output_times = sample_times(run.interval.from, run.interval.to, output.points);
  }
  const InterruptGuard guard;
  ProgressBar bar(io.err, io.live && !quiet && io.ranks->rank() == 0, run.interval.from);
  o.cancel = InterruptGuard::requested;
  o.progress = [&bar](const Progress& progress) { bar.update(progress); };
  const DistributedSolution solved = io.ranks->solve(*part, run.interval, o, distribution);
  const double bytes = 8.0 * static_cast<double>(solved.unknowns) *
                       static_cast<double>(std::max<std::size_t>(1, solved.own.times().size()));
  const bool gathers = rank_settings.gather || !output.out.empty() || bytes <= max_gathered;
  const Solution whole = gathers ? io.ranks->gather(solved.own) : solved.own;
  if (io.ranks->rank() == 0) {
    tell(run, solved, whole, gathers, json, quiet, io);
    if (!output.out.empty()) write_states(output.out, whole, io);
  }
  return whole.ok() ? exit_success : exit_run_failed;
}

}  // namespace daedalus::cli
