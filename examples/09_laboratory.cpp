// SPDX-License-Identifier: BSD-3-Clause
// 09: the laboratory: observed orders, prescribed steps, and defects put into chosen equations.
//
// Model    a DAE of index 2 with a known solution: y' = -z, 0 = y - sin t, hence y = sin t and
//          z = -cos t. A defect theta in the constraint of step n changes z by about theta / h
//          (Arnold 1998, section 2.2): the same theta does more harm with smaller steps.
//
// Builds on 04 (semi-explicit form). New: Hessenberg systems, measure_order, fixed_step,
// step_sequence, defect, untested, known.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/testing/order.hpp>

namespace {

daedalus::SemiExplicitProblem index_two() {
  // [problem]
  return {.name = "index-two",
          .f = daedalus::autodiff([](auto, const auto&, const auto& z, auto& f) { f[0] = -z[0]; }),
          .g = daedalus::autodiff([](const auto& t, const auto& y, const auto&, auto& g) {
            using std::sin;
            g[0] = y[0] - sin(t);
          }),
          .hessenberg_blocks = {1},  // y = x_1, z = x_2: a Hessenberg system of size 2
          .y0 = Eigen::VectorXd::Zero(1),
          .z0 = Eigen::VectorXd::Constant(1, -1.0),
          .equations = {"rate", "constraint"}};
  // [/problem]
}

bool exact(double t, const daedalus::Variables&, daedalus::Out x) {
  x << std::sin(t), -std::cos(t);
  return true;
}

// Largest |z + cos t| of a run whose constraint row is disturbed by +-theta, alternating.
double disturbed(double theta, double h) {
  // [defect]
  daedalus::Options options{.method = "implicit-euler", .fixed_step = h};
  options.defect = [theta](const daedalus::DefectSite& site, daedalus::Out rows) {
    for (std::size_t i = 0; i < site.row_names.size(); ++i)
      if (site.row_names[i] == "constraint")
        rows[static_cast<int>(i)] += site.step % 2 ? theta : -theta;
  };
  const daedalus::Solution s = daedalus::solve(index_two(), {0.0, 1.0}, options);
  // [/defect]
  double worst = 0.0;
  for (std::size_t i = 2; i < s.times().size(); ++i)
    worst = std::max(worst, std::abs(s.state(i).z()[0] + std::cos(s.times()[i])));
  return s.ok() ? worst : 0.0;
}

}  // namespace

int main() {
  // [order]
  const daedalus::testing::OrderStudy study = daedalus::testing::measure_order(
      index_two(), {0.0, 1.0}, {.method = "implicit-euler", .rtol = 1e-10, .atol = 1e-10},
      {0.1, 0.05, 0.025, 0.0125}, exact, daedalus::testing::OrderNorm::absolute);
  for (const auto& [name, order] : study.orders) std::cout << name << ": " << order << '\n';
  // [/order]

  // [sequence]
  const daedalus::Solution alternating = daedalus::solve(
      index_two(), {0.0, 0.6}, {.method = "implicit-euler", .step_sequence = {0.1, 0.2, 0.1, 0.2}});
  std::cout << alternating.times().size() << " states with given steps\n";
  const daedalus::Solution adaptive =
      daedalus::solve(index_two(), {0.0, 1.0},
                      {.rtol = 1e-4,
                       .atol = 1e-4,
                       .untested = {"z1"},  // z is not what this run is about
                       .known = [](double t, daedalus::Out x) { return exact(t, {}, x); }});
  std::cout << adaptive.choice().method << ": " << adaptive.statistics() << '\n';
  // [/sequence]

  const double coarse = disturbed(1e-2, 0.02) - disturbed(0.0, 0.02);
  const double fine = disturbed(1e-2, 0.01) - disturbed(0.0, 0.01);
  std::cout << "defect 0.01 in the constraint moves z by " << coarse << " with h = 0.02, by "
            << fine << " with h = 0.01\n";
  // Order 1 in both classes; alternating defects change the difference quotient by 2 theta / h, so
  // that halving h doubles the harm.
  const auto near = [](double value, double goal, double range) {
    return std::abs(value - goal) < range;
  };
  return study.failure.empty() && near(study.orders.at("z"), 1.0, 0.2) && alternating.ok() &&
                 alternating.times().size() == 5 && adaptive.ok() &&
                 near(coarse, 2e-2 / 0.02, 0.1) && near(fine / coarse, 2.0, 0.1)
             ? 0
             : 1;
}
