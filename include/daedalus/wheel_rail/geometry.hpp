// SPDX-License-Identifier: BSD-3-Clause
// Wheel on rail: distance function, its derivatives, and the contact conditions made of it
// (Arnold 1998, section 4.1, Remark 36, and 4.3). The pose of the wheel relative to the rail is
//   p = (xi_v, phi, psi, x): lateral place, roll, yaw, distance along the track,
// the rolling angle and the height xi_w do not enter. With F(s) the wheel's and G(v; x) the rail's
// profile, tau(s) from H = cos(psi) sin(tau) + sin(psi) (sin(phi) cos(tau) + cos(phi) F') = 0 (the
// curve of wheel points whose normal lies in the (v, w)-plane),
//   v = xi_v + sin(psi) F sin(tau) + cos(psi) (cos(phi) s - sin(phi) F cos(tau))
//   W = sin(phi) s + cos(phi) F cos(tau)
//   zeta(s; p) = W - G(v; x),   contact: xi_w + max_s zeta = 0                        (4.9)
// Rotations are A_w(psi) A_u(phi) A_v(theta): the rolling angle is innermost.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include <daedalus/contact.hpp>
#include <daedalus/contact_table.hpp>
#include <daedalus/wheel_rail/profile.hpp>

namespace daedalus {

template <class S>
using RailPose = std::array<S, 4>;  // xi_v, phi, psi, x

// sin and cos of tau(s): the point of the curve on the lower half of the wheel.
template <class S>
struct WheelAngle {
  S sine{}, cosine{};
  bool exists = true;  // |sin(psi) cos(phi) F'| is not too large
  template <class T>
  WheelAngle(const RailPose<S>& p, const T& slope) {
    using std::cos, std::sin, std::sqrt;
    const S sf = sin(p[1]), cf = cos(p[1]), sp = sin(p[2]), cp = cos(p[2]);
    const S square = cp * cp + sp * sp * sf * sf;
    const S root = sqrt(square);
    const S k = -sp * cf * slope / root;
    if (!(std::abs(value_of(k)) < 0.999)) exists = false;
    const S c = sqrt(1.0 - k * k);
    sine = (k * cp - c * sp * sf) / root;
    cosine = (c * cp + k * sp * sf) / root;
  }
};

class WheelRail {
 public:
  WheelRail(Profile wheel, Rail rail) : wheel_(std::move(wheel)), rail_(std::move(rail)) {}
  const Profile& wheel() const { return wheel_; }
  const Rail& rail() const { return rail_; }

  // zeta over any scalar; -infinity where the wheel has no such point.
  template <class T, class S>
  auto zeta(const T& s, const RailPose<S>& p) const {
    // s and the pose may be of different types, one of them differentiated.
    using R = std::decay_t<decltype(s + p[0])>;
    const RailPose<R> pose{R(p[0]), R(p[1]), R(p[2]), R(p[3])};
    const R place(s);
    return zeta_at(place, wheel_.value(place), wheel_.slope(place), pose);
  }
  template <class S>
  S zeta_at(const S& s, const S& F, const S& slope, const RailPose<S>& p) const {
    using std::cos, std::sin;
    const WheelAngle<S> tau(p, slope);
    if (!tau.exists) return S(-std::numeric_limits<double>::infinity());
    const S sf = sin(p[1]), cf = cos(p[1]);
    const S below = F * tau.cosine;
    const S v = p[0] + sin(p[2]) * F * tau.sine + cos(p[2]) * (cf * s - sf * below);
    return sf * s + cf * below - rail_.value(v, p[3]);
  }
  // Lateral place on the rail below the wheel point s.
  template <class S>
  S rail_place(const S& s, const RailPose<S>& p) const {
    using std::cos, std::sin;
    const S F = wheel_.value(s);
    const WheelAngle<S> tau(p, wheel_.slope(s));
    return p[0] + sin(p[2]) * F * tau.sine +
           cos(p[2]) * (cos(p[1]) * s - sin(p[1]) * F * tau.cosine);
  }
  // Distance of any wheel point (s, tau) from the rail for the height xi_w: level lines (4.8).
  double distance(double s, double tau, const RailPose<double>& p, double xi_w) const;

  // Value, gradient and Hessian by (xi_v, phi, psi, x, s), in closed form. `v`: the rail's place
  // with its gradient.
  struct Expansion {
    double zeta = 0.0, v = 0.0;
    std::array<double, 5> gradient{}, v_gradient{};
    std::array<std::array<double, 5>, 5> hessian{};
    bool exists = true;
  };
  Expansion expansion(double s, const RailPose<double>& p, bool second = true) const;

