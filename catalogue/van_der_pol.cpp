// SPDX-License-Identifier: BSD-3-Clause
// Van der Pol's oscillator in singularly perturbed form, eps = 1e-6: a stiff ODE with fast jumps.
// The test set prints its reference for the time s = t / sqrt(eps), where dy1/ds = sqrt(eps) y2;
// here y2 is dy1/dt, a thousand times as large.
#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace van_der_pol_example {
namespace {

struct Constants {
  double eps = 1e-6;
};
constexpr std::array<Field<Constants>, 1> fields{{{"eps", &Constants::eps}}};

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  return MassMatrixProblem{.name = "van-der-pol",
                           .rhs = autodiff([c](const auto&, const auto& y, auto& f) {
                             f[0] = y[1];
                             f[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / c.eps;
                           }),
                           .y0 = vector({2.0, 0.0}),
                           .index = 0,
                           .variables = {"y1", "y2"},
                           .equations = {"kinematics", "oscillator"}};
}

}  // namespace
}  // namespace van_der_pol_example

const Entry& van_der_pol() {
  static const Entry entry = [] {
    using namespace van_der_pol_example;
    Entry e;
    e.name = "van-der-pol";
    e.title = "Van der Pol oscillator";
    e.form = "mass-matrix";
    e.index = 0;
    e.t0 = 0.0;
    e.t_end = 2.0;
    e.stiff = true;
    e.source =
        "Hairer, Wanner: Solving Ordinary Differential Equations II (1996), section IV.10; "
        "Mazzia, Magherini: Test Set for Initial Value Problem Solvers (2008), problem VDPOL";
    e.suites = {"core"};
    e.equations =
        "y1' = y2\n"
        "eps y2' = (1 - y1^2) y2 - y1";
    e.parameters = defaults(fields);
    e.build = build;
    e.reference = Reference{
        .t = 2.0,
        .values = named({"y1", "y2"}, {0.1706167732170469e1, -0.8928097010248125}),
        .counted = {},
        .digits = 12,
        .source =
            "Test Set for Initial Value Problem Solvers, release 2.4 (2008), y2 rescaled to t"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
