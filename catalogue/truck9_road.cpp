// SPDX-License-Identifier: BSD-3-Clause
// Planar truck on a rough road for 20 s at 15 m/s. The road is a Fourier series with period 48 m,
//   r(s) = exp(-1.5 / s) sum_k a_k cos(2 pi k s / 48 + phi_k), s > 0 the way in metres, else 0,
// whose factor lets the truck leave its equilibrium smoothly: all derivatives vanish at s = 0. The
// amplitudes follow class C of ISO 8608 (displacement spectrum 256e-6 m^3 (n / 0.1)^-2 at n waves
// per metre, a_k = 19.6 mm / k rounded to 0.01 mm), the phases are fixed numbers. The front wheel
// is at s = 15 t, the rear wheel 4.5 m behind. Stands for the truck with measured road of Simeon
// and others (1994), whose data are not at hand.
#include <numbers>

#include <catalogue/truck9.hpp>

namespace daedalus::problems {
namespace truck9_road_example {
namespace {

struct Wave {
  double amplitude, phase;  // millimetres, radians
};
constexpr std::array<Wave, 20> waves{{{19.60, 3.88}, {9.80, 2.97}, {6.53, 3.53}, {4.90, 5.58},
                                      {3.92, 2.83},  {3.27, 1.57}, {2.80, 1.78}, {2.45, 3.48},
                                      {2.18, 0.37},  {1.96, 5.04}, {1.78, 4.92}, {1.63, 0.01},
                                      {1.51, 2.82},  {1.40, 0.87}, {1.31, 0.41}, {1.23, 1.43},
                                      {1.15, 3.94},  {1.09, 1.63}, {1.03, 0.83}, {0.98, 1.51}}};
constexpr double speed = 15.0, period = 48.0, ramp = 1.5;

struct Rough {
  double factor;
  std::array<double, 20> cosines{}, sines{};  // metres

  explicit Rough(double f) : factor(f) {
    for (std::size_t k = 0; k < waves.size(); ++k) {
      cosines[k] = 1e-3 * factor * waves[k].amplitude * std::cos(waves[k].phase);
      sines[k] = -1e-3 * factor * waves[k].amplitude * std::sin(waves[k].phase);
    }
  }
  template <class S>
  truck::Height<S> operator()(const S& t) const {
    using std::cos, std::exp, std::sin;
    // exp(-1000) is zero, and ramp / s^2 must not overflow beside it.
    if (!(t > 1e-4)) return {S(0.0), S(0.0)};
    constexpr double turn = 2.0 * std::numbers::pi * speed / period;
    const S angle = turn * t;
    const S c1 = cos(angle), s1 = sin(angle);
    S c = c1, s = s1, sum = S(0.0), slope = S(0.0);
    for (std::size_t k = 0; k < waves.size(); ++k) {
      const double order = turn * static_cast<double>(k + 1);
      sum = sum + cosines[k] * c + sines[k] * s;
      slope = slope + order * (sines[k] * c - cosines[k] * s);
      const S next = c * c1 - s * s1;
      s = s * c1 + c * s1;
      c = next;
    }
    constexpr double delay = ramp / speed;
    const S weight = exp(-delay / t);
    return {weight * sum, weight * (slope + sum * (delay / (t * t)))};
  }
};

Problem build(const Values& values) {
  const truck::Constants c = read(truck::fields, values);
  return truck::problem("truck9-road", c, Rough(c.amplitude));
}

}  // namespace
}  // namespace truck9_road_example

const Entry& truck9_road() {
  static const Entry entry = [] {
    using namespace truck9_road_example;
    Entry e;
    e.name = "truck9-road";
    e.title = "Planar truck with nine coordinates on a rough road";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 20.0;
    e.source =
        "truck: Eich-Soellner, Fuehrer: Numerical Methods in Multibody Dynamics (1998), section "
        "1.3; road: Fourier series of class C after ISO 8608, standing for the measured one of "
        "Simeon, Grupp, Fuehrer, Rentrop: J. Comput. Appl. Math. 50 (1994), used by Arnold (1998), "
        "Fig. 3.7";
    e.suites = {"arnold"};
    e.equations =
        std::string(truck::equations) +
        "road: u(t) = amplitude exp(-0.1/t) sum_k a_k cos(2 pi k 15 t/48 + phi_k) for t > "
        "0, k = 1..20, front u(t), rear u(t - delay)";
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
    for (Parameter& parameter : e.parameters)
      if (parameter.name == "amplitude") parameter.value = 1.0;
    e.atol_scale = truck::force_scale();
    e.build = build;
    const std::vector<std::string> names = numbered("p", 9);
    e.reference = Reference{
        .t = 20.0,
        .values =
            named(joined({names, prefixed("d", names), numbered("lambda", 2)}),
                  {0.50381808004459489384,  2.0197669523861887087,    0.00013735223949491820698,
                   0.5205648147657032396,   2.921214475906196516,     -0.0004070869905498737144,
                   -1.4605403050388724492,  2.9204599607349229694,    0.00069246027306262305351,
                   -0.17623361050587421659, 0.014015364583381315347,  0.025428632290493576462,
                   0.19622382293700182587,  0.016812440350094346372,  0.01106137387374436111,
                   -0.0172960832761398362,  -0.035139455709097554331, 0.017963316832558191771,
                   4036.1174577366174422,   -57113.170981469351526}),
        .counted = joined({names, prefixed("d", names)}),
        .digits = 14,
        .source =
            "computed for this catalogue in quadruple precision by extrapolation of the index-1 "
            "form, two step sizes agree to 16 digits; data and start values rounded to double "
            "move the values by 3e-15"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
