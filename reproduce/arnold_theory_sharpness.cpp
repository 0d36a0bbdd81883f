// SPDX-License-Identifier: BSD-3-Clause
// Examples on which the bounds for perturbations are attained: claims 6 to 9 (Examples 9 to 12).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "reproduce/arnold_theory.hpp"

namespace daedalus::experiments::theory {
namespace {

constexpr double theory_pi = std::numbers::pi;

template <class F>
std::vector<double> theory_call(const F& f, double t, std::initializer_list<Eigen::VectorXd> x,
                                int rows) {
  Arguments<double> a;
  a.t = t;
  std::size_t k = 0;
  for (const Eigen::VectorXd& v : x) {
    a.x[k] = v.data();
    a.n[k++] = static_cast<int>(v.size());
  }
  std::vector<double> out(static_cast<std::size_t>(rows));
  if (f(a, out.data(), rows) != Eval::ok) throw std::runtime_error("an evaluation was rejected");
  return out;
}

Eigen::VectorXd theory_vector(std::initializer_list<double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.begin(), static_cast<int>(values.size()));
}

// Example 9: the sequences of the perturbed implicit Euler method.
struct Example9 {
  double Delta, Theta, h, mu;
  double D() const { return Delta + Theta / h; }
  double growth() const { return Theta * D() + 2.0 * mu * D() * D(); }
  Eigen::VectorXd y(long n) const {
    const double a = 0.5 * theory_pi * static_cast<double>(n % 4);
    return theory_vector(
        {Theta * std::sin(a), Theta * std::cos(a), static_cast<double>(n) * h * growth()});
  }
  Eigen::VectorXd z(long n) const {
    const double a = 0.25 * theory_pi * static_cast<double>((2 * n - 1) % 8);
    return theory_vector({std::sqrt(2.0) * D() * std::cos(a), -std::sqrt(2.0) * D() * std::sin(a)});
  }
};

std::vector<Claim> index2_bounds(Context&) {
  std::vector<Claim> claims;
  const auto problem = std::get<SemiExplicitProblem>(catalogue_problem("arnold-9", {{"mu", 0.5}}));
  const Example9 e{.Delta = 1e-3, .Theta = 1e-5, .h = 1e-3, .mu = 0.5};
  double delta_low = 1e300, delta_high = 0.0, third = 0.0, theta_off = 0.0, theta_high = 0.0;
  for (long n = 1; n <= 1000; ++n) {
    const Eigen::VectorXd y = e.y(n), before = e.y(n - 1), z = e.z(n);
    const std::vector<double> f = theory_call(problem.f, 0.0, {y, z}, 3),
                              g = theory_call(problem.g, 0.0, {y, z}, 2);
    for (int i = 0; i < 2; ++i) {
      const double size = std::abs((y[i] - before[i]) / e.h - f[static_cast<std::size_t>(i)]);
      delta_low = std::min(delta_low, size);
      delta_high = std::max(delta_high, size);
      theta_off = std::max(theta_off, std::abs(g[static_cast<std::size_t>(i)] - y[i]));
      theta_high = std::max(theta_high, std::abs(g[static_cast<std::size_t>(i)]));
    }
    third = std::max(third, std::abs((y[2] - before[2]) / e.h - f[2]));
  }
  claims.push_back(list_claim(
      "arnold-theory-6.delta",
      "Example 9: the listed sequences leave residuals of size Delta in the first two equations "
      "(smallest, largest over 1000 steps)",
      Json{e.Delta, e.Delta}, Json{delta_low, delta_high}, 1e-12,
      std::abs(delta_low - e.Delta) < 1e-12 && std::abs(delta_high - e.Delta) < 1e-12));
  claims.push_back(list_claim("arnold-theory-6.third",
                              "Example 9: no residual in the equation of y3", 0.0, third, 1e-12,
                              third < 1e-12));
  claims.push_back(list_claim(
      "arnold-theory-6.theta", "Example 9: the constraints have the residuals Theta sin, Theta cos",
      e.Theta, theta_high, 1e-17, theta_off == 0.0 && std::abs(theta_high - e.Theta) < 1e-17));
  for (const auto& [mu, Delta] :
       {std::pair{0.0, 1e-3}, std::pair{1.0, 0.0}, std::pair{1.0, 1e-2}}) {
    Example9 x{.Delta = Delta, .Theta = 1e-5, .h = 1e-3, .mu = mu};
    // delta = (y_n - y_{n-1})/h - z: what the sequences leave.
    const auto delta = [x](int i) {
      return [x, i](long n, double) { return (x.y(n)[i] - x.y(n - 1)[i]) / x.h - x.z(n)[i]; };
    };
    Study s{.problem = "arnold-9", .values = {{"mu", mu}}, .h = x.h};
    s.residuals = {{"differential 1", delta(0)},
                   {"differential 2", delta(1)},
                   {"constraint 1", [x](long n, double) { return x.y(n)[0]; }},
                   {"constraint 2", [x](long n, double) { return x.y(n)[1]; }}};
    s.change = [x](Problem& p) { std::get<SemiExplicitProblem>(p).y0 = x.y(0); };
    const ModelState end = run(s).end();
    const double expected = x.growth();
    claims.push_back(number_claim(
        fmt::format("arnold-theory-6.y3.mu{}.delta{}", mu, Delta),
        fmt::format("Example 9, implicit Euler with these residuals, mu = {}, Delta = {}: y3 at "
                    "t = 1 is Theta D_h + 2 mu D_h^2",
                    mu, Delta),
        expected, end["y3"], 1e-8 * expected));
    const double z = std::hypot(end["z1"], end["z2"]);
    claims.push_back(number_claim(
        fmt::format("arnold-theory-6.z.mu{}.delta{}", mu, Delta),
        fmt::format("the same run: the error of z has the size sqrt(2) D_h", mu, Delta),
        std::sqrt(2.0) * x.D(), z, 1e-8 * z));
  }
  return claims;
}

// Example 10, (2.52): the implicit Euler step for y2 alone,
// (eta - last) (last + eta + 1/(2 eta)) = 2 (-1)^(n+1) Theta.
double example10_recursion(double Theta, double h) {
  const auto steps = static_cast<long>(std::llround(1.0 / h));
  long double last = std::sqrt(1.0L - Theta + Theta);  // y1 = Theta, y1 + y2^2 - 1 = Theta
  for (long n = 0; n < steps; ++n) {
    const long double right = (n % 2 == 0 ? -2.0L : 2.0L) * static_cast<long double>(Theta);
    long double eta = last + right / (2.0L * last + 0.5L / last);
    for (int k = 0; k < 2; ++k) {
      const long double value = (eta - last) * (last + eta + 0.5L / eta) - right;
      const long double derivative =
          last + eta + 0.5L / eta + (eta - last) * (1.0L - 0.5L / (eta * eta));
      eta -= value / derivative;
    }
    last = eta;
  }
  return static_cast<double>(std::abs(last - 1.0L));
}

double example10_run(double Theta, double h) {
  Study s{.problem = "arnold-10", .h = h};
  s.residuals = {{"constraint", [Theta](long n, double) { return n % 2 == 0 ? Theta : -Theta; }}};
  s.change = [Theta](Problem& p) { std::get<SemiExplicitProblem>(p).y0[0] = Theta; };
  s.further.output = Output::end;
  return std::abs(run(s).end()["y2"] - 1.0);
}

std::vector<Claim> one_constraint(Context&) {
  std::vector<Claim> claims;
  const double beta = 4.0 / 5.0, Y = 1.2, beta_Y = 4.0 * Y / (1.0 + 4.0 * Y * Y),
               kappa = std::pow(beta_Y, 3) / (16.0 * Y * Y);
  claims.push_back(
      number_claim("arnold-theory-7.kappa", "Lemma 2, Y = 1.2: kappa", 0.01554, kappa, 5e-6));
  for (const double Theta : {1e-4, 1e-5}) {
    std::vector<double> steps, errors;
    bool above = true;
    for (const double h : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
      steps.push_back(h);
      errors.push_back(example10_run(Theta, h));
      above = above && errors.back() > std::min(Y - 1.0, 0.5 / h * kappa * Theta * Theta);
    }
    const auto text = [&](const char* words) {
      return fmt::format("Example 10, Theta = {}: {}", Theta, words);
    };
    // The factor falls as the error grows: three digits as long as the error is below 1e-4.
    std::vector<double> factors, measured;
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (errors[i] < 1e-4) {
        factors.push_back(0.064);
        measured.push_back(errors[i] * steps[i] / (Theta * Theta));
      }
    bool all = measured.size() >= 4;
    for (const double m : measured) all = all && std::abs(m - 0.064) < 5e-5;
    claims.push_back(list_claim(
        fmt::format("arnold-theory-7.factor.{}", Theta),
        text("error h / Theta^2 of y2 at t = 1 for h from 1e-2, while the error is below 1e-4"),
        factors, measured, 5e-5, all));
    claims.push_back(slope_claim(fmt::format("arnold-theory-7.slope.{}", Theta),
                                 text("slope of the error of y2 over h = 1e-2 to 1e-6"), -1.0,
                                 slope(steps, errors)));
    claims.push_back(fact_claim(fmt::format("arnold-theory-7.bound.{}", Theta),
                                text("the error lies above n kappa Theta^2 / 2"), above));
    claims.push_back(
        table_claim(fmt::format("arnold-theory-7.small.{}", Theta),
                    text("errors at h = 1e-6, 1e-7 (the latter by the recursion (2.52))"),
                    Theta == 1e-4 ? std::vector<double>{6.39e-4, 6.32e-3}
                                  : std::vector<double>{6.40e-6, 6.40e-5},
                    {errors.back(), example10_recursion(Theta, 1e-7)}, 1.002));
  }
  claims.push_back(
      slope_claim("arnold-theory-7.slope-theta", "Example 10, h = 1e-4: exponent of Theta", 2.0,
                  slope(1e-4, example10_run(1e-4, 1e-4), 1e-5, example10_run(1e-5, 1e-4))));
  claims.push_back(number_claim("arnold-theory-7.constant", "0.064 is beta(1)^3 / 8", 0.064,
                                std::pow(beta, 3) / 8.0, 1e-15));
  return claims;
}

// Example 11: the perturbed exact solution, y' = g_y^T (g_y g_y^T)^{-1} theta'.
double example11_exact(double Theta, double eps, long per_radian) {
  using V = std::array<double, 3>;
  const auto rate = [&](double t, const V& y) {
    const double a = Theta / eps * std::cos(t / eps), b = -Theta / eps * std::sin(t / eps);
    // g_y = (2 y1, -1, 0; 1, 0, -1), g_y g_y^T = (4 y1^2 + 1, 2 y1; 2 y1, 2).
    const double p = 4.0 * y[0] * y[0] + 1.0, q = 2.0 * y[0], det = 2.0 * p - q * q;
    const double u = (2.0 * a - q * b) / det, w = (p * b - q * a) / det;
    return V{2.0 * y[0] * u + w, -u, -w};
  };
  const auto steps = static_cast<long>(std::llround(static_cast<double>(per_radian) / eps));
  const double h = 1.0 / static_cast<double>(steps);
  V y{0.0, 0.0, -Theta};
  const auto moved = [](const V& y0, double s, const V& k) {
    return V{y0[0] + s * k[0], y0[1] + s * k[1], y0[2] + s * k[2]};
  };
  for (long n = 0; n < steps; ++n) {
    const double t = static_cast<double>(n) * h;
    const V a = rate(t, y), b = rate(t + 0.5 * h, moved(y, 0.5 * h, a)),
            c = rate(t + 0.5 * h, moved(y, 0.5 * h, b)), d = rate(t + h, moved(y, h, c));
    for (std::size_t i = 0; i < 3; ++i) y[i] += h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]);
  }
  return y[0];
}

