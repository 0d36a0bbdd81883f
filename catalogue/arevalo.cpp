// SPDX-License-Identifier: BSD-3-Clause
// Arevalo's index-3 system: a point on the unit circle with exact solution (sin t^2, cos t^2).
//   u' = 2 y + x lambda,  v' = -2 x + y lambda,  0 = x^2 + y^2 - 1,  lambda = -4 t^2.
// The constraint is written as (1 - x^2 - y^2) / 2, so that -G^T lambda = (x, y) lambda.
#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace arevalo_example {
namespace {

constexpr double start = 1.0;

Problem build(const Values&) {
  const double phase = start * start, rate = 2.0 * start;
  return MultibodyProblem{
      .name = "arevalo",
      .space = euclidean(2),
      .constraint_count = 1,
      .mass = autodiff([](const auto&, const auto&, auto& M) {
        M(0, 0) = 1.0;
        M(0, 1) = 0.0;
        M(1, 0) = 0.0;
        M(1, 1) = 1.0;
      }),
      .force = autodiff([](const auto&, const auto& q, const auto&, auto& f) {
        f[0] = 2.0 * q[1];
        f[1] = -2.0 * q[0];
      }),
      .constraint = autodiff([](const auto&, const auto& q, auto& g) {
        g[0] = 0.5 * (1.0 - q[0] * q[0] - q[1] * q[1]);
      }),
      .constraint_jacobian = autodiff([](const auto&, const auto& q, auto& G) {
        G(0, 0) = -q[0];
        G(0, 1) = -q[1];
      }),
      .constraint_time_derivative =
          autodiff([](const auto&, const auto&, auto& g_t) { g_t[0] = 0.0; }),
      .acceleration_term = autodiff([](const auto&, const auto&, const auto& v, auto& k) {
        k[0] = -(v[0] * v[0] + v[1] * v[1]);
      }),
      .q0 = vector({std::sin(phase), std::cos(phase)}),
      .v0 = vector({rate * std::cos(phase), -rate * std::sin(phase)}),
      .lambda0 = vector({-4.0 * phase}),
      .q_names = {"x", "y"},
      .v_names = {"u", "v"},
      .lambda_names = {"lambda"}};
}

}  // namespace
}  // namespace arevalo_example

const Entry& arevalo() {
  static const Entry entry = [] {
    using namespace arevalo_example;
    Entry e;
    e.name = "arevalo";
    e.title = "Particle on a circle with known solution";
    e.form = "multibody";
    e.index = 3;
    e.t0 = start;
    e.t_end = 5.0;
    e.source = "Arevalo: Matching the Structure of DAEs and Multistep Methods (thesis, Lund 1993)";
    e.suites = {"core"};
    e.equations =
        "x' = u\n"
        "y' = v\n"
        "u' = 2 y + x lambda\n"
        "v' = -2 x + y lambda\n"
        "0 = (1 - x^2 - y^2) / 2";
    e.build = build;
    e.exact = [](double t, const Values&) {
      const double s = std::sin(t * t), c = std::cos(t * t);
      return named({"x", "y", "u", "v", "lambda"}, {s, c, 2.0 * t * c, -2.0 * t * s, -4.0 * t * t});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
