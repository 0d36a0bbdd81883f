// SPDX-License-Identifier: BSD-3-Clause
// Evaluation of programs over any number type, without allocation. Portable and always there;
// machine code (graph/machine_code.hpp) gives the same bits for plain numbers.
#pragma once

#include <array>
#include <vector>

#include "graph/program.hpp"

namespace daedalus::graph {

// Where the input vectors are. Modes and previous values are plain numbers for every type.
template <class S>
struct Point {
  // Of the kinds before `mode`: the others are below, or belong to kernels.
  std::array<const S*, static_cast<std::size_t>(InputKind::mode)> x{};
  const double* modes = nullptr;
  const double* previous = nullptr;

  const S*& operator[](InputKind kind) { return x[static_cast<std::size_t>(kind)]; }
  const S* operator[](InputKind kind) const { return x[static_cast<std::size_t>(kind)]; }
};

// One per thread. Keeps what depends on parameters, modes and time alone until these change.
template <class S>
class Workspace {
 public:
  Workspace() = default;
  explicit Workspace(const Program& program);

  // out[row] of all rows. -1, or the number of the assertion that failed: Program::message.
  int run(const Program& program, const Point<S>& point, S* out);

  S* data() { return w_.data(); }
  // For machine code: loads inputs, but those of the last stage only for kinds that are not
  // `direct` (bits by kind); which stages have to run (bits).
  int load(const Program& program, const Point<S>& point, std::uint32_t direct = 0);
  // For machine code of kernels: where the blocks of their slots are. Null: the interpreter runs.
  using BlockCode = int (*)(S* scratch, const S* const* slots, long count);
  int run_map(const MapProgram& map, std::size_t number, const Point<S>& point, S* out,
              BlockCode code = nullptr);
  bool known() const { return known_; }  // inputs were loaded, and no assertion failed since then
  void forget() { known_ = false; }

 private:
  int run_block(const MapProgram& map, std::size_t number, const MapProgram::Segment& segment,
                int first, int count, const Point<S>& point, S* out, BlockCode code);
  int run_each(const MapProgram& map, std::size_t number, const Point<S>& point, S* out);

  bool known_ = false;
  std::vector<S> w_;
  std::vector<std::vector<S>> scratch_;  // by map: slots times block
  std::vector<const S*> pointers_;       // by slot of the kernel at work
};

// Runs instructions from `first` to the end of the last stage.
template <class S>
int interpret(const Instructions& code, int first, S* w);

// Instances of a map that are computed together: long enough that choosing the operation costs
// little, short enough that a block of every slot stays in the first cache.
inline constexpr int block_size = 64;
inline constexpr int block_step = 4;  // numbers that machine code of kernels computes at a time
static_assert(block_size % block_step == 0);

// One instruction on a block: d[i] = op(a[i], b[i], c[i]). Not for jumps, tables, external
// functions and assertions.
template <class S>
void block_operation(std::uint16_t code, S* d, const S* a, const S* b, const S* c, int n);

}  // namespace daedalus::graph
