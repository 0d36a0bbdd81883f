// SPDX-License-Identifier: BSD-3-Clause
// The disc on a hyperbola branch: claims 1 to 5 (Examples 19 and 24 to 28, Theorems 19 and 20,
// Remarks 38, 39 and 41).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <catalogue/disc_hyperbola.hpp>
#include <daedalus/solve.hpp>

#include "reproduce/arnold_contact.hpp"
#include "reproduce/arnold_contact_wheel.hpp"
#include "reproduce/support.hpp"

namespace daedalus::experiments::contact {
namespace {

using problems::disc_hyperbola_model::Constants;
using problems::disc_hyperbola_model::Disc;
using Json = nlohmann::ordered_json;

constexpr const char* own_numbers = "the source prints no numbers; these come from another program";

auto family_of(double a, double nu = 0.02) {
  Constants c;
  c.a = a;
  c.nu = nu;
  return std::get<0>(problems::disc_hyperbola_model::contacts(c)).family;
}

double relative(double measured, double expected) { return std::abs(measured / expected - 1.0); }

// (zeta_s, zeta_ss) = 0 in (s, q1) by Newton's method.
std::array<double, 2> fold(const Disc& disc, double s, double q1) {
  for (int k = 0; k < 50; ++k) {
    Taylor2Dual x(Dual4::variable(s, 0));
    x.c[1] = Dual4(1.0);
    const Taylor2Dual z = disc(x, std::array{Taylor2Dual(Dual4::variable(q1, 1))});
    const Dual4 f = z.c[1], g = z.c[2];
    const double det = f.d[0] * g.d[1] - f.d[1] * g.d[0];
    s -= (f.v * g.d[1] - f.d[1] * g.v) / det;
    q1 -= (f.d[0] * g.v - f.v * g.d[0]) / det;
  }
  return {s, q1};
}

std::vector<Claim> closed_forms(Context&) {
  std::vector<Claim> claims;
  double second = 0.0, bound = 1e300, slope = 0.0, kink = 0.0, at_kink = 0.0, lowest = 0.0;
  for (const double a : {1.0, 0.5, 0.4, 0.2}) {
    const auto f = family_of(a);
    const double rho = 0.8;
    for (const double q1 : {-1.0, -0.7, 0.3, 0.9}) {
      for (const double s : {-0.7, -0.2, 0.1, 0.6}) {
        Taylor2 x(s);
        x.c[1] = 1.0;
        const double xi = q1 + s, measured = -2.0 * f.function()(x, std::array{q1}).c[2];
        const double formula =
            rho * rho / std::pow(rho * rho - s * s, 1.5) - a * a / std::pow(xi * xi + a * a, 1.5);
        second = std::max(second, std::abs(measured - formula) / std::max(1.0, std::abs(formula)));
        bound = std::min(bound, measured - (1.0 / rho - 1.0 / a));
      }
      // (4.16) against a central difference of order eight.
      constexpr double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280}, h = 5e-3;
      double difference = 0.0;
      for (int k = 1; k <= 4; ++k)
        difference +=
            weights[k - 1] *
            (f.rigid(std::array{q1 + k * h}).value - f.rigid(std::array{q1 - k * h}).value) / h;
      const double s = f.rigid(std::array{q1}).s;
      slope = std::max(slope, relative(difference, s / std::sqrt((rho - s) * (rho + s))));
    }
    const Disc disc{a, rho};
    lowest = std::max(lowest, relative(f.rigid(std::array{0.0}).value, disc.lowest()));
    if (a >= rho) continue;
    for (const double side : {-1.0, 1.0}) {
      const double q1 = side * 1e-13, s = f.rigid(std::array{q1}).s;
      kink = std::max(kink,
                      relative(s / std::sqrt((rho - s) * (rho + s)), side * disc.slope_at_jump()));
      at_kink = std::max(at_kink, relative(s + q1, side * disc.contact_at_jump()));
    }
  }
  const auto error = [&](const char* id, const char* text, double measured) {
    claims.push_back(
        number_claim(fmt::format("arnold-contact-1.{}", id), text, 0.0, measured, 1e-10));
  };
  error("second",
        "(4.13): largest relative error of the second derivative of the distance, a = 1, "
        "0.5, 0.4, 0.2",
        second);
  claims.push_back(fact_claim("arnold-contact-1.bound",
                              "(4.13): the second derivative is at least 1/rho - 1/a",
                              bound >= -1e-12));
  error("slope", "(4.16): largest relative error of dq2/dq1 against differences of the maximum",
        slope);
  error("kink", "(4.17): slopes on both sides of q1 = 0, a < rho", kink);
  error("contact", "Example 28: contact points at the jump, +-sqrt((rho^2 - a^2)/2)", at_kink);
  error("lowest", "q2(0) = sqrt(2 (rho^2 + a^2)) for a < rho, rho + a otherwise", lowest);
  const std::vector<std::array<double, 3>> points{
      {0.4, 0.2167766, 0.1273348}, {0.2, 0.1743469, 0.2649798}, {0.5, 0.2144705, 0.0789210}};
  double closed = 0.0, printed = 0.0;
  for (const auto& [a, xi, q1] : points) {
    const Disc disc{a, 0.8};
    const std::array<double, 2> p =
        fold(disc, 1.05 * (disc.impasse_xi() - disc.impasse_q1()), 0.95 * disc.impasse_q1());
    closed = std::max(
        {closed, relative(p[0] + p[1], disc.impasse_xi()), relative(p[1], disc.impasse_q1())});
    printed = std::max({printed, std::abs(p[0] + p[1] + xi), std::abs(p[1] - q1)});
  }
  error("impasse", "Fig. 4.5: impasse point P by its closed form, a = 0.4, 0.2, 0.5", closed);
  claims.push_back(
      with_remark(number_claim("arnold-contact-1.impasse.digits",
                               "P to seven decimals, a = 0.4, 0.2, 0.5", 0.0, printed, 6e-8),
                  own_numbers));
  return claims;
}

// q1'' = -(S' S'' q1'^2 + g S')/(1 + S'^2) by the classical Runge-Kutta method; S = max zeta.
std::array<double, 2> minimal_motion(double a, double start, double t_end, double h) {
  const auto f = family_of(a);
  const auto rate = [&](const std::array<double, 2>& y) {
    const double s = f.rigid(std::array{y[0]}).s, rho = 0.8, xi = y[0] + s;
    const double slope = s / std::sqrt((rho - s) * (rho + s));
    const double ground = a * a / std::pow(xi * xi + a * a, 1.5);
    const double rim = rho * rho / std::pow(rho * rho - s * s, 1.5);
    const double curve = ground * rim / (rim - ground);  // zeta_qq - zeta_qs^2/zeta_ss
    return std::array<double, 2>{
        y[1], -(slope * curve * y[1] * y[1] + 9.81 * slope) / (1.0 + slope * slope)};
  };
  std::array<double, 2> y{start, 0.0};
  const int steps = static_cast<int>(std::lround(t_end / h));
  for (int n = 0; n < steps; ++n) {
    const auto moved = [&](double c, const std::array<double, 2>& k) {
      return std::array<double, 2>{y[0] + c * k[0], y[1] + c * k[1]};
    };
    const auto k1 = rate(y), k2 = rate(moved(0.5 * h, k1)), k3 = rate(moved(0.5 * h, k2)),
               k4 = rate(moved(h, k3));
    for (std::size_t i = 0; i < 2; ++i) y[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
  }
  return y;
}

Solution disc_run(const problems::Values& values, double t_end, Options o,
                  bool model_events = true) {
  const problems::Entry& e = entry("disc-hyperbola");
  if (model_events)
    for (Event& event : e.events(values)) o.events.push_back(std::move(event));
  return solve(e.problem(values), {0.0, t_end}, o);
}
Options accurate(const char* method, const char* formulation, double tolerance) {
  Options o;
  o.method = method;
  o.formulation = formulation;
  o.rtol = tolerance;
  o.atol = tolerance;
  return o;
}
Event crossing(const char* name, Crossing direction, int variable) {
  return {.name = name,
          .when = [variable](const StateView& x) { return x.y()[variable]; },
          .direction = direction};
}

std::vector<Claim> convex(Context&) {
  std::vector<Claim> claims;
  const problems::Values values{{"a", 1.0}, {"treatment", 0.0}};
  const std::array<double, 2> exact = minimal_motion(1.0, -1.0, 1.0, 1e-3);
  const std::array<double, 2> finer = minimal_motion(1.0, -1.0, 1.0, 5e-4);
  claims.push_back(number_claim("arnold-contact-2.reference",
                                "minimal coordinates, two step sizes: difference of q1(1)", 0.0,
                                exact[0] - finer[0], 1e-9));
  double least = 1e300;
  for (const auto& [method, formulation] : std::vector<std::pair<const char*, const char*>>{
           {"bdf", "ggl"}, {"odassl", "overdetermined"}}) {
    const Solution s = disc_run(values, 1.0, accurate(method, formulation, 1e-7));
    claims.push_back(number_claim(
        fmt::format("arnold-contact-2.{}", formulation),
        fmt::format("a = 1 > rho: (3.14) with s, {}, {}, tolerance 1e-7: q1(1) against minimal "
                    "coordinates",
                    formulation, method),
        finer[0], s.ok() ? s.end()["q1"] : std::nan(""), 2e-5));
    for (std::size_t i = 0; i < s.times().size(); ++i) {
      const ModelState x = s.state(i);
      const double c = x["s"], xi = c + x["q1"];
      least =
          std::min(least, 0.64 / std::pow(0.64 - c * c, 1.5) - 1.0 / std::pow(xi * xi + 1.0, 1.5));
    }
  }
  claims.push_back(list_claim("arnold-contact-2.regular",
                              "Theorem 19: h_s > 0 along the run, at least 1/rho - 1/a",
                              "at least 0.25", least, Json(), least >= 0.25 - 1e-9));
  Options o = accurate("bdf", "ggl", 1e-9);
  o.atol = 1e-13;
  o.events = {crossing("passage", Crossing::rising, 0)};
  const Solution small = disc_run({{"a", 1.0}, {"treatment", 0.0}, {"start", -2e-4}}, 2.5, o);
  const auto& passages = small.events();
  claims.push_back(
      number_claim("arnold-contact-2.period", "small oscillations: period 2 pi sqrt((a - rho)/g)",
                   2.0 * 3.14159265358979323846 * std::sqrt(0.2 / 9.81),
                   passages.size() < 2 ? std::nan("") : passages[1].t - passages[0].t, 2e-5));
  return claims;
}

std::vector<Claim> jump(Context&) {
  std::vector<Claim> claims;
  const Disc disc{0.4, 0.8};
  const Solution branch = disc_run({{"treatment", 3.0}}, 1.0, accurate("bdf", "ggl", 1e-7));
  const ModelState last = branch.end();
  claims.push_back(fact_claim("arnold-contact-3.breakdown",
                              "Remark 39: a < rho, a contact point that is only followed passes "
                              "q1 = 0 unnoticed and the run breaks down",
                              !branch.ok() && last["q1"] > 0.0 && last["s"] < 0.0));
  const auto number = [&](const char* id, const char* text, double expected, double measured,
                          double tolerance) {
    claims.push_back(with_remark(
        number_claim(fmt::format("arnold-contact-3.{}", id), text, expected, measured, tolerance),
        own_numbers));
  };
  number("breakdown.t", "time of the breakdown", 0.66817, branch.end_time(), 2e-5);
  number("breakdown.q1", "q1 there, that of the impasse point P", disc.impasse_q1(), last["q1"],
         1e-4);
  number("breakdown.xi", "xi there, that of P", disc.impasse_xi(), last["q1"] + last["s"], 2e-3);
  number("breakdown.v1", "q1' there", 4.008, last["v1"], 1e-3);
  number("breakdown.depth", "penetration there", 0.192,
         family_of(0.4).rigid(std::array{last["q1"]}).value - last["q2"], 1e-3);
  const Solution impact = disc_run({{"treatment", 0.0}}, 0.7, accurate("bdf", "ggl", 1e-8));
  const bool found = impact.ok() && impact.events().size() == 1;
  claims.push_back(fact_claim("arnold-contact-3.jump",
                              "with the monitor the run goes on after one jump", found));
  if (!found) return claims;
  const EventRecord& e = impact.events().front();
  const auto before = [&](const char* name) { return e.y[impact.variables().find(name)]; };
  const auto problem =
      std::get<MultibodyProblem>(entry("disc-hyperbola").problem({{"treatment", 0.0}}));
  Eigen::VectorXd after;
  for (std::size_t i = 0; i < impact.times().size(); ++i)
    if (impact.times()[i] == e.t) after = impact.state(i).v();
  number("time", "time of the jump", 0.63253, e.t, 1e-5);
  number("q1", "q1 at the jump (beyond zero by the hysteresis of the monitor)", 0.0, before("q1"),
         2e-6);
  number("speed", "speed before it", 4.24139, std::hypot(before("v1"), before("v2")), 2e-5);
  number("v1", "q1' before it", 3.35310, before("v1"), 2e-5);
  number("v1.after", "q1' after the plastic impact (4.18)", 0.83828, after[0], 1e-5);
  number("speed.after", "speed after it", 1.06035, after.norm(), 1e-5);
  claims.push_back(number_claim("arnold-contact-3.factor", "(4.18): |v+|/|v-| = a^2/rho^2",
                                disc.impact_factor(),
                                after.norm() / std::hypot(before("v1"), before("v2")), 1e-5));
  return claims;
}

std::vector<Claim> quasi_elastic(Context&) {
  struct Row {
    double nu, value, curvature, t, v1, period, lambda;
  };
  const std::vector<Row> rows{{0.2, 1.225391, 3.337, 0.617371, 3.84428, 2.469483, -59.13},
                              {0.1, 1.229261, 5.608, 0.622547, 4.00840, 2.490188, -99.92},
                              {0.05, 1.234571, 10.528, 0.626881, 4.11697, 2.507524, -188.25},
                              {0.02, 1.243408, 27.603, 0.630262, 4.19299, 2.521049, -495.1},
                              {0.01, 1.250348, 57.921, 0.631434, 4.21814, 2.525736, -1040.4},
                              {0.005, 1.255826, 118.17, 0.631991, 4.22996, 2.527966, -2124.1}};
  std::vector<Claim> claims;
  double drift = 0.0, last_period = 0.0, limit = 0.0, kept = 0.0;
  for (const Row& r : rows) {
    const auto e = family_of(0.4, r.nu).expansion(std::array{0.0});
    Options o = accurate("rodas5p", "index1", 1e-9);
    o.events = {crossing("passage", Crossing::rising, 0), crossing("turn", Crossing::falling, 2)};
    const Solution s = disc_run({{"nu", r.nu}}, 1.4, o);
    const bool found = s.ok() && s.events().size() == 2;
    const Eigen::VectorXd none = Eigen::VectorXd::Constant(5, std::nan(""));
    const Eigen::VectorXd y = found ? s.events()[0].y : none, turn = found ? s.events()[1].y : none;
    const double t = found ? s.events()[0].t : std::nan(""),
                 period = found ? 2.0 * s.events()[1].t : std::nan("");
    const std::vector<double> expected{r.value, r.curvature, r.t, r.v1, r.period, r.lambda};
    const std::vector<double> measured{e.value, e.hessian[0][0], t, y[2], period, y[4]};
    const std::vector<double> unit{1e-6, 1e-3 * std::max(1.0, r.curvature / 30.0), 1e-6, 1e-5,
                                   2e-6, 0.01 * std::max(1.0, -r.lambda / 100.0)};
    bool all = true;
    for (std::size_t i = 0; i < unit.size(); ++i)
      all = all && std::abs(measured[i] - expected[i]) <= unit[i];
    claims.push_back(list_claim(
        fmt::format("arnold-contact-4.nu{}", r.nu),
        fmt::format("a = 0.4, nu = {}: smax(0), S''(0), time and q1' at q1 = 0, period, lambda "
                    "there",
                    r.nu),
        expected, measured, unit, all, own_numbers));
    drift = std::max(drift, std::abs(turn[0] - 1.0));
    limit = 2.0 * period - last_period;
    last_period = period;
    kept = turn[0];
  }
  claims.push_back(number_claim("arnold-contact-4.energy",
                                "energy is conserved for every nu: turning point q1 = 1", 0.0,
                                drift, 1e-6));
  claims.push_back(with_remark(
      number_claim("arnold-contact-4.limit",
                   "Remark 41b: period for nu -> 0, extrapolated from nu = 0.01 and 0.005",
                   2.530137, limit, 1e-4),
      own_numbers));
  const Solution plastic = disc_run({{"treatment", 0.0}}, 0.9, accurate("rodas5p", "index1", 1e-8));
  double reach = 0.0;
  for (std::size_t i = 0; i < plastic.times().size(); ++i)
    reach = std::max(reach, plastic.state(i)["q1"]);
  claims.push_back(list_claim("arnold-contact-4.rules",
                              "the limit differs from the plastic rule: how far the disc climbs "
                              "behind the kink, nu = 0.005 and plastic impact",
                              "1 and less than 0.1", Json{kept, reach}, Json(),
                              std::abs(kept - 1.0) < 1e-6 && reach > 0.0 && reach < 0.1));
  const Solution tabulated =
                     disc_run({{"treatment", 2.0}}, 1.0, accurate("rodas5p", "index1", 1e-8)),
                 direct = disc_run({}, 1.0, accurate("rodas5p", "index1", 1e-8));
  claims.push_back(number_claim(
      "arnold-contact-4.table", "the table gives the same motion: difference of q1(1), nu = 0.02",
      0.0,
      tabulated.ok() && direct.ok() ? tabulated.end()["q1"] - direct.end()["q1"] : std::nan(""),
      1e-5));
  return claims;
}

std::vector<Claim> coupling(Context&) {
  std::vector<Claim> claims;
  // Example 19: residual of the rows y1, y2, s, gamma with eta = 1/2 on y1 = y2 = -t/2,
  // s = sqrt(t).
  const problems::Entry& e = entry("arnold-19");
  Options o = accurate("implicit-euler", "overdetermined-plain", 1e-10);
  o.fixed_step = 0.01;
  o.start = StartStrategy::given;
  o.projection = ProjectionWhen::none;
  const auto second = [&](const char* formulation) {
    Problem problem = e.problem({{"reduced", 1.0}});
    auto& p = std::get<ImplicitProblem>(problem);
    p.y0 = Eigen::Vector4d(-0.005, -0.005, 0.1, 0.0);
    p.yp0 = Eigen::Vector4d(-0.5, -0.5, 5.0, 0.0);
    o.formulation = formulation;
    const Solution s = solve(problem, {0.01, 1.0}, o);
    return s.ok() ? s.end()["s"] : std::nan("");
  };
  claims.push_back(number_claim("arnold-contact-5.plain",
                                "Example 19: eta coupled into h as well follows a second solution, "
                                "s(1) = 1",
                                1.0, second("overdetermined-plain"), 1e-8));
  claims.push_back(number_claim("arnold-contact-5.corrected",
                                "Example 19: with (3.18) only s = 0 is left", 0.0,
                                second("overdetermined"), 1e-8));
  const problems::Values values{{"a", 1.0}, {"treatment", 0.0}};
  const auto deviation = [&](const char* formulation, double level) {
    Options d = accurate("odassl", formulation, 1e-6);
    d.formulation_options["level"] = level;
    const Solution s = disc_run(values, 1.0, d);
    double largest = 0.0;
    for (std::size_t i = 0; i < s.times().size(); ++i) {
      const ModelState x = s.state(i);
      const double c = x["s"], xi = c + x["q1"];
      largest =
          std::max(largest, std::abs(c / std::sqrt(0.64 - c * c) - xi / std::sqrt(xi * xi + 1.0)));
    }
    return s.ok() ? largest : std::nan("");
  };
  claims.push_back(number_claim("arnold-contact-5.remark38",
                                "Remark 38a: for GGL and h = g_s the plain coupling is harmless: "
                                "largest |h(q, s)| on the disc, a = 1, tolerance 1e-6",
                                0.0, deviation("overdetermined-plain", 2.0), 1e-6));
  claims.push_back(number_claim("arnold-contact-5.stabilised",
                                "stabilised index 1 with (3.18): largest |h(q, s)|", 0.0,
                                deviation("overdetermined", 1.0), 1e-6));
  for (const Claim& c : rate_constraints()) claims.push_back(c);
  for (const Claim& c : wheel_rail::plain_corrector("arnold-contact-5")) claims.push_back(c);
  return claims;
}

}  // namespace

std::vector<Experiment> model_experiments() {
  const Basis program = Basis::own("another program"),
              derived = Basis::own("closed form derived by us");
  Parts numbers{{"factor", Basis::own("(4.18) evaluated by us")}};
  for (const char* name : {"t", "q1", "xi", "v1", "depth", "time", "speed"})
    numbers.emplace_back(name, program);
  return {experiment(1, "Disc on a hyperbola: closed forms", 0.1, closed_forms,
                     Basis::printed("(4.13), (4.16), (4.17), Example 28"),
                     {{"lowest", derived}, {"impasse", derived}}),
          experiment(2, "Convex case: contact coordinate and minimal coordinate", 0.4, convex,
                     Basis::own("minimal coordinate, classical Runge-Kutta method written apart"),
                     {{"regular", Basis::theorem("Theorem 19")},
                      {"period", Basis::own("linearisation derived by us")}}),
          experiment(3, "Impasse point, jump of the contact point, plastic impact", 0.1, jump,
                     Basis::printed("Remark 39 and (4.18)"), numbers),
          experiment(4, "Quasi-elastic contact: passage, period, limit", 2.0, quasi_elastic,
                     Basis::own("another program with converged quadrature"),
                     {{"energy", Basis::theorem("no friction, constraint independent of time")},
                      {"table", Basis::printed("Example 35: nearly identical")}}),
          experiment(5, "Coupling of eta with contact coordinates", 2.0, coupling,
                     Basis::printed("Example 19, Remark 38 a, text on Fig. 3.2"),
                     {{"stabilised", Basis::theorem("Theorem 10")},
                      {"rate",
                       Basis::own("derivatives of both forms of the constraint, derived by us")}})};
}

}  // namespace daedalus::experiments::contact
