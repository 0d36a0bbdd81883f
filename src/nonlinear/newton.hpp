// Simplified Newton iteration for F(t, x, d'(x)) = 0 with the one policy that decides when the
// Jacobian is formed and factorised:
//  - the matrix alpha E + J is factorised when alpha changes or J was refreshed;
//  - J is refreshed when the iteration failed with an old J, or converged slowly in the last step.
// Stop: rate / (1 - rate) * |correction| <= kappa in the error scale (Hairer, Wanner II,
// (IV.8.10)), rate being the slowest one seen with the present Jacobian.
#pragma once

#include <Eigen/Core>

#include "system/stepper.hpp"
#include "system/system.hpp"

namespace daedalus {

struct NewtonSettings {
  double kappa = 0.03;
  int most_iterations = 8;
  double slow_rate = 0.3;  // a slower step asks for a fresh Jacobian next time
};

class Newton {
 public:
  struct Result {
    Outcome outcome = Outcome::ok;
    int iterations = 0;
    double rate = 0.0;
    Culprit culprit{};
  };

  Newton(System& system, NewtonSettings settings);
  void forget() { have_jacobian_ = false; }  // after a start: no Jacobian is recent enough

  // Iterates x from its given value; dd receives d'. `from` is the last accepted state; d' is the
  // backward difference over h and alpha = 1/h.
  Result solve(const State& from, double t_new, double h, const Eigen::VectorXd& weight,
               Eigen::VectorXd& x, Eigen::VectorXd& dd);
  void archive(Archive& a);

 private:
  Result iterate(const State& from, double t_new, double h, const Eigen::VectorXd& weight,
                 Eigen::VectorXd& x, Eigen::VectorXd& dd);

  System& system_;
  ResidualView& view_;
  NewtonSettings settings_;
  Eigen::VectorXd residual_, guess_, magnitude_;
  bool have_jacobian_ = false, stale_ = false;
  double alpha_ = 0.0;
  double slowest_ = 0.0;  // contraction rate since the Jacobian was formed
};

}  // namespace daedalus
