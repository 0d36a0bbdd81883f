// SPDX-License-Identifier: BSD-3-Clause
// Large systems with a sparse pencil: the same conditions as in start_residual.cpp and
// start_linear.cpp, W^T F = 0 for a basis W of the left null space of E, met with E, W and J
// sparse, in time and memory proportional to the entries of the matrices and their factors.
//   residual  x' completes the part of F in the range of E, (E + W W^T J) dx = -W W^T F the rest
//   linear    A = M + W W^T f_x, A dx = -W W^T f, A x' = f - W W^T f_t
#include <algorithm>
#include <cmath>

#include "kernel/at.hpp"
#include "nonlinear/damped_newton.hpp"
#include "start/rate_range.hpp"
#include "start/start_rows.hpp"

namespace daedalus {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Eigen::VectorXd;

// Smaller systems go through full matrices, which judge ranks better and cost little.
constexpr int max_full = 400;
constexpr int max_sparse_iterations = 100;
// F nonlinear in x': Newton's method, of which one step is enough otherwise.
constexpr int max_rate_iterations = 5;
constexpr double converged_rates = 1e-12;

Sparse sparse_of(const SparsePattern& p, std::span<const double> values) {
  return Eigen::Map<const Sparse>(p.rows, p.cols, p.nonzeros(), p.start.data(), p.row.data(),
                                  values.data());
}

// One interface to both views: rows(x) is F(t, x, x') or f(t, x).
class SparseStart final : private DampedEquations {
 public:
  SparseStart(System& system, State& s, const StartRequest& request)
      : system_(system),
        s_(s),
        request_(request),
        linear_(system.linear_view() != nullptr),
        n_(system.layout.tangents()),
        rates_(s.xd),
        value_(n_) {}

  // False: not for this path.
  bool applies() {
    if (static_cast<int>(system_.equations.size()) != n_) return false;
    if (!linear_ && (!system_.residual_view() || system_.residual_view()->states_leading_term()))
      return false;
    if (pencil().matrix_free()) return true;
    if (n_ <= max_full || pencil().solver_name() == "dense") return false;
    if (system_.layout.find(VariableClass::a)) return false;
    return request_.extra_count == 0 &&
           (request_.strategy != StartStrategy::solve || request_.fixed.empty());
  }

  std::optional<StartReport> run() {
    if (const Outcome o = evaluate(); o != Outcome::ok) return failed(o, evaluating());
    if (!(range_ = RateRange::find(pencil().pattern_e(), pencil().e()))) return std::nullopt;
    if (const Outcome o = complete_rates(); o != Outcome::ok) return failed(o, evaluating());
    if (request_.strategy == StartStrategy::solve)
      if (std::optional<StartReport> stopped = solve()) return stopped;
    list_rows();
    if (!report_.rows.empty() && report_.rows.front().scaled > 1.0) {
      refuse(report_, s_.t,
             "Correct them, or let the library solve for them with the start strategy 'solve'.");
      return report_;
    }
    if (linear_)
      if (const Outcome o = linear_rates(); o != Outcome::ok)
        return failed(o, "computing the derivative of the start values");
    s_.xd = rates_;
    return report_;
  }

 private:
  const char* evaluating() const {
    return linear_ ? "evaluating the right-hand side" : "evaluating the residual";
  }
  Pencil& pencil() const {
    return linear_ ? system_.linear_view()->linear_pencil()
                   : system_.residual_view()->residual_pencil();
  }
  StartReport failed(Outcome o, std::string_view doing) {
    const int column = o == Outcome::matrix_singular ? singular_column_ : -1;
    return failed_start(system_, s_.t, o, doing,
                        column >= 0 ? system_.layout.name(column) : std::string());
  }
  Outcome rows() {
    return linear_
               ? system_.linear_view()->rhs(s_.t, s_.x.data(), value_.data())
               : system_.residual_view()->residual(s_.t, s_.x.data(), rates_.data(), value_.data());
  }
  Outcome evaluate() {
    if (const Outcome o = rows(); o != Outcome::ok) return o;
    return linear_ ? system_.linear_view()->linearise(s_.t, s_.x.data())
                   : system_.residual_view()->linearise(s_.t, s_.x.data(), rates_.data());
  }
  VectorXd algebraic() const { return range_->kernel().transpose() * value_; }

  Outcome complete_rates() {
    if (linear_) return Outcome::ok;
    for (int k = 0; k < max_rate_iterations; ++k) {
      const VectorXd change = -range_->least_squares(value_);
      rates_ += change;
      if (const Outcome o = evaluate(); o != Outcome::ok) return o;
      if (change.norm() <= converged_rates * (1.0 + rates_.norm())) break;
      if (!(range_ = RateRange::find(pencil().pattern_e(), pencil().e())))
        return Outcome::matrix_singular;
    }
    return Outcome::ok;
  }

