// SPDX-License-Identifier: BSD-3-Clause
// Ring modulator without parasitic capacitances: M y' = f(t, y) with M diagonal of rank 11, index
// 2. Adding the four algebraic equations with signs +, -, +, - gives I3 + I4 + I5 + I6 = 0; its
// derivative is the hidden constraint U3 - U4 + U5 - U6 = 0 (for Ls2 = Ls3, Rg2 = Rg3).
#include <catalogue/ring_modulator.hpp>

namespace daedalus::problems {
namespace ring_modulator_index2_example {
namespace {

constexpr std::array<Field<ring::Constants>, 15> fields = [] {
  std::array<Field<ring::Constants>, 15> list{};
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = ring::fields[i];
  return list;
}();

Problem build(const Values& values) {
  ring::Constants c = read(fields, values);
  c.Cs = 0.0;
  const std::array<double, 15> diagonal = ring::storage(c);
  SparseMatrix M(15, 15);
  std::vector<int> variable_index(15, 1);
  for (int i = 0; i < 15; ++i) {
    const double value = diagonal[static_cast<std::size_t>(i)];
    if (value == 0.0)
      variable_index[static_cast<std::size_t>(i)] = 2;
    else
      M.insert(i, i) = value;
  }
  M.makeCompressed();
  return MassMatrixProblem{.name = "ring-modulator-index2",
                           .mass_matrix = M,
                           .rhs = autodiff([c](const auto& t, const auto& y, auto& f) {
                             return ring::currents(c, t, y, f);
                           }),
                           .variable_index = variable_index,
                           .y0 = Eigen::VectorXd::Zero(15),
                           .index = 2,
                           .variables = ring::variables(),
                           .equations = prefixed("balance of ", ring::variables())};
}

}  // namespace
}  // namespace ring_modulator_index2_example

const Entry& ring_modulator_index2() {
  static const Entry entry = [] {
    using namespace ring_modulator_index2_example;
    Entry e;
    e.name = "ring-modulator-index2";
    e.title = "Ring modulator without parasitic capacitances";
    e.form = "mass-matrix";
    e.index = 2;
    e.t0 = 0.0;
    e.t_end = 1e-3;
    e.stiff = true;
    e.source =
        "Horneber: Analyse nichtlinearer RLCUe-Netzwerke (1976); Tischendorf: Feasibility and "
        "stability behaviour of the BDF applied to index-2 differential-algebraic equations, "
        "ZAMM 75 (1995)";
    e.suites = {"core"};
    e.equations = ring::text(false);
    e.parameters = defaults(fields);
    e.units = units({{"V", "U1..U7"},
                     {"A", "I1..I8 gamma"},
                     {"F", "C Cp"},
                     {"H", "Lh Ls1..Ls3"},
                     {"Ohm", "R Rp Rg1..Rg3 Ri Rc"},
                     {"V-1", "delta"}});
    e.build = build;
    e.reference = Reference{
        .t = 1e-3,
        .values = named(ring::variables(),
                        {-2.3399134631e-02, -7.3748825871e-03, 3.2342482274e-01, -3.4131354013e-01,
                         -3.3881183090e-01, 3.2592653197e-01, 1.1067447671e-01, 2.9399097638e-07,
                         -2.8388180263e-08, 7.2608472888e-04, 7.9351628081e-04, -7.2608473009e-04,
                         -7.9351627961e-04, 7.0878211809e-05, 2.3898082027e-05}),
        .counted = {},
        .digits = 8,
        .source =
            "computed for this catalogue: Radau IIA of order 5 on the index-1 form, where "
            "tolerances 1e-9 and 1e-10 agree to 2e-9 relative"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
