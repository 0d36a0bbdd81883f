// SPDX-License-Identifier: BSD-3-Clause
#if defined(DAEDALUS_HAVE_ASMJIT)
#include "graph/machine_code.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "graph/code_check.hpp"
#include "graph/code_emitter.hpp"
#include "graph/operations.hpp"
#include "graph/reach.hpp"
#include "graph/workspace.hpp"

namespace daedalus::graph {

// Compiled where the interpreter is, with its own options; only load() is inlined here.
extern template class Workspace<double>;

namespace {

constexpr std::size_t max_vectors = 3;  // registers that hold the address of an input vector

asmjit::JitRuntime& runtime() {
  static asmjit::JitRuntime one;
  return one;
}

// An instruction that could not be written, for want of memory, must not be missing in silence: the
// interpreter takes over, with the same bits.
class Failures final : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error, const char*, asmjit::BaseEmitter*) override { any = true; }
  bool any = false;
};

class X86Code final : public MachineCode {
 public:
  explicit X86Code(const Program& program) {
    find_vectors(program);
    const Instructions& code = program.instructions();
    look_ups_ = code.look_ups;
    externals_ = code.externals;
    good_ = true;
    for (int s = 0; s < stage_count && good_; ++s)
      if (!code.stage_is_empty(s)) good_ = compile_stage(program, s);
    for (const MapProgram& map : program.maps())
      if (good_) good_ = compile_kernel(map);
    if (good_) compile_check(program);
    for_rows(program, [this](int row, int slot) {
      if (written_.empty() || !written_[static_cast<std::size_t>(slot)])
        late_.push_back({row, slot, 1});
    });
  }
  ~X86Code() override {
    for (void* f : functions_) runtime().release(f);
  }
  X86Code(const X86Code&) = delete;
  X86Code& operator=(const X86Code&) = delete;

  bool good() const { return good_; }
  std::size_t bytes() const override { return bytes_; }

  int run(const Program& program, Workspace<double>& workspace, const Point<double>& point,
          double* out) const override {
    int stages = 1;
    if (check_ && workspace.known())
      stages = check_(workspace.data(), point.x.data(), point.modes, point.previous);
    if (stages & 1) stages = workspace.load(program, point, direct_);
    for (const Program::Fixed& f : program.fixed()) std::fill_n(out + f.row, f.count, f.value);
    for (int s = 0; s < stage_count; ++s) {
      const StageFunction f = stage_[static_cast<std::size_t>(s)];
      if (!f || !(stages >> s & 1)) continue;
      const int failed = f(workspace.data(), out, point.x.data());
      if (failed >= 0) {
        workspace.forget();
        return failed;
      }
    }
    for (const Program::Store& s : late_) out[s.row] = workspace.data()[s.slot];
    if (program.maps().empty()) return -1;
    for (const bool accumulate : {false, true})
      for (std::size_t m = 0; m < program.maps().size(); ++m) {
        const MapProgram& map = program.maps()[m];
        if (map.accumulate != accumulate) continue;
        const int failed = workspace.run_map(map, m, point, out, kernels_[m]);
        if (failed >= 0) return failed;
      }
    return -1;
  }

 private:
  // Calls f(row, slot) for every row that is computed.
  template <class F>
  static void for_rows(const Program& program, F&& f) {
    for (const Program::Store& s : program.stores())
      for (int k = 0; k < s.count; ++k) f(s.row + k, s.slot + k);
  }
  // Input vectors that code reads where they are: not those with an input that is itself a row or
  // an argument of a map, which are looked for in slots.
  void find_vectors(const Program& program) {
    std::vector<char> wanted(static_cast<std::size_t>(program.instructions().slots) + 1, 0);
    for_rows(program, [&](int, int slot) { wanted[static_cast<std::size_t>(slot)] = 1; });
    for (const MapProgram& m : program.maps())
      for (const auto& a : m.arguments)
        if (a.slot >= 0) wanted[static_cast<std::size_t>(a.slot)] = 1;
    KindSet refused = 0, seen = 0;
    for (const Program::Load& l : program.loads(stage_count - 1)) {
      for (int k = 0; k < l.count; ++k)
        if (wanted[static_cast<std::size_t>(l.slot + k)]) refused |= kind_bit(l.kind);
      seen |= kind_bit(l.kind);
    }
    for (int k = 0; k < input_kinds && vectors_.size() < max_vectors; ++k)
      if ((seen & ~refused) >> k & 1) {
        vectors_.push_back(static_cast<InputKind>(k));
        direct_ |= KindSet{1} << k;
      }
  }

  EmitterInput stage_input(const Program& program, int s) {
    const Instructions& code = program.instructions();
    const auto slots = static_cast<std::size_t>(code.slots) + 1;
    EmitterInput in;
    in.code = &code;
    in.look_ups = look_ups_.data();
    in.first = in.last = code.start[static_cast<std::size_t>(s)];
    while (code.list[static_cast<std::size_t>(in.last)].code != code_of(Code::end)) ++in.last;
    // Results of earlier stages are kept; of the last one those that maps read.
    in.keep.assign(slots, s < stage_count - 1 ? 1 : 0);
    for (const MapProgram& m : program.maps())
      for (const auto& a : m.arguments)
        if (a.slot >= 0) in.keep[static_cast<std::size_t>(a.slot)] = 1;
    for (const InputKind kind : vectors_) in.vectors.push_back(static_cast<int>(kind));
    in.vector_of.assign(slots, -1);
    in.place_in_vector.assign(slots, 0);
    for (const Program::Load& l : program.loads(stage_count - 1)) {
      const auto found = std::find(vectors_.begin(), vectors_.end(), l.kind);
      if (found == vectors_.end()) continue;
      for (int k = 0; k < l.count; ++k) {
        in.vector_of[static_cast<std::size_t>(l.slot + k)] =
            static_cast<int>(found - vectors_.begin());
        in.place_in_vector[static_cast<std::size_t>(l.slot + k)] = l.first + k;
      }
    }
    if (s == stage_count - 1) add_rows(program, in);
    return in;
  }

