// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/lanes/machine_code.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "kernel/at.hpp"

#ifndef DAEDALUS_HAVE_ASMJIT
namespace daedalus::lanes {

int MachineCode::width() { return 0; }
std::string MachineCode::reason() { return "the library was built without asmjit"; }
std::shared_ptr<const MachineCode> MachineCode::compile(const Program&, const Functions&) {
  return nullptr;
}

}  // namespace daedalus::lanes
#else
#include <asmjit/x86.h>

#include "graph/operations.hpp"

namespace daedalus::lanes {
namespace {

using graph::Op;
namespace x86 = asmjit::x86;

bool switched_off() {
  const char* value = std::getenv("DAEDALUS_JIT");
  return value && (std::string_view(value) == "off" || std::string_view(value) == "0");
}

// Predicates of vcmppd: ordered, quiet; unequal is true for NaN as in C++.
enum Predicate { eq = 0x00, lt = 0x11, le = 0x12, neq = 0x04, ge = 0x1d, gt = 0x1e };

using Body = void (*)(double* w);

// Instructions that become one function. asmjit assigns their registers, in a time that grows with
// the square of their number.
constexpr std::size_t chunk = 128;

// For each temporary the last instruction that reads it.
std::vector<std::size_t> last_uses(const Program& p, const std::vector<Instruction>& list) {
  std::vector<std::size_t> last(at(p.temporaries), 0);
  const auto see = [&](int slot, std::size_t k) {
    if (slot >= p.first_temporary()) last[at(slot - p.first_temporary())] = k;
  };
  for (std::size_t k = 0; k < list.size(); ++k) {
    const int count =
        list[k].op == copy_op ? 1 : graph::info(static_cast<Op>(list[k].op)).operand_count;
    see(list[k].a, k);
    if (count > 1) see(list[k].b, k);
    if (count > 2) see(list[k].c, k);
  }
  return last;
}

// Temporaries are registers, and in memory as well where a later chunk reads them; all else is in
// memory.
class Emitter {
 public:
  Emitter(asmjit::CodeHolder& holder, const Program& program, const Functions& functions)
      : cc_(&holder),
        p_(program),
        functions_(functions),
        wide_(functions.width == 8),
        values_(at(program.temporaries)),
        known_(at(program.temporaries), 0) {}

  void run(const std::vector<Instruction>& list, std::size_t first, std::size_t end,
           const std::vector<std::size_t>& last_use) {
    last_use_ = &last_use;
    end_ = end;
    asmjit::FuncNode* function =
        cc_.addFunc(asmjit::FuncSignatureT<void, double*>(asmjit::CallConvId::kHost));
    function->frame().setAvxEnabled();
    if (wide_) function->frame().setAvx512Enabled();
    function->frame().setAvxCleanup();
    w_ = cc_.newIntPtr();
    function->setArg(0, w_);
    ones_ = constant_block(1.0);
    magnitude_ = constant_block(0x7fffffffffffffffu);
    for (std::size_t k = first; k < end; ++k) emit(list[k]);
    cc_.endFunc();
  }
  asmjit::Error finish() { return cc_.finalize(); }