 private:
  Profile wheel_;
  Rail rail_;
};

// What the equations of motion need of one contact, with derivatives by the pose: the smoothed (or
// largest) zeta, the point of attack s~ (4.24) and the curvatures of Hertz' paraboloids there.
// Curvatures, 1/m, convex positive: wheel along and across the rolling direction, rail along (0 for
// a prismatic rail) and across.
struct RailContact {
  using Gradient = std::array<double, 4>;
  double value = 0.0;
  Gradient gradient{};
  std::array<Gradient, 4> hessian{};
  double s = 0.0;
  std::array<double, 4> curvature{};  // wheel x, wheel y, rail x, rail y
  Gradient s_gradient{};
  std::array<Gradient, 4> curvature_gradient{};
};

// One way to meet the contact condition. `derivatives`: Hessian and gradients of s~ and curvatures
// are wanted, too. False: no contact there (off the profile).
class ContactCondition {
 public:
  virtual ~ContactCondition() = default;
  virtual bool evaluate(const RailPose<double>& p, bool derivatives, RailContact& out) const = 0;
  // The value alone, over series of dual numbers, where third derivatives are asked for.
  virtual Taylor2Dual series(const RailPose<Taylor2Dual>& p) const = 0;
  virtual const WheelRail& geometry() const = 0;
};

// The grid of section 4.4 for S1002: steps of 0.2 mm on the flange and 0.5 mm on the tread.
ContactGrid wear_profile_grid();

// smax on the fixed grid (4.25) in every call: 0 = xi_w + smax zeta. nu in metres; 1e-5 to 5e-5
// makes the approach of the bodies that of elastic contact.
class QuasiElasticOnline final : public ContactCondition {
 public:
  // Throws InvalidArgument: nu <= 0, or a grid beyond the wheel's profile.
  QuasiElasticOnline(WheelRail geometry, ContactGrid grid, double nu);
  bool evaluate(const RailPose<double>& p, bool derivatives, RailContact& out) const override;
  Taylor2Dual series(const RailPose<Taylor2Dual>& p) const override;
  const WheelRail& geometry() const override { return *family_.function().geometry; }
  const ContactGrid& grid() const { return family_.grid(); }
  double nu() const { return family_.nu(); }
  // Rigid contact point and value for the same grid: (4.15).
  RigidContact rigid(const RailPose<double>& p) const { return family_.rigid(p); }

 private:
  struct Node {
    double s, weight, F, slope, curvature_x, curvature_y;
  };
  struct Zeta {
    std::shared_ptr<const WheelRail> geometry;
    template <class T, class S>
    auto operator()(const T& s, const RailPose<S>& p) const {
      return geometry->zeta(s, p);
    }
  };
  ContactFamily<Zeta> family_;
  std::vector<Node> nodes_;
};

// The rigid contact condition, evaluated by a global search in every call: value and gradient jump
// in their derivatives where the contact point jumps. For statics and comparisons; in motion use
// the contact coordinate s as a variable.
class RigidGlobal final : public ContactCondition {
 public:
  RigidGlobal(WheelRail geometry, ContactGrid grid);
  bool evaluate(const RailPose<double>& p, bool derivatives, RailContact& out) const override;
  Taylor2Dual series(const RailPose<Taylor2Dual>& p) const override;
  const WheelRail& geometry() const override { return online_.geometry(); }
  RigidContact point(const RailPose<double>& p) const { return online_.rigid(p); }

 private:
  QuasiElasticOnline online_;
};

// smax, point of attack and curvatures from spline tables (off-line regularisation, section 4.4):
// sigma(u, phi) bi-quartic, the others bi-quadratic, parabolas in psi (4.26). For rails that do not
// change along the track. Rolling by d phi moves the wheel's lowest point by r0 d phi to the side,
// and yawing by psi lifts a flank of slope F' by r0 F'^2 psi^2/2, so the tables are over
//   u = xi_v - r0 (phi - phi_middle) + r0 yaw_shift psi^2
// in which the root of the flange stays at one place and the knots can be dense there. Over xi_v
// itself (4.26) fails: at psi_0 the flange touches where it does not at psi = 0.
struct TableRange {
  std::vector<double> places{0.0, 12.5e-3, 15.5e-3, 17e-3};  // of u, m
  std::vector<int> intervals{20, 30, 40};                    // of equal length between them
  double phi_low = 0.0235, phi_high = 0.0265;
  int phi_intervals = 10;
  double psi_0 = 0.017453292519943295;  // 1 degree
  double yaw_shift = 1.65;              // (F' + F')/2 of both sides of the flange's root
  double smoothing = 1e-11;             // mu_1 = mu_2 of (4.27) for smax; 10 times for the rest
};
class QuasiElasticTable final : public ContactCondition {
 public:
  // Builds the table, or takes it from `directory` if that is not empty. Throws InvalidArgument for
  // a rail that changes along the track.
  QuasiElasticTable(const QuasiElasticOnline& source, const TableRange& range,
                    const std::string& directory = {});
  bool evaluate(const RailPose<double>& p, bool derivatives, RailContact& out) const override;
  Taylor2Dual series(const RailPose<Taylor2Dual>& p) const override;
  const WheelRail& geometry() const override { return geometry_; }
  const ContactTable& table() const { return table_; }

 private:
  WheelRail geometry_;
  // u of a pose.
  template <class S>
  S abscissa(const S& xi_v, const S& phi, const S& psi) const {
    return xi_v - radius_ * (phi - middle_) + yaw_shift_ * psi * psi;
  }
  double radius_, middle_, yaw_shift_;  // r0, phi_middle, r0 yaw_shift
  ContactTable table_;
};

}  // namespace daedalus
