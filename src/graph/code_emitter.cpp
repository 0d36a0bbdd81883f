// SPDX-License-Identifier: BSD-3-Clause
#if defined(DAEDALUS_HAVE_ASMJIT)
#include "graph/code_emitter.hpp"

#include <cmath>

namespace daedalus::graph {
namespace {

using namespace asmjit;
using namespace asmjit::x86;

// Its bits are the sign alone.
constexpr double minus_zero = -0.0;
alignas(32) const double sign_bits[4] = {minus_zero, minus_zero, minus_zero, minus_zero};
alignas(32) const double ones[4] = {1.0, 1.0, 1.0, 1.0};
// Room on the stack: two operands of four lanes and one more, or the arguments of an external
// function. With the return address and six registers a multiple of 16.
constexpr int stack_room = 8 * max_external_arguments + 8;
constexpr int spare_lanes = 64;
static_assert(stack_room >= spare_lanes + 32 && (stack_room + 56) % 16 == 0);

Gp vector_register(int vector) { return vector == 0 ? r13 : vector == 1 ? r14 : r15; }

}  // namespace

CodeEmitter::CodeEmitter(CodeHolder& holder, const EmitterInput& input, NextUse& next, bool packed)
    : RegisterFile(input.code->slots, input.code->first_input() + input.code->inputs, next),
      a_(&holder),
      in_(input),
      code_(*input.code),
      packed_(packed),
      labels_(input.code->list.size() + 1) {}

// Registers: rbx slots, r12 outputs or the table of blocks; one by one: r13 r14 r15 input vectors;
// four at a time: r13 offset in bytes, r14 its end.
void CodeEmitter::enter() {
  for (const Gp& r : {rbp, rbx, r12, r13, r14, r15}) a_.push(r);
  a_.sub(rsp, stack_room);
  a_.mov(rbx, rdi);
  a_.mov(r12, rsi);
  if (packed_) {
    a_.xor_(r13d, r13d);
    a_.lea(r14, ptr(0, rdx, 3));
    loop_ = a_.newLabel();
    a_.bind(loop_);
  } else {
    for (std::size_t k = 0; k < in_.vectors.size(); ++k)
      a_.mov(vector_register(static_cast<int>(k)), qword_ptr(rdx, in_.vectors[k] * 8));
  }
  exit_ = a_.newLabel();
}

void CodeEmitter::leave() {
  if (packed_) {
    a_.add(r13, 32);
    a_.cmp(r13, r14);
    a_.jb(loop_);
  }
  a_.mov(eax, -1);
  a_.bind(exit_);
  a_.vzeroupper();
  a_.add(rsp, stack_room);
  for (const Gp& r : {r15, r14, r13, r12, rbx, rbp}) a_.pop(r);
  a_.ret();
}

CodeEmitter::Reg CodeEmitter::reg(int r) const {
  return packed_ ? Reg(Ymm(static_cast<uint32_t>(r))) : Reg(Xmm(static_cast<uint32_t>(r)));
}

Mem CodeEmitter::memory(int slot) {
  if (packed_) {
    const bool input = slot >= code_.first_input() && slot < code_.first_input() + code_.inputs;
    if (!input) return ymmword_ptr(rbx, r13, 0, slot * block_size * 8);
    a_.mov(rax, qword_ptr(r12, slot * 8));
    return ymmword_ptr(rax, r13);
  }
  const int vector = in_.vector_of[static_cast<std::size_t>(slot)];
  if (vector < 0) return qword_ptr(rbx, slot * 8);
  return qword_ptr(vector_register(vector),
                   in_.place_in_vector[static_cast<std::size_t>(slot)] * 8);
}

Mem CodeEmitter::constant(const double* four) {
  a_.mov(rax, reinterpret_cast<std::uint64_t>(four));
  return packed_ ? ymmword_ptr(rax) : xmmword_ptr(rax);
}

void CodeEmitter::emit_load(int r, int slot) {
  const Mem m = memory(slot);
  if (packed_)
    a_.vmovupd(reg(r).as<Ymm>(), m);
  else
    a_.vmovsd(Xmm(static_cast<uint32_t>(r)), m);
}

void CodeEmitter::emit_store(int r, int slot) {
  const Mem m = memory(slot);
  if (packed_)
    a_.vmovupd(m, reg(r).as<Ymm>());
  else
    a_.vmovsd(m, Xmm(static_cast<uint32_t>(r)));
}

void CodeEmitter::run() {
  enter();
  for (int i = in_.first; i < in_.last; ++i) {
    const Instruction& n = code_.list[static_cast<std::size_t>(i)];
    if (n.code == code_of(Code::jump) || n.code == code_of(Code::jump_if_zero)) {
      Label& target = labels_[static_cast<std::size_t>(n.d)];
      if (!target.isValid()) target = a_.newLabel();
    }
  }
  for (int i = in_.first; i <= in_.last; ++i) {
    const Label& here = labels_[static_cast<std::size_t>(i)];
    if (here.isValid()) {
      flush(i);
      a_.bind(here);
    }
    if (i == in_.last) break;
    if (starts_pair(i))
      call_pair(i++);
    else
      instruction(i);
  }
  leave();
}

// The result is in register r: to its rows, to memory if it is wanted there.
void CodeEmitter::define(int r, int slot, int i) {
  bind(r, slot);
  const auto at = static_cast<std::size_t>(slot);
  if (!in_.row_head.empty())
    for (int k = in_.row_head[at]; k < in_.row_head[at + 1]; ++k)
      a_.vmovsd(qword_ptr(r12, in_.rows[static_cast<std::size_t>(k)] * 8),
                Xmm(static_cast<uint32_t>(r)));
  if (in_.keep[at]) {
    emit_store(r, slot);
    mark_stored(slot);
  }
  drop_if_done(slot, i + 1);
}

void CodeEmitter::finish_operand(int slot, int i) { drop_if_done(slot, i + 1); }

void CodeEmitter::instruction(int i) {
  const Instruction& n = code_.list[static_cast<std::size_t>(i)];
  if (n.code == code_of(Code::jump) || n.code == code_of(Code::jump_if_zero)) return jump(i, n);
  if (n.code == code_of(Code::copy)) return copy(i, n);
  const Op op = static_cast<Op>(n.code);
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::negate:
    case Op::sqrt:
    case Op::abs:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::min:
    case Op::max:
    case Op::no_event:
      return arithmetic(i, n);
    case Op::select:
      return choose(i, n);
    case Op::assertion:
      return check(i, n);
    case Op::table:
      return call_table(i, n);
    case Op::external:
      return call_external(i, n);
    default:
      return op >= Op::less && op <= Op::logical_not ? compare(i, n) : call(i, n);
  }
}

