// SPDX-License-Identifier: BSD-3-Clause
// What problems on Lie groups share: rotations as matrices or unit quaternions in one notation,
// names of their coordinates, rigid bodies.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <catalogue/support_mechanics.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/lie/se3.hpp>

namespace daedalus::problems::lie_support {

using so3::cross;
template <class S>
using Vector3 = so3::Vector<S>;
template <class S>
using Matrix3 = so3::Matrix<S>;

// The scalar of a vector view.
template <class V>
using ScalarIn = std::decay_t<decltype(std::declval<const V&>()[0])>;

template <class V>
Vector3<ScalarIn<V>> vector_at(const V& x, int first) {
  return {x[first], x[first + 1], x[first + 2]};
}
// A matrix stored column by column, or the rotation of a quaternion stored as (p0, p1, p2, p3).
template <class V>
Matrix3<ScalarIn<V>> matrix_at(const V& q, int first) {
  Matrix3<ScalarIn<V>> R;
  for (int i = 0; i < 9; ++i) R(i % 3, i / 3) = q[first + i];
  return R;
}
template <class V>
Matrix3<ScalarIn<V>> quaternion_at(const V& q, int first) {
  using S = ScalarIn<V>;
  return s3::rotation<S>(s3::Quaternion<S>(q[first], q[first + 1], q[first + 2], q[first + 3]));
}
template <class O, class S>
void put(O& out, int first, const Vector3<S>& value) {
  for (int i = 0; i < 3; ++i) out[first + i] = value[i];
}
// J w for J = diag(J_1, J_2, J_3).
template <class S>
Vector3<S> scaled(const std::array<double, 3>& J, const Vector3<S>& w) {
  return {J[0] * w[0], J[1] * w[1], J[2] * w[2]};
}
// -w x J w, the gyroscopic moment in the body frame; zero where two moments of inertia are equal.
template <class S>
Vector3<S> gyroscopic(const std::array<double, 3>& J, const Vector3<S>& w) {
  return {(J[1] - J[2]) * w[1] * w[2], (J[2] - J[0]) * w[2] * w[0], (J[0] - J[1]) * w[0] * w[1]};
}

// R11 R21 R31 R12 ... column by column, with `suffix` behind each name.
std::vector<std::string> matrix_names(const std::string& stem, const std::string& suffix = "");
// stem0 stem1 stem2 stem3.
std::vector<std::string> quaternion_names(const std::string& stem, const std::string& suffix = "");
// stem1 stem2 stem3.
std::vector<std::string> vector_names(const std::string& stem, const std::string& suffix = "");

// The number of bodies or elements, a parameter that must be an integer from `least` to 10^6.
int count_of(const std::string& problem, const char* field, double value, int least);

}  // namespace daedalus::problems::lie_support
