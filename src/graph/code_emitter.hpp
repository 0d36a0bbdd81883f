// SPDX-License-Identifier: BSD-3-Clause
// Machine code of one stage of a program, one number at a time, or of a kernel, four numbers at a
// time. Only where asmjit is there.
#pragma once

#if defined(DAEDALUS_HAVE_ASMJIT)
#include <asmjit/x86.h>

#include "graph/interpreter.hpp"
#include "graph/register_file.hpp"

namespace daedalus::graph {

// Arguments of a stage: slots, outputs, input vectors by kind. -1 or the number of a failed
// assertion.
using StageFunction = int (*)(double* w, double* out, const double* const* vectors);
// Arguments of a kernel: block of every slot, where each slot's block is, length in numbers (a
// multiple of four).
using KernelFunction = int (*)(double* scratch, const double* const* slots, long count);

struct EmitterInput {
  const Instructions* code = nullptr;
  int first = 0, last = 0;          // instructions
  std::vector<int> row_head, rows;  // by slot: rows it is stored to as soon as it is known
  std::vector<char> keep;           // by slot: must be in memory at the end
  std::vector<int> vectors;         // that are read where they are: their kinds, three at most
  // By input slot: which of these vectors and where in it; -1: it is in its slot.
  std::vector<std::int32_t> vector_of, place_in_vector;
  const LookUp* look_ups = nullptr;  // that stay where they are
};

class CodeEmitter : private RegisterFile {
 public:
  CodeEmitter(asmjit::CodeHolder& holder, const EmitterInput& input, NextUse& next, bool packed);
  void run();

 private:
  using Reg = asmjit::x86::Vec;
  void emit_load(int r, int slot) override;
  void emit_store(int r, int slot) override;

  Reg reg(int r) const;
  asmjit::x86::Mem memory(int slot);
  asmjit::x86::Mem constant(const double* four);
  void enter();
  void leave();
  void instruction(int i);
  void arithmetic(int i, const Instruction& n);
  void compare(int i, const Instruction& n);
  void choose(int i, const Instruction& n);
  void call(int i, const Instruction& n);
  bool starts_pair(int i) const;  // a sine and the cosine of the same value
  void call_pair(int i);
  void call_table(int i, const Instruction& n);
  void call_external(int i, const Instruction& n);
  void jump(int i, const Instruction& n);
  void check(int i, const Instruction& n);
  void copy(int i, const Instruction& n);
  void emit_one(const Instruction& n, Reg d, Reg a);
  void emit_two(const Instruction& n, Reg d, Reg a, const asmjit::Operand& b);
  void lanes(int operands, const void* function);
  void bring(int slot, int lane_area);
  void define(int r, int slot, int i);
  void finish_operand(int slot, int i);

  asmjit::x86::Assembler a_;
  const EmitterInput& in_;
  const Instructions& code_;
  bool packed_;
  std::vector<asmjit::Label> labels_;  // by instruction; invalid where nothing jumps to
  asmjit::Label exit_, loop_;
};

}  // namespace daedalus::graph
#endif
