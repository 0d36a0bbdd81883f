// SPDX-License-Identifier: BSD-3-Clause
// The interpreter over lanes, for the files that instantiate it for an instruction set
// (DAEDALUS_LANES_SET: its name). Everything here has internal linkage: code for one processor must
// not stand in for that of another.
#pragma once

#include "ensemble/lanes/interpret.hpp"
#include "ensemble/lanes/pack.hpp"

namespace daedalus::lanes::DAEDALUS_LANES_SET {
namespace {

using graph::Op;

template <int W>
inline Real<W> truth(auto comparison) {
  return blend<W>(comparison, spread<W>(1.0), spread<W>(0.0));
}

template <int W>
inline Real<W> vector_sqrt(Real<W> x) {
  for (int i = 0; i < W; ++i) lane<W>(x, i) = __builtin_sqrt(lane<W>(x, i));
  return x;
}

template <int W>
void run(const Instruction* i, const Instruction* last, double* w) {
  const auto slot = [w](std::int32_t s) -> Real<W>& {
    return *reinterpret_cast<Real<W>*>(w + static_cast<std::ptrdiff_t>(s) * W);
  };
  for (; i != last; ++i) {
    const Real<W> a = slot(i->a);
#define DAEDALUS_BINARY(name, value)           \
  case static_cast<std::uint16_t>(Op::name): { \
    const Real<W> b = slot(i->b);              \
    slot(i->d) = value;                        \
    break;                                     \
  }
    switch (i->op) {
      DAEDALUS_BINARY(add, a + b)
      DAEDALUS_BINARY(subtract, a - b)
      DAEDALUS_BINARY(multiply, a * b)
      DAEDALUS_BINARY(divide, a / b)
      DAEDALUS_BINARY(min, blend<W>(b < a, b, a))
      DAEDALUS_BINARY(max, blend<W>(a < b, b, a))
      DAEDALUS_BINARY(less, truth<W>(a < b))
      DAEDALUS_BINARY(less_equal, truth<W>(a <= b))
      DAEDALUS_BINARY(greater, truth<W>(a > b))
      DAEDALUS_BINARY(greater_equal, truth<W>(a >= b))
      DAEDALUS_BINARY(equal, truth<W>(a == b))
      DAEDALUS_BINARY(not_equal, truth<W>(a != b))
      DAEDALUS_BINARY(logical_and, truth<W>((a != 0.0) & (b != 0.0)))
      DAEDALUS_BINARY(logical_or, truth<W>((a != 0.0) | (b != 0.0)))
      DAEDALUS_BINARY(select, blend<W>(a != 0.0, b, slot(i->c)))
#undef DAEDALUS_BINARY
      case static_cast<std::uint16_t>(Op::negate):
        slot(i->d) = -a;
        break;
      case static_cast<std::uint16_t>(Op::abs):
        slot(i->d) = from_bits<W>(bits_of<W>(a) & spread_whole<W>(INT64_MAX));
        break;
      case static_cast<std::uint16_t>(Op::logical_not):
        slot(i->d) = truth<W>(a == 0.0);
        break;
      case static_cast<std::uint16_t>(Op::sqrt):
        slot(i->d) = vector_sqrt<W>(a);
        break;
      case static_cast<std::uint16_t>(Op::exp):
        slot(i->d) = vector_exp<W>(a);
        break;
      case static_cast<std::uint16_t>(Op::log):
        slot(i->d) = vector_log<W>(a);
        break;
      case static_cast<std::uint16_t>(Op::sin):
        slot(i->d) = vector_wave<W>(a, 0);
        break;
      case static_cast<std::uint16_t>(Op::cos):
        slot(i->d) = vector_wave<W>(a, 1);
        break;
      case copy_op:
        slot(i->d) = a;
        break;
      default:
        lane_by_lane(i->op, w + static_cast<std::ptrdiff_t>(i->d) * W,
                     w + static_cast<std::ptrdiff_t>(i->a) * W,
                     w + static_cast<std::ptrdiff_t>(i->b) * W, W);
    }
  }
}

template <int W, Real<W> (*F)(Real<W>)>
void on_slot(double* d, const double* a) {
  *reinterpret_cast<Real<W>*>(d) = F(*reinterpret_cast<const Real<W>*>(a));
}
template <int W>
Real<W> vector_sin(Real<W> x) {
  return vector_wave<W>(x, 0);
}
template <int W>
Real<W> vector_cos(Real<W> x) {
  return vector_wave<W>(x, 1);
}

template <int W>
Functions functions_of() {
  return {W,
          run<W>,
          on_slot<W, vector_exp<W>>,
          on_slot<W, vector_log<W>>,
          on_slot<W, vector_sin<W>>,
          on_slot<W, vector_cos<W>>};
}

}  // namespace
}  // namespace daedalus::lanes::DAEDALUS_LANES_SET
