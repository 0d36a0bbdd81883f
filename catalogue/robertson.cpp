// SPDX-License-Identifier: BSD-3-Clause
// Robertson's reaction with the mass balance as algebraic equation, index 1. The concentrations
// differ by ten orders of magnitude: absolute tolerances have to be scaled per variable.
#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace robertson_example {
namespace {

struct Constants {
  double k1 = 0.04, k2 = 3e7, k3 = 1e4;
};
constexpr std::array<Field<Constants>, 3> fields{
    {{"k1", &Constants::k1}, {"k2", &Constants::k2}, {"k3", &Constants::k3}}};

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  return SemiExplicitProblem{.name = "robertson",
                             .f = autodiff([c](const auto&, const auto& y, const auto& z, auto& f) {
                               f[0] = -c.k1 * y[0] + c.k3 * y[1] * z[0];
                               f[1] = c.k1 * y[0] - c.k3 * y[1] * z[0] - c.k2 * y[1] * y[1];
                             }),
                             .g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
                               g[0] = y[0] + y[1] + z[0] - 1.0;
                             }),
                             .y0 = vector({1.0, 0.0}),
                             .z0 = vector({0.0}),
                             .y_names = {"y1", "y2"},
                             .z_names = {"y3"},
                             .equations = {"y1 balance", "y2 balance", "total mass"}};
}

}  // namespace
}  // namespace robertson_example

const Entry& robertson() {
  static const Entry entry = [] {
    using namespace robertson_example;
    Entry e;
    e.name = "robertson";
    e.title = "Robertson's chemical reaction with mass balance";
    e.form = "semi-explicit";
    e.index = 1;
    e.t0 = 0.0;
    e.t_end = 1e11;
    e.stiff = true;
    e.source =
        "Robertson (1966), in Walsh (ed.): Numerical Analysis, an Introduction; Mazzia, Magherini: "
        "Test Set for Initial Value Problem Solvers (2008), problem ROBER";
    e.suites = {"core"};
    e.equations =
        "y1' = -k1 y1 + k3 y2 y3\n"
        "y2' = k1 y1 - k3 y2 y3 - k2 y2^2\n"
        "0 = y1 + y2 + y3 - 1";
    e.parameters = defaults(fields);
    e.atol_scale = {{"y1", 1e-8}, {"y2", 1e-13}, {"y3", 1.0}};
    e.build = build;
    e.reference = Reference{
        .t = 1e11,
        .values = named(numbered("y", 3),
                        {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050}),
        .counted = {},
        .digits = 12,
        .source = "Test Set for Initial Value Problem Solvers, release 2.4 (2008)"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
