// SPDX-License-Identifier: BSD-3-Clause
// Five-link wheel suspension over two bumps, at rest in equilibrium before: 14 coordinates, 12
// constraints (suspension.hpp). Stands for the five-point rear suspension of Hiller and Frik
// (1992), whose equations (7000 lines of generated code) are not published. As there the curvature
// g_qq(v, v) costs more than G, here 1.6 times: G is written out, the curvature is left to
// automatic differentiation.
#include <catalogue/suspension.hpp>

#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace suspension_example {
namespace {

std::vector<std::string> coordinates() {
  std::vector<std::string> names{"x", "y", "z", "phi", "theta", "psi"};
  for (int i = 1; i <= 4; ++i)
    for (const char* stem : {"alpha", "beta"}) names.push_back(stem + std::to_string(i));
  return names;
}

std::vector<std::string> joint_forces() {
  std::vector<std::string> names;
  for (int i = 1; i <= 4; ++i)
    for (const char* axis : {"x", "y", "z"}) names.push_back("joint" + std::to_string(i) + axis);
  return names;
}

Problem build(const Values& values) {
  const wheel::Constants c = read(wheel::fields, values);
  const std::vector<std::string> q_names = coordinates();
  MultibodyProblem p{
      .name = "suspension",
      .space = euclidean(14),
      .constraint_count = 12,
      .mass = autodiff([c](const auto&, const auto& q, auto& M) { wheel::mass_blocks(c, q, M); }),
      .mass_blocks = {1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1},
      .force = autodiff([c](const auto& t, const auto& q, const auto& v, auto& f) {
        wheel::force(c, t, q, v, f);
      }),
      .constraint = autodiff([](const auto&, const auto& q, auto& g) { wheel::constraint(q, g); }),
      .constraint_jacobian =
          autodiff([](const auto&, const auto& q, auto& G) { wheel::constraint_jacobian(q, G); }),
      .constraint_time_derivative = autodiff([](const auto&, const auto&, auto& g_t) {
        for (int i = 0; i < 12; ++i) g_t[i] = 0.0;
      }),
      // Equilibrium for the default parameters, from Newton's method in quadruple precision.
      .q0 = vector({-6.715992052821971984744567e-05, 0.7000186632451157194209717,
                    0.3203903936157663686047847, 0.000279501642395449478032514,
                    -0.0003975125310449854337767579, 0.0008580120060062823142770954,
                    -0.08318451378944474160351664, -0.08182565851603168869135042,
                    0.9559092877553150922479485, -0.09484890432003612803321845,
                    -0.0764958227239734159059392, -0.036935683064877385094494,
                    0.9653295818317772511396912, -0.06192173857138431833304443}),
      .v0 = Eigen::VectorXd::Zero(14),
      .lambda0 = vector({-157.54703816393431701, -1889.5762256176562314, 143.72751119151904809,
                         -133.98329416690899549, 94.621434009490925846, -23.452569787738068518,
                         113.3181128746344743, 1478.472829043510366, -60.188987391292583303,
                         177.08428559598140416, -122.57640271619575542, 8.4480956814376471826}),
      .q_names = q_names,
      .v_names = prefixed("d", q_names),
      .lambda_names = joint_forces()};
  if (c.strut_damping == 0.0 && c.rod_damping == 0.0 && c.tyre_damping == 0.0 &&
      c.tyre_side == 0.0 && c.height == 0.0)
    p.invariants = {{"energy", autodiff([c](const auto&, const auto& q, const auto& v, auto& e) {
                       e[0] = wheel::energy(c, q, v);
                     })}};
  return p;
}

}  // namespace
}  // namespace suspension_example

const Entry& suspension() {
  static const Entry entry = [] {
    using namespace suspension_example;
    Entry e;
    e.name = "suspension";
    e.title = "Five-link wheel suspension over two bumps (stand-in)";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 0.6;
    e.source =
        "stand-in with own data for the five-point rear suspension of Hiller and Frik (1992), "
        "Arnold (1998), section 3.3.2, Example B: same numbers of coordinates and constraints, "
        "same "
        "interval, smooth bumps";
    e.suites = {"arnold"};
    e.equations =
        "carrier (x, y, z, phi, theta, psi) with wheel of constant spin, four rigid links on "
        "universal joints, directions d_i = (-sin alpha_i cos beta_i, cos alpha_i cos beta_i, sin "
        "beta_i), an elastic track rod, a strut, a tyre\n"
        "M(q) v' = f(t, q, v) - G(q)^T lambda, M of blocks 1, 1, 1, 3 x 3, 8 times 1\n"
        "0 = A_i + L_i d_i - r - R(phi, theta, psi) b_i, i = 1..4, three rows each\n"
        "road u = height (w(t/duration) + w((t - 0.35)/duration)/2), w(s) = exp(4 - 1/(s (1 - s))) "
        "for s in (0, 1), else 0";
    e.parameters = defaults(wheel::fields);
    e.units = units({{"m", "x y z strut_length tyre_radius height"},
                     {"m/s", "dx dy dz"},
                     {"rad", "phi theta psi alpha1..alpha4 beta1..beta4"},
                     {"rad/s", "dphi dtheta dpsi dalpha1..dalpha4 dbeta1..dbeta4"},
                     {"N",
                      "joint1x joint1y joint1z joint2x joint2y joint2z joint3x joint3y joint3z "
                      "joint4x joint4y joint4z"},
                     {"kg", "mass"},
                     {"kg.m2", "Ixx Iyy Izz"},
                     {"kg.m2/s", "momentum"},
                     {"m/s2", "gravity"},
                     {"N/m", "strut_stiffness rod_stiffness tyre_stiffness"},
                     {"N.s/m", "strut_damping rod_damping tyre_damping tyre_side"},
                     {"s", "duration"}});
    // Forces of 1e3 N beside lengths of 1 m.
    for (const std::string& name : joint_forces()) e.atol_scale[name] = 1e3;
    e.build = build;
    const std::vector<std::string> names = coordinates();
    e.reference = Reference{
        .t = 0.6,
        .values = named(
            joined({names, prefixed("d", names), joint_forces()}),
            {-3.5774047418565034427e-05, 0.69996477394190074853,     0.31985251983222316967,
             0.00019817968960621953806,  -0.00026875443229525010335, -0.00028650431294728281215,
             -0.083108172584818017696,   -0.083298439930221468568,   0.95621035761244112634,
             -0.096152112261876915326,   -0.076432579020216014757,   -0.0389702229696539042,
             0.96559822400481619266,     -0.06362333450994939309,    0.0039055841896962033536,
             -0.0055250357237948329118,  -0.07429849206732991473,    -0.011944394539246841352,
             0.0014421135479841540177,   -0.035123432449569168695,   -0.0078467780050790170858,
             -0.20427385950883551543,    0.014572497678907803984,    -0.17759176518348794993,
             -0.0085930004261472658719,  -0.28213465190903435908,    0.010409801157681675665,
             -0.23284674711231405232,    -152.33115898044077369,     -1825.2651167928419349,
             136.77014842988736841,      -126.71493396786194501,     88.520306725982058674,
             -25.748533257371451271,     115.27539464875678143,      1506.3256937786700283,
             -66.290323029482143192,     158.00058821457917538,      -109.68919001342876884,
             5.5041331169880048344}),
        .counted = joined({names, prefixed("d", names)}),
        .digits = 14,
        .source =
            "computed for this catalogue in quadruple precision by extrapolation of the index-1 "
            "form, two step sizes agree to 22 digits; start values rounded to double move the "
            "values by 5e-15"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
