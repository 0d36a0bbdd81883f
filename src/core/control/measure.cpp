// SPDX-License-Identifier: BSD-3-Clause
#include "control/measure.hpp"

#include <algorithm>
#include <cmath>

#include "system/communicator.hpp"

namespace daedalus {
namespace {
// Far beyond any test, still finite: keeps an overflowing estimate a number.
constexpr double huge = 1e300;
bool algebraic(VariableClass c) {
  return c == VariableClass::z || c == VariableClass::lambda || c == VariableClass::eta ||
         c == VariableClass::s || c == VariableClass::a;
}
}  // namespace

Measure::Measure(MeasureOptions options, const Layout& layout)
    : options_(std::move(options)),
      layout_(layout),
      weights_(layout),
      running_(Eigen::VectorXd::Zero(layout.tangents())),
      before_(Eigen::VectorXd::Zero(layout.tangents())),
      after_(Eigen::VectorXd::Zero(layout.tangents())),
      scale_(Eigen::VectorXd::Ones(layout.tangents())),
      weight_(Eigen::VectorXd::Ones(layout.tangents())) {
  // A rank may have no variables at all.
  double least = options_.atol.size() > 0 ? -options_.atol.minCoeff() : -huge;
  layout_.communicator().reduce({}, {&least, 1});
  min_atol_ = -least;
}

void Measure::test_only(TestedPart part) {
  if (!part.index.empty()) weights_.set_index(std::move(part.index));
  matrix_ = std::move(part.matrix);
  once_ = std::move(part.once);
  twice_ = std::move(part.twice);
  graded_ = part.graded;
  if (matrix_.size() == 0) return;
  used_.clear();
  for (int i = 0; i < matrix_.rows(); ++i)
    used_.push_back(matrix_.row(i).cwiseAbs().maxCoeff() > 0.0);
  for (Eigen::VectorXd* v : {&tested_, &tested_before_, &tested_after_, &parts_})
    v->setZero(layout_.tangents());
}

void Measure::archive(Archive& a) {
  // What is tested belongs to the structure where the method began, which may lie inside the run.
  std::vector<int> index = weights_.index();
  a(options_.index_weights, index, matrix_, used_, once_, twice_, graded_);
  a.require(matrix_.size() == 0 || (matrix_.cols() == layout_.points() &&
                                    matrix_.rows() == static_cast<long>(used_.size())),
            "a matrix has another size");
  for (const Eigen::MatrixXd* part : {&once_, &twice_})
    a.require(
        part->size() == 0 || (part->rows() == matrix_.rows() && part->cols() == matrix_.cols()),
        "a matrix has another size");
  if (!a.saving()) weights_.set_index(std::move(index));
  a(running_, before_, scale_, weight_, tested_, tested_before_, tested_after_);
}

const Eigen::VectorXd& Measure::begin(const State& s, double h) {
  layout_.magnitude(s.x.data(), before_.data());
  running_ = running_.cwiseMax(before_);
  scale_ = options_.atol + options_.rtol * before_;
  weight_ = scale_;
  if (matrix_.size() > 0) tested_before_.noalias() = matrix_ * s.x;
  if (options_.index_weights) weights_.apply(h, before_, weight_);
  return weight_;
}

// What the tolerance of a coordinate is relative to.
double Measure::size_of(int i, bool projected) const {
  const double now = projected ? std::abs(tested_after_[i]) : after_[i];
  switch (options_.scale) {
    case ScaleRule::both_ends:
      return std::max(now, projected ? std::abs(tested_before_[i]) : before_[i]);
    case ScaleRule::running_maximum:
    case ScaleRule::larger_part:
      return std::max(now, running_[i]);
    case ScaleRule::new_end:
      break;
  }
  return now;
}

void Measure::weigh(Eigen::VectorXd& error, double h) {
  const double size = std::min(1.0, std::abs(h));
  if (once_.size() == 0) {
    for (const LayoutBlock& b : layout_.blocks())
      if (b.index > 1) error.segment(b.tangent, b.space.tangents()) *= std::pow(size, b.index - 1);
    return;
  }
  parts_.noalias() = (size - 1.0) * (once_ * error);
  if (twice_.size() > 0) parts_.noalias() += (size * size - 1.0) * (twice_ * error);
  error += parts_;
}

double Measure::norm(const double* tangent) const {
  double sum = 0.0;
  long count = 0;
  for (const LayoutBlock& b : layout_.blocks()) {
    if (!b.tested) continue;
    for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i, ++count) {
      const double r = tangent[i] / scale_[i];
      sum = options_.norm == ErrorNorm::rms ? sum + r * r : std::max(sum, std::abs(r));
    }
  }
  double sums[] = {options_.norm == ErrorNorm::rms ? sum : 0.0, static_cast<double>(count)};
  layout_.communicator().reduce(sums, {&sum, 1});
  return options_.norm == ErrorNorm::rms ? std::sqrt(sums[0] / std::max(sums[1], 1.0)) : sum;
}

double Measure::scale_of(int i, bool projected) const {
  const double size = size_of(i, projected);
  return options_.scale == ScaleRule::larger_part ? std::max(options_.atol[i], options_.rtol * size)
                                                  : options_.atol[i] + options_.rtol * size;
}

