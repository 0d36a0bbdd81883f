// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/heavy_top.hpp>

#include <algorithm>
#include <cmath>

namespace daedalus::problems {
namespace heavy_top {

// p' = p o (0, Omega) / 2, K Omega' = Omega-terms - m g l (r33, 0, -r31), r3 the third row of R(p),
// coefficient by coefficient: the coefficient k of a product is a sum over lower ones.
Trajectory::Series Trajectory::expand(const State& start) const {
  const Constants& c = constants_;
  const long double K1 = c.transverse + static_cast<long double>(c.mass) * c.length * c.length,
                    K2 = c.axial, pull = static_cast<long double>(c.mass) * c.gravity * c.length;
  Series y{};
  y[0] = start;
  for (int k = 0; k < degree; ++k) {
    const auto product = [&](std::size_t a, std::size_t b) {
      long double sum = 0.0L;
      for (int j = 0; j <= k; ++j)
        sum += y[static_cast<std::size_t>(j)][a] * y[static_cast<std::size_t>(k - j)][b];
      return sum;
    };
    enum : std::size_t { p0, p1, p2, p3, w1, w2, w3 };
    State& next = y[static_cast<std::size_t>(k + 1)];
    const long double by = 1.0L / (k + 1);
    next[p0] = -0.5L * by * (product(p1, w1) + product(p2, w2) + product(p3, w3));
    next[p1] = 0.5L * by * (product(p0, w1) + product(p2, w3) - product(p3, w2));
    next[p2] = 0.5L * by * (product(p0, w2) + product(p3, w1) - product(p1, w3));
    next[p3] = 0.5L * by * (product(p0, w3) + product(p1, w2) - product(p2, w1));
    const long double r31 = 2.0L * (product(p1, p3) - product(p0, p2)),
                      r33 = product(p0, p0) - product(p1, p1) - product(p2, p2) + product(p3, p3);
    next[w1] = by * ((K2 - K1) * product(w2, w3) - pull * r33) / K1;
    next[w2] = 0.0L;
    next[w3] = by * ((K1 - K2) * product(w1, w2) + pull * r31) / K1;
  }
  return y;
}

Trajectory::State Trajectory::sum(const Series& series, long double tau) {
  State y = series[degree];
  for (int k = degree - 1; k >= 0; --k)
    for (std::size_t i = 0; i < components; ++i)
      y[i] = y[i] * tau + series[static_cast<std::size_t>(k)][i];
  return y;
}

Trajectory::Trajectory(const Constants& constants, double t_end) : constants_(constants) {
  State y{1.0L, 0.0L, 0.0L, 0.0L, 0.0L, constants.spin, constants.precession};
  const auto steps = static_cast<int>(std::ceil(t_end / step));
  series_.reserve(static_cast<std::size_t>(std::max(steps, 1)));
  for (int n = 0; n < std::max(steps, 1); ++n) {
    series_.push_back(expand(y));
    y = sum(series_.back(), step);
  }
}

void Trajectory::evaluate(HeavyTop form, double t, double* out) const {
  using Vector = so3::Vector<long double>;
  const Constants& c = constants_;
  const auto n = std::min(static_cast<std::size_t>(t / step), series_.size() - 1);
  const State y = sum(series_[n], static_cast<long double>(t) - step * static_cast<long double>(n));
  s3::Quaternion<long double> p(y[0], y[1], y[2], y[3]);
  p /= std::sqrt(p.squaredNorm());
  const so3::Matrix<long double> R = s3::rotation<long double>(p);
  const Vector w(y[4], y[5], y[6]), X(0.0L, c.length, 0.0L),
      x = R * X, U = so3::cross<long double>(w, X), u = R * U;
  const long double K1 = c.transverse + static_cast<long double>(c.mass) * c.length * c.length,
                    K2 = c.axial, weight = static_cast<long double>(c.mass) * c.gravity;
  const Vector rate(((K2 - K1) * w[1] * w[2] - weight * c.length * R(2, 2)) / K1, 0.0L,
                    ((K1 - K2) * w[0] * w[1] + weight * c.length * R(2, 0)) / K1);
  const Vector lambda =
      c.mass * (so3::cross<long double>(rate, X) + so3::cross<long double>(w, U)) +
      weight * R.row(2).transpose();
  const auto write = [&out](const auto& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) *out++ = static_cast<double>(values.data()[i]);
  };
  if (has_position(form)) write(x);
  if (has_quaternion(form))
    write(p);
  else
    write(R);
  if (has_position(form)) write(is_semidirect(form) ? U : u);
  write(w);
  if (has_position(form)) write(lambda);
}

int size_of(HeavyTop form) {
  return (has_quaternion(form) ? 4 : 9) + 3 + (has_position(form) ? 9 : 0);
}

}  // namespace heavy_top

bool heavy_top_exact(HeavyTop form, double t, Out y) {
  static const heavy_top::Trajectory trajectory({}, 2.0);
  if (!(t >= 0.0 && t <= 2.0) || y.size() != heavy_top::size_of(form)) return false;
  trajectory.evaluate(form, t, y.data());
  return true;
}

}  // namespace daedalus::problems
