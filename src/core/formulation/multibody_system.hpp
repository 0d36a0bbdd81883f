// SPDX-License-Identifier: BSD-3-Clause
// A multibody problem in one of its formulations, with its pieces (mechanical view) and the
// projection to position and velocity constraints.
#pragma once

#include <memory>

#include "formulation/first_order_system.hpp"
#include "formulation/mechanics.hpp"
#include "formulation/multibody_form.hpp"
#include "linalg/saddle_solver.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus {

class MultibodySystem final : public FirstOrderSystem, public MechanicalView {
 public:
  static std::unique_ptr<MultibodySystem> make(std::shared_ptr<const MultibodyProblem> problem,
                                               const MultibodyForm& form, View view,
                                               LoweringOptions options);

  ResidualView* residual_view() override;
  LinearView* linear_view() override;
  MechanicalView* mechanical_view() override { return this; }
  // With the mechanical view: the way [M G^T; G 0] is solved.
  std::string_view linear_solver() const override;
  void prepare(const State& at) override;
  void archive(Archive& a) override;
  void doubt_structure(const State& at) override;
  ConstraintResidual constraint_residual(const State& s) override;
  Drift drift(const State& s) override;
  ProjectionResult project(State& trial, const Eigen::VectorXd& weight, double threshold) override;
  bool has_projection() const override {
    return restores_constraints() || polishes_constraints() || invariants;
  }

  const MechanicalSizes& sizes() const override { return mechanics_->sizes(); }
  const Space& space() const override { return mechanics_->problem().space; }
  MechanicalPoint point(double t, const double* x) const override;
  bool force_depends_on_lambda() const override { return friction_; }
  bool mass_is_constant() const override { return constant_mass_; }
  PieceMatrix make_mass() const override { return mechanics_->mass_structure(); }
  PieceMatrix make_constraint_matrix() const override {
    return mechanics_->make_constraint_matrix();
  }
  std::unique_ptr<SaddleSolver> make_saddle_solver() const override;
  void lend(const std::shared_ptr<StageMatrix>& stage) override;
  Outcome mass(const MechanicalPoint& p, PieceMatrix& M) override;
  Outcome force(const MechanicalPoint& p, double* f) override;
  Outcome force_lambda(const MechanicalPoint& p, double* f, Eigen::MatrixXd& f_lambda) override;
  Outcome constraint(const MechanicalPoint& p, double* g) override;
  Outcome constraint_matrix(const MechanicalPoint& p, PieceMatrix& G) override;
  Outcome velocity_offset(const MechanicalPoint& p, double* out) override;
  Outcome acceleration_term(const MechanicalPoint& p, double* out) override;
  Outcome rate(const MechanicalPoint& p, double* q_rate) override;
  Outcome dynamics(const MechanicalPoint& p, double* c_rate) override;
  Outcome meet_constraints(double t, Eigen::VectorXd& x) override;
  Outcome solve_contact(double t, const double* q, double* s) override;

 private:
  MultibodySystem(std::unique_ptr<Mechanics> mechanics, const MultibodyForm& form, View view,
                  Layout layout, std::unique_ptr<VectorMap> map, SparseMatrix mass,
                  LoweringOptions options);
  MultibodySystem(std::unique_ptr<Mechanics> mechanics, const MultibodyForm& form, View view,
                  Layout layout, std::unique_ptr<VectorMap> map, LoweringOptions options);
  void reserve();
  void describe();
  void find_structure(const State& at);
  void find_friction(const State& at);
  void begin_friction(const State& at);
  void find_constant_mass(const State& at);
  void find_constraint_pattern(const State& at);
  void choose_saddle_solver(const State& at);
  void grow_constraint_pattern(const State& at);
  void make_balance();
  void warn(const char* text);  // once
  template <class Seed, class Call>
  bool reaches(double t, const std::vector<Dual4>& out, Seed&& seed, Call&& call);
  void load_duals(const MechanicalPoint& p);
  PointOf<Dual4> duals(double t) const;
  int multiplier_row() const {
    return sizes().tangents + sizes().velocities + sizes().dynamic + sizes().contact;
  }
  void perturb(int first_row, int count, double sign, double* values);
  // `count` values of rows first_equation .. first_equation + rows - 1, column by column.
  Outcome evaluated(Outcome o, double t, const double* values, int count, int first_equation,
                    int rows);
  Outcome meet_positions(double t, Eigen::VectorXd& x, bool nearest);
  Outcome meet_velocities(double t, Eigen::VectorXd& x);
  bool restores_constraints() const { return form_.drifts() && sizes().multipliers() > 0; }
  bool polishes_constraints() const { return form_.holds() && sizes().multipliers() > 0; }
  bool met_to_round_off(const State& s);
  ProjectionResult project_constraints(State& s, const Eigen::VectorXd& weight, double threshold);
  ProjectionResult project_invariants(State& s, const Eigen::VectorXd& weight, double threshold);
  Outcome invariant_directions(const State& s, double sigma);
  Outcome factorise_at(const MechanicalPoint& p, StageMatrix& own);
  // The matrix lent in the attempt in progress, or none.
  std::shared_ptr<StageMatrix> lent() const;
  Outcome velocity_residual(const MechanicalPoint& p, double* out);
  Outcome add_damping(const MechanicalPoint& p, double* out);
  bool pattern_holds(const MechanicalPoint& p);
  double first_move(const Eigen::VectorXd& weight, StageMatrix& with);
  bool clearly_met(const Eigen::VectorXd& weight, double threshold);
  Outcome move_to_constraints(State& s, const Eigen::VectorXd& weight, StageMatrix& with);
  Outcome renew_multipliers(State& s);
  Outcome project_positions(State& s, const Eigen::VectorXd& weight, StageMatrix& with);
  Outcome project_velocities(State& s, const Eigen::VectorXd& weight, StageMatrix& with);
  double weighted(const double* move, int count, const double* weight) const;
  double distance_of(const double* move, int count, const double* weight) const;

  std::unique_ptr<Mechanics> mechanics_;
  MultibodyForm form_;
  View view_;
  LinearAlgebra asked_, kind_ = LinearAlgebra::automatic;
  bool friction_ = false, constant_mass_ = false;
  std::array<Eigen::VectorXd, 3> probe_;  // two forces and a state with other multipliers
  State friction_at_;                     // where a branch of the force brought lambda in
  StageMatrix own_;                       // of the projection, when no stage lends its matrix
  // Directions of the projection to invariants, one column each, in velocities.
  struct {
    Eigen::MatrixXd q, v, products;
    Eigen::VectorXd along_q, change;
    Eigen::LLT<Eigen::MatrixXd> factors;
    std::vector<double> by_q;  // d(G v + g_t)/dq
    bool moves_q = false;
  } towards_;
  struct {
    PieceMatrix mass, constraints;
  } first_;              // M and G at the start values; empty if they could not be evaluated
  StageMatrix balance_;  // M alone, for v' of the drift monitor
  PieceMatrix no_rows_;
  std::vector<State> grown_at_;  // where the pattern of G grew since the start
  Eigen::VectorXd watched_, watched_size_;
  std::weak_ptr<StageMatrix> stage_;
  struct Attempt {
    long number = -1;
    double t = 0.0, h = 0.0;
    bool operator==(const Attempt&) const = default;
  } lent_in_;
  PieceMatrix G_;
  Eigen::VectorXd g_, position_, move_, total_, work_, anchor_, before_, contact_, reach_, g_w_;
  Eigen::MatrixXd contact_matrix_;
  std::vector<Dual4> q4_, v4_, c4_, s4_, lambda4_, f4_;
};

}  // namespace daedalus
