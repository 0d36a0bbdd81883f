// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/recorded_equations.hpp"

#include <algorithm>
#include <cmath>

#include "formulation/recorded_curve.hpp"
#include "formulation/recorded_form.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class RecordedEquations final : public EquationSeries {
 public:
  RecordedEquations(std::shared_ptr<const Problem> problem, std::unique_ptr<RecordedForm> form)
      : problem_(std::move(problem)),
        form_(std::move(form)),
        residual_(form_->size(), form_->size(), form_->rates()),
        leading_(form_->rates(), form_->size(), 0) {}
  int size() const override { return form_->size(); }
  const std::vector<std::string>& variables() const override { return form_->variables; }
  const std::vector<std::string>& equations() const override { return form_->equations; }
  int redundant_coordinates() const override { return form_->redundant(); }

  Outcome evaluate(double t, const MatrixXd& jet, int order, LinearSeries& out) override {
    const int n = size(), m = form_->rates();
    MatrixXd rate(m, order + 1);
    std::vector<MatrixXd> D;  // d_x as a series
    if (form_->states_leading_term()) {
      MatrixXd d;
      if (const Outcome o = leading_series(t, jet, order, d, D); o != Outcome::ok) return o;
      for (int k = 0; k <= order; ++k) rate.col(k) = (k + 1) * d.col(k + 1);
    } else {
      for (int k = 0; k <= order; ++k) rate.col(k) = (k + 1) * jet.col(k + 1);
    }
    const auto call = [&](Recording& recording, const Recorded& time, const Recorded* x,
                          const Recorded* xd, Recorded* r) {
      return guarded(failure_, t, [&] { return form_->residual(recording, time, x, xd, r); });
    };
    if (const Outcome o = residual_.evaluate(call, t, jet, rate, order); o != Outcome::ok) return o;
    out.r.assign(at(order + 1), VectorXd::Zero(n));
    out.A.assign(at(order + 1), MatrixXd::Zero(n, m));
    out.B.assign(at(order + 1), MatrixXd::Zero(n, n));
    for (int i = 0; i < n; ++i) {
      if (!residual_.finite(i, order)) return Outcome::not_finite;
      for (int k = 0; k <= order; ++k) out.r[at(k)][i] = residual_.coefficient(i, k);
      residual_.derivatives(i, order, [&](int j, int k, double value) {
        if (j < n)
          out.B[at(k)](i, j) = value;
        else
          out.A[at(k)](i, j - n) = value;
      });
    }
    if (form_->states_leading_term()) compose(D, order, out);
    for (int k = 0; k <= order; ++k)
      if (!out.A[at(k)].allFinite() || !out.B[at(k)].allFinite()) return Outcome::not_finite;
    return Outcome::ok;
  }

  int rates() const override { return form_->rates(); }

  // At a point of its own, along the branches taken there.
  Outcome dependences(const Point& at, Dependences& out) override {
    const int n = size(), m = rates();
    RecordedCurve here(n, n, m);
    const auto call = [&](Recording& recording, const Recorded& time, const Recorded* x,
                          const Recorded* xd, Recorded* r) {
      return guarded(failure_, at.t, [&] { return form_->residual(recording, time, x, xd, r); });
    };
    if (const Outcome o = here.evaluate(call, at.t, at.x, at.rate, 0); o != Outcome::ok) return o;
    for (int i = 0; i < n; ++i)
      here.derivatives(i, 0, [&](int j, int, double) {
        if (j < n)
          out.of_x.insert({i, j});
        else if (j < n + m)
          out.of_rate.insert({i, j - n});
      });
    here.for_each_comparison([&](double difference, const VectorXd& gradient) {
      add_other_side(at, difference, gradient, out);
    });
    return Outcome::ok;
  }

 private:
  // The nearest point, to first order, where the difference has the other sign and is as large, but
  // not too small to be seen.
  void add_other_side(const Point& at, double difference, const VectorXd& gradient,
                      Dependences& out) const {
    // Relative; a comparison is passed by more than differences of callables resolve.
    constexpr double visible = 1e-6;
    const int n = size(), m = rates();
    const double square = gradient.squaredNorm();
    if (!(square > 0.0) || !std::isfinite(square) || !std::isfinite(difference)) return;
    const double wanted =
        difference - (difference < 0.0 ? -1.0 : 1.0) *
                         (std::abs(difference) + visible * std::max(1.0, std::sqrt(square)));
    const VectorXd move = (wanted - difference) / square * gradient;
    out.other_sides.push_back(
        {at.t + move[n + m], at.x + move.head(n), at.rate + move.segment(n, m)});
    // Where they are equal, the other answer lies on both sides.
    if (difference == 0.0)
      out.other_sides.push_back(
          {at.t - move[n + m], at.x - move.head(n), at.rate - move.segment(n, m)});
  }

  // d(t, x) and d_x along the curve, one order further than F.
  Outcome leading_series(double t, const MatrixXd& jet, int order, MatrixXd& d,
                         std::vector<MatrixXd>& D) {
    const int n = size(), m = form_->rates();
    const auto call = [&](Recording&, const Recorded& time, const Recorded* x, const Recorded*,
                          Recorded* value) {
      return guarded(failure_, t, [&] { return form_->leading(time, x, value); });
    };
    if (const Outcome o = leading_.evaluate(call, t, jet, {}, order + 1); o != Outcome::ok)
      return o;
    d.resize(m, order + 2);
    D.assign(at(order + 2), MatrixXd::Zero(m, n));
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k <= order + 1; ++k) d(i, k) = leading_.coefficient(i, k);
      leading_.derivatives(i, order + 1,
                           [&](int j, int k, double entry) { D[at(k)](i, j) = entry; });
    }
    return d.allFinite() ? Outcome::ok : Outcome::not_finite;
  }

  // d' = d_t + d_x x': F_x' = F_d' d_x and F_x + F_d' (d_x)'.
  static void compose(const std::vector<MatrixXd>& D, int order, LinearSeries& out) {
    std::vector<MatrixXd> A;
    for (int k = 0; k <= order; ++k) {
      MatrixXd sum = MatrixXd::Zero(out.A[0].rows(), D[0].cols());
      for (int j = 0; j <= k; ++j) {
        sum += out.A[at(j)] * D[at(k - j)];
        out.B[at(k)] += (k - j + 1) * out.A[at(j)] * D[at(k - j + 1)];
      }
      A.push_back(std::move(sum));
    }
    out.A = std::move(A);
  }

  std::shared_ptr<const Problem> problem_;
  std::unique_ptr<RecordedForm> form_;
  RecordedCurve residual_, leading_;
  Failure failure_;
};

}  // namespace

std::unique_ptr<EquationSeries> recorded_equations(std::shared_ptr<const Problem> problem,
                                                   Modes modes, std::string* why) {
  std::string plain;
  auto form = recorded_form(*problem, modes, plain);
  if (why) *why = plain;
  if (!plain.empty()) return nullptr;
  return std::make_unique<RecordedEquations>(std::move(problem), std::move(form));
}

}  // namespace daedalus
