// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/between_steps.hpp"

#include <cmath>

namespace daedalus {
namespace {

// Steps that grew by more than this are new to the test.
constexpr double longer = 1.1;

// Inner points are spread over the middle of the step by the golden ratio.
double inner_point(long number) {
  constexpr double golden = 0.6180339887498949, from = 0.2, to = 0.8;
  const double x = 0.5 + golden * static_cast<double>(number % 1000);
  return from + (to - from) * (x - std::floor(x));
}

}  // namespace

BetweenSteps::BetweenSteps(System& system, const Method& method) : system_(system) {
  const View seen = method.view_of(system.mechanical_view() != nullptr);
  if (seen == View::residual && system.residual_view()) {
    view_ = Kind::residual;
    by_differences_ = system.residual_view()->states_leading_term() || !system.layout.euclidean();
  } else if (seen == View::linear && system.linear_view() && system.layout.euclidean()) {
    view_ = Kind::linear;
  } else if (seen == View::partitioned && system.partitioned_view() && !method.hessenberg_only) {
    view_ = Kind::partitioned;  // of Hessenberg systems of index 2 there is no matrix g_z
  }
  if (view_ == Kind::none) return;
  always_ = method.blind_to_quadrature;
  // A step of a multistep method costs little more than a test, and its estimate compares all
  // variables with what earlier steps predict.
  if (method.max_order > 0 && method.stability == Stability::none) max_rest_ = 4;
  const int n = system.layout.tangents();
  for (State* s : {&here_, &before_, &after_}) s->x.setZero(system.layout.points());
  w_.setZero(n);
  error_.setZero(n);
  slope_.setZero(view_ == Kind::residual ? system.residual_view()->differentiated_count() : n);
}

void BetweenSteps::slope(const Interpolant& p, double theta) {
  slope_ = p.degree * p.c.col(p.degree);
  for (int j = p.degree - 1; j >= 1; --j) slope_ = slope_ * theta + j * p.c.col(j);
  slope_ /= p.h;
}

// d/dt of the leading term, or of a point on a group, along the interpolant.
Outcome BetweenSteps::rates(const Interpolant& p, double theta) {
  if (!by_differences_) {
    slope(p, theta);
    return Outcome::ok;
  }
  // Truncation of second order and round-off over the distance are both far below a tolerance.
  constexpr double apart = 1e-4;
  before_.t = p.t0 + (theta - apart) * p.h;
  after_.t = p.t0 + (theta + apart) * p.h;
  p.evaluate(system_.layout, before_.t, w_, before_.x.data());
  p.evaluate(system_.layout, after_.t, w_, after_.x.data());
  return system_.residual_view()->difference(before_, after_.t, after_.x.data(),
                                             after_.t - before_.t, slope_.data());
}

Outcome BetweenSteps::defect(const Interpolant& p, double theta, Pencil*& pencil) {
  const double t = here_.t;
  if (view_ == Kind::residual) {
    ResidualView& view = *system_.residual_view();
    pencil = &view.residual_pencil();
    if (const Outcome o = rates(p, theta); o != Outcome::ok) return o;
    return view.residual(t, here_.x.data(), slope_.data(), error_.data());
  }
  slope(p, theta);
  if (view_ == Kind::linear) {
    LinearView& view = *system_.linear_view();
    pencil = &view.linear_pencil();
    if (const Outcome o = view.rhs(t, here_.x.data(), error_.data()); o != Outcome::ok) return o;
    error_ = -error_;
    view.add_mass_times(1.0, slope_.data(), error_.data());
    return Outcome::ok;
  }
  PartitionedView& view = *system_.partitioned_view();
  pencil = &view.constraint_pencil();
  return view.evaluate(t, here_.x.data(), error_.data());
}

bool BetweenSteps::due(double h) const { return rest_ == 0 || std::abs(h) > longer * verified_; }

void BetweenSteps::passed(double h, double share) {
  // Values near the bound may leave it in the next step.
  constexpr double close = 0.3;
  verified_ = std::abs(h);
  rest_ = share < close ? max_rest_ : 0;
}

BetweenSteps::Finding BetweenSteps::test(const Interpolant& p, const Eigen::VectorXd& scale,
                                         long number) {
  // Errors of interpolants have zeros inside the step, and one point may be one of them: a step
  // longer than the last good one is looked at twice.
  constexpr double apart = 0.35;
  if (view_ == Kind::none || p.h == 0.0 || p.degree < 1) return {};
  const PhaseScope phase(system_.counter, Phase::output);
  const double theta = inner_point(number);
  Finding found = test_at(p, scale, theta);
  if (std::abs(p.h) > longer * verified_) {
    const Finding second = test_at(p, scale, theta < 0.5 ? theta + apart : theta - apart);
    if (second.value > found.value) found = second;
  }
  return found;
}

BetweenSteps::Finding BetweenSteps::test_at(const Interpolant& p, const Eigen::VectorXd& scale,
                                            double theta) {
  // Share of the step over which a defect of y' = f adds up where no matrix tells it: 1/alpha of
  // the implicit methods is a quarter of the step.
  constexpr double share = 0.25;
  Finding found;
  here_.t = found.t = p.t0 + theta * p.h;
  p.evaluate(system_.layout, here_.t, w_, here_.x.data());
  Pencil* pencil = nullptr;
  // What callables reject here, the next step will show.
  if (defect(p, theta, pencil) != Outcome::ok || !pencil || !pencil->factorised() ||
      pencil->matrix_free())
    return found;
  if (view_ == Kind::partitioned) {
    const int ny = system_.partitioned_view()->differential_count();
    error_.head(ny) = share * p.h * (slope_.head(ny) - error_.head(ny));
    if (!pencil->solve(error_.data() + ny)) return found;
  } else if (!pencil->solve(error_.data())) {
    return found;
  }
  const int model = system_.variables->size();
  for (const LayoutBlock& b : system_.layout.blocks()) {
    if (!b.tested || b.point >= model) continue;
    const double weight = std::pow(std::min(1.0, std::abs(p.h)), b.index - 1);
    for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i) {
      const double value = std::abs(error_[i]) * weight / scale[i];
      if (value > found.value) found.value = value, found.worst = i;
    }
  }
  if (!std::isfinite(found.value)) return {};
  return found;
}

}  // namespace daedalus
