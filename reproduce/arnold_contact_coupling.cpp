// SPDX-License-Identifier: BSD-3-Clause
// Claim 5, what the plain corrector does to h: the disc on a hyperbola (a = 1) in stabilised index
// 1 as implicit system in x = (q1, q2, v1, v2, s, lambda), with the constraint of velocities once
// as r_G = g_q v, once with G~ = g_q - g_s h_s^-1 h_q. Both vanish together where h = g_s = 0, but
// d(g_q v)/ds = h_q v, while d(G~ v)/ds = g_qs v - g_ss h_s^-1 h_q v = 0 for h = g_s.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <daedalus/solve.hpp>

#include "reproduce/arnold_contact.hpp"

namespace daedalus::experiments::contact {
namespace coupled_disc {
namespace {

constexpr double rho = 0.8, gravity = 9.81, a = 1.0;

// zeta = sqrt(rho^2 - s^2) + sqrt((q1 + s)^2 + a^2) and its derivatives.
template <class S>
struct Zeta {
  S value, q, qq, s, ss;  // zeta_sq = zeta_qq
  Zeta(const S& q1, const S& at) {
    using std::sqrt;
    const S below = sqrt((rho - at) * (rho + at)), ground = sqrt((q1 + at) * (q1 + at) + a * a);
    value = below + ground;
    q = (q1 + at) / ground;
    qq = a * a / (ground * ground * ground);
    s = q - at / below;
    ss = qq - rho * rho / (below * below * below);
  }
};

double touching(double q1) {
  double low = -0.79, high = 0.79;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (Zeta<double>(q1, middle).s > 0.0 ? low : high) = middle;
  }
  return low;
}

ImplicitProblem disc(bool full) {
  const double q1 = -1.0, s0 = touching(q1);
  const Zeta<double> z(q1, s0);
  const double lambda = -gravity / (1.0 + z.q * z.q), v1p = lambda * z.q;
  ImplicitProblem p;
  p.name = "disc";
  p.residual = autodiff([](const auto&, const auto& x, const auto& xp, auto& r) {
    using S = std::decay_t<decltype(x[0] + xp[0])>;
    const Zeta<S> k{S(x[0]), S(x[4])};
    const S rate = -k.qq * x[2] / k.ss;  // s' of h = 0
    r[0] = xp[0] - x[2];
    r[1] = xp[1] - x[3];
    r[2] = xp[2] - x[5] * k.q;
    r[3] = xp[3] + gravity + x[5];
    r[4] = -k.s;
    // The accelerations that the forces give: r_B is an equation for lambda.
    r[5] = -gravity - x[5] - k.q * k.q * x[5] - k.qq * (x[2] + rate) * x[2];
  });
  p.extra_count = 2;
  p.extra_constraints = autodiff([full](const auto&, const auto& x, auto& gamma) {
    using S = std::decay_t<decltype(x[0] + x[0])>;
    const Zeta<S> k{S(x[0]), S(x[4])};
    gamma[0] = x[1] - k.value;
    gamma[1] = x[3] - k.q * x[2];
    if (full) gamma[1] = gamma[1] + k.s / k.ss * k.qq * x[2];
  });
  p.side_equations = {4};
  p.side_variables = {4};
  p.variable_index = {1, 1, 1, 1, 1, 1};
  p.index = 1;
  p.y0 = (Eigen::VectorXd(6) << q1, z.value, 0.0, 0.0, s0, lambda).finished();
  p.yp0 = (Eigen::VectorXd(6) << 0.0, 0.0, v1p, z.q * v1p, 0.0, 0.0).finished();
  p.variables = {"q1", "q2", "v1", "v2", "s", "lambda"};
  return p;
}

// Largest |h| of a run to t = 1, and how far it came.
struct Violation {
  double h = 0.0, end = 0.0;
};
Violation violation(bool full, const char* formulation, double tolerance) {
  Options o;
  o.method = "odassl";
  o.formulation = formulation;
  o.rtol = tolerance;
  o.atol = tolerance;
  const Solution s = solve(disc(full), {0.0, 1.0}, o);
  Violation v;
  for (std::size_t i = 0; i < s.times().size(); ++i)
    v.h = std::max(v.h, std::abs(Zeta<double>(s.state(i)["q1"], s.state(i)["s"]).s));
  v.end = s.end_time();
  return v;
}

}  // namespace
}  // namespace coupled_disc

std::vector<Claim> rate_constraints() {
  using namespace coupled_disc;
  // |h| in tolerances.
  std::vector<double> simple, whole, corrected;
  bool through = true;
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    const auto add = [&](std::vector<double>& list, bool full, const char* formulation) {
      const Violation v = violation(full, formulation, tolerance);
      list.push_back(v.h / tolerance);
      through = through && v.end == 1.0;
    };
    add(simple, false, "overdetermined-plain");
    add(whole, true, "overdetermined-plain");
    add(corrected, false, "overdetermined");
  }
  const auto largest = [](const std::vector<double>& v) {
    return *std::max_element(v.begin(), v.end());
  };
  return {
      list_claim("arnold-contact-5.rate",
                 "plain coupling of r_G = g_q v violates h = 0: largest |h(q, s)| in "
                 "tolerances, disc with a = 1, tolerances 1e-3, 1e-4, 1e-5",
                 "at least 10", simple, nlohmann::ordered_json(),
                 through && *std::min_element(simple.begin(), simple.end()) >= 10.0,
                 "the source prints no numbers for h"),
      list_claim("arnold-contact-5.rate.corrected",
                 "with (3.18), or with r_G = G~ v in the plain coupling, it does not",
                 "at most 0.01", nlohmann::ordered_json{corrected, whole}, nlohmann::ordered_json(),
                 through && std::max(largest(corrected), largest(whole)) <= 0.01,
                 "d(G~ v)/ds = g_qs v - g_ss h_s^-1 h_q v = 0 for h = g_s")};
}

}  // namespace daedalus::experiments::contact
