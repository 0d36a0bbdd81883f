// SPDX-License-Identifier: BSD-3-Clause
// Runs over the ranks of MPI. The library for them is loaded when ranks are started: the module
// itself neither needs MPI nor brings it along.
#include <daedalus/distributed.hpp>
#include <daedalus/version.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "entries.hpp"
#include "fields.hpp"
#include "one_of.hpp"
#include "ranks.hpp"
#include "visit_problem.hpp"

namespace daedalus::python {
namespace {

constexpr const char* library_name = "libdaedalus_distributed.so";

// Beside the module, or where a build leaves it; empty: nowhere.
std::filesystem::path library_file() {
  const std::filesystem::path here = module_file().parent_path();
  for (const auto& folder : {here, here.parent_path().parent_path() / "bin"}) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / library_name, ignored)) return folder / library_name;
  }
  return {};
}

std::unique_ptr<Ranks> load_ranks() {
  show_library();
  const std::filesystem::path file = library_file();
  // MPI loads plug-ins of its own that look for its symbols.
  void* library = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* why = file.empty() ? nullptr : dlerror();
    throw InvalidArgument(fmt::format(
        "start_ranks: this package was built without MPI (libopenmpi-dev, and libpetsc-real-dev "
        "for one problem over all ranks){}{}",
        why ? ", or it cannot be loaded: " : "", why ? why : ""));
  }
  const auto version_of =
      reinterpret_cast<const char* (*)()>(dlsym(library, "daedalus_distributed_version"));
  const auto start = reinterpret_cast<Ranks* (*)()>(dlsym(library, "daedalus_start_ranks"));
  if (version_of == nullptr || start == nullptr || version_of() != version)
    throw InvalidArgument(fmt::format(
        "start_ranks: '{}' is of another version than this package, {}", library_name, version));
  return std::unique_ptr<Ranks>(start());
}

// MPI begins and ends once in a process; Python ends it before the interpreter goes.
std::unique_ptr<Ranks>& ranks_of_process() {
  static std::unique_ptr<Ranks> ranks;
  return ranks;
}

}  // namespace

Ranks& ranks_in_use() {
  if (!ranks_of_process()) throw InvalidArgument("ranks: MPI has ended, or was not started");
  return *ranks_of_process();
}

namespace {

py::dict distributed_fields() {
  FieldList list;
  DistributedProblem problem;
  visit_fields(list, problem);
  return list.fields;
}

DistributedProblem build_distributed(const py::dict& fields) {
  DistributedProblem problem;
  const FieldReader read{fields};
  visit_fields(read, problem);
  return problem;
}

py::tuple solve_cut(const DistributedProblem& problem, double t0, double t1,
                    const py::dict& keywords, const std::string& preconditioner, int overlap,
                    const std::vector<std::string>& petsc_options) {
  const Options options = options_from(keywords);
  const Distribution distribution{
      one_of<DistributedPreconditioner>(
          "preconditioner", preconditioner,
          {"automatic", "redundant", "lu", "asm", "hypre", "gamg", "user"}),
      overlap, petsc_options};
  begin_run();
  DistributedSolution s = [&] {
    const py::gil_scoped_release unlocked;
    return ranks_in_use().solve(problem, {t0, t1}, options, distribution);
  }();
  py::dict counts;
  counts["reductions"] = s.counts.reductions;
  counts["messages"] = s.counts.messages;
  counts["bytes"] = s.counts.bytes;
  counts["preconditioner_setups"] = s.counts.preconditioner_setups;
  return py::make_tuple(std::move(s.own), counts, s.first, s.unknowns);
}

}  // namespace

void add_ranks(py::module_& m) {
  py::class_<DistributedProblem, std::shared_ptr<DistributedProblem>>(m, "DistributedProblem");
  m.def("distributed_fields", distributed_fields);
  m.def("build_distributed", build_distributed);
  m.def("ranks_available", [] { return !library_file().empty(); });
  m.def("start_ranks", [] {
    if (!ranks_of_process()) ranks_of_process() = load_ranks();
    return py::make_tuple(ranks_in_use().rank(), ranks_in_use().size());
  });
  m.def("end_ranks", [] { ranks_of_process().reset(); });
  m.def("solve_cut", solve_cut);
  m.def("gather_ranks", [](const Solution& own) {
    const py::gil_scoped_release unlocked;
    return ranks_in_use().gather(own);
  });
  m.def("broadcast_ranks", [](std::string bytes) {
    {
      const py::gil_scoped_release unlocked;
      ranks_in_use().broadcast(bytes);
    }
    return py::bytes(bytes);
  });
  m.def("first_rank_to_differ", [](const std::string& text) {
    const py::gil_scoped_release unlocked;
    return ranks_in_use().first_to_differ(text);
  });
  m.def("conclude_ranks", [](int code, double patience) {
    const py::gil_scoped_release unlocked;
    const Ranks::End end = ranks_in_use().conclude(code, patience);
    return std::make_tuple(end.code, end.rank, end.alone);
  });
  m.def("abort_ranks", [](int code) { ranks_in_use().abort(code); });
}

}  // namespace daedalus::python
