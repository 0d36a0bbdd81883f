// SPDX-License-Identifier: BSD-3-Clause
// Branches of the discrete solution, start values, nilpotent systems, step control: claims 24 to
// 27.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "reproduce/arnold_theory.hpp"

namespace daedalus::experiments::theory {
namespace {

std::vector<Claim> spurious_solution(Context&) {
  std::vector<Claim> claims;
  const auto p = std::get<SemiExplicitProblem>(catalogue_problem("two-branch"));
  for (const double h : {1e-2, 1e-4}) {
    // (y_{n+1} - y_n)/h - f and g at y_{n+1} = -y_n, z_{n+1} = -1/h.
    const Eigen::VectorXd y = -p.y0, z = Eigen::VectorXd::Constant(1, -1.0 / h);
    Arguments<double> a;
    a.x = {y.data(), z.data()};
    a.n = {2, 1};
    double f[2], g[1];
    if (p.f(a, f, 2) != Eval::ok || p.g(a, g, 1) != Eval::ok) throw std::runtime_error("rejected");
    const double left = std::max({h * std::abs((y[0] - p.y0[0]) / h - f[0]),
                                  h * std::abs((y[1] - p.y0[1]) / h - f[1]), std::abs(g[0])});
    claims.push_back(list_claim(
        fmt::format("arnold-theory-24.solution.{}", h),
        fmt::format("Remark 8, h = {}: y_(n+1) = -y_n, z = -1/h solves the equations of the "
                    "implicit Euler step (largest residual times h)",
                    h),
        0.0, left, 1e-14, left < 1e-14));
    // (2.34) at a consistent state without residuals: |dy| <= C h, |dz| <= C h.
    claims.push_back(list_claim(
        fmt::format("arnold-theory-24.increments.{}", h),
        fmt::format("Remark 8, h = {}: its increments over h, which (2.34) wants bounded by a "
                    "moderate constant (y, z)",
                    h),
        Json{2.0 / h, 1.0 / (h * h)}, Json{(y - p.y0).norm() / h, std::abs(z[0] - p.z0[0]) / h},
        Json{{"relative", 1e-12}}, within((y - p.y0).norm() * h, 2.0 * h, 1.0 + 1e-12)));
    const auto status = [&](double start) {
      Problem problem = p;
      std::get<SemiExplicitProblem>(problem).z0[0] = start;
      Options o;
      o.method = "bdf";
      o.fixed_step = h;
      o.start = StartStrategy::given;
      o.method_options["order"] = 1;
      return solve(problem, {0.0, 10.0 * h}, o);
    };
    // z = 1/h at the start makes y' = -2 y/h: the iteration begins at -y_n.
    const Solution wrong = status(1.0 / h), right = status(0.0);
    claims.push_back(fact_claim(
        fmt::format("arnold-theory-24.detected.{}", h),
        fmt::format("h = {}: the test of the increments rejects the second solution (status {}) "
                    "and accepts the first",
                    h, to_string(wrong.status())),
        wrong.status() == Status::wrong_branch && right.ok() &&
            std::abs(right.end()["y1"] - 0.6) < 1e-9));
  }
  return claims;
}

struct Consistent {
  Eigen::VectorXd x;
  double constraint = 0.0, hidden = 0.0;
};
Consistent consistent_start(double dy1, double dy2, double dz, const char* method = "hedop5") {
  Problem problem = catalogue_problem("arnold-8");
  auto& p = std::get<SemiExplicitProblem>(problem);
  p.y0 += Eigen::Vector2d(dy1, dy2);
  p.z0[0] += dz;
  Options o;
  o.method = method;
  o.start = StartStrategy::solve;
  o.rtol = 1e-10;
  o.atol = 1e-10;
  const Solution s = solve(problem, {0.5, 0.5 + 1e-6}, o);
  if (!s.ok()) throw std::runtime_error(s.message());
  Consistent c;
  c.x = s.start().y();
  const double y1 = c.x[0], y2 = c.x[1], z = c.x[2];
  c.constraint = 4.0 * y1 + y2 - 6.0 * std::sin(0.5);
  // mu0 = 1.
  c.hidden =
      4.0 * (4.0 * y1 * y1 - y2 * y2 + z) + (y1 * y2 + 2.0 * z * z) * z - 6.0 * std::cos(0.5);
  return c;
}

std::vector<Claim> start_values(Context&) {
  std::vector<Claim> claims;
  const Consistent a = consistent_start(0.05, -0.02, 0.1), b = consistent_start(0.05, -0.02, -0.1),
                   c = consistent_start(0.0, 0.0, 0.3);
  const double worst_g = std::max({std::abs(a.constraint), std::abs(b.constraint)}),
               worst_hidden = std::max({std::abs(a.hidden), std::abs(b.hidden)});
  claims.push_back(list_claim("arnold-theory-25.residuals",
                              "Example 8 from inconsistent values: g(y) and g_t + g_y f afterwards",
                              Json{0.0, 0.0}, Json{worst_g, worst_hidden}, 1e-12,
                              worst_g < 1e-12 && worst_hidden < 1e-12,
                              "start values of method hedop5, which sees y and z apart"));
  claims.push_back(list_claim(
      "arnold-theory-25.stages",
      "two stages: y does not depend on the guess of z, and z follows from y (differences of two "
      "runs with other guesses of z)",
      Json{0.0, 0.0}, Json{(a.x - b.x).head(2).cwiseAbs().maxCoeff(), std::abs(a.x[2] - b.x[2])},
      1e-11, (a.x - b.x).cwiseAbs().maxCoeff() < 1e-11));
  double worst = std::nan("");
  std::string why;
  try {
    const Consistent d = consistent_start(0.05, -0.02, 0.1, "bdf");
    worst = std::max(std::abs(d.constraint), std::abs(d.hidden));
  } catch (const std::runtime_error& error) {
    why = error.what();
  }
  claims.push_back(list_claim("arnold-theory-25.residual-form",
                              "the same for a method that sees F(t, x, x') = 0 (bdf): larger of "
                              "the two residuals",
                              0.0, worst, 1e-12, worst < 1e-12, why));
  const double moved = std::max(std::abs(c.x[0] - std::sin(0.5)),
                                std::abs(c.x[1] - 2.0 * std::sin(0.5))),
               z = std::abs(c.x[2] - std::cos(0.5));
  claims.push_back(list_claim("arnold-theory-25.z-alone",
                              "consistent y and a wrong z: y stays, z becomes cos t",
                              Json{0.0, 0.0}, Json{moved, z}, 1e-11, moved < 1e-11 && z < 1e-11));
  return claims;
}

// Implicit Euler on the nilpotent system is x_k = q_k - (x_{k+1} - its last value)/h: what
// theta_n = (-1)^n in q_m becomes in x_1.
long double nilpotent_recursion(int m, double h) {
  std::vector<long double> last(static_cast<std::size_t>(m), 0.0L), now(last);
  long double most = 0.0L;
  const auto steps = static_cast<long>(std::llround(1.0 / h));
  for (long n = 1; n <= steps; ++n) {
    now.back() = n % 2 == 0 ? 1.0L : -1.0L;
    for (std::size_t k = now.size() - 1; k-- > 0;)
      now[k] = -(now[k + 1] - last[k + 1]) / static_cast<long double>(h);
    most = std::max(most, std::abs(now[0]));
    last = now;
  }
  return most;
}

std::vector<Claim> nilpotent(Context&) {
  std::vector<Claim> claims;
  const double Theta = 1e-6;
  const std::vector<double> steps{1e-2, 1e-3, 1e-4};
  for (const int m : {2, 3}) {
    std::vector<double> effects;
    for (const double h : steps) {
      Study s{.problem = "nilpotent", .values = {{"m", static_cast<double>(m)}}, .h = h};
      const Solution plain = run(s);
      s.residuals = {{fmt::format("row {}", m),
                      [Theta](long n, double) { return n % 2 == 0 ? Theta : -Theta; }}};
      const Solution noisy = run(s);
      double most = 0.0;
      for (std::size_t n = 1; n < plain.times().size(); ++n)
        most = std::max(most, std::abs(noisy.state(n)["x1"] - plain.state(n)["x1"]));
      effects.push_back(most / Theta);
    }
    claims.push_back(
        slope_claim(fmt::format("arnold-theory-26.m{}", m),
                    fmt::format("nilpotent system, m = {}, implicit Euler: exponent of "
                                "h in what noise adds to x1",
                                m),
                    1 - m, slope(steps, effects)));
    claims.push_back(table_claim(
        fmt::format("arnold-theory-26.factor.m{}", m),
        fmt::format("m = {}: alternating noise is amplified by (2/h)^(m-1), h = 1e-2, 1e-3, 1e-4",
                    m),
        {std::pow(200.0, m - 1), std::pow(2000.0, m - 1), std::pow(20000.0, m - 1)}, effects,
        1.001));
  }
  for (const int m : {4, 5}) {
    std::vector<double> effects;
    for (const double h : steps) effects.push_back(static_cast<double>(nilpotent_recursion(m, h)));
    claims.push_back(with_remark(
        slope_claim(fmt::format("arnold-theory-26.m{}", m),
                    fmt::format("nilpotent system, m = {}, the recursion of implicit Euler: "
                                "exponent of h in what noise adds to x1",
                                m),
                    1 - m, slope(steps, effects)),
        "methods of the library take systems of index 3 at most"));
  }
  return claims;
}

struct Control {
  ErrorPolicy policy;
  bool weights;
};

Options noisy_control(const Control& c) {
  Options o;
  o.method = "implicit-euler";
  o.error_test = c.policy;
  o.index_weights = c.weights;
  o.start = StartStrategy::given;
  o.defect = [](const DefectSite& site, Out rows) {
    rows[2] += single_precision(6.0, std::sin(site.t + site.h));
  };
  o.output = Output::end;
  return o;
}

// Largest value of the error estimate in the norm of the error test, in steps of size h.
double estimate_at(const Control& c, double h) {
  Options o = noisy_control(c);
  o.rtol = 0.0;
  o.atol = 1.0;
  o.initial_step = h;
  o.max_step = h;
  o.method_options["newton_tolerance"] = 1e-11;
  double largest = 0.0;
  long number = 0;
  // The first estimates come without past steps.
  o.trace = [&](const StepRecord& r) {
    if (++number > 5 && std::abs(r.h - h) < 1e-3 * h) largest = std::max(largest, r.error);
  };
  const Solution s = solve(catalogue_problem("arnold-8"), {0.5, 0.5 + 300.0 * h}, o);
  if (!s.ok()) throw std::runtime_error(s.message());
  return largest;
}

std::vector<Claim> step_control(Context&) {
  std::vector<Claim> claims;
  const Control unscaled{ErrorPolicy::all, false}, excluded{ErrorPolicy::without_index2, false},
      scaled{ErrorPolicy::index_weighted, true};
  // Region B of Example 8, (2.2.3): 3e-5 < h < 4e-4.
  const std::vector<double> steps{4e-4, 1e-4, 4e-5};
  const auto estimates = [&](const Control& c) {
    std::vector<double> e;
    for (const double h : steps) e.push_back(estimate_at(c, h));
    return e;
  };
  const std::vector<double> all = estimates(unscaled), none = estimates(excluded),
                            weighted = estimates(scaled);
  claims.push_back(list_claim(
      "arnold-theory-27.unscaled",
      "Example 8 with theta, h = 4e-4, 1e-4, 4e-5 (region B): with z unscaled the estimate of the "
      "error rises as h falls",
      "rising", all, Json(), all[0] < all[1] && all[1] < all[2]));
  claims.push_back(list_claim("arnold-theory-27.excluded",
                              "the same with z excluded: the estimate falls with h", "falling",
                              none, Json(), none[0] > none[1] && none[1] > none[2]));
  claims.push_back(list_claim(
      "arnold-theory-27.scaled", "the same with z scaled by h: the estimate does not rise",
      "falling", weighted, Json(), weighted[0] >= weighted[1] && weighted[1] >= weighted[2]));
  const auto arrived = [&](double tolerance) {
    std::vector<bool> list;
    for (const Control& c : {unscaled, excluded, scaled}) {
      Options o = noisy_control(c);
      o.rtol = 0.0;
      o.atol = tolerance;
      o.initial_step = 1e-4;
      list.push_back(solve(catalogue_problem("arnold-8"), {0.5, 1.0}, o).ok());
    }
    return list;
  };
  const std::vector<bool> coarse = arrived(2e-7), fine = arrived(2e-8), some{false, true, true},
                          nothing{false, false, false};
  claims.push_back(list_claim(
      "arnold-theory-27.runs",
      "implicit Euler with error control, absolute tolerance 2e-7: with z unscaled the step "
      "control fails, with z excluded or scaled by h it reaches the end",
      some, coarse, Json(), coarse == some));
  claims.push_back(list_claim(
      "arnold-theory-27.too-fine",
      "absolute tolerance 2e-8, below what theta leaves in y: no control of the step works",
      nothing, fine, Json(), fine == nothing));
  return claims;
}

}  // namespace

std::vector<Experiment> consequence_experiments() {
  return {experiment(24, "The second solution of an Euler step (Remark 8)", 0.01, spurious_solution,
                     Basis::printed("Remark 8, sign of z corrected, and (2.34)")),
          experiment(25, "Consistent start values in two stages (Remark 2)", 0.01, start_values,
                     Basis::printed("Remark 2 b")),
          experiment(26, "Noise in nilpotent systems (Example 1)", 0.15, nilpotent,
                     Basis::printed("Example 1 and Remark 4 c"),
                     {{"factor", Basis::own("recursion of implicit Euler, derived by us")}}),
          experiment(27, "Step control in region B (section 2.2.3)", 0.05, step_control,
                     Basis::printed("section 2.2.3"))};
}

}  // namespace daedalus::experiments::theory
