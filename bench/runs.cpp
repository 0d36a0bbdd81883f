#include "runs.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#ifdef DAEDALUS_HAVE_SUNDIALS
#include "peers/ida.hpp"
#endif

namespace daedalus::bench {

#ifdef DAEDALUS_HAVE_SUNDIALS
namespace {

class IdaPeer final : public Peer {
 public:
  IdaPeer(const problems::Entry& entry, const Problem& problem)
      : entry_(entry), residual_(problem, entry.t0) {}

  Run run(double tol, bool tight_newton) const override {
    const Tolerance atol = absolute_tolerance(entry_, residual_.names(), tol);
    const peers::IdaRun ida = peers::run_ida(
        residual_, entry_.t0, entry_.t_end, tol, atol,
        tight_newton ? peers::tight_newton_constant : peers::default_newton_constant);
    Run run;
    run.ok = ida.ok;
    run.tol = tol;
    run.message = ida.message;
    run.solver = tight_newton ? "IDA (tight Newton)" : "IDA";
    run.accepted = ida.steps;
    run.rejected = ida.rejected;
    run.evaluations = ida.residuals;
    run.jacobians = run.factorisations = ida.jacobians;
    run.work = ida.residuals + ida.jacobians * residual_.columns();
    run.seconds = ida.seconds;
    run.mescd = mixed_digits(entry_, residual_.names(), ida.end.data(), tol, atol);
    return run;
  }

 private:
  const problems::Entry& entry_;
  peers::PeerResidual residual_;
};

}  // namespace

std::unique_ptr<Peer> make_peer(const problems::Entry& entry, const Problem& problem) {
  if (!peers::PeerResidual::accepts(problem)) return nullptr;
  return std::make_unique<IdaPeer>(entry, problem);
}
std::string peer_version() { return "SUNDIALS IDA " + peers::ida_version(); }
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
