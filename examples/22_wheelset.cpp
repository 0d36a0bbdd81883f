// SPDX-License-Identifier: BSD-3-Clause
// A wheelset on a straight track, pushed to the right: Pascal's benchmark (Arnold 1998, Examples 30
// and 32). Two wheels with wear profile S1002 roll on rails UIC60; where the rigid wheel's contact
// point would jump by 11 mm the quasi-elastic contact condition
//   0 = -xi_w - nu ln(mean over s of exp(zeta(s)/nu))
// is smooth, and the wheelset comes to rest 5 mm to the right of the track's middle. Builds on
// example 19 (contacts).
#include <cmath>
#include <iostream>
#include <memory>

#include <daedalus/daedalus.hpp>
#include <daedalus/wheel_rail.hpp>

int main() {
  // [model]
  const daedalus::WheelRail pair(daedalus::Profile::s1002(0.45),
                                 daedalus::Rail(daedalus::Profile::uic60()));
  const auto contact =
      std::make_shared<daedalus::QuasiElasticOnline>(pair, daedalus::wear_profile_grid(), 2e-5);
  daedalus::WheelsetData data;
  data.rolling_radius = 0.45;
  data.speed = 30.0;
  data.lateral_force = 2e4;
  data.vertical_force = 154715.0;
  daedalus::CreepModel creep;  // FASTSIM with 20 x 21 cells
  creep.friction = 0.01;
  const daedalus::WheelsetModel wheelset(data, contact, creep);
  const daedalus::MultibodyProblem problem = wheelset.problem(wheelset.on_rails(0.0, 0.0));
  // [/model]

  // [run]
  daedalus::Options options{.method = "bdf", .formulation = "ggl", .rtol = 1e-5};
  Eigen::VectorXd atol(12);
  atol << Eigen::VectorXd::Constant(10, 1e-5), 100.0, 100.0;  // lambda: forces of 1e5 N
  options.atol = atol;
  const daedalus::Solution solution = daedalus::solve(problem, {0.0, 0.15}, options);
  if (!solution.ok()) {
    std::cerr << solution.message() << '\n';
    return 1;
  }
  // [/run]

  // [wheel]
  const daedalus::ModelState end = solution.at(0.15);
  const daedalus::WheelState right =
      wheelset.wheel(1, end.t(), end.q(), end.v(), end["lambda_right"]);
  std::cout << "y = " << end["y"] * 1e3 << " mm, right wheel touches at s = " << right.s * 1e3
            << " mm, N = " << right.normal_force * 1e-3 << " kN, ellipse " << right.ellipse.a * 1e3
            << " x " << right.ellipse.b * 1e3 << " mm\n";
  const daedalus::WheelsetPicture frame =
      daedalus::picture(wheelset, end.t(), end.q(), end.v(), end.lambda());
  std::cout << daedalus::to_json({frame}).size() << " characters of JSON for drawings\n";
  // [/wheel]

  // The first swing goes to 6.27 mm, into the flange, the second back to 1.15 and up again.
  return end["y"] > 3e-3 && end["y"] < 6.3e-3 && right.normal_force > 7e4 ? 0 : 1;
}
