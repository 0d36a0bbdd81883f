// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/between_steps.hpp"

#include <algorithm>
#include <cmath>

#include "system/communicator.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus {
namespace {

// Inner points are spread over the middle of the step by the golden ratio.
double inner_point(long number) {
  // Golden section; near the ends of a step interpolants are exact.
  constexpr double golden = 0.6180339887498949, from = 0.2, to = 0.8;
  const double x = 0.5 + golden * static_cast<double>(number % 1000);
  return from + (to - from) * (x - std::floor(x));
}

// Steps to leave out at most, so that tests cost a tenth of them. A step of an explicit one-step
// method evaluates six times as much as a test.
int longest_rest(bool multistep, bool predicted, bool hidden) {
  if (predicted) return 8;
  if (hidden) return multistep ? 5 : 3;
  return multistep ? 3 : 1;
}

}  // namespace

BetweenSteps::BetweenSteps(System& system, const Method& method, const Stepper& stepper,
                           Measure& measure, bool all_tested)
    : system_(system), measure_(measure) {
  // Its decisions are those of one process: over ranks values inside are taken as they are.
  if (system.layout.communicator().shared()) return;
  const int n = system.layout.tangents();
  slope_.setZero(n);
  const View seen = method.view_of(system.mechanical_view() != nullptr);
  if (seen == View::residual && system.residual_view()) {
    view_ = Kind::residual;
    by_differences_ = system.residual_view()->states_leading_term() || !system.layout.euclidean();
  } else if (seen == View::linear && system.linear_view() && system.layout.euclidean()) {
    view_ = Kind::linear;
  } else if (seen == View::partitioned && system.partitioned_view() && !method.hessenberg_only) {
    view_ = Kind::partitioned;  // of Hessenberg systems of index 2 there is no matrix g_z
  } else if (seen == View::mechanical || seen == View::partitioned) {
    find_hidden(method);
  }
  if (view_ == Kind::none) return;
  always_ = method.blind_to_quadrature || (view_ == Kind::partitioned && !method.stiffly_accurate);
  // A step of a multistep method costs little more than a test, and its estimate compares variables
  // with what earlier steps predict: most of them all.
  const bool multistep = method.max_order > 0 && method.stability == Stability::none;
  predicted_ = multistep && all_tested && stepper.estimates_all() && !hidden_;
  max_rest_ = longest_rest(multistep, predicted_, hidden_ != nullptr);
  for (State* s : {&here_, &before_, &after_}) s->x.setZero(system.layout.points());
  last_.reserve(system.layout, stepper.interpolant_degree());
  w_.setZero(n);
  error_.setZero(n);
  if (view_ == Kind::residual) slope_.setZero(system.residual_view()->differentiated_count());
}

void BetweenSteps::find_hidden(const Method& method) {
  const Layout& layout = system_.layout;
  const bool mechanical = system_.mechanical_view() != nullptr;
  if (mechanical ? !layout.find(VariableClass::lambda) || method.fixed_step_only
                 : !system_.partitioned_view())
    return;
  hidden_ = HalfExplicit::make(system_);
  if (!hidden_->has_hidden_constraint() || hidden_->differential() == layout.tangents())
    hidden_.reset();
  else
    view_ = Kind::hidden;
  // Multistep methods and those for index 1 take z from the hidden constraint themselves.
  tests_ends_ =
      view_ == Kind::hidden && method.max_order == 0 && method.view_elsewhere == View::partitioned;
  // A polynomial of the order of z in the methods that are looked at.
  constexpr int points = 5;
  if (!tests_ends_) return;
  ends_.setZero(layout.tangents() - hidden_->differential(), points);
  end_times_.setZero(points);
}

Outcome BetweenSteps::distance_to_hidden() {
  before_.x = here_.x;
  double* const x = here_.x.data();
  if (const LayoutBlock* s = system_.layout.find(VariableClass::s))
    if (const Outcome o = system_.mechanical_view()->solve_contact(here_.t, x, x + s->point);
        o != Outcome::ok)
      return o;
  if (const Outcome o = hidden_->rates(here_.t, x, nullptr, true, slope_.data()); o != Outcome::ok)
    return o;
  system_.layout.minus(x, before_.x.data(), error_.data());
  error_.head(hidden_->differential()).setZero();
  return Outcome::ok;
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
  // Without algebraic variables there is no matrix g_z.
  const bool algebraic = view.differential_count() < system_.layout.tangents();
  pencil = algebraic ? &view.constraint_pencil() : nullptr;
  return view.evaluate(t, here_.x.data(), error_.data());
}

