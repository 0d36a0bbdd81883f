// SPDX-License-Identifier: BSD-3-Clause
#if defined(DAEDALUS_HAVE_ASMJIT)
#include "graph/code_check.hpp"

namespace daedalus::graph {
namespace {

using namespace asmjit;
using namespace asmjit::x86;

constexpr int max_inputs = 1000;  // that are worth instructions of their own

class CheckEmitter {
 public:
  CheckEmitter(CodeHolder& holder, const Program& program, std::uint32_t direct)
      : a_(&holder), program_(program), direct_(direct) {}

  void run() {
    const Label changed = a_.newLabel(), same = a_.newLabel();
    const bool fixed = !program_.loads(0).empty();
    if (fixed) {
      a_.vxorpd(ymm1, ymm1, ymm1);
      for (const Program::Load& l : program_.loads(0)) collect_differences(l);
      a_.vptest(ymm1, ymm1);
      a_.jnz(changed);
    }
    for (const Program::Load& l : program_.loads(2))
      if (!(direct_ >> static_cast<int>(l.kind) & 1)) copy(l);
    a_.mov(eax, 4);
    for (const Program::Load& l : program_.loads(1)) {  // time, if anything
      a_.mov(r8, qword_ptr(base(l.kind)));
      a_.cmp(r8, qword_ptr(rdi, l.slot * 8));
      a_.je(same);
      a_.mov(qword_ptr(rdi, l.slot * 8), r8);
      a_.mov(eax, 6);
    }
    a_.bind(same);
    leave();
    a_.bind(changed);
    a_.mov(eax, 7);
    leave();
  }

 private:
  void leave() {
    a_.vzeroupper();
    a_.ret();
  }
  Gp base(InputKind kind) {
    if (kind == InputKind::mode) return rdx;
    if (kind == InputKind::previous) return rcx;
    a_.mov(r9, qword_ptr(rsi, static_cast<int>(kind) * 8));
    return r9;
  }
  // Four, two and one at a time: from(offset), to(offset) in numbers from the first one.
  template <class Act>
  void each(int count, Act&& act) {
    int k = 0;
    for (; k + 4 <= count; k += 4) act(k, 4);
    if (count - k >= 2) act(k, 2), k += 2;
    if (count - k == 1) act(k, 1);
  }
  void collect_differences(const Program::Load& l) {
    const Gp from = base(l.kind);
    each(l.count, [&](int k, int width) {
      const Mem x = ptr(from, (l.first + k) * 8), w = ptr(rdi, (l.slot + k) * 8);
      if (width == 4) {
        a_.vmovupd(ymm0, x);
        a_.vxorpd(ymm0, ymm0, w);
      } else if (width == 2) {
        a_.vmovupd(xmm0, x);
        a_.vxorpd(xmm0, xmm0, w);
      } else {
        a_.vmovsd(xmm0, x);
        a_.vmovsd(xmm2, w);
        a_.vxorpd(xmm0, xmm0, xmm2);
      }
      a_.vorpd(ymm1, ymm1, ymm0);
    });
  }
  void copy(const Program::Load& l) {
    const Gp from = base(l.kind);
    each(l.count, [&](int k, int width) {
      const Mem x = ptr(from, (l.first + k) * 8), w = ptr(rdi, (l.slot + k) * 8);
      if (width == 4) {
        a_.vmovupd(ymm0, x);
        a_.vmovupd(w, ymm0);
      } else if (width == 2) {
        a_.vmovupd(xmm0, x);
        a_.vmovupd(w, xmm0);
      } else {
        a_.vmovsd(xmm0, x);
        a_.vmovsd(w, xmm0);
      }
    });
  }

  Assembler a_;
  const Program& program_;
  std::uint32_t direct_;
};

}  // namespace

bool emit_check(CodeHolder& holder, const Program& program, std::uint32_t direct) {
  int count = 0;
  for (int stage = 0; stage < stage_count; ++stage)
    for (const Program::Load& l : program.loads(stage)) count += l.count;
  if (count > max_inputs) return false;
  CheckEmitter(holder, program, direct).run();
  return true;
}

}  // namespace daedalus::graph
#endif
