// Systems that offer y' = f(t, y, z), 0 = g(t, y, z), and the separation of M x' = f(t, x) with a
// constant singular M into that form (Steinebach 1988, (9.3), (9.4)): with M = U diag(S, 0) V^T and
// x = V (xi; eta),
//   xi' = S^-1 U_1^T f(t, V (xi; eta)),   0 = U_2^T f(t, V (xi; eta)).
// Lemma 9.6 there: a linearly implicit method takes the same steps on both.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "formulation/first_order_maps.hpp"
#include "formulation/first_order_system.hpp"

namespace daedalus {

// (f, g) as one map and g as another: methods of approach B differentiate g alone.
class PartitionedSystem : public FirstOrderSystem, public PartitionedView {
 public:
  // `differential` leading variables; `constraints` may be null when there are no others.
  PartitionedSystem(const Layout& variables, std::unique_ptr<VectorMap> rhs,
                    std::unique_ptr<VectorMap> constraints, int differential,
                    LoweringOptions options, GivenJacobian given = {},
                    GivenJacobian given_constraints = {});

  PartitionedView* partitioned_view() override { return this; }
  void prepare(const State& at) override;
  void archive(Archive& a) override;
  void doubt_structure(const State& at) override;

  int differential_count() const override { return differential_; }
  Outcome evaluate(double t, const double* x, double* r) override { return rhs(t, x, r); }
  Outcome linearise_constraints(double t, const double* x) override;
  void add_g_y_times(double factor, const double* y, double* r) const override;
  const Eigen::VectorXd& constraint_time_derivative() const override { return g_t_; }
  Pencil& constraint_pencil() override { return *g_z_; }
  Outcome constraints(double t, const double* x, double* g) override;
  void add_g_y_magnitude(const double* y, double* r) const override;
  std::vector<char> rows_with_algebraic() const override;
  Outcome linearise_rates(double t, const double* x) override;
  const Eigen::MatrixXd& rates_by_algebraic() const override { return f_z_; }

 private:
  void lay_structure();

  int differential_;
  std::unique_ptr<VectorMap> constraints_;
  LoweringOptions options_;
  GivenJacobian given_;  // of the constraints alone
  std::unique_ptr<JacobianEvaluator> jacobian_;
  std::unique_ptr<Pencil> g_z_;
  Eigen::VectorXd g_t_;
  Eigen::MatrixXd f_z_;
  int growths_ = 0;  // of jacobian_ that g_z_ knows
};

// g(t, y, z) of a semi-explicit problem alone.
class ConstraintMap final : public MapOf<ConstraintMap> {
 public:
  ConstraintMap(std::shared_ptr<const SemiExplicitProblem> p, Modes modes)
      : p_(std::move(p)), parameters_(p_->parameters, std::move(modes)) {}
  template <class S>
  Eval eval(const S& t, const S* x, const S*, S* r) {
    const int ny = static_cast<int>(p_->y0.size()), nz = static_cast<int>(p_->z0.size());
    return piece_("g", r, nz, [&] {
      return p_->g(state_arguments<S>(parameters_, t, x, ny, x + ny, nz), r, nz);
    });
  }
  bool differentiable() const override { return p_->g.differentiable(); }
  int rows() const override { return static_cast<int>(p_->z0.size()); }

 private:
  std::shared_ptr<const SemiExplicitProblem> p_;
  ParameterSet parameters_;
};

// The factors of a mass matrix; `rank` counts singular values above n eps times the largest one.
struct Separation {
  Eigen::MatrixXd left;   // diag(S^-1, I) U^T
  Eigen::MatrixXd right;  // V
  int rank = 0;
  double gap = 0.0;  // first neglected over last counted singular value; 0: nothing neglected
};
Separation separate(const Eigen::MatrixXd& mass);

class SeparatedSystem final : public PartitionedSystem {
 public:
  static std::unique_ptr<SeparatedSystem> make(std::shared_ptr<const MassMatrixProblem> problem,
                                               Modes modes, const Eigen::MatrixXd& mass,
                                               Layout model, const LoweringOptions& options);

  bool in_model_coordinates() const override { return false; }
  void to_model(const State& s, double* y) const override;
  void from_model(double t, const double* y, State& s) const override;
  Layout model_layout() const override { return model_; }
  void to_model(const Interpolant& full, Interpolant& model) const override;

 private:
  SeparatedSystem(const Layout& variables, std::unique_ptr<VectorMap> rhs,
                  std::unique_ptr<VectorMap> constraints, Separation separation, Layout model,
                  const LoweringOptions& options);
  Separation separation_;
  Layout model_;
};

}  // namespace daedalus
