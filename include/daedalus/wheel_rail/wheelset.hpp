// SPDX-License-Identifier: BSD-3-Clause
// Rigid wheelsets guided along a straight track at constant speed V (Arnold 1998, Example 27): per
// wheelset q = (y, z, alpha, gamma, beta): lateral place (right), height (downwards), roll, yaw and
// the rolling angle beyond pure rolling, beta' = total rolling rate + V/r0. x = V t, z nominal -r0.
//   kinetic energy m/2 (y'^2 + z'^2) + I_q/2 (alpha'^2 + gamma'^2 cos^2 alpha)
//                  + I_y/2 (beta' - V/r0 + gamma' sin alpha)^2
// One or two wheelsets; two are coupled by the frame of a bogie with its own (y_f, gamma_f).
// Contact, right and left: 0 = -xi_w - smax zeta (quasi-elastic, standard form (4.4)), or with
// contact coordinates s: 0 = -xi_w - zeta(s), 0 = -zeta_s(s) (rigid, form (3.14)). lambda < 0:
// pressed together.
#pragma once

#include <memory>
#include <numbers>
#include <vector>

#include <daedalus/contact_condition.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/wheel_rail/creep.hpp>
#include <daedalus/wheel_rail/geometry.hpp>

namespace daedalus {

struct WheelsetData {
  double mass = 2010.0;
  double inertia = 1143.75;           // roll and yaw
  double rolling_inertia = 189.0625;  // about the axle
  double rolling_radius = 0.5;
  double wheel_distance = 0.75;   // half the distance of the rolling circles
  double rail_distance = 0.753;   // half the distance of the rail tops
  double inclination = 0.025;     // of the rails, 1/40
  double lateral_spring = 3.2e5;  // to the guided frame, or to the frame of the bogie
  double yaw_spring = 2.888e5;
  double gravity = 9.81;
  double speed = 30.0;
  double lateral_force = 0.0, vertical_force = 0.0;  // per wheelset, on its centre
  // What presses it on the rails; z points downwards.
  double load() const { return vertical_force + mass * gravity; }
};

// The frame of a bogie; its lateral and yaw springs go to the guided vehicle body.
struct BogieFrame {
  double mass = 2500.0, inertia = 3000.0, half_wheelbase = 1.28;
  double lateral_spring = 3.0e5, yaw_spring = 2.0e5;
  double lateral_damper = 3.0e4, yaw_damper = 2.0e4;
};

// Lateral place of the track's middle: one defect (A/2) (1 - cos(2 pi (x - start)/length)) on
// [start, start + length], and irregularities, a sum of amplitude sin(2 pi x/wavelength + phase).
struct TrackAlignment {
  struct Wave {
    double amplitude, wavelength, phase;
  };
  double amplitude = 0.0, start = 0.0, length = 1.0;
  std::vector<Wave> waves{};
  bool straight() const { return amplitude == 0.0 && waves.empty(); }
  template <class S>
  S place(const S& x) const;
  template <class S>
  S slope(const S& x) const;
};

struct WheelsetPosition {
  double y = 0.0, z = 0.0, alpha = 0.0, gamma = 0.0;
};
// Everything about one wheel at one state, for output and analysis.
struct WheelState {
  double s = 0.0, rail_place = 0.0;  // point of attack on wheel and rail
  double normal_force = 0.0;
  ContactEllipse<double> ellipse{};
  Creepage<double> creepage{};
  std::array<double, 2> creep_force{};  // along, across
  std::array<double, 3> point{};        // contact point, track frame, from the track's middle
  std::array<double, 3> normal{};       // into the rail
  RailPose<double> pose{};
  double xi_w = 0.0;
};

class WheelsetModel {
 public:
  // Throws InvalidArgument naming the field where a number makes no sense.
  WheelsetModel(WheelsetData data, std::shared_ptr<const ContactCondition> contact,
                CreepModel creep, TrackAlignment track = {});
  WheelsetModel with_bogie(BogieFrame frame) const;  // two wheelsets

  const WheelsetData& data() const { return data_; }
  const CreepModel& creep() const { return creep_; }
  const ContactCondition& contact() const { return *contact_; }
  int wheelsets() const { return bogie_ ? 2 : 1; }

  // z and alpha on the rails for given y and gamma: Newton's method, from the nominal place along a
  // homotopy y -> theta y, gamma -> theta gamma with steps as large as it converges. Throws
  // InvalidArgument with y, gamma, profiles and how far it came when the wheels find no rail.
  WheelsetPosition on_rails(double y, double gamma, double x = 0.0) const;
  // Equations of motion from there at rest beside the track, rolling with V/r0 + beta_rate.
  MultibodyProblem problem(const WheelsetPosition& start, double beta_rate = 0.0) const;
  MultibodyProblem rigid_problem(const WheelsetPosition& start, const ContactGrid& grid,
                                 double beta_rate = 0.0) const;
  // Jumps of the contact points of that problem, with plastic impact (4.18), as soon as another
  // point is nearer by the hysteresis, m. It lies above the error of positions: 1e-6 m to the side
  // are 4e-8 m in zeta at the first jump of S1002.
  std::vector<Event> jump_events(const MultibodyProblem& rigid, const ContactGrid& grid,
                                 double hysteresis = 1e-7) const;
  // Right (+1) or left (-1) wheel for positions, velocities and multiplier of one wheelset.
  WheelState wheel(int side, double t, In q, In v, double lambda) const;
  // Lateral force that holds the wheelset at y without friction and springs: the rows of z and
  // alpha give lambda, that of y the force.
  double static_lateral_force(double y) const;
  // Gap functions and their gradient by (y, z, alpha, gamma), right and left.
  bool gaps(const WheelsetPosition& p, double x, std::array<double, 2>& gap,
            std::array<std::array<double, 4>, 2>& gradient) const;

  struct Equations;  // of the source file

 private:
  WheelsetData data_;
  std::shared_ptr<const ContactCondition> contact_;
  CreepModel creep_;
  TrackAlignment track_;
  bool bogie_ = false;
  BogieFrame frame_{};
};

template <class S>
S TrackAlignment::place(const S& x) const {
  using std::cos, std::sin;
  const double turn = 2.0 * std::numbers::pi;
  S eta(0.0);
  if (amplitude != 0.0 && value_of(x) > start && value_of(x) < start + length)
    eta = 0.5 * amplitude * (1.0 - cos(turn / length * (x - start)));
  for (const Wave& w : waves) eta = eta + w.amplitude * sin(turn / w.wavelength * x + w.phase);
  return eta;
}

template <class S>
S TrackAlignment::slope(const S& x) const {
  using std::cos, std::sin;
  const double turn = 2.0 * std::numbers::pi;
  S slope(0.0);
  if (amplitude != 0.0 && value_of(x) > start && value_of(x) < start + length)
    slope = 0.5 * amplitude * turn / length * sin(turn / length * (x - start));
  for (const Wave& w : waves)
    slope = slope + w.amplitude * turn / w.wavelength * cos(turn / w.wavelength * x + w.phase);
  return slope;
}

}  // namespace daedalus
