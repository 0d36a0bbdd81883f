// SPDX-License-Identifier: BSD-3-Clause
// M x' = f(t, x), index 1. With W a basis of the left null space of M (mass_kernel.hpp),
// consistency means W^T f = 0, and the matrix A = M + W D W^T J is regular for any regular D; it
// gives
//   the correction   A dx = -W D W^T f,   that is M dx = 0 and W^T J dx = -W^T f,
//   the derivative   A x' = f - W D W^T f_t   once W^T f = 0.
// D brings the rows of W^T J to the size of M, so that pivots can be compared.
// This is section 9 of Steinebach (1988), where x = V (xi; eta) with xi kept and Newton's method
// for eta in the last n - r equations: M dx = 0 keeps xi, and the steps are the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linalg/decompositions.hpp"
#include "nonlinear/damped_newton.hpp"
#include "start/conflict.hpp"
#include "start/mass_kernel.hpp"
#include "start/start_rows.hpp"

namespace daedalus {
namespace {

// exp-like equations descend by a fixed amount per iteration from far above.
constexpr int max_linear_iterations = 200;
// Pivots below this part of the largest entry are zero but for rounding errors of 1e4 operations.
constexpr double min_pivot = 1e-20;
// Rates carried as algebraic variables are found to this part of their size.
constexpr double settled_rates = 1e-12;
// Corrections below this part of the values are round-off.
constexpr double negligible_part = 1e-14;
constexpr double min_effect = 1e-100;  // of a row that nothing moves

constexpr const char* evaluating_rhs = "evaluating the right-hand side";
constexpr const char* computing_derivative = "computing the derivative of the start values";

class LinearStart final : private DampedEquations {
 public:
  LinearStart(System& system, State& s, const StartRequest& request)
      : system_(system),
        s_(s),
        request_(request),
        view_(*system.linear_view()),
        n_(system.layout.tangents()),
        mass_(mass_of(view_, n_)),
        found_(mass_kernel(mass_, system.equations)),
        W_(found_.basis),
        mass_size_(found_.rank > 0 ? mass_.cwiseAbs().maxCoeff() : 1.0),
        f_(n_),
        dx_(n_),
        J_(n_, n_),
        scale_(Eigen::VectorXd::Ones(W_.cols())),
        rates_(system.layout.find(VariableClass::a)),
        own_(rates_ ? rates_->tangent : n_),
        given_(s.x) {}

  StartReport run() {
    warn_of_rank();
    if (const Outcome o = evaluate(); o != Outcome::ok) return failed(o, evaluating_rhs);
    if (const Outcome o = factorise(); o != Outcome::ok) return unsolved(o);
    const bool solve = request_.strategy == StartStrategy::solve;
    if (solve && (request_.extra_count > 0 || !request_.fixed.empty()))
      if (!meet_extra_rows()) return report_;
    if (request_.strategy == StartStrategy::automatic)
      if (const Outcome o = report_extra(system_, s_, request_, columns(own_), report_);
          o != Outcome::ok)
        return failed(o, "evaluating the initial equations");
    if (!(solve ? solve_algebraic() : accept_given())) return report_;
    if (!complete_derivative()) return report_;
    hold_constraints(solve);
    return report_;
  }

