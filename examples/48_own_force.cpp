// SPDX-License-Identifier: BSD-3-Clause
// A force law of one's own between two points of a mechanism: a magnet that pulls a ball like
// a spring without length, so that the ball swings by the cosine.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/mechanism.hpp>

using namespace daedalus;

int main() {
  Mechanism m("magnet");
  m.gravity({0, 0, 0});
  const BodyId ball = m.body({.name = "ball", .mass = 0.5, .position = {0, 0, 1}, .point = true});
  // [magnet]
  m.callback("magnet", m.ground(), ball, {.at = {0, 0, 0}, .at2 = {0, 0, 1}},
             [](const auto& t, const auto& a, const auto& b) {
               auto load = no_load(t);
               load.force = -2.0 * (b.position - a.position);
               return load;
             });
  // [/magnet]
  const Assembled a = m.assemble();
  const Solution s = solve(a.problem, {0.0, 3.0}, {.rtol = 1e-9, .atol = 1e-9});
  const double z = a.state_of(s.end(), ball).position[2], expected = std::cos(2.0 * 3.0);
  std::cout << "ball at " << z << " m, expected " << expected << "\n";
  return s.ok() && std::abs(z - expected) < 1e-6 ? 0 : 1;
}