// Error over scale; `stretch` of an estimate that is tested against a power of the tolerance.
double Measure::ratio_of(const Estimate& e, int i, bool projected, double h, double stretch,
                         bool first_order) const {
  const auto k = static_cast<std::size_t>(i);
  const double scale = scale_of(i, projected && !graded_);
  const double weight = options_.index_weights && weights_.index()[k] > 1 && matrix_.size() == 0
                            ? std::pow(std::abs(h), weights_.index()[k] - 1)
                            : 1.0;
  double r = std::abs(projected ? tested_[i] : e.value[k]) * weight / scale;
  if (weight != 1.0 && !e.carried.empty()) r += std::abs(e.carried[k]) / scale;
  if (projected && graded_) return r <= huge ? r : huge;  // stretched where it has to be
  // Of variables of higher index the estimate has the order of the solution itself. What of
  // mechanical ones is carried on is among the carried errors.
  if (weights_.index()[k] == 1 || !first_order) r *= stretch;
  return r <= huge ? r : huge;
}

void Measure::project(const Estimate& e, double h, double stretch) {
  const In error(e.value.data(), static_cast<int>(e.value.size()));
  tested_.noalias() = matrix_ * error;
  if (!graded_) return;
  // As for variables of higher index: their estimates have the order of the solution itself.
  tested_ *= stretch;
  tested_.noalias() += std::abs(h) * (once_ * error);
  if (twice_.size() > 0) tested_.noalias() += (h * h) * (twice_ * error);
}

void Measure::collect(const Estimate& e, double h, std::array<Group, 2>& groups) {
  const bool projected = matrix_.size() > 0 && !e.untested_too;
  const double tolerance = options_.rtol > 0.0 ? options_.rtol : min_atol_;
  const double stretch =
      e.tolerance_power == 1.0 ? 1.0 : 10.0 * std::pow(tolerance, 1.0 - e.tolerance_power);
  if (projected) project(e, h, stretch);
  for (const LayoutBlock& b : layout_.blocks()) {
    if (!b.tested && !e.untested_too) continue;
    Group& g = groups[options_.split && algebraic(b.cls) ? 1 : 0];
    g.power = std::min(g.power, e.power[b.cls]);
    const bool first_order = b.cls == VariableClass::y || b.cls == VariableClass::z;
    for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i) {
      if (projected && !used_[static_cast<std::size_t>(i)]) continue;
      ++g.members;
      const double r = ratio_of(e, i, projected, h, stretch, first_order);
      if (r > g.worst_value) g.worst_value = r, g.worst = i;
      g.value = options_.norm == ErrorNorm::rms ? g.value + r * r : std::max(g.value, r);
    }
  }
}

double Measure::value_of(Estimate estimate, std::span<const double> size, double h) {
  estimate.value = size;
  estimate.carried = {};
  std::array<Group, 2> groups{};
  collect(estimate, h, groups);
  reduce(groups);
  double largest = 0.0;
  for (const Group& g : groups)
    if (g.members > 0) largest = std::max(largest, value_of(g));
  return largest;
}

double Measure::value_of(const Group& g) const {
  return options_.norm == ErrorNorm::rms ? std::sqrt(g.value / static_cast<double>(g.members))
                                         : g.value;
}

// All groups of an attempt in one call.
void Measure::reduce(std::span<Group> groups) {
  Communicator& ranks = layout_.communicator();
  if (!ranks.shared()) return;
  std::array<double, 2 * max_tests> sums{};
  std::array<double, 3 * max_tests> maxima{};
  double worst = -1.0;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Group& g = groups[k];
    if (options_.norm == ErrorNorm::rms) sums[2 * k] = g.value;
    sums[2 * k + 1] = static_cast<double>(g.members);
    maxima[3 * k] = g.value;
    maxima[3 * k + 1] = -g.power;
    maxima[3 * k + 2] = g.worst_value;
    worst = std::max(worst, g.worst_value);
  }
  ranks.reduce({sums.data(), 2 * groups.size()}, {maxima.data(), 3 * groups.size()}, &worst);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    Group& g = groups[k];
    g.value = options_.norm == ErrorNorm::rms ? sums[2 * k] : maxima[3 * k];
    g.members = static_cast<long>(sums[2 * k + 1]);
    g.power = -maxima[3 * k + 1];
    if (g.worst_value < maxima[3 * k + 2]) g.worst = -1;
  }
}

std::span<const ErrorTest> Measure::measure(std::span<const Estimate> estimates, const State& trial,
                                            double h) {
  layout_.magnitude(trial.x.data(), after_.data());
  if (matrix_.size() > 0) tested_after_.noalias() = matrix_ * trial.x;
  std::array<Group, max_tests> groups{};
  const std::size_t used = std::min<std::size_t>(estimates.size(), max_tests / 2);
  for (std::size_t k = 0; k < used; ++k) {
    std::array<Group, 2> pair{};
    collect(estimates[k], h, pair);
    std::copy(pair.begin(), pair.end(), groups.begin() + static_cast<std::ptrdiff_t>(2 * k));
  }
  reduce({groups.data(), 2 * used});
  std::size_t count = 0;
  for (std::size_t k = 0; k < 2 * used; ++k)
    if (const Group& g = groups[k]; g.members > 0)
      tests_[count++] = {estimates[k / 2].order, value_of(g), g.power, g.worst};
  return {tests_.data(), count};
}

}  // namespace daedalus
