// SPDX-License-Identifier: BSD-3-Clause
// The example of Gear and Petzold, whose kernel turns with time: claims R4, R5, R6.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "analysis/tractability.hpp"
#include "reproduce/tischendorf.hpp"
#include "reproduce/tischendorf_support.hpp"

namespace daedalus::experiments::tischendorf {
namespace {
constexpr double pi = std::numbers::pi;
}

// Largest |z| with z^k + eta (z - 1)^k = 0: z / (z - 1) is a k-th root w of -eta, z = w / (w - 1).
double max_root(int k, double eta) {
  double largest = 0.0;
  const double radius = std::pow(std::abs(eta), 1.0 / k), angle = eta > 0.0 ? pi : 0.0;
  for (int i = 0; i < k; ++i) {
    const auto w = std::polar(radius, (angle + 2.0 * pi * i) / k);
    largest = std::max(largest, std::abs(w / (w - 1.0)));
  }
  return largest;
}

// Growth per step of the error that one defect in the constraint leaves behind. With q = t and
// exact start values BDF of order 2 and more have no other error, and order 1 adds a constant.
double error_growth(int k, double eta) {
  const problems::Values values{{"eta", eta}};
  const auto run = [&](bool disturbed) {
    Options o =
        constant_steps(k, 1e-2, [&](double t, Out y) { y = exact_at("gear-petzold", t, values); });
    const double site = 1e-2 * (k + 1);
    o.defect = [disturbed, site](const DefectSite& at, Out rows) {
      rows.setZero();
      // One step, whichever of its ends t is.
      if (disturbed && std::abs(at.t - site) < 1e-3) rows[0] = 1.0;
    };
    return solve(catalogue_problem("gear-petzold", values), {0.0, 1.6}, o);
  };
  const Solution with = run(true), without = run(false);
  if (!with.ok() || !without.ok()) return std::nan("");
  const auto size = [&](std::size_t from) {
    double largest = 0.0;
    for (std::size_t i = from; i < from + 30; ++i)
      largest = std::max(largest, std::abs(with.state(i)["x2"] - without.state(i)["x2"]));
    return largest;
  };
  return std::pow(size(120) / size(60), 1.0 / 60.0);
}

namespace {

Solution euler(double eta, int steps) {
  Options o;
  o.method = "implicit-euler";
  // The equations are linear: one iteration is exact, and a tolerance near rounding would only
  // reject it where x2 grows.
  o.rtol = 1e-8;
  o.atol = 1e-8;
  o.fixed_step = 1.0 / steps;
  o.start = StartStrategy::given;
  o.output = Output::end;
  return solve(catalogue_problem("gear-petzold", {{"eta", eta}}), {0.0, 1.0}, o);
}

// Error of x2 at t = 1, where x2 = q - q' = 0.
double euler_error(double eta, int steps) {
  const Solution s = euler(eta, steps);
  return s.ok() ? s.end()["x2"] : std::nan("");
}

std::vector<Claim> closed_form(Context&) {
  std::vector<Claim> claims;
  bool converges = true, diverges = true;
  for (const double eta : {1.0, -0.4, -0.55, -0.75}) {
    double worst = 0.0, last = 0.0, finest = 0.0;
    Json expected = Json::array(), measured = Json::array();
    for (const int n : {10, 20, 40, 80}) {
      const double exact = eta / n * (std::pow(eta / (1.0 + eta), n) - 1.0);
      const double error = euler_error(eta, n);
      worst = std::max(worst, std::isfinite(error) ? std::abs(error / exact - 1.0) : 1e300);
      expected.push_back(exact);
      measured.push_back(error);
      last = finest;
      finest = std::abs(error);
    }
    if (eta > -0.5)
      converges = converges && within(last / finest, 2.0, 1.02);
    else
      diverges = diverges && finest > 10.0 * last;
    claims.push_back(list_claim(
        fmt::format("tischendorf-R4.closed-form.{:g}", eta),
        fmt::format(
            "implicit Euler, eta = {:g}, q = t, N = 10, 20, 40, 80: error of x2(1) is h eta "
            "[(eta/(1 + eta))^N - 1]",
            eta),
        expected, measured, Json{{"relative", 1e-10}}, worst <= 1e-10));
  }
  claims.push_back(fact_claim("tischendorf-R4.convergent",
                              "eta > -1/2 (1 and -0.4): half the step halves the error",
                              converges));
  claims.push_back(fact_claim("tischendorf-R4.unstable",
                              "eta < -1/2 (-0.55 and -0.75): more steps make it worse, by over 10 "
                              "from N = 40 to 80",
                              diverges));
  const Solution s = euler(-1.0, 20);
  claims.push_back(
      with_remark(fact_claim("tischendorf-R4.breakdown",
                             "eta = -1: the method breaks down, reported as a singular matrix",
                             s.status() == Status::singular_matrix),
                  fmt::format("status {}: {}", to_string(s.status()), s.message())));
  return claims;
}

std::vector<Claim> interval(Context& context) {
  std::vector<Claim> claims;
  for (int k = 1; k <= 6; ++k) {
    if (context.note) context.note(fmt::format("order {}", k));
    const double lower = -std::pow(2.0, -k);
    const double upper = k < 3 ? 0.0 : std::pow(2.0 * std::cos(pi / k), -k);
    const double printed[] = {0.0, 0.0, 1.0, 0.25, 0.0902, 1.0 / 27.0};
    if (k >= 3)
      claims.push_back(
          number_claim(fmt::format("tischendorf-R5.upper.{}", k),
                       fmt::format("order {}: (2 cos(pi/k))^-k is the number given", k),
                       printed[k - 1], upper, 5e-5));
    const auto side = [&](const char* where, double eta, bool stable) {
      const double measured = error_growth(k, eta), theory = max_root(k, eta);
      claims.push_back(list_claim(
          fmt::format("tischendorf-R5.{}.{}", k, where),
          fmt::format("order {}, eta = {:.6g}, {}: an error {} as the largest root of z^k + eta (z "
                      "- 1)^k = 0 says",
                      k, eta, where, stable ? "decays" : "grows"),
          theory, measured, 0.01, std::abs(measured - theory) <= 0.01 && (measured < 1.0) == stable,
          k > 1 ? "follows from the recursion of the error; the thesis treats order 1" : ""));
    };
    side("below-lower", 1.1 * lower, false);
    side("above-lower", 0.9 * lower, true);
    if (k < 3) {
      side("no-upper", 100.0, true);
      continue;
    }
    side("below-upper", 0.9 * upper, true);
    side("above-upper", 1.1 * upper, false);
  }
  return claims;
}

Tractability analysis(double eta, double stated) {
  const problems::Values values{{"eta", eta}, {"stated", stated}};
  const Lowered l = lowered(catalogue_problem("gear-petzold", values), 0.0);
  std::vector<TrajectoryPoint> points;
  for (const double t : {0.1, 0.5, 1.0}) {
    const Eigen::VectorXd rate =
        (exact_at("gear-petzold", t + 1e-4, values) - exact_at("gear-petzold", t - 1e-4, values)) /
        2e-4;
    points.push_back({t, exact_at("gear-petzold", t, values), rate});
  }
  return analyse_tractability(*l.system, points);
}

std::vector<Claim> cure(Context&) {
  std::vector<Claim> claims;
  bool warned = true, quiet = true, regular = true;
  for (const double eta : {1.0, -0.4, -0.55, -2.0}) {
    const Tractability plain = analysis(eta, 0.0), stated = analysis(eta, 1.0);
    warned = warned && !plain.kernel_constant && !plain.warnings.empty();
    quiet = quiet && stated.stated_leading_term && stated.warnings.empty();
    regular = regular && plain.index == 2;
  }
  claims.push_back(fact_claim("tischendorf-R6.warning",
                              "the analysis sees that the kernel turns and warns", warned));
  claims.push_back(fact_claim("tischendorf-R6.quiet",
                              "with a properly stated leading term it does not warn", quiet));
  claims.push_back(fact_claim("tischendorf-R6.index", "the DAE has index 2 for every eta",
                              regular && analysis(-1.0, 0.0).index == 2));
  const Tractability frozen = analysis(-1.0, 0.0);
  claims.push_back(fact_claim("tischendorf-R6.frozen",
                              "eta = -1: the chain with B alone finds a singular pencil, the one "
                              "with B - A P' does not",
                              frozen.chains_differ && !frozen.plain.regular_pencil));
  double worst = 0.0;
  Json measured = Json::object();
  for (const double eta : {1.0, -0.4, -0.55, -0.75, -1.0, -2.0}) {
    double here = 0.0;
    for (int k = 1; k <= 6; ++k) {
      const problems::Values values{{"eta", eta}, {"stated", 1.0}};
      Options o = constant_steps(k, 0.0125, {});
      o.known = {};  // the first steps with lower orders
      o.method_options["newton_tolerance"] = 1e-6;
      const Solution s = solve(catalogue_problem("gear-petzold", values), {0.0, 1.0}, o);
      for (std::size_t i = 0; i < s.times().size(); ++i)
        here = std::max(here, (s.state(i).y() - exact_at("gear-petzold", s.times()[i], values))
                                  .cwiseAbs()
                                  .maxCoeff());
      if (!s.ok()) here = std::nan("");
    }
    measured[fmt::format("{:g}", eta)] = here;
    worst = std::isfinite(here) ? std::max(worst, here) : here;
  }
  claims.push_back(list_claim(
      "tischendorf-R6.exact",
      "(x1 + eta t x2)' + x2 = q: orders 1 to 6 are exact up to rounding for q = t and every eta "
      "(largest error, N = 80)",
      0.0, measured, 1e-10, worst <= 1e-10,
      "the cure is that of later work: Higueras, Maerz, Tischendorf (2003)"));
  return claims;
}

}  // namespace

std::vector<Experiment> kernel_experiments() {
  return {
      {.id = "tischendorf-R4",
       .title = "Implicit Euler for a kernel that turns",
       .source = source,
       .basis =
           Basis::printed("section 1.3: closed form for implicit Euler, stable for eta > -1/2"),
       .seconds = 0.01,
       .run = closed_form},
      {.id = "tischendorf-R5",
       .title = "Stability interval of BDF for a kernel that turns",
       .source = source,
       .basis = Basis::own("recursion of the error z^k + eta (z - 1)^k = 0, derived by us"),
       .parts = {{"1", Basis::printed("section 1.3: implicit Euler is stable for eta > -1/2")}},
       .seconds = 0.05,
       .run = interval},
      {.id = "tischendorf-R6",
       .title = "Properly stated leading term",
       .source = source,
       .basis = Basis::theorem("Higueras, Maerz, Tischendorf (2003): properly stated leading term"),
       .parts = {{"warning", Basis::own("chain of projectors by another program")},
                 {"frozen", Basis::own("chain of projectors by another program")}},
       .seconds = 0.05,
       .run = cure}};
}

}  // namespace daedalus::experiments::tischendorf
