// One solver on one problem of the catalogue at one tolerance: cost and error in the same units for
// our methods and for peers.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/options.hpp>
#include <problems/catalogue.hpp>

namespace daedalus::bench {

struct Run {
  bool ok = false;
  std::string message;
  std::string solver, formulation;
  long accepted = 0, rejected = 0;
  long evaluations = 0;  // of f or F, those for Jacobians not included
  long jacobians = 0, factorisations = 0;
  // Evaluations plus directional derivatives in the Jacobians, in the steps alone: peers are given
  // consistent start values.
  long work = 0;
  double seconds = 0.0;  // CPU time of the whole call
  double mescd = 0.0;    // -log10 of the largest |error| / (atol / rtol + |reference|)
  double step_time() const { return seconds / static_cast<double>(accepted); }
  double attempt_time() const { return seconds / static_cast<double>(accepted + rejected); }
};

// atol = tol, scaled per variable as the catalogue says.
Tolerance absolute_tolerance(const problems::Entry& entry, const std::vector<std::string>& names,
                             double tol);

// Start values, output at the end only, everything inside `solve` counted.
Run run_ours(const problems::Entry& entry, const Problem& problem, const std::string& method,
             double tol, long max_steps = 1000000);

// SUNDIALS IDA on one problem; prepared once, run often. Without SUNDIALS or for a form it does not
// take, make_peer returns nothing.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual Run run(double tol, bool tight_newton) const = 0;
};
std::unique_ptr<Peer> make_peer(const problems::Entry& entry, const Problem& problem);
std::string peer_version();  // "" without peers

// Where and from what a result comes; the last columns of every table.
struct Provenance {
  std::string machine, compiler, commit;
};
Provenance provenance(std::string commit);

// A comma-separated file with the provenance at the end of each row.
class Csv {
 public:
  Csv(const std::filesystem::path& file, std::string_view columns, Provenance from);
  void row(std::string_view values);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  Provenance from_;
};

}  // namespace daedalus::bench
