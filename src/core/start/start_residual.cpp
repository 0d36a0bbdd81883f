// SPDX-License-Identifier: BSD-3-Clause
// F(t, x, d') = 0. With E = F_d' d_x, J = F_x and P the projector along the range of E: the part of
// F in the range of E is met by completing x' (least squares), the rest must vanish; for index 1
// the correction (E + P J) dx = -P F makes it vanish.
#include <cmath>
#include <limits>

#include "linalg/decompositions.hpp"
#include "nonlinear/damped_newton.hpp"
#include "start/conflict.hpp"
#include "start/start_rows.hpp"

namespace daedalus {
namespace {

// Damped steps of exponential elements (diodes) are many and short.
constexpr int max_residual_iterations = 100;
// Derivatives are completed to this part of their size; F linear in x' takes one iteration, and
// five tell a contradiction.
constexpr double completed_rates = 1e-12;
constexpr int max_completions = 5;
// A correction this many times as large as the values is one of a singular matrix.
constexpr double max_correction = 1e8;
// Initial equations and x' are met in turns; F linear in x' takes two.
constexpr int max_turns = 3;
constexpr double min_row = 1e-100;  // of a row that nothing moves

class ResidualStart final : private DampedEquations {
 public:
  ResidualStart(System& system, State& s, const StartRequest& request)
      : system_(system),
        s_(s),
        request_(request),
        view_(*system.residual_view()),
        n_(system.layout.tangents()),
        rows_(static_cast<int>(system.equations.size())),
        nd_(view_.differentiated_count()),
        solve_(request.strategy == StartStrategy::solve),
        r_(rows_),
        dd_(Eigen::VectorXd::Zero(std::max(nd_, n_))),
        E_(rows_, n_),
        J_(rows_, n_),
        given_(s.x) {
    dd_.head(std::min(nd_, n_)) = s.xd.head(std::min(nd_, n_));
    for (int i = 0; i < n_; ++i) columns_.push_back(i);
  }

  StartReport run() {
    const bool found = !solve_                                               ? complete_given()
                       : request_.extra_count > 0 || !request_.fixed.empty() ? meet_extra_rows()
                                                                             : solve_algebraic();
    if (!found) return report_;
    if (request_.strategy != StartStrategy::given && !judge()) return report_;
    s_.xd.setZero(n_);
    s_.xd.head(std::min(nd_, n_)) = dd_.head(std::min(nd_, n_));
    return report_;
  }

 private:
  bool stop(Outcome o, std::string_view doing = "evaluating the residual") {
    report_ = failed_start(system_, s_.t, o, doing);
    return false;
  }
  Outcome residual() { return view_.residual(s_.t, s_.x.data(), dd_.data(), r_.data()); }

  // Rows, matrices and the left null space W of E.
  Outcome evaluate() {
    if (const Outcome o = residual(); o != Outcome::ok) return o;
    if (const Outcome o = view_.linearise(s_.t, s_.x.data(), dd_.data()); o != Outcome::ok)
      return o;
    view_.residual_pencil().dense_e(E_);
    view_.residual_pencil().dense_j(J_);
    const PivotedQr qr = pivoted_qr(E_);
    W_ = qr.q.rightCols(rows_ - qr.rank);
    if (request_.extra_count > 0 && !view_.states_leading_term()) {
      const Eigen::MatrixXd range = Eigen::MatrixXd::Identity(rows_, rows_) - W_ * W_.transpose();
      completion_.resize(n_, rows_);
      for (int k = 0; k < rows_; ++k) completion_.col(k) = least_squares(E_, range.col(k));
    }
    return Outcome::ok;
  }

  // Adds to x' what the range of E lacks; true: nothing was missing. d' of a stated leading term
  // cannot be completed from x'; it is taken as given.
  bool complete_rates() {
    if (view_.states_leading_term()) return true;
    const Eigen::VectorXd range = r_ - W_ * (W_.transpose() * r_);
    const Eigen::VectorXd change = least_squares(E_, -range);
    if (!(change.norm() > completed_rates * (1.0 + dd_.norm()))) return true;
    dd_.head(n_) += change;
    return false;
  }

  bool complete_given() {
    for (int k = 0;; ++k) {
      if (const Outcome o = evaluate(); o != Outcome::ok) return stop(o);
      if (complete_rates() || k >= max_completions) return true;
    }
  }

  // The equations of the damped iteration.
  Outcome linearise() override {
    if (const Outcome o = evaluate(); o != Outcome::ok) return o;
    if (!complete_rates())
      if (const Outcome o = residual(); o != Outcome::ok) return o;
    before_ = s_.x;
    dx_.setZero(n_);
    if (W_.cols() == 0) return Outcome::ok;
    const Eigen::MatrixXd rows = W_.transpose() * J_;
    unit_ =
        rows.cwiseAbs() * request_.weight.head(n_) + Eigen::VectorXd::Constant(W_.cols(), min_row);
    singular_ = rows_ != n_;
    if (singular_) return Outcome::matrix_singular;
    dx_ = PivotedLu(E_ + W_ * rows).solve(-(W_ * (W_.transpose() * r_)));
    singular_ = !dx_.allFinite() || dx_.norm() > max_correction * (1.0 + s_.x.norm());
    return singular_ ? Outcome::matrix_singular : Outcome::ok;
  }
  double length() const override {
    double size = 0.0;
    for (int i = 0; i < n_; ++i) size = std::max(size, std::abs(dx_[i]) / request_.weight[i]);
    return size;
  }
  double remainder() override {
    return W_.cols() > 0 ? (W_.transpose() * r_).cwiseQuotient(unit_).norm() : 0.0;
  }
  Outcome move(double damping) override {
    const Eigen::VectorXd step = damping * dx_;
    system_.layout.plus(before_.data(), step.data(), s_.x.data());
    return residual();
  }

