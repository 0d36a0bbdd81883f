// SPDX-License-Identifier: BSD-3-Clause
// Planar truck over a smooth rise of the road, at rest in equilibrium before it. The road is
// infinitely often differentiable, u(t) = amplitude exp(-0.1 / t) for t > 0 and 0 before, so that
// multistep methods of any order may use the equilibrium as their past (Arnold 1998, section
// 3.3.3; the excitation used there is not published, this one stands for it).
#include <catalogue/truck9.hpp>

namespace daedalus::problems {
namespace truck9_example {
namespace {

struct Rise {
  double amplitude;

  template <class S>
  truck::Height<S> operator()(const S& t) const {
    using std::exp;
    // exp(-1000) is zero, and 0.1 / t^2 must not overflow beside it.
    if (!(t > 1e-4)) return {S(0.0), S(0.0)};
    const S u = amplitude * exp(-0.1 / t);
    return {u, u * 0.1 / (t * t)};
  }
};

Problem build(const Values& values) {
  const truck::Constants c = read(truck::fields, values);
  return truck::problem("truck9", c, Rise{c.amplitude});
}

}  // namespace
}  // namespace truck9_example

const Entry& truck9() {
  static const Entry entry = [] {
    using namespace truck9_example;
    Entry e;
    e.name = "truck9";
    e.title = "Planar truck with nine coordinates over a smooth rise";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "Eich-Soellner, Fuehrer: Numerical Methods in Multibody Dynamics (1998), section 1.3, "
        "after Simeon, Grupp, Fuehrer, Rentrop: J. Comput. Appl. Math. 50 (1994); Arnold (1998), "
        "section 3.3, with another smooth excitation";
    e.suites = {"core", "arnold"};
    e.equations = std::string(truck::equations) +
                  "road: u(t) = amplitude exp(-0.1/t) for t > 0, front u(t), rear u(t - delay)";
    e.parameters = defaults(truck::fields);
    e.units = units({{"m", "p1 p2 p4 p5 p7 p8"},
                     {"rad", "p3 p6 p9"},
                     {"m/s", "dp1 dp2 dp4 dp5 dp7 dp8"},
                     {"rad/s", "dp3 dp6 dp9"},
                     {"N", "lambda1 lambda2"},
                     {"kg", "m1..m5"},
                     {"kg.m2", "I2 I4 I5"},
                     {"m/s2", "gravity"},
                     {"s", "delay"}});
    e.atol_scale = truck::force_scale();
    e.build = build;
    const std::vector<std::string> names = numbered("p", 9);
    e.reference = Reference{
        .t = 1.0,
        .values =
            named(joined({names, prefixed("d", names), numbered("lambda", 2)}),
                  {0.58678613925282001163,    2.0929542317373738242,    -3.4617601207336687014e-4,
                   0.59122111004505907445,    2.9914775277806672516,    -2.1402206192080118043e-3,
                   -1.4601490100673861057,    2.9944485704406091655,    2.6808342308960934571e-4,
                   -2.6078370006744485709e-2, -0.12034510809657587730,  6.8052625125054420039e-2,
                   1.0761364788415694580e-2,  8.3588772296124017395e-2, 8.5006667513282466393e-2,
                   -5.6207915892024131180e-2, -0.23074067096292755709,  6.1201713624613666619e-2,
                   -710.28771138734364960,    -67868.149639347799966}),
        .counted = joined({names, prefixed("d", names)}),
        .digits = 14,
        .source =
            "computed for this catalogue in quadruple precision by extrapolation of the index-1 "
            "form, two step sizes agree to 18 digits; data and start values rounded to double "
            "move positions and velocities by 3e-16"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
