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

// Operations keep their numbers; these come on top.
enum class Code : std::uint16_t {
  copy = static_cast<std::uint16_t>(Op::count_of_ops),
  jump,
  jump_if_zero,
  multiply_add,         // a*b + c, rounded twice
  multiply_subtract,    // a*b - c
  subtract_product,     // c - a*b
  multiply_multiply,    // a*b*c
  add_add,              // a + b + c
  add_subtract,         // a + b - c
  subtract_sum,         // c - (a + b)
  add_multiply,         // (a + b)*c
  subtract_add,         // a - b + c
  subtract_subtract,    // a - b - c
  subtract_difference,  // c - (a - b)
  subtract_multiply,    // (a - b)*c
  end,
  count_of_codes
};
constexpr std::uint16_t code_of(Op op) { return static_cast<std::uint16_t>(op); }
constexpr std::uint16_t code_of(Code code) { return static_cast<std::uint16_t>(code); }

struct Step {
  std::uint16_t code;
  std::int32_t d = -1, a = -1, b = -1, c = -1;  // jumps: d is the number of the step to go to
};

struct Schedule {
  std::vector<Step> steps;
  std::array<int, stage_count + 1> start{};  // first step of each stage, then the end
  std::vector<int> order;                    // nodes in use, operands first
  bool lazy = false;                         // there are jumps
};

// `roots` must stay known to the end. With one stage everything is in stage 2. Fused steps are for
// interpreters: fewer, longer instructions.
struct ScheduleOptions {
  bool staged = true;
  bool fuse = true;
};
Schedule schedule(const Graph& graph, const std::vector<int>& roots, ScheduleOptions options);

}  // namespace daedalus::graph
