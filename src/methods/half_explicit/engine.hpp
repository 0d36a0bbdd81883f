// Half-explicit Runge-Kutta methods (Arnold 1998, section 3.3) on y' = f(t, y, z), 0 = g(t, y) and
// on multibody systems with constraints at velocity level, where y = (q, v, c), z = (v', lambda)
// (3.82); and explicit ones on the index-1 form, where z follows from y. On a group the stages live
// in the Lie algebra at the beginning of the step (Munthe-Kaas 1999).
//
// The error of y alone is estimated, by h sum_j (bhat_j - b_j) f(Y_j, Z_j). Weights bhat that miss
// conditions of their highest order only for trees f[u] leave an error in the range of f_z, which
// one projection with the matrix of the last stage removes (Remark 28).
#pragma once

#include <array>
#include <vector>

#include "kernel/herk_step.hpp"
#include "nonlinear/half_explicit.hpp"
#include "system/stepper.hpp"
#include "system/system.hpp"

namespace daedalus::half_explicit {

enum class DenseOutput {
  hermite,         // y cubic from values and rates at both ends
  dormand_prince,  // y of degree 4 (Hairer, Noersett, Wanner I, (6.12)), z of degree 3
};

struct Configuration {
  HerkNumbers<double> numbers;
  std::vector<double> embedded{};  // bhat, one per stage
  bool project_estimate = true;
  int error_order = 1;  // the estimate falls like h^(error_order + 1)
  DenseOutput dense = DenseOutput::hermite;
  // z(theta) = (1 - theta) z_n + theta z_{n+1} + (theta^2 - theta) sum_j bend_j Z_j; empty: 0.
  std::vector<double> bend{};
  bool index1 = false;  // explicit: z of every stage from its y
  // Two stages at one time, and where the stability region ends on the negative axis; -1: none.
  int stiffness_stage = -1;  // this one and the next
  double stability_boundary = 0.0;
  // h omega on the imaginary axis: where steps that grow and fail begin to move about the boundary,
  // and where no oscillation survives (|R| about 1.5).
  double oscillation_boundary = 0.0, oscillation_end = 0.0;
};

class HalfExplicitStepper final : public Stepper {
 public:
  HalfExplicitStepper(System& system, Configuration configuration);

  Outcome start(const Start& s) override;
  Attempt attempt(const StepRequest& r) override;
  State& trial() override { return trial_; }
  Outcome interpolant(Interpolant& out) override;
  void commit(bool amended) override;
  int interpolant_degree() const override {
    return configuration_.dense == DenseOutput::dormand_prince ? 4 : 3;
  }
  void archive(Archive& a) override;

  // What herk_stages() asks for.
  int differential() const { return differential_; }
  double* rate(int i) { return rates_.col(i).data(); }
  double* increment(int i) { return increments_.col(i).data(); }
  double* known() { return known_.data(); }
  Outcome solve(const HerkStage<double>& stage);

 private:
  Outcome advance(const StepRequest& r);
  Outcome finish();
  Outcome first_rates();
  Outcome end_rates();
  Outcome estimate();
  double stiffness(const Eigen::VectorXd& weight);
  double decay() const;
  double oscillation(const Eigen::VectorXd& weight);
  void dense_algebraic(Interpolant& out) const;
  double* stage_point(int i) { return points_.col(i).data(); }

  System& system_;
  Configuration configuration_;
  const HerkNumbers<double>& numbers_;
  std::unique_ptr<HalfExplicit> equations_;
  int differential_, algebraic_;
  bool general_;  // not multibody
  // z_{n+1} is a combination of stages, none of which is at y_{n+1}: the constraint matrix there,
  // which the next step needs, has to be found.
  bool combines_;
  State current_, trial_;
  double h_ = 0.0, t_new_ = 0.0;
  Eigen::MatrixXd rates_, increments_, points_;  // one column per stage
  Eigen::VectorXd first_rate_, end_rate_;        // y' at both ends, coordinates of the beginning
  bool first_rate_known_ = false, end_rate_known_ = false;
  bool base_known_ = false;
  // W' of an explicit first stage (HalfExplicit::balance) and what it adds to the others.
  Eigen::VectorXd balance_, load_;
  std::vector<double> first_column_;
  bool balance_known_ = false;
  Eigen::VectorXd known_, step_, error_;
  Estimate estimate_;
  // Fading sums over the last steps, with a = |h delta v'| and b = |delta v|: of 1, a^2 / (a^2 +
  // b^2) and <h delta v', delta v> / (a^2 + b^2).
  struct Recent {
    double steps = 0.0, share = 0.0, product = 0.0;
  } recent_, recent_trial_;
  double failed_step_ = 0.0;  // the last one whose stages could not be solved; 0: long ago
  int since_failure_ = 0;
};

// What the methods of the family have in common; `orders` those of y and z.
struct Orders {
  int y, z, error, dense;
};
Method description(const char* name, Orders orders, const char* reference);

// Embedded solution, dense output and stability boundary of the methods with the stages of Dormand
// and Prince.
Configuration dormand_prince(const HerkTable& table);

// The parameter of a family of tables as an exact text: `usual` unless another value was given.
ExactText parameter(const MethodSettings& settings, const char* key, double standard,
                    const char* usual);

}  // namespace daedalus::half_explicit