 private:
  static Eigen::MatrixXd mass_of(LinearView& view, int n) {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(n);
    for (int j = 0; j < n; ++j) {
      unit[j] = 1.0;
      view.add_mass_times(1.0, unit.data(), M.col(j).data());
      unit[j] = 0.0;
    }
    return M;
  }
  static std::vector<int> columns(int count) {
    std::vector<int> c(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<int>(i);
    return c;
  }

  void warn_of_rank() {
    if (!found_.unclear()) return;
    const std::string text = fmt::format(
        "The rank {} of the mass matrix is not clear: of its scaled pivots the last counted one is "
        "{:.1e} of the largest, the next one {:.1e} of the last counted. Write equations without "
        "derivatives as rows of exact zeros.",
        found_.rank, found_.counted, found_.neglected);
    std::vector<std::string>& known = system_.warnings;
    if (std::find(known.begin(), known.end(), text) == known.end()) known.push_back(text);
  }

  // Ends the run: the report is that of a failure.
  StartReport failed(Outcome o, std::string_view doing) {
    return report_ = failed_start(system_, s_.t, o, doing);
  }
  bool stop(Outcome o, std::string_view doing) {
    failed(o, doing);
    return false;
  }

  Outcome evaluate() { return view_.rhs(s_.t, s_.x.data(), f_.data()); }

  Outcome factorise() {
    if (const Outcome o = view_.linearise(s_.t, s_.x.data()); o != Outcome::ok) return o;
    if (W_.cols() == 0) return factorise(mass_);
    view_.linear_pencil().dense_j(J_);
    const Eigen::MatrixXd rows = W_.transpose() * J_;
    for (Eigen::Index k = 0; k < W_.cols(); ++k) {
      const double size = rows.row(k).cwiseAbs().maxCoeff();
      scale_[k] = size > 0.0 ? mass_size_ / size : 1.0;
    }
    return factorise(mass_ + W_ * (scale_.asDiagonal() * rows));
  }

  Outcome factorise(const Eigen::MatrixXd& A) {
    lu_.compute(A);
    int weak = 0;
    const double smallest = lu_.factors().diagonal().cwiseAbs().minCoeff(&weak);
    if (smallest > min_pivot * A.cwiseAbs().maxCoeff()) return Outcome::ok;
    singular_column_ = weak;
    return Outcome::matrix_singular;
  }

  void find_correction() {
    if (W_.cols() == 0)
      dx_.setZero();
    else
      dx_ = lu_.solve(-(W_ * (scale_.asDiagonal() * (W_.transpose() * f_))));
  }

  // What a change within tolerance does to each algebraic row.
  Eigen::VectorXd effect() const {
    return (W_.transpose() * J_).cwiseAbs() * request_.weight.head(n_) +
           Eigen::VectorXd::Constant(W_.cols(), min_effect);
  }

  // The equations of the damped iteration. Rates carried as algebraic variables follow from the
  // rest.
  Outcome linearise() override {
    if (!factorised_here_)
      if (const Outcome o = factorise(); o != Outcome::ok) return o;
    find_correction();
    unit_ = effect();
    before_ = s_.x;
    return Outcome::ok;
  }
  double length() const override {
    if (!dx_.allFinite()) return std::numeric_limits<double>::quiet_NaN();
    double size = 0.0;
    for (int i = 0; i < own_; ++i) size = std::max(size, std::abs(dx_[i]) / request_.weight[i]);
    return size;
  }
  double remainder() override { return (W_.transpose() * f_).cwiseQuotient(unit_).norm(); }
  Outcome move(double damping) override {
    factorised_here_ = damping == 0.0;
    s_.x = before_ + damping * dx_;
    return evaluate();
  }
  bool negligible() const override {
    return dx_.head(own_).cwiseAbs().maxCoeff() <=
           negligible_part * (1.0 + s_.x.head(own_).cwiseAbs().maxCoeff());
  }
  bool settled() override {
    return !rates_ ||
           dx_.tail(n_ - own_).norm() <= settled_rates * (1.0 + s_.x.tail(n_ - own_).norm());
  }

  bool solve_algebraic() {
    factorised_here_ = true;
    const DampedResult r = damped_newton(*this, {.max_iterations = max_linear_iterations});
    report_.changed = report_.changed || r.longest > 1.0;
    if (r.outcome == Outcome::callback_failed) return stop(r.outcome, "correcting");
    Outcome o = r.outcome;
    if (o == Outcome::ok && !factorised_here_) o = factorise();
    if (o != Outcome::ok) report_ = unsolved(o);
    return o == Outcome::ok;
  }

  bool accept_given() {
    find_correction();
    if (!dx_.allFinite()) {
      report_ = unsolved(Outcome::matrix_singular);
      return false;
    }
    if (rates_) s_.x.tail(n_ - own_) += dx_.tail(n_ - own_);
    if (request_.strategy == StartStrategy::automatic) list_rows();
    if (report_.rows.empty() || !(report_.rows.front().scaled > 1.0)) return true;
    refuse(report_, s_.t,
           "Correct them, or let the library solve for the algebraic variables with the start "
           "strategy 'solve'.");
    return false;
  }

  void list_rows() {
    const Eigen::MatrixXd effect = (W_.transpose() * J_).cwiseAbs();
    const Eigen::VectorXd value = W_.transpose() * f_;
    for (Eigen::Index k = 0; k < W_.cols(); ++k) {
      const double change = effect.row(k).head(own_).dot(request_.weight.head(own_)) + 1e-300;
      if (!rates_ || effect.row(k).tail(n_ - own_).maxCoeff() == 0.0)
        report_.rows.push_back(
            {found_.names[static_cast<std::size_t>(k)], value[k], std::abs(value[k]) / change});
    }
    sort_rows(report_);
  }

  // Names the equations that could not be met; the start values stay the given ones.
  StartReport unsolved(Outcome o) {
    const bool solving = request_.strategy == StartStrategy::solve;
    const char* doing =
        solving ? "solving for consistent algebraic variables" : computing_derivative;
    if (o != Outcome::matrix_singular && o != Outcome::newton_failed)
      return failed_start(system_, s_.t, o, doing);
    report_.rows.clear();
    if (request_.strategy != StartStrategy::given && evaluate() == Outcome::ok) list_rows();
    s_.x = given_;
    const bool violated = !report_.rows.empty() && report_.rows.front().scaled > 1.0;
    const std::string variable =
        singular_column_ >= 0 ? system_.layout.name(singular_column_) : std::string();
    if (violated) {
      give_up(
          report_, s_.t,
          o == Outcome::matrix_singular
              ? fmt::format("The equations do not determine '{}' at these values: they contradict "
                            "each other, or their derivative vanishes there; give other values.",
                            variable)
              : std::string("Newton's method found no better values: the equations may have no "
                            "solution here; give start values nearer to one, or other values "
                            "of what is kept."));
      return report_;
    }
    StartReport failed = failed_start(system_, s_.t, o, doing, variable);
    failed.rows = report_.rows;
    return failed;
  }

  // Initial equations and fixed variables: the smallest change that meets everything, instead of
  // keeping what M sees.
  bool meet_extra_rows() {
    const Eigen::VectorXd before = s_.x;
    const StartRows rows = [&](const State& at, Eigen::VectorXd& out) {
      if (const Outcome o = view_.rhs(at.t, at.x.data(), f_.data()); o != Outcome::ok) return o;
      out.head(W_.cols()) = W_.transpose() * f_;
      return request_.extra_count > 0 ? request_.extra(at, out.data() + W_.cols()) : Outcome::ok;
    };
    const std::vector<int> all = columns(n_);
    const int row_count = static_cast<int>(W_.cols()) + request_.extra_count;
    if (const Outcome o = min_change(system_, s_, request_, rows, row_count, all);
        o != Outcome::ok) {
      explain_conflict(o, rows, row_count, all);
      return false;
    }
    report_.changed = !(before == s_.x);
    if (const Outcome o = evaluate(); o != Outcome::ok) return stop(o, evaluating_rhs);
    if (const Outcome o = factorise(); o != Outcome::ok) return stop(o, computing_derivative);
    return true;
  }

  void explain_conflict(Outcome o, const StartRows& rows, int row_count,
                        const std::vector<int>& all) {
    if (o != Outcome::newton_failed || evaluate() != Outcome::ok) {
      failed(o, "meeting the initial equations with the fixed variables kept");
      return;
    }
    State at_start = s_;
    at_start.x = given_;
    StartReport named = find_conflict(system_, at_start, request_, rows, row_count,
                                      {{found_.names, all}, initial_equation_stage(request_, all)});
    if (named.status != Status::success) {
      s_.x = given_;
      report_ = std::move(named);
      return;
    }
    if (const Outcome again = evaluate(); again != Outcome::ok) {
      failed(again, evaluating_rhs);
      return;
    }
    list_rows();
    if (const Outcome extra = report_extra(system_, s_, request_, columns(own_), report_);
        extra != Outcome::ok) {
      failed(extra, "evaluating the initial equations");
      return;
    }
    s_.x = given_;
    give_up(report_, s_.t,
            "With the fixed variables kept no better values were found: free some of them, or "
            "give start values nearer to a solution.");
  }

  bool complete_derivative() {
    if (rates_) {
      if (const Outcome o = evaluate(); o != Outcome::ok) return stop(o, evaluating_rhs);
      if (const Outcome o = factorise(); o != Outcome::ok) return stop(o, computing_derivative);
    }
    // What f has outside the range of M, within tolerance, has no part in x'.
    if (W_.cols() > 0) {
      const Eigen::VectorXd outside = W_.transpose() * f_;
      const PivotedLu gram(W_.transpose() * W_);
      f_ -= W_ * gram.solve(outside);
      f_ -= W_ * (scale_.asDiagonal() * (W_.transpose() * view_.time_derivative()));
    }
    s_.xd = lu_.solve(f_);
    return true;
  }

  // Constraints that hold as invariants of this formulation; those that the user names are held at
  // the values they start with.
  void hold_constraints(bool solve) {
    if (!system_.has_projection() || system_.invariants ||
        request_.strategy == StartStrategy::given)
      return;
    State moved = s_;
    const ProjectionResult p = system_.project(moved, request_.weight, solve ? 0.0 : 1.0);
    if (p.outcome != Outcome::ok) {
      failed(p.outcome, "moving the start values onto the constraints");
    } else if (p.amended && solve) {
      s_.x = moved.x;
      report_.changed = true;
    } else if (p.amended) {
      const double residual = system_.projection_residual(s_);
      report_.rows.push_back({"algebraic equations", residual, 2.0});
      refuse(report_, s_.t,
             "Correct them, or let the library find consistent ones with the start strategy "
             "'solve'.");
    }
  }

  System& system_;
  State& s_;
  const StartRequest& request_;
  LinearView& view_;
  int n_;
  Eigen::MatrixXd mass_;
  MassKernel found_;
  const Eigen::MatrixXd& W_;
  double mass_size_;
  Eigen::VectorXd f_, dx_;
  Eigen::MatrixXd J_;
  Eigen::VectorXd scale_, unit_, before_;
  const LayoutBlock* rates_;
  int own_;
  Eigen::VectorXd given_;
  PivotedLu lu_;
  int singular_column_ = -1;
  bool factorised_here_ = false;
  StartReport report_;
};

}  // namespace

StartReport start_linear(System& system, State& s, const StartRequest& request) {
  return LinearStart(system, s, request).run();
}

}  // namespace daedalus
