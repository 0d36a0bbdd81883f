// SPDX-License-Identifier: BSD-3-Clause
// Steinebach's linear system that is not separated: (1 1; 1 1) y' = (y1 + y2, 2 y1 + 5);
// y1 = (3 exp(t) - 5) / 2, y2 = (3 exp(t) + 5) / 2. The difference of the rows is y2 - y1 = 5.
#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace steinebach_linear_example {
namespace {

Problem build(const Values&) {
  SparseMatrix M(2, 2);
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i) M.insert(i, j) = 1.0;
  M.makeCompressed();
  return MassMatrixProblem{.name = "steinebach-linear",
                           .mass_matrix = M,
                           .rhs = autodiff([](const auto&, const auto& y, auto& f) {
                             f[0] = y[0] + y[1];
                             f[1] = 2.0 * y[0] + 5.0;
                           }),
                           .variable_index = {1, 1},
                           .y0 = vector({-1.0, 4.0}),
                           .index = 1,
                           .variables = {"y1", "y2"},
                           .equations = {"first row", "second row"}};
}

}  // namespace
}  // namespace steinebach_linear_example

const Entry& steinebach_linear() {
  static const Entry entry = [] {
    using namespace steinebach_linear_example;
    Entry e;
    e.name = "steinebach-linear";
    e.title = "Linear system with a full mass matrix of rank one";
    e.form = "mass-matrix";
    e.index = 1;
    e.t0 = 0.0;
    e.t_end = 2.0;
    e.source =
        "Steinebach: Semi-implizite Einschrittverfahren zur numerischen Loesung "
        "differential-algebraischer Gleichungen technischer Modelle, report 29, University of "
        "Kaiserslautern (1988), (9.9)";
    e.suites = {"steinebach"};
    e.equations =
        "y1' + y2' = y1 + y2\n"
        "y1' + y2' = 2 y1 + 5";
    e.build = build;
    e.exact = [](double t, const Values&) {
      const double growth = 3.0 * std::exp(t);
      return named({"y1", "y2"}, {0.5 * (growth - 5.0), 0.5 * (growth + 5.0)});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
