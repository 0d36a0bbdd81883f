// SPDX-License-Identifier: BSD-3-Clause
// Contact as a building block: a family of one-sided constraints
//   Delta(s; q) = height(q) - zeta(s; p(q)) >= 0   for all s of an interval,
// of which at least one is active, is one scalar constraint (Arnold 1998, (4.7), (4.9))
//   0 = height(q) - max_s zeta(s; p(q)).
// ContactFamily offers what the treatments of such a constraint need:
//   zeta, slope     rigid contact with a contact coordinate s: g = height - zeta, h = -zeta_s, form
//                   (3.14);
//   rigid           rigid contact point by global search;
//   rival, lead     the next best local maximum, and how far the present one leads;
//   smax, smooth    the quasi-elastic constraint on a fixed grid, (4.21), (4.25), and weighted
//   means
//                   of any quantities with the same weights (point of attack (4.24), curvatures);
//   expansion       smax with gradient and Hessian by weighted means and covariances.
// `zeta` is a generic callable, zeta(s, p) with p = std::array<scalar, D>; s and p may be double or
// any scalar of automatic differentiation, so that every function here can be called inside a
// callable wrapped in autodiff(). A family that keeps numbers per grid point may offer
// zeta(i, s, p) besides, i the number of the grid point; smax calls that one.
//
//   const daedalus::ContactFamily disc(
//       daedalus::ContactGrid::uniform(-0.8, 0.8, 400), 0.02, [](const auto& s, const auto& p) {
//         using std::sqrt;
//         return sqrt((0.8 - s) * (0.8 + s)) + sqrt((p[0] + s) * (p[0] + s) + 0.16);
//       });
//   problem.constraint = daedalus::autodiff([disc](const auto&, const auto& q, auto& g) {
//     g[0] = q[1] - disc.smax(std::array{q[0]});
//   });
//
// Value -infinity says "this point cannot touch here"; a value that is not a number makes the
// result not a number. Nothing allocates after construction.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <daedalus/detail/contact_probe.hpp>
#include <daedalus/dual.hpp>
#include <daedalus/taylor.hpp>
#include <daedalus/types.hpp>

namespace daedalus {

// The fixed quadrature of (4.25) on [low, high]. It must not change during a run: then its error is
// itself a smooth function of p. Misuse (an empty grid, points that do not increase or are not
// finite, weights that are not positive) throws InvalidArgument with value and position.
class ContactGrid {
 public:
  // At most as many points as fit a work array on the stack.
  static constexpr int largest = 4096;
  // s_0 < s_1 < ... < s_N: weight h_i = s_i - s_{i-1} at s_1, ..., s_N, none at s_0.
  explicit ContactGrid(std::vector<double> points);
  // Any other rule on [low, high]; weights are scaled to the sum 1.
  ContactGrid(double low, double high, std::vector<double> points, std::vector<double> weights);
  static ContactGrid uniform(double low, double high, int intervals);
  // Equal intervals between neighbouring breaks: graded({-45e-3, -35e-3, 40e-3}, {50, 150}).
  static ContactGrid graded(const std::vector<double>& breaks, const std::vector<int>& intervals);
  // Gauss-Legendre points in every panel between neighbouring breaks; at most 64 per panel.
  static ContactGrid gauss(const std::vector<double>& breaks, int points_per_panel);

  int size() const { return static_cast<int>(points_.size()); }
  double point(int i) const { return points_[static_cast<std::size_t>(i)]; }
  double weight(int i) const { return weights_[static_cast<std::size_t>(i)]; }  // h_i / length
  double low() const { return low_; }
  double high() const { return high_; }
  double length() const { return high_ - low_; }
  unsigned long long hash() const;  // of points and weights, for stored tables

