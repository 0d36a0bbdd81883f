// SPDX-License-Identifier: BSD-3-Clause
// Classes of problems with a parameter: claims 22 and 23 (Examples 14 and 16, section 2.4).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "reproduce/arnold_theory.hpp"

namespace daedalus::experiments::theory {
namespace {

constexpr double uniform_pi = std::numbers::pi;

// Implicit Euler on Baumgarte's form with theta_n = (-1)^n Theta, started where it oscillates:
// |z| at the end.
double baumgarte_alternating(double alpha, double h, double Theta) {
  Study s{.problem = "arnold-14", .formulation = "baumgarte", .h = h};
  s.further.formulation_options["alpha"] = alpha;
  s.further.output = Output::end;
  s.residuals = {{"constraint", [Theta](long n, double) { return n % 2 == 0 ? Theta : -Theta; }}};
  const double w = Theta / (1.0 + 2.0 / (alpha * h));
  s.change = [w](Problem& p) {
    auto& q = std::get<SemiExplicitProblem>(p);
    q.y0.array() += 0.5 * w;
  };
  return std::abs(run(s).end()["z"]);
}

// theta = Theta cos(t/eps) with eps = alpha^(-1/2), start values of (2.89): |z| at pi eps/2.
double baumgarte_smooth(double alpha, double Theta) {
  const double eps = 1.0 / std::sqrt(alpha);
  Study s{.problem = "arnold-14",
          .method = "bdf",
          .formulation = "baumgarte",
          .h = 0.5 * uniform_pi * eps / 400.0,
          .order = 4};
  s.further.formulation_options["alpha"] = alpha;
  s.t_end = 0.5 * uniform_pi * eps;
  s.residuals = {{"constraint", [=](long, double t) { return Theta * std::cos(t / eps); }}};
  const double w = alpha / (1.0 + alpha) * Theta;
  s.change = [w](Problem& p) {
    auto& q = std::get<SemiExplicitProblem>(p);
    q.y0[1] += w;
    q.z0[0] = 0.5 * w;
  };
  s.further.output = Output::end;
  return std::abs(run(s).end()["z"]);
}

std::vector<Claim> baumgarte(Context&) {
  std::vector<Claim> claims;
  const double Theta = 1e-6;
  for (const double h : {1e-2, 1e-4}) {
    std::vector<double> expected, measured;
    bool all = true, bounded = true;
    for (const double alpha : {1.0, 10.0, 100.0, 1e3, 1e4, 1e5}) {
      expected.push_back(alpha / (2.0 + alpha * h));
      measured.push_back(baumgarte_alternating(alpha, h, Theta) / Theta);
      all = all && std::abs(measured.back() / expected.back() - 1.0) < 1e-6;
      bounded = bounded && measured.back() <= std::min(0.5 * alpha, 1.0 / h) * (1.0 + 1e-6);
    }
    claims.push_back(list_claim(
        fmt::format("arnold-theory-22.alternating.{}", h),
        fmt::format("Example 14 in Baumgarte's form, implicit Euler, h = {}: |z error|/Theta = "
                    "alpha/(2 + alpha h) for alpha = 1 to 1e5",
                    h),
        expected, measured, Json{{"relative", 1e-6}}, all));
    claims.push_back(fact_claim(
        fmt::format("arnold-theory-22.bounded.{}", h),
        fmt::format("h = {}: it is at most min(alpha/2, 1/h) (Remark 14a)", h), bounded));
  }
  std::vector<double> alphas{1e2, 1e4, 1e6}, peak, peak_expected, constants, bounds;
  bool all = true, above = true;
  for (const double alpha : alphas) {
    const double z = baumgarte_smooth(alpha, Theta) / Theta;
    peak_expected.push_back(0.5 * std::pow(alpha, 1.5) / (1.0 + alpha));
    peak.push_back(z);
    all = all && std::abs(z / peak_expected.back() - 1.0) < 1e-4;
    // |error at the start| + |theta|: y2 and z start with w and w/2, w = alpha/(1 + alpha) Theta.
    constants.push_back(z / (1.0 + 1.5 * alpha / (1.0 + alpha)));
    bounds.push_back(std::sqrt(alpha) / 12.0);
    above = above && constants.back() >= bounds.back();
  }
  claims.push_back(list_claim("arnold-theory-22.smooth",
                              "theta = Theta cos(t/eps), eps = alpha^(-1/2), BDF4: |z(pi eps/2)| / "
                              "Theta = alpha^(3/2)/(1 + alpha)/2 for alpha = 1e2, 1e4, 1e6",
                              peak_expected, peak, Json{{"relative", 1e-4}}, all));
  claims.push_back(list_claim("arnold-theory-22.constant",
                              "the constant of index 1 is at least sqrt(alpha)/12", bounds,
                              constants, Json(), above));
  claims.push_back(slope_claim("arnold-theory-22.growth",
                               "it grows like alpha^(1/2): uniform perturbation index 2, not 1",
                               0.5, slope(alphas, constants)));
  return claims;
}

// alpha_i of U_i' = -alpha_i U_i, from the equations of the catalogue applied to the i-th mode.
double mode_rate(int N, double rho, int i) {
  const auto p = std::get<SemiExplicitProblem>(
      catalogue_problem("arnold-16", {{"N", static_cast<double>(N)}, {"rho", rho}}));
  Eigen::VectorXd mode(N), none = Eigen::VectorXd::Zero(N), a(N), b(N);
  for (int k = 0; k < N; ++k) mode[k] = std::sin(i * uniform_pi * (k + 1.0) / (N + 1.0));
  const auto call = [&](const auto& function, const Eigen::VectorXd& u, const Eigen::VectorXd& v,
                        Eigen::VectorXd& out) {
    Arguments<double> x;
    x.x = {u.data(), v.data()};
    x.n = {N, N};
    if (function(x, out.data(), N) != Eval::ok) throw std::runtime_error("rejected");
  };
  call(p.g, mode, none, a);
  call(p.g, none, mode, b);
  const Eigen::VectorXd v = -(a.dot(mode) / b.dot(mode)) * mode;
  call(p.f, mode, v, a);
  return -a.dot(mode) / mode.squaredNorm();
}

Solution grid_run(int N, double rho, double h, double t_end, const std::string& method, int order,
                  double second, double Theta) {
  Study s{.problem = "arnold-16",
          .values = {{"N", static_cast<double>(N)}, {"rho", rho}, {"second", second}},
          .method = method,
          .h = h,
          .order = order};
  s.t_end = t_end;
  if (Theta > 0.0) {
    std::vector<std::pair<std::string, Residual>> rows;
    for (int k = 1; k <= N; ++k) {
      const double shape = Theta * std::sin(2.0 * uniform_pi * k / (N + 1.0));
      rows.emplace_back(fmt::format("algebraic {}", k),
                        [shape](long n, double) { return n % 2 == 0 ? shape : -shape; });
    }
    s.residuals = std::move(rows);
  }
  return run(s);
}

double second_mode(const ModelState& s, int N) {
  double sum = 0.0;
  for (int k = 0; k < N; ++k) sum += s.y()[k] * std::sin(2.0 * uniform_pi * (k + 1.0) / (N + 1.0));
  return 2.0 * sum / (N + 1.0);
}

std::vector<Claim> method_of_lines(Context&) {
  std::vector<Claim> claims;
  const std::vector<double> zero{-0.0801, -13.3646, 4.0053, 4.5262, 5.3601, 5.9878},
      two{0.5718, 15.2339, -0.1453, 1.5433, 2.7001, 3.4500};
  for (const bool second : {false, true}) {
    std::vector<double> rates;
    bool all = true;
    for (int i = 1; i <= 6; ++i) {
      rates.push_back(mode_rate(6, second ? -2.0 : 0.0, i));
      all = all &&
            std::abs(rates.back() - (second ? two : zero)[static_cast<std::size_t>(i - 1)]) <= 5e-5;
    }
    claims.push_back(list_claim(
        fmt::format("arnold-theory-23.alpha.rho{}", second ? -2 : 0),
        fmt::format("Example 16, N = 6, L = pi, rho = {}: alpha of the six modes", second ? -2 : 0),
        second ? two : zero, rates, 5e-5, all));
    const double dx = uniform_pi / 200.0, fine = mode_rate(199, second ? -2.0 : 0.0, 2),
                 rest = second ? fine - 3.0 / (dx * dx) : fine + 3.0 / (dx * dx);
    claims.push_back(number_claim(fmt::format("arnold-theory-23.expansion.rho{}", second ? -2 : 0),
                                  second
                                      ? "rho = -2, N = 199: alpha of the critical mode minus 3/dx^2"
                                      : "rho = 0, N = 199: alpha of the critical mode plus 3/dx^2",
                                  second ? 0.4 : 1.6, rest, 5e-3));
  }
  std::vector<double> expected, measured;
  bool all = true;
  for (const int N : {6, 12, 24}) {
    const double t = 0.1, start = 1e-6;
    const Solution s = grid_run(N, 0.0, 2e-4, t, "bdf", 4, start, 0.0);
    expected.push_back(3.0 * (N + 1.0) * (N + 1.0) / (uniform_pi * uniform_pi));
    measured.push_back(std::log(second_mode(s.end(), N) / start) / t);
    // alpha = -3/dx^2 + 8/5 + O(dx^2).
    all = all && std::abs(measured.back() - expected.back() + 1.6) < 0.15;
  }
  claims.push_back(list_claim(
      "arnold-theory-23.amplification",
      "rho = 0: the critical mode grows like exp(3 ((N+1)/L)^2 t), N = 6, 12, 24 (exponents; the "
      "next term is -8/5)",
      expected, measured, Json{{"minus", 1.6}, {"absolute", 0.15}}, all));
  std::vector<double> scaled, plain;
  for (const int N : {6, 12, 24, 48, 96}) {
    const double h = 1e-2, Theta = 1e-6;
    const auto effect = [&](double step) {
      const Solution a = grid_run(N, -2.0, step, 100 * step, "implicit-euler", 0, 0.0, Theta),
                     b = grid_run(N, -2.0, step, 100 * step, "implicit-euler", 0, 0.0, 0.0);
      double most = 0.0;
      for (std::size_t n = 1; n < a.times().size(); ++n)
        most = std::max(most, (a.state(n).y() - b.state(n).y()).cwiseAbs().maxCoeff());
      return most / Theta;
    };
    scaled.push_back(h * effect(h));
    plain.push_back(effect(1e-4));
  }
  claims.push_back(list_claim(
      "arnold-theory-23.index2",
      "rho = -2, alternating theta in the critical mode, h = 0.01: h |error|/theta stays bounded, "
      "N = 6 to 96",
      "at most 2.2, the last two within a factor 1.2", scaled, Json(),
      *std::max_element(scaled.begin(), scaled.end()) <= 2.2 && within(scaled[4], scaled[3], 1.2)));
  claims.push_back(
      list_claim("arnold-theory-23.not-index1",
                 "rho = -2, h = 1e-4: |error|/theta itself grows with the number of grid points",
                 "by more than 20", plain, Json(), plain.back() > 20.0 * plain.front()));
  return claims;
}

}  // namespace

std::vector<Experiment> uniform_experiments() {
  return {experiment(22, "Baumgarte's stabilisation (Example 14)", 0.1, baumgarte,
                     Basis::printed("Example 14 and Remark 14 a"),
                     {{"alternating", Basis::own("closed form derived by us")},
                      {"growth", Basis::theorem("Example 15 b")}}),
          experiment(23, "A partial differential equation on finer grids (Example 16)", 0.1,
                     method_of_lines, Basis::theorem("Corollary 2"),
                     {{"alpha", Basis::own("(2.98) evaluated by another program")},
                      {"expansion", Basis::own("series expansion of (2.98)")},
                      {"amplification", Basis::printed("Example 16")}})};
}

}  // namespace daedalus::experiments::theory
