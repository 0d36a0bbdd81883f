// SPDX-License-Identifier: BSD-3-Clause
// Andrews' squeezing mechanism: seven bodies, seven angles, three closed loops, index 3.
//   M(q) q'' = f(q, q') - G(q)^T lambda,  0 = g(q),  multipliers as published.
#include <catalogue/andrews.hpp>

#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace andrews_example {
namespace {

Problem build(const Values& values) {
  const squeezer::Model m{read(squeezer::fields, values)};
  const std::vector<std::string> q_names = squeezer::angles();
  return MultibodyProblem{
      .name = "andrews",
      .space = euclidean(7),
      .constraint_count = 6,
      .mass = autodiff([m](const auto&, const auto& q, auto& M) { m.mass(q, M); }),
      .force =
          autodiff([m](const auto&, const auto& q, const auto& v, auto& f) { m.force(q, v, f); }),
      .constraint = autodiff([m](const auto&, const auto& q, auto& g) { m.constraint(q, g); }),
      .constraint_jacobian =
          autodiff([m](const auto&, const auto& q, auto& G) { m.constraint_jacobian(q, G); }),
      .constraint_time_derivative = autodiff([](const auto&, const auto&, auto& g_t) {
        for (int i = 0; i < 6; ++i) g_t[i] = 0.0;
      }),
      .acceleration_term = autodiff([m](const auto&, const auto& q, const auto& v, auto& k) {
        m.acceleration_term(q, v, k);
      }),
      .q0 = vector({-0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449,
                    0.222668390165885884674473185609, 0.487364979543842550225598953530,
                    -0.222668390165885884674473185609, 1.23054744454982119249735015568}),
      .v0 = Eigen::VectorXd::Zero(7),
      .lambda0 = vector(
          {98.5668703962410896057654982170, -6.12268834425566265503114393122, 0.0, 0.0, 0.0, 0.0}),
      .invariants = {{"energy", autodiff([m](const auto&, const auto& q, const auto& v, auto& e) {
                        e[0] = m.energy(q, v);
                      })}},
      .q_names = q_names,
      .v_names = prefixed("d", q_names),
      .lambda_names = numbered("lambda", 6)};
}

// The loops meet in P; the bodies K1 to K7 as in Hairer, Wanner (1996), figure VII.7.1. K3 is a
// triangle that carries the spring.
Scene scene(const Values& values) {
  using namespace shapes;
  const squeezer::Constants k = read(squeezer::fields, values);
  const auto at = [](double x, double y) { return Eigen::Vector3d(x, y, 0.0); };
  const PointOf O = fixed_point(0.0, 0.0), A = fixed_point(k.xa, k.ya), C = fixed_point(k.xc, k.yc);
  const PointOf F = [=](const StateView& s) {
    return at(k.rr * std::cos(s.q()[0]), k.rr * std::sin(s.q()[0]));
  };
  const PointOf P = [=](const StateView& s) {
    const double angle = s.q()[0] + s.q()[1];
    return Eigen::Vector3d(F(s) - at(k.d * std::cos(angle), k.d * std::sin(angle)));
  };
  const PointOf E = [=](const StateView& s) {
    return at(k.xa + k.zt * std::cos(s.q()[4]), k.ya + k.zt * std::sin(s.q()[4]));
  };
  const PointOf H = [=](const StateView& s) {
    return at(k.xa + k.u * std::sin(s.q()[6]), k.ya - k.u * std::cos(s.q()[6]));
  };
  const PointOf D = [=](const StateView& s) {
    const double c = std::cos(s.q()[2]), n = std::sin(s.q()[2]);
    return at(k.xb + k.sd * c + k.sc * n, k.yb + k.sd * n - k.sc * c);
  };
  const PoseOf third = [=](const StateView& s) {
    return Pose{at(k.xb, k.yb), planar_rotation(s.q()[2])};
  };
  constexpr double thin = 0.0014, joint = 0.0022;
  Scene picture = planar_scene(
      {plate("K3", {{0.0, 0.0}, {0.0, -k.ss}, {k.sd, -k.sc}}, 2.0 * thin, third),
       rod("K1", 1.4 * thin, O, F), rod("K2", thin, F, P), rod("K4", thin, E, P),
       rod("K5", thin, A, E), rod("K6", thin, H, P), rod("K7", thin, A, H),
       spring("spring", 2.0 * thin, C, D), sphere("O", joint, O), sphere("A", joint, A),
       sphere("B", joint, fixed_point(k.xb, k.yb)), sphere("C", joint, C), sphere("P", joint, P)});
  picture.bodies.back().trail = true;
  return picture;
}

}  // namespace
}  // namespace andrews_example

