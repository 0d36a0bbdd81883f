// Dual numbers as Eigen sees them; a part of <daedalus/dual.hpp>.
#pragma once

#include <Eigen/Core>

#include <daedalus/dual.hpp>

namespace Eigen {

template <class S, int N>
struct NumTraits<daedalus::Dual<S, N>> : NumTraits<double> {
  using Real = daedalus::Dual<S, N>;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = (N + 1) * int(NumTraits<S>::ReadCost),
    AddCost = (N + 1) * int(NumTraits<S>::AddCost),
    MulCost = (N + 1) * int(NumTraits<S>::MulCost) + N * int(NumTraits<S>::AddCost)
  };
};

template <class S, int N, class Op>
struct ScalarBinaryOpTraits<daedalus::Dual<S, N>, double, Op> {
  using ReturnType = daedalus::Dual<S, N>;
};
template <class S, int N, class Op>
struct ScalarBinaryOpTraits<double, daedalus::Dual<S, N>, Op> {
  using ReturnType = daedalus::Dual<S, N>;
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
