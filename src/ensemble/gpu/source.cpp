// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/gpu/source.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "ensemble/gpu/regions.hpp"
#include "graph/operations.hpp"
#include "kernel/at.hpp"

namespace daedalus::gpu {
namespace {

using graph::Op;
using lanes::Instruction;
using lanes::Program;

// NVRTC knows the mathematical functions without headers.
constexpr const char* prelude = R"(#ifdef __CUDACC__
#define FUNCTION static __device__ __forceinline__
#define NEXT(counter) atomicAdd(counter, 1u)
#define ANY(condition) __any_sync(0xffffffffu, condition)
#define NOT_FINITE(bits) __longlong_as_double(bits)
#else
#include <cmath>
using namespace std;
#define FUNCTION static inline
#define NEXT(counter) (*(counter))++
#define ANY(condition) (condition)
static double NOT_FINITE(long long bits) { double x; __builtin_memcpy(&x, &bits, 8); return x; }
#endif
struct Arguments {
  const double *numbers, *given, *times;
  double *state, *y;
  unsigned char* outcome;
  unsigned int* next;
  long long stride, given_stride, times_stride;
  unsigned int count, given_step, times_step;
  const double *inside;
  double *series, *ended;
  unsigned int inside_count;
};
FUNCTION double sign_of(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x == 0.0 ? 0.0 : x; }
FUNCTION double modulo(double x, double y) { return x - floor(x / y) * y; }
)";

constexpr const char* kernels = R"(
#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__({0}) {1}(Arguments a) {{
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < a.count) start_of(a, i);
}}
extern "C" __global__ void __launch_bounds__({0}) {2}(Arguments a) {{ attempts_of(a); }}
#else
extern "C" void {1}(const Arguments& a) {{
  for (unsigned int i = 0; i < a.count; ++i) start_of(a, i);
}}
extern "C" void {2}(const Arguments& a) {{ attempts_of(a); }}
#endif
)";

std::string literal(double value) {
  if (!std::isfinite(value)) {
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return fmt::format("NOT_FINITE({:#x}ll)", bits);
  }
  if (value == std::trunc(value) && std::abs(value) < 1e15 && !std::signbit(value))
    return fmt::format("{:.1f}", value);
  return fmt::format("({:a})", value);
}

std::string name_of_slot(const Program& p, int slot) {
  if (slot < p.first_input()) return literal(p.constants[at(slot)]);
  if (slot < p.first_parameter()) return fmt::format("x{}", slot - p.first_input());
  if (slot < p.first_result()) return fmt::format("p{}", slot - p.first_parameter());
  if (slot < p.first_kept()) return fmt::format("r{}", slot - p.first_result());
  if (slot < p.first_temporary()) return fmt::format("k{}", slot - p.first_kept());
  return fmt::format("t{}", slot - p.first_temporary());
}

// One list of instructions as statements; slots that it reads are variables x, p, k, t by number.
class Statements {
 public:
  Statements(const Program& p, const std::vector<Instruction>& list, std::vector<char>& boolean,
             std::string indent, bool declares = true, std::set<int>* inverted = nullptr)
      : p_(p),
        list_(list),
        boolean_(boolean),
        regions_(find_regions(p, list)),
        indent_(std::move(indent)),
        declares_(declares),
        inverted_(inverted) {}

  std::string run() {
    by_region_.resize(regions_.all.size());
    for (std::size_t k = 0; k < list_.size(); ++k) by_region_[at(regions_.of[k])].push_back(k);
    region(0);
    return std::move(text_);
  }

 private:
  bool is(const Instruction& i, Op op) const { return i.op == static_cast<std::uint16_t>(op); }
  bool is_boolean(int slot) const { return boolean_[at(slot)] != 0; }
  bool makes_boolean(const Instruction& i) const {
    if (i.op == lanes::copy_op) return is_boolean(i.a) && i.d >= p_.first_kept();
    if (is(i, Op::select)) return is_boolean(i.b) && is_boolean(i.c);
    return graph::info(static_cast<Op>(i.op)).boolean;
  }

