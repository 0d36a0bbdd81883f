// SPDX-License-Identifier: BSD-3-Clause
#include "graph/schedule.hpp"

#include <optional>
#include <unordered_map>

#include "graph/operations.hpp"
#include "graph/reach.hpp"
#include "graph/regions.hpp"

namespace daedalus::graph {
namespace {

constexpr KindSet fixed_kinds =
    kind_bit(InputKind::parameter) | kind_bit(InputKind::mode) | kind_bit(InputKind::previous);

int stage_of(KindSet kinds) {
  if ((kinds & ~fixed_kinds) == 0) return 0;
  return (kinds & ~(fixed_kinds | kind_bit(InputKind::time))) == 0 ? 1 : 2;
}

class Scheduler {
 public:
  Scheduler(const Graph& graph, const std::vector<int>& roots, bool staged)
      : graph_(graph),
        roots_(roots),
        order_(reached(graph, roots)),
        regions_(graph, order_, roots),
        stage_(order_.empty() ? 0 : at(order_.back()) + 1, stage_count - 1),
        done_(stage_.size(), 0),
        walked_(stage_.size(), 0) {
    for (const int i : order_)
      if (graph.node(i).op <= Op::input) done_[at(i)] = 1;
    if (staged) find_stages();
    find_pairs();
  }

