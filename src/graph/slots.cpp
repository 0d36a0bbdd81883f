// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "graph/operations.hpp"
#include "graph/program.hpp"

namespace daedalus::graph {
namespace {

constexpr int forever = std::numeric_limits<int>::max();

bool is_jump(const Step& s) {
  return s.code == code_of(Code::jump) || s.code == code_of(Code::jump_if_zero);
}

// Calls f(node) for every value that a step reads.
template <class F>
void for_reads(const Graph& graph, const Step& s, F&& f) {
  if (s.code == code_of(Code::jump)) return;
  if (s.code == code_of(Op::external)) {
    for (const int k : graph.operands(s.d)) f(k);
    return;
  }
  f(s.a);
  if (s.b >= 0) f(s.b);
  if (s.c >= 0 && !is_assertion(s.code) && s.code != code_of(Op::table)) f(s.c);
  if (s.e >= 0) f(s.e);
}

class SlotAllocator {
 public:
  SlotAllocator(const Graph& graph, const Schedule& schedule, const std::vector<int>& inputs,
                const std::vector<int>& roots, std::vector<int>& slot)
      : graph_(graph), schedule_(schedule), slot_(slot), last_(graph_size(), -1) {
    slot_.assign(graph_size(), -1);
    for (const int i : schedule.order)
      if (graph.node(i).op == Op::constant) {
        slot_[at(i)] = static_cast<int>(out_.constants.size());
        out_.constants.push_back(graph.constant_value(i));
      }
    out_.inputs = static_cast<int>(inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k)
      slot_[at(inputs[k])] = out_.first_input() + static_cast<int>(k);
    out_.slots = out_.first_input() + out_.inputs;
    for (const int r : roots)
      if (slot_[at(r)] < 0) slot_[at(r)] = out_.slots++;
    out_.lazy = schedule.lazy;
    find_last_reads(roots);
  }

  Instructions run(bool reuse) {
    std::vector<int> place(schedule_.steps.size() + 1);  // instruction of each step
    for (int stage = 0; stage < stage_count; ++stage) {
      out_.start[at(stage)] = static_cast<int>(out_.list.size());
      const int last = schedule_.start[at(stage) + 1];
      for (int i = schedule_.start[at(stage)]; i < last; ++i) {
        place[at(i)] = static_cast<int>(out_.list.size());
        add(i, reuse);
      }
      place[at(last)] = static_cast<int>(out_.list.size());
      out_.list.push_back({code_of(Code::end), 0, 0, 0, 0, 0});
      // A jump to the end of a stage goes to its last instruction.
      for (std::size_t k = at(out_.start[at(stage)]); k < out_.list.size(); ++k) {
        Instruction& n = out_.list[k];
        if (n.code == code_of(Code::jump) || n.code == code_of(Code::jump_if_zero))
          n.d = place[at(n.d)];
      }
    }
    return std::move(out_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::size_t graph_size() const { return at(graph_.size()); }

  void find_last_reads(const std::vector<int>& roots) {
    std::vector<char> stage(graph_size(), -1);
    for (int s = 0; s < stage_count; ++s)
      for (int i = schedule_.start[at(s)]; i < schedule_.start[at(s) + 1]; ++i) {
        const Step& step = schedule_.steps[at(i)];
        for_reads(graph_, step, [&](int k) {
          if (last_[at(k)] != forever) last_[at(k)] = i;
          if (stage[at(k)] >= 0 && stage[at(k)] != s) last_[at(k)] = forever;
        });
        if (!is_jump(step)) stage[at(step.d)] = static_cast<char>(s);
      }
    for (const int r : roots) last_[at(r)] = forever;
  }

  int take(int node) {
    int& s = slot_[at(node)];
    if (s >= 0) return s;
    if (free_.empty()) return s = out_.slots++;
    s = free_.back();
    free_.pop_back();
    return s;
  }

  void add(int i, bool reuse) {
    const Step& step = schedule_.steps[at(i)];
    const auto slot = [&](int node) { return node < 0 ? 0 : slot_[at(node)]; };
    Instruction n{step.code, step.d, slot(step.a), 0, 0, slot(step.e)};
    if (step.code == code_of(Code::jump)) n.a = 0;
    if (step.code == code_of(Op::external)) {
      n.a = static_cast<int>(out_.arguments.size());
      for (const int k : graph_.operands(step.d)) out_.arguments.push_back(slot(k));
      n.b = static_cast<int>(out_.arguments.size()) - n.a;
      n.c = static_cast<int>(out_.externals.size());
      out_.externals.push_back(GraphAccess::external(graph_, step.d));
    } else if (step.code == code_of(Op::table)) {
      n.b = step.b < 0 ? -1 : slot(step.b);
      n.c = static_cast<int>(out_.look_ups.size());
      out_.look_ups.push_back(GraphAccess::look_up(graph_, step.d));
    } else if (!is_jump(step)) {
      n.b = slot(step.b);
      n.c = is_assertion(step.code) ? step.c : slot(step.c);
    }
    if (reuse)
      for_reads(graph_, step, [&](int k) {
        if (last_[at(k)] == i && graph_.node(k).op > Op::input) {
          free_.push_back(slot_[at(k)]);
          last_[at(k)] = -2;
        }
      });
    if (!is_jump(step)) n.d = take(step.d);
    out_.list.push_back(n);
  }

  const Graph& graph_;
  const Schedule& schedule_;
  std::vector<int>& slot_;
  std::vector<int> last_, free_;
  Instructions out_;
};

}  // namespace

Instructions allocate_slots(const Graph& graph, const Schedule& schedule,
                            const std::vector<int>& inputs, const std::vector<int>& roots,
                            bool reuse, std::vector<int>& slot) {
  return SlotAllocator(graph, schedule, inputs, roots, slot).run(reuse);
}

}  // namespace daedalus::graph
