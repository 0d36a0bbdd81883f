// SPDX-License-Identifier: BSD-3-Clause
// Models for the tests of formulations in local charts, and the exact motion of the pendulum.
#pragma once

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>

namespace daedalus::state_space_test {

// The pendulum of the catalogue: length 1, g = 9.81, released at rest from the horizontal.
Problem pendulum();
double pendulum_period();
// (x, y, u, v, lambda) by Jacobi's elliptic functions: with k = sin 45 degrees, w = sqrt(g) and the
// angle phi to the vertical, sin(phi / 2) = k cd(w t), phi' = -2 k k' w (sn / dn)(w t).
Eigen::VectorXd pendulum_at(double t);

// A bead on y = r(t) + x^2 / 2 with drag, written with a contact coordinate: h = s - x and
// g = y - r(t) - s^2 / 2. A dynamic variable c' = lambda - c feels the constraint force and acts on
// the bead; friction is proportional to lambda.
Problem bead(bool with_contact);

// A particle on the unit sphere with x' = z y' / 2: a holonomic and a nonholonomic row.
Problem particle_with_nonholonomic_row();

// Problems that have no charts of this kind, and why.
struct Refused {
  const char* name;
  Problem problem;
  const char* reason;  // part of the message
};
std::vector<Refused> refused();

}  // namespace daedalus::state_space_test
