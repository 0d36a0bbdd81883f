// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/residual_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nonlinear/row_sums.hpp"

namespace daedalus {
namespace {
// A row that keeps so much of itself has seen no correction; those of an iteration that converges
// fall faster.
constexpr double min_kept = 0.5;
// Rounding errors of the terms of a row, added up.
constexpr double noise_of_rows = 64.0 * std::numeric_limits<double>::epsilon();
// Share of its usual size that a row stays below, in so many steps, where the matrix changed: a row
// that changes its sign is small in one step. The error of a prediction that nothing corrects is
// then that of one step times 7.
constexpr double max_fallen = 0.05;
constexpr double min_steps_fallen = 2.0;
// Of a usual row, in tolerances of the variables: less does no harm before it is seen.
constexpr double min_usual = 1e-4;
// Times as much in an algebraic row that no step has solved: 1e5 tolerances, which no error that
// methods leave there comes near.
constexpr double blown_up_from = 3e4;
// What is usual fades by this in a step, and grows with h^(k+1), k about 5.
constexpr double fading = 0.5;
constexpr int power_of_step = 6;
}  // namespace

ResidualRows::ResidualRows(int rows, double tolerances, AlgebraicRows algebraic)
    : tolerances_(tolerances), algebraic_(algebraic) {
  for (Eigen::VectorXd* v : {&first_, &before_, &now_, &unit_, &whole_, &noise_, &usual_, &fallen_})
    v->setZero(rows);
  // Of large systems memory that nobody writes to costs nothing.
  for (Eigen::VectorXd* v : {&part_, &second_}) v->resize(rows);
}

void ResidualRows::take(const double* residual, bool first) {
  count_ = first ? 1 : count_ + 1;
  units_ = units_ && !first;
  before_.swap(now_);
  now_ = Eigen::Map<const Eigen::VectorXd>(residual, now_.size());
  if (first) first_ = now_.cwiseAbs();
}

// Most steps end here: the terms of J, of full matrices many, are for rows that are large.
bool ResidualRows::exceeds_units(const Scale& s) {
  if (!units_) {
    units_ = true;
    complete_ = false;
    unit_.setZero();
    noise_.setZero();
    add_row_sums(s.pencil.pattern_e(), s.pencil.e(), std::abs(s.alpha), s.weight, unit_,
                 s.magnitude, noise_);
  }
  // Units of rows without derivatives are among the terms of J.
  const bool open = !complete_ && algebraic_ != AlgebraicRows::left_out;
  for (Eigen::Index i = 0; i < now_.size(); ++i)
    if ((unit_[i] > 0.0 || open) && std::abs(now_[i]) > tolerances_ * unit_[i]) return true;
  return false;
}

void ResidualRows::set_units(const Scale& s) {
  exceeds_units(s);
  if (complete_) return;
  complete_ = true;
  whole_.setZero();
  add_row_sums(s.pencil.pattern_j(), s.pencil.j(), 1.0, s.weight, whole_, s.magnitude, noise_);
  whole_ += unit_;
  if (algebraic_ != AlgebraicRows::left_out && (unit_.array() == 0.0).any())
    set_units_of_algebraic_rows(s);
}

void ResidualRows::set_units_of_algebraic_rows(const Scale& s) {
  const SparsePattern& e = s.pencil.pattern_e();
  const std::span<const double> values = s.pencil.e();
  // Full matrices have zeros in the columns of algebraic variables.
  part_ = s.weight;
  for (int c = 0; c < e.cols; ++c)
    for (int k = e.start[at(c)]; k < e.start[at(c) + 1]; ++k)
      if (values[at(k)] != 0.0) part_[c] = 0.0;
  second_.setZero();
  const double factor = algebraic_ == AlgebraicRows::blown_up ? blown_up_from : 1.0;
  add_row_sums(s.pencil.pattern_j(), s.pencil.j(), factor, part_, second_);
  unit_ = (unit_.array() == 0.0).select(second_, unit_);
}

bool ResidualRows::fallen(const Scale& s) {
  if (!(fallen_.array() + 1.0 >= min_steps_fallen).any()) return false;
  // Shorter steps have smaller residuals.
  const double shorter = alpha_ != 0.0 ? std::min(1.0, std::abs(alpha_ / s.alpha)) : 1.0;
  const double share = max_fallen * std::pow(shorter, power_of_step);
  for (Eigen::Index i = 0; i < first_.size(); ++i) {
    if (!(first_[i] < share * usual_[i]) || fallen_[i] + 1.0 < min_steps_fallen) continue;
    set_units(s);
    if (unit_[i] > 0.0 && usual_[i] > noise_of_rows * noise_[i] &&
        usual_[i] > min_usual * whole_[i])
      return true;
  }
  return false;
}

bool ResidualRows::matters(Eigen::Index i) const {
  return unit_[i] > 0.0 &&
         std::abs(now_[i]) > std::max(tolerances_ * unit_[i], noise_of_rows * noise_[i]);
}

bool ResidualRows::kept(Eigen::Index i) const {
  return now_[i] * before_[i] > 0.0 && std::abs(now_[i]) >= min_kept * std::abs(before_[i]);
}

bool ResidualRows::matter(const Scale& s) {
  if (!exceeds_units(s)) return false;
  set_units(s);
  for (Eigen::Index i = 0; i < now_.size(); ++i)
    if (matters(i)) return true;
  return false;
}

bool ResidualRows::kept(const Scale& s) {
  set_units(s);
  for (Eigen::Index i = 0; i < now_.size(); ++i)
    if (matters(i) && kept(i)) return true;
  return false;
}

bool ResidualRows::not_smaller(const Scale& s) {
  set_units(s);
  for (Eigen::Index i = 0; i < now_.size(); ++i)
    if (matters(i) && std::abs(now_[i]) >= min_kept * std::abs(before_[i])) return true;
  return false;
}

double ResidualRows::largest(const Scale& s) {
  set_units(s);
  double size = 0.0;
  for (Eigen::Index i = 0; i < now_.size(); ++i)
    if (matters(i)) size = std::max(size, std::abs(now_[i]) / unit_[i]);
  return size;
}

void ResidualRows::forget() {
  usual_.setZero();
  fallen_.setZero();
}

void ResidualRows::remember(double alpha) {
  for (Eigen::Index i = 0; i < first_.size(); ++i) {
    fallen_[i] = first_[i] < max_fallen * usual_[i] ? fallen_[i] + 1.0 : 0.0;
    usual_[i] = std::max(first_[i], fading * usual_[i]);
  }
  alpha_ = alpha;
}

}  // namespace daedalus
