// SPDX-License-Identifier: BSD-3-Clause
// Jumps, assertions and calls: where registers go to memory.
#if defined(DAEDALUS_HAVE_ASMJIT)
#include "graph/code_emitter.hpp"
#include "graph/code_functions.hpp"

namespace daedalus::graph {

using namespace asmjit;
using namespace asmjit::x86;

void CodeEmitter::jump(int i, const Instruction& n) {
  const Label& target = labels_[static_cast<std::size_t>(n.d)];
  if (n.code == code_of(Code::jump)) {
    flush(i + 1);
    a_.jmp(target);
    return;
  }
  const int r = load(n.a, i);
  a_.vmovapd(Xmm(registers), Xmm(static_cast<uint32_t>(r)));
  flush(i + 1);
  a_.vxorpd(xmm0, xmm0, xmm0);
  a_.vucomisd(Xmm(registers), xmm0);
  // Not ordered (not a number) counts as not zero.
  const Label go_on = a_.newLabel();
  a_.jp(go_on);
  a_.je(target);
  a_.bind(go_on);
}

void CodeEmitter::check(int i, const Instruction& n) {
  const int r = load(n.a, i);
  const Label fine = a_.newLabel();
  a_.vxorpd(Xmm(registers), Xmm(registers), Xmm(registers));
  a_.vucomisd(Xmm(static_cast<uint32_t>(r)), Xmm(registers));
  a_.jne(fine);
  a_.jp(fine);
  a_.mov(eax, n.c);
  a_.jmp(exit_);
  a_.bind(fine);
  finish_operand(n.a, i);
  const int from = load(n.b, i);
  finish_operand(n.b, i);
  const int d = take(i + 1, find(n.b) >= 0 ? n.b : -1, -1);
  if (d != from) a_.emit(Inst::kIdVmovapd, reg(d), reg(from));
  define(d, n.d, i);
}

// The end of a branch: the result of the choice always goes to memory.
void CodeEmitter::copy(int i, const Instruction& n) {
  const int r = load(n.a, i);
  emit_store(r, n.d);
  mark_stored(n.d);
  const auto at = static_cast<std::size_t>(n.d);
  if (!in_.row_head.empty())
    for (int k = in_.row_head[at]; k < in_.row_head[at + 1]; ++k)
      a_.vmovsd(qword_ptr(r12, in_.rows[static_cast<std::size_t>(k)] * 8),
                Xmm(static_cast<uint32_t>(r)));
  finish_operand(n.a, i);
}

// Brings a slot into the area of the stack for operand 0 or 1 (four at a time), or into xmm0, xmm1.
void CodeEmitter::bring(int slot, int area) {
  const int r = find(slot);
  if (packed_) {
    Reg from = reg(registers);
    if (r >= 0)
      from = reg(r);
    else
      a_.emit(Inst::kIdVmovupd, from, memory(slot));
    a_.emit(Inst::kIdVmovupd, ymmword_ptr(rsp, 32 * area), from);
    return;
  }
  const Xmm to(static_cast<uint32_t>(area));
  if (r < 0)
    a_.vmovsd(to, memory(slot));
  else if (r != area)
    a_.vmovapd(to, Xmm(static_cast<uint32_t>(r)));
}

void CodeEmitter::lanes(int operands, const void* function) {
  const auto call = [&] {
    a_.mov(rax, reinterpret_cast<std::uint64_t>(function));
    a_.call(rax);
  };
  if (!packed_) return call();
  a_.vzeroupper();
  for (int lane = 0; lane < 4; ++lane) {
    a_.vmovsd(xmm0, qword_ptr(rsp, 8 * lane));
    if (operands == 2) a_.vmovsd(xmm1, qword_ptr(rsp, 32 + 8 * lane));
    call();
    a_.vmovsd(qword_ptr(rsp, 8 * lane), xmm0);
  }
  a_.vmovupd(ymm0, ymmword_ptr(rsp));
}

void CodeEmitter::call(int i, const Instruction& n) {
  const Op op = static_cast<Op>(n.code);
  const bool two = info(op).operand_count == 2;
  // A call uses all registers: what is needed later goes to memory, the operands are kept until
  // they are in place.
  const int ra = find(n.a), rb = two ? find(n.b) : -1;
  if (!packed_ && two) {
    // Through the scratch register: xmm0 and xmm1 may hold each other's operand.
    if (rb >= 0)
      a_.vmovapd(Xmm(registers), Xmm(static_cast<uint32_t>(rb)));
    else
      a_.vmovsd(Xmm(registers), memory(n.b));
  } else if (two) {
    bring(n.b, 1);
  }
  if (packed_) bring(n.a, 0);
  flush(i + 1);
  if (!packed_) {
    if (ra > 0)
      a_.vmovapd(xmm0, Xmm(static_cast<uint32_t>(ra)));
    else if (ra < 0)
      a_.vmovsd(xmm0, memory(n.a));
    if (two) a_.vmovapd(xmm1, Xmm(registers));
  }
  lanes(two ? 2 : 1, library_function(op));
  define(0, n.d, i);
}

bool CodeEmitter::starts_pair(int i) const {
  if (packed_ || i + 1 >= in_.last) return false;
  const Instruction &n = code_.list[static_cast<std::size_t>(i)], &next = (&n)[1];
  return n.code == code_of(Op::sin) && next.code == code_of(Op::cos) && n.a == next.a;
}

void CodeEmitter::call_pair(int i) {
  const Instruction &n = code_.list[static_cast<std::size_t>(i)], &next = (&n)[1];
  const int ra = find(n.a);
  flush(i + 2);
  if (ra > 0)
    a_.vmovapd(xmm0, Xmm(static_cast<uint32_t>(ra)));
  else if (ra < 0)
    a_.vmovsd(xmm0, memory(n.a));
  a_.mov(rdi, rsp);
  a_.mov(rax, reinterpret_cast<std::uint64_t>(&sine_cosine_from_code));
  a_.call(rax);
  a_.vmovsd(xmm0, qword_ptr(rsp));
  a_.vmovsd(xmm1, qword_ptr(rsp, 8));
  define(0, n.d, i + 1);
  define(1, next.d, i + 1);
}

void CodeEmitter::call_table(int i, const Instruction& n) {
  const LookUp* table = in_.look_ups + n.c;
  const auto operand = [&](int slot, int place) {
    const int r = load(slot, i);
    a_.vmovsd(qword_ptr(rsp, 8 * place), Xmm(static_cast<uint32_t>(r)));
  };
  operand(n.a, 0);
  if (n.b >= 0) operand(n.b, 1);
  flush(i + 1);
  a_.mov(rdi, reinterpret_cast<std::uint64_t>(table));
  a_.mov(rsi, rsp);
  a_.mov(edx, n.b < 0 ? 1 : 2);
  a_.mov(rax, reinterpret_cast<std::uint64_t>(&look_up_from_code));
  a_.call(rax);
  define(0, n.d, i);
}

void CodeEmitter::call_external(int i, const Instruction& n) {
  for (int k = 0; k < n.b; ++k) {
    const int r = load(code_.arguments[static_cast<std::size_t>(n.a + k)], i);
    a_.vmovsd(qword_ptr(rsp, 8 * k), Xmm(static_cast<uint32_t>(r)));
  }
  flush(i + 1);
  a_.mov(rdi,
         reinterpret_cast<std::uint64_t>(code_.externals[static_cast<std::size_t>(n.c)].get()));
  a_.mov(rsi, rsp);
  a_.mov(edx, n.b);
  a_.mov(rax, reinterpret_cast<std::uint64_t>(&external_from_code));
  a_.call(rax);
  define(0, n.d, i);
}

}  // namespace daedalus::graph
#endif
