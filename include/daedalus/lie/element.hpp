// SPDX-License-Identifier: BSD-3-Clause
// Small dense matrices of one group element, chosen by its kind at run time. They live on the
// stack. In R^n hat = 0 and T = Ad = I; the kind `euclidean` has no size of its own and is not
// accepted.
#pragma once

#include <Eigen/Core>

namespace daedalus {

// euclidean: coordinates of R^n; so3: rotation matrix, 9 numbers; s3: unit quaternion, 4 numbers;
// se3: (x, R), 12 numbers; s3_semidirect: (x, p), 7 numbers. The last two have tangents (U, Omega).
enum class SpaceKind { euclidean, so3, s3, se3, s3_semidirect };

namespace lie {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

// Of one copy; 1 for a coordinate of R^n.
int points_of(SpaceKind kind);
int tangents_of(SpaceKind kind);

// hat(a) b = [a, b].
void hat(SpaceKind kind, const double* a, Matrix& out);
// T(w) = sum_i (-hat(w))^i / (i + 1)!.
void tangent(SpaceKind kind, const double* w, Matrix& out);
void tangent_inverse(SpaceKind kind, const double* w, Matrix& out);
// Ad(x) v = vee(x hat(v) x^{-1}).
void adjoint(SpaceKind kind, const double* x, Matrix& out);
// d/dw of T(w) a and of T(w)^{-1} a, for fixed a.
void tangent_derivative(SpaceKind kind, const double* w, const double* a, Matrix& out);
void tangent_inverse_derivative(SpaceKind kind, const double* w, const double* a, Matrix& out);

}  // namespace lie

}  // namespace daedalus