  // |W^T J| times the error scale: what a change within tolerance does to a row.
  VectorXd effect() const {
    if (IterativeSolver* products = pencil().matrix_free()) {
      VectorXd change;
      if (products->sensitivity(request_.weight.head(n_), change) != Outcome::ok)
        change.setOnes(n_);
      return range_->kernel().cwiseAbs().transpose() * change +
             VectorXd::Constant(range_->kernel().cols(), 1e-300);
    }
    const Sparse rows =
        range_->kernel().transpose() * sparse_of(pencil().pattern_j(), pencil().j());
    return rows.cwiseAbs() * request_.weight.head(n_) +
           VectorXd::Constant(range_->kernel().cols(), 1e-300);
  }

  // E + W W^T J, factorised.
  Outcome factorise() {
    const Sparse& W = range_->kernel();
    const Sparse J = sparse_of(pencil().pattern_j(), pencil().j());
    const Sparse rows = W.transpose() * J;
    const Sparse A = sparse_of(pencil().pattern_e(), pencil().e()) + Sparse(W * rows);
    const SparsePattern p{n_,
                          n_,
                          {A.outerIndexPtr(), A.outerIndexPtr() + n_ + 1},
                          {A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros()}};
    solver_ = make_linear_solver(p, LinearSolverKind::sparse);
    if (solver_->factorise({A.valuePtr(), at(static_cast<int>(A.nonZeros()))})) return Outcome::ok;
    singular_column_ = solver_->singular_column();
    return Outcome::matrix_singular;
  }

  // The equations of the damped iteration; rates follow the values found.
  Outcome linearise() override {
    if (moved_) {
      if (const Outcome o = evaluate(); o != Outcome::ok) return o;
      if (const Outcome o = complete_rates(); o != Outcome::ok) return o;
    }
    if (const Outcome o = factorise(); o != Outcome::ok) return o;
    dx_ = -(range_->kernel() * algebraic());
    solver_->solve(dx_.data());
    unit_ = effect();
    before_ = s_.x;
    return Outcome::ok;
  }
  double length() const override {
    return dx_.cwiseQuotient(request_.weight.head(n_)).cwiseAbs().maxCoeff();
  }
  double remainder() override { return algebraic().cwiseQuotient(unit_).norm(); }
  Outcome move(double damping) override {
    const VectorXd step = damping * dx_;
    system_.layout.plus(before_.data(), step.data(), s_.x.data());
    moved_ = true;
    return rows();
  }

  std::optional<StartReport> solve() {
    const char* doing = "solving for consistent algebraic variables";
    if (range_->kernel().cols() == 0) return std::nullopt;
    const VectorXd given = s_.x;
    const DampedResult r = damped_newton(*this, {.max_iterations = max_sparse_iterations});
    report_.changed = r.longest > 1.0;
    Outcome o = r.outcome;
    if (o == Outcome::ok) o = evaluate();
    if (o == Outcome::ok) o = complete_rates();
    if (o == Outcome::ok) return std::nullopt;
    if (o == Outcome::newton_failed) list_rows();
    s_.x = given;
    if (o == Outcome::matrix_singular || o == Outcome::newton_failed) {
      if (report_.rows.empty() || !(report_.rows.front().scaled > 1.0)) return failed(o, doing);
      give_up(report_, s_.t,
              "Newton's method found no better values: the equations may have no solution here; "
              "give start values nearer to one, or other values of what is kept.");
      return report_;
    }
    return failed(o, evaluating());
  }

  void list_rows() {
    report_.rows.clear();
    if (request_.strategy == StartStrategy::given) return;
    const Sparse& W = range_->kernel();
    const VectorXd value = algebraic(), scale = effect();
    for (int k = 0; k < W.cols(); ++k) {
      int which = 0;
      double largest = 0.0;
      for (Sparse::InnerIterator e(W, k); e; ++e)
        if (std::abs(e.value()) > largest)
          largest = std::abs(e.value()), which = static_cast<int>(e.row());
      report_.rows.push_back(
          {system_.equations[at(which)], value[k], std::abs(value[k]) / scale[k]});
    }
    sort_rows(report_);
  }

  Outcome linear_rates() {
    if (pencil().matrix_free()) {
      rates_ = range_->least_squares(value_);
      return Outcome::ok;
    }
    if (const Outcome o = factorise(); o != Outcome::ok) return o;
    const Sparse& W = range_->kernel();
    const VectorXd& by_time = system_.linear_view()->time_derivative();
    rates_ = value_ - W * (W.transpose() * value_) - W * (W.transpose() * by_time);
    solver_->solve(rates_.data());
    return rates_.allFinite() ? Outcome::ok : Outcome::matrix_singular;
  }

  System& system_;
  State& s_;
  const StartRequest& request_;
  bool linear_;
  int n_;
  VectorXd rates_, value_, dx_, unit_, before_;
  bool moved_ = false;
  std::optional<RateRange> range_;
  std::unique_ptr<LinearSolver> solver_;
  int singular_column_ = -1;
  StartReport report_;
};

}  // namespace

std::optional<StartReport> start_sparse(System& system, State& state, const StartRequest& request) {
  SparseStart start(system, state, request);
  return start.applies() ? start.run() : std::nullopt;
}

}  // namespace daedalus
