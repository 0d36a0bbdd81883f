// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cstdint>

#include <fmt/format.h>

#include <daedalus/types.hpp>
#include <daedalus/wheel_rail/profile.hpp>

#include "kernel/at.hpp"

namespace daedalus {
namespace {

struct Hash {
  std::uint64_t value = 1469598103934665603ULL;  // FNV-1a over 64-bit words
  void operator()(double x) {
    value = (value ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211ULL;
  }
};

}  // namespace

ProfileJet Profile::Piece::jet(double x) const {
  const double u = x - centre;
  if (radius > 0.0) {
    const double square = (radius - u) * (radius + u), root = std::sqrt(square);
    const double cube = square * root;
    return {level + sign * root, -sign * u / root, -sign * radius * radius / cube,
            -3.0 * sign * radius * radius * u / (cube * square)};
  }
  ProfileJet j;
  for (int i = degree; i >= 0; --i) {
    j.third = j.third * u + j.second;
    j.second = j.second * u + j.first;
    j.first = j.first * u + j.value;
    j.value = j.value * u + a[at(i)];
  }
  j.second *= 2.0;
  j.third *= 6.0;
  return j;
}

void Profile::add(Piece piece, double end) {
  pieces_.push_back(piece);
  ends_.push_back(end);
}

void Profile::scale(double factor, double shift) {
  for (Piece& p : pieces_) {
    p.centre *= factor;
    p.radius *= factor;
    p.level = p.level * factor + shift;
    double power = factor;
    for (double& a : p.a) {
      a *= power;
      power /= factor;
    }
    if (!(p.radius > 0.0)) p.a[0] += shift;
  }
  for (double& e : ends_) e *= factor;
}

Profile Profile::cone(double radius, double slope, double low, double high) {
  if (!(radius > 0.0) || !std::isfinite(radius) || !std::isfinite(slope))
    throw InvalidArgument(fmt::format(
        "profile 'cone': radius = {}, slope = {}; a positive radius and a finite slope are allowed",
        radius, slope));
  if (!(low < high) || !std::isfinite(low) || !std::isfinite(high))
    throw InvalidArgument(
        fmt::format("profile 'cone': from {} to {}; places must increase", low, high));
  Profile p;
  p.name_ = "cone";
  p.low_ = low;
  p.high_ = high;
  p.pieces_ = {Piece{.degree = 1, .a = {radius, slope}}};
  return p;
}

Profile Profile::circle(double radius, double width) {
  if (!(radius > 0.0 && width > 0.0 && width < radius && std::isfinite(radius)))
    throw InvalidArgument(fmt::format(
        "profile 'circle': radius = {}, width = {}; 0 < width < radius is allowed", radius, width));
  Profile p;
  p.name_ = "circle";
  p.low_ = -width;
  p.high_ = width;
  p.pieces_ = {Piece{.radius = radius, .level = radius, .sign = -1.0}};
  return p;
}

Profile Profile::s1002(double r0) {
  if (!(r0 > 0.0) || !std::isfinite(r0))
    throw InvalidArgument(
        fmt::format("profile 'S1002': rolling radius {}; it must be positive and finite", r0));
  Profile p;
  p.name_ = "S1002";
  const auto arc = [&](double level, double radius, double centre, double sign, double end) {
    p.add(Piece{.centre = centre, .radius = radius, .level = level, .sign = sign}, end);
  };
  // Millimetres, from the back of the flange to the outer side of the tread.
  arc(9.519259302, 20.5, -49.5, 1.0, -62.764705882);
  arc(16.0, 12.0, -55.0, 1.0, -49.662510381);
  arc(8.834924130, 20.0, -58.558326413, 1.0, -39.764473993);
  p.add(Piece{.degree = 1, .a = {-93.576667419, -2.747477419}}, -38.426669071);
  arc(16.446, 13.0, -26.210665, -1.0, -35.0);
  p.add(Piece{.degree = 7,
              .a = {-4.320221063e3, -1.038384026e3, -1.065501873e2, -6.051367875, -2.054332446e-1,
                    -4.169739389e-3, -4.687195829e-5, -2.252755540e-7}},
        -26.0);
  p.add(Piece{.degree = 8,
              .a = {0.0, -3.358537058e-2, 1.565681624e-3, -2.810427944e-5, 5.844240864e-8,
                    -1.562379023e-8, 5.309217349e-15, -5.957839843e-12, 2.646656573e-13}},
        32.15796);
  p.pieces_.push_back(Piece{.degree = 1, .a = {1.364323640, -0.066666667}});
  p.scale(1e-3, r0);
  p.low_ = -60e-3;
  p.high_ = 60e-3;
  return p;
}

Profile Profile::uic60() {
  Profile p;
  p.name_ = "UIC60";
  const double x1 = 10.228, x2 = 26.0265, x3 = 36.0, r1 = 300.0, r2 = 80.0, r3 = 13.0;
  const double f1 = std::asin(x1 / r1);
  const double c2 = (r1 - r2) * std::sin(f1), l2 = r1 - (r1 - r2) * std::cos(f1);
  const double f2 = std::asin((x2 - c2) / r2);
  const double c3 = c2 + (r2 - r3) * std::sin(f2), l3 = l2 - (r2 - r3) * std::cos(f2);
  const double f3 = std::asin((x3 - c3) / r3);
  const double end = l3 - r3 * std::cos(f3);
  const auto arc = [](double centre, double radius, double level) {
    return Piece{.centre = centre, .radius = radius, .level = level, .sign = -1.0};
  };
  p.add(Piece{.centre = -x3, .degree = 1, .a = {end, -20.0}}, -x3);
  p.add(arc(-c3, r3, l3), -x2);
  p.add(arc(-c2, r2, l2), -x1);
  p.add(arc(0.0, r1, r1), x1);
  p.add(arc(c2, r2, l2), x2);
  p.add(arc(c3, r3, l3), x3);
  p.pieces_.push_back(Piece{.centre = x3, .degree = 1, .a = {end, 20.0}});
  p.scale(1e-3, 0.0);
  p.low_ = -36e-3;
  p.high_ = 36e-3;
  return p;
}

Profile Profile::measured(std::string name, const std::vector<double>& x,
                          const std::vector<double>& y) {
  const std::string label = fmt::format("profile '{}'", name);
  if (x.size() != y.size())
    throw InvalidArgument(
        fmt::format("{}: {} places for {} values; one value per place", label, x.size(), y.size()));
  if (x.size() < 3)
    throw InvalidArgument(fmt::format("{}: {} points; at least 3 are needed", label, x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]))
      throw InvalidArgument(fmt::format("{}: point {} is ({}, {}); all numbers must be finite",
                                        label, i + 1, x[i], y[i]));
    if (i > 0 && !(x[i] > x[i - 1]))
      throw InvalidArgument(fmt::format(
          "{}: point {} at {} follows point {} at {}; a profile is a function, so places must "
          "increase",
          label, i + 1, x[i], i, x[i - 1]));
  }
  // Second derivatives m of the natural spline: a tridiagonal system.
  const int n = static_cast<int>(x.size());
  std::vector<double> m(x.size(), 0.0), diagonal(x.size(), 1.0), upper(x.size(), 0.0);
  for (int i = 1; i + 1 < n; ++i) {
    const double h0 = x[at(i)] - x[at(i - 1)], h1 = x[at(i + 1)] - x[at(i)];
    const double rhs = 6.0 * ((y[at(i + 1)] - y[at(i)]) / h1 - (y[at(i)] - y[at(i - 1)]) / h0);
    const double lower = i == 1 ? 0.0 : h0;
    const double pivot = 2.0 * (h0 + h1) - lower * upper[at(i - 1)];
    upper[at(i)] = h1 / pivot;
    m[at(i)] = (rhs - lower * m[at(i - 1)]) / pivot;
  }
  for (int i = n - 3; i >= 1; --i) m[at(i)] -= upper[at(i)] * m[at(i + 1)];
  Profile p;
  p.name_ = std::move(name);
  p.low_ = x.front();
  p.high_ = x.back();
  const auto slope = [&](int i, double sign) {
    const int left = sign < 0.0 ? i : i - 1;
    const double h = x[at(left + 1)] - x[at(left)], d = (y[at(left + 1)] - y[at(left)]) / h;
    return sign < 0.0 ? d - h * (2.0 * m[at(left)] + m[at(left + 1)]) / 6.0
                      : d + h * (m[at(left)] + 2.0 * m[at(left + 1)]) / 6.0;
  };
  p.add(Piece{.centre = x.front(), .degree = 1, .a = {y.front(), slope(0, -1.0)}}, x.front());
  for (int i = 0; i + 1 < n; ++i) {
    const double h = x[at(i + 1)] - x[at(i)];
    p.add(Piece{.centre = x[at(i)],
                .degree = 3,
                .a = {y[at(i)],
                      (y[at(i + 1)] - y[at(i)]) / h - h * (2.0 * m[at(i)] + m[at(i + 1)]) / 6.0,
                      0.5 * m[at(i)], (m[at(i + 1)] - m[at(i)]) / (6.0 * h)}},
          x[at(i + 1)]);
  }
  p.pieces_.push_back(Piece{.centre = x.back(), .degree = 1, .a = {y.back(), slope(n - 1, 1.0)}});
  return p;
}

