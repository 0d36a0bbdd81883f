// SPDX-License-Identifier: BSD-3-Clause
// Algebraic variables and rates that belong to the present modes, with what is differentiated kept.
// Where the equations do not give them (index above 1, no square system of this kind) the values
// stay as they are, and the run itself finds consistent ones.
#include <Eigen/SparseLU>
#include <cmath>

#include "kernel/at.hpp"
#include "model/event_run.hpp"

namespace daedalus {
namespace {

constexpr int max_iterations = 50;
constexpr double min_damping = 1e-3;
constexpr double converged = 1e-13;  // correction relative to the variable

// F(t, y, y') with its Jacobian by what is unknown: y' of differentiated variables, y of others.
class UnknownsOfModel {
 public:
  UnknownsOfModel(const Model::Data& d, const std::vector<double>& p) : d_(d) {
    const FirstOrderParts& parts = d.first_order;
    n_ = static_cast<int>(d.names.size());
    if (parts.rhs) mass_ = parts.mass.at(p);
  }

  void residual(const Arguments<double>& a, Eigen::VectorXd& r) const {
    r.resize(n_);
    const FirstOrderParts& parts = d_.first_order;
    if (parts.residual) {
      parts.residual->call(a, r.data(), n_, 1);
      return;
    }
    parts.rhs->call(a, r.data(), n_, 1);
    r = mass_ * Eigen::Map<const Eigen::VectorXd>(a.x[slot::State::yp], n_) - r;
  }

  SparseMatrix jacobian(const Arguments<double>& a) const {
    const FirstOrderParts& parts = d_.first_order;
    std::vector<Eigen::Triplet<double>> entries;
    const FormulaFunction& f = parts.residual ? *parts.residual : *parts.rhs;
    add(f, slot::State::y, a, parts.residual ? 1.0 : -1.0, false, entries);
    if (parts.residual) {
      add(f, slot::State::yp, a, 1.0, true, entries);
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
    const FirstOrderParts& parts = d_.first_order;
    const FormulaFunction& f = parts.residual ? *parts.residual : *parts.rhs;
    Eigen::VectorXd sum(n_);
    f.by_time(a, sum.data());
    const SparsePattern& p = f.pattern(slot::State::y);
    std::vector<double> values(at(p.nonzeros()));
    f.by_vector(slot::State::y, a, values.data());
    for (int j = 0; j < n_; ++j)
      for (int k = p.start[at(j)]; d_.differentiated[at(j)] && k < p.start[at(j) + 1]; ++k)
        sum[p.row[at(k)]] += values[at(k)] * yp[j];
    return parts.residual ? sum : Eigen::VectorXd(-sum);
  }

  const SparseMatrix& mass() const { return mass_; }

 private:
  void add(const FormulaFunction& f, int vector, const Arguments<double>& a, double sign,
           bool of_differentiated, std::vector<Eigen::Triplet<double>>& entries) const {
    const SparsePattern& p = f.pattern(vector);
    std::vector<double> values(at(p.nonzeros()));
    f.by_vector(vector, a, values.data());
    for (int j = 0; j < n_; ++j) {
      if ((d_.differentiated[at(j)] != 0) != of_differentiated) continue;
      for (int k = p.start[at(j)]; k < p.start[at(j) + 1]; ++k)
        entries.emplace_back(p.row[at(k)], j, sign * values[at(k)]);
    }
  }

  const Model::Data& d_;
  int n_;
  SparseMatrix mass_;
};

}  // namespace

void EventRun::solve() {
  rates_ = Rates::none;
  if (d_.multibody || d_.names.empty()) return;
  if (d_.common_index <= 1 && newton())
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
  Eigen::SparseLU<SparseMatrix> lu;
  try {
    model.residual(arguments(), r);
    for (int k = 0; k < max_iterations; ++k) {
      lu.compute(model.jacobian(arguments()));
      if (lu.info() != Eigen::Success) break;
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
  if (!d_.first_order.rhs) return false;
  const UnknownsOfModel model(d_, p_);
  const SparseMatrix& M = model.mass();
  const int n = static_cast<int>(d_.names.size());
  Eigen::VectorXd f(n);
  d_.first_order.rhs->call(arguments(), f.data(), n, 1);
  yp_.setZero(n);
  for (int j = 0; j < n; ++j) {
    SparseMatrix::InnerIterator e(M, j);
    if (!e) continue;
    if (e.row() != j || e.value() == 0.0) return false;
    yp_[j] = f[j] / e.value();
    if (++e) return false;
  }
  return true;
}

}  // namespace daedalus
