// SPDX-License-Identifier: BSD-3-Clause
// The order in which nodes are computed. Steps name values by their nodes; slots come later.
//
// Stages: 0 depends on parameters, modes and previous values alone, 1 on time as well, 2 on
// everything else. What is invariant is computed once and kept. Where sine and cosine of the same
// value are needed the cosine is the step right after the sine: one call gives both.
#pragma once

#include <array>
#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

// What depends on parameters and modes alone, on time as well, on the state.
inline constexpr int stage_count = 3;

// Two operations in one step, in the order of their rounding, on a, b, c: name and value.
#define DAEDALUS_GRAPH_PAIRS(X)       \
  X(multiply_add, a* b + c)           \
  X(multiply_subtract, a* b - c)      \
  X(subtract_product, c - a * b)      \
  X(multiply_multiply, a* b* c)       \
  X(add_add, a + b + c)               \
  X(add_subtract, a + b - c)          \
  X(subtract_sum, c - (a + b))        \
  X(add_multiply, (a + b) * c)        \
  X(subtract_add, a - b + c)          \
  X(subtract_subtract, a - b - c)     \
  X(subtract_difference, c - (a - b)) \
  X(subtract_multiply, (a - b) * c)

// Operations keep their numbers; these come on top.
enum class Code : std::uint16_t {
  copy = static_cast<std::uint16_t>(Op::count_of_ops),
  jump,
  jump_if_zero,
  assert_less,  // an assertion of a relation of a and b: c its number, e the value
  assert_less_equal,
  assert_greater,
  assert_greater_equal,
#define DAEDALUS_GRAPH_X(name, value) name,
  DAEDALUS_GRAPH_PAIRS(DAEDALUS_GRAPH_X)
#undef DAEDALUS_GRAPH_X
// A third operation on the result of a pair r: r + e, r - e, e - r, r*e.
#define DAEDALUS_GRAPH_X(name, value) \
  name##_then_add, name##_then_subtract, name##_then_subtract_from, name##_then_multiply,
      DAEDALUS_GRAPH_PAIRS(DAEDALUS_GRAPH_X)
#undef DAEDALUS_GRAPH_X
          end,
  count_of_codes
};
constexpr std::uint16_t code_of(Op op) { return static_cast<std::uint16_t>(op); }
constexpr std::uint16_t code_of(Code code) { return static_cast<std::uint16_t>(code); }

// c of these is the number of the assertion.
constexpr bool is_assertion(std::uint16_t code) {
  return code == code_of(Op::assertion) ||
         (code >= code_of(Code::assert_less) && code <= code_of(Code::assert_greater_equal));
}

struct Step {
  std::uint16_t code;
  std::int32_t d = -1, a = -1, b = -1, c = -1;  // jumps: d is the number of the step to go to
  std::int32_t e = -1;                          // of steps of three operations
};

struct Schedule {
  std::vector<Step> steps;
  std::array<int, stage_count + 1> start{};  // first step of each stage, then the end
  std::vector<int> order;                    // nodes in use, operands first
  bool lazy = false;                         // there are jumps
};

// Fused steps are for interpreters: fewer, longer instructions.
enum class Fuse { none, pairs, all };  // all: steps with the operand e as well

// `roots` must stay known to the end. With one stage everything is in stage 2.
struct ScheduleOptions {
  bool staged = true;
  Fuse fuse = Fuse::all;
};
Schedule schedule(const Graph& graph, const std::vector<int>& roots, ScheduleOptions options);

}  // namespace daedalus::graph
