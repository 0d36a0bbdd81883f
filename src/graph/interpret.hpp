// SPDX-License-Identifier: BSD-3-Clause
// The loop of the interpreter, for the files that instantiate it. Every operation ends in a jump to
// the next one (labels as values), which lets the processor predict each of them by its place.
#pragma once

#include <cmath>

#include "graph/interpreter.hpp"
#include "graph/lifted.hpp"
#include "graph/numbers.hpp"

namespace daedalus::graph {

// Operations without side effects: name, value from a, b, c over any number type.
#define DAEDALUS_GRAPH_BEFORE_SIN(X) \
  X(add, a + b)                      \
  X(subtract, a - b)                 \
  X(multiply, a* b)                  \
  X(divide, a / b)                   \
  X(negate, -a)                      \
  X(power, pow(a, b))                \
  X(sqrt, sqrt(a))                   \
  X(cbrt, cbrt(a))                   \
  X(exp, exp(a))                     \
  X(exp2, number_exp2(a))            \
  X(expm1, expm1(a))                 \
  X(log, log(a))                     \
  X(log2, number_log2(a))            \
  X(log10, number_log10(a))          \
  X(log1p, log1p(a))
#define DAEDALUS_GRAPH_AFTER_SIN(X)                                       \
  X(cos, cos(a))                                                          \
  X(tan, tan(a))                                                          \
  X(asin, asin(a))                                                        \
  X(acos, acos(a))                                                        \
  X(atan, atan(a))                                                        \
  X(sinh, sinh(a))                                                        \
  X(cosh, cosh(a))                                                        \
  X(tanh, tanh(a))                                                        \
  X(asinh, number_asinh(a))                                               \
  X(acosh, number_acosh(a))                                               \
  X(atanh, number_atanh(a))                                               \
  X(erf, erf(a))                                                          \
  X(erfc, number_erfc(a))                                                 \
  X(abs, number_abs(a))                                                   \
  X(sign, number_sign(a))                                                 \
  X(floor, floor(a))                                                      \
  X(ceil, ceil(a))                                                        \
  X(round, round(a))                                                      \
  X(trunc, number_trunc(a))                                               \
  X(atan2, atan2(a, b))                                                   \
  X(hypot, hypot(a, b))                                                   \
  X(mod, number_mod(a, b))                                                \
  X(copysign, number_copysign(a, b))                                      \
  X(min, number_min(a, b))                                                \
  X(max, number_max(a, b))                                                \
  X(less, S(value_of(a) < value_of(b) ? 1.0 : 0.0))                       \
  X(less_equal, S(value_of(a) <= value_of(b) ? 1.0 : 0.0))                \
  X(greater, S(value_of(a) > value_of(b) ? 1.0 : 0.0))                    \
  X(greater_equal, S(value_of(a) >= value_of(b) ? 1.0 : 0.0))             \
  X(equal, S(value_of(a) == value_of(b) ? 1.0 : 0.0))                     \
  X(not_equal, S(value_of(a) != value_of(b) ? 1.0 : 0.0))                 \
  X(logical_and, S(value_of(a) != 0.0 && value_of(b) != 0.0 ? 1.0 : 0.0)) \
  X(logical_or, S(value_of(a) != 0.0 || value_of(b) != 0.0 ? 1.0 : 0.0))  \
  X(logical_not, S(value_of(a) == 0.0 ? 1.0 : 0.0))                       \
  X(select, value_of(a) != 0.0 ? b : c)                                   \
  X(no_event, a)
#define DAEDALUS_GRAPH_OPERATIONS(X) \
  DAEDALUS_GRAPH_BEFORE_SIN(X) X(sin, sin(a)) DAEDALUS_GRAPH_AFTER_SIN(X)
#define DAEDALUS_GRAPH_USING                                                                    \
  using std::acos, std::asin, std::atan, std::atan2, std::cbrt, std::ceil, std::cos, std::cosh, \
      std::erf, std::exp, std::expm1, std::floor, std::hypot, std::log, std::log1p, std::pow,   \
      std::round, std::sin, std::sinh, std::sqrt, std::tan, std::tanh

template <class S>
S external_value(const Instructions& code, const Instruction& i, const S* w) {
  std::array<S, max_external_arguments> x{};
  for (int k = 0; k < i.b; ++k)
    x[static_cast<std::size_t>(k)] = w[code.arguments[static_cast<std::size_t>(i.a + k)]];
  return lifted(ExternalSource{code.externals[static_cast<std::size_t>(i.c)].get()}, x.data(), i.b);
}

template <class S>
S table_value(const Instructions& code, const Instruction& i, const S* w) {
  const LookUp& l = code.look_ups[static_cast<std::size_t>(i.c)];
  const S x[2] = {w[i.a], i.b < 0 ? S(0.0) : w[i.b]};
  return lifted(TableSource{l.table.get(), l.order}, x, i.b < 0 ? 1 : 2);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"  // labels as values
template <class S>
int interpret(const Instructions& code, int first, S* w) {
  DAEDALUS_GRAPH_USING;
#define X(name, value) &&op_##name,
#define Y(name, value)                                                                   \
  &&op_##name##_then_add, &&op_##name##_then_subtract, &&op_##name##_then_subtract_from, \
      &&op_##name##_then_multiply,
  // In the order of Op and Code; constants and inputs are no instructions.
  static const void* const labels[] = {&&op_end,
                                       &&op_end,
                                       DAEDALUS_GRAPH_OPERATIONS(X) && op_assertion,
                                       &&op_table,
                                       &&op_external,
                                       &&op_copy,
                                       &&op_jump,
                                       &&op_jump_if_zero,
                                       &&op_assert_less,
                                       &&op_assert_less_equal,
                                       &&op_assert_greater,
                                       &&op_assert_greater_equal,
                                       DAEDALUS_GRAPH_PAIRS(X) DAEDALUS_GRAPH_PAIRS(Y) && op_end};
#undef X
#undef Y
  static_assert(sizeof labels / sizeof labels[0] == static_cast<std::size_t>(Code::count_of_codes));
  const Instruction* const list = code.list.data();
  const Instruction* const stop = list + code.list.size() - 1;
  const Instruction* i = list + first;
  const void* const* table = labels;
  asm("" : "+r"(table));  // stays in a register; otherwise its address is read for every jump
#define DAEDALUS_GRAPH_NEXT goto* table[i->code]
  DAEDALUS_GRAPH_NEXT;
#define X(name, value)                                                 \
  op_##name : {                                                        \
    [[maybe_unused]] const S &a = w[i->a], &b = w[i->b], &c = w[i->c]; \
    w[i->d] = value;                                                   \
    ++i;                                                               \
    DAEDALUS_GRAPH_NEXT;                                               \
  }
  DAEDALUS_GRAPH_BEFORE_SIN(X)
  DAEDALUS_GRAPH_AFTER_SIN(X)
  DAEDALUS_GRAPH_PAIRS(X)
#undef X
#define T(label, value)                                             \
  op_##label : {                                                    \
    const S &a = w[i->a], &b = w[i->b], &c = w[i->c], &e = w[i->e]; \
    w[i->d] = value;                                                \
    ++i;                                                            \
    DAEDALUS_GRAPH_NEXT;                                            \
  }
#define X(name, value)                      \
  T(name##_then_add, (value) + e)           \
  T(name##_then_subtract, (value)-e)        \
  T(name##_then_subtract_from, e - (value)) \
  T(name##_then_multiply, (value)*e)
  DAEDALUS_GRAPH_PAIRS(X)
#undef X
#undef T
#define X(name, relation)                                                              \
  op_assert_##name : if (!(value_of(w[i->a]) relation value_of(w[i->b]))) return i->c; \
  w[i->d] = w[i->e];                                                                   \
  ++i;                                                                                 \
  DAEDALUS_GRAPH_NEXT;
  X(less, <)
  X(less_equal, <=)
  X(greater, >)
  X(greater_equal, >=)
#undef X
op_sin:
  // With d == a the next one reads the sine.
  if (i[1].code == code_of(Op::cos) && i[1].a == i->a && i->d != i->a) {
    const S x = w[i->a];  // its slot may be that of the cosine
    sine_cosine(x, w[i->d], w[i[1].d]);
    i += 2;
  } else {
    w[i->d] = sin(w[i->a]);
    ++i;
  }
  DAEDALUS_GRAPH_NEXT;
op_assertion:
  if (!(value_of(w[i->a]) != 0.0)) return i->c;
  w[i->d] = w[i->b];
  ++i;
  DAEDALUS_GRAPH_NEXT;
op_table:
  w[i->d] = table_value(code, *i, w);
  ++i;
  DAEDALUS_GRAPH_NEXT;
op_external:
  w[i->d] = external_value(code, *i, w);
  ++i;
  DAEDALUS_GRAPH_NEXT;
op_copy:
  w[i->d] = w[i->a];
  ++i;
  DAEDALUS_GRAPH_NEXT;
op_jump:
  i = list + i->d;
  DAEDALUS_GRAPH_NEXT;
op_jump_if_zero:
  i = value_of(w[i->a]) != 0.0 ? i + 1 : list + i->d;
  DAEDALUS_GRAPH_NEXT;
op_end:
  if (i == stop) return -1;
  ++i;  // the next stage
  DAEDALUS_GRAPH_NEXT;
#undef DAEDALUS_GRAPH_NEXT
}
#pragma GCC diagnostic pop

template <class S>
void block_operation(std::uint16_t code, S* d, const S* pa, const S* pb, const S* pc, int n) {
  DAEDALUS_GRAPH_USING;
#define X(name, value)                                          \
  case code_of(Op::name):                                       \
    for (int i = 0; i < n; ++i) {                               \
      [[maybe_unused]] const S a = pa[i], b = pb[i], c = pc[i]; \
      d[i] = value;                                             \
    }                                                           \
    break;
#define Y(name, value)                         \
  case code_of(Code::name):                    \
    for (int i = 0; i < n; ++i) {              \
      const S a = pa[i], b = pb[i], c = pc[i]; \
      d[i] = value;                            \
    }                                          \
    break;
  switch (code) {
    DAEDALUS_GRAPH_OPERATIONS(X)
    DAEDALUS_GRAPH_PAIRS(Y)
    default:
      for (int i = 0; i < n; ++i) d[i] = pa[i];  // copy
  }
#undef X
#undef Y
}

}  // namespace daedalus::graph
