#include "runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <fstream>
#include <limits>
#include <system_error>

#include <daedalus/solve.hpp>
#ifdef DAEDALUS_HAVE_SUNDIALS
#include "peers/ida.hpp"
#endif

namespace daedalus::bench {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double mixed_digits(const problems::Entry& entry, const std::vector<std::string>& names,
                    const double* end, double rtol, const Tolerance& atol) {
  if (!entry.reference) return std::numeric_limits<double>::quiet_NaN();
  const problems::Reference& r = *entry.reference;
  double largest = std::numeric_limits<double>::epsilon();
  for (const auto& [name, value] : r.values) {
    if (!r.counted.empty() &&
        std::find(r.counted.begin(), r.counted.end(), name) == r.counted.end())
      continue;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) continue;
    const auto i = static_cast<int>(found - names.begin());
    const double error = std::abs(end[i] - value) / (atol[i] / rtol + std::abs(value));
    // A NaN has to stay visible, so no std::max.
    if (!(error <= largest)) largest = error;
  }
  return -std::log10(largest);
}

}  // namespace

Tolerance absolute_tolerance(const problems::Entry& entry, const std::vector<std::string>& names,
                             double tol) {
  if (entry.atol_scale.empty()) return tol;
  Eigen::VectorXd each = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(names.size()), tol);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const auto scale = entry.atol_scale.find(names[i]); scale != entry.atol_scale.end())
      each[static_cast<Eigen::Index>(i)] *= scale->second;
  return each;
}

Run run_ours(const problems::Entry& entry, const Problem& problem, const std::string& method,
             double tol, long max_steps) {
  Options o;
  o.method = method;
  o.rtol = tol;
  o.atol = tol;
  if (!entry.atol_scale.empty()) {
    // The names of the model variables, in order, come with any solution.
    const Solution empty = solve(problem, {entry.t0, entry.t0}, o);
    o.atol = absolute_tolerance(entry, empty.variables().names, tol);
  }
  o.output = Output::end;
  o.max_steps = max_steps;
  const double begin = cpu_seconds();
  const Solution s = solve(problem, {entry.t0, entry.t_end}, o);
  Run run;
  run.seconds = cpu_seconds() - begin;
  run.ok = s.ok();
  run.message = s.message();
  run.solver = method;
  run.formulation = s.choice().formulation;
  const Statistics& statistics = s.statistics();
  const Counts counts = statistics.total();
  run.accepted = statistics.accepted;
  run.rejected = statistics.rejected;
  run.evaluations = counts.function_evaluations + counts.residual_evaluations;
  run.jacobians = counts.jacobian_evaluations;
  run.factorisations = counts.factorisations;
  const Counts& steps = statistics.in(Phase::step);
  run.work = steps.function_evaluations + steps.residual_evaluations + steps.jacobian_columns;
  const ModelState end = s.end();
  run.mescd = mixed_digits(entry, s.variables().names, end.y().data(), tol, o.atol);
  return run;
}

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
