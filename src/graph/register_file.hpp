// SPDX-License-Identifier: BSD-3-Clause
// Which slot is in which register: loads on demand, evicts what is needed last. For straight code
// in which every slot is written once. Knows no machine.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "graph/operations.hpp"
#include "graph/program.hpp"

namespace daedalus::graph {

// Calls f(slot) for every slot that an instruction reads.
template <class F>
void for_slots_read(const Instructions& code, const Instruction& n, F&& f);

// For each slot the instructions that read it, in order.
class NextUse {
 public:
  static constexpr int never = std::numeric_limits<int>::max();

  NextUse(const Instructions& code, int first, int last);
  // The first instruction from `from` on that reads the slot; asked with growing `from`.
  int operator()(int slot, int from) {
    int& p = position_[static_cast<std::size_t>(slot)];
    const int end = head_[static_cast<std::size_t>(slot) + 1];
    while (p < end && uses_[static_cast<std::size_t>(p)] < from) ++p;
    return p < end ? uses_[static_cast<std::size_t>(p)] : never;
  }

 private:
  std::vector<int> head_, uses_, position_;
};

class RegisterFile {
 public:
  static constexpr int registers = 15;  // of 16; the last one is for the emitter itself

  RegisterFile(int slots, int first_result, NextUse& next)
      : first_result_(first_result),
        next_(next),
        in_(static_cast<std::size_t>(slots), -1),
        stored_(static_cast<std::size_t>(slots), 0) {
    holds_.fill(-1);
  }
  virtual ~RegisterFile() = default;

  int find(int slot) const { return in_[static_cast<std::size_t>(slot)]; }
  // The register of a slot, loaded if need be; `keep` is not evicted for it.
  int load(int slot, int instruction, int keep = -1) {
    if (find(slot) >= 0) return find(slot);
    const int r = take(instruction, slot, keep);
    emit_load(r, slot);
    bind(r, slot);
    return r;
  }
  // A register for a result.
  int take(int instruction, int keep1, int keep2) {
    int best = -1, farthest = -1;
    for (int r = 0; r < registers; ++r) {
      const int slot = holds_[static_cast<std::size_t>(r)];
      if (slot < 0) return r;
      if (slot == keep1 || slot == keep2) continue;
      const int use = next_(slot, instruction);
      if (use > farthest) farthest = use, best = r;
    }
    if (farthest != NextUse::never) save(best);
    drop(best);
    return best;
  }
  void bind(int r, int slot) {
    holds_[static_cast<std::size_t>(r)] = slot;
    in_[static_cast<std::size_t>(slot)] = static_cast<signed char>(r);
  }
  void drop(int r) {
    const int slot = holds_[static_cast<std::size_t>(r)];
    if (slot >= 0) in_[static_cast<std::size_t>(slot)] = -1;
    holds_[static_cast<std::size_t>(r)] = -1;
  }
  void drop_if_done(int slot, int next_instruction) {
    if (find(slot) >= 0 && next_(slot, next_instruction) == NextUse::never) drop(find(slot));
  }
  // Everything that is still needed goes to memory, and all registers are free.
  void flush(int next_instruction) {
    for (int r = 0; r < registers; ++r) {
      const int slot = holds_[static_cast<std::size_t>(r)];
      if (slot >= 0 && next_(slot, next_instruction) != NextUse::never) save(r);
      drop(r);
    }
  }
  bool needed_later(int slot, int instruction) {
    return next_(slot, instruction + 1) != NextUse::never;
  }
  void mark_stored(int slot) { stored_[static_cast<std::size_t>(slot)] = 1; }

 protected:
  virtual void emit_load(int r, int slot) = 0;
  virtual void emit_store(int r, int slot) = 0;

 private:
  void save(int r) {
    const int slot = holds_[static_cast<std::size_t>(r)];
    if (slot < first_result_ || stored_[static_cast<std::size_t>(slot)]) return;
    emit_store(r, slot);
    mark_stored(slot);
  }

  int first_result_;  // constants and inputs are in memory anyway
  NextUse& next_;
  std::array<int, registers> holds_{};
  std::vector<signed char> in_;
  std::vector<char> stored_;
};

template <class F>
void for_slots_read(const Instructions& code, const Instruction& n, F&& f) {
  if (n.code == code_of(Code::end) || n.code == code_of(Code::jump)) return;
  if (n.code == code_of(Op::external)) {
    for (int k = 0; k < n.b; ++k) f(code.arguments[static_cast<std::size_t>(n.a + k)]);
    return;
  }
  f(n.a);
  const bool one =
      n.code == code_of(Code::copy) || n.code == code_of(Code::jump_if_zero) ||
      (n.code < code_of(Op::count_of_ops) && info(static_cast<Op>(n.code)).operand_count == 1);
  if (one || n.b < 0) return;
  f(n.b);
  if (n.code == code_of(Op::select)) f(n.c);
}

}  // namespace daedalus::graph
