// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#ifdef DAEDALUS_HAVE_SUNDIALS
#include "peers/deadline.hpp"
#include "peers/peer.hpp"
#endif

namespace daedalus::bench {

#ifdef DAEDALUS_HAVE_SUNDIALS
namespace {

constexpr double longest_run = 60.0;

peers::Peers ida_solvers() {
  peers::Peers all, list;
  peers::add_ida(all);
  for (auto& peer : all)
    if (peer->solver == "ida-dense" || peer->solver == "ida-dense-tight-newton")
      list.push_back(std::move(peer));
  return list;
}

class IdaPeer final : public Peer {
 public:
  IdaPeer(const problems::Entry& entry, std::unique_ptr<peers::Model> model)
      : entry_(entry), model_(std::move(model)), solvers_(ida_solvers()) {}

  Run run(double tol, bool tight_newton) const override {
    const peers::Deadline deadline(longest_run);
    const Tolerance atol = absolute_tolerance(entry_, model_->names, tol);
    peers::Task task{entry_.t0, entry_.t_end, tol, Eigen::VectorXd(model_->size())};
    for (int i = 0; i < model_->size(); ++i) task.atol[i] = atol[i];
    const peers::PeerRun ida = solvers_.at(tight_newton ? 1 : 0)->run(*model_, task);
    Run run;
    run.ok = ida.ok;
    run.tol = tol;
    run.message = ida.message;
    run.solver = tight_newton ? "IDA (tight Newton)" : "IDA";
    run.accepted = ida.steps;
    run.rejected = ida.rejected;
    run.evaluations = ida.evaluations;
    run.jacobians = ida.jacobians;
    run.factorisations = ida.factorisations;
    run.work = ida.evaluations + ida.jacobians * model_->columns;
    run.seconds = ida.seconds;
    run.mescd = mixed_digits(entry_, model_->names, ida.end.data(), tol, atol);
    return run;
  }

 private:
  const problems::Entry& entry_;
  std::unique_ptr<peers::Model> model_;
  peers::Peers solvers_;
};

}  // namespace

std::unique_ptr<Peer> make_peer(const problems::Entry& entry, const Problem& problem) {
  if (index_of(problem) > 1) return nullptr;
  std::unique_ptr<peers::Model> model = peers::direct_model(entry, problem);
  if (!model) return nullptr;
  return std::make_unique<IdaPeer>(entry, std::move(model));
}
std::string peer_version() { return ida_solvers().front()->library; }
#else
std::unique_ptr<Peer> make_peer(const problems::Entry&, const Problem&) { return nullptr; }
std::string peer_version() { return {}; }
#endif

Provenance provenance(std::string commit) {
#ifdef __clang__
  const std::string compiler = __VERSION__;
#else
  const std::string compiler = "GCC " __VERSION__;
#endif
  Provenance from{"unknown", compiler, std::move(commit)};
  std::ifstream cpu("/proc/cpuinfo");
  for (std::string line; std::getline(cpu, line);)
    if (line.starts_with("model name")) {
      from.machine = line.substr(line.find(':') + 2);
      break;
    }
  return from;
}

Csv::Csv(const std::filesystem::path& file, std::string_view columns, Provenance from)
    : file_(std::fopen(file.c_str(), "w"), &std::fclose), from_(std::move(from)) {
  if (!file_)
    throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
  fmt::print(file_.get(), "{},machine,compiler,commit\n", columns);
}

void Csv::row(std::string_view values) {
  fmt::print(file_.get(), "{},\"{}\",\"{}\",{}\n", values, from_.machine, from_.compiler,
             from_.commit);
}

}  // namespace daedalus::bench
