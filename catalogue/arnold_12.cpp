// SPDX-License-Identifier: BSD-3-Clause
// Index-3 system on which the perturbation bounds for multibody systems are attained: perturbations
// theta (sin(t/eps), cos(t/eps)) of the constraints drive q3 with
// theta^2/eps^2 + nu theta^2/eps^3 + mu theta^2/eps^4. The unperturbed solution is zero.
#include <catalogue/arnold_theory.hpp>
#include <catalogue/support_mechanics.hpp>

namespace daedalus::problems {
namespace arnold_example_12 {
namespace {

struct Constants {
  double mu = 1.0, nu = 1.0;
};
constexpr std::array<Field<Constants>, 2> fields{{{"mu", &Constants::mu}, {"nu", &Constants::nu}}};

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  return MultibodyProblem{
      .name = "arnold-12",
      .space = euclidean(3),
      .constraint_count = 2,
      .mass_matrix = diagonal(vector({1.0, 1.0, 1.0})),
      .force = autodiff([c](const auto&, const auto&, const auto& v, const auto& lambda, auto& f) {
        f[0] = 0.0;
        f[1] = 0.0;
        f[2] = v[0] * v[0] + v[1] * v[1] + c.nu * (v[0] * lambda[1] - v[1] * lambda[0]) +
               c.mu * (lambda[0] * lambda[0] + lambda[1] * lambda[1]);
      }),
      .constraint = autodiff([](const auto&, const auto& q, auto& g) {
        g[0] = q[0];
        g[1] = q[1];
      }),
      .constraint_jacobian = autodiff([](const auto&, const auto&, auto& G) {
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 3; ++j) G(i, j) = i == j ? 1.0 : 0.0;
      }),
      .constraint_time_derivative = autodiff([](const auto&, const auto&, auto& g_t) {
        g_t[0] = 0.0;
        g_t[1] = 0.0;
      }),
      .acceleration_term = autodiff([](const auto&, const auto&, const auto&, auto& k) {
        k[0] = 0.0;
        k[1] = 0.0;
      }),
      .q0 = vector({0.0, 0.0, 0.0}),
      .v0 = vector({0.0, 0.0, 0.0}),
      .lambda0 = vector({0.0, 0.0}),
      .q_names = numbered("q", 3),
      .v_names = numbered("v", 3),
      .lambda_names = numbered("lambda", 2)};
}

}  // namespace
}  // namespace arnold_example_12

const Entry& arnold_12() {
  static const Entry entry = [] {
    using namespace arnold_example_12;
    Entry e = arnold::entry("arnold-12", "Index-3 system that attains the perturbation bounds",
                            "multibody", 3, 1.0, "Example 12");
    e.equations =
        "q1'' = -lambda1\n"
        "q2'' = -lambda2\n"
        "q3'' = v1^2 + v2^2 + nu (v1 lambda2 - v2 lambda1) + mu (lambda1^2 + lambda2^2)\n"
        "0 = q1\n"
        "0 = q2";
    e.parameters = defaults(fields);
    e.build = build;
    arnold::stays(e, joined({numbered("q", 3), numbered("v", 3), numbered("lambda", 2)}),
                  {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0});
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