 private:
  void check();
  double low_ = 0.0, high_ = 0.0;
  std::vector<double> points_, weights_;
};

// A maximum of zeta over s.
struct RigidContact {
  double s = 0.0, value = 0.0;
  double curvature = 0.0;  // zeta_ss; not a number at an end of the interval
  bool interior = false;   // false: at an end of the interval
};

enum class ContactSide { any, left, right };

// smax and weighted means E[k_j] over the same weights.
template <class S, std::size_t K>
struct SmoothContact {
  S value{};
  std::array<S, K> mean{};
};

// Value, gradient and Hessian with respect to p.
template <std::size_t D>
struct ContactExpansion {
  double value = 0.0;
  std::array<double, D> gradient{};
  std::array<std::array<double, D>, D> hessian{};
};

namespace detail {

// Terms below exp(-40) = 4e-18 of the largest do not reach the result.
inline constexpr double contact_cut = -40.0;

RigidContact search_contact(const ContactGrid& grid, const ContactProbe& probe);
// The largest local maximum outside the hill of s, value -infinity if there is none, and the least
// value of all.
RigidContact contact_rival(const ContactGrid& grid, const ContactProbe& probe, double s,
                           ContactSide side, double& least);
double settle_contact(const ContactProbe& probe, double s);
void check_contact_parameter(double nu);

template <class Zeta, class S, class P>
auto at_point(const Zeta& zeta, int i, const S& s, const P& p) {
  if constexpr (std::is_invocable_v<const Zeta&, int, const S&, const P&>)
    return zeta(i, s, p);
  else
    return zeta(s, p);
}

template <class S, std::size_t D>
std::array<double, D> values_of(const std::array<S, D>& p) {
  std::array<double, D> v{};
  for (std::size_t i = 0; i < D; ++i) v[i] = value_of(p[i]);
  return v;
}

}  // namespace detail

template <class Zeta>
class ContactFamily {
 public:
  // nu > 0, in the unit of zeta. Throws InvalidArgument otherwise.
  ContactFamily(ContactGrid grid, double nu, Zeta zeta)
      : grid_(std::move(grid)), nu_(nu), zeta_(std::move(zeta)) {
    detail::check_contact_parameter(nu);
  }

  const ContactGrid& grid() const { return grid_; }
  double nu() const { return nu_; }
  const Zeta& function() const { return zeta_; }
  ContactFamily with_nu(double nu) const { return ContactFamily(grid_, nu, zeta_); }

  // ---- rigid contact ----

  template <class S, class T, std::size_t D>
  auto zeta(const S& s, const std::array<T, D>& p) const {
    return zeta_(s, p);
  }
  // zeta_s(s; p); h = -slope determines the contact coordinate.
  template <class S, std::size_t D>
  S slope(const S& s, const std::array<S, D>& p) const {
    return zeta_(Dual<S, 1>::variable(s, 0), p).d[0];
  }
  // The maximum of zeta over [low, high]: the largest value on the grid, refined by Newton's method
  // inside its neighbouring intervals. Hills narrower than an interval may be missed.
  template <std::size_t D>
  RigidContact rigid(const std::array<double, D>& p) const {
    return detail::search_contact(grid_, Probe<D>(*this, p));
  }
  // The largest local maximum outside the hill on which s lies, on one side of it or any; value
  // -infinity when there is none.
  template <std::size_t D>
  RigidContact rival(double s, const std::array<double, D>& p,
                     ContactSide side = ContactSide::any) const {
    double least = 0.0;
    return detail::contact_rival(grid_, Probe<D>(*this, p), s, side, least);
  }
  // The zero of zeta_s next to s, by Newton's method; for points that have moved a little.
  template <std::size_t D>
  double settle(double s, const std::array<double, D>& p) const {
    return detail::settle_contact(Probe<D>(*this, p), s);
  }
  // Largest minus smallest value on the grid, those of points that cannot touch left out.
  template <std::size_t D>
  double spread(const std::array<double, D>& p) const {
    double values[ContactGrid::largest];
    const double top = node_values(p, values);
    double least = top;
    for (int i = 0; i < grid_.size() && !std::isnan(top); ++i)
      if (std::isfinite(values[i]) && values[i] < least) least = values[i];
    return top - least;
  }
  // zeta at s minus that at the rival: positive as long as s is the contact point, zero at a jump.
  // Without a rival: how far s is above the least value.
  template <std::size_t D>
  double lead(double s, const std::array<double, D>& p, ContactSide side = ContactSide::any) const {
    double least = 0.0;
    const RigidContact other = detail::contact_rival(grid_, Probe<D>(*this, p), s, side, least);
    return zeta_(s, p) - (std::isfinite(other.value) ? other.value : least);
  }

  // ---- quasi-elastic contact ----

  // nu ln(sum_i h_i exp(zeta(s_i; p)/nu) / length), evaluated with the largest zeta taken out.
  template <class S, std::size_t D>
  S smax(const std::array<S, D>& p) const {
    return smooth(p, [](double, const auto&) { return std::array<S, 0>{}; }).value;
  }
  // quantities(s, p) or quantities(i, s, p) gives a std::array<scalar, K>; it is asked only where
  // the weight counts.
  template <class S, std::size_t D, class Quantities>
  auto smooth(const std::array<S, D>& p, const Quantities& quantities) const {
    using std::exp, std::log;
    using Means = decltype(detail::at_point(quantities, 0, 0.0, p));
    SmoothContact<S, std::tuple_size_v<Means>> result;
    double values[ContactGrid::largest];
    const double top = node_values(detail::values_of(p), values);
    S sum(0.0);
    for (int i = 0; i < grid_.size(); ++i) {
      const double power = (values[i] - top) / nu_;
      if (power < detail::contact_cut) continue;
      S weight;
      if constexpr (std::is_same_v<S, double>)
        weight = grid_.weight(i) * exp(power);
      else
        weight =
            exp((S(detail::at_point(zeta_, i, grid_.point(i), p)) - top) / nu_) * grid_.weight(i);
      sum = sum + weight;
      const Means k = detail::at_point(quantities, i, grid_.point(i), p);
      for (std::size_t j = 0; j < k.size(); ++j) result.mean[j] = result.mean[j] + weight * k[j];
    }
    for (S& mean : result.mean) mean = mean / sum;
    result.value = log(sum) * nu_ + top;
    return result;
  }
  // The point of attack s~ of (4.24).
  template <class S, std::size_t D>
  S attack(const std::array<S, D>& p) const {
    return smooth(p, [](double s, const auto&) { return std::array<double, 1>{s}; }).mean[0];
  }
  // max zeta - smax zeta >= 0, the approach of the two bodies.
  template <std::size_t D>
  double approach(const std::array<double, D>& p) const {
    return rigid(p).value - smax(p);
  }

