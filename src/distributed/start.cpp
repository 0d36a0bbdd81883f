// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "distributed/cut_system.hpp"
#include "linalg/sparse_factors.hpp"
#include "start/start_rows.hpp"

namespace daedalus::distributed {
namespace {

using Eigen::VectorXd;

// Newton's method either converges within these, or not at all.
constexpr int max_iterations = 10;
// Corrections of so many tolerances change nothing that a step could see.
constexpr double converged = 1e-3;
// alpha of alpha E + J, in units of the largest |J| over the least |E|: the rows with rates hold
// their unknowns so firmly that only the others move.
constexpr double firmness = 1e8;

class Start {
 public:
  Start(CutSystem& system, State& state, const StartRequest& request)
      : system_(system),
        s_(state),
        request_(request),
        ranks_(system.ranks()),
        n_(system.problem().rows),
        given_form_(static_cast<bool>(system.problem().residual)),
        value_(VectorXd::Zero(n_)) {
    const VectorXd& rates = system.problem().yp0;
    s_.xd = rates.size() == n_ ? rates : VectorXd::Zero(n_);
    has_row_.assign(static_cast<std::size_t>(n_), 0);
    has_column_ = has_row_;
  }

  StartReport run() {
    if (const Outcome o = evaluate(); o != Outcome::ok) return failed(o);
    if (const Outcome o = linearise(); o != Outcome::ok) return failed(o);
    if (!given_form_) {
      complete_rates();
      if (const Outcome o = evaluate(); o != Outcome::ok) return failed(o);
    }
    if (request_.strategy == StartStrategy::given) return report_;
    if (worst() <= 1.0) return report_;
    if (given_form_ || system_.problem().index > 1) {
      refuse(report_, s_.t,
             "Over ranks only index 1 of M x' = f is completed: give values that satisfy these "
             "equations and, with index 2, their derivatives");
      return report_;
    }
    return solve_algebraic();
  }

 private:
  StartReport failed(Outcome o) {
    return failed_start(system_, s_.t, o, "evaluating the equations over ranks", {});
  }

  // What is wrong in each row: f where M has none, else M x' - f.
  Outcome evaluate() {
    if (LinearView* view = system_.linear_view()) {
      view->rhs(s_.t, s_.x.data(), value_.data());
      value_ = -value_;
      view->add_mass_times(1.0, s_.xd.data(), value_.data());
    } else {
      system_.residual(s_.t, s_.x.data(), s_.xd.data(), value_.data());
    }
    ranks_.reduce({}, {});
    return ranks_.settle(Outcome::ok);
  }

  Outcome linearise() {
    const Outcome o = system_.linear_view() ? system_.linear_view()->linearise(s_.t, s_.x.data())
                                            : system_.linearise(s_.t, s_.x.data(), s_.xd.data());
    const SparseValues& e = system_.e();
    for (int c = 0; c < e.pattern.cols; ++c)
      for (int k = e.pattern.start[static_cast<std::size_t>(c)];
           k < e.pattern.start[static_cast<std::size_t>(c) + 1]; ++k) {
        const auto place = static_cast<std::size_t>(k);
        if (e.values[place] == 0.0) continue;
        has_row_[static_cast<std::size_t>(e.pattern.row[place])] = 1;
        if (c < n_) has_column_[static_cast<std::size_t>(c)] = 1;
      }
    return o;
  }

  // M x' = f within the rank, with ones where M has nothing.
  void complete_rates() {
    std::vector<Eigen::Triplet<double>> entries;
    const SparseValues& e = system_.e();
    for (int c = 0; c < n_; ++c) {
      for (int k = e.pattern.start[static_cast<std::size_t>(c)];
           k < e.pattern.start[static_cast<std::size_t>(c) + 1]; ++k)
        entries.emplace_back(e.pattern.row[static_cast<std::size_t>(k)], c,
                             e.values[static_cast<std::size_t>(k)]);
      if (!has_row_[static_cast<std::size_t>(c)]) entries.emplace_back(c, c, 1.0);
    }
    VectorXd missing = value_;  // M x' - f at the rates so far
    for (int i = 0; i < n_; ++i)
      if (!has_row_[static_cast<std::size_t>(i)]) missing[i] = 0.0;
    if (n_ == 0) return;
    SparseMatrix mass(n_, n_);
    mass.setFromTriplets(entries.begin(), entries.end());
    SparseFactors factors;
    if (factors.compute(mass)) s_.xd -= factors.solve(missing);
  }

