// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/space.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/types.hpp>

#include "lie/element_parts.hpp"

namespace daedalus {
namespace {

using lie::has_matrix, lie::quaternion, lie::rotation, lie::six, lie::three, lie::turns_only;
using lie::Quaternion, lie::Rotation, lie::Vector3, lie::Vector6;

// By value: the target may be part of what the value was made from.
template <class Fixed>
void put(double* to, const Fixed& value) {
  Eigen::Map<Fixed> target(to);
  target = value;
}

// to = R exp(w) as R + (s R W + c R W^2) in wider numbers. A rounded exp(w) has a defect of 1e-16,
// and so have the rounded s and c, the same in every step with the same w. Here one rounding
// remains, that of the result: it changes with R and has no systematic part.
using Wide = long double;
using WideVector = so3::Vector<Wide>;

void turn(const double* R, const double* by, double* to) {
  const WideVector w = three(by).cast<Wide>();
  const Wide u = w.squaredNorm();
  const Wide s = lie::sine_quotient(u), c = lie::cosine_quotient(u);
  for (int i = 0; i < 3; ++i) {
    const WideVector row(R[i], R[3 + i], R[6 + i]);
    const WideVector a = so3::cross<Wide>(row, w), b = so3::cross<Wide>(a, w);
    for (int k = 0; k < 3; ++k) to[3 * k + i] = static_cast<double>(row[k] + (s * a[k] + c * b[k]));
  }
}
// The same for to = p o exp(w), as p + p o (exp(w) - 1).
void spin(const double* from, const double* by, double* to) {
  using WideQuaternion = s3::Quaternion<Wide>;
  const WideQuaternion p = quaternion(from).cast<Wide>();
  const WideVector w = three(by).cast<Wide>();
  const Wide quarter = w.squaredNorm() / 4;
  const Wide s = lie::sine_quotient(quarter) / 2;
  const WideQuaternion e(-quarter * lie::cosine_quotient(quarter), s * w[0], s * w[1], s * w[2]);
  const WideQuaternion change = s3::compose<Wide>(p, e);
  for (int i = 0; i < 4; ++i) to[i] = static_cast<double>(p[i] + change[i]);
}
void turn_element(SpaceKind kind, const double* from, const double* by, double* to) {
  if (has_matrix(kind))
    turn(from, by, to);
  else
    spin(from, by, to);
}
Vector3 rotated(SpaceKind kind, const double* turn_part, const Vector3& v) {
  if (has_matrix(kind)) return rotation(turn_part) * v;
  return s3::rotate<double>(quaternion(turn_part), v);
}
Vector3 rotated_back(SpaceKind kind, const double* turn_part, const Vector3& v) {
  if (has_matrix(kind)) return rotation(turn_part).transpose() * v;
  return s3::rotate<double>(s3::inverse<double>(quaternion(turn_part)), v);
}
// log(a^{-1} b) of the rotations.
Vector3 turn_between(SpaceKind kind, const double* a, const double* b) {
  if (has_matrix(kind)) return so3::log(rotation(a).transpose() * rotation(b));
  return s3::log(s3::compose<double>(s3::inverse<double>(quaternion(a)), quaternion(b)));
}
Vector3 tangent_of(const Vector3& w, const Vector3& v) {
  const double u = w.squaredNorm();
  const Vector3 a = so3::cross<double>(w, v);
  return v - lie::cosine_quotient(u) * a + lie::cubic_quotient(u) * so3::cross<double>(w, a);
}
Vector3 tangent_inverse_of(const Vector3& w, const Vector3& v) {
  const double u = w.squaredNorm();
  const Vector3 a = so3::cross<double>(w, v);
  return v + 0.5 * a + lie::cotangent_quotient(u) * so3::cross<double>(w, a);
}

const char* name_of(SpaceKind kind) {
  switch (kind) {
    case SpaceKind::euclidean:
      return "R";
    case SpaceKind::so3:
      return "SO(3)";
    case SpaceKind::s3:
      return "S^3";
    case SpaceKind::se3:
      return "SE(3)";
    case SpaceKind::s3_semidirect:
      return "S^3 semidirect R^3";
  }
  return "";
}
std::string name_of(const Space::Block& b) {
  const std::string name = name_of(b.kind);
  if (b.kind == SpaceKind::euclidean) return name + "^" + std::to_string(b.count);
  if (b.count == 1) return name;
  const bool simple = has_matrix(b.kind);
  return (simple ? name : "(" + name + ")") + "^" + std::to_string(b.count);
}
bool same(const Space::Block& a, const Space::Block& b) {
  return a.kind == b.kind && a.count == b.count;
}

}  // namespace

Space::Space(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
  for (Block& b : blocks_) {
    if (b.count < 0)
      throw InvalidArgument(
          fmt::format("space: a block has a negative count, {} of {}", b.count, name_of(b.kind)));
    b.point = points_;
    b.tangent = tangents_;
    points_ += lie::points_of(b.kind) * b.count;
    tangents_ += lie::tangents_of(b.kind) * b.count;
  }
}

bool Space::is_euclidean() const {
  for (const Block& b : blocks_)
    if (b.kind != SpaceKind::euclidean && b.count > 0) return false;
  return true;
}

std::string Space::name() const {
  // A power is written as one: the smallest period of the list of blocks.
  const std::size_t n = blocks_.size();
  std::size_t period = 1;
  const auto repeats = [&] {
    if (n % period != 0) return false;
    for (std::size_t i = period; i < n; ++i)
      if (!same(blocks_[i], blocks_[i - period])) return false;
    return true;
  };
  while (period < n && !repeats()) ++period;
  std::string text;
  for (std::size_t i = 0; i < period && i < n; ++i)
    text += (i > 0 ? " x " : "") + name_of(blocks_[i]);
  return n > period ? "(" + text + ")^" + std::to_string(n / period) : text;
}

template <>
void Space::plus<double>(const double* x, const double* w, double* out) const {
  for_each_element([&](const Element& e) {
    const double *from = x + e.point, *by = w + e.tangent;
    double* to = out + e.point;
    if (e.kind == SpaceKind::euclidean) {
      for (int i = 0; i < e.points; ++i) to[i] = from[i] + by[i];
    } else if (turns_only(e.kind)) {
      turn_element(e.kind, from, by, to);
    } else {
      const Vector3 moved =
          three(from) + rotated(e.kind, from + 3, se3::translation<double>(six(by)));
      turn_element(e.kind, from + 3, by + 3, to + 3);
      put<Vector3>(to, moved);
    }
  });
}

void Space::minus(const double* from, const double* to, double* w) const {
  for_each_element([&](const Element& e) {
    const double *a = from + e.point, *b = to + e.point;
    double* by = w + e.tangent;
    if (e.kind == SpaceKind::euclidean) {
      for (int i = 0; i < e.points; ++i) by[i] = b[i] - a[i];
    } else if (turns_only(e.kind)) {
      put<Vector3>(by, turn_between(e.kind, a, b));
    } else {
      const Vector3 turned = turn_between(e.kind, a + 3, b + 3);
      const Vector3 shift = rotated_back(e.kind, a + 3, three(b) - three(a));
      put<Vector3>(by, tangent_inverse_of(-turned, shift));
      put<Vector3>(by + 3, turned);
    }
  });
}

void Space::tangent(const double* u, const double* v, double* out) const {
  for_each_element([&](const Element& e) {
    const double *at = u + e.tangent, *rate = v + e.tangent;
    double* to = out + e.tangent;
    if (e.kind == SpaceKind::euclidean)
      std::copy(rate, rate + e.tangents, to);
    else if (turns_only(e.kind))
      put<Vector3>(to, tangent_of(three(at), three(rate)));
    else
      put<Vector6>(to, se3::tangent<double>(six(at)) * six(rate));
  });
}

void Space::tangent_inverse(const double* u, const double* v, double* out) const {
  for_each_element([&](const Element& e) {
    const double *at = u + e.tangent, *rate = v + e.tangent;
    double* to = out + e.tangent;
    if (e.kind == SpaceKind::euclidean)
      std::copy(rate, rate + e.tangents, to);
    else if (turns_only(e.kind))
      put<Vector3>(to, tangent_inverse_of(three(at), three(rate)));
    else
      put<Vector6>(to, se3::tangent_inverse<double>(six(at)) * six(rate));
  });
}

void Space::magnitude(const double* x, double* out) const {
  for_each_element([&](const Element& e) {
    double* to = out + e.tangent;
    if (e.kind == SpaceKind::euclidean) {
      for (int i = 0; i < e.points; ++i) to[i] = std::abs(x[e.point + i]);
    } else {
      std::fill(to, to + e.tangents, 1.0);
      if (!turns_only(e.kind)) std::fill(to, to + 3, three(x + e.point).norm());
    }
  });
}

void Space::identity(double* x) const {
  std::fill(x, x + points_, 0.0);
  for_each_element([&](const Element& e) {
    if (e.kind == SpaceKind::euclidean) return;
    double* to = x + e.point + (turns_only(e.kind) ? 0 : 3);
    if (has_matrix(e.kind))
      Eigen::Map<Rotation>(to).setIdentity();
    else
      to[0] = 1.0;
  });
}

void Space::compose(const double* x, const double* y, double* out) const {
  for_each_element([&](const Element& e) {
    const double *a = x + e.point, *b = y + e.point;
    double* to = out + e.point;
    if (e.kind == SpaceKind::euclidean) {
      for (int i = 0; i < e.points; ++i) to[i] = a[i] + b[i];
      return;
    }
    if (!turns_only(e.kind)) {
      const Vector3 moved = three(a) + rotated(e.kind, a + 3, three(b));
      put<Vector3>(to, moved);
      a += 3, b += 3, to += 3;
    }
    if (has_matrix(e.kind)) {
      const Rotation R = rotation(a) * rotation(b);
      put<Rotation>(to, R);
    } else {
      put<Quaternion>(to, s3::compose<double>(quaternion(a), quaternion(b)));
    }
  });
}

void Space::inverse(const double* x, double* out) const {
  for_each_element([&](const Element& e) {
    const double* a = x + e.point;
    double* to = out + e.point;
    if (e.kind == SpaceKind::euclidean) {
      for (int i = 0; i < e.points; ++i) to[i] = -a[i];
      return;
    }
    if (!turns_only(e.kind)) {
      const Vector3 moved = -rotated_back(e.kind, a + 3, three(a));
      put<Vector3>(to, moved);
      a += 3, to += 3;
    }
    if (has_matrix(e.kind)) {
      const Rotation R = rotation(a).transpose();
      put<Rotation>(to, R);
    } else {
      put<Quaternion>(to, s3::inverse<double>(quaternion(a)));
    }
  });
}

void Space::exp(const double* w, double* x) const {
  identity(x);
  plus(x, w, x);
}

void Space::log(const double* x, double* w) const {
  for_each_element([&](const Element& e) {
    const double* a = x + e.point;
    double* to = w + e.tangent;
    if (e.kind == SpaceKind::euclidean) {
      std::copy(a, a + e.points, to);
      return;
    }
    const double* part = turns_only(e.kind) ? a : a + 3;
    const Vector3 turned =
        has_matrix(e.kind) ? so3::log(rotation(part)) : s3::log(quaternion(part));
    if (!turns_only(e.kind)) {
      put<Vector3>(to, tangent_inverse_of(-turned, three(a)));
      to += 3;
    }
    put<Vector3>(to, turned);
  });
}

void Space::bracket(const double* a, const double* b, double* out) const {
  for_each_element([&](const Element& e) {
    const double *l = a + e.tangent, *r = b + e.tangent;
    double* to = out + e.tangent;
    if (e.kind == SpaceKind::euclidean) {
      std::fill(to, to + e.tangents, 0.0);
    } else if (turns_only(e.kind)) {
      put<Vector3>(to, so3::cross<double>(three(l), three(r)));
    } else {
      const Vector3 turning = so3::cross<double>(three(l + 3), three(r + 3));
      const Vector3 moving =
          so3::cross<double>(three(l + 3), three(r)) + so3::cross<double>(three(l), three(r + 3));
      put<Vector3>(to, moving);
      put<Vector3>(to + 3, turning);
    }
  });
}

void Space::adjoint(const double* x, const double* v, double* out) const {
  for_each_element([&](const Element& e) {
    const double *a = x + e.point, *from = v + e.tangent;
    double* to = out + e.tangent;
    if (e.kind == SpaceKind::euclidean) {
      std::copy(from, from + e.tangents, to);
    } else if (turns_only(e.kind)) {
      put<Vector3>(to, rotated(e.kind, a, three(from)));
    } else {
      const Vector3 turning = rotated(e.kind, a + 3, three(from + 3));
      const Vector3 moving =
          rotated(e.kind, a + 3, three(from)) + so3::cross<double>(three(a), turning);
      put<Vector3>(to, moving);
      put<Vector3>(to + 3, turning);
    }
  });
}

double Space::defect(const double* x) const {
  double largest = 0.0;
  for_each_element([&](const Element& e) {
    if (e.kind == SpaceKind::euclidean) return;
    const double* part = x + e.point + (turns_only(e.kind) ? 0 : 3);
    double size = 0.0;
    if (has_matrix(e.kind)) {
      const Rotation R = rotation(part);
      size = (R.transpose() * R - Rotation::Identity()).norm();
    } else {
      size = std::abs(quaternion(part).norm() - 1.0);
    }
    if (!(size <= largest) && !std::isnan(largest)) largest = size;
  });
  return largest;
}

void Space::renormalise(double* x) const {
  for_each_element([&](const Element& e) {
    if (e.kind == SpaceKind::euclidean) return;
    double* part = x + e.point + (turns_only(e.kind) ? 0 : 3);
    if (has_matrix(e.kind)) {
      const Rotation R = rotation(part);
      const Rotation moved = R + 0.5 * R * (Rotation::Identity() - R.transpose() * R);
      put<Rotation>(part, moved);
    } else {
      put<Quaternion>(part, quaternion(part) / quaternion(part).norm());
    }
  });
}

Space euclidean(int n) { return Space({{SpaceKind::euclidean, n}}); }
Space so3_space(int copies) { return Space({{SpaceKind::so3, copies}}); }
Space s3_space(int copies) { return Space({{SpaceKind::s3, copies}}); }
Space se3_space(int copies) { return Space({{SpaceKind::se3, copies}}); }
Space s3_semidirect_space(int copies) { return Space({{SpaceKind::s3_semidirect, copies}}); }

Space product(std::initializer_list<Space> factors) {
  std::vector<Space::Block> blocks;
  for (const Space& f : factors) blocks.insert(blocks.end(), f.blocks().begin(), f.blocks().end());
  return Space(std::move(blocks));
}

Space power(const Space& space, int n) {
  if (n < 0) throw InvalidArgument(fmt::format("power: n is {}, must not be negative", n));
  std::vector<Space::Block> blocks;
  if (space.blocks().size() == 1) {
    blocks = space.blocks();
    blocks[0].count *= n;
    return Space(std::move(blocks));
  }
  blocks.reserve(space.blocks().size() * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    blocks.insert(blocks.end(), space.blocks().begin(), space.blocks().end());
  return Space(std::move(blocks));
}

}  // namespace daedalus
