// SPDX-License-Identifier: BSD-3-Clause
// Algebraic variables and rates that belong to the present modes, with what is differentiated kept.
// Where the equations do not give them (index above 1, no square system of this kind) the values
// stay as they are, and the run itself finds consistent ones.
#include <cmath>

#include "kernel/at.hpp"
#include "linalg/sparse_factors.hpp"
#include "model/event_run.hpp"

namespace daedalus {
namespace {

// Newton from the state before the event; a start value is no better off with more.
constexpr int max_iterations = 50;
// Ten halvings.
constexpr double min_damping = 1e-3;
constexpr double converged = 1e-13;  // correction relative to the variable

// F(t, y, y') with its Jacobian by what is unknown: y' of differentiated variables, y of others.
// The forms M y' = f and y' = f, 0 = g are F = M y' - f.
class UnknownsOfModel {
 public:
  UnknownsOfModel(const Model::Data& d, const std::vector<double>& p)
      : d_(d), n_(static_cast<int>(d.names.size())) {
    const FirstOrderParts& parts = d.first_order;
    const int ny = n_ - d.algebraic_count;
    if (parts.residual) {
      rows_ = {{parts.residual.get(), 0}};
    } else if (parts.f) {
      rows_ = {{parts.f.get(), 0}, {parts.g.get(), ny}};
      vectors_.push_back({slot::State::z, ny});
      mass_.resize(n_, n_);
      for (int i = 0; i < ny; ++i) mass_.insert(i, i) = 1.0;
    } else {
      rows_ = {{parts.rhs.get(), 0}};
      mass_ = parts.mass.at(p);
    }
    sign_ = parts.residual ? 1.0 : -1.0;
  }

  void residual(const Arguments<double>& a, Eigen::VectorXd& r) const {
    r.resize(n_);
    for (const Rows& rows : rows_) rows.f->call(a, r.data() + rows.first, rows.f->count(), 1);
    if (sign_ > 0.0) return;
    r = mass_ * Eigen::Map<const Eigen::VectorXd>(a.x[slot::State::yp], n_) - r;
  }

  SparseMatrix jacobian(const Arguments<double>& a) const {
    std::vector<Eigen::Triplet<double>> entries;
    for (const Rows& rows : rows_)
      for (const Vector& v : vectors_) add(rows, v, a, sign_, false, entries);
    if (sign_ > 0.0) {
      add(rows_[0], {slot::State::yp, 0}, a, 1.0, true, entries);
    } else {
      for (int j = 0; j < n_; ++j)
        for (SparseMatrix::InnerIterator e(mass_, j); e && d_.differentiated[at(j)]; ++e)
          entries.emplace_back(static_cast<int>(e.row()), j, e.value());
    }
    SparseMatrix J(n_, n_);
    J.setFromTriplets(entries.begin(), entries.end());
    return J;
  }

  // F_t + F_y y' of the differentiated variables.
  Eigen::VectorXd known_slope(const Arguments<double>& a, const Eigen::VectorXd& yp) const {
    Eigen::VectorXd sum(n_);
    for (const Rows& rows : rows_) {
      rows.f->by_time(a, sum.data() + rows.first);
      const SparsePattern& p = rows.f->pattern(slot::State::y);
      std::vector<double> values(at(p.nonzeros()));
      rows.f->by_vector(slot::State::y, a, values.data());
      for (int j = 0; j < p.cols; ++j)
        for (int k = p.start[at(j)]; d_.differentiated[at(j)] && k < p.start[at(j) + 1]; ++k)
          sum[rows.first + p.row[at(k)]] += values[at(k)] * yp[j];
    }
    return sign_ * sum;
  }

  const SparseMatrix& mass() const { return mass_; }

 private:
  struct Rows {
    const FormulaFunction* f;
    int first;
  };
  struct Vector {
    int number, first;  // of the slot, and its first column
  };
  void add(const Rows& rows, const Vector& by, const Arguments<double>& a, double sign,
           bool of_differentiated, std::vector<Eigen::Triplet<double>>& entries) const {
    const SparsePattern& p = rows.f->pattern(by.number);
    std::vector<double> values(at(p.nonzeros()));
    rows.f->by_vector(by.number, a, values.data());
    for (int j = 0; j < p.cols; ++j) {
      if ((d_.differentiated[at(by.first + j)] != 0) != of_differentiated) continue;
      for (int k = p.start[at(j)]; k < p.start[at(j) + 1]; ++k)
        entries.emplace_back(rows.first + p.row[at(k)], by.first + j, sign * values[at(k)]);
    }
  }

