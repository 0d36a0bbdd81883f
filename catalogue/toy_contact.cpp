// SPDX-License-Identifier: BSD-3-Clause
// Smallest model with a contact coordinate, of the form of wheel and rail: a point mass under the
// force (0, 1) touches the curve q2 = -s^2 at the point s, where s + 0.3 s^3 = q1. The reference
// comes from the motion in s alone: with m(s) = (1 + 0.9 s^2)^2 + 4 s^2,
//   m s'' = -2 s - m_s s'^2 / 2,  lambda = 1 + 2 (s'^2 + s s'').
#include <catalogue/arnold_theory.hpp>
#include <catalogue/support_mechanics.hpp>

namespace daedalus::problems {
namespace toy_contact_example {
namespace {

Problem build(const Values&) {
  return MultibodyProblem{
      .name = "toy-contact",
      .space = euclidean(2),
      .constraint_count = 1,
      .contact_count = 1,
      .mass_matrix = diagonal(vector({1.0, 1.0})),
      .force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
        f[0] = 0.0;
        f[1] = 1.0;
      }),
      .constraint = autodiff(
          [](const auto&, const auto& q, const auto& s, auto& g) { g[0] = q[1] + s[0] * s[0]; }),
      .contact = autodiff([](const auto&, const auto& q, const auto& s, auto& h) {
        h[0] = s[0] + 0.3 * s[0] * s[0] * s[0] - q[0];
      }),
      .q0 = vector({1.3, -1.0}),
      .v0 = vector({0.0, 0.0}),
      .s0 = vector({1.0}),
      .lambda0 = vector({0.0}),
      .q_names = {"q1", "q2"},
      .v_names = {"v1", "v2"},
      .lambda_names = {"lambda"},
      .s_names = {"s"}};
}

}  // namespace
}  // namespace toy_contact_example

const Entry& toy_contact() {
  static const Entry entry = [] {
    using namespace toy_contact_example;
    Entry e = arnold::entry("toy-contact", "Point mass with one contact coordinate", "multibody", 3,
                            2.0, "(3.14); the model was made for this catalogue");
    e.equations =
        "q1'' = -2 s/(1 + 0.9 s^2) lambda\n"
        "q2'' = 1 - lambda\n"
        "0 = s + 0.3 s^3 - q1\n"
        "0 = q2 + s^2";
    e.build = build;
    e.reference =
        Reference{.t = 2.0,
                  .values = named({"q1", "q2", "v1", "v2", "s", "lambda"},
                                  {0.235746014432531932992354, -0.0538239398260340113206703,
                                   -1.25794224143813582494959, 0.556716658232471765838302,
                                   0.231999870314692226382797, 3.02132964011423677587694}),
                  .counted = {},
                  .digits = 24,
                  .source =
                      "computed for this catalogue from the motion in the minimal coordinate s by "
                      "Taylor series; 25 and 34 decimals agree to 24 digits"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
