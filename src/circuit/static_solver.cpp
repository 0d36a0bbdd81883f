// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "circuit/operating_point.hpp"

namespace daedalus::circuit {
namespace {

constexpr double max_voltage_step = 0.5;  // V; from one iterate to the next
// A correction below these ends the iteration: far below what any tolerance of a run asks for.
constexpr double relative_correction = 1e-9, voltage_correction = 1e-9, current_correction = 1e-12;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

StaticSolver::StaticSolver(StaticEquations& equations, const Network& network,
                           Conditions conditions)
    : eq_(equations),
      net_(network),
      conditions_(std::move(conditions)),
      n_(equations.size()),
      m_(static_cast<int>(conditions_.holds.size())),
      clamped_(at(n_), 0) {
  const int size = n_ + m_;
  std::vector<std::pair<int, int>> entries;  // column, row; beside those of the equations
  for (int h = 0; h < m_; ++h)
    for (const int node : {conditions_.holds[at(h)].a, conditions_.holds[at(h)].b})
      if (node != ground) {
        entries.emplace_back(n_ + h, node);
        entries.emplace_back(node, n_ + h);
      }
  for (const Conditions::Clamp& c : conditions_.clamps)
    for (const int node : {c.a, c.b})
      if (node != ground) entries.emplace_back(node, c.row);
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  SparsePattern own = eq_.pattern(), extra{size, size, {0}, {}};
  own.rows = own.cols = size;
  own.start.resize(at(size) + 1, own.start.back());
  auto next = entries.begin();
  for (int c = 0; c < size; ++c) {
    bool diagonal = false;
    const auto with_diagonal = [&](int below) {
      if (!diagonal && c <= below) extra.row.push_back(c), diagonal = true;
    };
    for (; next != entries.end() && next->first == c; ++next) {
      with_diagonal(next->second);
      if (next->second != c) extra.row.push_back(next->second);
    }
    with_diagonal(size);
    extra.start.push_back(extra.nonzeros());
  }
  pattern_ = unite(own, extra, &place_);
  for (int k = 0; k < size; ++k) diagonal_.push_back(pattern_.find(k, k));
  for (const Conditions::Clamp& c : conditions_.clamps) clamped_[at(c.row)] = 1;
  matrix_.resize(pattern_.row.size());
  residual_.resize(at(size));
  dx_.resize(at(size));
  solver_ = make_linear_solver(pattern_);
}

bool StaticSolver::system(const std::vector<double>& x) {
  if (!eq_.evaluate(x.data()) || !eq_.linearise(x.data())) {
    failure = "an element cannot be evaluated";
    return false;
  }
  for (const auto* list : {&conditions_.added, &added})
    for (const auto& [row, value] : *list) eq_.sources[at(row)] += value;
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  for (std::size_t k = 0; k < place_.size(); ++k)
    if (!clamped_[at(eq_.pattern().row[k])]) matrix_[at(place_[k])] = eq_.jacobian[k];
  for (int i = 0; i < n_; ++i) {
    double& r = residual_[at(i)];
    if (clamped_[at(i)]) continue;
    r = eq_.rest[at(i)] + factor * eq_.sources[at(i)];
    double extra = i < net_.nodes() ? shunt : 0.0;
    r += extra * x[at(i)];
    if (anchor > 0.0) {
      // Rows of branches are volts: their anchors are resistances, with the other sign for coils.
      const double pull = i < net_.nodes() ? anchor : -anchor * 1e-3;
      r += pull * (x[at(i)] - anchored[at(i)]);
      extra += pull;
    }
    matrix_[at(diagonal_[at(i)])] += extra;
  }
  for (const Conditions::Clamp& c : conditions_.clamps) {
    residual_[at(c.row)] = x[at(c.row)] - c.value;
    matrix_[at(diagonal_[at(c.row)])] = 1.0;
    for (const auto& [node, g] : {std::pair(c.a, c.conductance), std::pair(c.b, -c.conductance)}) {
      if (node == ground) continue;
      residual_[at(c.row)] -= g * x[at(node)];
      matrix_[at(pattern_.find(c.row, node))] -= g;
    }
  }
  for (int h = 0; h < m_; ++h) {
    const Conditions::Hold& hold = conditions_.holds[at(h)];
    double& r = residual_[at(n_ + h)];
    r = -hold.value - hold.resistance * x[at(n_ + h)];
    matrix_[at(diagonal_[at(n_ + h)])] -= hold.resistance;
    for (const auto& [node, sign] : {std::pair(hold.a, 1.0), std::pair(hold.b, -1.0)}) {
      if (node == ground) continue;
      r += sign * x[at(node)];
      matrix_[at(pattern_.find(n_ + h, node))] += sign;
      if (clamped_[at(node)]) continue;
      matrix_[at(pattern_.find(node, n_ + h))] += sign;
      residual_[at(node)] += sign * x[at(n_ + h)];
    }
  }
  return true;
}

double StaticSolver::damped(const std::vector<double>& x, Damping damping) const {
  const auto value = [](const std::vector<double>& v, int node) {
    return node == ground ? 0.0 : v[at(node)];
  };
  double part = 1.0;
  if (damping == Damping::voltages) {
    for (int i = 0; i < net_.nodes(); ++i)
      part = std::min(part, max_voltage_step / std::max(std::fabs(dx_[at(i)]), 1e-300));
    return part;
  }
  for (const Junction& j : net_.junctions) {
    const double before = j.sign * (value(x, j.a) - value(x, j.b));
    const double change = j.sign * (value(dx_, j.a) - value(dx_, j.b));
    const double after = before + change;
    if (after <= j.v_crit || std::fabs(change) <= 2.0 * j.n_vt) continue;
    double limited = j.v_crit;
    if (before > 0.0) {
      const double argument = 1.0 + change / j.n_vt;
      if (argument > 0.0) limited = before + j.n_vt * std::log(argument);
    } else {
      limited = j.n_vt * std::log(after / j.n_vt);
    }
    const double allowed = (limited - before) / change;
    if (allowed > 0.0) part = std::min(part, allowed);
  }
  return part;
}

bool StaticSolver::small(const std::vector<double>& x) const {
  for (int i = 0; i < n_; ++i) {
    const double absolute = i < net_.nodes() ? voltage_correction : current_correction;
    if (std::fabs(dx_[at(i)]) > relative_correction * std::fabs(x[at(i)]) + absolute) return false;
  }
  return true;
}

bool StaticSolver::solve(std::vector<double>& x, int max_iterations, Damping damping) {
  x.resize(at(n_ + m_), 0.0);
  bool settled = false;
  for (int k = 0; k < max_iterations; ++k) {
    if (!system(x)) return false;
    ++iterations;
    if (!solver_->factorise(matrix_)) {
      const int column = solver_->singular_column();
      failure = column >= 0 && column < n_
                    ? fmt::format("the matrix is singular at {}", net_.unknown_names[at(column)])
                    : "the matrix is singular";
      return false;
    }
    dx_ = residual_;
    for (double& d : dx_) d = -d;
    solver_->solve(dx_.data());
    for (const double d : dx_)
      if (!std::isfinite(d)) {
        failure = "the correction is not finite";
        return false;
      }
    const double part = damped(x, damping);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += part * dx_[i];
    // One more correction after the first small one: it squares the error.
    if (part == 1.0 && small(x)) {
      if (settled) return true;
      settled = true;
    } else {
      settled = false;
    }
  }
  if (settled) return true;
  failure = fmt::format("no convergence in {} iterations", max_iterations);
  return false;
}

int StaticSolver::worst_row() const {
  int worst = 0;
  for (int i = 0; i < n_; ++i)
    if (std::fabs(residual_[at(i)]) > std::fabs(residual_[at(worst)])) worst = i;
  return worst;
}

}  // namespace daedalus::circuit
