// SPDX-License-Identifier: BSD-3-Clause
// A mechanism as text: a driven crank. What the motor must give is its multiplier.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/mechanism_file.hpp>

using namespace daedalus;

namespace {

const char* const description = R"json({
  "daedalus": "mechanism", "version": 1, "name": "crank", "parameters": {"m": 2.0},
  "bodies": [{"name": "arm", "mass": "m", "inertia": [0.01, 0.2, 0.2, 0, 0, 0],
              "position": [0.5, 0, 0]}],
  "joints": [{"name": "bearing", "type": "revolute", "bodies": ["ground", "arm"],
              "at": [0, 0, 0], "axis": [0, 1, 0]}],
  "drives": [{"name": "motor", "joint": "bearing", "value": {"expression": "0.3*sin(2*t)"}}],
  "scene": {"ground": -1.0},
  "run": {"t_end": 1.0, "rtol": 1e-8}
})json";

}  // namespace

int main() {
  const MechanismFile file = read_mechanism_text(description, "crank.json");
  const std::shared_ptr<const NamedMechanism> crank = file.assembled({{"m", 3.0}});
  const RunStandards& run = crank->run;
  const SceneStandards& picture = crank->scene;
  std::cout << "drawn over a floor at " << picture.ground.value_or(0.0) << " m\n";
  const Solution s = solve(crank->assembled.problem, {0.0, file.entry.t_end},
                           {.rtol = run.rtol, .atol = run.rtol});
  const double moment = crank->assembled.effort(s.end(), crank->drives.at("motor"));
  // About y: J theta'' - m g l cos(theta).
  const double theta = 0.3 * std::sin(2.0);
  const double expected =
      (0.2 + 3.0 * 0.25) * -1.2 * std::sin(2.0) - 3.0 * 9.81 * 0.5 * std::cos(theta);
  std::cout << "motor moment " << moment << " N m, expected " << expected << "\n";
  return s.ok() && std::abs(moment - expected) < 1e-5 * std::abs(expected) ? 0 : 1;
}
