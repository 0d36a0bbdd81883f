// SPDX-License-Identifier: BSD-3-Clause
// Hidden constraints added to a system: claims 19 to 21 (Examples 18 and 19, Fig. 3.2).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/arnold_contact_wheel.hpp"
#include "reproduce/arnold_theory.hpp"

#include <daedalus/autodiff.hpp>

namespace daedalus::experiments::theory {
namespace {

// Example 18 with its hidden constraint 0 = z + 2 y2 z as F, and the constraint as gamma: (3.8).
ImplicitProblem example18_extended(double Theta) {
  ImplicitProblem p{.name = "example 18 with hidden constraint",
                    .residual = autodiff([](const auto&, const auto& x, const auto& xp, auto& r) {
                      r[0] = xp[0] - x[2];
                      r[1] = xp[1] - x[2];
                      r[2] = x[2] + 2.0 * x[1] * x[2];
                    }),
                    .variable_index = {1, 1, 1},
                    .index = 1,
                    .variables = {"y1", "y2", "z"}};
  p.y0 = Eigen::Vector3d(Theta, 1.0, 0.0);
  p.yp0 = Eigen::Vector3d::Zero();
  p.extra_count = 1;
  p.extra_constraints = autodiff(
      [](const auto&, const auto& x, auto& gamma) { gamma[0] = x[0] + x[1] * x[1] - 1.0; });
  return p;
}

double example18_error(const std::string& form, double Theta, double h) {
  Study s{.problem = "arnold-18", .h = h};
  const Residual alternating = [Theta](long n, double) { return n % 2 == 0 ? Theta : -Theta; };
  std::string row = "constraint";
  if (form == "extended") {
    s.problem.clear();
    s.model = example18_extended(Theta);
    s.t0 = 0.0;
    s.t_end = 1.0;
    s.formulation = "overdetermined-plain";
    row = "extra constraint 1";
  } else {
    s.change = [Theta](Problem& p) { std::get<SemiExplicitProblem>(p).y0[0] = Theta; };
  }
  s.residuals = {{row, alternating}};
  const Solution solution = run(s);
  // After an even number of steps theta is what it was at the start.
  double largest = 0.0;
  for (std::size_t n = 1; n < solution.times().size(); ++n)
    largest = std::max(largest, std::abs(solution.state(n)["y2"] - 1.0));
  return form == "extended" ? std::abs(solution.end()["y2"] - 1.0) : largest;
}

std::vector<Claim> hidden_constraint(Context&) {
  std::vector<Claim> claims;
  const double Theta = 1e-4;
  const std::vector<double> steps{1e-3, 1e-4, 1e-5};
  std::vector<double> before, after;
  for (const double h : steps) {
    before.push_back(example18_error("as it stands", Theta, h));
    after.push_back(example18_error("extended", Theta, h));
  }
  claims.push_back(list_claim(
      "arnold-theory-19.before",
      "Example 18, Theta = 1e-4: the largest error of y2 is O(Theta), h = 1e-3, 1e-4, 1e-5",
      "at most Theta", before, Json(), *std::max_element(before.begin(), before.end()) <= Theta));
  claims.push_back(slope_claim("arnold-theory-19.before.slope",
                               "Example 18: the error of y2 does not depend on h", 0.0,
                               slope(steps, before)));
  claims.push_back(slope_claim("arnold-theory-19.after.slope",
                               "with the hidden constraint added, (3.8): slope of the error of y2",
                               -1.0, slope(steps, after)));
  std::vector<double> factors;
  bool all = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    factors.push_back(after[i] * steps[i] / (Theta * Theta));
    all = all && std::abs(factors.back() - 0.064) < 5e-5;
  }
  claims.push_back(list_claim("arnold-theory-19.after.factor",
                              "with the hidden constraint added it is Example 10: error h/Theta^2",
                              0.064, factors, 5e-5, all));
  claims.push_back(
      slope_claim("arnold-theory-19.after.theta", "(3.8): exponent of Theta, h = 1e-4", 2.0,
                  slope(1e-4, after[1], 1e-5, example18_error("extended", 1e-5, 1e-4))));
  return claims;
}

// Example 19 from t = 0.01 on: from the second solution or from zero.
Solution example19_run(const std::string& formulation, bool second) {
  Study s{
      .problem = "arnold-19", .values = {{"reduced", 1.0}}, .formulation = formulation, .h = 0.01};
  s.t0 = second ? 0.01 : 0.0;
  s.t_end = 1.0;
  if (second)
    s.change = [](Problem& problem) {
      auto& p = std::get<ImplicitProblem>(problem);
      p.y0 = Eigen::Vector4d(-0.005, -0.005, 0.1, 0.0);
      p.yp0 = Eigen::Vector4d(-0.5, -0.5, 5.0, 0.0);
    };
  return run(s);
}

std::vector<Claim> inequivalent(Context&) {
  std::vector<Claim> claims;
  const auto values = [](const ModelState& s) {
    return std::vector<double>{s["y1"], s["y2"], s["s"], s.of(VariableClass::eta)[0]};
  };
  const auto near = [](const std::vector<double>& a, const std::vector<double>& b, double most) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(std::abs(a[i] - b[i]) <= most)) return false;
    return true;
  };
  const std::vector<double> zero{0.0, 0.0, 0.0, 0.0}, other{-0.5, -0.5, 1.0, 0.5};
  const std::vector<double> first = values(example19_run("overdetermined-plain", false).end()),
                            second = values(example19_run("overdetermined-plain", true).end());
  claims.push_back(list_claim("arnold-theory-20.plain.first",
                              "Example 19, (3.13) by implicit Euler, h = 0.01, from zero: y1, y2, "
                              "s, eta at t = 1",
                              zero, first, 1e-10, near(first, zero, 1e-10)));
  claims.push_back(list_claim("arnold-theory-20.plain.second",
                              "the same from a point of the other branch: a second solution", other,
                              second, 1e-10, near(second, other, 1e-10)));
  const std::vector<double> corrected = values(example19_run("overdetermined", true).end());
  claims.push_back(list_claim("arnold-theory-20.corrected",
                              "(3.18) from a point of the other branch: back to the only solution",
                              zero, corrected, 1e-10, near(corrected, zero, 1e-10)));
  return claims;
}

