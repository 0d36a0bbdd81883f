// SPDX-License-Identifier: BSD-3-Clause
// Profiles of wheels and rails: functions of one variable, piecewise polynomials and circular arcs,
//   wheel  r = F(s), s along the axle (flange at s < -35 mm), metres;
//   rail   w = G(v), v lateral, w downwards from the top of the head.
// Cone, circle, S1002 (EN 13715; piecewise definition of H. Netter, DLR), UIC60 (60E1: arcs of 300,
// 80 and 13 mm and a flank of slope 20) and natural cubic splines through measured points. A value
// over any scalar of automatic differentiation; first to third derivatives in closed form.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <daedalus/dual.hpp>
#include <daedalus/taylor.hpp>

namespace daedalus {

// Value and derivatives at one place.
struct ProfileJet {
  double value = 0.0, first = 0.0, second = 0.0, third = 0.0;
};

class Profile {
 public:
  // r = radius + slope s.
  static Profile cone(double radius, double slope, double low = -0.07, double high = 0.07);
  // w = R - sqrt(R^2 - v^2), |v| < width.
  static Profile circle(double radius, double width);
  // Wear profile S1002 on a wheel of rolling radius r0, s in [-60, 60] mm.
  static Profile s1002(double rolling_radius);
  // UIC60 (60E1) rail head; the flanks go on as straight lines.
  static Profile uic60();
  // Natural cubic spline through measured points x_1 < x_2 < ...; the ends go on as straight lines.
  // Throws InvalidArgument with profile, value and position: fewer than three points, x that does
  // not increase (no function), values that are not finite.
  static Profile measured(std::string name, const std::vector<double>& x,
                          const std::vector<double>& y);

  const std::string& name() const { return name_; }
  // Where the profile stands for a surface; outside a wheel or rail has no contact.
  double low() const { return low_; }
  double high() const { return high_; }
  unsigned long long hash() const;

  template <class S>
  S value(const S& x) const {
    return on_piece(x, [](const Piece& p, const S& u) { return p.value(u); });
  }
  template <class S>
  S slope(const S& x) const {
    return on_piece(x, [](const Piece& p, const S& u) { return p.slope(u); });
  }
  ProfileJet jet(double x) const { return piece(x).jet(x); }

 private:
  // Polynomial in (x - centre), or level + sign sqrt(radius^2 - (x - centre)^2).
  struct Piece {
    double centre = 0.0;
    double radius = 0.0;  // 0: polynomial
    double level = 0.0, sign = 0.0;
    int degree = 0;
    std::array<double, 9> a{};

    ProfileJet jet(double x) const;
    template <class S>
    S value(const S& x) const {
      using std::sqrt;
      const S u = x - centre;
      if (radius > 0.0) return level + sign * sqrt((radius - u) * (radius + u));
      S r(a[static_cast<std::size_t>(degree)]);
      for (int i = degree - 1; i >= 0; --i) r = r * u + a[static_cast<std::size_t>(i)];
      return r;
    }
    template <class S>
    S slope(const S& x) const {
      using std::sqrt;
      const S u = x - centre;
      if (radius > 0.0) return -sign * u / sqrt((radius - u) * (radius + u));
      S r(degree * a[static_cast<std::size_t>(degree)]);
      for (int i = degree - 1; i >= 1; --i) r = r * u + i * a[static_cast<std::size_t>(i)];
      return r;
    }
  };

  const Piece& piece(double x) const {
    std::size_t i = 0;
    while (i < ends_.size() && x > ends_[i]) ++i;
    return pieces_[i];
  }
  template <class S, class Call>
  S on_piece(const S& x, Call&& call) const {
    return call(piece(value_of(x)), x);
  }
  void add(Piece piece, double end);
  void scale(double factor, double shift);  // x and y from millimetres, y moved

  std::string name_;
  double low_ = 0.0, high_ = 0.0;
  std::vector<Piece> pieces_;  // from left to right
  std::vector<double> ends_;   // between pieces
};

// A rail whose profile changes along the track: G(v; x) = (1 - w) G_0(v) + w G_1(v), w a ramp from
// 0 at `from` to 1 at `to` with two continuous derivatives (switches, transitions). A constant rail
// has one profile.
class Rail {
 public:
  Rail(Profile profile) : first_(profile), second_(std::move(profile)) {}  // NOLINT
  Rail(Profile before, Profile after, double from, double to);

  bool constant() const { return !(to_ > from_); }
  const Profile& profile() const { return first_; }
  const Profile& profile_after() const { return second_; }
  double low() const { return constant() ? first_.low() : std::max(first_.low(), second_.low()); }
  double high() const {
    return constant() ? first_.high() : std::min(first_.high(), second_.high());
  }
  unsigned long long hash() const;

  template <class S>
  S value(const S& v, const S& x) const {
    if (constant()) return first_.value(v);
    const S w = ramp(x);
    return first_.value(v) * (1.0 - w) + second_.value(v) * w;
  }
  // G and its derivatives by v and x.
  struct Jet {
    double value, v, vv, vvv, x, xx, xv, xvv;
  };
  Jet jet(double v, double x) const;

 private:
  template <class S>
  S ramp(const S& x) const {
    const S u = (x - from_) * (1.0 / (to_ - from_));
    if (!(value_of(u) > 0.0)) return S(0.0);
    if (!(value_of(u) < 1.0)) return S(1.0);
    return u * u * u * (10.0 + u * (6.0 * u - 15.0));
  }
  Profile first_, second_;
  double from_ = 0.0, to_ = 0.0;
};

}  // namespace daedalus
