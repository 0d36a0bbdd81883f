// SPDX-License-Identifier: BSD-3-Clause
#include "function/tape.hpp"

#include "function/recording.hpp"
#include "graph/operations.hpp"

namespace daedalus {

std::int32_t Tape::place(const Recorded& x) {
  if (x.recording) return x.node;
  constants_.push_back(x.v);
  return -static_cast<std::int32_t>(constants_.size());
}

Recorded Tape::next(Recording& recording, const Line& line, double value) {
  const auto at = static_cast<int>(line_++);
  if (!replays_)
    lines_.push_back(line);
  else if (line_ > lines_.size() || !(lines_[line_ - 1] == line))
    differs_ = true;
  return {value, &recording, at};
}

Recorded Tape::input(Recording& recording, graph::InputKind kind, int number, double value) {
  return next(recording, {graph::Op::input, static_cast<std::int32_t>(kind), number}, value);
}

Recorded Tape::add(Recording& recording, graph::Op op, const Recorded& a, double value) {
  return next(recording, {op, place(a), none}, value);
}

Recorded Tape::add(Recording& recording, graph::Op op, const Recorded& a, const Recorded& b,
                   double value) {
  const std::int32_t first = place(a), second = place(b);
  return next(recording, {op, first, second}, value);
}

void Tape::guard(const Recorded& condition, bool outcome) {
  const Guard g{condition.node, outcome};
  if (!replays_)
    guards_.push_back(g);
  else if (guard_ >= guards_.size() || !(guards_[guard_] == g))
    differs_ = true;
  ++guard_;
}

void Tape::output(const Recorded& x) {
  const std::int32_t p = place(x);
  if (!replays_)
    outputs_.push_back(p);
  else if (output_ >= outputs_.size() || outputs_[output_] != p)
    differs_ = true;
  ++output_;
}

void Tape::rewind() {
  if (!replays_) constant_count_ = constants_.size();
  replays_ = true;
  differs_ = false;
  line_ = guard_ = output_ = 0;
  constants_.clear();
}

bool Tape::same() const {
  return !replays_ || (!differs_ && line_ == lines_.size() && guard_ == guards_.size() &&
                       output_ == outputs_.size() && constants_.size() == constant_count_);
}

Tape::Formulas Tape::formulas(graph::Graph& graph,
                              const std::function<Expr(graph::InputKind, int)>& input_of,
                              const std::function<Expr(int)>& constant_of) const {
  std::vector<Expr> value;
  value.reserve(lines_.size());
  const auto of = [&](std::int32_t p) {
    return p >= 0 ? value[static_cast<std::size_t>(p)] : constant_of(-1 - p);
  };
  for (const Line& l : lines_) {
    if (l.op == graph::Op::input)
      value.push_back(input_of(static_cast<graph::InputKind>(l.a), l.b));
    else if (l.b == none)
      value.push_back(graph.make(l.op, of(l.a)));
    else
      value.push_back(graph.make(l.op, of(l.a), of(l.b)));
  }
  Formulas result;
  for (const std::int32_t p : outputs_) result.outputs.push_back(of(p));
  for (const Guard& g : guards_) {
    const Expr& condition = value[static_cast<std::size_t>(g.line)];
    result.guards.push_back(g.outcome ? condition : !condition);
  }
  return result;
}

}  // namespace daedalus
