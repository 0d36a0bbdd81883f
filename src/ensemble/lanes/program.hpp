// SPDX-License-Identifier: BSD-3-Clause
// One attempted step of a trajectory as straight code: an expression graph in the order of its
// nodes, without branches, so that any number of trajectories run it side by side. It is
// interpreted over lanes (lanes/interpret.hpp) or made into machine code (lanes/machine_code.hpp);
// both do the same operations in the same order, and a lane knows nothing of its neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::lanes {

struct Instruction {
  std::uint16_t op;                 // graph::Op, or copy
  std::int32_t d, a, b = 0, c = 0;  // slots
};
inline constexpr auto copy_op = static_cast<std::uint16_t>(graph::Op::count_of_ops);

// Slots: constants, inputs, parameters, results, what depends on parameters alone, temporaries.
// Every slot is written once per run, but for inputs, which results may replace at the end.
struct Program {
  std::vector<double> constants;
  int inputs = 0, parameters = 0, results = 0, kept = 0, temporaries = 0;
  std::vector<Instruction> prologue;  // once for new parameters
  std::vector<Instruction> body;

  int first_input() const { return static_cast<int>(constants.size()); }
  int first_parameter() const { return first_input() + inputs; }
  int first_result() const { return first_parameter() + parameters; }
  int first_kept() const { return first_result() + results; }
  int first_temporary() const { return first_kept() + kept; }
  int slots() const { return first_temporary() + temporaries; }
};

// Inputs are those of kind `state`, by number. With `replace` result k becomes input k at the end;
// results behind the inputs do not.
Program compile(graph::Graph& graph, const std::vector<Expr>& results, int inputs, int parameters,
                bool replace);

// The same with temporaries that share slots, for interpreters: less memory to go through.
Program with_shared_slots(const Program& program);

// Formulas of one graph over other inputs, as formulas of another graph.
class Transplant {
 public:
  Transplant(const graph::Graph& from, const std::vector<Expr>& roots);
  // `state` and `time` take the place of the inputs; parameters stay those of the same number.
  std::vector<Expr> operator()(graph::Graph& to, const Expr& time,
                               const std::vector<Expr>& state) const;

 private:
  const graph::Graph& from_;
  std::vector<Expr> roots_;
  std::vector<int> order_;
};

}  // namespace daedalus::lanes
