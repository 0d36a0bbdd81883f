// SPDX-License-Identifier: BSD-3-Clause
// Configuration spaces: lists of blocks, each a vector space or copies of a Lie group. Points and
// tangent vectors are plain arrays; x (+) w means x o exp(w) in a group and x + w in R^n. Rates are
// left-trivialised: q' = q hat(v), so velocities of rotations are body-fixed.
// No operation allocates. `out` may be an argument of the same size unless said otherwise.
#pragma once

#include <Eigen/Core>
#include <initializer_list>
#include <string>
#include <vector>

#include <daedalus/lie/element.hpp>
#include <daedalus/lie/se3.hpp>

namespace daedalus {

class Space {
 public:
  struct Block {
    SpaceKind kind = SpaceKind::euclidean;
    int count = 0;  // dimension of R^n, or number of copies of the group
    int point = 0;  // offsets
    int tangent = 0;
  };
  // One copy of a group, or a whole block R^n.
  struct Element {
    SpaceKind kind = SpaceKind::euclidean;
    int point = 0, tangent = 0;    // offsets
    int points = 0, tangents = 0;  // sizes
  };

  Space() = default;
  explicit Space(std::vector<Block> blocks);

  int points() const { return points_; }
  int tangents() const { return tangents_; }
  bool is_euclidean() const;
  const std::vector<Block>& blocks() const { return blocks_; }
  std::string name() const;

  // visit(Element) for every element, in the order of the coordinates.
  template <class Visit>
  void for_each_element(Visit&& visit) const;

  // out = x (+) w, for any S that is a real number: double, dual numbers, Taylor series. In double
  // the rounding errors have no systematic part: after 10^6 steps |R^T R - I| is about 1e-13, which
  // compose(x, exp(w)) does not reach.
  template <class S>
  void plus(const S* x, const S* w, S* out) const;
  // w with to = from (+) w, the shortest one: angles in [0, pi], see so3::log and s3::log.
  void minus(const double* from, const double* to, double* w) const;
  // out = T(u) v: the velocity of x0 (+) u(t) when u' = v.
  void tangent(const double* u, const double* v, double* out) const;
  // out = T(u)^{-1} v: the rate of u in x0 (+) u(t) when the velocity is v.
  void tangent_inverse(const double* u, const double* v, double* out) const;
  // How large a point is, seen in tangent coordinates: |x_i| in R^n and for positions, 1 for
  // rotations. A position of SE(3) moves by R U, so there it is |x| in all three directions.
  void magnitude(const double* x, double* out) const;

  void identity(double* x) const;
  void compose(const double* x, const double* y, double* out) const;
  void inverse(const double* x, double* out) const;
  void exp(const double* w, double* x) const;
  void log(const double* x, double* w) const;
  // out = [a, b] = hat(a) b.
  void bracket(const double* a, const double* b, double* out) const;
  // out = Ad(x) v: x o exp(v) = exp(Ad(x) v) o x. out may be v.
  void adjoint(const double* x, const double* v, double* out) const;

  // How far x is from the group: the largest |R^T R - I| (Frobenius) and ||p| - 1|.
  double defect(const double* x) const;
  // Back to the group: p / |p|, and one Newton step R (3 I - R^T R) / 2 for the polar factor.
  void renormalise(double* x) const;

 private:
  template <class S>
  void plus_by_exp(const S* x, const S* w, S* out) const;

  std::vector<Block> blocks_;
  int points_ = 0, tangents_ = 0;
};

Space euclidean(int n);
Space so3_space(int copies = 1);
Space s3_space(int copies = 1);
Space se3_space(int copies = 1);
Space s3_semidirect_space(int copies = 1);
Space product(std::initializer_list<Space> factors);
// n copies of a space, one after another.
Space power(const Space& space, int n);

template <class Visit>
void Space::for_each_element(Visit&& visit) const {
  for (const Block& b : blocks_) {
    if (b.kind == SpaceKind::euclidean) {
      if (b.count > 0) visit(Element{b.kind, b.point, b.tangent, b.count, b.count});
      continue;
    }
    const int points = lie::points_of(b.kind), tangents = lie::tangents_of(b.kind);
    for (int i = 0; i < b.count; ++i)
      visit(Element{b.kind, b.point + points * i, b.tangent + tangents * i, points, tangents});
  }
}

template <>
void Space::plus<double>(const double* x, const double* w, double* out) const;

// Without the series of exp where w is infinitesimal, as in every derivative.
template <>
void Space::plus<Dual4>(const Dual4* x, const Dual4* w, Dual4* out) const;

template <class S>
void Space::plus(const S* x, const S* w, S* out) const {
  plus_by_exp(x, w, out);
}

template <class S>
void Space::plus_by_exp(const S* x, const S* w, S* out) const {
  using Vector = so3::Vector<S>;
  using Rotation = so3::Matrix<S>;
  using Quaternion = s3::Quaternion<S>;
  const auto turn = [](const S* R, const S* by, S* to) {
    const Rotation moved =
        Eigen::Map<const Rotation>(R) * so3::exp<S>(Eigen::Map<const Vector>(by));
    Eigen::Map<Rotation> target(to);
    target = moved;
  };
  const auto spin = [](const S* p, const S* by, S* to) {
    Eigen::Map<Quaternion> target(to);
    target =
        s3::compose<S>(Eigen::Map<const Quaternion>(p), s3::exp<S>(Eigen::Map<const Vector>(by)));
  };
  for_each_element([&](const Element& e) {
    const S *from = x + e.point, *by = w + e.tangent;
    S* to = out + e.point;
    switch (e.kind) {
      case SpaceKind::euclidean:
        for (int i = 0; i < e.points; ++i) to[i] = from[i] + by[i];
        break;
      case SpaceKind::so3:
        turn(from, by, to);
        break;
      case SpaceKind::s3:
        spin(from, by, to);
        break;
      case SpaceKind::se3: {
        const Vector shift = se3::translation<S>(Eigen::Map<const se3::Vector<S>>(by));
        const Vector moved =
            Eigen::Map<const Vector>(from) + Eigen::Map<const Rotation>(from + 3) * shift;
        turn(from + 3, by + 3, to + 3);
        Eigen::Map<Vector> target(to);
        target = moved;
        break;
      }
      case SpaceKind::s3_semidirect: {
        const Vector shift = se3::translation<S>(Eigen::Map<const se3::Vector<S>>(by));
        const Vector moved = Eigen::Map<const Vector>(from) +
                             s3::rotate<S>(Eigen::Map<const Quaternion>(from + 3), shift);
        spin(from + 3, by + 3, to + 3);
        Eigen::Map<Vector> target(to);
        target = moved;
        break;
      }
    }
  });
}

// The scalars of automatic differentiation are compiled once, in the library.
extern template void Space::plus(const Taylor2*, const Taylor2*, Taylor2*) const;
extern template void Space::plus(const Taylor2Dual*, const Taylor2Dual*, Taylor2Dual*) const;

}  // namespace daedalus
