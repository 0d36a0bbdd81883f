// SPDX-License-Identifier: BSD-3-Clause
// Numbers that carry derivatives as Eigen sees them; a part of <daedalus/dual.hpp>.
#pragma once

#include <Eigen/Core>

#include <daedalus/dual.hpp>

namespace daedalus::detail {

// What Eigen asks of any number that carries derivatives, but for the costs.
template <class Number>
struct EigenTraits : Eigen::NumTraits<double> {
  using Real = Number;
  using NonInteger = Number;
  using Nested = Number;
  using Literal = double;
  enum { RequireInitialization = 1 };
};

}  // namespace daedalus::detail

namespace Eigen {

template <class S, int N>
struct NumTraits<daedalus::Dual<S, N>> : daedalus::detail::EigenTraits<daedalus::Dual<S, N>> {
  enum {
    ReadCost = (N + 1) * int(NumTraits<S>::ReadCost),
    AddCost = (N + 1) * int(NumTraits<S>::AddCost),
    MulCost = (N + 1) * int(NumTraits<S>::MulCost) + N * int(NumTraits<S>::AddCost)
  };
};

template <class Number, class Op>
requires daedalus::is_differentiable<Number>
struct ScalarBinaryOpTraits<Number, double, Op> {
  using ReturnType = Number;
};
template <class Number, class Op>
requires daedalus::is_differentiable<Number>
struct ScalarBinaryOpTraits<double, Number, Op> {
  using ReturnType = Number;
};

namespace internal {

// Products of these numbers go coefficient by coefficient: the block kernels of Eigen 3.4 put a
// mixed product into a variable of the right factor's type, pack into heap memory, and take most
// of the compile time.
template <class Left, class Right>
requires(daedalus::is_differentiable<typename traits<typename remove_all<Left>::type>::Scalar> ||
         daedalus::is_differentiable<typename traits<
             typename remove_all<Right>::type>::Scalar>) struct product_type<Left, Right> {
  enum {
    value = traits<typename remove_all<Left>::type>::RowsAtCompileTime == 1 &&
                    traits<typename remove_all<Right>::type>::ColsAtCompileTime == 1
                ? InnerProduct
                : CoeffBasedProductMode,
    ret = value
  };
};

}  // namespace internal
}  // namespace Eigen
