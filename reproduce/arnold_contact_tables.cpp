// SPDX-License-Identifier: BSD-3-Clause
// Claim 18: spline tables instead of the smooth maximum in every call, and what runs cost (Example
// 35, Tables 4.2 and 4.3).
#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include <daedalus/autodiff.hpp>

#include "reproduce/arnold_contact_wheel.hpp"

namespace daedalus::experiments::wheel_rail {
namespace {

// Processor seconds of one call, the least of several batches.
template <class Call>
double seconds_of(Call&& call) {
  double least = 1e9;
  for (int batch = 0; batch < 20; ++batch) {
    const std::clock_t from = std::clock();
    for (int i = 0; i < 200; ++i) call(i % 50);
    least = std::min(least, static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC / 200.0);
  }
  return least;
}

// A run of Pascal's benchmark whose evaluations of the forces are counted: over numbers, and over
// dual numbers with four directions. Each calls the creep law for both wheels.
struct CountedRun {
  Run run;
  long values, directions;
  double seconds;  // of the processor, the less of two runs
};
CountedRun counted_run(double contact) {
  struct Calls {
    long values = 0, directions = 0;
  };
  const auto calls = std::make_shared<Calls>();
  Problem problem = catalogue_problem("pascal", {{"contact", contact}});
  auto& m = std::get<MultibodyProblem>(problem);
  m.force = autodiff([inner = m.force, calls](const auto& x, auto& f) {
    using S = std::decay_t<decltype(x.t)>;
    if constexpr (std::is_same_v<S, double>)
      ++calls->values;
    else if constexpr (std::is_same_v<S, Dual4>)
      ++calls->directions;
    Arguments<S> a;
    a.t = x.t;
    a.x = {x.q.data(), x.v.data(), x.lambda.data(), nullptr, nullptr};
    a.n = {static_cast<int>(x.q.size()), static_cast<int>(x.v.size()),
           static_cast<int>(x.lambda.size()), 0, 0};
    return inner(a, f.data(), static_cast<int>(f.size()));
  });
  double seconds = 1e9;
  for (int attempt = 0;; ++attempt) {
    *calls = {};
    const std::clock_t from = std::clock();
    Solution s = solved(problem, {}, 3.0, 1e-7, 0.0, "ggl");
    seconds = std::min(seconds, static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC);
    if (attempt == 1) return {Run{std::move(s)}, calls->values, calls->directions, seconds};
  }
}

}  // namespace

std::vector<Claim> table_claims(Context& context) {
  if (context.note) context.note("Pascal's benchmark on-line and from tables");
  const CountedRun online = counted_run(0.0), table = counted_run(2.0);
  double apart = 0.0;
  for (double t = 0.0; t <= 3.0; t += 0.002)
    apart = std::max(apart, std::abs(online.run.at(t, "y") - table.run.at(t, "y")) * 1e3);
  const auto steps = [](const CountedRun& r) {
    return static_cast<double>(r.run.solution.statistics().accepted);
  };
  // One evaluation of both conditions, and of FASTSIM, on the way of the wheelset.
  WheelsetData data;
  data.rolling_radius = 0.45;
  data.lateral_force = 2e4;
  data.vertical_force = 154715.0;
  CreepModel creep;
  creep.friction = 0.01;
  const WheelRail pair(Profile::s1002(0.45), Rail(Profile::uic60()));
  const auto smooth = std::make_shared<QuasiElasticOnline>(pair, wear_profile_grid(), 2e-5);
  TableRange places;
  for (double& place : places.places) place -= 1.25e-3;
  const QuasiElasticTable spline(*smooth, places);
  const WheelsetModel wheelset(data, smooth, creep);
  std::vector<WheelState> way;
  for (int i = 0; i < 50; ++i) {
    const ModelState s = online.run.solution.at(0.06 * i);
    way.push_back(wheelset.wheel(i % 2 == 0 ? 1 : -1, s.t(), s.q(), s.v(), s.lambda()[i % 2]));
  }
  const auto at = [&way](int i) -> const WheelState& { return way[static_cast<std::size_t>(i)]; };
  RailContact c;
  const double one = seconds_of([&](int i) { smooth->evaluate(at(i).pose, false, c); }),
               part = seconds_of([&](int i) { spline.evaluate(at(i).pose, false, c); });
  double sum = 0.0;
  const double fastsim = seconds_of(
      [&](int i) { sum += creep.force(at(i).ellipse, at(i).normal_force, at(i).creepage)[0]; });
  const double lifted = seconds_of([&](int i) {
    const WheelState& w = at(i);
    const ContactEllipse<Dual4> e{Dual4::variable(w.ellipse.a, 0), Dual4::variable(w.ellipse.b, 1),
                                  Dual4(0.0)};
    const Creepage<Dual4> u{Dual4::variable(w.creepage.along, 2),
                            Dual4::variable(w.creepage.across, 3), Dual4(w.creepage.spin)};
    sum += creep.force(e, Dual4(w.normal_force), u)[0].v;
  });
  const auto cost = [&](const CountedRun& r) {
    const double all = 2.0 * (static_cast<double>(r.values) * fastsim +
                              static_cast<double>(r.directions) * lifted);
    return fmt::format(
        "{}; {:.2f} s of the processor in all, FASTSIM {:.0f} per cent of them ({} calls over "
        "numbers, {} over dual numbers)",
        r.run.effort(), r.seconds, 100.0 * all / r.seconds, 2 * r.values, 2 * r.directions);
  };
  return {with_remark(number_claim("apart", "largest difference of y, mm", 0.0, apart, 0.05),
                      "psi_0 = 1 degree, graded knots"),
          factor_claim("steps", "about the same number of steps (2715 and 2671)", 1.0,
                       steps(table) / steps(online), 1.15,
                       "on-line: " + cost(online) + ". Table: " + cost(table)),
          with_remark(fact_claim("evaluation",
                                 "constraint, gradient, point of attack and curvatures from the "
                                 "table cost at most a tenth of those on-line",
                                 part <= 0.1 * one),
                      fmt::format("{:.1f} and {:.2f} us, FASTSIM {:.1f} us, over dual numbers "
                                  "{:.1f} us{}",
                                  one * 1e6, part * 1e6, fastsim * 1e6, lifted * 1e6,
                                  sum == 0.0 ? "?" : "")),
          number_claim("total", "tables save so much of the run's time, per cent (80 to 90)", 85.0,
                       100.0 * (1.0 - table.seconds / online.seconds), 5.0)};
}

}  // namespace daedalus::experiments::wheel_rail
