// Simplified Newton iteration for F(t, x, d'(x)) = 0 with the one policy that decides when the
// Jacobian is formed and factorised:
//  - the matrix alpha E + J is factorised when alpha left the range in which the factors at hand
//    are good enough, or J was refreshed;
//  - J is refreshed when the iteration failed with an old J, or converged slowly in the last step.
// Stop: rate / (1 - rate) * |correction| <= kappa in the error scale (Hairer, Wanner II,
// (IV.8.10)), rate being the slowest one seen with the present Jacobian.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "system/stepper.hpp"
#include "system/system.hpp"

namespace daedalus {

struct NewtonSettings {
  double kappa = 0.03;
  int most_iterations = 8;
  double slow_rate = 0.3;  // a slower step asks for a fresh Jacobian next time
  // Factors of another alpha are kept while |alpha / theirs - 1| is at most this; corrections are
  // then multiplied by 2 / (1 + alpha / theirs), halfway between what stiff and non-stiff
  // components need (Brenan, Campbell, Petzold 1989, section 5.2.2). 0: always those of alpha.
  double alpha_range = 0.0;
  // Corrections that stop falling are rounding errors, which index 2 magnifies by 1/h: good enough
  // below this part of the tolerance even if kappa asks for more.
  double stagnation = 0.0;
  // One correction may end the iteration if the rate seen before with this Jacobian says so.
  bool trust_rate = false;
};

// d'(x) of a discretisation at the new time; its derivative is alpha d_x.
using DifferenceFormula = std::function<Outcome(const double* x, double* dd)>;

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

  // Iterates x from its given value; dd receives d'.
  Result solve(double t_new, double alpha, const DifferenceFormula& formula,
               const Eigen::VectorXd& weight, Eigen::VectorXd& x, Eigen::VectorXd& dd);
  void archive(Archive& a);

 private:
  Result iterate(double t_new, double alpha, const DifferenceFormula& formula,
                 const Eigen::VectorXd& weight, bool fresh, Eigen::VectorXd& x,
                 Eigen::VectorXd& dd);
  bool fits(double alpha) const;
  void find_noise(double alpha);

  System& system_;
  ResidualView& view_;
  NewtonSettings settings_;
  Eigen::VectorXd residual_, guess_, magnitude_, noise_;
  bool have_jacobian_ = false, stale_ = false;
  int largest_index_ = 1;
  double alpha_ = 0.0;
  double slowest_ = 0.0;      // contraction rate since the Jacobian was formed
  double assumed_ = 1.0;      // rate that the first correction of a step is judged with
  double measured_at_ = 0.0;  // size of the first correction when it was measured
};

}  // namespace daedalus
