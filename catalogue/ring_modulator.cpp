// SPDX-License-Identifier: BSD-3-Clause
// Ring modulator with parasitic capacitances Cs > 0: a stiff, highly oscillatory ODE.
#include <catalogue/ring_modulator.hpp>

namespace daedalus::problems {
namespace ring_modulator_example {
namespace {

Problem build(const Values& values) {
  const ring::Constants c = read(ring::fields, values);
  std::array<double, 15> inverse = ring::storage(c);
  for (double& value : inverse) value = 1.0 / value;
  return MassMatrixProblem{.name = "ring-modulator",
                           .rhs = autodiff([c, inverse](const auto& t, const auto& y, auto& f) {
                             if (ring::currents(c, t, y, f) == Eval::reject) return Eval::reject;
                             for (int i = 0; i < 15; ++i)
                               f[i] = f[i] * inverse[static_cast<std::size_t>(i)];
                             return Eval::ok;
                           }),
                           .y0 = Eigen::VectorXd::Zero(15),
                           .index = 0,
                           .variables = ring::variables(),
                           .equations = prefixed("rate of ", ring::variables())};
}

}  // namespace
}  // namespace ring_modulator_example

const Entry& ring_modulator() {
  static const Entry entry = [] {
    using namespace ring_modulator_example;
    Entry e;
    e.name = "ring-modulator";
    e.title = "Ring modulator";
    e.form = "mass-matrix";
    e.index = 0;
    e.t0 = 0.0;
    e.t_end = 1e-3;
    e.stiff = true;
    e.source =
        "Horneber: Analyse nichtlinearer RLCUe-Netzwerke (1976); Kampowsky, Rentrop, Schmidt "
        "(1992); Mazzia, Magherini: Test Set for Initial Value Problem Solvers (2008), problem "
        "RINGMOD";
    e.suites = {"core"};
    e.equations = ring::text(true);
    e.parameters = defaults(ring::fields);
    e.units = units({{"V", "U1..U7"},
                     {"A", "I1..I8 gamma"},
                     {"F", "C Cp Cs"},
                     {"H", "Lh Ls1..Ls3"},
                     {"Ohm", "R Rp Rg1..Rg3 Ri Rc"},
                     {"V-1", "delta"}});
    e.build = build;
    e.reference = Reference{
        .t = 1e-3,
        .values = named(ring::variables(),
                        {-0.2339057358486745e-1, -0.7367485485540825e-2, 0.2582956709291169,
                         -0.4064465721283450, -0.4039455665149794, 0.2607966765422943,
                         0.1106761861269975, 0.2939904342435596e-6, -0.2840029933642329e-7,
                         0.7267198267264553e-3, 0.7929487196960840e-3, -0.7255283495698965e-3,
                         -0.7941401968526521e-3, 0.7088495416976114e-4, 0.2390059075236570e-4}),
        .counted = {},
        .digits = 8,
        .source =
            "Test Set for Initial Value Problem Solvers, release 2.4 (2008): RADAU with "
            "tolerance 1e-12"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
