// SPDX-License-Identifier: BSD-3-Clause
// Normal contact of two paraboloids, d = A x^2 + B y^2 (Hertz; Johnson, Contact Mechanics, 1985,
// chapter 4), and rolling friction on its ellipse (Kalker 1990): linear theory, a smooth law with
// the same linear limit, and FASTSIM. x along the rolling direction. Over any scalar of automatic
// differentiation; FASTSIM is differentiable except where a cell begins to slide, and Kalker's
// coefficients are piecewise linear in ln(a/b).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <daedalus/dual.hpp>
#include <daedalus/taylor.hpp>

namespace daedalus {

struct ContactMaterial {
  double young = 2.02275e11, poisson = 0.277;  // steel, both bodies (Arnold 1998, Example 27)
  double shear() const { return 0.5 * young / (1.0 + poisson); }
  // 1/E* = 2 (1 - poisson^2)/E.
  double modulus() const { return 0.5 * young / (1.0 - poisson * poisson); }
};

template <class S>
struct ContactEllipse {
  S a{}, b{};    // half axes along and across the rolling direction
  S approach{};  // of distant points of the two bodies
};

namespace detail {

// With K, E the elliptic integrals of parameter m = 1 - k^2: q = (K - E)/(m K), by the
// arithmetic-geometric mean without cancellation for k near 1.
template <class S>
struct HertzIntegrals {
  S K, q;
  explicit HertzIntegrals(const S& k) {
    using std::sqrt;
    const double pi = std::numbers::pi;
    S a = 0.5 * (1.0 + k), g = sqrt(k);
    S c2 = 0.25 * (1.0 - k) * (1.0 - k);      // c_1^2
    S over_m = 0.25 * (1.0 - k) / (1.0 + k);  // c_1^2 / m
    double power = 1.0;                       // 2^(n-1)
    q = 0.5 + over_m;
    for (int n = 2; n < 9 && value_of(c2) > 1e-34 * value_of(a) * value_of(a); ++n) {
      const S mean = 0.5 * (a + g);
      g = sqrt(a * g);
      a = mean;
      over_m = c2 * over_m / (16.0 * a * a);
      c2 = c2 * c2 / (16.0 * a * a);
      power *= 2.0;
      q = q + power * over_m;
    }
    K = 0.5 * pi / a;
  }
  S ratio(const S& k) const { return (1.0 - q) / (k * k * q); }  // B/A
};
// Ratio of the half axes, minor/major, for B/A = ratio >= 1.
double hertz_axes(double ratio);

}  // namespace detail

// Ellipse for the normal force N > 0; A, B > 0.
template <class S>
ContactEllipse<S> hertz(const S& A, const S& B, const S& N, const ContactMaterial& material) {
  using std::cbrt, std::sqrt;
  const double pi = std::numbers::pi;
  const bool swapped = value_of(A) > value_of(B);
  const S small = swapped ? B : A, large = swapped ? A : B;
  const S ratio = large / small;
  const double axes = detail::hertz_axes(value_of(ratio));
  // Newton steps over S turn the number into a function of the ratio.
  S k(axes);
  if constexpr (!std::is_same_v<S, double>) {
    const auto x = Dual<double, 1>::variable(axes, 0);
    const double slope = detail::HertzIntegrals<Dual<double, 1>>(x).ratio(x).d[0];
    for (int i = 0; i < 2; ++i)
      k = k - (detail::HertzIntegrals<S>(k).ratio(k) - ratio) * (1.0 / slope);
  }
  const detail::HertzIntegrals<S> h(k);
  const S shape = cbrt(4.0 / pi * h.K * sqrt((1.0 - h.q) * h.q) * sqrt(k));  // F_1
  const S radius = 0.5 / sqrt(A * B);
  const S size = cbrt(0.75 * N * radius / material.modulus()) * shape;
  const S root = sqrt(k);
  const S load = N / material.modulus();
  ContactEllipse<S> e;
  e.a = swapped ? size * root : size / root;
  e.b = swapped ? size / root : size * root;
  e.approach = cbrt(9.0 / 16.0 * load * load / radius) * (2.0 / pi) * root * h.K / shape;
  return e;
}

// Kalker's coefficients for one Poisson number, quadratic in it, linear in ln(a/b), 0.1 to 10.
class KalkerCoefficients {
 public:
  explicit KalkerCoefficients(double poisson);
  // C11, C22, C23.
  template <class S>
  std::array<S, 3> at(const S& axes) const {
    using std::log;
    const S x = log(axes);
    int i = 0;
    while (i + 2 < rows && value_of(x) > log_axes_[static_cast<std::size_t>(i + 1)]) ++i;
    const auto k = static_cast<std::size_t>(i);
    const double low = log_axes_.front(), high = log_axes_.back();
    const S place = value_of(x) < low ? S(low) : value_of(x) > high ? S(high) : x;
    const S part = (place - log_axes_[k]) * (1.0 / (log_axes_[k + 1] - log_axes_[k]));
    std::array<S, 3> c;
    for (std::size_t j = 0; j < 3; ++j)
      c[j] = values_[j][k] + part * (values_[j][k + 1] - values_[j][k]);
    return c;
  }

