// SPDX-License-Identifier: BSD-3-Clause
#include "tool/launcher.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include <daedalus/types.hpp>
#include <daedalus/version.hpp>

#include "tool/run.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {
namespace {

constexpr const char* library_name = "libdaedalus_distributed.so";
// A rank that failed waits this long for the others to fail as it did, in seconds: wrong usage ends
// all of them within a moment.
constexpr double patience = 5.0;

bool given(int argc, const char* const* argv, std::string_view word) {
  for (int i = 1; i < argc; ++i)
    if (argv[i] == word) return true;
  return false;
}

std::string command_of(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] != '-') return argv[i];
  return {};
}

void* open_library() {
  std::error_code ignored;
  const std::filesystem::path here =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const std::filesystem::path& folder :
       {here, here / DAEDALUS_LIBRARY_FOLDER, std::filesystem::path()}) {
    if (folder != std::filesystem::path() &&
        !std::filesystem::exists(folder / library_name, ignored))
      continue;
    // MPI loads plug-ins of its own that look for its symbols.
    if (void* found = dlopen((folder / library_name).c_str(), RTLD_NOW | RTLD_GLOBAL)) return found;
  }
  return nullptr;
}

// Exit codes of other ranks are 0: launchers kill what still runs, rank 0 among them, as soon as
// one rank fails.
int refuse(const Launch& launch, const std::string& text) {
  if (launch.rank > 0) return exit_success;
  std::cerr << "daedalus: " << text << '\n';
  return exit_wrong_usage;
}

int run_on_ranks(Ranks& ranks, int argc, const char* const* argv) {
  std::ostringstream out, err;
  const bool speaks = ranks.rank() == 0;
  const int code = run(argc, argv, speaks ? std::cout : static_cast<std::ostream&>(out),
                       speaks ? std::cerr : static_cast<std::ostream&>(err), ranks);
  // One after the other: of several that failed without rank 0 the first ends all, and speaks.
  const Ranks::End end = ranks.conclude(code, patience + 0.25 * ranks.rank());
  // What all ranks found wrong rank 0 has said.
  if (end.code != 0 && end.rank == ranks.rank() && !speaks) {
    constexpr std::string_view name = "daedalus: ";
    std::string text = err.str();
    if (text.starts_with(name)) text.erase(0, name.size());
    std::cerr << fmt::format("daedalus: rank {} of {}: {}", ranks.rank(), ranks.size(), text)
              << std::flush;
  }
  if (end.alone) ranks.abort(code);
  // As in `refuse`: the code of rank 0 is that of the job.
  return speaks ? end.code : exit_success;
}

}  // namespace

std::optional<Launch> find_launch(const Environment& environment) {
  const auto number = [&](const char* name) {
    const char* text = environment(name);
    return text == nullptr ? -1 : static_cast<int>(std::strtol(text, nullptr, 10));
  };
  if (number("OMPI_COMM_WORLD_SIZE") > 0)
    return Launch{std::max(0, number("OMPI_COMM_WORLD_RANK")), number("OMPI_COMM_WORLD_SIZE")};
  if (number("PMI_SIZE") > 0) return Launch{std::max(0, number("PMI_RANK")), number("PMI_SIZE")};
  // The script of a Slurm job has the variables as well, and is no step that srun started.
  const bool script =
      environment("SLURM_JOB_ID") != nullptr && environment("SLURM_STEP_ID") == nullptr;
  if (!script && number("SLURM_PROCID") >= 0) {
    const int tasks = number("SLURM_STEP_NUM_TASKS") > 0 ? number("SLURM_STEP_NUM_TASKS")
                                                         : number("SLURM_NTASKS");
    if (tasks > 1) return Launch{number("SLURM_PROCID"), tasks};
  }
  if (number("PMIX_RANK") >= 0) return Launch{number("PMIX_RANK"), 0};
  return std::nullopt;
}

std::unique_ptr<Ranks> load_ranks(int started) {
  void* library = open_library();
  if (library == nullptr)
    throw InvalidArgument(
        started > 1 ? fmt::format("{} ranks were started, and this daedalus was built without MPI "
                                  "(libopenmpi-dev); use --shard I/N",
                                  started)
                    : std::string("this daedalus was built without MPI and PETSc (libopenmpi-dev, "
                                  "libpetsc-real-dev)"));
  const auto version_of =
      reinterpret_cast<const char* (*)()>(dlsym(library, "daedalus_distributed_version"));
  const auto start = reinterpret_cast<Ranks* (*)()>(dlsym(library, "daedalus_start_ranks"));
  if (version_of == nullptr || start == nullptr || version_of() != version)
    throw InvalidArgument(
        fmt::format("'{}' is of another version than this tool, {}", library_name, version));
  return std::unique_ptr<Ranks>(start());
}

int run_as_started(int argc, const char* const* argv) {
  const std::optional<Launch> launch =
      find_launch([](const char* name) { return std::getenv(name); });
  const bool wanted = given(argc, argv, "--distributed");
  if (!wanted && (!launch || launch->size == 1)) return run(argc, argv, std::cout, std::cerr);
  const Launch started = launch.value_or(Launch{0, 1});
  const std::string command = command_of(argc, argv);
  const bool talk = command.empty() || given(argc, argv, "--help");
  if (talk) return started.rank == 0 ? run(argc, argv, std::cout, std::cerr) : exit_success;
  if (!wanted && command != "sweep" && started.size > 1)
    return refuse(started,
                  fmt::format("{} ranks were started, and '{}' runs on one: add --distributed (for "
                              "problems that can be cut: pde-1d, pde-2d, ...), or use 'sweep' for "
                              "many runs",
                              started.size, command));
  try {
    const std::unique_ptr<Ranks> ranks = load_ranks(started.size);
    if (started.size > 1 && ranks->size() != started.size)
      return refuse(started,
                    fmt::format("{} ranks were started, and MPI sees {}: this launcher does not "
                                "belong to the MPI that daedalus was built with",
                                started.size, ranks->size()));
    return run_on_ranks(*ranks, argc, argv);
  } catch (const InvalidArgument& error) {
    return refuse(started, error.what());
  }
}

}  // namespace daedalus::cli