  std::string name(int slot) const { return name_of_slot(p_, slot); }
  std::string number(int slot) const {
    return is_boolean(slot) ? fmt::format("({} ? 1.0 : 0.0)", name(slot)) : name(slot);
  }
  std::string truth(int slot) const {
    if (is_boolean(slot)) return name(slot);
    if (slot < p_.first_input()) return p_.constants[at(slot)] != 0.0 ? "true" : "false";
    return fmt::format("({} != 0.0)", name(slot));
  }
  std::string value(const Instruction& i, int slot) const {
    return makes_boolean(i) ? truth(slot) : number(slot);
  }

  // A divisor that a run keeps is a factor: divisions take ten times as long.
  bool is_kept_divisor(const Instruction& i) const {
    const bool kept = (i.b >= p_.first_parameter() && i.b < p_.first_result()) ||
                      (i.b >= p_.first_kept() && i.b < p_.first_temporary());
    return inverted_ && is(i, Op::divide) && kept && !is_boolean(i.b);
  }

  std::string expression(const Instruction& i) const {
    if (is_kept_divisor(i)) {
      inverted_->insert(i.b);
      return fmt::format("{} * inverse_{}", number(i.a), name(i.b));
    }
    if (i.op == lanes::copy_op) return value(i, i.a);
    const auto op = static_cast<Op>(i.op);
    const graph::OpInfo& about = graph::info(op);
    const std::string a = number(i.a), b = about.operand_count > 1 ? number(i.b) : "";
    switch (op) {
      case Op::logical_and:
        return fmt::format("{} && {}", truth(i.a), truth(i.b));
      case Op::logical_or:
        return fmt::format("{} || {}", truth(i.a), truth(i.b));
      case Op::logical_not:
        return fmt::format("!{}", truth(i.a));
      case Op::select:
        return fmt::format("{} ? {} : {}", truth(i.a), value(i, i.b), value(i, i.c));
      case Op::min:
        return fmt::format("{1} < {0} ? {1} : {0}", a, b);
      case Op::max:
        return fmt::format("{0} < {1} ? {1} : {0}", a, b);
      case Op::not_equal:
        return fmt::format("{} != {}", a, b);
      case Op::negate:
        return fmt::format("-{}", a);
      case Op::abs:
        return fmt::format("fabs({})", a);
      case Op::sign:
        return fmt::format("sign_of({})", a);
      case Op::mod:
        return fmt::format("modulo({}, {})", a, b);
      default:
        if (!about.function) return fmt::format("{} {} {}", a, about.name, b);
        return b.empty() ? fmt::format("{}({})", about.name, a)
                         : fmt::format("{}({}, {})", about.name, a, b);
    }
  }

  void region(int r) {
    for (const std::size_t k : by_region_[at(r)]) {
      const Instruction& i = list_[k];
      const bool boolean = makes_boolean(i);
      const auto [first, second] = regions_.branch_of[k];
      const bool fresh = declares_ && i.d >= p_.first_kept();
      const std::string type = !fresh ? "" : boolean ? "bool " : "double ";
      if (first == 0 && second == 0)
        line(fmt::format("{}{}{} = {};", fresh ? "const " : "", type, name(i.d), expression(i)));
      else
        branches(i, type, first, second);
      if (i.d >= p_.first_kept()) boolean_[at(i.d)] = boolean ? 1 : 0;
    }
  }
  // The sides of `&&` and `||` that are not there are the condition itself.
  void branches(const Instruction& i, const std::string& type, int first, int second) {
    const bool both = is(i, Op::select);
    if (!type.empty()) line(fmt::format("{}{};", type, name(i.d)));
    line(fmt::format("if ({}) {{", truth(i.a)));
    side(i, first, is(i, Op::logical_or) ? -1 : i.b, "true");
    line("} else {");
    side(i, second, both ? i.c : is(i, Op::logical_or) ? i.b : -1, "false");
    line("}");
  }
  void side(const Instruction& i, int r, int slot, const char* standard) {
    indent_ += "  ";
    if (r > 0) region(r);
    line(fmt::format("{} = {};", name(i.d), slot < 0 ? standard : value(i, slot)));
    indent_.resize(indent_.size() - 2);
  }
  void line(const std::string& words) { text_ += indent_ + words + '\n'; }