  // Largest residual in units of what changes within the error scale cause; fills the report.
  double worst() {
    VectorXd weight(static_cast<Eigen::Index>(system_.cut().columns.size()));
    weight.head(n_) = request_.weight.head(n_);
    double* const vector = weight.data();
    system_.ghosts().exchange({&vector, 1});
    VectorXd effect = VectorXd::Constant(n_, 1e-300);  // above 0: a row may be empty
    const SparseValues& j = system_.j();
    for (int c = 0; c < j.pattern.cols; ++c)
      for (int k = j.pattern.start[static_cast<std::size_t>(c)];
           k < j.pattern.start[static_cast<std::size_t>(c) + 1]; ++k)
        effect[j.pattern.row[static_cast<std::size_t>(k)]] +=
            std::abs(j.values[static_cast<std::size_t>(k)]) * weight[c];
    report_.rows.clear();
    double largest = -1.0;
    for (int i = 0; i < n_; ++i) {
      if (!given_form_ && has_row_[static_cast<std::size_t>(i)]) continue;
      const double scaled = std::abs(value_[i]) / effect[i];
      if (!(scaled > largest)) continue;
      largest = scaled;
      report_.rows.assign(1, {system_.equations[static_cast<std::size_t>(i)], value_[i], scaled});
    }
    ranks_.reduce({}, {}, &largest);
    return largest;
  }

  double firm_alpha() {
    double largest = 0.0, least = 1e300;  // beyond any entry
    for (const double v : system_.j().values) largest = std::max(largest, std::abs(v));
    for (const double v : system_.e().values)
      if (v != 0.0) least = std::min(least, std::abs(v));
    double maxima[] = {largest, -least};
    ranks_.reduce({}, maxima);
    return firmness * std::max(maxima[0], 1.0) / -maxima[1];
  }

  StartReport solve_algebraic() {
    Pencil& pencil = system_.linear_view() ? system_.linear_pencil() : system_.residual_pencil();
    const VectorXd before = s_.x;
    const double sign = system_.linear_view() ? -1.0 : 1.0;
    for (int k = 0; k < max_iterations; ++k) {
      if (const Outcome o = pencil.factorise(firm_alpha(), sign); o != Outcome::ok)
        return failed(o);
      VectorXd move = -value_;
      for (int i = 0; i < n_; ++i)
        if (has_row_[static_cast<std::size_t>(i)]) move[i] = 0.0;
      if (const Outcome o = pencil.try_solve(move.data(), ranks_); o != Outcome::ok)
        return failed(o);
      double size = 0.0;
      for (int i = 0; i < n_; ++i) {
        if (has_column_[static_cast<std::size_t>(i)]) continue;
        s_.x[i] += move[i];
        size = std::max(size, std::abs(move[i]) / request_.weight[i]);
      }
      ranks_.reduce({}, {&size, 1});
      if (const Outcome o = evaluate(); o != Outcome::ok) return failed(o);
      if (const Outcome o = linearise(); o != Outcome::ok) return failed(o);
      if (size <= converged) return changed(before);
    }
    give_up(report_, s_.t, "Newton's method for the algebraic unknowns did not converge.");
    return report_;
  }

  StartReport changed(const VectorXd& before) {
    complete_rates();
    double size = (s_.x - before).cwiseAbs().cwiseQuotient(request_.weight.head(n_)).size() == 0
                      ? 0.0
                      : (s_.x - before).cwiseAbs().cwiseQuotient(request_.weight).maxCoeff();
    ranks_.reduce({}, {}, &size);
    report_.changed = size > 1.0;
    report_.rows.clear();
    if (report_.changed)
      report_.message = fmt::format(
          "The algebraic start values were changed, by up to {:.3g} tolerances, so that the "
          "algebraic equations hold.",
          size);
    return report_;
  }

  CutSystem& system_;
  State& s_;
  const StartRequest& request_;
  MpiCommunicator& ranks_;
  int n_;
  bool given_form_;
  VectorXd value_;
  std::vector<char> has_row_, has_column_;  // of E
  StartReport report_;
};

}  // namespace

StartReport start_over_ranks(System& system, State& state, const StartRequest& request) {
  return Start(static_cast<CutSystem&>(system), state, request).run();
}

}  // namespace daedalus::distributed
