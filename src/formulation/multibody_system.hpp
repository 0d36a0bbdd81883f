// A multibody problem in one of its formulations, with its pieces (mechanical view) and the
// projection to position and velocity constraints.
#pragma once

#include <memory>

#include "formulation/first_order_system.hpp"
#include "formulation/mechanics.hpp"
#include "linalg/saddle_point.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus {

class MultibodySystem final : public FirstOrderSystem, public MechanicalView {
 public:
  // level: 3, 2 or 1, where the constraints are imposed; see MultibodyMap.
  static std::unique_ptr<MultibodySystem> make(std::shared_ptr<const MultibodyProblem> problem,
                                               int level, View view, LoweringOptions options);

  ResidualView* residual_view() override;
  LinearView* linear_view() override;
  MechanicalView* mechanical_view() override { return this; }
  void prepare(const State& at) override;
  ConstraintResidual constraint_residual(const State& s) override;
  ProjectionResult project(State& trial, const Eigen::VectorXd& weight, double threshold) override;
  bool has_projection() const override { return level_ < 3 && sizes().multipliers() > 0; }
  int level() const { return level_; }

  const MechanicalSizes& sizes() const override { return mechanics_->sizes(); }
  const Space& space() const override { return mechanics_->problem().space; }
  MechanicalPoint point(double t, const double* x) const override;
  bool force_depends_on_lambda() const override { return friction_; }
  bool mass_is_constant() const override { return constant_mass_; }
  PieceMatrix make_mass() const override;
  PieceMatrix make_constraint_matrix() const override;
  Outcome mass(const MechanicalPoint& p, PieceMatrix& M) override;
  Outcome force(const MechanicalPoint& p, double* f) override;
  Outcome force_lambda(const MechanicalPoint& p, Eigen::MatrixXd& f_lambda) override;
  Outcome constraint(const MechanicalPoint& p, double* g) override;
  Outcome constraint_matrix(const MechanicalPoint& p, PieceMatrix& G) override;
  Outcome velocity_offset(const MechanicalPoint& p, double* out) override;
  Outcome acceleration_term(const MechanicalPoint& p, double* out) override;
  Outcome rate(const MechanicalPoint& p, double* q_rate) override;
  Outcome dynamics(const MechanicalPoint& p, double* c_rate) override;
  Outcome solve_contact(double t, const double* q, double* s) override;

 private:
  MultibodySystem(std::unique_ptr<Mechanics> mechanics, int level, View view, Layout layout,
                  std::unique_ptr<VectorMap> map, SparseMatrix mass, LoweringOptions options);
  MultibodySystem(std::unique_ptr<Mechanics> mechanics, int level, View view, Layout layout,
                  std::unique_ptr<VectorMap> map, LoweringOptions options);
  void reserve();
  void describe();
  void find_structure(const State& at);
  int multiplier_row() const {
    return sizes().tangents + sizes().velocities + sizes().dynamic + sizes().contact;
  }
  void perturb(int first_row, int count, double sign, double* values);
  Outcome evaluated(Outcome o, double t, const double* values, int count);
  Outcome factorise_projection(const MechanicalPoint& p);
  Outcome project_positions(State& s, const Eigen::VectorXd& weight);
  Outcome project_velocities(State& s, const Eigen::VectorXd& weight);
  double weighted(const double* move, int count, const double* weight) const;

  std::unique_ptr<Mechanics> mechanics_;
  int level_;
  View view_;
  bool friction_ = false, constant_mass_ = false;
  SaddlePoint saddle_;
  bool saddle_ready_ = false;
  PieceMatrix M_, G_;
  Eigen::VectorXd g_, move_, total_, work_, anchor_, contact_;
  Eigen::MatrixXd contact_matrix_;
  std::vector<Dual4> q4_, v4_, c4_, s4_, lambda4_, f4_;
};

}  // namespace daedalus
