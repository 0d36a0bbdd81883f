// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_amplifier.hpp>

#include <cmath>

#include <daedalus/autodiff.hpp>

namespace daedalus::problems {

const Entry& transistor_amplifier();

namespace {

constexpr int nodes = 8;

// Base, emitter and collector of one transistor at rest: base current from the divider G = 1/Ra +
// 1/Rb with the supply current `supply`, emitter resistor Re, collector resistor Rc.
struct Rest {
  double base, emitter, collector;
};

// With x = base - emitter and i = beta (exp(x/UF) - 1): base = (supply - (1 - alpha) i) / G,
// emitter = Re i. The difference is increasing and convex in x; Newton's method from a point to
// the right of the root descends to it.
Rest stage_at_rest(const Values& v, double G, double supply, double Re, double Rc) {
  const double alpha = v.at("alpha"), beta = v.at("beta"), UF = v.at("UF"), Ub = v.at("Ub");
  const double slope = (1.0 - alpha) / G + Re, goal = supply / G;
  double x = UF * std::log1p(goal / (beta * slope));
  for (int k = 0; k < 50; ++k) {
    const double i = beta * std::expm1(x / UF);
    const double change = (x + slope * i - goal) / (1.0 + slope * (i + beta) / UF);
    x -= change;
    if (std::abs(change) <= 1e-17 * goal) break;
  }
  const double i = beta * std::expm1(x / UF);
  return {(supply - (1.0 - alpha) * i) / G, Re * i, Ub - Rc * alpha * i};
}

MassMatrixProblem circuit(const std::string& name, const Values& values) {
  auto p = std::get<MassMatrixProblem>(transistor_amplifier().problem(values));
  p.name = name;
  return p;
}

}  // namespace

Eigen::VectorXd amplifier_at_rest(const Values& v, double Ue) {
  const double Ub = v.at("Ub");
  const auto stage = [&](const char* a, const char* b, const char* e, const char* c) {
    return stage_at_rest(v, 1.0 / v.at(a) + 1.0 / v.at(b), Ub / v.at(b), v.at(e), v.at(c));
  };
  const Rest first = stage("R1", "R2", "R3", "R4"), second = stage("R5", "R6", "R7", "R8");
  return vector({Ue, first.base, first.emitter, first.collector, second.base, second.emitter,
                 second.collector, 0.0});
}

MassMatrixProblem amplifier_with_sine(const std::string& name, const Values& values) {
  return circuit(name, values);
}

MassMatrixProblem amplifier_with_constant_input(const std::string& name, const Values& values) {
  MassMatrixProblem p = circuit(name, values);
  // The sine is held at its maximum, a quarter of a period after zero.
  double quarter = 0.0;
  for (const Parameter& parameter : transistor_amplifier().parameters)
    if (parameter.name == "frequency") quarter = 0.25 / parameter.value;
  p.rhs = autodiff([rhs = p.rhs, quarter](const auto&, const auto& y, auto& f) {
    using S = std::decay_t<decltype(y[0])>;
    Arguments<S> a;
    a.t = S(quarter);
    a.x[0] = y.data();
    a.n[0] = nodes;
    return rhs(a, f.data(), nodes);
  });
  return p;
}

Entry amplifier_entry(const std::string& name, const std::string& title, const std::string& input) {
  Entry e;
  e.name = name;
  e.title = title;
  e.form = "mass-matrix";
  e.index = 1;
  e.stiff = true;
  e.source =
      "Steinebach: Semi-implizite Einschrittverfahren zur numerischen Loesung "
      "differential-algebraischer Gleichungen technischer Modelle, report 29, University of "
      "Kaiserslautern (1988), section 9.2; circuit and data as in Rentrop, Roche, Steinebach, "
      "Numer. Math. 55 (1989), since the report's page with them is lost";
  e.suites = {"steinebach"};
  e.parameters = transistor_amplifier().parameters;
  e.units = transistor_amplifier().units;
  const std::string& text = transistor_amplifier().equations;
  e.equations = "g(x) = beta (exp(x/UF) - 1), Ue(t) = " + input + text.substr(text.find('\n'));
  return e;
}

}  // namespace daedalus::problems
