// SPDX-License-Identifier: BSD-3-Clause
// Claims 10 to 13 (Fig. 2.5) and what other claims need of Example 13.
#include "reproduce/arnold_theory_parabola.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>

#include "reproduce/arnold_theory.hpp"

namespace daedalus::experiments::theory {

std::vector<ParabolaPoint> parabola_reference(double mu0, const std::vector<double>& times) {
  double direction = -1.0;  // of the velocity
  const auto acceleration = [&](const ParabolaPoint& p) {
    const double m = 1.0 + 4.0 * p.x * p.x;
    return (-2.0 * p.x - 4.0 * p.x * p.v * p.v - mu0 * (1.0 + 2.0 * p.v * p.v) * direction) / m;
  };
  const auto step = [&](const ParabolaPoint& p, double h) {
    const auto moved = [&](double s, const ParabolaPoint& k) {
      return ParabolaPoint{p.x + s * k.x, p.v + s * k.v};
    };
    const auto rate = [&](const ParabolaPoint& at) {
      return ParabolaPoint{at.v, acceleration(at)};
    };
    const ParabolaPoint a = rate(p), b = rate(moved(0.5 * h, a)), c = rate(moved(0.5 * h, b)),
                        d = rate(moved(h, c));
    return ParabolaPoint{p.x + h / 6.0 * (a.x + 2.0 * (b.x + c.x) + d.x),
                         p.v + h / 6.0 * (a.v + 2.0 * (b.v + c.v) + d.v)};
  };
  std::vector<ParabolaPoint> points;
  ParabolaPoint p{1.0, 0.0};
  double t = 0.0;
  for (const double target : times) {
    while (t < target) {
      double h = std::min(5e-4, target - t);
      ParabolaPoint next = step(p, h);
      if (next.v * direction < 0.0) {
        double low = 0.0, high = h;
        for (int k = 0; k < 60; ++k) {
          const double middle = 0.5 * (low + high);
          (step(p, middle).v * direction < 0.0 ? high : low) = middle;
        }
        h = high;
        next = step(p, h);
        direction = -direction;
      }
      p = next;
      t = target - t <= h ? target : t + h;
    }
    points.push_back(p);
  }
  return points;
}

ParabolaParts ParabolaParts::of(double q1, double v1, double v2, double lambda) {
  const double g1 = 2.0 * q1, gv = g1 * v1 + v2, w = gv / (g1 * g1 + 1.0);
  return {q1, v1 - g1 * w, v2 - w, v1, gv, lambda};
}

ParabolaParts ParabolaParts::of(const ModelState& s) {
  const In y = s.y();  // q1, q2, v1, v2, lambda
  ParabolaParts p = of(y[0], y[2], y[3], y[4]);
  p.g = y[1] + y[0] * y[0];
  return p;
}

void ParabolaErrors::compare(const ParabolaParts& a, const ParabolaParts& b) {
  q1 = std::max(q1, std::abs(a.q1 - b.q1));
  sv = std::max(sv, std::hypot(a.sv1 - b.sv1, a.sv2 - b.sv2));
  v1 = std::max(v1, std::abs(a.v1 - b.v1));
  gv = std::max(gv, std::abs(a.gv - b.gv));
  lambda = std::max(lambda, std::abs(a.lambda - b.lambda));
}

Solution parabola_run(const std::string& formulation, double mu0, double h, bool perturbed) {
  Study s{.problem = "arnold-13", .values = {{"mu0", mu0}}, .formulation = formulation, .h = h};
  if (perturbed) {
    std::vector<std::pair<std::string, Residual>> rows;
    if (formulation != "index2")
      rows.emplace_back("constraint 1",
                        [](long, double t) { return single_precision(30.0, std::sin(t)); });
    if (formulation != "index3")
      rows.emplace_back("rate of constraint 1",
                        [](long, double t) { return single_precision(30.0, std::cos(t)); });
    if (formulation == "stabilised-index1")
      rows.emplace_back("acceleration of constraint 1",
                        [](long, double t) { return single_precision(30.0, std::sin(2.0 * t)); });
    s.residuals = std::move(rows);
  }
  return run(s);
}

const std::vector<ParabolaParts>& parabola_parts(const std::string& formulation, double mu0,
                                                 double h, bool perturbed) {
  static std::map<std::tuple<std::string, double, double, bool>, std::vector<ParabolaParts>> known;
  std::vector<ParabolaParts>& parts = known[{formulation, mu0, h, perturbed}];
  if (!parts.empty()) return parts;
  const Solution s = parabola_run(formulation, mu0, h, perturbed);
  const auto stride = static_cast<std::size_t>(std::llround(0.01 / h));
  if (s.times().size() != 500 * stride + 1) throw std::runtime_error("steps do not fit the grid");
  for (std::size_t i = 1; i <= 500; ++i) parts.push_back(ParabolaParts::of(s.state(i * stride)));
  return parts;
}

const std::vector<ParabolaParts>& parabola_reference_parts(double mu0) {
  static std::map<double, std::vector<ParabolaParts>> known;
  std::vector<ParabolaParts>& parts = known[mu0];
  if (!parts.empty()) return parts;
  std::vector<double> times;
  for (int i = 1; i <= 500; ++i) times.push_back(0.01 * i);
  for (const ParabolaPoint& p : parabola_reference(mu0, times))
    parts.push_back(ParabolaParts::of(p.x, p.v, -2.0 * p.x * p.v, p.lambda()));
  return parts;
}

namespace {

ParabolaErrors parabola_difference(const std::vector<ParabolaParts>& a,
                                   const std::vector<ParabolaParts>& b) {
  ParabolaErrors e;
  for (std::size_t i = 0; i < a.size(); ++i) e.compare(a[i], b[i]);
  return e;
}

}  // namespace

ParabolaErrors parabola_errors(const std::string& formulation, double mu0, double h,
                               bool perturbed) {
  return parabola_difference(parabola_parts(formulation, mu0, h, perturbed),
                             parabola_reference_parts(mu0));
}

ParabolaErrors parabola_effect(const std::string& formulation, double mu0, double h) {
  return parabola_difference(parabola_parts(formulation, mu0, h, true),
                             parabola_parts(formulation, mu0, h, false));
}

namespace {

constexpr const char* parabola_source =
    "the figure has no printed data and gravity is not printed; the numbers come from another "
    "program with 80-bit arithmetic and gravity 1";

std::vector<Claim> without_friction(Context& context) {
  std::vector<Claim> claims;
  const ParabolaParts end = parabola_reference_parts(0.0).back();
  claims.push_back(number_claim("arnold-theory-10.reference",
                                "Example 13, mu0 = 0: q1(5) of the reference solution",
                                -0.626097827077, end.q1, 1e-11));
  const std::vector<double> steps{1e-2, 1e-3, 1e-4, 5e-5, 2e-5, 1e-5, 5e-6};
  std::vector<ParabolaErrors> e;
  for (const double h : steps) {
    if (context.note) context.note(fmt::format("index3, h = {}", h));
    e.push_back(parabola_errors("index3", 0.0, h, true));
  }
  const auto column = [&](double ParabolaErrors::*part) {
    std::vector<double> c;
    for (const ParabolaErrors& x : e) c.push_back(x.*part);
    return c;
  };
  const auto falling = [&](const char* id, const char* name, double ParabolaErrors::*part,
                           std::size_t last) {
    std::vector<double> h, c;
    for (std::size_t i = 0; i <= last; ++i) h.push_back(steps[i]), c.push_back(e[i].*part);
    claims.push_back(
        slope_claim(id,
                    fmt::format("index 3, mu0 = 0: slope of the error of {}, h = {} to {}", name,
                                h.front(), h.back()),
                    1.0, slope(h, c)));
  };
  falling("arnold-theory-10.falls.q1", "q1", &ParabolaErrors::q1, 2);
  falling("arnold-theory-10.falls.Sv", "S v", &ParabolaErrors::sv, 2);
  falling("arnold-theory-10.falls.v1", "v1", &ParabolaErrors::v1, 1);
  const std::vector<double> fine{1e-4, 5e-5, 2e-5, 1e-5};
  const auto rising = [&](const char* id, const char* name, double ParabolaErrors::*part,
                          double expected) {
    std::vector<double> c;
    for (const double h : fine) c.push_back(parabola_effect("index3", 0.0, h).*part);
    claims.push_back(slope_claim(
        id, fmt::format("index 3, mu0 = 0: slope of what theta adds to {}, h = 1e-4 to 1e-5", name),
        expected, slope(fine, c)));
  };
  rising("arnold-theory-10.rises.q1", "q1", &ParabolaErrors::q1, -2.0);
  rising("arnold-theory-10.rises.Sv", "S v", &ParabolaErrors::sv, -2.0);
  rising("arnold-theory-10.rises.v1", "v1", &ParabolaErrors::v1, -1.0);
  rising("arnold-theory-10.rises.lambda", "lambda", &ParabolaErrors::lambda, -2.0);
  const auto table = [&](const char* id, const char* name, double ParabolaErrors::*part,
                         const std::vector<double>& elsewhere) {
    claims.push_back(table_claim(
        id,
        fmt::format("index 3, mu0 = 0, with theta: largest error of {} for h = 1e-2, 1e-3, 1e-4, "
                    "5e-5, 2e-5, 1e-5, 5e-6",
                    name),
        elsewhere, column(part), 2.0, parabola_source));
  };
  table("arnold-theory-10.table.q1", "q1", &ParabolaErrors::q1,
        {9.37e-2, 9.44e-3, 9.41e-4, 4.59e-4, 1.32e-4, 4.74e-4, 1.89e-3});
  table("arnold-theory-10.table.Sv", "S v", &ParabolaErrors::sv,
        {9.08e-2, 8.47e-3, 8.37e-4, 4.02e-4, 3.96e-4, 1.43e-3, 5.65e-3});
  table("arnold-theory-10.table.v1", "v1", &ParabolaErrors::v1,
        {7.57e-2, 7.49e-3, 7.67e-3, 1.62e-2, 4.06e-2, 7.55e-2, 1.50e-1});
  table("arnold-theory-10.table.Gv", "G v", &ParabolaErrors::gv,
        {1.92e-2, 2.94e-3, 1.71e-2, 3.42e-2, 8.64e-2, 1.65e-1, 3.44e-1});
  table("arnold-theory-10.table.lambda", "lambda", &ParabolaErrors::lambda,
        {2.38e-1, 2.95e+0, 2.00e+2, 7.40e+2, 4.50e+3, 1.79e+4, 7.15e+4});
  const ParabolaErrors plain = parabola_errors("index3", 0.0, 1e-4, false);
  claims.push_back(table_claim("arnold-theory-10.unperturbed",
                               "index 3, mu0 = 0, h = 1e-4 without perturbations: largest errors "
                               "of q1, v1, lambda",
                               {9.45e-4, 7.5e-4, 2.1e-3}, {plain.q1, plain.v1, plain.lambda}, 1.05,
                               parabola_source));
  return claims;
}

std::vector<Claim> with_friction(Context&) {
  std::vector<Claim> claims;
  const ParabolaParts end = parabola_reference_parts(0.03).back();
  claims.push_back(number_claim("arnold-theory-11.reference",
                                "Example 13, mu0 = 0.03: q1(5) of the reference solution",
                                -0.463674203999, end.q1, 1e-10));
  std::vector<double> q, l;
  for (const double h : {2e-3, 1e-3, 5e-4, 2e-4, 1e-4}) {
    const ParabolaErrors e = parabola_errors("index3", 0.03, h, true);
    q.push_back(e.q1);
    l.push_back(e.lambda);
  }
  claims.push_back(table_claim("arnold-theory-11.table.q1",
                               "index 3, mu0 = 0.03, with theta: largest error of q1 for h = 2e-3, "
                               "1e-3, 5e-4, 2e-4, 1e-4",
                               {1.82e-2, 7.5e-3, 8.0e-2, 6.6e-1, 1.80}, q, 2.0, parabola_source));
  claims.push_back(table_claim("arnold-theory-11.table.lambda",
                               "index 3, mu0 = 0.03, with theta: largest error of lambda for the "
                               "same steps",
                               {6.1e-1, 3.0, 8.1, 6.5e1, 9.8e1}, l, 2.0, parabola_source));
  for (const double h : {2e-4, 1e-4}) {
    const ParabolaErrors rough = parabola_effect("index3", 0.03, h),
                         smooth = parabola_effect("index3", 0.0, h);
    const auto text = [&](const char* words) { return fmt::format("h = {}: {}", h, words); };
    claims.push_back(list_claim(
        fmt::format("arnold-theory-11.larger.{}", h),
        text("what theta adds to q1, S v, v1 is orders of magnitude larger with mu0 = 0.03 than "
             "with mu0 = 0 (ratios)"),
        Json{"above 100", "above 100", "above 10"},
        Json{rough.q1 / smooth.q1, rough.sv / smooth.sv, rough.v1 / smooth.v1}, Json(),
        rough.q1 > 100.0 * smooth.q1 && rough.sv > 100.0 * smooth.sv &&
            rough.v1 > 10.0 * smooth.v1));
    const double most = std::max({rough.q1, rough.sv, rough.v1}),
                 least = std::min({rough.q1, rough.sv, rough.v1});
    claims.push_back(list_claim(fmt::format("arnold-theory-11.equal.{}", h),
                                text("with friction the effects on q1, S v, v1 are nearly equal"),
                                "within a factor 2", Json{rough.q1, rough.sv, rough.v1},
                                Json{{"factor", 2}}, most <= 2.0 * least));
    claims.push_back(
        list_claim(fmt::format("arnold-theory-11.lambda.{}", h),
                   text("the effects on lambda with and without friction are comparable"),
                   "within a factor 3", Json{rough.lambda, smooth.lambda}, Json{{"factor", 3}},
                   within(rough.lambda, smooth.lambda, 3.0)));
  }
  return claims;
}

std::vector<Claim> leading_errors(Context&) {
  std::vector<Claim> claims;
  for (const double h : {1e-3, 1e-4}) {
    const Solution a = parabola_run("index3", 0.0, h, true),
                   b = parabola_run("index3", 0.0, h, false);
    double max_l = 0.0, off_l = 0.0, max_v = 0.0, off_v = 0.0;
    const auto theta = [&](std::size_t n) {
      return n == 0 ? 0.0 : single_precision(30.0, std::sin(a.times()[n]));
    };
    for (std::size_t n = 2; n < a.times().size(); ++n) {
      const ParabolaParts p = ParabolaParts::of(a.state(n)), u = ParabolaParts::of(b.state(n));
      const double square = 1.0 + 4.0 * u.q1 * u.q1,
                   lambda = -(theta(n) - 2.0 * theta(n - 1) + theta(n - 2)) / (h * h * square),
                   gv = (theta(n) - theta(n - 1)) / h;
      max_l = std::max(max_l, std::abs(lambda));
      max_v = std::max(max_v, std::abs(gv));
      off_l = std::max(off_l, std::abs(p.lambda - u.lambda - lambda));
      off_v = std::max(off_v, std::abs(p.gv - u.gv - gv));
    }
    // The next terms are smaller by a factor h.
    claims.push_back(list_claim(
        fmt::format("arnold-theory-12.lambda.{}", h),
        fmt::format("h = {}: what theta adds to lambda is -(G M^-1 G^T)^-1 (theta_(m+1) - 2 "
                    "theta_m + theta_(m-1))/h^2 (largest deviation over largest value)",
                    h),
        0.0, off_l / max_l, 2.0 * h, off_l <= 2.0 * h * max_l));
    claims.push_back(list_claim(
        fmt::format("arnold-theory-12.Gv.{}", h),
        fmt::format("h = {}: what theta adds to G v is (theta_(m+1) - theta_m)/h (largest "
                    "deviation over largest value)",
                    h),
        0.0, off_v / max_v, 2.0 * h, off_v <= 2.0 * h * max_v));
  }
  return claims;
}

struct StepErrors {
  double lambda = 0.0, q1 = 0.0;
};
StepErrors errors_between(double h, bool alternating) {
  Study s{.problem = "arnold-13", .formulation = "index3", .h = h, .t_end = 2.0};
  if (alternating) {
    double t = 0.0;
    for (long n = 0; t < 2.0; ++n) {
      s.further.step_sequence.push_back(n % 2 == 0 ? h : 0.5 * h);
      t += s.further.step_sequence.back();
    }
  }
  const Solution solution = run(s);
  const std::vector<ParabolaPoint> exact = parabola_reference(0.0, solution.times());
  StepErrors e;
  // The last step ends at t = 2 and may be shorter.
  for (std::size_t n = 0; n + 1 < solution.times().size(); ++n) {
    if (solution.times()[n] <= 0.5) continue;
    const ParabolaParts p = ParabolaParts::of(solution.state(n));
    e.lambda = std::max(e.lambda, std::abs(p.lambda - exact[n].lambda()));
    e.q1 = std::max(e.q1, std::abs(p.q1 - exact[n].x));
  }
  return e;
}

std::vector<Claim> variable_steps(Context&) {
  std::vector<double> steps{1e-2, 1e-3, 1e-4}, constant, alternating, q1;
  for (const double h : steps) {
    constant.push_back(errors_between(h, false).lambda);
    const StepErrors e = errors_between(h, true);
    alternating.push_back(e.lambda);
    q1.push_back(e.q1);
  }
  return {table_claim("arnold-theory-13.constant",
                      "index 3, implicit Euler, constant steps 1e-2, 1e-3, 1e-4: largest error of "
                      "lambda for 0.5 < t < 2",
                      {1.7e-1, 1.8e-2, 1.8e-3}, constant, 1.05),
          slope_claim("arnold-theory-13.constant.order",
                      "constant steps: lambda converges with order 1", 1.0, slope(steps, constant)),
          table_claim("arnold-theory-13.alternating",
                      "steps h, h/2, h, ...: the error of lambda stays about 2", {1.80, 1.98, 2.00},
                      alternating, 1.02),
          table_claim("arnold-theory-13.position", "steps h, h/2, h, ...: the error of q1",
                      {3.5e-3, 3.5e-4, 3.5e-5}, q1, 1.05),
          slope_claim("arnold-theory-13.position.order",
                      "steps h, h/2, h, ...: q1 converges with order 1", 1.0, slope(steps, q1))};
}

}  // namespace

std::vector<Experiment> parabola_experiments() {
  const Basis program =
      Basis::own("another program with 80-bit arithmetic; the figures have no printed data");
  return {
      experiment(10, "Example 13: slopes without friction (Fig. 2.5)", 6.0, without_friction,
                 Basis::printed("Example 13, text on Fig. 2.5"),
                 {{"reference",
                   Basis::own("Runge-Kutta method in the minimal coordinate, another program")},
                  {"table", program},
                  {"unperturbed", program}}),
      experiment(11, "Example 13: friction (Fig. 2.5)", 0.6, with_friction,
                 Basis::printed("Example 13, text on Fig. 2.5"),
                 {{"reference",
                   Basis::own("Runge-Kutta method in the minimal coordinate, another program")},
                  {"table", program}}),
      experiment(12, "Leading errors of lambda and G v", 0.3, leading_errors,
                 Basis::theorem("(2.81), (2.82)")),
      experiment(13, "Index 3 with variable steps: no convergence in lambda", 0.1, variable_steps,
                 Basis::own("80-bit program"), {{"order", Basis::printed("Remark 12 a")}})};
}

}  // namespace daedalus::experiments::theory
