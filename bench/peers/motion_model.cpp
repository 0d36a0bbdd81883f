// SPDX-License-Identifier: BSD-3-Clause
// The underlying ordinary differential equation of a multibody problem,
//   q' = T(q) v,  v' = a(t, q, v, c),  c' = d,
// with a and lambda from [M G^T; G 0] and s from h(t, q, s) = 0 in every evaluation. On a Euclidean
// space f_x follows from the index-1 form F(t, x, x') = 0: with w = (q', v', c', s, lambda) as
// unknowns, dw/d(q, v, c) = -[F_(q', v', c')  F_(s, lambda)]^{-1} F_(q, v, c).
#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include <daedalus/dual.hpp>

#include "formulation/lower.hpp"
#include "nonlinear/accelerations.hpp"
#include "peers/model.hpp"
#include "start/consistent.hpp"

namespace daedalus::peers {
namespace {

class MotionModel final : public Model {
 public:
  MotionModel(std::shared_ptr<const Problem> problem, std::unique_ptr<System> system,
              const State& start)
      : system_(std::move(system)),
        view_(*system_->mechanical_view()),
        solver_(view_, system_->counter),
        full_(start) {
    formulation = "underlying-ode";
    names = system_->variables->names;
    ode = linear = true;
    const MechanicalSizes& n = view_.sizes();
    differential_ = n.positions + n.velocities + n.dynamic;
    tangent_.resize(n.tangents);
    x0 = start.x.head(differential_);
    xd0.resize(differential_);
    pattern = SparsePattern::dense(differential_, differential_);
    algebraic.assign(static_cast<std::size_t>(differential_), 0);
    columns = differential_;
    moved_.resize(differential_);
    f0_.resize(differential_);
    f1_.resize(differential_);
    if (system_->layout.euclidean()) {
      implicit_ = lower(problem, "index1", View::residual, {}, start.t);
      implicit_->prepare(start);
      rate_.setZero(start.xd.size());
    }
    do_rates(start.t, x0.data(), xd0.data());
  }

  void to_model(double t, const double* x, double* y) override {
    do_rates(t, x, f0_.data());
    full_.t = t;
    system_->to_model(full_, y);
  }

 private:
  Answer do_residual(double t, const double* x, const double* xd, double* r) override {
    const Answer answer = do_rates(t, x, r);
    for (int i = 0; i < differential_; ++i) r[i] = xd[i] - r[i];
    return answer;
  }

  Answer do_rates(double t, const double* x, double* f) override {
    const MechanicalSizes& n = view_.sizes();
    std::copy_n(x, differential_, full_.x.data());
    if (n.contact > 0)
      if (view_.solve_contact(t, full_.x.data(), full_.x.data() + differential_) != Outcome::ok)
        return recoverable;
    const MechanicalPoint p = view_.point(t, full_.x.data());
    if (solver_.solve(p) != Outcome::ok) return recoverable;
    if (n.multipliers() > 0) full_.x.tail(n.multipliers()) = solver_.lambda();
    if (view_.rate(p, tangent_.data()) != Outcome::ok) return recoverable;
    if (n.positions == n.tangents)
      std::copy_n(tangent_.data(), n.tangents, f);
    else
      point_rates(f);
    std::copy_n(solver_.a().data(), n.velocities, f + n.positions);
    if (n.dynamic > 0 && view_.dynamics(p, f + n.positions + n.velocities) != Outcome::ok)
      return recoverable;
    return fine;
  }

  // d/de of q (+) e T v at e = 0, in the numbers that q is stored in.
  void point_rates(double* f) {
    const MechanicalSizes& n = view_.sizes();
    q_.assign(full_.x.data(), full_.x.data() + n.positions);
    w_.assign(static_cast<std::size_t>(n.tangents), Dual4(0.0));
    for (int i = 0; i < n.tangents; ++i) w_[static_cast<std::size_t>(i)].d[0] = tangent_[i];
    next_ = q_;
    view_.space().plus(q_.data(), w_.data(), next_.data());
    for (int i = 0; i < n.positions; ++i) f[i] = next_[static_cast<std::size_t>(i)].d[0];
  }

  Answer do_matrix(double t, double alpha, const double* x, const double*,
                   double* values) override {
    const int n = differential_;
    Eigen::Map<Eigen::MatrixXd> out(values, n, n);
    if (implicit_) {
      if (const Answer answer = by_elimination(t, x, out); answer != fine) return answer;
    } else if (const Answer answer = by_differences(t, x, out); answer != fine) {
      return answer;
    }
    out.diagonal().array() += alpha;
    return fine;
  }

  Answer by_elimination(double t, const double* x, Eigen::Map<Eigen::MatrixXd>& out) {
    const int n = differential_;
    if (const Answer answer = do_rates(t, x, f0_.data()); answer != fine) return answer;
    rate_.head(n) = f0_;
    ResidualView& view = *implicit_->residual_view();
    if (view.linearise(t, full_.x.data(), rate_.data()) != Outcome::ok) return recoverable;
    view.residual_pencil().dense_e(E_);
    view.residual_pencil().dense_j(J_);
    B_ = J_;
    B_.leftCols(n) = E_.leftCols(n);
    lu_.compute(B_);
    solved_ = lu_.solve(J_.leftCols(n));
    out = solved_.topRows(n);  // F_x of F = x' - f is -f_x
    return out.allFinite() ? fine : recoverable;
  }

  Answer by_differences(double t, const double* x, Eigen::Map<Eigen::MatrixXd>& out) {
    const int n = differential_;
    if (const Answer answer = do_rates(t, x, f0_.data()); answer != fine) return answer;
    std::copy_n(x, n, moved_.data());
    for (int j = 0; j < n; ++j) {
      const double step = 1.5e-8 * std::max(1.0, std::abs(x[j]));
      moved_[j] = x[j] + step;
      if (const Answer answer = do_rates(t, moved_.data(), f1_.data()); answer != fine)
        return answer;
      out.col(j) = (f0_ - f1_) / (moved_[j] - x[j]);
      moved_[j] = x[j];
    }
    return fine;
  }

  std::unique_ptr<System> system_, implicit_;
  MechanicalView& view_;
  Accelerations solver_;
  State full_;
  int differential_ = 0;
  Eigen::VectorXd tangent_, moved_, f0_, f1_, rate_;
  std::vector<Dual4> q_, w_, next_;
  Eigen::MatrixXd E_, J_, B_, solved_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace

std::unique_ptr<Model> motion_model(const problems::Entry& entry, const Problem& problem) {
  const auto owned = std::make_shared<const Problem>(problem);
  std::unique_ptr<System> system = lower(owned, "index1", View::mechanical, {}, entry.t0);
  State state = model_start(*system, problem, entry.t0);
  system->prepare(state);
  StartRequest request;
  request.weight = Eigen::VectorXd::Constant(state.xd.size(), 1e-3);
  if (make_consistent(*system, state, request).status != Status::success) return nullptr;
  return std::make_unique<MotionModel>(owned, std::move(system), state);
}

}  // namespace daedalus::peers
