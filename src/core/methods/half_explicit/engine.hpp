// SPDX-License-Identifier: BSD-3-Clause
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
#include <memory>
#include <vector>

#include <daedalus/stepper.hpp>
#include "kernel/herk_step.hpp"
#include "kernel/order8_table.hpp"
#include "methods/half_explicit/engine_stiffness.hpp"
#include "nonlinear/half_explicit.hpp"
#include "system/system.hpp"

namespace daedalus::half_explicit {

enum class DenseOutput {
  hermite,         // y cubic from values and rates at both ends
  dormand_prince,  // y of degree 4 (Hairer, Noersett, Wanner I, (6.12)), z of degree 3
  later_stages,    // y of degree 7, z of degree 6, by stages that are made when asked for
};

// Stages after the one at the end of a step, and the polynomial that they make (order8_table.hpp).
// z of y' = f(t, y, z) has no order of its own: it is found at the stages that lie on the solution,
// at `probes` on the polynomial of y, and interpolated.
struct Continuation {
  std::vector<std::vector<double>> a{}, inside{};
  std::vector<double> c{};
  std::vector<double> probes{};
  // z(theta) = sum_k theta^k sum_j z_kj Z_j, Z_j at 0, 1, the nodes c and the probes.
  std::vector<std::vector<double>> z{};
  int stages() const { return static_cast<int>(c.size() + probes.size()); }
};
Continuation continuation(const ExplicitTable& table, std::vector<double> probes);

struct Configuration {
  HerkNumbers<double> numbers;
  std::vector<double> embedded{};  // bhat, one per stage
  // b less the weights of a second, coarser embedded solution; not empty: the estimate is
  //   e |e| / sqrt(|e|^2 + |e_coarse|^2 / 100)
  // (Hairer, Noersett, Wanner I, section II.10), smaller than both.
  std::vector<double> coarse{};
  bool project_estimate = true;
  int error_order = 1;  // the estimate falls like h^(error_order + 1)
  DenseOutput dense = DenseOutput::hermite;
  // z(theta) = (1 - theta) z_n + theta z_{n+1} + (theta^2 - theta) sum_j bend_j Z_j; empty: 0.
  std::vector<double> bend{};
  Continuation continuation{};
  bool index1 = false;  // explicit: z of every stage from its y
};

class HalfExplicitStepper final : public Stepper {
 public:
  HalfExplicitStepper(System& system, std::shared_ptr<const Configuration> configuration);

  Outcome start(const Start& s) override;
  Attempt attempt(const StepRequest& r) override;
  State& trial() override { return trial_; }
  Outcome interpolant(Interpolant& out) override;
  void commit(bool amended) override;
  int interpolant_degree() const override {
    return configuration_.dense == DenseOutput::later_stages     ? 7
           : configuration_.dense == DenseOutput::dormand_prince ? 4
                                                                 : 3;
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
  bool turns_too_far();
  Outcome finish();
  Outcome first_rates();
  Outcome end_rates();
  Outcome estimate(const Eigen::VectorXd& weight);
  Outcome explicit_stage(int i, double t);
  Outcome make_later_stages();
  Outcome later_inside(Interpolant& out);
  double scaled_error(const Eigen::VectorXd& weight);
  void watch_stiffness();
  Mode dominant_mode();
  bool derivative(int from, int to);
  void dense_algebraic(Interpolant& out) const;
  double* stage_point(int i) { return points_.col(i).data(); }

  System& system_;
  std::shared_ptr<const Configuration> shared_;
  const Configuration& configuration_;
  const HerkNumbers<double>& numbers_;
  std::unique_ptr<HalfExplicit> equations_;
  int differential_, algebraic_;
  int rate_count_;  // leading entries of y: q
  bool general_;    // not multibody
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
  StiffnessWatch watch_;
  Eigen::VectorXd scale_, watched_;  // of y: error scale in units of its mean; (q', v, c) or y
  double scaled_error_ = 0.0;
  Eigen::MatrixXd probe_;     // u, J u, J^2 u and the rate at the point where J is
  double failed_step_ = 0.0;  // the last one whose stages could not be solved; 0: long ago
  int since_failure_ = 0;
};

// What the methods of the family have in common; `orders` those of y and z.
struct Orders {
  int y, z, error, dense;
};
Method description(const char* name, Orders orders, const char* reference);

// Embedded solution and dense output of the methods with the stages of Dormand and Prince.
Configuration dormand_prince(const HerkTable& table);

// The parameter of a family of tables as an exact text: `usual` unless another value was given.
ExactText parameter(const MethodSettings& settings, const char* key, double standard,
                    const char* usual);

}  // namespace daedalus::half_explicit
