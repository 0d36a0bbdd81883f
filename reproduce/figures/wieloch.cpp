// SPDX-License-Identifier: BSD-3-Clause
// Figures 6.1 to 6.5, 6.7, 6.8, 6.10, 6.11, 6.13, 6.14, 6.16, 6.18, 6.19, 6.21 and 3.2 of Wieloch
// (2022): errors over h on the heavy top, and its motion.
#include <fmt/format.h>

#include "reproduce/figures/figure.hpp"
#include "reproduce/wieloch_support.hpp"

namespace daedalus::experiments {
namespace {

using wieloch::HeavyTop;

constexpr const char* dissertation = "Wieloch (2022), dissertation, Halle";

struct ErrorLine {
  std::string name;
  wieloch::Study study;
  int kind;  // 0: q, 1: v, 2: lambda
  double order;
};

// Largest errors for h = 1/n; what has reached round-off is left out.
FigureCurve curve_of(const ErrorLine& line, const std::vector<int>& counts) {
  FigureCurve c{.name = line.name, .x = {}, .y = {}, .slope = line.order};
  for (const int n : counts) {
    wieloch::Study s = line.study;
    s.n = n;
    const wieloch::Run r = wieloch::run(s);
    if (!r.ok || r.largest[line.kind] < 5.0 * wieloch::round_off(n)[line.kind]) continue;
    c.x.push_back(1.0 / n);
    c.y.push_back(r.largest[line.kind]);
  }
  return c;
}

FigurePanel panel_of(std::string title, const std::vector<ErrorLine>& lines,
                     const std::vector<int>& counts) {
  FigurePanel p{
      .title = std::move(title),
      .x_label = "h",
      .y_label = fmt::format("largest error of {}", wieloch::class_names[lines.front().kind])};
  for (const ErrorLine& line : lines) p.curves.push_back(curve_of(line, counts));
  return p;
}

ErrorLine line_of(const std::string& method, HeavyTop form, int kind, double order,
                  std::map<std::string, double> settings = {}) {
  return {method, {.form = form, .method = method, .settings = std::move(settings)}, kind, order};
}

const std::vector<int> usual{1000, 2000, 4000, 8000};

// Figs. 6.1, 6.2: lambda from exact and from corrected start values, k = 2..6.
DrawnFigure start_values(const char* family) {
  std::vector<FigurePanel> panels;
  for (const auto& [form, name] :
       {std::pair{HeavyTop::r3xso3, "R^3 x SO(3)"}, std::pair{HeavyTop::se3, "SE(3)"}})
    for (const double start : {0.0, 1.0}) {
      std::vector<ErrorLine> lines;
      for (int k = 2; k <= 6; ++k) {
        const bool reduced = start == 0.0 && form == HeavyTop::r3xso3;
        ErrorLine l = line_of(fmt::format("{}{}", family, k), form, 2, 0.0, {{"start", start}});
        // The reduction shows where the start outgrows the rest: k = 2 and 4 at these steps.
        if (!reduced)
          l.order = k;
        else if (k == 2)
          l.order = k - 1;
        lines.push_back(std::move(l));
      }
      panels.push_back(
          panel_of(fmt::format("{}, {} start values", name, start == 0.0 ? "exact" : "corrected"),
                   lines, usual));
    }
  return with_slopes(std::move(panels));
}

DrawnFigure on_group(HeavyTop form, const std::vector<std::pair<std::string, double>>& methods,
                     const std::vector<int>& kinds, const std::vector<int>& counts = usual) {
  std::vector<FigurePanel> panels;
  for (const int kind : kinds) {
    std::vector<ErrorLine> lines;
    for (const auto& [method, order] : methods) lines.push_back(line_of(method, form, kind, order));
    panels.push_back(panel_of("", lines, counts));
  }
  return with_slopes(std::move(panels));
}

DrawnFigure parameter_sets(int k) {
  constexpr const char* names[] = {"L = 0", "(3.40)", "explicit", "implicit"};
  std::vector<ErrorLine> lines;
  for (const int set : {1, 2, 3}) {
    ErrorLine l = line_of(fmt::format("bliedf{}", k), HeavyTop::r3xso3, 0, k,
                          {{"correction", static_cast<double>(set)}});
    l.name = names[set];
    lines.push_back(std::move(l));
  }
  return with_slopes({panel_of("R^3 x SO(3)", lines, usual)});
}

DrawnFigure without_correction() {
  std::vector<ErrorLine> lines;
  for (int k = 3; k <= 6; ++k)
    lines.push_back(
        line_of(fmt::format("bliedf{}", k), HeavyTop::r3xso3, 0, 2.0, {{"correction", 0.0}}));
  return with_slopes({panel_of("R^3 x SO(3), L = 0", lines, {1000, 2000, 4000, 8000, 16000})});
}

DrawnFigure motion() {
  const char* names[] = {"x1", "R11", "u1", "Omega1"};
  const int rows[] = {0, 3, 12, 15};
  DrawnFigure f{
      .panels = {}, .agrees = true, .finding = "R and Omega oscillate fast, x and u slowly"};
  Eigen::VectorXd y(21);
  for (int i = 0; i < 4; ++i) {
    FigurePanel p{
        .x_label = "t", .y_label = names[i], .logarithmic_x = false, .logarithmic_y = false};
    FigureCurve c{.name = names[i]};
    for (int n = 0; n <= 1000; ++n) {
      problems::heavy_top_exact(HeavyTop::r3xso3, 1e-3 * n, Out(y.data(), 21));
      c.x.push_back(1e-3 * n);
      c.y.push_back(y[rows[i]]);
    }
    p.curves.push_back(std::move(c));
    f.panels.push_back(std::move(p));
  }
  return f;
}

}  // namespace

std::vector<SourceFigure> wieloch_figures() {
  std::vector<SourceFigure> list;
  const auto add = [&](const char* number, const char* title, const char* says, double seconds,
                       std::function<DrawnFigure()> make) {
    list.push_back({.id = fmt::format("wieloch-{}", number),
                    .source = dissertation,
                    .title = title,
                    .says = says,
                    .seconds = seconds,
                    .make = [make = std::move(make)](Context&) { return make(); }});
  };
  using Methods = std::vector<std::pair<std::string, double>>;
  const auto four = [](int p) {
    Methods m;
    for (const char* name : {"crouch-grossman", "commutator-free", "mkbdf", "bliedf"})
      m.emplace_back(fmt::format("{}{}", name, p), p);
    return m;
  };
  const auto two = [](int k) {
    return Methods{{fmt::format("mkbdf{}", k), k}, {fmt::format("bliedf{}", k), k}};
  };
  const std::vector<int> q_v{0, 1}, q_lambda{0, 2};
  add("3.2", "Heavy top on R^3 x SO(3)", "strong oscillation of R and Omega", 0.1, motion);
  add("6.1", "MKBDF: error of lambda, exact and corrected start values",
      "order k - 1 from exact and k from corrected start values on R^3 x SO(3), k on SE(3)", 8.0,
      [] { return start_values("mkbdf"); });
  add("6.2", "BLieDF: error of lambda, exact and corrected start values",
      "order k - 1 from exact and k from corrected start values on R^3 x SO(3), k on SE(3)", 8.0,
      [] { return start_values("bliedf"); });
  add("6.3", "Error of q from exact start values", "order k in q without correction", 4.0, [] {
    std::vector<FigurePanel> panels;
    for (const char* family : {"mkbdf", "bliedf"}) {
      std::vector<ErrorLine> lines;
      for (int k = 2; k <= 6; ++k)
        lines.push_back(
            line_of(fmt::format("{}{}", family, k), HeavyTop::r3xso3, 0, k, {{"start", 0.0}}));
      panels.push_back(panel_of(family, lines, usual));
    }
    return with_slopes(std::move(panels));
  });
  add("6.4", "Methods of order 1 on SO(3)", "all four families coincide, order 1", 4.0,
      [m = four(1)] {
        return on_group(HeavyTop::so3, m, {0, 1}, {20000, 40000, 80000});
      });
  add("6.5", "Methods of order 2 on SO(3)",
      "CG and CF are the most accurate, generalised-alpha marginally less, BDF2 least", 1.0, [q_v] {
        return on_group(HeavyTop::so3,
                        {{"crouch-grossman2", 2},
                         {"commutator-free2", 2},
                         {"generalised-alpha", 2},
                         {"bliedf2", 2}},
                        q_v);
      });
  add("6.7", "Methods of order 2 on R^3 x SO(3)",
      "order 2 in q and lambda; BDF2 more accurate in q, generalised-alpha in lambda", 1.0,
      [q_lambda] {
        DrawnFigure f =
            on_group(HeavyTop::r3xso3, {{"generalised-alpha", 2}, {"bliedf2", 2}}, q_lambda);
        f.agrees = f.agrees && f.panels[0].curves[1].y.back() < f.panels[0].curves[0].y.back();
        f.finding +=
            "; with rho = 0.8 generalised-alpha is more accurate in both (rho is not "
            "stated)";
        return f;
      });
  for (const auto& [p, free, constrained] :
       {std::tuple{3, "6.8", "6.10"}, std::tuple{4, "6.11", "6.13"}}) {
    add(free, "Errors of q and v on SO(3)", "order p; CG and CF the most accurate", 1.5,
        [m = four(p), q_v] { return on_group(HeavyTop::so3, m, q_v); });
    add(constrained, "Errors of q and lambda on R^3 x SO(3)",
        "order k in q and lambda; MKBDF more accurate than BLieDF", 1.5,
        [m = two(p), q_lambda] { return on_group(HeavyTop::r3xso3, m, q_lambda); });
  }
  for (const auto& [k, number] : {std::pair{5, "6.14"}, std::pair{6, "6.16"}})
    add(number, "Errors of q and lambda on R^3 x SO(3)",
        "order k in q and lambda; MKBDF more accurate", 1.5,
        [m = two(k), q_lambda] { return on_group(HeavyTop::r3xso3, m, q_lambda); });
  add("6.18", "BLieDF without its correction term", "only second order", 6.0, without_correction);
  add("6.19", "Parameters of the correction term, k = 3", "order 3; (6.8) best, (3.40a) worst", 1.5,
      [] { return parameter_sets(3); });
  add("6.21", "Parameters of the correction term, k = 4", "order 4; (3.40b) worst", 1.5,
      [] { return parameter_sets(4); });
  return list;
}

}  // namespace daedalus::experiments
