// SPDX-License-Identifier: BSD-3-Clause
// The ring modulator without parasitic capacitances, tolerance 1e-6: claims R17, R18.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reproduce/tischendorf.hpp"
#include "reproduce/tischendorf_program.hpp"

namespace daedalus::experiments::tischendorf {
namespace {

const char* const circuit = "ring-modulator-index2";

// At t = 1e-4: Radau IIA on the index-1 form and BDF on the index-2 form, computed apart from this
// library, agree to 8e-8 in U and 8e-10 in I.
Eigen::VectorXd reference() {
  Eigen::VectorXd x(15);
  x << 2.6857767e-1, 1.9740001e-1, 4.6005898e-1, -1.9847019e-1, -2.2707023e-1, 4.3145894e-1,
      1.1100877e-1, -2.784501e-6, -9.696959e-7, 1.1227759e-3, 4.067895e-4, -1.1227757e-3,
      -4.067896e-4, 3.936705e-4, -3.068752e-4;
  return x;
}

struct Watched {
  Run run;
  int points = 0;        // in [4.99e-5, 5.25e-5]
  double largest = 0.0;  // step of U3 between neighbouring points in [5.08e-5, 5.12e-5]
  double constraint = 0.0, hidden = 0.0;  // I3 + I4 + I5 + I6, U3 - U4 + U5 - U6
};

// U3 is flat in [5.08e-5, 5.12e-5]: it moves by less than 1e-3.
Watched watch(int mode) {
  Watched w;
  double before = std::nan("");
  w.run = run(circuit, 1e-4, 1e-6,
              {.mode = mode, .sink = [&](const StateView& s) {
                 const auto x = s.y();
                 if (s.t() >= 4.99e-5 && s.t() <= 5.25e-5) ++w.points;
                 if (s.t() >= 5.08e-5 && s.t() <= 5.12e-5) {
                   if (std::isfinite(before))
                     w.largest = std::max(w.largest, std::abs(x[2] - before));
                   before = x[2];
                 }
                 w.constraint = std::max(w.constraint, std::abs(x[9] + x[10] + x[11] + x[12]));
                 w.hidden = std::max(w.hidden, std::abs(x[2] - x[3] + x[4] - x[5]));
               }});
  return w;
}

std::vector<Claim> short_run(Context& context) {
  std::vector<Claim> claims;
  const Watched one = watch(1);
  if (context.note) context.note("Control 2");
  const Watched two = watch(2);
  claims.push_back(list_claim(
      "tischendorf-R17.steps", "to t = 1e-4, Control 1: accepted and rejected steps", {195, 67},
      {one.run.accepted, one.run.rejected}, "accepted between 150 and 260",
      one.run.status == Status::success && one.run.accepted >= 150 && one.run.accepted <= 260,
      "the rules for the step are not stated; " + spread(circuit, 1e-4, 1e-6)));
  claims.push_back(
      factor_claim("tischendorf-R17.largest-step", "largest step", 1.8e-6, one.run.h_max, 1.25));
  claims.push_back(factor_claim(
      "tischendorf-R17.smallest-step", "smallest step", 1e-8, one.run.h_min, 10.0,
      fmt::format("the first step: its test, taken as printed over all variables, forces it down; "
                  "with P x alone it is {:.1e}",
                  run(circuit, 1e-4, 1e-6, {.first_test_of_all = false}).h_min)));
  claims.push_back(
      list_claim("tischendorf-R17.cost", "Control 2 costs about 4 times as much (attempts)", 4.0,
                 static_cast<double>(two.run.total()) / static_cast<double>(one.run.total()),
                 "between 2.5 and 5",
                 two.run.total() > 2.5 * static_cast<double>(one.run.total()) &&
                     two.run.total() < 5.0 * static_cast<double>(one.run.total()),
                 "the rules for the step are not stated; halving and doubling gives 3.6"));
  const Eigen::VectorXd e = (one.run.end - reference()).cwiseAbs();
  claims.push_back(number_claim("tischendorf-R17.voltages",
                                "Control 1: largest error of a voltage at t = 1e-4", 0.0,
                                e.head(7).maxCoeff(), 1e-4));
  claims.push_back(number_claim("tischendorf-R17.currents", "and of a current", 0.0,
                                e.tail(8).maxCoeff(), 1e-6));
  claims.push_back(
      list_claim("tischendorf-R17.fluctuations",
                 "Control 1 lets U3 fluctuate near t = 5e-5, where it is flat; Control "
                 "2 does not (largest change of U3 between points in [5.08e-5, "
                 "5.12e-5])",
                 "over 1e-2, below 1e-2", {one.largest, two.largest}, Json(),
                 one.largest > 1e-2 && two.largest < 1e-2));
  claims.push_back(list_claim(
      "tischendorf-R17.points", "Control 2 needs over 3 times as many points in [4.99e-5, 5.25e-5]",
      "over 3 times", {one.points, two.points}, Json(), two.points > 3 * one.points));
  claims.push_back(number_claim("tischendorf-R17.constraint",
                                "Control 1 satisfies I3 + I4 + I5 + I6 = 0 up to rounding", 0.0,
                                one.constraint, 1e-14));
  claims.push_back(number_claim("tischendorf-R17.hidden", "and the hidden U3 - U4 + U5 - U6 = 0",
                                0.0, one.hidden, 1e-8));
  Claim other = open_claim("tischendorf-R17.DAE34", "DAE34: 496 and 84 steps of 4e-11 to 1e-6",
                           "another program, of which the thesis gives neither version nor "
                           "settings");
  other.expected = Json{{"steps", {496, 84}}};
  claims.push_back(std::move(other));
  claims.push_back(open_claim("tischendorf-R17.minutes",
                              "about 2 minutes for DAE2SOL, 3.5 for DAE34",
                              "minutes on personal computers of 1992 and before"));
  return claims;
}

std::vector<Claim> long_run(Context&) {
  std::vector<Claim> claims;
  const problems::Entry& e = entry(circuit);
  const Run r = run(circuit, 1e-3, 1e-6);
  claims.push_back(
      fact_claim("tischendorf-R18.end", "Control 1 reaches t = 1e-3", r.status == Status::success));
  for (const int i : {0, 1, 6}) {
    const auto& [name, value] = e.reference->values[static_cast<std::size_t>(i)];
    claims.push_back(number_claim(fmt::format("tischendorf-R18.{}", name),
                                  fmt::format("{} at t = 1e-3", name), value, r.end[i], 1e-4));
  }
  claims.push_back(open_claim("tischendorf-R18.figures",
                              "curves of U1, U2, U3, I2, I7, I8 over [0, 1e-3]",
                              "the figures are lost; only captions are left"));
  return claims;
}

}  // namespace

std::vector<Experiment> circuit_experiments() {
  return {
      {.id = "tischendorf-R17",
       .title = "Ring modulator to t = 1e-4",
       .source = source,
       .basis = Basis::printed("section 4.5, table of the ring modulator"),
       .parts = {{"voltages", Basis::own("two other programs, Radau IIA and BDF, agree to 8e-8")},
                 {"currents", Basis::own("two other programs, Radau IIA and BDF, agree to 8e-10")},
                 {"points", Basis::own("number of points of another program")},
                 {"constraint", Basis::own("constraints derived by us from the equations")},
                 {"hidden", Basis::own("constraints derived by us from the equations")}},
       .seconds = 0.15,
       .run = short_run},
      {.id = "tischendorf-R18",
       .title = "Ring modulator to t = 1e-3",
       .source = source,
       .basis = Basis::printed("section 4.5, ring modulator"),
       .parts = {{"figures",
                  Basis::figure("curves of U1, U2, U3, I2, I7, I8", "none: the figures are lost")},
                 {"U1", Basis::own("two other programs, Radau IIA and BDF, agree to 2e-7")},
                 {"U2", Basis::own("two other programs, Radau IIA and BDF, agree to 2e-7")},
                 {"U7", Basis::own("two other programs, Radau IIA and BDF, agree to 2e-7")}},
       .seconds = 0.1,
       .run = long_run}};
}

}  // namespace daedalus::experiments::tischendorf