double example11_run(double Theta, double eps, double h) {
  Study s{.problem = "arnold-11", .method = "bdf", .h = h, .order = 4};
  s.residuals = {{"constraint 1", [=](long, double t) { return Theta * std::sin(t / eps); }},
                 {"constraint 2", [=](long, double t) { return Theta * std::cos(t / eps); }}};
  s.change = [=](Problem& p) {
    auto& q = std::get<SemiExplicitProblem>(p);
    q.y0 = theory_vector({0.0, 0.0, -Theta});
    q.z0 = theory_vector({-Theta / eps, 0.0});
  };
  s.further.output = Output::end;
  return run(s).end()["y1"];
}

std::vector<Claim> two_constraints(Context&) {
  std::vector<Claim> claims;
  struct Row {
    double Theta, eps, ratio;
    bool by_run;
  };
  for (const Row& r : {Row{1e-3, 1e-4, 0.152, true}, Row{3e-3, 1e-4, 0.217, true},
                       Row{1e-3, 1e-5, 0.240, false}, Row{1e-3, 1e-3, 0.031, true}}) {
    const double unit = r.Theta * r.Theta / r.eps, y1 = example11_exact(r.Theta, r.eps, 20);
    const std::string name = fmt::format("{}.{}", r.Theta, r.eps);
    claims.push_back(list_claim(
        "arnold-theory-8.bounds." + name,
        fmt::format("Example 11, Theta = {}, eps = {}: y1(1) of the exact perturbed solution lies "
                    "between Theta^2/(72 eps) and Theta^2/(2 eps)",
                    r.Theta, r.eps),
        Json{unit / 72.0, unit / 2.0}, y1, Json(), y1 >= unit / 72.0 && y1 <= unit / 2.0));
    claims.push_back(number_claim(
        "arnold-theory-8.ratio." + name,
        fmt::format("Example 11, Theta = {}, eps = {}: y1(1) eps/Theta^2", r.Theta, r.eps), r.ratio,
        y1 / unit, 6e-4));
    if (!r.by_run) continue;
    const double computed = example11_run(r.Theta, r.eps, r.eps / 40.0);
    claims.push_back(list_claim(
        "arnold-theory-8.run." + name,
        fmt::format("the same with BDF4 on the perturbed index-2 system, h = eps/40, Theta = {}, "
                    "eps = {}: y1(1) eps/Theta^2 within the bounds",
                    r.Theta, r.eps),
        Json{1.0 / 72.0, 0.5}, computed / unit, Json(),
        computed >= unit / 72.0 && computed <= unit / 2.0));
  }
  return claims;
}