unsigned long long Profile::hash() const {
  Hash hash;
  for (const Piece& p : pieces_) {
    for (const double number : {p.centre, p.radius, p.level, p.sign}) hash(number);
    for (const double a : p.a) hash(a);
  }
  for (const double e : ends_) hash(e);
  hash(low_);
  hash(high_);
  return hash.value;
}

Rail::Rail(Profile before, Profile after, double from, double to)
    : first_(std::move(before)), second_(std::move(after)), from_(from), to_(to) {
  if (!(to > from) || !std::isfinite(to - from))
    throw InvalidArgument(
        fmt::format("rail from '{}' to '{}': from = {}, to = {}; the change needs from < to",
                    first_.name(), second_.name(), from, to));
}

unsigned long long Rail::hash() const {
  if (constant()) return first_.hash();
  Hash hash;
  for (const double x :
       {static_cast<double>(first_.hash()), static_cast<double>(second_.hash()), from_, to_})
    hash(x);
  return hash.value;
}

Rail::Jet Rail::jet(double v, double x) const {
  const ProfileJet a = first_.jet(v);
  if (constant()) return {a.value, a.first, a.second, a.third, 0.0, 0.0, 0.0, 0.0};
  Taylor2 place(x);
  place.c[1] = 1.0;
  const Taylor2 w = ramp(place);
  const ProfileJet b = second_.jet(v);
  const double share = w.c[0], w1 = w.c[1], w2 = 2.0 * w.c[2];
  const auto mix = [share](double p, double q) { return p + share * (q - p); };
  return {mix(a.value, b.value),    mix(a.first, b.first),     mix(a.second, b.second),
          mix(a.third, b.third),    w1 * (b.value - a.value),  w2 * (b.value - a.value),
          w1 * (b.first - a.first), w1 * (b.second - a.second)};
}

}  // namespace daedalus
