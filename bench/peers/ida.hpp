// SUNDIALS IDA (variable-order BDF, Hindmarsh et al. 2005) on problems of the catalogue: dense
// direct solver, exact compressed Jacobian, same tolerances as ours.
#pragma once

#include <Eigen/Core>
#include <string>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>

#include "peers/peer_residual.hpp"

namespace daedalus::peers {

struct IdaRun {
  bool ok = false;
  std::string message;  // the name of IDA's return flag
  long steps = 0;       // accepted
  long rejected = 0;    // error test failures and failures of the nonlinear solver
  long residuals = 0;
  long jacobians = 0;    // each is followed by one factorisation
  double seconds = 0.0;  // CPU time from the creation of IDA's memory to the last step
  Eigen::VectorXd end;
};

// Newton's iteration stops when its error is below this part of the tolerance. IDA's own choice
// leaves so much of it in the transistor amplifier that half of the steps fail the error test; with
// a hundredth it takes its fewest steps there, so comparisons show both.
inline constexpr double default_newton_constant = 0.33, tight_newton_constant = 0.01;

// Integrates from t0 to t1 and looks at the end only. The structure found by `problem` and the
// consistent y' at the start are preparation and not timed.
IdaRun run_ida(const PeerResidual& problem, double t0, double t1, double rtol,
               const Tolerance& atol, double newton_constant = default_newton_constant);

std::string ida_version();

}  // namespace daedalus::peers
