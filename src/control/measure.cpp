#include "control/measure.hpp"

#include <algorithm>
#include <cmath>

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
    : options_(std::move(options)), layout_(layout),
      running_(Eigen::VectorXd::Zero(layout.tangents())),
      before_(Eigen::VectorXd::Zero(layout.tangents())),
      after_(Eigen::VectorXd::Zero(layout.tangents())),
      scale_(Eigen::VectorXd::Ones(layout.tangents())),
      weight_(Eigen::VectorXd::Ones(layout.tangents())) {}

const Eigen::VectorXd& Measure::begin(const State& s, double h) {
  layout_.magnitude(s.x.data(), before_.data());
  running_ = running_.cwiseMax(before_);
  scale_ = options_.atol + options_.rtol * before_;
  weight_ = scale_;
  if (options_.index_weights)
    for (const LayoutBlock& b : layout_.blocks())
      if (b.index > 1)
        weight_.segment(b.tangent, b.space.tangents()) /= std::pow(std::abs(h), b.index - 1);
  return weight_;
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
  return options_.norm == ErrorNorm::rms
             ? std::sqrt(sum / static_cast<double>(std::max(count, 1L)))
             : sum;
}

std::span<const ErrorTest> Measure::measure(std::span<const Estimate> estimates,
                                            const State& trial, double h) {
  layout_.magnitude(trial.x.data(), after_.data());
  int count = 0;
  for (const Estimate& e : estimates) {
    struct Group {
      double value = 0.0, power = 1e9, worst_value = -1.0;
      long members = 0;
      int worst = -1;
    };
    std::array<Group, 2> groups{};
    for (const LayoutBlock& b : layout_.blocks()) {
      if (!b.tested && !e.untested_too) continue;
      Group& g = groups[options_.split && algebraic(b.cls) ? 1 : 0];
      const double index_weight = options_.index_weights && b.index > 1
                                      ? std::pow(std::abs(h), b.index - 1)
                                      : 1.0;
      g.power = std::min(g.power, e.power[b.cls]);
      for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i, ++g.members) {
        double size = after_[i];
        if (options_.scale == ScaleRule::both_ends) size = std::max(size, before_[i]);
        if (options_.scale == ScaleRule::running_maximum) size = std::max(size, running_[i]);
        const double scale = options_.atol[i] + options_.rtol * size;
        double r = std::abs(e.value[static_cast<std::size_t>(i)]) * index_weight / scale;
        if (!(r <= huge)) r = huge;
        if (r > g.worst_value) g.worst_value = r, g.worst = i;
        g.value = options_.norm == ErrorNorm::rms ? g.value + r * r : std::max(g.value, r);
      }
    }
    for (const Group& g : groups) {
      if (g.members == 0 || count == most_tests) continue;
      const double value = options_.norm == ErrorNorm::rms
                               ? std::sqrt(g.value / static_cast<double>(g.members))
                               : g.value;
      tests_[static_cast<std::size_t>(count++)] = {e.order, value, g.power, g.worst};
    }
  }
  return {tests_.data(), static_cast<std::size_t>(count)};
}

}  // namespace daedalus