  // smax_j = E[zeta_j],  smax_jk = E[zeta_jk] + Cov(zeta_j, zeta_k)/nu. `derivatives(s, p)` or
  // (i, s, p) gives the ContactExpansion<D> of zeta at one point; without it they are found by
  // automatic differentiation.
  template <std::size_t D, class Derivatives>
  ContactExpansion<D> expansion(const std::array<double, D>& p,
                                const Derivatives& derivatives) const {
    double values[ContactGrid::largest];
    const double top = node_values(p, values);
    ContactExpansion<D> e;
    double sum = 0.0;
    for (int i = 0; i < grid_.size(); ++i) {
      const double power = (values[i] - top) / nu_;
      if (power < detail::contact_cut) continue;
      const double weight = grid_.weight(i) * std::exp(power);
      const ContactExpansion<D> z = detail::at_point(derivatives, i, grid_.point(i), p);
      sum += weight;
      // Running means and covariances: the difference of two large sums would lose digits when
      // divided by nu.
      const double share = weight / sum;
      std::array<double, D> off{};
      for (std::size_t j = 0; j < D; ++j) off[j] = z.gradient[j] - e.gradient[j];
      for (std::size_t j = 0; j < D; ++j) {
        for (std::size_t k = 0; k < D; ++k)
          e.hessian[j][k] +=
              share * (z.hessian[j][k] - e.hessian[j][k] + (1.0 - share) * off[j] * off[k] / nu_);
        e.gradient[j] += share * off[j];
      }
    }
    e.value = top + nu_ * std::log(sum);
    return e;
  }
  template <std::size_t D>
  ContactExpansion<D> expansion(const std::array<double, D>& p) const {
    return expansion(p, [this](int i, double s, const std::array<double, D>& at) {
      return node_expansion(i, s, at);
    });
  }

 private:
  template <std::size_t D>
  struct Probe final : detail::ContactProbe {
    Probe(const ContactFamily& family, const std::array<double, D>& at) : f(family), p(at) {}
    double value(double s) const override { return f.zeta_(s, p); }
    detail::ContactShape shape(double s) const override {
      Taylor2 x(s);
      x.c[1] = 1.0;
      const Taylor2 z = f.zeta_(x, p);
      return {z.c[0], z.c[1], 2.0 * z.c[2]};
    }
    const ContactFamily& f;
    const std::array<double, D>& p;
  };

  // Values at all points; returns the largest, or not a number when one of them is not.
  template <std::size_t D>
  double node_values(const std::array<double, D>& p, double* values) const {
    double top = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < grid_.size(); ++i) {
      values[i] = detail::at_point(zeta_, i, grid_.point(i), p);
      if (!(values[i] <= top)) top = values[i];
      if (std::isnan(top)) return top;
    }
    return top;
  }
  template <std::size_t D>
  ContactExpansion<D> node_expansion(int i, double s, const std::array<double, D>& p) const {
    using Inner = Dual<double, static_cast<int>(D)>;
    using Outer = Dual<Inner, static_cast<int>(D)>;
    std::array<Outer, D> x;
    for (std::size_t j = 0; j < D; ++j) {
      x[j] = Outer(Inner::variable(p[j], static_cast<int>(j)));
      x[j].d[j] = Inner(1.0);
    }
    const Outer z = detail::at_point(zeta_, i, s, x);
    ContactExpansion<D> e;
    e.value = z.v.v;
    for (std::size_t j = 0; j < D; ++j) {
      e.gradient[j] = z.v.d[j];
      for (std::size_t k = 0; k < D; ++k) e.hessian[j][k] = z.d[j].d[k];
    }
    return e;
  }

  ContactGrid grid_;
  double nu_;
  Zeta zeta_;
};

}  // namespace daedalus