void CodeEmitter::emit_one(const Instruction& n, Reg d, Reg a) {
  const auto rounded = [&](int mode) {  // bit 3: no exception for inexact results
    if (packed_)
      a_.emit(Inst::kIdVroundpd, d, a, Imm(mode));
    else
      a_.emit(Inst::kIdVroundsd, d, a, a, Imm(mode));
  };
  switch (static_cast<Op>(n.code)) {
    case Op::negate:
      a_.emit(Inst::kIdVxorpd, d, a, constant(sign_bits));
      break;
    case Op::abs:
      a_.emit(Inst::kIdVmovupd, reg(registers), constant(sign_bits));
      a_.emit(Inst::kIdVandnpd, d, reg(registers), a);
      break;
    case Op::sqrt:
      if (packed_)
        a_.emit(Inst::kIdVsqrtpd, d, a);
      else
        a_.emit(Inst::kIdVsqrtsd, d, a, a);
      break;
    case Op::floor:
      rounded(9);
      break;
    case Op::ceil:
      rounded(10);
      break;
    case Op::trunc:
      rounded(11);
      break;
    default:
      a_.emit(Inst::kIdVmovapd, d, a);
  }
}

void CodeEmitter::emit_two(const Instruction& n, Reg d, Reg a, const Operand& b) {
  const auto put = [&](InstId one, InstId four) { a_.emit(packed_ ? four : one, d, a, b); };
  switch (static_cast<Op>(n.code)) {
    case Op::add:
      return put(Inst::kIdVaddsd, Inst::kIdVaddpd);
    case Op::subtract:
      return put(Inst::kIdVsubsd, Inst::kIdVsubpd);
    case Op::multiply:
      return put(Inst::kIdVmulsd, Inst::kIdVmulpd);
    case Op::divide:
      return put(Inst::kIdVdivsd, Inst::kIdVdivpd);
    // b < a ? b : a, also where one is not a number: b is the first operand of the machine.
    case Op::min:
      return put(Inst::kIdVminsd, Inst::kIdVminpd);
    default:
      return put(Inst::kIdVmaxsd, Inst::kIdVmaxpd);
  }
}