  bool solve_algebraic() {
    const DampedResult r = damped_newton(*this, {.max_iterations = max_residual_iterations});
    report_.changed = r.longest > 1.0;
    stuck_ = r.stuck;
    const bool judged =
        r.outcome == Outcome::ok || r.outcome == Outcome::newton_failed || singular_;
    if (!judged) return stop(r.outcome);
    // x' belongs to the values found.
    if (!singular_)
      if (const Outcome o = evaluate(); o != Outcome::ok) return stop(o);
    if (!singular_) (void)complete_rates();
    return true;
  }

  bool meet_extra_rows() {
    for (int turn = 0; turn < max_turns; ++turn) {
      if (const Outcome o = evaluate(); o != Outcome::ok) return stop(o);
      (void)complete_rates();
      const Eigen::VectorXd before = s_.x;
      const int row_count = static_cast<int>(W_.cols()) + request_.extra_count;
      const StartRows all = [&](const State& at, Eigen::VectorXd& out) {
        return all_rows(at, out);
      };
      const Outcome o = min_change(system_, s_, request_, all, row_count, columns_);
      if (o != Outcome::ok) return explain_conflict(o, all, row_count);
      report_.changed = report_.changed || !(before == s_.x);
    }
    if (const Outcome o = evaluate(); o != Outcome::ok) return stop(o);
    return true;
  }

  Outcome all_rows(const State& at, Eigen::VectorXd& out) {
    Eigen::VectorXd here(rows_);
    if (const Outcome o = view_.residual(at.t, at.x.data(), dd_.data(), here.data());
        o != Outcome::ok)
      return o;
    out.head(W_.cols()) = W_.transpose() * here;
    return request_.extra_count == 0 ? Outcome::ok : extra_rows(at, here, out.data() + W_.cols());
  }

  // Initial equations such as der(x) = 0 see the x' that belongs to x, not the one it began with.
  Outcome extra_rows(const State& at, const Eigen::VectorXd& residual, double* rows) {
    State with_rates = at;
    with_rates.xd = dd_.head(n_);
    if (!view_.states_leading_term()) with_rates.xd -= completion_ * residual;
    return request_.extra(with_rates, rows);
  }

  bool explain_conflict(Outcome o, const StartRows& all, int row_count) {
    s_.x = given_;
    if (o == Outcome::newton_failed) {
      StartStage algebraic{{}, columns_};
      for (int k = 0; k < W_.cols(); ++k) algebraic.names.push_back(equation_of(k));
      StartReport named = find_conflict(system_, s_, request_, all, row_count,
                                        {algebraic, initial_equation_stage(request_, columns_)});
      if (named.status != Status::success) {
        report_ = std::move(named);
        return false;
      }
    }
    return stop(o, "meeting the initial equations with the fixed variables kept");
  }

  // A combination of equations is called by the one with the largest share.
  const std::string& equation_of(int k) const {
    int which = 0;
    W_.col(k).cwiseAbs().maxCoeff(&which);
    return system_.equations[static_cast<std::size_t>(which)];
  }

  Outcome list_rows() {
    const Eigen::VectorXd value = W_.transpose() * r_;
    const Eigen::MatrixXd effect = (W_.transpose() * J_).cwiseAbs();
    for (int k = 0; k < W_.cols(); ++k) {
      const double scale = effect.row(k).dot(request_.weight.head(n_)) + 1e-300;
      report_.rows.push_back({equation_of(k), value[k], std::abs(value[k]) / scale});
    }
    sort_rows(report_);
    StartRequest request = request_;
    if (request.extra_count > 0)
      request.extra = [this](const State& at, double* rows) {
        Eigen::VectorXd here(rows_);
        const Outcome o = view_.residual(at.t, at.x.data(), dd_.data(), here.data());
        return o == Outcome::ok ? extra_rows(at, here, rows) : o;
      };
    return report_extra(system_, s_, request, columns_, report_);
  }

  // False: the report is that of a failure and the derivative stays as it is.
  bool judge() {
    if (const Outcome o = list_rows(); o != Outcome::ok)
      return stop(o, "evaluating the initial equations");
    const bool violated = !report_.rows.empty() && report_.rows.front().scaled > 1.0;
    if (singular_ && !violated)
      return stop(Outcome::matrix_singular, "solving for consistent algebraic variables");
    if (violated && solve_) {
      s_.x = given_;
      give_up(report_, s_.t,
              singular_
                  ? "At the values found the equations do not determine all variables: they "
                    "contradict each other, or their derivative vanishes there; give other values."
              : stuck_
                  ? "Newton's method found no better values: the equations may have no solution "
                    "here; give start values nearer to one, or other values of what is kept."
                  : "Newton's method did not converge in 100 iterations; give start values nearer "
                    "to a solution.");
    } else if (violated) {
      refuse(report_, s_.t,
             "Correct them, or let the library solve for them with the start strategy 'solve'.");
    }
    return true;
  }

  System& system_;
  State& s_;
  const StartRequest& request_;
  ResidualView& view_;
  int n_, rows_, nd_;
  bool solve_;
  Eigen::VectorXd r_, dd_;
  Eigen::MatrixXd E_, J_, W_;
  Eigen::MatrixXd completion_;  // of x' by what is left of F in the range of E
  Eigen::VectorXd given_, before_, dx_, unit_;
  std::vector<int> columns_;
  bool stuck_ = false, singular_ = false;
  StartReport report_;
};

}  // namespace

StartReport start_residual(System& system, State& s, const StartRequest& request) {
  return ResidualStart(system, s, request).run();
}

}  // namespace daedalus
