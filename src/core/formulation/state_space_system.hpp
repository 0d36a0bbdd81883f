// SPDX-License-Identifier: BSD-3-Clause
// The formulation 'state-space': an ODE in the coordinates (xi, u, c) of local charts of the
// constraint manifold (Arnold 1998, Example 5; Potra, Yen 1991; see state_space_map.hpp). The
// constraints hold to round-off at every state; lambda and s follow from it.
//
// A chart is laid at the start and again when the tangent space has turned away from the one it was
// laid with. The mechanical view is that of an unconstrained system in (xi, u) with M = I.
//
// Errors are tested in chart coordinates, which are q and v in a turned basis: the relative part
// of the tolerance sees |V^T q| and |V^T v|, the absolute part is the smallest one given for any q,
// or any v.
#pragma once

#include <memory>

#include "formulation/state_space_map.hpp"

namespace daedalus {

class StateSpaceSystem final : public FirstOrderSystem, public MechanicalView {
 public:
  static std::unique_ptr<StateSpaceSystem> make(std::shared_ptr<const MultibodyProblem> problem,
                                                View view, LoweringOptions options);
  // Why a problem cannot be formulated so; empty: it can.
  static std::string obstacle(const MultibodyProblem& problem);

  ResidualView* residual_view() override { return view_ == View::residual ? this : nullptr; }
  LinearView* linear_view() override { return view_ == View::linear ? this : nullptr; }
  MechanicalView* mechanical_view() override { return view_ == View::mechanical ? this : nullptr; }
  std::string_view linear_solver() const override;
  void prepare(const State& at) override;
  bool in_model_coordinates() const override { return false; }
  void to_model(const State& s, double* y) const override;
  void from_model(double t, const double* y, State& s) const override;
  Layout model_layout() const override { return bodies_->model_layout(); }
  void to_model(const Interpolant& full, Interpolant& model) const override;
  ConstraintResidual constraint_residual(const State& s) override;
  Drift drift(const State& s) override;
  double projection_residual(const State& s) override { return constraint_residual(s).position; }

  System* model_system() const override { return bodies_.get(); }
  Outcome enter(const State& model, State& s) override;
  bool chart_degraded(const State& s) override;
  Outcome change_chart(State& s, std::span<State> past, int& kept) override;
  long charts() const override { return charts_; }
  void archive(Archive& a) override {
    a(charts_, troubled_);
    bodies_->archive(a);
    FirstOrderSystem::archive(a);
  }

  Outcome residual(double t, const double* x, const double* dd, double* r) override;
  Outcome rhs(double t, const double* x, double* r) override;

  const MechanicalSizes& sizes() const override { return sizes_; }
  const Space& space() const override { return layout.find(VariableClass::q)->space; }
  MechanicalPoint point(double t, const double* x) const override;
  bool force_depends_on_lambda() const override { return false; }
  bool mass_is_constant() const override { return true; }
  PieceMatrix make_mass() const override;
  PieceMatrix make_constraint_matrix() const override {
    return PieceMatrix::dense(0, sizes_.velocities);
  }
  std::unique_ptr<SaddleSolver> make_saddle_solver() const override;
  void lend(const std::shared_ptr<StageMatrix>&) override {}
  Outcome mass(const MechanicalPoint& p, PieceMatrix& M) override;
  Outcome force(const MechanicalPoint& p, double* f) override;
  Outcome force_lambda(const MechanicalPoint&, double*, Eigen::MatrixXd&) override {
    return Outcome::ok;
  }
  Outcome constraint(const MechanicalPoint&, double*) override { return Outcome::ok; }
  Outcome constraint_matrix(const MechanicalPoint&, PieceMatrix&) override { return Outcome::ok; }
  Outcome velocity_offset(const MechanicalPoint&, double*) override { return Outcome::ok; }
  Outcome acceleration_term(const MechanicalPoint&, double*) override { return Outcome::ok; }
  Outcome rate(const MechanicalPoint& p, double* q_rate) override;
  Outcome dynamics(const MechanicalPoint& p, double* c_rate) override;
  Outcome solve_contact(double, const double*, double*) override { return Outcome::ok; }

 private:
  StateSpaceSystem(std::unique_ptr<MultibodySystem> bodies, std::unique_ptr<Mechanics> mechanics,
                   std::unique_ptr<StateSpaceMap> map, Layout layout, SparseMatrix mass,
                   LoweringOptions options);
  StateSpaceSystem(std::unique_ptr<MultibodySystem> bodies, std::unique_ptr<Mechanics> mechanics,
                   std::unique_ptr<StateSpaceMap> map, Layout layout, View view,
                   LoweringOptions options);
  void describe(const MultibodyProblem& problem);
  Outcome solve(double t, const double* x) const;
  Outcome solve(const MechanicalPoint& p);
  Outcome rates_at(State& s);
  Outcome lay_at(const MechanicalPoint& p);
  void copy_model(double* y) const;
  void take_counts();
  // Rates of rows first .. first + count - 1 at p, less the defect of the step in progress.
  Outcome part(const MechanicalPoint& p, int first, int count, double* out);

  View view_;
  std::unique_ptr<MultibodySystem> bodies_;
  std::unique_ptr<Mechanics> mechanics_;
  StateSpaceMap* map_;  // owned by the base
  MechanicalSizes sizes_;
  long charts_ = 0;
  bool troubled_ = false;  // Newton's method failed since the chart was laid
  Eigen::VectorXd given_;  // model start values, until there is a chart
  State model_;
  Eigen::MatrixXd past_;  // model states, while the chart is changed
};

}  // namespace daedalus