struct ContactRun {
  double side = 0.0, eta = 0.0, constraint = 0.0;
  bool ok = false;
};
ContactRun contact_run(const std::string& formulation, double h, int level, int order) {
  Study s{.problem = "toy-contact",
          .method = "odassl",
          .formulation = formulation,
          .h = h,
          .order = order};
  s.further.formulation_options["level"] = level;
  const Solution solution = run(s);
  ContactRun r;
  r.ok = solution.ok();
  for (std::size_t n = 1; n < solution.times().size(); ++n) {
    const ModelState state = solution.state(n);
    const double c = state["s"];
    r.side = std::max(r.side, std::abs(c + 0.3 * c * c * c - state["q1"]));
    r.constraint = std::max(r.constraint, std::abs(state["q2"] + c * c));
    r.eta = std::max(r.eta, state.of(VariableClass::eta).cwiseAbs().maxCoeff());
  }
  return r;
}

std::vector<Claim> contact_condition(Context&) {
  std::vector<Claim> claims = wheel_rail::plain_corrector("arnold-theory-21");
  for (const int level : {2, 1}) {
    const std::string form = level == 2 ? "GGL" : "stabilised index 1";
    std::vector<double> side, eta, corrected;
    const std::vector<double> steps{0.02, 0.01, 0.005, 0.0025};
    for (const double h : steps) {
      const ContactRun plain = contact_run("overdetermined-plain", h, level, 1);
      side.push_back(plain.side);
      eta.push_back(plain.eta);
      corrected.push_back(contact_run("overdetermined", h, level, 1).side);
    }
    claims.push_back(list_claim(
        fmt::format("arnold-theory-21.plain.level{}", level),
        fmt::format("contact model, {}, plain corrector of order 1: |h(q, s)| is of the size of "
                    "eta, for h = 0.02 to 0.0025 (all |h|, all eta)",
                    form),
        "proportional", Json{side, eta}, Json{{"slope", 0.2}},
        side.back() > 1e-6 && std::abs(slope(eta, side) - 1.0) <= 0.2));
    claims.push_back(list_claim(
        fmt::format("arnold-theory-21.corrected.level{}", level),
        fmt::format("contact model, {}, modified corrector: h(q, s) = 0 to Newton's accuracy",
                    form),
        0.0, corrected, 1e-12, *std::max_element(corrected.begin(), corrected.end()) < 1e-12));
  }
  return claims;
}

}  // namespace

std::vector<Experiment> extension_experiments() {
  return {experiment(19, "Example 18: a hidden constraint makes it worse", 0.3, hidden_constraint,
                     Basis::printed("Example 18"),
                     {{"before", Basis::theorem("Theorems 3 b and 5 b")},
                      {"factor", Basis::own("80-bit program; beta(1)^3/8")}}),
          experiment(20, "Example 19: the extended system has a second solution", 0.02,
                     inequivalent, Basis::printed("Example 19, sign of eta corrected")),
          experiment(21, "Plain and modified corrector (Fig. 3.2)", 2.0, contact_condition,
                     Basis::printed("text on Fig. 3.2"),
                     {{"plain", Basis::own("80-bit program on a contact model of ours")},
                      {"corrected", Basis::theorem("Theorem 10")}})};
}

}  // namespace daedalus::experiments::theory