void CodeEmitter::arithmetic(int i, const Instruction& n) {
  const Op op = static_cast<Op>(n.code);
  const bool two = info(op).operand_count == 2;
  const bool swap = op == Op::min || op == Op::max;
  const int first = swap ? n.b : n.a, second = swap ? n.a : n.b;
  const int ra = load(first, i, two ? second : -1);
  // An operand that is used here only, and a constant, is read from memory.
  const bool direct = two && !packed_ && find(second) < 0 &&
                      (second < code_.first_input() || !needed_later(second, i));
  Operand b;
  int rb = -1;
  if (direct) {
    b = memory(second);
  } else if (two) {
    rb = load(second, i, first);
    b = reg(rb);
  }
  finish_operand(first, i);
  if (two) finish_operand(second, i);
  const int d = take(i + 1, find(first) >= 0 ? first : -1, two && find(second) >= 0 ? second : -1);
  if (two)
    emit_two(n, reg(d), reg(ra), b);
  else
    emit_one(n, reg(d), reg(ra));
  define(d, n.d, i);
}

void CodeEmitter::compare(int i, const Instruction& n) {
  const Op op = static_cast<Op>(n.code);
  const Reg scratch = reg(registers);
  const auto test = [&](Reg d, Reg a, Reg b, int predicate) {
    a_.emit(packed_ ? Inst::kIdVcmppd : Inst::kIdVcmpsd, d, a, b, Imm(predicate));
  };
  const int ra = load(n.a, i, n.b);
  const bool logic = op >= Op::logical_and;
  const int rb = op == Op::logical_not ? ra : load(n.b, i, n.a);
  finish_operand(n.a, i);
  if (op != Op::logical_not) finish_operand(n.b, i);
  const int d =
      take(i + 1, find(n.a) >= 0 ? n.a : -1, op != Op::logical_not && find(n.b) >= 0 ? n.b : -1);
  if (!logic) {
    // Predicates of the machine: less, less or equal, the same with operands exchanged, equal,
    // not equal or not ordered.
    const int predicate = op == Op::less || op == Op::greater               ? 1
                          : op == Op::less_equal || op == Op::greater_equal ? 2
                          : op == Op::equal                                 ? 0
                                                                            : 4;
    const bool exchanged = op == Op::greater || op == Op::greater_equal;
    test(scratch, reg(exchanged ? rb : ra), reg(exchanged ? ra : rb), predicate);
  } else if (op == Op::logical_not) {
    a_.emit(Inst::kIdVxorpd, scratch, scratch, scratch);
    test(scratch, reg(ra), scratch, 0);
  } else {
    // (a != 0) and, or (b != 0): the first mask waits on the stack.
    const Mem spare = packed_ ? ymmword_ptr(rsp, spare_lanes) : xmmword_ptr(rsp, spare_lanes);
    a_.emit(Inst::kIdVxorpd, scratch, scratch, scratch);
    test(scratch, reg(ra), scratch, 4);
    a_.emit(Inst::kIdVmovupd, spare, scratch);
    a_.emit(Inst::kIdVxorpd, scratch, scratch, scratch);
    test(scratch, reg(rb), scratch, 4);
    a_.emit(op == Op::logical_and ? Inst::kIdVandpd : Inst::kIdVorpd, scratch, scratch, spare);
  }
  a_.emit(Inst::kIdVandpd, reg(d), scratch, constant(ones));
  define(d, n.d, i);
}

void CodeEmitter::choose(int i, const Instruction& n) {
  const Reg mask = reg(registers);
  const int rc = load(n.a, i, -1);
  a_.emit(Inst::kIdVxorpd, mask, mask, mask);
  a_.emit(packed_ ? Inst::kIdVcmppd : Inst::kIdVcmpsd, mask, reg(rc), mask, Imm(4));
  finish_operand(n.a, i);
  const int rb = load(n.b, i, n.c), ra = load(n.c, i, n.b);
  finish_operand(n.b, i);
  finish_operand(n.c, i);
  const int d = take(i + 1, find(n.b) >= 0 ? n.b : -1, find(n.c) >= 0 ? n.c : -1);
  a_.emit(Inst::kIdVblendvpd, reg(d), reg(ra), reg(rb), mask);
  define(d, n.d, i);
}

}  // namespace daedalus::graph
#endif
