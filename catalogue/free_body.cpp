// SPDX-License-Identifier: BSD-3-Clause
// A rigid body without moments, turning about the axis of its middle moment of inertia. That motion
// is unstable: the body turns steadily for a while, flips over within a fraction of that time,
// turns steadily the other way about, and so on.
//   R' = R hat(Omega),  J Omega' = -Omega x J Omega.
// Energy and the momentum R J Omega in space are constant. With J_1 < J_2 < J_3 and Omega(0) =
// (wobble, spin, 0) the solution is
//   Omega_1 = A dn(p t + K, k),  Omega_2 = spin sn(p t + K, k),  Omega_3 = C cn(p t + K, k),
//   A^2 = wobble^2 + k^2 A^2,  k^2 A^2 = spin^2 J_2 (J_3 - J_2) / (J_1 (J_3 - J_1)),
//   p^2 = A^2 (J_2 - J_1) (J_3 - J_1) / (J_2 J_3),  C^2 = spin^2 J_2 (J_2 - J_1) / (J_3 (J_3 -
//   J_1)),
// K = K(k) the quarter period; flips at the odd multiples of K / p: Landau, Lifshitz (1976),
// section 37. An error delta of energy or momentum moves a flip by about delta / (1 - k^2): with
// the defaults tolerances below 1e-8 are needed to see all flips at their times.
#include <catalogue/support_lie.hpp>

namespace daedalus::problems {
namespace free_body_example {
namespace {

using namespace lie_support;

// Binary fractions: nothing is rounded at the start.
struct Constants {
  double J1 = 1.0, J2 = 5.0, J3 = 6.0, spin = 8.0, wobble = 1.0 / 4096;
};
constexpr std::array<Field<Constants>, 5> fields{{{"J1", &Constants::J1},
                                                  {"J2", &Constants::J2},
                                                  {"J3", &Constants::J3},
                                                  {"spin", &Constants::spin},
                                                  {"wobble", &Constants::wobble}}};

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  need(c.J1 > 0.0, "free-body", "J1", c.J1, "a positive moment of inertia");
  need(c.J2 > 0.0, "free-body", "J2", c.J2, "a positive moment of inertia");
  need(c.J3 > 0.0, "free-body", "J3", c.J3, "a positive moment of inertia");
  const std::array<double, 3> J{c.J1, c.J2, c.J3};
  std::vector<Invariant<slot::VelocityTerm>> invariants{
      {"energy", autodiff([J](const auto&, const auto&, const auto& v, auto& e) {
         using S = ScalarIn<decltype(v)>;
         const Vector3<S> w = vector_at(v, 0);
         e[0] = 0.5 * w.dot(scaled<S>(J, w));
       })}};
  for (int i = 0; i < 3; ++i)
    invariants.push_back({vector_names("momentum")[static_cast<std::size_t>(i)],
                          autodiff([J, i](const auto&, const auto& q, const auto& v, auto& e) {
                            e[0] = J[0] * q[i] * v[0] + J[1] * q[3 + i] * v[1] +
                                   J[2] * q[6 + i] * v[2];
                          })});
  return MultibodyProblem{.name = "free-body",
                          .space = so3_space(),
                          .mass_matrix = diagonal(vector({J[0], J[1], J[2]})),
                          .force = autodiff([J](const auto&, const auto&, const auto& v, auto& f) {
                            using S = ScalarIn<decltype(v)>;
                            const Vector3<S> moment = gyroscopic<S>(J, vector_at(v, 0));
                            for (int i = 0; i < 3; ++i) f[i] = moment[i];
                          }),
                          .q0 = vector({1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}),
                          .v0 = vector({c.wobble, c.spin, 0.0}),
                          .invariants = std::move(invariants),
                          .q_names = matrix_names("R"),
                          .v_names = vector_names("Omega")};
}

// A homogeneous block with these moments of inertia, edges a_i^2 ~ J_j + J_k - J_i, the longest of
// length 1; a plate where one of them vanishes.
Scene scene(const Values& values) {
  using namespace shapes;
  const Constants c = read(fields, values);
  const double total = c.J1 + c.J2 + c.J3;
  Eigen::Vector3d edges(total - 2.0 * c.J1, total - 2.0 * c.J2, total - 2.0 * c.J3);
  edges = edges.cwiseMax(0.0025 * edges.maxCoeff()).cwiseSqrt();
  edges /= edges.maxCoeff();
  Scene picture;
  picture.bodies = {box("body", edges,
                        [](const StateView& s) {
                          return Pose{Eigen::Vector3d::Zero(), matrix_at(s.q(), 0)};
                        }),
                    sphere("end of the middle axis", 0.04, [edges](const StateView& s) {
                      const Eigen::Vector3d axis = matrix_at(s.q(), 0).col(1);
                      return Eigen::Vector3d(0.5 * edges[1] * axis);
                    })};
  return picture;
}

}  // namespace
}  // namespace free_body_example

const Entry& free_body() {
  static const Entry entry = [] {
    using namespace free_body_example;
    Entry e;
    e.name = "free-body";
    e.title = "Free rigid body flipping over about its middle axis";
    e.form = "multibody";
    e.index = 0;
    e.t0 = 0.0;
    e.t_end = 72.0;
    e.source =
        "Euler's equations; Landau, Lifshitz: Mechanics (1976), section 37; Ashbaugh, Chicone, "
        "Cushman: J. Dyn. Diff. Eq. 3 (1991) 67-85 (the twisting tennis racket); data chosen for "
        "this catalogue: 20 flips";
    e.suites = {"lie"};
    e.equations =
        "R' = R hat(Omega)\n"
        "J Omega' = -Omega x J Omega, J = diag(J1, J2, J3)\n"
        "R(0) = I, Omega(0) = (wobble, spin, 0)";
    e.parameters = defaults(fields);
    e.units = units({{"kg.m2", "J1..J3"}, {"rad/s", "spin wobble Omega1..Omega3"}});
    e.build = build;
    e.scene = scene;
    e.reference =
        Reference{.t = 72.0,
                  .values = named(joined({matrix_names("R"), vector_names("Omega")}),
                                  {-0.7759433808587370911328378, 0.00001443402670585456948944342,
                                   -0.6308025598340353519171982, -0.000009661379435361785768121365,
                                   0.999999999348978911589966, 0.00003476636195810841538937388,
                                   0.6308025599251881798109521, 0.00003307115131728734833157044,
                                   -0.775943380214128977996215, 0.0003879217662667176694378844,
                                   7.999999994320084249977453, 0.0002461417639872048881207463}),
                  .counted = {},
                  .digits = 22,
                  .source =
                      "power series of order 40 in 60 digits; Omega agrees with the elliptic "
                      "functions to 24 digits, the momentum in space is kept to 3e-27. Between the "
                      "flips errors grow by the factor that the wobble leaves: 1 / wobble"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
