// SPDX-License-Identifier: BSD-3-Clause
// std::sin(x) of a number with derivatives finds no overload, and the compiler then lists all of
// namespace std, hundreds of lines. These answer with one sentence instead. An unqualified sin(x)
// prefers the functions of daedalus, which are more specialised. A part of <daedalus/dual.hpp>.
#pragma once

#include <cmath>

#include <daedalus/dual.hpp>

namespace daedalus::detail {

template <class Call>
struct QualifiedCall {
  static_assert(sizeof(Call) == 0,
                "daedalus: a function of namespace std was called by its full name with a number "
                "that carries derivatives. Write  using std::sin; sin(x)  in place of std::sin(x), "
                "and likewise for the other functions of <cmath>.");
};
// One type for all calls, so that the sentence is printed once; by way of T, so that not before
// one.
struct AnyCall {};
template <class T>
struct CallOf {
  using type = AnyCall;
};

}  // namespace daedalus::detail

// The standard does not provide for overloads in its namespace, but a qualified call looks nowhere
// else. They only refuse.
namespace std {

#define DAEDALUS_REFUSE_1(function)                                                     \
  template <daedalus::NumberWithDerivatives T>                                          \
  T function(const T& x) {                                                              \
    static_cast<void>(                                                                  \
        daedalus::detail::QualifiedCall<typename daedalus::detail::CallOf<T>::type>()); \
    return x;                                                                           \
  }
#define DAEDALUS_REFUSE_2(function)                                                     \
  template <class A, class B>                                                           \
  requires daedalus::SomeWithDerivatives<A, B>                                          \
  auto function(const A& a, const B& b) {                                               \
    static_cast<void>(                                                                  \
        daedalus::detail::QualifiedCall<typename daedalus::detail::CallOf<A>::type>()); \
    return a + b;                                                                       \
  }
DAEDALUS_REFUSE_1(sin)
DAEDALUS_REFUSE_1(cos)
DAEDALUS_REFUSE_1(tan)
DAEDALUS_REFUSE_1(asin)
DAEDALUS_REFUSE_1(acos)
DAEDALUS_REFUSE_1(atan)
DAEDALUS_REFUSE_1(sinh)
DAEDALUS_REFUSE_1(cosh)
DAEDALUS_REFUSE_1(tanh)
DAEDALUS_REFUSE_1(asinh)
DAEDALUS_REFUSE_1(acosh)
DAEDALUS_REFUSE_1(atanh)
DAEDALUS_REFUSE_1(exp)
DAEDALUS_REFUSE_1(exp2)
DAEDALUS_REFUSE_1(expm1)
DAEDALUS_REFUSE_1(log)
DAEDALUS_REFUSE_1(log10)
DAEDALUS_REFUSE_1(log2)
DAEDALUS_REFUSE_1(log1p)
DAEDALUS_REFUSE_1(sqrt)
DAEDALUS_REFUSE_1(cbrt)
DAEDALUS_REFUSE_1(erf)
DAEDALUS_REFUSE_1(erfc)
DAEDALUS_REFUSE_1(abs)
DAEDALUS_REFUSE_1(fabs)
DAEDALUS_REFUSE_1(floor)
DAEDALUS_REFUSE_1(ceil)
DAEDALUS_REFUSE_1(round)
DAEDALUS_REFUSE_1(trunc)
DAEDALUS_REFUSE_2(pow)
DAEDALUS_REFUSE_2(atan2)
DAEDALUS_REFUSE_2(hypot)
DAEDALUS_REFUSE_2(fmin)
DAEDALUS_REFUSE_2(fmax)
DAEDALUS_REFUSE_2(fmod)
DAEDALUS_REFUSE_2(copysign)
#undef DAEDALUS_REFUSE_1
#undef DAEDALUS_REFUSE_2

}  // namespace std
