// SPDX-License-Identifier: BSD-3-Clause
// Car axis: two wheels' support points, the left one driven over a bumpy road, index 3.
//   (M eps^2 / 2) v' = f(q, t) - G^T lambda,  0 = g(t, q)
// The published multipliers enter with +G^T lambda for the constraints xb xl + yb yl and
// (xl - xr)^2 + (yl - yr)^2 - L^2. Here both constraints are multiplied by -1, so that the same
// multipliers come out of M v' = f - G^T lambda.
#include <catalogue/car_axis.hpp>

namespace daedalus::problems {
namespace car_axis_example {

MultibodyProblem multibody(const CarAxis& axis) {
  const Constants& c = axis.c;
  const std::vector<std::string> q_names{"xl", "yl", "xr", "yr"};
  MultibodyProblem p{
      .name = "car-axis",
      .space = euclidean(4),
      .constraint_count = 2,
      .mass = autodiff([mass = axis.mass()](const auto&, const auto&, auto& M) {
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 4; ++j) M(i, j) = i == j ? mass : 0.0;
      }),
      .q0 = vector({0.0, c.L0, c.L, c.L0}),
      // yb'(0) = r omega drives the left end; published for r omega = L as -L0 / L.
      .v0 = vector({-c.L0 * c.r * c.omega / c.L, 0.0, -c.L0 * c.r * c.omega / c.L, 0.0}),
      .lambda0 = vector({0.0, 0.0}),
      .q_names = q_names,
      .v_names = prefixed("d", q_names),
      .lambda_names = numbered("lambda", 2)};
  give_callables(axis, p);
  return p;
}

namespace {

Problem build(const Values& values) { return multibody(CarAxis{read(fields, values)}); }

Scene scene(const Values& values) {
  using namespace shapes;
  const Constants c = read(fields, values);
  const auto corner = [](int first) -> PointOf {
    return [first](const StateView& s) {
      return Eigen::Vector3d(s.q()[first], s.q()[first + 1], 0.0);
    };
  };
  const PointOf left = fixed_point(0.0, 0.0), right = [c](const StateView&s) {
    const Road<double> road(c, s.t());
    return Eigen::Vector3d(road.x, road.y, 0.0);
  };
  const double thin = 0.02 * c.L;
  Scene picture = planar_scene({rod("axis on the road", 0.6 * thin, left, right),
                                rod("chassis", 1.6 * thin, corner(0), corner(2)),
                                spring("left spring", 2.0 * thin, left, corner(0)),
                                spring("right spring", 2.0 * thin, right, corner(2)),
                                sphere("left wheel", 2.0 * thin, left),
                                sphere("right wheel", 2.0 * thin, right)});
  picture.bodies.back().trail = true;
  return picture;
}

}  // namespace
}  // namespace car_axis_example

const Entry& car_axis() {
  static const Entry entry = [] {
    using namespace car_axis_example;
    Entry e;
    e.name = "car-axis";
    e.title = "Car axis on a bumpy road";
    e.form = "multibody";
    e.index = 3;
    e.t0 = 0.0;
    e.t_end = 3.0;
    e.source =
        "Schneider: Integration of Equations of Motion with Respect to Index (1991); Mazzia, "
        "Magherini: Test Set for Initial Value Problem Solvers (2008), problem CARAXIS";
    e.suites = {"core"};
    e.equations =
        "yb = r sin(omega t), xb = sqrt(L^2 - yb^2), Ll = |(xl, yl)|, Lr = |(xr - xb, yr - yb)|, "
        "m = M eps^2 / 2\n"
        "m dxl' = (L0 - Ll) xl/Ll + lambda1 xb + 2 lambda2 (xl - xr)\n"
        "m dyl' = (L0 - Ll) yl/Ll + lambda1 yb + 2 lambda2 (yl - yr) - m g\n"
        "m dxr' = (L0 - Lr) (xr - xb)/Lr - 2 lambda2 (xl - xr)\n"
        "m dyr' = (L0 - Lr) (yr - yb)/Lr - 2 lambda2 (yl - yr) - m g\n"
        "0 = -(xb xl + yb yl)\n"
        "0 = L^2 - (xl - xr)^2 - (yl - yr)^2";
    e.parameters = defaults(fields);
    e.build = build;
    e.scene = scene;
    e.reference = Reference{
        .t = 3.0,
        .values = named(
            {"xl", "yl", "xr", "yr", "dxl", "dyl", "dxr", "dyr", "lambda1", "lambda2"},
            {4.9345578427524092131527e-2, 4.9698946023000810676293e-1, 1.0417425248854261151948,
             3.7391102726536581935790e-1, -7.7058368403592084283941e-2, 7.4468665920684164914018e-3,
             1.7556815753541736629741e-2, 7.7034104377960106312064e-1, -4.7368865908533265153135e-3,
             -1.1046803312595658398606e-3}),
        .counted = {"xl", "yl", "xr", "yr"},
        .digits = 22,
        .source =
            "computed for this catalogue in quadruple precision by extrapolation; the "
            "published values (GAMD) agree to 13 digits in the positions"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