  const Program& p_;
  const std::vector<Instruction>& list_;
  std::vector<char>& boolean_;  // by slot
  Regions regions_;
  std::vector<std::vector<std::size_t>> by_region_;
  std::string indent_, text_;
  bool declares_;            // variables of what is not declared yet
  std::set<int>* inverted_;  // slots whose inverses are there; null: there are none
};

// Without the copies that put results in the place of inputs: the source does that itself.
std::vector<Instruction> without_replacement(const Program& p) {
  std::vector<Instruction> list;
  for (const Instruction& i : p.body)
    if (i.d < p.first_input() || i.d >= p.first_parameter()) list.push_back(i);
  return list;
}

std::string declared(const char* letter, int first, int end) {
  std::string text;
  for (int k = first; k < end; ++k) text += fmt::format("{}{}{}", k > first ? ", " : "", letter, k);
  return text.empty() ? "" : "  double " + text + ";\n";
}
std::string load_numbers(const Program& p, const char* indent) {
  std::string text;
  for (int k = 0; k < p.parameters; ++k)
    text += fmt::format("{}p{} = a.numbers[{} * a.stride + i];\n", indent, k, k);
  return text;
}

std::string start_source(const lanes::Kernel& kernel) {
  const Program& p = kernel.start;
  std::vector<char> boolean(at(p.slots()), 0);
  std::string text = "FUNCTION void start_of(const Arguments& a, unsigned int i) {\n";
  text += declared("p", 0, p.parameters) + load_numbers(p, "  ");
  text += fmt::format(
      "  const double x{} = a.times[(long long)i * a.times_step];\n"
      "  const double x{} = a.times[a.times_stride + (long long)i * a.times_step];\n",
      int{lanes::start_t}, int{lanes::start_end});
  for (int k = 0; k < kernel.given; ++k)
    text += fmt::format(
        "  const double x{} = a.given[{} * a.given_stride + (long long)i * a.given_step];\n",
        lanes::start_given + k, k);
  text += Statements(p, p.prologue, boolean, "  ").run();
  text += declared("r", 0, p.results);
  text += fmt::format(
      "  const double length = x{0} - x{1}, shortest = {2} * length;\n"
      "  double x{3} = {4} * length;\n"
      "  a.outcome[i] = {5};\n"
      "  for (;;) {{\n",
      int{lanes::start_end}, int{lanes::start_t}, literal(lanes::shortest_probe),
      int{lanes::start_short}, literal(lanes::first_probe), int{no_start});
  text += Statements(p, p.body, boolean, "    ").run();
  text += fmt::format("    if (r{} != 0.0) break;\n    x{} = r{};\n", int{lanes::start_good},
                      int{lanes::start_short}, int{lanes::start_next});
  text += fmt::format("    if (!(x{} > shortest)) return;\n  }}\n", int{lanes::start_short});
  text += fmt::format("  a.outcome[i] = {};\n", int{finished});
  for (int k = 0; k < kernel.state; ++k)
    text += fmt::format("  a.state[{} * a.stride + i] = r{};\n", k, lanes::start_state + k);
  text +=
      fmt::format("  a.state[{} * a.stride + i] = r{};\n}}\n", kernel.state, int{lanes::start_h});
  return text;
}

// Keeps the states at times that the run has reached, and sets the end of the next step there.
std::string inside_source(const lanes::Kernel& kernel, const char* indent) {
  std::string text = fmt::format(
      "{0}for (; reached < a.inside_count && a.inside[reached] <= x{1}; ++reached) {{\n", indent,
      int{lanes::place_t});
  for (int k = 0; k < kernel.variables; ++k)
    text += fmt::format("{0}  a.series[((long long)reached * {1} + {2}) * a.stride + i] = x{3};\n",
                        indent, kernel.variables, k, lanes::place_state + k);
  return text +
         fmt::format("{0}}}\n{0}x{1} = reached < a.inside_count ? a.inside[reached] : end;\n",
                     indent, int{lanes::place_end});
}

