// SPDX-License-Identifier: BSD-3-Clause
// Figures 2.2, 2.3, 2.5, 2.6, 3.5 to 3.8, 3.10 to 3.12 and 4.19 of Arnold (1998).
#include <cmath>

#include <fmt/format.h>

#include "reproduce/arnold_support.hpp"
#include "reproduce/arnold_theory.hpp"
#include "reproduce/arnold_theory_parabola.hpp"
#include "reproduce/figures/figure.hpp"

namespace daedalus::experiments {
namespace {

constexpr const char* thesis = "Arnold (1998), habilitation thesis, Rostock";

// Example 8 with the noise of single precision in the constraint: largest errors of y1 and z.
std::pair<FigureCurve, FigureCurve> noisy(const char* method, double mu0,
                                          const std::vector<double>& steps) {
  std::pair<FigureCurve, FigureCurve> c;
  c.first.name = fmt::format("y1, {}, mu0 = {}", method, mu0);
  c.second.name = fmt::format("z, {}, mu0 = {}", method, mu0);
  for (const double h : steps) {
    theory::Study s{.problem = "arnold-8", .values = {{"mu0", mu0}}, .h = h};
    if (std::string_view(method) == "BDF2") {
      s.method = "bdf";
      s.order = 2;
      s.further.known = [](double t, Out y) {
        y[0] = std::sin(t);
        y[1] = 2.0 * std::sin(t);
        y[2] = std::cos(t);
        return true;
      };
    }
    s.residuals = {
        {"constraint", [](long, double t) { return theory::single_precision(6.0, std::sin(t)); }}};
    const Solution solution = theory::run(s);
    double y1 = 0.0, z = 0.0;
    for (std::size_t i = 0; i < solution.times().size(); ++i) {
      const double t = solution.times()[i];
      y1 = std::max(y1, std::abs(solution.state(i).y()[0] - std::sin(t)));
      z = std::max(z, std::abs(solution.state(i).y()[2] - std::cos(t)));
    }
    c.first.x.push_back(h), c.first.y.push_back(y1);
    c.second.x.push_back(h), c.second.y.push_back(z);
  }
  return c;
}

const std::vector<double> fine{1e-2, 1e-3, 1e-4, 1e-5, 3.1622776601683794e-6, 1e-6};

DrawnFigure noise() {
  std::vector<FigurePanel> panels;
  for (const char* method : {"implicit Euler", "BDF2"}) {
    auto [y1, z] = noisy(method, 1.0, fine);
    y1.slope = -2.0;
    z.slope = -1.0;
    panels.push_back(
        {.title = method, .x_label = "h", .y_label = "largest error", .curves = {y1, z}});
  }
  return with_slopes(std::move(panels));
}

DrawnFigure nonlinearity() {
  FigurePanel p{.x_label = "h", .y_label = "largest error"};
  for (const double mu0 : {1.0, 0.1, 0.01, 0.0}) {
    auto [y1, z] = noisy("implicit Euler", mu0, fine);
    p.curves.push_back(y1);
    if (mu0 == 1.0 || mu0 == 0.0) p.curves.push_back(z);
  }
  // Curves y1 for 1, 0.1, 0.01, 0 are 0, 2, 3, 4; z 1 and 5.
  const auto last = [&](std::size_t i) { return p.curves[i].y.back(); };
  const bool falls = last(0) > last(2) && last(2) > last(3) && last(3) > last(4);
  return {.panels = {p},
          .agrees = falls && within(last(1), last(5), 2.0),
          .finding = "with mu0 the error of y1 shrinks, that of z stays"};
}

DrawnFigure parabola() {
  DrawnFigure f;
  const std::vector<double> steps{1e-2, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5};
  struct Part {
    const char* name;
    double theory::ParabolaErrors::*part;
  };
  for (const Part& part :
       {Part{"q1", &theory::ParabolaErrors::q1}, Part{"S v", &theory::ParabolaErrors::sv},
        Part{"v1", &theory::ParabolaErrors::v1}, Part{"lambda", &theory::ParabolaErrors::lambda}}) {
    FigurePanel p{.title = part.name, .x_label = "h", .y_label = "largest error"};
    for (const double mu0 : {0.0, 0.03}) {
      FigureCurve c{.name = fmt::format("mu0 = {}", mu0)};
      for (const double h : steps) {
        if (mu0 > 0.0 && h < 1e-4) continue;  // the motion is destroyed
        c.x.push_back(h);
        c.y.push_back(theory::parabola_errors("index3", mu0, h, true).*part.part);
      }
      p.curves.push_back(std::move(c));
    }
    f.panels.push_back(std::move(p));
  }
  // At h = 2e-4 friction makes q1 far worse, lambda not.
  const auto at = [&](std::size_t panel, std::size_t curve) {
    return f.panels[panel].curves[curve].y[4];
  };
  f.agrees = at(0, 1) > 10.0 * at(0, 0) && within(at(3, 1), at(3, 0), 5.0);
  f.finding = "small steps make lambda worse, and with friction q1, S v and v1 as well";
  return f;
}

DrawnFigure modes() {
  FigurePanel p{.x_label = "i", .y_label = "alpha", .logarithmic_x = false, .logarithmic_y = false};
  for (const double rho : {0.0, -2.0}) {
    FigureCurve c{.name = fmt::format("rho = {}", rho)};
    const double dx = M_PI / 7.0;
    for (int i = 1; i <= 6; ++i) {
      const double Lambda = 2.0 * std::sin(0.5 * i * M_PI / 7.0) / dx, s = 0.25 * Lambda * Lambda;
      c.x.push_back(i);
      c.y.push_back(-s * (rho + s) / (1.0 - s));
    }
    p.curves.push_back(std::move(c));
  }
  const bool agrees = p.curves[0].y[1] < -10.0 && p.curves[1].y[1] > 10.0;
  return {.panels = {p},
          .agrees = agrees,
          .finding = "the critical mode i = 2 grows for rho = 0 and is damped for rho = -2"};
}

struct DrawnMethod {
  const char *label, *name;
  std::map<std::string, double> settings{};
  double slope = 0.0;
};

// Errors over the number of calls of f, constant steps.
DrawnFigure constant(const char* problem, const std::vector<DrawnMethod>& methods,
                     const std::vector<int>& counts, std::string finding) {
  FigurePanel y{.title = "y", .x_label = "calls of f", .y_label = "error (3.80)"},
      z{.title = "lambda", .x_label = "calls of f", .y_label = "error (3.80)"};
  for (const DrawnMethod& m : methods) {
    FigureCurve a{.name = m.label}, b{.name = m.label};
    for (const int n : counts) {
      const arnold::Run r = arnold::constant_steps(problem, m.name, n, m.settings);
      if (!r.ok) continue;
      const auto calls = static_cast<double>(
          r.steps.function_evaluations + r.steps.residual_evaluations + r.steps.jacobian_columns);
      a.x.push_back(calls), a.y.push_back(r.error.y);
      b.x.push_back(calls), b.y.push_back(r.error.z);
    }
    y.curves.push_back(std::move(a));
    z.curves.push_back(std::move(b));
  }
  // No method is clearly better than the last one of the list at the fine end.
  const auto best = [](const FigurePanel& p) {
    for (const FigureCurve& c : p.curves)
      if (c.y.empty() || 1.5 * c.y.back() < p.curves.back().y.back()) return false;
    return true;
  };
  const bool agrees = best(y);
  return {.panels = {y, z}, .agrees = agrees, .finding = std::move(finding)};
}

DrawnFigure variable(const char* problem, int from, int to) {
  FigurePanel p{.x_label = "evaluations of f and constraint matrices", .y_label = "error in y"};
  bool falling = true;
  for (const char* method : {"hem5", "mdop5", "phem56", "hedop5"}) {
    FigureCurve c{.name = method};
    for (int d = from; d <= to; ++d) {
      const arnold::Run r = arnold::variable_steps(problem, method, std::pow(10.0, -d));
      if (!r.ok) continue;
      falling = falling && (c.y.empty() || r.error.y < c.y.back());
      c.x.push_back(static_cast<double>(r.f() + r.steps.constraint_jacobian_evaluations));
      c.y.push_back(r.error.y);
    }
    p.curves.push_back(std::move(c));
  }
  return {.panels = {p},
          .agrees = falling,
          .finding = falling ? "the error falls with the tolerance for all four codes"
                             : "the error does not fall with every decade of the tolerance"};
}

}  // namespace

std::vector<SourceFigure> arnold_figures() {
  std::vector<SourceFigure> list;
  const auto add = [&](const char* number, const char* title, const char* says, double seconds,
                       std::function<DrawnFigure()> make) {
    list.push_back({.id = fmt::format("arnold-{}", number),
                    .source = thesis,
                    .title = title,
                    .says = says,
                    .seconds = seconds,
                    .make = [make = std::move(make)](Context&) { return make(); }});
  };
  add("2.2", "Example 8: errors over h with noise in the constraint",
      "for small h slopes -2 in y and -1 in z; BDF2 adds nearly the same", 4.0, noise);
  add("2.3", "Example 8: nonlinearity in z", "the error of y shrinks with mu0, that of z does not",
      8.0, nonlinearity);
  add("2.5", "Example 13: index 3 with noise, with and without friction",
      "slopes -2 in q1, S v, lambda and -1 in v1; with friction q1, S v, v1 much worse", 8.0,
      parabola);
  add("2.6", "Example 16: growth rates of the modes",
      "the critical mode grows for rho = 0 and is damped for rho = -2", 0.01, modes);
  const std::vector<DrawnMethod> half_explicit{
      {"HEM4", "hem4"}, {"HENEW4", "henew4"}, {"HEM5", "hem5"}, {"HEDOP5", "hedop5"}};
  add("3.5", "Seven-body mechanism, constant steps",
      "order 5 better for high accuracy, HEDOP5 clearly better than HEM5", 1.0, [half_explicit] {
        return constant("andrews", half_explicit, {300, 600, 1200, 2400},
                        "HEDOP5 has the smallest errors at the fine end");
      });
  add("3.6", "Truck, constant steps",
      "order 5 better for high accuracy, HEDOP5 clearly better than HEM5", 1.0, [half_explicit] {
        return constant("truck9", half_explicit, {100, 200, 400, 800},
                        "HEDOP5 has the smallest errors at the fine end (excitation of ours)");
      });
  add("3.7", "Truck on a road, variable steps (for Example A)",
      "the error falls smoothly with the tolerance; HEM5 needs most", 3.0,
      [] { return variable("truck9-road", 3, 9); });
  add("3.8", "Wheel suspension, variable steps (for Example B)",
      "the error falls smoothly with the tolerance; HEM5 needs most", 3.0,
      [] { return variable("suspension", 4, 9); });
  add("3.10", "Partitioned multistep methods of Adams type, k = 2, 4, 6, 8",
      "higher k strongly reduces the work", 1.0, [] {
        return constant("truck9",
                        {{"k = 2", "adams-type-2"},
                         {"k = 4", "adams-type-4"},
                         {"k = 6", "adams-type-6"},
                         {"k = 8", "adams-type-8"}},
                        {300, 400, 600}, "the error falls with every k");
      });
  add("3.11", "k = 3: BDF, beta-blocked, Adams type",
      "Adams type and beta-blocked equal in y, both much better than BDF", 1.0, [] {
        return constant("truck9",
                        {{"BDF", "bdf", {{"order", 3.0}}},
                         {"beta-blocked", "adams-blocked-3", {{"gamma", -0.1}}},
                         {"Adams type", "adams-type-3"}},
                        {200, 400, 800, 1600},
                        "both are better than BDF; in lambda the Adams type is the better one");
      });
  add("3.12", "Order 5 in y: BDF, Adams type k = 4, HEDOP5", "HEDOP5 very efficient", 1.0, [] {
    return constant(
        "truck9",
        {{"BDF", "bdf", {{"order", 5.0}}}, {"Adams type", "adams-type-4"}, {"HEDOP5", "hedop5"}},
        {200, 400, 800}, "HEDOP5 has the smallest errors");
  });
  return list;
}

}  // namespace daedalus::experiments