  const Model::Data& d_;
  int n_;
  std::vector<Rows> rows_;
  std::vector<Vector> vectors_{{slot::State::y, 0}};
  double sign_ = 1.0;
  SparseMatrix mass_;
};

}  // namespace

void EventRun::solve() {
  rates_ = Rates::none;
  if (d_.multibody || d_.names.empty()) return;
  const bool solved = d_.common_index <= 1 ? newton() : d_.array && newton_of_array();
  if (!e_.empty()) modes_[e_.unsolved()] = !solved;
  if (solved)
    rates_ = Rates::all;
  else if (rates_of_diagonal())
    rates_ = Rates::differentiated;
}

bool EventRun::newton() {
  const UnknownsOfModel model(d_, p_);
  const int n = static_cast<int>(d_.names.size());
  const Eigen::VectorXd y_before = Eigen::Map<const Eigen::VectorXd>(y_, n), yp_before = yp_;
  const auto unknown = [&](int j) -> double& { return d_.differentiated[at(j)] ? yp_[j] : y_[j]; };
  Eigen::VectorXd r, trial;
  SparseFactors lu;
  try {
    model.residual(arguments(), r);
    // Quotients of guesses that are zero.
    for (int j = 0; !r.allFinite() && j < n; ++j)
      if (!d_.differentiated[at(j)] && y_[j] == 0.0) y_[j] = 0.1 + 0.01 * (j % 7);
    if (!r.allFinite()) model.residual(arguments(), r);
    for (int k = 0; k < max_iterations; ++k) {
      if (!lu.compute(model.jacobian(arguments()))) break;
      const Eigen::VectorXd dx = lu.solve(r);
      if (!dx.allFinite()) break;
      double largest = 0.0;
      for (int j = 0; j < n; ++j)
        largest = std::max(largest, std::abs(dx[j]) / (1.0 + std::abs(unknown(j))));
      double damping = 1.0;
      const Eigen::VectorXd y_here = Eigen::Map<const Eigen::VectorXd>(y_, n), yp_here = yp_;
      for (;; damping *= 0.5) {
        for (int j = 0; j < n; ++j)
          unknown(j) = (d_.differentiated[at(j)] ? yp_here[j] : y_here[j]) - damping * dx[j];
        model.residual(arguments(), trial);
        if (damping <= min_damping || trial.norm() <= (1.0 - 0.1 * damping) * r.norm() ||
            largest <= 1e-8)
          break;
      }
      r = trial;
      if (largest > converged) continue;
      // d/dt F = 0 gives the rates of algebraic variables by the same matrix.
      const Eigen::VectorXd slope = lu.solve(model.known_slope(arguments(), yp_));
      for (int j = 0; j < n; ++j)
        if (!d_.differentiated[at(j)]) yp_[j] = -slope[j];
      return slope.allFinite();
    }
  } catch (const Reject&) {
  }
  Eigen::Map<Eigen::VectorXd>(y_, n) = y_before;
  yp_ = yp_before;
  return false;
}

// M y' = f with a diagonal M gives the rates whatever the index is.
bool EventRun::rates_of_diagonal() {
  if (d_.first_order.residual) return false;
  const UnknownsOfModel model(d_, p_);
  const SparseMatrix& M = model.mass();
  const int n = static_cast<int>(d_.names.size());
  Eigen::VectorXd f;
  yp_.setZero(n);
  try {
    model.residual(arguments(), f);  // M 0 - f
  } catch (const Reject&) {
    return false;
  }
  for (int j = 0; j < n; ++j) {
    SparseMatrix::InnerIterator e(M, j);
    if (!e) continue;
    if (e.row() != j || e.value() == 0.0) return false;
    yp_[j] = -f[j] / e.value();
    if (++e) return false;
  }
  return true;
}

}  // namespace daedalus