const Entry& andrews() {
  static const Entry entry = [] {
    using namespace andrews_example;
    Entry e;
    e.name = "andrews";
    e.title = "Andrews' squeezing mechanism";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 0.03;
    e.source =
        "Schiehlen (ed.): Multibody Systems Handbook (1990); Hairer, Wanner: Solving Ordinary "
        "Differential Equations II (1996), section VII.7; Mazzia, Magherini: Test Set for Initial "
        "Value Problem Solvers (2008), problem ANDREWS";
    e.suites = {"core"};
    e.equations =
        "q = (beta, Theta, gamma, Phi, delta, Omega, epsilon), M(q) q'' = f(q, q') - G(q)^T "
        "lambda\n"
        "0 = rr cos(beta) - d cos(beta+Theta) - ss sin(gamma) - xb\n"
        "0 = rr sin(beta) - d sin(beta+Theta) + ss cos(gamma) - yb\n"
        "0 = rr cos(beta) - d cos(beta+Theta) - e sin(Phi+delta) - zt cos(delta) - xa\n"
        "0 = rr sin(beta) - d sin(beta+Theta) + e cos(Phi+delta) - zt sin(delta) - ya\n"
        "0 = rr cos(beta) - d cos(beta+Theta) - zf cos(Omega+epsilon) - u sin(epsilon) - xa\n"
        "0 = rr sin(beta) - d sin(beta+Theta) - zf sin(Omega+epsilon) + u cos(epsilon) - ya\n"
        "driven by the constant torque mom on beta, loaded by a spring (c0, l0)";
    e.parameters = defaults(squeezer::fields);
    e.units =
        units({{"rad", "beta Theta gamma Phi delta Omega epsilon"},
               {"rad/s", "dbeta dTheta dgamma dPhi ddelta dOmega depsilon"},
               {"N", "lambda1..lambda6"},
               {"kg", "m1..m7"},
               {"kg.m2", "I1..I7"},
               {"m", "xa ya xb yb xc yc d da e ea rr ra l0 ss sa sb sc sd ta tb u ua ub zf zt fa"},
               {"N/m", "c0"},
               {"N.m", "mom"}});
    e.build = build;
    e.scene = scene;
    const std::vector<std::string> names = squeezer::angles();
    e.reference = Reference{
        .t = 0.03,
        .values = named(
            joined({names, prefixed("d", names), numbered("lambda", 6)}),
            {1.5810771195153707097119e1,   -1.5756371058411839469728e1, 4.0822240119645804858282e-2,
             -5.3473011634207959377019e-1, 5.2440996587995406937166e-1, 5.3473011634207959377019e-1,
             1.0480807410419378730685,     1.1399203022591060641981e3,  -1.4243792951775400731960e3,
             1.1032911910618593745327e1,   1.9293374105032040831628e1,  5.7356991482950245381769e-1,
             -1.9293374105032040831628e1,  3.2317914924913087499075e-1, 1.9917534810453862818624e2,
             -2.9755309974971763324416e1,  2.3066543611622151128617e1,  3.1452725275771137075385e1,
             2.2642494786394378577713e1,   1.1617392352611255906801e1}),
        .counted = names,
        .digits = 22,
        .source =
            "computed for this catalogue in quadruple precision by extrapolation; the "
            "published values (PSIDE) agree to about 10 digits in the angles"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
