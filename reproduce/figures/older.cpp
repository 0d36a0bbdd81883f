// SPDX-License-Identifier: BSD-3-Clause
// Sketches 6 to 8 of Steinebach (1988); the curves of the ring modulator, of the linear example and
// of the pendulum of Tischendorf (1992), whose pictures are lost.
#include <cmath>

#include <fmt/format.h>

#include "reproduce/figures/figure.hpp"
#include "reproduce/steinebach_support.hpp"
#include "reproduce/tischendorf_program.hpp"

namespace daedalus::experiments {
namespace {

FigurePanel over_time(std::string title, std::string label, std::vector<FigureCurve> curves) {
  return {.title = std::move(title),
          .x_label = "t",
          .y_label = std::move(label),
          .curves = std::move(curves),
          .logarithmic_x = false,
          .logarithmic_y = false};
}

// Input and output of the amplifier.
DrawnFigure amplifier(const char* problem, double t_end, bool amplified) {
  Options o{.method = "rodas5p", .rtol = 1e-7, .atol = 1e-7, .output = Output::dense};
  const Solution s = solve(catalogue_problem(problem), {0.0, t_end}, o);
  FigureCurve out{.name = "U8"};
  double least = 0.0, most = 0.0;
  for (int i = 0; i <= 1000; ++i) {
    const double t = t_end * i / 1000.0, u = s.at(t)["U8"];
    out.x.push_back(t), out.y.push_back(u);
    if (i > 500) least = std::min(least, u), most = std::max(most, u);
  }
  const bool agrees = s.ok() && (most - least > 0.4) == amplified;
  return {
      .panels = {over_time("", "U8", {out})},
      .agrees = agrees,
      .finding = fmt::format("in the second half U8 lies between {:.2f} and {:.2f}", least, most)};
}

DrawnFigure ring_modulator() {
  const char* names[] = {"U1", "U2", "U3", "I2", "I7", "I8"};
  const int rows[] = {0, 1, 2, 8, 13, 14};
  DrawnFigure f;
  std::vector<FigureCurve> curves(6);
  const tischendorf::Run r =
      tischendorf::run("ring-modulator-index2", 1e-3, 1e-6, {.sink = [&](const StateView& s) {
                         for (std::size_t i = 0; i < 6; ++i) {
                           curves[i].x.push_back(s.t());
                           curves[i].y.push_back(s.y()[rows[i]]);
                         }
                       }});
  for (std::size_t i = 0; i < 6; ++i) {
    curves[i].name = names[i];
    f.panels.push_back(over_time("", names[i], {curves[i]}));
  }
  f.agrees = r.status == Status::success;
  f.finding = fmt::format("{} steps with Control 1 at 1e-6", r.accepted);
  return f;
}

DrawnFigure fluctuations() {
  DrawnFigure f;
  std::size_t points[2] = {0, 0};
  for (const int mode : {1, 2}) {
    FigureCurve c{.name = fmt::format("Control {}", mode)};
    (void)tischendorf::run("ring-modulator-index2", 1e-4, 1e-6,
                           {.mode = mode, .sink = [&](const StateView& s) {
                              if (s.t() < 5.0e-5 || s.t() > 5.2e-5) return;
                              c.x.push_back(s.t());
                              c.y.push_back(s.y()[2]);
                            }});
    points[mode - 1] = c.x.size();
    f.panels.push_back(over_time(c.name, "U3", {c}));
  }
  f.agrees = points[1] > 3 * points[0];
  f.finding = fmt::format("{} and {} points in the window; Control 1 lets U3 fluctuate", points[0],
                          points[1]);
  return f;
}

DrawnFigure linear_example() {
  DrawnFigure f;
  for (const double tolerance : {1e-1, 1e-2, 1e-3}) {
    std::vector<FigureCurve> curves;
    for (const int mode : {1, 2}) {
      FigureCurve c{.name = fmt::format("Control {}", mode)};
      (void)tischendorf::run("tischendorf-linear", 1.0, tolerance,
                             {.mode = mode, .sink = [&](const StateView& s) {
                                c.x.push_back(s.t());
                                c.y.push_back(s.y()[1]);
                              }});
      curves.push_back(std::move(c));
    }
    f.panels.push_back(over_time(fmt::format("tolerance {:g}", tolerance), "x2", curves));
  }
  f.agrees = true;
  for (const FigurePanel& p : f.panels)
    f.agrees = f.agrees && p.curves[1].x.size() >= p.curves[0].x.size();
  f.finding = "Control 2 takes at least as many steps as Control 1";
  return f;
}

DrawnFigure pendulum() {
  DrawnFigure f;
  for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4}) {
    FigureCurve path{.name = "path"}, lambda{.name = "lambda"};
    const tischendorf::Run r = tischendorf::run("tischendorf-pendulum-index3", 1.0, tolerance,
                                                {.sink = [&](const StateView& s) {
                                                  path.x.push_back(s.y()[0]);
                                                  path.y.push_back(s.y()[1]);
                                                  lambda.x.push_back(s.t());
                                                  lambda.y.push_back(s.y()[4]);
                                                }});
    FigurePanel p = over_time(fmt::format("tolerance {:g}", tolerance), "x2", {path});
    p.x_label = "x1";
    f.panels.push_back(std::move(p));
    f.panels.push_back(over_time(fmt::format("tolerance {:g}", tolerance), "lambda", {lambda}));
    f.agrees = r.status == Status::success;
  }
  f.finding = "the path is fair at every tolerance, lambda acceptable from 1e-4 on";
  return f;
}

}  // namespace

std::vector<SourceFigure> older_figures() {
  const char* const report = steinebach::source;
  const char* const diploma = tischendorf::source;
  const auto made = [](auto make) { return [make](Context&) { return make(); }; };
  return {{.id = "steinebach-6",
           .source = report,
           .title = "Amplifier a: output for a constant input",
           .says = "the output tends to zero after a short transient",
           .seconds = 0.1,
           .make = made([] { return amplifier("amplifier-dc", 1.0, false); })},
          {.id = "steinebach-7",
           .source = report,
           .title = "Amplifier b: output for 100 Hz",
           .says = "the input is amplified",
           .seconds = 0.1,
           .make = made([] { return amplifier("amplifier-100hz", 0.1, true); })},
          {.id = "steinebach-8",
           .source = report,
           .title = "Amplifier c: output for 1000 Hz",
           .says = "the input is amplified",
           .seconds = 0.1,
           .make = made([] { return amplifier("amplifier-1khz", 0.01, true); })},
          {.id = "tischendorf-ring",
           .source = diploma,
           .title = "Ring modulator to 1e-3: U1, U2, U3, I2, I7, I8",
           .says = "Control 1 at 1e-6 reaches the end",
           .seconds = 0.2,
           .make = made(ring_modulator)},
          {.id = "tischendorf-u3",
           .source = diploma,
           .title = "Ring modulator: U3 near 5e-5, both controls",
           .says = "Control 1 lets U3 fluctuate shortly, without harm; Control 2 does not",
           .seconds = 0.3,
           .make = made(fluctuations)},
          {.id = "tischendorf-linear",
           .source = diploma,
           .title = "Linear example: x2 with both controls",
           .says = "Control 1 is better in quality and cost",
           .seconds = 0.1,
           .make = made(linear_example)},
          {.id = "tischendorf-pendulum",
           .source = diploma,
           .title = "Pendulum of index 3: path and lambda, Control 1",
           .says = "lambda is poor at loose tolerances and acceptable from about 1e-4 on",
           .seconds = 0.2,
           .make = made(pendulum)}};
}

}  // namespace daedalus::experiments