// Example 12: the perturbed solution of the index-3 system.
struct Example12 {
  double Theta, eps, nu, mu;
  double push() const { return Theta * Theta / (eps * eps) * (1.0 + nu / eps + mu / (eps * eps)); }
  Eigen::VectorXd q(double t) const {
    return theory_vector(
        {Theta * std::sin(t / eps), Theta * std::cos(t / eps), 0.5 * push() * t * t});
  }
  Eigen::VectorXd v(double t) const {
    return theory_vector(
        {Theta / eps * std::cos(t / eps), -Theta / eps * std::sin(t / eps), push() * t});
  }
  Eigen::VectorXd a(double t) const {
    const double s = Theta / (eps * eps);
    return theory_vector({-s * std::sin(t / eps), -s * std::cos(t / eps), push()});
  }
  Eigen::VectorXd lambda(double t) const {
    const double s = Theta / (eps * eps);
    return theory_vector({s * std::sin(t / eps), s * std::cos(t / eps)});
  }
};

std::vector<Claim> index3_bounds(Context&) {
  std::vector<Claim> claims;
  for (const auto& [nu, mu] :
       {std::pair{0.0, 0.0}, std::pair{1.0, 0.0}, std::pair{0.0, 1.0}, std::pair{1.0, 1.0}}) {
    const Example12 e{.Theta = 1e-4, .eps = 0.05, .nu = nu, .mu = mu};
    const auto p =
        std::get<MultibodyProblem>(catalogue_problem("arnold-12", {{"nu", nu}, {"mu", mu}}));
    double delta = 0.0, theta = 0.0;
    for (int n = 0; n <= 1000; ++n) {
      const double t = 1e-3 * n;
      const Eigen::VectorXd q = e.q(t), v = e.v(t), a = e.a(t), l = e.lambda(t);
      const std::vector<double> f = theory_call(p.force, t, {q, v, l}, 3),
                                g = theory_call(p.constraint, t, {q}, 2);
      for (int i = 0; i < 3; ++i)
        delta =
            std::max(delta, std::abs(a[i] - f[static_cast<std::size_t>(i)] + (i < 2 ? l[i] : 0.0)));
      theta = std::max({theta, std::abs(g[0] - e.Theta * std::sin(t / e.eps)),
                        std::abs(g[1] - e.Theta * std::cos(t / e.eps))});
    }
    const std::string name = fmt::format("nu{}.mu{}", nu, mu);
    const std::string start = fmt::format("Example 12, nu = {}, mu = {}: ", nu, mu);
    claims.push_back(
        list_claim("arnold-theory-9.residuals." + name,
                   start + "the perturbed functions leave delta = 0 and theta = Theta (sin, cos)",
                   Json{0.0, 0.0}, Json{delta, theta}, 1e-15, delta < 1e-15 && theta < 1e-15));
    Study s{.problem = "arnold-12",
            .values = {{"nu", nu}, {"mu", mu}},
            .method = "bdf",
            .formulation = "index3",
            .h = 5e-4,
            .order = 4};
    s.residuals = {{"constraint 1", [e](long, double t) { return e.q(t)[0]; }},
                   {"constraint 2", [e](long, double t) { return e.q(t)[1]; }}};
    s.change = [e](Problem& problem) {
      auto& m = std::get<MultibodyProblem>(problem);
      m.q0 = e.q(0.0);
      m.v0 = e.v(0.0);
      m.lambda0 = e.lambda(0.0);
    };
    s.further.output = Output::end;
    s.further.known = [e](double t, Out y) {
      y.head(3) = e.q(t);
      y.segment(3, 3) = e.v(t);
      y.tail(2) = e.lambda(t);
      return true;
    };
    const double q3 = run(s).end()["q3"], expected = 0.5 * e.push();
    claims.push_back(number_claim(
        "arnold-theory-9.growth." + name,
        start + "BDF4 with these residuals, q3(1) = (Theta^2/eps^2 + nu Theta^2/eps^3 + mu "
                "Theta^2/eps^4)/2",
        expected, q3, 1e-4 * expected));
  }
  return claims;
}

}  // namespace

std::vector<Experiment> sharpness_experiments() {
  return {experiment(6, "Example 9: bounds for index 2 are attained", 0.02, index2_bounds,
                     Basis::printed("Example 9")),
          experiment(7, "Example 10: growth theta^2/h with one constraint (Fig. 2.4)", 2.5,
                     one_constraint, Basis::printed("Example 10, text on Fig. 2.4"),
                     {{"kappa", Basis::own("formula of Lemma 2 evaluated")},
                      {"factor", Basis::own("80-bit program; beta(1)^3/8")},
                      {"small", Basis::own("80-bit program")},
                      {"constant", Basis::own("beta(1)^3/8, derived by us")},
                      {"bound", Basis::theorem("Lemma 2")}}),
          experiment(8, "Example 11: growth of the exact solution with two constraints", 0.8,
                     two_constraints, Basis::printed("Example 11"),
                     {{"ratio", Basis::own("80-bit program")}}),
          experiment(9, "Example 12: bounds for index 3 are attained", 0.02, index3_bounds,
                     Basis::printed("Example 12"))};
}

}  // namespace daedalus::experiments::theory