 private:
  static constexpr int rows = 19;
  std::array<double, rows> log_axes_{};
  std::array<std::array<double, rows>, 3> values_{};
};

// Velocity of the wheel's material point relative to the rail, over the speed: along, across, spin
// (1/m) about the normal that points into the rail.
template <class S>
struct Creepage {
  S along{}, across{}, spin{};
};

enum class CreepLaw { linear, tanh, fastsim };

struct CreepModel {
  CreepLaw law = CreepLaw::fastsim;
  double friction = 0.3;
  int cells_along = 20, cells_across = 21;  // of FASTSIM
  ContactMaterial material{};
  KalkerCoefficients coefficients{ContactMaterial{}.poisson};

  // Force on the wheel along and across; N > 0 the normal force.
  template <class S>
  std::array<S, 2> force(const ContactEllipse<S>& e, const S& N, const Creepage<S>& u) const {
    const std::array<S, 3> C = coefficients.at(S(e.a / e.b));
    return law == CreepLaw::fastsim ? fastsim(e, N, u, C) : closed(e, N, u, C);
  }

 private:
  template <class S>
  std::array<S, 2> closed(const ContactEllipse<S>& e, const S& N, const Creepage<S>& u,
                          const std::array<S, 3>& C) const {
    using std::sqrt, std::tanh;
    const S area = e.a * e.b, stiffness = material.shear() * area;
    const S x = stiffness * C[0] * u.along;
    const S y = stiffness * (C[1] * u.across + sqrt(area) * C[2] * u.spin);
    if (law == CreepLaw::linear) return {-x, -y};
    if (friction == 0.0) return {S(0.0), S(0.0)};
    const S limit = friction * N;
    const S square = (x * x + y * y) / (limit * limit);
    // tanh(f)/f; near zero its series, which has derivatives there.
    S factor;
    if (value_of(square) < 1e-6) {
      factor = 1.0 - square * (1.0 / 3.0 - 2.0 / 15.0 * square);
    } else {
      const S f = sqrt(square);
      factor = tanh(f) / f;
    }
    return {-x * factor, -y * factor};
  }

  // Kalker's simplified theory with parabolic pressure: tractions grow from the leading edge and
  // are cut at mu p_z.
  template <class S>
  std::array<S, 2> fastsim(const ContactEllipse<S>& e, const S& N, const Creepage<S>& u,
                           const std::array<S, 3>& C) const {
    using std::sqrt;
    const double pi = std::numbers::pi;
    const S shear(material.shear());
    const S rate_x = 3.0 * shear * C[0] * u.along / (8.0 * e.a);  // u_x / L_1
    const S rate_y = 3.0 * shear * C[1] * u.across / (8.0 * e.a);
    const S rate_s = 4.0 * shear * C[2] * u.spin / (pi * e.a * sqrt(e.a / e.b));
    const S pressure = friction * 2.0 * N / (pi * e.a * e.b);
    const double dy = 2.0 / cells_across;
    S sum_x(0.0), sum_y(0.0);
    for (int j = 0; j < cells_across; ++j) {
      const double y = (j + 0.5) * dy - 1.0, chord = std::sqrt(1.0 - y * y);
      const double step = 2.0 * chord / cells_along;
      const S dx = step * e.a;
      const S grow_x = dx * (rate_x - rate_s * (y * e.b));
      const S grow_y = dx * rate_y, grow_s = dx * rate_s * (chord * e.a);
      S px(0.0), py(0.0), strip_x(0.0), strip_y(0.0);
      for (int i = 0; i < cells_along; ++i) {
        const double middle = 1.0 - (2.0 * i + 1.0) / cells_along;
        const double end = 1.0 - (2.0 * i + 2.0) / cells_along;
        px = px - grow_x;
        py = py - grow_y - grow_s * middle;
        const S bound = pressure * ((1.0 - y * y) * std::max(0.0, 1.0 - end * end));
        const S square = px * px + py * py;
        if (value_of(square) > value_of(bound) * value_of(bound)) {
          const S factor = bound / sqrt(square);
          px = px * factor;
          py = py * factor;
        }
        strip_x = strip_x + px;
        strip_y = strip_y + py;
      }
      sum_x = sum_x + strip_x * step;
      sum_y = sum_y + strip_y * step;
    }
    const S cell = e.a * e.b * dy;
    return {sum_x * cell, sum_y * cell};
  }
};

}  // namespace daedalus
