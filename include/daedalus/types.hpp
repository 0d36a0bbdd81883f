// SPDX-License-Identifier: BSD-3-Clause
// Views that callables receive, and the words for "this evaluation failed".
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <stdexcept>
#include <string>

namespace daedalus {

template <class S>
using VectorView = Eigen::Map<const Eigen::Matrix<S, Eigen::Dynamic, 1>>;
template <class S>
using VectorOut = Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, 1>>;
template <class S>
using MatrixOutOf = Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>>;

// Pointer and length: an Eigen expression does not convert, so no call copies in secret.
using In = VectorView<double>;
using Out = VectorOut<double>;
using MatrixOut = MatrixOutOf<double>;
using SparseMatrix = Eigen::SparseMatrix<double>;  // column-major

// What a callable may return; `reject` means "outside my domain, try a smaller step".
enum class Eval { ok, reject };

// Thrown by a callable it means the same as returning Eval::reject.
struct Reject : std::runtime_error {
  explicit Reject(const std::string& why = "the callable rejected its arguments")
      : std::runtime_error(why) {}
};

// Misuse: thrown before the first step, names the field, its value and what is allowed.
struct InvalidArgument : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Of time; `to` may lie before `from`.
struct Interval {
  double from = 0.0, to = 1.0;
};

}  // namespace daedalus
