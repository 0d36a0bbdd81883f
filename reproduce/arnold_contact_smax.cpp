// SPDX-License-Identifier: BSD-3-Clause
// The smooth maximum and its quadrature: claims 10 to 12 (Lemma 12, (4.21), (4.25), Example 33),
// and lift-off: claim 21 (Remark 37).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <catalogue/disc_hyperbola.hpp>
#include <daedalus/solve.hpp>

#include "reproduce/arnold_contact.hpp"
#include "reproduce/arnold_contact_wheel.hpp"
#include "reproduce/support.hpp"

namespace daedalus::experiments::contact {
namespace {

using problems::disc_hyperbola_model::Disc;
using Json = nlohmann::ordered_json;

auto fine_disc(double nu) {
  return ContactFamily(problems::disc_hyperbola_model::rim(0.8, 400), nu, Disc{});
}

std::vector<Claim> lemma12(Context&) {
  std::vector<Claim> claims;
  const std::vector<double> nus{0.2, 0.05, 0.01, 1e-3, 1e-4};
  bool below = true, monotone = true;
  double last = 0.0;
  for (const double q1 : {-1.0, -0.3, 0.0, 0.05, 0.8}) {
    double before = -1e300;
    for (const double nu : nus) {
      const auto f = fine_disc(nu);
      const double smax = f.smax(std::array{q1}), top = f.rigid(std::array{q1}).value;
      below = below && smax <= top;
      monotone = monotone && smax >= before;
      before = smax;
      if (nu == nus.back()) last = std::max(last, top - smax);
    }
  }
  claims.push_back(fact_claim("arnold-contact-10.below", "Lemma 12: smax <= max", below));
  claims.push_back(fact_claim("arnold-contact-10.monotone", "smax grows when nu falls", monotone));
  claims.push_back(list_claim("arnold-contact-10.limit",
                              "Lemma 12: smax -> max; largest difference for nu = 1e-4",
                              "at most 1e-3", last, Json(), last <= 1e-3));
  // max - smax = nu ln(L / sum of sqrt(2 pi nu/|zeta_ss|)) + O(nu^2), over all contact points.
  const auto excess = [](double q1, double nu) {
    const auto f = fine_disc(nu);
    const RigidContact top = f.rigid(std::array{q1});
    const double count = q1 == 0.0 ? 2.0 : 1.0;
    const double width = count * std::sqrt(2.0 * std::numbers::pi * nu / -top.curvature);
    return std::abs(f.approach(std::array{q1}) - nu * std::log(1.6 / width)) / nu;
  };
  for (const double q1 : {-1.0, 0.0}) {
    const double coarse = excess(q1, 2e-3), fine = excess(q1, 2e-4);
    claims.push_back(list_claim(
        fmt::format("arnold-contact-10.asymptotics{}", q1 == 0.0 ? ".jump" : ""),
        fmt::format("approach = nu ln(length / sum of sqrt(2 pi nu/|zeta_ss|)) (1 + o(1)) at "
                    "q1 = {}: what is left over nu, for nu = 2e-3 and 2e-4",
                    q1),
        "falls like nu", Json{coarse, fine}, Json{{"ratio", 2.0}},
        fine < 1e-2 && within(coarse / fine, 10.0, 2.0)));
  }
  // zeta Lambda-Lipschitz: approach <= nu (1 + ln(Lambda L / nu)).
  bool bounded = true;
  for (const double nu : {0.5, 0.1, 0.01}) {
    const ContactFamily parabola(
        ContactGrid::gauss({0.0, 1.0, 2.0, 3.0, 4.0}, 64), nu,
        [](const auto& s, const auto& p) { return -(s - p[0]) * (s - p[0]); });
    for (const double x : {0.0, 1.0, 2.0})
      bounded = bounded && parabola.approach(std::array{x}) <=
                               nu * (1.0 + std::log(2.0 * (4.0 - x) * 4.0 / nu));
  }
  claims.push_back(fact_claim("arnold-contact-10.bound",
                              "approach <= nu (1 + ln(Lambda L/nu)) for Lipschitz zeta", bounded));
  for (const Claim& c : wheel_rail::wheel_approaches()) claims.push_back(c);
  return claims;
}

// Three parameters, all second derivatives different from zero, hills that compete.
struct Waves {
  double offset = 0.0;
  template <class S, class P>
  auto operator()(const S& s, const P& p) const {
    using std::cos, std::sin;
    return offset + p[0] * s - p[1] * s * s + 0.3 * cos(3.0 * s + p[2] * p[0]) +
           sin(p[2] * s) * p[1];
  }
};

std::vector<Claim> derivatives(Context&) {
  std::vector<Claim> claims;
  const ContactGrid grid = ContactGrid::uniform(-2.0, 2.0, 200);
  const ContactFamily f(grid, 0.05, Waves{});
  double gradient = 0.0, hessian = 0.0;
  constexpr double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280}, h = 1e-3;
  for (const std::array<double, 3> p :
       {std::array{0.1, 0.4, 0.7}, std::array{-0.3, 0.2, 1.5}, std::array{0.5, 0.6, -0.4}}) {
    const auto e = f.expansion(p);
    for (std::size_t j = 0; j < 3; ++j) {
      double first = 0.0;
      std::array<double, 3> second{};
      for (int k = 1; k <= 4; ++k) {
        std::array<double, 3> up = p, down = p;
        up[j] += k * h;
        down[j] -= k * h;
        const auto a = f.expansion(up), b = f.expansion(down);
        first += weights[k - 1] * (f.smax(up) - f.smax(down)) / h;
        for (std::size_t i = 0; i < 3; ++i)
          second[i] += weights[k - 1] * (a.gradient[i] - b.gradient[i]) / h;
      }
      gradient = std::max(gradient, std::abs(first - e.gradient[j]) / std::abs(e.gradient[j]));
      for (std::size_t i = 0; i < 3; ++i)
        hessian =
            std::max(hessian, std::abs(second[i] - e.hessian[i][j]) / std::abs(e.hessian[i][j]));
    }
  }
  claims.push_back(number_claim("arnold-contact-11.gradient",
                                "smax_j = E[zeta_j]: largest relative difference to differences",
                                0.0, gradient, 1e-8));
  claims.push_back(number_claim("arnold-contact-11.hessian",
                                "smax_jk = E[zeta_jk] + Cov(zeta_j, zeta_k)/nu: likewise", 0.0,
                                hessian, 1e-8));
  const ContactFamily low(grid, 2e-5, Waves{}), high(grid, 2e-5, Waves{0.5});
  const std::array<double, 3> p{0.1, 0.4, 0.7};
  const auto a = low.expansion(p), b = high.expansion(p);
  claims.push_back(
      number_claim("arnold-contact-11.overflow",
                   "zeta/nu about 2.5e4 and more: smax(zeta + 0.5) - smax(zeta) - 0.5, nu = 2e-5",
                   0.0, b.value - a.value - 0.5, 1e-14));
  double worst = 0.0;
  for (std::size_t j = 0; j < 3; ++j)
    worst = std::max(worst, std::abs(a.gradient[j] - b.gradient[j]) / std::abs(a.gradient[j]));
  claims.push_back(number_claim("arnold-contact-11.overflow.gradient",
                                "the same for the gradient, relative", 0.0, worst, 1e-9));
  const auto slope = [&](double nu) {
    const auto E = ContactFamily(grid, nu, Waves{}).smooth(p, [](double s, const auto& x) {
      return std::array<double, 1>{Waves{}(s, x)};
    });
    return (E.value - E.mean[0]) / nu;
  };
  const double exact = slope(0.05), by_nu = (ContactFamily(grid, 0.05 + 1e-5, Waves{}).smax(p) -
                                             ContactFamily(grid, 0.05 - 1e-5, Waves{}).smax(p)) /
                                            2e-5;
  claims.push_back(number_claim("arnold-contact-11.nu", "d smax/dnu = (smax - E[zeta])/nu <= 0",
                                exact, by_nu, 1e-7));
  return claims;
}

std::vector<Claim> fixed_grid(Context&) {
  const auto parabola = [](const ContactGrid& grid, double nu) {
    return ContactFamily(grid, nu,
                         [](const auto& s, const auto& p) { return -(s - p[0]) * (s - p[0]); });
  };
  struct Row {
    int n;
    double nu;
    std::vector<double> values;
  };
  const std::vector<Row> rows{{5, 0.1, {-0.19695, -0.17009, -0.25163, -0.17009, -0.19694}},
                              {5, 0.25, {-0.38094, -0.36942, -0.38758, -0.36940, -0.37677}},
                              {5, 0.5, {-0.62596, -0.58350, -0.58081, -0.57994, -0.58074}},
                              {7, 0.1, {-0.19653, -0.20365, -0.20676, -0.20365, -0.19652}},
                              {7, 0.25, {-0.37975, -0.37697, -0.37703, -0.37695, -0.37678}},
                              {7, 0.5, {-0.61386, -0.58283, -0.58033, -0.58030, -0.58191}},
                              {5, 1e-6, {-0.04, -0.01, -0.16, -0.01, -0.04}},
                              {7, 1e-6, {-0.0204, -0.0459, -0.0816, -0.0459, -0.0204}}};
  const std::vector<double> places{1.0, 1.5, 2.0, 2.5, 3.0};
  std::vector<Claim> claims;
  for (const Row& r : rows) {
    const auto f = parabola(ContactGrid::uniform(0.0, 4.0, r.n), r.nu);
    // At nu = 1e-6 only the limit max_i zeta(s_i) is known, and to four digits.
    const double tolerance = r.nu > 1e-3 ? 5.1e-6 : 5.1e-5;
    std::vector<double> measured;
    bool all = true;
    for (std::size_t i = 0; i < places.size(); ++i) {
      measured.push_back(f.smax(std::array{places[i]}));
      all = all && std::abs(measured[i] - r.values[i]) <= tolerance;
    }
    claims.push_back(list_claim(
        fmt::format("arnold-contact-12.n{}.nu{}", r.n, r.nu),
        fmt::format("Example 33, (4.25), N = {}, nu = {}: smax at xi_v = 1, 1.5, 2, 2.5, 3", r.n,
                    r.nu),
        r.values, measured, tolerance, all,
        "the figure has no printed data; the numbers come from another program"));
  }
  const std::vector<double> nus{0.1, 0.25, 0.5}, exact{-0.19652, -0.37677, -0.58028};
  std::vector<double> measured;
  bool all = true;
  for (std::size_t i = 0; i < nus.size(); ++i) {
    measured.push_back(
        parabola(ContactGrid::gauss({0.0, 1.0, 2.0, 3.0, 4.0}, 32), nus[i]).smax(std::array{2.0}));
    all = all && std::abs(measured[i] - exact[i]) <= 5.1e-6;
  }
  claims.push_back(list_claim("arnold-contact-12.exact",
                              "Example 33: smax with the integral itself at xi_v = 2, nu = 0.1, "
                              "0.25, 0.5",
                              exact, measured, 5.1e-6, all));
  const auto bumps = [&](int n, double nu) {
    const auto f = parabola(ContactGrid::uniform(0.0, 4.0, n), nu);
    double low = 1e300, high = -1e300;
    for (int i = 0; i <= 100; ++i) {
      const double value = f.smax(std::array{1.5 + 0.01 * i});
      low = std::min(low, value);
      high = std::max(high, value);
    }
    return high - low;
  };
  const double coarse = bumps(5, 0.1), fine = bumps(7, 0.1), wide = bumps(5, 0.25);
  claims.push_back(list_claim("arnold-contact-12.bumps",
                              "Fig. 4.19: a coarse grid makes bumps, 1.5 <= xi_v <= 2.5; N = 5, "
                              "N = 7 with nu = 0.1, N = 5 with nu = 0.25",
                              "the first is largest by far", Json{coarse, fine, wide}, Json(),
                              coarse > 4.0 * fine && coarse > 4.0 * wide));
  for (const Claim& c : wheel_rail::wheel_grids()) claims.push_back(c);
  return claims;
}

std::vector<Claim> lift(Context&) {
  std::vector<Claim> claims;
  const problems::Entry& e = entry("cam-follower");
  const problems::Values fast{{"speed", 150.0}}, slow{};
  Options o{.method = "rodas5p", .formulation = "index1", .rtol = 1e-9, .atol = 1e-9};
  o.events = e.events(fast);
  const Solution s = solve(e.problem(fast), {0.0, 0.1}, o);
  const bool stopped =
      s.status() == Status::stopped_by_event && s.events().back().name == "lift-off";
  claims.push_back(fact_claim("arnold-contact-21.stops",
                              "Remark 37: a follower on a fast cam lifts off; the run stops at the "
                              "sign change of lambda",
                              stopped));
  claims.push_back(number_claim("arnold-contact-21.lambda", "lambda there", 0.0,
                                stopped ? s.end()["lambda"] : std::nan(""), 1e-5));
  // The same instant from minimal coordinates: y = S(phi),
  // (J + m S'^2) phi'' = drive (speed - phi') + S' (F - m S'' phi'^2), lambda = F - m y''.
  const auto zeta = [](const auto& sigma, const auto& p) {
    using std::cos;
    return (0.03 + 0.004 * cos((p[0] + sigma) * 3)) * cos(sigma);
  };
  const ContactFamily cam(ContactGrid::uniform(-1.5, 1.5, 300), 2e-5, zeta);
  struct Motion {
    double rate, lambda;
  };
  const auto motion = [&](const std::array<double, 2>& y) {
    const auto S = cam.expansion(std::array{y[0]});
    const double slope = S.gradient[0], curve = S.hessian[0][0], w = y[1];
    const double force = -0.2 * 9.81 - 60.0 - 2000.0 * (S.value - 0.03) - slope * w;
    const double rate =
        (0.05 * (150.0 - w) + slope * (force - 0.2 * curve * w * w)) / (1e-3 + 0.2 * slope * slope);
    return Motion{rate, force - 0.2 * (curve * w * w + slope * rate)};
  };
  const auto step = [&](const std::array<double, 2>& y, double h) {
    const auto moved = [&](double c, const std::array<double, 2>& k) {
      return std::array{y[0] + c * k[0], y[1] + c * k[1]};
    };
    const auto rate = [&](const std::array<double, 2>& x) {
      return std::array{x[1], motion(x).rate};
    };
    const auto k1 = rate(y), k2 = rate(moved(0.5 * h, k1)), k3 = rate(moved(0.5 * h, k2)),
               k4 = rate(moved(h, k3));
    return std::array{y[0] + h / 6.0 * (k1[0] + 2.0 * (k2[0] + k3[0]) + k4[0]),
                      y[1] + h / 6.0 * (k1[1] + 2.0 * (k2[1] + k3[1]) + k4[1])};
  };
  std::array<double, 2> y{-std::numbers::pi / 6.0, 150.0};
  double t = 0.0, h = 2e-6;
  while (t < 0.1 && motion(step(y, h)).lambda < 0.0) y = step(y, h), t += h;
  for (double low = 0.0, high = h; high - low > 1e-14; h = low) {
    const double middle = 0.5 * (low + high);
    (motion(step(y, middle)).lambda < 0.0 ? low : high) = middle;
  }
  claims.push_back(number_claim("arnold-contact-21.time",
                                "time of lift-off against minimal coordinates", t + h,
                                stopped ? s.end_time() : std::nan(""), 1e-7));
  o.events = e.events(slow);
  const Solution resting = solve(e.problem(slow), {0.0, 0.2}, o);
  claims.push_back(fact_claim("arnold-contact-21.stays", "a slow cam keeps its follower",
                              resting.status() == Status::success));
  return claims;
}

}  // namespace

std::vector<Experiment> smax_experiments() {
  return {
      experiment(
          10, "Lemma 12: smooth maximum and maximum", 0.1, lemma12, Basis::theorem("Lemma 12"),
          {{"monotone", Basis::own("derivative in nu, derived by us")},
           {"asymptotics", Basis::own("expansion derived by us")},
           {"bound", Basis::own("bound derived by us")},
           {"S1002", Basis::own("another program of the same formulas with replacement data")}}),
      experiment(11, "Gradient, Hessian, overflow of the smooth maximum", 0.1, derivatives,
                 Basis::own("derivatives of (4.21) derived by us")),
      experiment(12, "Fixed grids (Example 33, Fig. 4.19)", 0.4, fixed_grid,
                 Basis::own("another program; the figure has no printed data"),
                 {{"bumps", Basis::printed("Example 33, text on Fig. 4.19")}})};
}

std::vector<Experiment> lift_experiments() {
  return {experiment(
      21, "Lift-off by the sign of the multiplier", 0.5, lift, Basis::printed("Remark 37"),
      {{"time", Basis::own("minimal coordinates, classical Runge-Kutta method written apart")}})};
}

}  // namespace daedalus::experiments::contact