std::string attempts_source(const lanes::Kernel& kernel, bool inside, bool stops) {
  const Program& p = kernel.attempt;
  std::vector<char> boolean(at(p.slots()), 0);
  std::string text = "FUNCTION void attempts_of(const Arguments& a) {\n";
  text += declared("x", 0, p.inputs) + declared("p", 0, p.parameters);
  // What depends on parameters alone is found once per run.
  const std::string kept = Statements(p, p.prologue, boolean, "      ", false).run();
  for (int k = 0; k < p.kept; ++k)
    text += fmt::format("  {} k{};\n", boolean[at(p.first_kept() + k)] ? "bool" : "double", k);
  const std::vector<Instruction> list = without_replacement(p);
  std::set<int> inverted;
  const std::string body = Statements(p, list, boolean, "    ", true, &inverted).run();
  for (const int slot : inverted)
    text += fmt::format("  double inverse_{};\n", name_of_slot(p, slot));
  // The threads of a group meet in every step: one that has no run left waits for the others, and
  // none runs through the code alone.
  if (inside) text += "  unsigned int reached = 0;\n  double end = 0.0;\n";
  text +=
      "  unsigned int i = 0, loaded = a.count;\n  bool live = false;\n  for (;;) {\n"
      "    if (!live && i < a.count) {\n"
      "      do i = NEXT(a.next); while (i < a.count && a.outcome[i] != 0);\n"
      "      live = i < a.count;\n    }\n"
      "    if (!ANY(live)) return;\n"
      "    if (!live) continue;\n"
      "    if (loaded != i) {\n      loaded = i;\n";
  text += load_numbers(p, "      ");
  for (int k = 0; k < lanes::place_state; ++k) text += fmt::format("      x{} = 0.0;\n", k);
  text += fmt::format(
      "      x{} = a.times[(long long)i * a.times_step];\n"
      "      x{} = a.times[a.times_stride + (long long)i * a.times_step];\n"
      "      x{} = a.state[{} * a.stride + i];\n",
      int{lanes::place_t}, int{lanes::place_end}, int{lanes::place_h}, kernel.state);
  for (int k = 0; k < kernel.state; ++k)
    text += fmt::format("      x{} = a.state[{} * a.stride + i];\n", lanes::place_state + k, k);
  text += kept;
  for (const int slot : inverted)
    text += fmt::format("      inverse_{0} = 1.0 / {0};\n", name_of_slot(p, slot));
  if (inside)
    text += fmt::format("      reached = 0;\n      end = x{};\n", int{lanes::place_end}) +
            inside_source(kernel, "      ");
  text += "    }\n  " + declared("r", 0, p.results) + body;
  for (int k = 0; k < p.inputs; ++k) text += fmt::format("    x{} = r{};\n", k, k);
  const int ending = p.inputs;
  const std::string done = fmt::format("r{} == {}", ending, literal(lanes::ending_done));
  text += fmt::format("    if (r{} != 0.0) {{\n", ending);
  if (inside)
    text += fmt::format("      if ({}) {{\n", done) + inside_source(kernel, "        ") +
            fmt::format("        if (x{} < end) continue;\n      }}\n", int{lanes::place_t});
  if (stops) text += fmt::format("      a.ended[i] = x{};\n", int{lanes::place_t});
  for (int k = 0; k < kernel.variables; ++k)
    text += fmt::format("      a.y[{} * a.stride + i] = x{};\n", k, lanes::place_state + k);
  // Conditions have numbers behind that of lost runs, as outcomes have.
  static_assert(lanes::ending_lost == 2.0 && lanes::ending_stopped == 3.0 && stopped == 3);
  text += fmt::format(
      "      a.outcome[i] = {} ? {} : r{} == {} ? {} : (unsigned char)r{};\n"
      "      live = false;\n    }}\n  }}\n}}\n",
      done, int{finished}, ending, literal(lanes::ending_lost), int{given_up}, ending);
  return text;
}

}  // namespace

std::string source_of(const lanes::Kernel& kernel, bool inside, bool stops) {
  return prelude + start_source(kernel) + attempts_source(kernel, inside, stops) +
         fmt::format(kernels, threads_per_block, start_function, attempts_function);
}

}  // namespace daedalus::gpu
