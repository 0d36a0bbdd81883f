// SPDX-License-Identifier: BSD-3-Clause
// 30: a method of one's own, added from outside the library.
//
// Method   ROS2 (Verwer, Spee, Blom, Hundsdorfer 1999): linearly implicit, two stages, order 2,
//          L-stable for gamma = 1 - 1/sqrt(2), an embedded solution of order 1. On M x' = f(t, x):
//            (M/(gamma h) - J) u1 = f(t, x0) + gamma h f_t
//            (M/(gamma h) - J) u2 = f(t + h, x0 + u1/gamma) - 2/(gamma h) M u1 - gamma h f_t
//            x1 = x0 + (3 u1 + u2)/(2 gamma),   x1 - x1_embedded = (u1 + u2)/(2 gamma)
// Model    y' = -y z, 0 = z - 1 - y^2 exp(-t): index 1.
//
// Builds on 02. New: Stepper, SystemViews, add_method, the contract suite and the order study.
#include <cmath>
#include <iostream>
#include <memory>

#include <daedalus/daedalus.hpp>
#include <daedalus/stepper.hpp>
#include <daedalus/testing/order.hpp>
#include <daedalus/testing/stepper.hpp>

using namespace daedalus;

// [stepper]
class Ros2 final : public Stepper {
 public:
  explicit Ros2(System& system) : views_(views_of(system)), f_(*views_.linear) {
    const int n = views_.layout.tangents();
    u1_.setZero(n);
    u2_.setZero(n);
    error_.setZero(n);
    stage_.setZero(n);
    trial_.x.setZero(n);
    trial_.xd.setZero(n);
  }

  Outcome start(const Start& s) override {
    current_ = s.at;
    fresh_ = s.reason == StartReason::begin || s.reason == StartReason::event;
    return Outcome::ok;
  }

  // Repeatable: nothing that a later attempt sees is changed but the trial.
  Attempt attempt(const StepRequest& r) override {
    Attempt a;
    a.outcome = stages(r);
    if (a.outcome == Outcome::matrix_singular)
      a.culprit = {Culprit::Kind::variable, f_.matrix().singular_column()};
    if (a.outcome != Outcome::ok) return a;
    trial_.t = r.t_new;
    trial_.x = current_.x + (3.0 * u1_ + u2_) / (2.0 * gamma);
    trial_.xd = (trial_.x - current_.x) / r.h;
    error_ = (u1_ + u2_) / (2.0 * gamma);
    estimate_ = {.order = 2, .power = ClassOrders::all(2), .value = {error_.data(), size()}};
    a.estimates = {&estimate_, 1};
    // The first step size after a start is a guess: the second one may be far larger.
    a.advice = Advice{.max_ratio = fresh_ ? 100.0 : 5.0};
    return a;
  }

  State& trial() override { return trial_; }
  Outcome interpolant(Interpolant& out) override {
    out.make_linear(views_.layout, current_, trial_);
    return Outcome::ok;
  }
  int interpolant_degree() const override { return 1; }
  void commit(bool) override {
    current_ = trial_;  // the same sizes: nothing is allocated
    fresh_ = false;
  }
  void archive(Archive& a) override { a(current_.t, current_.x, current_.xd, fresh_); }

 private:
  static constexpr double gamma = 0.29289321881345254;  // 1 - 1/sqrt(2): L-stable

  std::size_t size() const { return static_cast<std::size_t>(error_.size()); }

  Outcome stages(const StepRequest& r) {
    StepMatrix& W = f_.matrix();
    if (const Outcome o = f_.linearise(r.t, current_.x.data()); o != Outcome::ok) return o;
    if (const Outcome o = W.factorise(1.0 / (gamma * r.h), -1.0); o != Outcome::ok) return o;
    if (const Outcome o = f_.rhs(r.t, current_.x.data(), u1_.data()); o != Outcome::ok) return o;
    u1_ += gamma * r.h * f_.time_derivative();
    if (!W.solve(u1_.data())) return Outcome::krylov_failed;
    stage_ = current_.x + u1_ / gamma;
    if (const Outcome o = f_.rhs(r.t_new, stage_.data(), u2_.data()); o != Outcome::ok) return o;
    f_.add_mass_times(-2.0 / (gamma * r.h), u1_.data(), u2_.data());
    u2_ -= gamma * r.h * f_.time_derivative();
    return W.solve(u2_.data()) ? Outcome::ok : Outcome::krylov_failed;
  }

  SystemViews views_;
  LinearView& f_;
  State current_, trial_;
  Eigen::VectorXd u1_, u2_, stage_, error_;
  Estimate estimate_;
  bool fresh_ = true;  // no step since the start
};
// [/stepper]

int main() {
  // [add]
  add_method({.name = "my-ros2",
              .family = "own",
              .view = View::linear,
              .order = 2,
              .error_order = 1,
              .dense_order = 2,
              .orders = ClassOrders::all(2),
              .stability = Stability::l_stable,
              .max_index = 1,
              .reference = "Verwer, Spee, Blom, Hundsdorfer (1999)",
              .make = [](System& system, const MethodSettings&) -> std::unique_ptr<Stepper> {
                return std::make_unique<Ros2>(system);
              }});
  // [/add]

  const SemiExplicitProblem problem{
      .name = "growth",
      .f = autodiff([](auto, const auto& y, const auto& z, auto& f) { f[0] = -y[0] * z[0]; }),
      .g = autodiff([](auto t, const auto& y, const auto& z, auto& g) {
        using std::exp;
        g[0] = z[0] - 1.0 - y[0] * y[0] * exp(-t);
      }),
      .y0 = Eigen::VectorXd::Constant(1, 1.0),
      .z0 = Eigen::VectorXd::Constant(1, 2.0)};

  // [use]
  const Options options{.method = "my-ros2", .rtol = 1e-5, .atol = 1e-8};
  const Solution solution = solve(problem, {0.0, 2.0}, options);
  std::cout << solution.message() << '\n' << solution.statistics() << '\n';
  // [/use]
  if (!solution.ok()) return 1;

  // [checks]
  const Options fixed{.method = "my-ros2", .fixed_step = 0.05};
  bool good = true;
  for (const testing::ContractReport& report :
       {testing::check_interpolant_ends(problem, {0.0, 1.0}, options),
        testing::check_rejections(problem, {0.0, 1.0}, options),
        testing::check_same_bits(problem, {0.0, 1.0}, options),
        testing::check_resume(problem, {0.0, 1.0}, options),
        testing::check_backward(problem, {0.0, 1.0}, fixed, 0.02)}) {
    std::cout << report.text();
    good = good && report.ok();
  }
  const Options accurate{.method = "radau", .rtol = 1e-12, .atol = 1e-13, .output = Output::dense};
  const Solution reference = solve(problem, {0.0, 1.0}, accurate);
  const testing::OrderStudy study = testing::measure_order(
      problem, {0.0, 1.0}, {.method = "my-ros2"}, {0.05, 0.025, 0.0125, 0.00625},
      [&](double t, const Variables&, Out y) {
        y = reference.at(t).y();
        return true;
      });
  for (const auto& [of, order] : study.orders) std::cout << of << ": order " << order << '\n';
  // [/checks]
  for (const auto& [of, order] : study.orders) good = good && order > 1.8 && order < 2.4;
  return good && study.failure.empty() && study.orders.size() >= 3 ? 0 : 1;
}
