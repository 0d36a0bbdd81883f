// SPDX-License-Identifier: BSD-3-Clause
// How well columns are resolved: each is normed by itself, with weights rtol |s| + atol /
// typical(p), and the worst one counts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/at.hpp"
#include "sensitivity/run_columns.hpp"

namespace daedalus {

// The coefficient of the highest power falls like h^m, the error at the end like h^(2m): its
// square, in parts of the column. Errors of variables of higher index fall like h^m themselves, and
// algebraic ones of index 1 follow from the rest: their values at the beginning of the step do not
// count.
double RunColumns::unresolved(const StepPolynomial& part) const {
  constexpr double allowed_of_index_2 = 100.0;  // times the tolerance
  Eigen::MatrixXd top = Eigen::MatrixXd::Zero(s_.rows(), s_.cols()), inner = top, size = top;
  for (std::size_t i = 0; i < part.nodes.size(); ++i) {
    double w = 1.0;  // the last node is the beginning
    for (std::size_t j = 0; j + 1 < part.nodes.size(); ++j)
      if (j != i) w /= part.nodes[i] - part.nodes[j];
    if (i + 1 < part.nodes.size()) {
      inner += w * part.values[i];
      w /= part.nodes[i] - part.nodes.back();
    }
    top += w * part.values[i];
    size = size.cwiseMax(part.values[i].cwiseAbs());
  }
  double worst = 0.0;
  for (int j = 0; j < top.cols(); ++j) {
    double sum = 0.0;
    for (int i = 0; i < rows_; ++i) {
      if (tested_[at(i)] == 0 || size(i, j) == 0.0) continue;
      const double tolerance = options_.rtol * size(i, j) + tolerance_(i, j);
      const double e = tested_[at(i)] > 1 ? std::abs(inner(i, j)) / (allowed_of_index_2 * tolerance)
                                          : top(i, j) * top(i, j) / (size(i, j) * tolerance);
      sum += e * e;
    }
    const double norm = std::sqrt(sum / std::max(rows_, 1));
    if (norm > worst) worst_column_ = j;
    worst = std::max(worst, norm);
  }
  return worst;
}

// A difference formula of this order leaves (s - P)/(t - t_q+1) in the equations, P the polynomial
// through the q + 1 values before, and that over sum_j 1/(t - t_j) in the columns: with equal steps
// h^(q+1) s^(q+1) / ((q + 1) (1 + 1/2 + ... + 1/q)).
double RunColumns::multistep_error(int order) const {
  const int q = order;
  // Nothing is known of an order that needs more values than there are: it is not to be chosen.
  if (static_cast<int>(past_.size()) < q + 1)
    return q > step_order_ ? std::numeric_limits<double>::max() : 0.0;
  const StepPolynomial& part = parts_[0];
  StepPolynomial before{part.t0, part.h, {}, {}};
  double slope = 0.0;
  const double t = part.t0 + part.h;
  for (int j = 0; j <= q; ++j) {
    before.nodes.push_back((past_[at(j)].t - part.t0) / part.h);
    if (j < q) slope += 1.0 / (t - past_[at(j)].t);
  }
  const std::vector<double> w = before.weights(1.0);
  Eigen::MatrixXd error = part.values[0];
  for (int j = 0; j <= q; ++j) error -= w[at(j)] * past_[at(j)].s;
  error /= slope * (t - past_[at(q)].t);
  return weighted(error);
}

double RunColumns::weighted(const Eigen::MatrixXd& error) const {
  const StepPolynomial& part = parts_[0];
  double worst = 0.0;
  for (int j = 0; j < error.cols(); ++j) {
    double sum = 0.0;
    long count = 0;
    for (const LayoutBlock& b : model_.blocks()) {
      if (!b.tested) continue;
      const double weight = b.index > 1 ? std::pow(std::abs(part.h), b.index - 1) : 1.0;
      for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i, ++count) {
        const double size = std::max(std::abs(part.values[0](i, j)), std::abs(s_(i, j)));
        const double scale = options_.rtol * size + tolerance_(i, j);
        const double e = weight * error(i, j) / scale;
        sum += e * e;
      }
    }
    const double norm = std::sqrt(sum / static_cast<double>(std::max(count, 1L)));
    if (norm > worst) worst_column_ = j;
    worst = std::max(worst, norm);
  }
  return worst;
}

double RunColumns::error(int order) const {
  if (lost_) return 0.0;
  return by_formula_ && order != step_order_ ? multistep_error(order) : step_error_;
}

void RunColumns::refused() {
  refusals_.resize(at(asked_.columns()), 0);
  if (by_formula_) step_error_ = multistep_error(step_order_);  // whose worst column it was
  if (worst_column_ >= 0) ++refusals_[at(worst_column_)];
}

std::string RunColumns::limiting() const {
  if (refusals_.empty()) return {};
  const auto most = std::max_element(refusals_.begin(), refusals_.end());
  const std::vector<SensitivityColumn> columns = described(asked_, equations_.differentiable());
  const SensitivityColumn& c = columns[static_cast<std::size_t>(most - refusals_.begin())];
  return fmt::format(
      " The derivative by '{}' limited the steps ({} of them were repeated for it): its absolute "
      "tolerance is that of the states over typical = {:.3g}; a larger tolerance or another "
      "`typical` of the parameter helps.",
      c.name, *most, c.typical);
}

// Once, and only where nothing else watches the columns. Estimates of collocation, which refines
// what it does not resolve, are on the safe side by far.
void RunColumns::tell_error() {
  constexpr double too_large = 100.0;  // tolerances: two digits fewer than asked for
  largest_error_ = std::max(largest_error_, step_error_);
  if (told_error_ || tested() || !by_formula_ || !(step_error_ > too_large)) return;
  told_error_ = true;
  const std::vector<SensitivityColumn> columns = described(asked_, equations_.differentiable());
  warnings_.push_back(fmt::format(
      "Steps chosen for the states do not resolve the derivative by '{}' (error {:.2g} tolerances "
      "at t = {:.6g}): let derivatives take part in the step control "
      "(sensitivities.error_test, --error-test derivatives).",
      columns[at(std::max(worst_column_, 0))].name, step_error_, step_t0_ + step_h_));
}

// Variables that the equations differentiate, and those of higher index.
void RunColumns::choose_tested(const State& s) {
  tested_.assign(at(equations_.size()), 0);
  const bool known = equations_.linearise(s.t, s.x, s.xd) == Outcome::ok;
  const Pencil& pencil = equations_.pencil();
  const SparsePattern& e = pencil.pattern_e();
  for (const LayoutBlock& b : equations_.layout().blocks())
    for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i) {
      bool differentiated = !known;
      for (int k = e.start[at(i)]; k < e.start[at(i) + 1]; ++k)
        differentiated = differentiated || pencil.e()[at(k)] != 0.0;
      tested_[at(i)] = b.index > 1 && b.cls != VariableClass::v ? b.index : differentiated ? 1 : 0;
    }
}

}  // namespace daedalus