 private:
  x86::Vec fresh() {
    if (wide_) return cc_.newZmm();
    return cc_.newYmm();
  }
  x86::Mem memory(int slot) const {
    return x86::ptr(w_, slot * functions_.width * 8,
                    static_cast<std::uint32_t>(functions_.width * 8));
  }
  x86::Mem constant_block(std::uint64_t bits) {
    std::uint64_t block[8];
    for (std::uint64_t& b : block) b = bits;
    const x86::Mem m = cc_.newConst(asmjit::ConstPoolScope::kGlobal, block,
                                    static_cast<std::size_t>(functions_.width) * 8);
    return m;
  }
  x86::Mem constant_block(double value) {
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return constant_block(bits);
  }
  bool is_temporary(int slot) const { return slot >= p_.first_temporary(); }
  std::size_t temporary(int slot) const { return at(slot - p_.first_temporary()); }
  bool in_register(int slot) const { return is_temporary(slot) && known_[temporary(slot)]; }
  x86::Vec load(int slot) {
    if (in_register(slot)) return values_[temporary(slot)];
    const x86::Vec v = fresh();
    cc_.vmovupd(v, memory(slot));
    if (is_temporary(slot)) {
      values_[temporary(slot)] = v;
      known_[temporary(slot)] = 1;
    }
    return v;
  }
  // A register, or the memory where it is.
  asmjit::Operand operand(int slot) {
    if (is_temporary(slot)) return load(slot);
    return memory(slot);
  }
  x86::Vec target(int slot) {
    const x86::Vec v = fresh();
    if (is_temporary(slot)) {
      values_[temporary(slot)] = v;
      known_[temporary(slot)] = 1;
    }
    return v;
  }
  void settle(int slot, const x86::Vec& v) {
    if (!is_temporary(slot) || (*last_use_)[temporary(slot)] >= end_) cc_.vmovupd(memory(slot), v);
  }
  void three(asmjit::InstId id, const Instruction& i, int first, int second) {
    const x86::Vec a = load(first);
    const asmjit::Operand b = operand(second);
    const x86::Vec d = target(i.d);
    cc_.emit(id, d, a, b);
    settle(i.d, d);
  }
  void compare(const Instruction& i, Predicate predicate) {
    const x86::Vec a = load(i.a);
    const asmjit::Operand b = operand(i.b);
    const x86::Vec d = target(i.d);
    truth(d, a, b, predicate);
    settle(i.d, d);
  }
  void truth(const x86::Vec& d, const x86::Vec& a, const asmjit::Operand& b, Predicate predicate) {
    if (wide_) {
      const x86::KReg k = cc_.newKq();
      cc_.emit(x86::Inst::kIdVcmppd, k, a, b, asmjit::Imm(predicate));
      cc_.k(k).z().vmovupd(d, ones_);
    } else {
      cc_.emit(x86::Inst::kIdVcmppd, d, a, b, asmjit::Imm(predicate));
      cc_.vandpd(d, d, ones_);
    }
  }
  x86::Vec zero() {
    const x86::Vec z = fresh();
    wide_ ? cc_.vpxorq(z, z, z) : cc_.vxorpd(z, z, z);
    return z;
  }
  void choose(const Instruction& i) {
    const x86::Vec condition = load(i.a), b = load(i.b), c = load(i.c), z = zero();
    const x86::Vec d = target(i.d);
    if (wide_) {
      const x86::KReg k = cc_.newKq();
      cc_.vcmppd(k, condition, z, neq);
      cc_.k(k).vblendmpd(d, c, b);
    } else {
      cc_.vcmppd(z, condition, z, neq);
      cc_.vblendvpd(d, c, b, z);
    }
    settle(i.d, d);
  }
  void logic(const Instruction& i, asmjit::InstId id) {
    const x86::Vec z = zero(), one = fresh(), other = fresh();
    truth(one, load(i.a), z, neq);
    truth(other, load(i.b), z, neq);
    const x86::Vec d = target(i.d);
    cc_.emit(id, d, one, other);
    settle(i.d, d);
  }
  // Arguments and results of calls go through the slots behind the temporaries.
  void pass(int slot, int place) { cc_.vmovupd(memory(p_.slots() + place), load(slot)); }
  x86::Gp place_of(int slot) {
    const x86::Gp address = cc_.newIntPtr();
    cc_.lea(address, memory(slot));
    return address;
  }
  void call(const Instruction& i, OnSlot function) {
    pass(i.a, 1);
    const x86::Gp d = place_of(p_.slots()), a = place_of(p_.slots() + 1);
    asmjit::InvokeNode* invoked = nullptr;
    cc_.invoke(&invoked, asmjit::imm(reinterpret_cast<void*>(function)),
               asmjit::FuncSignatureT<void, double*, const double*>(asmjit::CallConvId::kHost));
    invoked->setArg(0, d);
    invoked->setArg(1, a);
    take(i.d);
  }
  void call_any(const Instruction& i) {
    pass(i.a, 1);
    const bool two = graph::info(static_cast<Op>(i.op)).operand_count == 2;
    pass(two ? i.b : i.a, 2);
    const x86::Gp op = cc_.newInt32(), width = cc_.newInt32();
    cc_.mov(op, static_cast<int>(i.op));
    cc_.mov(width, functions_.width);
    const x86::Gp d = place_of(p_.slots()), a = place_of(p_.slots() + 1),
                  b = place_of(p_.slots() + 2);
    asmjit::InvokeNode* invoked = nullptr;
    cc_.invoke(&invoked, asmjit::imm(reinterpret_cast<void*>(&lane_by_lane)),
               asmjit::FuncSignatureT<void, int, double*, const double*, const double*, int>(
                   asmjit::CallConvId::kHost));
    invoked->setArg(0, op);
    invoked->setArg(1, d);
    invoked->setArg(2, a);
    invoked->setArg(3, b);
    invoked->setArg(4, width);
    take(i.d);
  }
  void take(int slot) {
    const x86::Vec d = target(slot);
    cc_.vmovupd(d, memory(p_.slots()));
    settle(slot, d);
  }
  void one_operand(const Instruction& i) {
    const x86::Vec a = load(i.a), d = target(i.d);
    if (i.op == static_cast<std::uint16_t>(Op::sqrt))
      cc_.vsqrtpd(d, a);
    else if (i.op == static_cast<std::uint16_t>(Op::abs))
      cc_.vandpd(d, a, magnitude_);
    else if (i.op == static_cast<std::uint16_t>(Op::negate)) {
      const x86::Mem sign = constant_block(0x8000000000000000u);
      cc_.vxorpd(d, a, sign);
    } else if (i.op == static_cast<std::uint16_t>(Op::logical_not))
      truth(d, a, zero(), eq);
    else
      cc_.vmovupd(d, a);  // a copy
    settle(i.d, d);
  }
  bool arithmetic(const Instruction& i) {
    switch (static_cast<Op>(i.op)) {
      case Op::add:
        three(x86::Inst::kIdVaddpd, i, i.a, i.b);
        return true;
      case Op::subtract:
        three(x86::Inst::kIdVsubpd, i, i.a, i.b);
        return true;
      case Op::multiply:
        three(x86::Inst::kIdVmulpd, i, i.a, i.b);
        return true;
      case Op::divide:
        three(x86::Inst::kIdVdivpd, i, i.a, i.b);
        return true;
      case Op::min:  // b where b < a: the first operand where it is the smaller one
        three(x86::Inst::kIdVminpd, i, i.b, i.a);
        return true;
      case Op::max:
        three(x86::Inst::kIdVmaxpd, i, i.b, i.a);
        return true;
      default:
        return false;
    }
  }
  void emit(const Instruction& i) {
    if (i.op == copy_op) return one_operand(i);
    if (arithmetic(i)) return;
    switch (static_cast<Op>(i.op)) {
      case Op::less:
        return compare(i, lt);
      case Op::less_equal:
        return compare(i, le);
      case Op::greater:
        return compare(i, gt);
      case Op::greater_equal:
        return compare(i, ge);
      case Op::equal:
        return compare(i, eq);
      case Op::not_equal:
        return compare(i, neq);
      case Op::logical_and:
        return logic(i, x86::Inst::kIdVandpd);
      case Op::logical_or:
        return logic(i, x86::Inst::kIdVorpd);
      case Op::select:
        return choose(i);
      case Op::sqrt:
      case Op::abs:
      case Op::negate:
      case Op::logical_not:
        return one_operand(i);
      case Op::exp:
        return call(i, functions_.exp);
      case Op::log:
        return call(i, functions_.log);
      case Op::sin:
        return call(i, functions_.sin);
      case Op::cos:
        return call(i, functions_.cos);
      default:
        return call_any(i);
    }
  }

