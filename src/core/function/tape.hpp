// SPDX-License-Identifier: BSD-3-Clause
// What a callable does, line by line, apart from the numbers it does it with: operations in the
// order in which they were made, constants by their place. A callable that captures parameters as
// plain numbers gives the same lines with other constants for other parameters, and finding these
// (a replay) costs no more than an evaluation. Comparisons are lines with an outcome, as guards.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <daedalus/graph.hpp>
#include <daedalus/recorded.hpp>

namespace daedalus {

class Tape {
 public:
  // Operands: a line, or constant k as -1 - k; `none` of operations with one operand.
  static constexpr std::int32_t none = INT32_MAX;
  struct Line {
    graph::Op op;
    std::int32_t a, b;  // of an input its kind and number
    bool operator==(const Line&) const = default;
  };
  struct Guard {
    std::int32_t line;
    bool outcome;
    bool operator==(const Guard&) const = default;
  };

  Recorded input(Recording& recording, graph::InputKind kind, int number, double value);
  // The next line; during a replay it is compared with the one that is there.
  Recorded add(Recording& recording, graph::Op op, const Recorded& a, double value);
  Recorded add(Recording& recording, graph::Op op, const Recorded& a, const Recorded& b,
               double value);
  void guard(const Recorded& condition, bool outcome);
  void output(const Recorded& x);

  // From here on the callables are played again; same() tells whether they did the same.
  void rewind();
  bool same() const;
  // The constants in their order; of the last recording or replay.
  const std::vector<double>& constants() const { return constants_; }

  // Outputs and guard conditions over expressions: inputs by kind and number, constants by place.
  struct Formulas {
    std::vector<Expr> outputs;
    std::vector<Expr> guards;  // not zero where they hold
  };
  Formulas formulas(graph::Graph& graph, const std::function<Expr(graph::InputKind, int)>& input_of,
                    const std::function<Expr(int)>& constant_of) const;

 private:
  std::int32_t place(const Recorded& x);
  Recorded next(Recording& recording, const Line& line, double value);

  std::vector<Line> lines_;
  std::vector<Guard> guards_;
  std::vector<std::int32_t> outputs_;
  std::vector<double> constants_;
  std::size_t line_ = 0, guard_ = 0, output_ = 0, constant_count_ = 0;
  bool replays_ = false, differs_ = false;
};

}  // namespace daedalus