  Schedule run() {
    Schedule s;
    std::vector<std::vector<int>> wanted(stage_count);
    // What a later stage reads, in the order of nodes; the last stage ends with the outputs.
    for (const int i : order_)
      for (const int k : graph_.operands(i))
        if (stage_[at(k)] < stage_[at(i)]) wanted[at(stage_[at(k)])].push_back(k);
    for (const int r : roots_) wanted[at(stage_[at(r)])].push_back(r);
    for (int stage = 0; stage < stage_count; ++stage) {
      s.start[at(stage)] = static_cast<int>(steps_.size());
      for (const int node : wanted[at(stage)]) emit(node);
    }
    s.start[stage_count] = static_cast<int>(steps_.size());
    s.steps = std::move(steps_);
    s.order = std::move(order_);
    s.lazy = regions_.any_lazy();
    return s;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // In a branch that may be skipped nothing is taken out to an earlier stage.
  void find_stages() {
    const std::vector<KindSet> kinds = dependence(graph_);
    for (auto i = order_.rbegin(); i != order_.rend(); ++i) {
      const int region = regions_.of(*i);
      stage_[at(*i)] = static_cast<char>(region > 0 ? stage_[at(regions_.owner(region))]
                                                    : stage_of(kinds[at(*i)]));
    }
  }

  // Nodes that the branches of a select need from outside.
  std::vector<int> outside(int select) {
    std::vector<int> found, stack{graph_.node(select).x[1], graph_.node(select).x[2]};
    ++walk_;
    while (!stack.empty()) {
      const int node = stack.back();
      stack.pop_back();
      // Shared nodes once: the paths to them can be as many as 2^depth.
      if (done_[at(node)] || walked_[at(node)] == walk_) continue;
      walked_[at(node)] = walk_;
      if (!regions_.inside(regions_.of(node), select)) {
        found.push_back(node);
        continue;
      }
      for (const int k : graph_.operands(node)) stack.push_back(k);
    }
    return found;
  }

  void emit(int root) {
    struct Visit {
      int node;
      bool expanded;
    };
    std::vector<Visit> stack{{root, false}};
    while (!stack.empty()) {
      const Visit visit = stack.back();
      if (done_[at(visit.node)]) {
        stack.pop_back();
        continue;
      }
      const bool lazy = graph_.node(visit.node).op == Op::select && regions_.is_lazy(visit.node);
      if (visit.expanded) {
        stack.pop_back();
        done_[at(visit.node)] = 1;
        if (lazy)
          emit_choice(visit.node);
        else
          emit_operation(visit.node);
        continue;
      }
      stack.back().expanded = true;
      const auto need = [&](int k) {
        if (!done_[at(k)]) stack.push_back({k, false});
      };
      if (lazy) {
        for (const int k : outside(visit.node)) need(k);
        need(graph_.node(visit.node).x[0]);
      } else {
        const auto operands = graph_.operands(visit.node);
        for (auto k = operands.rbegin(); k != operands.rend(); ++k) need(*k);
      }
    }
  }

  // Sine and cosine of the same value, computed in the same stage and branch.
  void find_pairs() {
    std::unordered_map<int, int> waiting;  // by operand
    for (const int i : order_) {
      const Op op = graph_.node(i).op;
      if (op != Op::sin && op != Op::cos) continue;
      const auto [other, fresh] = waiting.emplace(graph_.node(i).x[0], i);
      if (fresh || stage_[at(other->second)] != stage_[at(i)] ||
          regions_.of(other->second) != regions_.of(i))
        continue;
      partner_[i] = other->second;
      partner_[other->second] = i;
    }
  }

  void emit_operation(int node) {
    const auto put = [this](int i) {
      const Node& n = graph_.node(i);
      steps_.push_back({code_of(n.op), i, n.x[0], n.x[1], n.x[2]});
    };
    const auto pair = partner_.find(node);
    if (pair == partner_.end() || done_[at(pair->second)]) return put(node);
    const bool sine = graph_.node(node).op == Op::sin;
    done_[at(pair->second)] = 1;
    put(sine ? node : pair->second);
    put(sine ? pair->second : node);
  }

  void emit_choice(int node) {
    const Node& n = graph_.node(node);
    const std::size_t choice = steps_.size();
    steps_.push_back({code_of(Code::jump_if_zero), -1, n.x[0]});
    emit(n.x[1]);
    steps_.push_back({code_of(Code::copy), node, n.x[1]});
    const std::size_t leave = steps_.size();
    steps_.push_back({code_of(Code::jump)});
    steps_[choice].d = static_cast<int>(steps_.size());
    emit(n.x[2]);
    steps_.push_back({code_of(Code::copy), node, n.x[2]});
    steps_[leave].d = static_cast<int>(steps_.size());
  }

  const Graph& graph_;
  const std::vector<int>& roots_;
  std::vector<int> order_;
  Regions regions_;
  std::vector<char> stage_, done_;
  std::vector<int> walked_;  // by node: the last walk of outside() that met it
  int walk_ = 0;
  std::unordered_map<int, int> partner_;
  std::vector<Step> steps_;
};

// What an operation on the result of another one becomes, the result being its first or its second
// operand; the order of rounding stays.
std::optional<Code> joined(std::uint16_t inner, std::uint16_t outer, bool first) {
  const bool sum = outer == code_of(Op::add), difference = outer == code_of(Op::subtract);
  if (!sum && !difference && outer != code_of(Op::multiply)) return std::nullopt;
  if (inner == code_of(Op::multiply))
    return sum          ? Code::multiply_add
           : difference ? (first ? Code::multiply_subtract : Code::subtract_product)
                        : Code::multiply_multiply;
  if (inner == code_of(Op::add))
    return sum          ? Code::add_add
           : difference ? (first ? Code::add_subtract : Code::subtract_sum)
                        : Code::add_multiply;
  if (inner == code_of(Op::subtract))
    return sum          ? Code::subtract_add
           : difference ? (first ? Code::subtract_subtract : Code::subtract_difference)
                        : Code::subtract_multiply;
  return std::nullopt;
}

bool is_pair(std::uint16_t code) {
  return code >= code_of(Code::multiply_add) && code <= code_of(Code::subtract_multiply);
}

// A third operation: the codes of a pair lie side by side.
std::optional<Code> joined_to_pair(std::uint16_t pair, std::uint16_t outer, bool first) {
  int which = 0;
  if (outer == code_of(Op::subtract))
    which = first ? 1 : 2;
  else if (outer == code_of(Op::multiply))
    which = 3;
  else if (outer != code_of(Op::add))
    return std::nullopt;
  return static_cast<Code>(code_of(Code::multiply_add_then_add) +
                           4 * (pair - code_of(Code::multiply_add)) + which);
}

// Joins a step to the one before it, which was computed for it alone.
bool join(Step& before, const Step& step, const std::vector<int>& uses, bool all) {
  const bool jumps =
      before.code == code_of(Code::jump) || before.code == code_of(Code::jump_if_zero);
  if (jumps || uses[static_cast<std::size_t>(before.d)] != 1) return false;
  if (all && step.code == code_of(Op::assertion) && before.d == step.a &&
      before.code >= code_of(Op::less) && before.code <= code_of(Op::greater_equal)) {
    const int which = before.code - code_of(Op::less);
    before = {static_cast<std::uint16_t>(code_of(Code::assert_less) + which),
              step.d,
              before.a,
              before.b,
              step.c,
              step.b};
    return true;
  }
  if ((before.d != step.a && before.d != step.b) || before.d == step.c) return false;
  const bool first = before.d == step.a, third = all && is_pair(before.code);
  if (!third && before.code > code_of(Op::multiply)) return false;
  const auto code =
      third ? joined_to_pair(before.code, step.code, first) : joined(before.code, step.code, first);
  if (!code) return false;
  before.code = code_of(*code);
  (third ? before.e : before.c) = first ? step.b : step.a;
  before.d = step.d;
  return true;
}

void fuse(const Graph& graph, const std::vector<int>& roots, bool all, Schedule& s) {
  std::vector<int> uses(static_cast<std::size_t>(graph.size()), 0);
  for (const int i : s.order)
    for (const int k : graph.operands(i)) ++uses[static_cast<std::size_t>(k)];
  for (const int r : roots) uses[static_cast<std::size_t>(r)] += 2;
  // Where jumps and stages begin the step before is not always the one that ran before.
  std::vector<char> barrier(s.steps.size() + 1, 0);
  const auto is_jump = [](const Step& t) {
    return t.code == code_of(Code::jump) || t.code == code_of(Code::jump_if_zero);
  };
  for (const int start : s.start) barrier[static_cast<std::size_t>(start)] = 1;
  for (const Step& t : s.steps)
    if (is_jump(t)) barrier[static_cast<std::size_t>(t.d)] = 1;
  std::vector<Step> fused;
  fused.reserve(s.steps.size());
  std::vector<int> place(s.steps.size() + 1);
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    place[i] = static_cast<int>(fused.size());
    if (barrier[i] || fused.empty() || !join(fused.back(), s.steps[i], uses, all))
      fused.push_back(s.steps[i]);
  }
  place.back() = static_cast<int>(fused.size());
  for (Step& t : fused)
    if (is_jump(t)) t.d = place[static_cast<std::size_t>(t.d)];
  for (int& start : s.start) start = place[static_cast<std::size_t>(start)];
  s.steps = std::move(fused);
}

}  // namespace

Schedule schedule(const Graph& graph, const std::vector<int>& roots, ScheduleOptions options) {
  Schedule s = Scheduler(graph, roots, options.staged).run();
  if (options.fuse != Fuse::none) fuse(graph, roots, options.fuse == Fuse::all, s);
  return s;
}

}  // namespace daedalus::graph
