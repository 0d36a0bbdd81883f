// SPDX-License-Identifier: BSD-3-Clause
// Point mass on the parabola q2 = -q1^2, gravity along +q2 (the axis points down, the curve is a
// bowl), index 3, with Coulomb friction |F_R| = mu0 |F_N| against the velocity:
//   mass q'' = (0, mass gravity) - mu0 |lambda| sqrt(1 + 4 q1^2) v/|v| - lambda (2 q1, 1).
// The friction has no direction at v = 0, at the start and wherever the motion turns: there it is
// taken as zero. It is tangential, so lambda = mass (gravity + 2 v1^2) / (1 + 4 q1^2) with and
// without it. Without friction nothing is singular.
#include <catalogue/arnold_theory.hpp>
#include <catalogue/support_mechanics.hpp>

namespace daedalus::problems {
namespace arnold_example_13 {
namespace {

struct Constants {
  double mass = 1.0, gravity = 1.0, mu0 = 0.0;
};
constexpr std::array<Field<Constants>, 3> fields{
    {{"mass", &Constants::mass}, {"gravity", &Constants::gravity}, {"mu0", &Constants::mu0}}};

struct Force {
  Constants c;

  template <class Q, class V, class L, class F>
  void operator()(const Q& q, const V& v, const L& lambda, F& f) const {
    using std::abs, std::sqrt;
    using S = std::decay_t<decltype(f[0])>;
    f[0] = 0.0;
    f[1] = c.mass * c.gravity;
    if (c.mu0 == 0.0) return;
    const S size = c.mu0 * abs(S(lambda[0])) * sqrt(S(1.0 + 4.0 * q[0] * q[0]));
    const S square = v[0] * v[0] + v[1] * v[1];
    // The factor zero keeps the dependence on q and lambda visible to a search for the sparsity.
    const S factor = square > 0.0 ? S(size / sqrt(square)) : S(0.0 * size);
    f[0] = f[0] - factor * v[0];
    f[1] = f[1] - factor * v[1];
  }
};

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  MultibodyProblem p{
      .name = "arnold-13",
      .space = euclidean(2),
      .constraint_count = 1,
      .mass_matrix = diagonal(vector({c.mass, c.mass})),
      .force =
          autodiff([force = Force{c}](const auto&, const auto& q, const auto& v, const auto& lambda,
                                      auto& f) { force(q, v, lambda, f); }),
      .constraint =
          autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[1] + q[0] * q[0]; }),
      .constraint_jacobian = autodiff([](const auto&, const auto& q, auto& G) {
        G(0, 0) = 2.0 * q[0];
        G(0, 1) = 1.0;
      }),
      .constraint_time_derivative =
          autodiff([](const auto&, const auto&, auto& g_t) { g_t[0] = 0.0; }),
      .acceleration_term = autodiff(
          [](const auto&, const auto&, const auto& v, auto& k) { k[0] = 2.0 * v[0] * v[0]; }),
      .q0 = vector({1.0, -1.0}),
      .v0 = vector({0.0, 0.0}),
      .lambda0 = vector({0.2 * c.mass * c.gravity}),
      .q_names = {"q1", "q2"},
      .v_names = {"v1", "v2"},
      .lambda_names = {"lambda"}};
  if (c.mu0 == 0.0)
    p.invariants = {{"energy", autodiff([c](const auto&, const auto& q, const auto& v, auto& e) {
                       e[0] =
                           0.5 * c.mass * (v[0] * v[0] + v[1] * v[1]) - c.mass * c.gravity * q[1];
                     })}};
  return p;
}

}  // namespace
}  // namespace arnold_example_13

const Entry& arnold_13() {
  static const Entry entry = [] {
    using namespace arnold_example_13;
    Entry e = arnold::entry("arnold-13", "Point mass on a parabola, with and without friction",
                            "multibody", 3, 5.0,
                            "Example 13; gravity 1 chosen for this catalogue, it is not printed");
    e.equations =
        "R = mu0 |lambda| sqrt(1 + 4 q1^2) / sqrt(v1^2 + v2^2), 0 at rest\n"
        "mass q1'' = -R v1 - 2 q1 lambda\n"
        "mass q2'' = mass gravity - R v2 - lambda\n"
        "0 = q2 + q1^2";
    e.parameters = defaults(fields);
    e.build = build;
    e.reference =
        Reference{.t = 5.0,
                  .values = named({"q1", "q2", "v1", "v2", "lambda"},
                                  {-0.626097827077053662412775, -0.391998489070608190203998,
                                   0.688129740949903789650748, 0.861673071111661190629486,
                                   0.758196909302002947026349}),
                  .counted = {},
                  .digits = 24,
                  .source =
                      "computed for this catalogue from (1 + 4 x^2) x'' = -2 x - 4 x x'^2, x = q1, "
                      "by Taylor series; 25 and 34 decimals agree to 24 digits"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