// How far the end of the step is from where the one before was heading: free of evaluations.
double BetweenSteps::surprise(const Interpolant& p, const Eigen::VectorXd& scale) {
  const double t = p.t0 + p.h;
  p.evaluate(system_.layout, t, w_, after_.x.data());
  last_.evaluate(system_.layout, t, w_, before_.x.data());
  system_.layout.minus(before_.x.data(), after_.x.data(), error_.data());
  int worst = -1;
  return largest(scale, p.h, worst);
}

bool BetweenSteps::grown(double h) const {
  // Steps vary by some percent without a reason in the solution.
  constexpr double longer = 1.1;
  return !predicted_ && std::abs(h) > longer * verified_;
}

bool BetweenSteps::due(const Interpolant& p, const Eigen::VectorXd& scale) {
  constexpr double too_much = 10.0;  // times that of the last test: a jump, or a signal begins
  surprise_ = last_.h == 0.0 ? 0.0 : surprise(p, scale);
  if (last_.h == 0.0) return true;
  // A polynomial of lower degree is another one, also over a step of the same length.
  const bool lower = !predicted_ && p.degree < last_.degree;
  return rest_ == 0 || grown(p.h) || lower || surprise_ > too_much * usual_;
}

void BetweenSteps::committed(const Interpolant& p) {
  if (view_ == Kind::none) return;
  last_.t0 = p.t0;
  last_.h = p.h;
  last_.degree = p.degree;
  last_.base = p.base;
  last_.c.leftCols(p.degree + 1) = p.c.leftCols(p.degree + 1);
}

void BetweenSteps::archive(Archive& a) {
  if (a.saving()) last_.clear_unused();
  a(verified_, rest_, usual_, end_rest_, end_pause_, ends_, end_times_, usual_at_end_, last_.t0,
    last_.h, last_.degree, last_.base, last_.c);
  a.within(ends_known_, 0, static_cast<int>(ends_.cols()));
  a.require(last_.degree >= 0 && last_.degree <= std::max<long>(last_.c.cols() - 1, 0),
            "an interpolant has another size");
}

void BetweenSteps::passed(double h, double share) {
  // Values near the bound may leave it in the next step.
  constexpr double close = 0.3;
  verified_ = std::abs(h);
  usual_ = surprise_;
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
  if (grown(p.h)) {
    const Finding second = test_at(p, scale, theta < 0.5 ? theta + apart : theta - apart);
    if (second.value > found.value) found = second;
  }
  return found;
}

// How far z and lambda are from the polynomial through their values at the ends before: free of
// evaluations.
double BetweenSteps::surprise_at_end(const State& end, const Eigen::VectorXd& scale, double h) {
  const int points = static_cast<int>(ends_.cols());
  if (ends_known_ < points) return 0.0;
  error_.setZero();
  auto apart = error_.tail(ends_.rows());
  apart = end.x.tail(ends_.rows());
  for (int j = 0; j < points; ++j) {
    double weight = 1.0;
    for (int k = 0; k < points; ++k)
      if (k != j) weight *= (end.t - end_times_[k]) / (end_times_[j] - end_times_[k]);
    apart -= weight * ends_.col(j);
  }
  int worst = -1;
  return largest(scale, h, worst);
}

bool BetweenSteps::end_is_due(const State& end, const Eigen::VectorXd& scale, double h) {
  // Times that of the step before, which steps of other lengths vary; errors of fewer tolerances
  // pass the test anyhow.
  constexpr double sudden = 4.0, harmless = 10.0;
  if (!tests_ends_) return false;
  surprise_at_end_ = surprise_at_end(end, scale, h);
  return end_rest_-- <= 0 || surprise_at_end_ > std::max(harmless, sudden * usual_at_end_);
}

