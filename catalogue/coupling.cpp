// SPDX-License-Identifier: BSD-3-Clause
// Index 2 in Hessenberg form, autonomous, with the only solution (1, 1, 0):
//   x1' + (x2 - 1) x3^p = 0,  x2' - x3 = 0,  (x2 - 1) / x1 = 0.
// Defects delta in the constraint that alternate between 0 and a reach x1 as T a^(p+1) / (2 h^p):
// smaller steps make the differential component worse.
#include <cmath>

#include <fmt/format.h>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace coupling_example {
namespace {

struct Constants {
  double p = 2.0;
};
constexpr std::array<Field<Constants>, 1> fields{{{"p", &Constants::p}}};

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  const int power = static_cast<int>(c.p);
  if (c.p != power || power < 1 || power > 9)
    throw InvalidArgument(
        fmt::format("parameter 'p' of problem 'coupling' is {}; it must be 1, 2, ... or 9", c.p));
  return SemiExplicitProblem{
      .name = "coupling",
      .f = autodiff([power](const auto&, const auto& y, const auto& z, auto& f) {
        f[0] = 1.0 - y[1];
        for (int i = 0; i < power; ++i) f[0] *= z[0];
        f[1] = z[0];
      }),
      .g = autodiff(
          [](const auto&, const auto& y, const auto&, auto& g) { g[0] = (y[1] - 1.0) / y[0]; }),
      .hessenberg_blocks = {2},
      .y0 = vector({1.0, 1.0}),
      .z0 = vector({0.0}),
      .y_names = {"x1", "x2"},
      .z_names = {"x3"},
      .equations = {"rate of x1", "rate of x2", "constraint"}};
}

}  // namespace
}  // namespace coupling_example

const Entry& coupling() {
  static const Entry entry = [] {
    using namespace coupling_example;
    Entry e;
    e.name = "coupling";
    e.title = "Errors of an algebraic component enter a differential one nonlinearly";
    e.form = "semi-explicit";
    e.index = 2;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "Tischendorf: Die BDF fuer nichtlineare Algebro-Differentialgleichungen vom Index 2 "
        "(1992), section 3.2; there p = 2";
    e.suites = {"tischendorf"};
    e.equations =
        "x1' = -(x2 - 1) x3^p\n"
        "x2' = x3\n"
        "0 = (x2 - 1) / x1";
    e.parameters = defaults(fields);
    e.build = build;
    e.exact = [](double, const Values&) { return named({"x1", "x2", "x3"}, {1.0, 1.0, 0.0}); };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