  void add_rows(const Program& program, EmitterInput& in) {
    const Instructions& code = program.instructions();
    const auto slots = static_cast<std::size_t>(code.slots) + 1;
    written_.resize(slots, 0);
    for (int i = in.first; i < in.last; ++i) {
      const Instruction& n = code.list[static_cast<std::size_t>(i)];
      if (n.code != code_of(Code::jump) && n.code != code_of(Code::jump_if_zero))
        written_[static_cast<std::size_t>(n.d)] = 1;
    }
    in.row_head.assign(slots + 1, 0);
    const auto each = [&](auto&& f) {
      for_rows(program, [&](int row, int slot) {
        if (written_[static_cast<std::size_t>(slot)]) f(static_cast<std::size_t>(slot), row);
      });
    };
    each([&](std::size_t slot, int) { ++in.row_head[slot + 1]; });
    for (std::size_t k = 1; k < in.row_head.size(); ++k) in.row_head[k] += in.row_head[k - 1];
    in.rows.resize(static_cast<std::size_t>(in.row_head.back()));
    std::vector<int> fill = in.row_head;
    each([&](std::size_t slot, int row) { in.rows[static_cast<std::size_t>(fill[slot]++)] = row; });
  }

  bool compile_stage(const Program& program, int s) {
    const EmitterInput in = stage_input(program, s);
    void* f = emit(in, false);
    stage_[static_cast<std::size_t>(s)] = reinterpret_cast<StageFunction>(f);
    return f != nullptr;
  }

  bool compile_kernel(const MapProgram& map) {
    const Instructions& code = map.kernel;
    bool plain = !code.lazy;
    for (const Instruction& n : code.list)
      plain = plain && n.code != code_of(Op::table) && n.code != code_of(Op::external) &&
              n.code != code_of(Op::assertion);
    kernels_.push_back(nullptr);
    if (!plain) return true;  // the interpreter runs it
    EmitterInput in;
    in.code = &code;
    in.first = in.last = code.start[stage_count - 1];
    while (code.list[static_cast<std::size_t>(in.last)].code != code_of(Code::end)) ++in.last;
    in.keep.assign(static_cast<std::size_t>(code.slots) + 1, 0);
    for (const int slot : map.result_slot) in.keep[static_cast<std::size_t>(slot)] = 1;
    void* f = emit(in, true);
    kernels_.back() = reinterpret_cast<KernelFunction>(f);
    return f != nullptr;
  }

  void* emit(const EmitterInput& in, bool packed) {
    return made([&](asmjit::CodeHolder& holder) {
      NextUse next(*in.code, in.first, in.last);
      CodeEmitter(holder, in, next, packed).run();
      return true;
    });
  }

  // Without it inputs are loaded the general way.
  void compile_check(const Program& program) {
    check_ = reinterpret_cast<CheckFunction>(
        made([&](asmjit::CodeHolder& holder) { return emit_check(holder, program, direct_); }));
  }

  // Null where `write` gives up, or something could not be written.
  template <class Write>
  void* made(Write&& write) {
    asmjit::CodeHolder holder;
    if (holder.init(runtime().environment())) return nullptr;
    Failures failures;
    holder.setErrorHandler(&failures);
    if (!write(holder)) return nullptr;
    void* f = nullptr;
    if (failures.any || runtime().add(&f, &holder)) return nullptr;
    functions_.push_back(f);
    bytes_ += holder.codeSize();
    return f;
  }

  bool good_ = false;
  std::size_t bytes_ = 0;
  KindSet direct_ = 0;
  std::vector<InputKind> vectors_;
  std::vector<void*> functions_;
  CheckFunction check_ = nullptr;
  std::array<StageFunction, stage_count> stage_{};
  std::vector<KernelFunction> kernels_;
  std::vector<Program::Store> late_;
  std::vector<char> written_;  // by slot: computed in the last stage, whose code stores it
  std::vector<LookUp> look_ups_;
  std::vector<std::shared_ptr<const External>> externals_;
};

bool switched_off() {
  const char* value = std::getenv("DAEDALUS_JIT");
  return value && (std::strcmp(value, "off") == 0 || std::strcmp(value, "0") == 0);
}

bool processor_fits() {
  return asmjit::Environment::host().is64Bit() && asmjit::Environment::host().isFamilyX86() &&
         asmjit::CpuInfo::host().features().x86().hasAVX();
}

}  // namespace

bool MachineCode::available() { return reason().empty(); }

std::string MachineCode::reason() {
  if (switched_off()) return "the environment variable DAEDALUS_JIT switches machine code off";
  if (!processor_fits()) return "this processor is not an x86-64 with AVX";
  return {};
}

std::shared_ptr<const MachineCode> MachineCode::compile(const Program& program) {
  if (!available()) return nullptr;
  auto code = std::make_shared<X86Code>(program);
  return code->good() ? code : nullptr;
}

}  // namespace daedalus::graph
#endif
