// SPDX-License-Identifier: BSD-3-Clause
// Equations of motion of wheelsets over any scalar: poses of the wheels with first derivatives,
// contact quantities lifted from numbers with derivatives, creep forces.
#pragma once

#include <fmt/format.h>

#include <daedalus/wheel_rail/wheelset.hpp>

namespace daedalus {

template <class S>
using Vector3 = std::array<S, 3>;
template <class S>
Vector3<S> cross(const Vector3<S>& a, const Vector3<S>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class S>
S dot(const Vector3<S>& a, const Vector3<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// value + gradient . (p - values), for numbers and first derivatives.
template <class S, std::size_t D>
S lift(double value, const std::array<double, D>& gradient, const std::array<S, D>& p) {
  if constexpr (std::is_same_v<S, double>) {
    return value;
  } else {
    S r(value);
    for (std::size_t i = 0; i < D; ++i) r = r + gradient[i] * (p[i] - value_of(p[i]));
    return r;
  }
}
// With the second derivatives: exact for series of degree 2 over numbers.
template <class S, std::size_t D>
S lift(double value, const std::array<double, D>& gradient,
       const std::array<std::array<double, D>, D>& hessian, const std::array<S, D>& p) {
  S r = lift(value, gradient, p);
  if constexpr (!std::is_same_v<S, double>)
    for (std::size_t i = 0; i < D; ++i)
      for (std::size_t j = 0; j < D; ++j)
        r = r + 0.5 * hessian[i][j] * (p[i] - value_of(p[i])) * (p[j] - value_of(p[j]));
  return r;
}

// Pose of one wheel relative to its rail and its derivatives by (y, z, alpha, gamma); the left
// wheel in mirrored coordinates.
template <class S>
struct WheelPose {
  double side;
  S Y, A, C, sA, cA, sC, cC;  // mirrored y, alpha, gamma
  S xi_w;
  RailPose<S> p;

  WheelPose(const WheelsetData& d, double wheel, const S& y, const S& z, const S& al, const S& ga,
            const S& x)
      : side(wheel), Y(wheel * y), A(wheel * al), C(wheel * ga) {
    using std::asin, std::atan2, std::cos, std::sin;
    sA = sin(A), cA = cos(A), sC = sin(C), cC = cos(C);
    const double ce = std::cos(d.inclination), se = std::sin(d.inclination);
    const S lateral = Y - d.rail_distance + d.wheel_distance * cC * cA;
    const S height = z + d.wheel_distance * sA;
    const S a1 = -sC * cA, a2 = ce * cC * cA - se * sA, a3 = se * cC * cA + ce * sA;
    xi_w = se * lateral + ce * height;
    p = {ce * lateral - se * height, asin(a3), atan2(-a1, a2), x};
  }

  // d(gap)/d(y, z, alpha, gamma) for gap = -xi_w - f(p) with f_p given.
  std::array<S, 4> gap_gradient(const WheelsetData& d, const std::array<S, 3>& f) const {
    using std::sqrt;
    const double ce = std::cos(d.inclination), se = std::sin(d.inclination), b = d.wheel_distance;
    const S a1 = -sC * cA, a2 = ce * cC * cA - se * sA, a3 = se * cC * cA + ce * sA;
    const S root = sqrt(1.0 - a3 * a3), square = a1 * a1 + a2 * a2;
    const Vector3<S> a_al{sC * sA, -ce * cC * sA - se * cA, -se * cC * sA + ce * cA};
    const Vector3<S> a_ga{-cC * cA, -ce * sC * cA, -se * sC * cA};
    std::array<S, 4> g;
    g[0] = -side * (se + f[0] * ce);
    g[1] = -ce + f[0] * se;
    const auto angle = [&](const Vector3<S>& da, const S& v, const S& w) {
      return -side *
             (w + f[0] * v + f[1] * da[2] / root + f[2] * (a1 * da[1] - da[0] * a2) / square);
    };
    g[2] = angle(a_al, -ce * b * cC * sA - se * b * cA, -se * b * cC * sA + ce * b * cA);
    g[3] = angle(a_ga, -ce * b * sC * cA, -se * b * sC * cA);
    return g;
  }
};

// What forces need of a contact.
template <class S>
struct AttackPoint {
  S slope;  // d(max or smax zeta)/d xi_v
  S s, wheel_x, wheel_y, rail_y;
};

struct WheelsetModel::Equations {
  WheelsetModel model;
  explicit Equations(const WheelsetModel& m) : model(m) {}

  double offset(int k) const {  // along the track
    return model.bogie_ ? (k == 0 ? 1.0 : -1.0) * model.frame_.half_wheelbase : 0.0;
  }
  template <class S>
  S distance(const S& t, int k) const {
    return model.data_.speed * t + offset(k);
  }
  double track_slope(double x) const { return model.track_.slope(x); }
  template <class S, class Q>
  WheelPose<S> pose(double side, const S& t, const Q& q, int k) const {
    const S x = distance(t, k);
    const int i = 5 * k;
    return WheelPose<S>(model.data_, side, S(q[i] - model.track_.place(x)), S(q[i + 1]),
                        S(q[i + 2]), S(q[i + 3]), x);
  }

  // Off the head of the rail, or at the end of the wheel's profile: no contact any more.
  void check(double side, const RailPose<double>& p, double s, bool found) const {
    const WheelRail& g = model.contact_->geometry();
    const double v = found ? g.rail_place(s, p) : p[0];
    if (found && v > g.rail().low() && v < g.rail().high()) return;
    throw Reject(fmt::format(
        "derailment: the {} wheel ('{}') leaves the rail ('{}') at x = {:.6g} m: it touches at v = "
        "{:.6g} m, the head of the rail ends at {:.6g} and {:.6g} m; lateral place xi_v = {:.6g} "
        "m, "
        "yaw {:.6g} rad",
        side > 0.0 ? "right" : "left", g.wheel().name(), g.rail().profile().name(), p[3], v,
        g.rail().low(), g.rail().high(), p[0], p[2]));
  }

  RailContact contact_at(double side, const RailPose<double>& p, bool derivatives) const {
    RailContact c;
    const bool found = model.contact_->evaluate(p, derivatives, c);
    check(side, p, c.s, found);
    return c;
  }

  template <class S>
  S gap(const WheelPose<S>& w) const {
    if constexpr (std::is_same_v<S, Taylor2Dual>) {
      return -w.xi_w - model.contact_->series(w.p);
    } else {
      std::array<double, 4> values{};
      for (std::size_t i = 0; i < 4; ++i) values[i] = value_of(w.p[i]);
      const RailContact c = contact_at(w.side, values, !std::is_same_v<S, double>);
      return -w.xi_w - lift(c.value, c.gradient, c.hessian, w.p);
    }
  }

  template <class S>
  AttackPoint<S> attack(const WheelPose<S>& w, std::array<S, 4>& gradient) const {
    std::array<double, 4> values{};
    for (std::size_t i = 0; i < 4; ++i) values[i] = value_of(w.p[i]);
    const RailContact c = contact_at(w.side, values, !std::is_same_v<S, double>);
    for (std::size_t i = 0; i < 4; ++i) gradient[i] = lift(c.gradient[i], c.hessian[i], w.p);
    return {gradient[0], lift(c.s, c.s_gradient, w.p),
            lift(c.curvature[0], c.curvature_gradient[0], w.p),
            lift(c.curvature[1], c.curvature_gradient[1], w.p),
            lift(c.curvature[3], c.curvature_gradient[3], w.p)};
  }

  // The same at a given contact coordinate s.
  template <class S>
  AttackPoint<S> attack_at(const WheelPose<S>& w, const S& s) const {
    std::array<double, 4> values{};
    for (std::size_t i = 0; i < 4; ++i) values[i] = value_of(w.p[i]);
    const WheelRail& g = model.contact_->geometry();
    const WheelRail::Expansion e = g.expansion(value_of(s), values);
    check(w.side, values, value_of(s), e.exists);
    const std::array<S, 5> at{w.p[0], w.p[1], w.p[2], w.p[3], s};
    const S v = lift(e.v, e.v_gradient, at);
    const ProfileJet f = g.wheel().jet(value_of(s));
    const Rail::Jet r = g.rail().jet(e.v, values[3]);
    using std::sqrt;
    const auto one = [](double value, double slope, const S& x) {
      return lift(value, std::array<double, 1>{slope}, std::array<S, 1>{x});
    };
    const S F = one(f.value, f.first, s), F1 = one(f.first, f.second, s),
            F2 = one(f.second, f.third, s);
    const S root = sqrt(1.0 + F1 * F1);
    const S G1 = one(r.v, r.vv, v), G2 = one(r.vv, r.vvv, v), steep = 1.0 + G1 * G1;
    return {lift(e.gradient[0], e.hessian[0], at), s, 1.0 / (F * root), -F2 / (root * root * root),
            G2 / (steep * sqrt(steep))};
  }

  // Creep force of one wheel as generalised forces (y, z, alpha, gamma, beta) of its wheelset.
  template <class S, class V>
  void add_creep(const WheelPose<S>& w, const AttackPoint<S>& a, const V& v, int i, const S& lambda,
                 std::array<S, 5>& Q, WheelState* report) const {
    using std::cos, std::sin, std::sqrt;
    const WheelsetData& d = model.data_;
    const Profile& wheel = model.contact_->geometry().wheel();
    const double ce = std::cos(d.inclination), se = std::sin(d.inclination);
    const auto to_track = [&](const Vector3<S>& r) {
      return Vector3<S>{r[0], ce * r[1] + se * r[2], ce * r[2] - se * r[1]};
    };
    const Vector3<S> e_al{w.cC, w.sC, S(0.0)}, e_be{-w.sC * w.cA, w.cC * w.cA, w.sA};
    const S rolling = v[i + 4] - d.speed / d.rolling_radius;
    const S al = w.side * v[i + 2], ga = w.side * v[i + 3];
    Vector3<S> omega{al * e_al[0] + rolling * e_be[0], al * e_al[1] + rolling * e_be[1],
                     rolling * e_be[2] + ga};
    const S F = wheel.value(a.s);
    const WheelAngle<S> tau(w.p, wheel.slope(a.s));
    const S sf = sin(w.p[1]), cf = cos(w.p[1]), sp = sin(w.p[2]), cp = cos(w.p[2]);
    const S u = F * tau.sine, down = F * tau.cosine;
    Vector3<S> r = to_track({cp * u - sp * cf * a.s + sp * sf * down,
                             sp * u + cp * cf * a.s - cp * sf * down, sf * a.s + cf * down});
    for (std::size_t j = 0; j < 3; ++j) r[j] = r[j] + d.wheel_distance * e_be[j];
    const Vector3<S> turned = cross(omega, r);
    const Vector3<S> vp{d.speed + turned[0], w.side * v[i] + turned[1], v[i + 1] + turned[2]};
    const S steep = sqrt(1.0 + a.slope * a.slope);
    const Vector3<S> n = to_track({S(0.0), a.slope / steep, 1.0 / steep});
    Vector3<S> tx = cross(e_be, n);
    const S length = sqrt(dot(tx, tx));
    const double sign = value_of(tx[0]) < 0.0 ? -1.0 : 1.0;
    for (S& c : tx) c = c * (sign / length);
    const Vector3<S> ty = cross(n, tx);
    const Creepage<S> creepage{dot(vp, tx) * (1.0 / d.speed), dot(vp, ty) * (1.0 / d.speed),
                               dot(omega, n) * (1.0 / d.speed)};
    // Forces end where the wheel lifts off; 1 N keeps the ellipse a point of the formulas' domain.
    S N = -lambda * steep;
    if (value_of(N) < 1.0) N = S(1.0);
    S across = 0.5 * (a.wheel_y + a.rail_y);
    if (value_of(across) < 1e-3) across = S(1e-3);  // conformal surfaces
    const ContactEllipse<S> ellipse = hertz(S(0.5 * a.wheel_x), across, N, model.creep_.material);
    const std::array<S, 2> f = model.creep_.force(ellipse, N, creepage);
    const Vector3<S> force{f[0] * tx[0] + f[1] * ty[0], f[0] * tx[1] + f[1] * ty[1],
                           f[0] * tx[2] + f[1] * ty[2]};
    const Vector3<S> moment = cross(r, force);
    Q[0] = Q[0] + w.side * force[1];
    Q[1] = Q[1] + force[2];
    Q[2] = Q[2] + w.side * dot(e_al, moment);
    Q[3] = Q[3] + w.side * moment[2];
    Q[4] = Q[4] + dot(e_be, moment);
    if constexpr (std::is_same_v<S, double>)
      if (report) {
        report->s = a.s;
        report->normal_force = N;
        report->ellipse = ellipse;
        report->creepage = creepage;
        report->creep_force = f;
        report->point = {r[0], w.side * (w.Y + r[1]), r[2]};
        report->normal = {n[0], w.side * n[1], n[2]};
      }
  }

  // Forces without constraint forces on everything but creep.
  template <class S, class Q, class V, class F>
  void suspension(const Q& q, const V& v, F& f) const {
    using std::cos, std::sin;
    const WheelsetData& d = model.data_;
    const int frame = 5 * model.wheelsets();
    for (int k = 0; k < model.wheelsets(); ++k) {
      const int i = 5 * k;
      S y = q[i], yaw = q[i + 3];
      if (model.bogie_) {
        y = y - q[frame] - offset(k) * q[frame + 1];
        yaw = yaw - q[frame + 1];
      }
      const S sa = sin(q[i + 2]), ca = cos(q[i + 2]);
      const S rolling = v[i + 4] - d.speed / d.rolling_radius + v[i + 3] * sa;
      const double Iy = d.rolling_inertia, Iq = d.inertia;
      f[i] = d.lateral_force - d.lateral_spring * y;
      f[i + 1] = d.load();
      f[i + 2] = Iy * rolling * v[i + 3] * ca - Iq * v[i + 3] * v[i + 3] * sa * ca;
      f[i + 3] = -Iy * v[i + 2] * v[i + 3] * sa * ca - Iy * rolling * v[i + 2] * ca +
                 2.0 * Iq * v[i + 3] * v[i + 2] * sa * ca - d.yaw_spring * yaw;
      f[i + 4] = -Iy * v[i + 3] * v[i + 2] * ca;
    }
    if (!model.bogie_) return;
    const BogieFrame& b = model.frame_;
    f[frame] = -b.lateral_spring * q[frame] - b.lateral_damper * v[frame];
    f[frame + 1] = -b.yaw_spring * q[frame + 1] - b.yaw_damper * v[frame + 1];
    for (int k = 0; k < 2; ++k) {
      const S spring = d.lateral_spring * (q[5 * k] - q[frame] - offset(k) * q[frame + 1]);
      f[frame] = f[frame] + spring;
      f[frame + 1] =
          f[frame + 1] + offset(k) * spring + d.yaw_spring * (q[5 * k + 3] - q[frame + 1]);
    }
  }
};

}  // namespace daedalus