void BetweenSteps::committed_end(const State& end) {
  if (!tests_ends_) return;
  for (int k = static_cast<int>(ends_.cols()) - 1; k > 0; --k) {
    ends_.col(k) = ends_.col(k - 1);
    end_times_[k] = end_times_[k - 1];
  }
  ends_.col(0) = end.x.tail(ends_.rows());
  end_times_[0] = end.t;
  ends_known_ = std::min(ends_known_ + 1, static_cast<int>(ends_.cols()));
  usual_at_end_ = surprise_at_end_;
}

BetweenSteps::Finding BetweenSteps::test_end(const State& end, const Eigen::VectorXd& scale,
                                             double h) {
  // A test costs a sixth of a step: at every one of the first steps, which may be all there are,
  // then at every fourth, and where it is far below the bound at every 64th.
  constexpr int first_steps = 24, least = 4, doublings = 4;
  constexpr double little = 0.1, much = 1.0;
  const PhaseScope phase(system_.counter, Phase::output);
  Finding found;
  here_.t = found.t = end.t;
  here_.x = end.x;
  if (distance_to_hidden() == Outcome::ok) found.value = largest(scale, h, found.worst);
  const int k = end_pause_ - first_steps;  // tests left to do, or doublings of the pause
  if (k < 0)
    ++end_pause_;
  else
    end_pause_ = first_steps + (found.value < little ? std::min(k + 1, doublings) : 0);
  const bool soon = k < 0 || found.value > much;  // the next one, or the same step again
  end_rest_ = soon ? 0 : least << (end_pause_ - first_steps);
  return std::isfinite(found.value) ? found : Finding{};
}

BetweenSteps::Finding BetweenSteps::look(const Interpolant& p, const Eigen::VectorXd& scale,
                                         double t) {
  if (view_ == Kind::none || p.h == 0.0 || p.degree < 1) return {};
  const PhaseScope phase(system_.counter, Phase::output);
  return test_at(p, scale, (t - p.t0) / p.h);
}

BetweenSteps::Finding BetweenSteps::test_at(const Interpolant& p, const Eigen::VectorXd& scale,
                                            double theta) {
  // Share of the step over which a defect of y' = f adds up where no matrix tells it: 1/alpha of
  // the implicit methods is a quarter of the step.
  constexpr double share = 0.25;
  Finding found;
  here_.t = found.t = p.t0 + theta * p.h;
  p.evaluate(system_.layout, here_.t, w_, here_.x.data());
  if (view_ == Kind::hidden) {
    if (distance_to_hidden() == Outcome::ok) found.value = largest(scale, p.h, found.worst);
    return std::isfinite(found.value) ? found : Finding{};
  }
  Pencil* pencil = nullptr;
  // What callables reject here, the next step will show.
  if (defect(p, theta, pencil) != Outcome::ok) return found;
  const int ny = view_ == Kind::partitioned ? system_.partitioned_view()->differential_count() : 0;
  const bool solves = view_ != Kind::partitioned || ny < system_.layout.tangents();
  if (solves && (!pencil || !pencil->factorised() || pencil->matrix_free())) return found;
  if (view_ == Kind::partitioned) {
    error_.head(ny) = share * p.h * (slope_.head(ny) - error_.head(ny));
    if (solves && !pencil->solve(error_.data() + ny)) return found;
  } else if (!pencil->solve(error_.data())) {
    return found;
  }
  found.value = largest(scale, p.h, found.worst);
  if (!std::isfinite(found.value)) return {};
  return found;
}

double BetweenSteps::value_of(const Eigen::MatrixXd& errors, const Eigen::VectorXd& scale,
                              double h) {
  double value = 0.0;
  int worst = -1;
  for (Eigen::Index k = 0; k < errors.cols(); ++k) {
    error_ = errors.col(k);
    value = std::max(value, largest(scale, h, worst));
  }
  return value;
}

double BetweenSteps::largest(const Eigen::VectorXd& scale, double h, int& worst) {
  double value = 0.0;
  measure_.weigh(error_, h);
  const int model = system_.variables->size();
  for (const LayoutBlock& b : system_.layout.blocks()) {
    // Half-explicit methods leave z out of the error test, which is why it is looked at here.
    const bool looked_at = b.tested || (hidden_ && b.tangent >= hidden_->differential());
    if (!looked_at || b.point >= model) continue;
    for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i) {
      const double here = std::abs(error_[i]) / scale[i];
      if (!(here <= value)) value = here, worst = i;
    }
  }
  return value;
}

}  // namespace daedalus