  x86::Compiler cc_;
  const Program& p_;
  const Functions& functions_;
  bool wide_;
  std::vector<x86::Vec> values_;
  std::vector<char> known_;  // to this function
  const std::vector<std::size_t>* last_use_ = nullptr;
  std::size_t end_ = 0;
  x86::Gp w_;
  x86::Mem ones_, magnitude_;
};

class Code final : public MachineCode {
 public:
  ~Code() override {
    for (const std::vector<Body>* list : {&prologue_, &body_})
      for (const Body f : *list) runtime_.release(f);
  }
  void prologue(double* w) const override {
    for (const Body f : prologue_) f(w);
  }
  void body(double* w) const override {
    for (const Body f : body_) f(w);
  }
  bool make(const Program& p, const Functions& f) {
    return all(p, f, p.prologue, prologue_) && all(p, f, p.body, body_);
  }

 private:
  bool all(const Program& p, const Functions& f, const std::vector<Instruction>& list,
           std::vector<Body>& made) {
    const std::vector<std::size_t> last_use = last_uses(p, list);
    for (std::size_t first = 0; first < list.size(); first += chunk) {
      asmjit::CodeHolder holder;
      if (holder.init(runtime_.environment()) != asmjit::kErrorOk) return false;
      Emitter emitter(holder, p, f);
      emitter.run(list, first, std::min(first + chunk, list.size()), last_use);
      Body function = nullptr;
      if (emitter.finish() != asmjit::kErrorOk ||
          runtime_.add(&function, &holder) != asmjit::kErrorOk)
        return false;
      made.push_back(function);
    }
    return true;
  }
  asmjit::JitRuntime runtime_;
  std::vector<Body> prologue_, body_;
};

}  // namespace

int MachineCode::width() {
  if (switched_off()) return 0;
  return functions("avx512", 8) ? 8 : functions("avx2", 4) ? 4 : 0;
}

std::string MachineCode::reason() {
  if (switched_off()) return "the environment variable DAEDALUS_JIT is off";
  return width() > 0 ? "" : "this processor has no AVX2";
}

std::shared_ptr<const MachineCode> MachineCode::compile(const Program& program,
                                                        const Functions& wanted) {
  if (width() == 0 || (wanted.width != 4 && wanted.width != 8) || wanted.width > width())
    return nullptr;
  auto code = std::make_shared<Code>();
  return code->make(program, wanted) ? code : nullptr;
}

}  // namespace daedalus::lanes
#endif
