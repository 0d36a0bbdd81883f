// SPDX-License-Identifier: BSD-3-Clause
// One solver of another library with its settings. Adapters are built for the libraries that are
// installed; all_peers() knows which.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "peers/model.hpp"

namespace daedalus::peers {

struct Task {
  double t0 = 0.0, t1 = 1.0, rtol = 1e-6;
  Eigen::VectorXd atol;  // one per unknown
};

struct PeerRun {
  bool ok = false;
  std::string message;  // why not
  long steps = 0, rejected = 0;
  long evaluations = 0;  // of F or f, those for Jacobians not included
  long jacobians = 0, factorisations = 0;
  double seconds = 0.0;  // CPU time from the creation of the solver to the last step
  Eigen::VectorXd end;
};

class Peer {
 public:
  virtual ~Peer() = default;
  std::string library, solver;
  virtual bool takes(const Model& model) const = 0;
  // Integrates and looks at the end only.
  virtual PeerRun run(Model& model, const Task& task) const = 0;
};

using Peers = std::vector<std::unique_ptr<Peer>>;
void add_ida(Peers& list);
void add_arkode(Peers& list);
void add_petsc(Peers& list);
void add_scipy(Peers& list);

Peers all_peers();
// What was not found when this was built or cannot be loaded, and the package that has it.
std::vector<std::string> missing_peers();

// First step for solvers that want to be told one: a hundredth of |x| / |x'| in the error scale
// (Hairer, Noersett, Wanner I, section II.4).
double first_step(const Model& model, const Task& task);

}  // namespace daedalus::peers
