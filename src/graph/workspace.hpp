// SPDX-License-Identifier: BSD-3-Clause
// Members of Workspace, for the files that instantiate it.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "graph/interpret.hpp"

namespace daedalus::graph {

template <class S>
Workspace<S>::Workspace(const Program& program)
    : w_(static_cast<std::size_t>(program.instructions().slots) + 1) {
  const auto fill = [](const Instructions& code, S* w, int stride) {
    for (std::size_t k = 0; k < code.constants.size(); ++k)
      for (int i = 0; i < stride; ++i)
        w[k * static_cast<std::size_t>(stride) + static_cast<std::size_t>(i)] = code.constants[k];
  };
  fill(program.instructions(), w_.data(), 1);
  std::size_t slots = 0;
  for (const MapProgram& map : program.maps()) {
    const auto size = static_cast<std::size_t>(map.kernel.slots) + 1;
    const int width = map.kernel.lazy ? 1 : block_size;
    scratch_.emplace_back(size * static_cast<std::size_t>(width));
    fill(map.kernel, scratch_.back().data(), width);
    slots = std::max(slots, size);
  }
  pointers_.resize(slots);
}

// From so many numbers on the C library's comparison, which knows the processor's widest registers,
// takes fewer instructions than the one below; for fewer a call would cost more.
inline constexpr int min_library_comparison = 12;
inline bool same_bits(const double* a, const double* b, int n) {
  if (n >= min_library_comparison)
    return std::memcmp(a, b, static_cast<std::size_t>(n) * sizeof(double)) == 0;
  using Two = std::uint64_t __attribute__((vector_size(16)));
  const auto differ = [&](int i) {
    Two x, y;
    std::memcpy(&x, a + i, sizeof x);
    std::memcpy(&y, b + i, sizeof y);
    return x ^ y;
  };
  Two first{}, second{};
  int k = 0;
  for (; k + 8 <= n; k += 8) {
    first |= differ(k) | differ(k + 2);
    second |= differ(k + 4) | differ(k + 6);
  }
  for (; k + 2 <= n; k += 2) first |= differ(k);
  first |= second;
  std::uint64_t difference = first[0] | first[1];
  for (; k < n; ++k)
    difference |= std::bit_cast<std::uint64_t>(a[k]) ^ std::bit_cast<std::uint64_t>(b[k]);
  return difference == 0;
}
template <class S>
bool same_bits(const S* a, const S* b, int n) {
  return std::memcmp(static_cast<const void*>(a), b, static_cast<std::size_t>(n) * sizeof(S)) == 0;
}

// Brings numbers to `to`: whether one of them changed.
template <class S>
[[gnu::always_inline]] inline bool refresh(S* to, const S* from, int count) {
  if (same_bits(to, from, count)) return false;
  std::copy(from, from + count, to);
  return true;
}
// One by one: a vector that was just written so would make longer reads wait (a store is forwarded
// to a later load of the same size at once); volatile keeps the compiler from joining them.
template <class S>
[[gnu::always_inline]] inline void copy_few(S* to, const S* from, int n) {
  const auto one = [&](int k) {
    if constexpr (std::is_same_v<S, double>)
      to[k] = static_cast<const volatile double*>(from)[k];
    else
      to[k] = from[k];
  };
  int k = 0;
  for (; k + 4 <= n; k += 4) one(k), one(k + 1), one(k + 2), one(k + 3);
  for (; k < n; ++k) one(k);
}
template <class S>
bool refresh_modes(S* to, const double* from, int count) {
  bool changed = false;
  for (int k = 0; k < count; ++k) {
    const S value = S(from[k]);
    changed = refresh(to + k, &value, 1) || changed;
  }
  return changed;
}

// Inlined: of small models an evaluation by machine code is not longer than a few calls.
template <class S>
[[gnu::always_inline]] inline int Workspace<S>::load(const Program& program, const Point<S>& point,
                                                     std::uint32_t direct) {
  bool fixed = !known_, time = false;
  S* const w = w_.data();
  for (const Program::Load& l : program.loads(0)) {
    S* const to = w + l.slot;
    if (l.kind == InputKind::mode)
      fixed |= refresh_modes(to, point.modes + l.first, l.count);
    else if (l.kind == InputKind::previous)
      fixed |= refresh_modes(to, point.previous + l.first, l.count);
    else
      fixed |= refresh(to, point[l.kind] + l.first, l.count);
  }
  for (const Program::Load& l : program.loads(1)) time |= refresh(w + l.slot, point[l.kind], 1);
  for (const Program::Load& l : program.loads(2)) {
    if (direct >> static_cast<int>(l.kind) & 1) continue;
    copy_few(w + l.slot, point[l.kind] + l.first, l.count);
  }
  known_ = true;
  return 4 | (fixed ? 3 : time ? 2 : 0);
}

template <class S>
int Workspace<S>::run(const Program& program, const Point<S>& point, S* out) {
  const int stages = load(program, point);
  const Instructions& code = program.instructions();
  // From the first stage that has to run on through all of them.
  const std::size_t first = stages & 1 ? 0 : stages & 2 ? 1 : 2;
  const int failed = interpret(code, code.start[first], w_.data());
  if (failed >= 0) {
    known_ = false;
    return failed;
  }
  for (const Program::Fixed& f : program.fixed()) {
    out[f.row] = S(f.value);
    for (int k = 1; k < f.count; ++k) out[f.row + k] = S(f.value);
  }
  const S* const w = w_.data();
  for (const Program::Store& s : program.stores()) {
    copy_few(out + s.row, w + s.slot, 1);
    if (s.count > 1) copy_few(out + s.row + 1, w + s.slot + 1, s.count - 1);
  }
  if (program.maps().empty()) return -1;
  for (const bool accumulate : {false, true})
    for (std::size_t m = 0; m < program.maps().size(); ++m) {
      const MapProgram& map = program.maps()[m];
      if (map.accumulate != accumulate) continue;
      if (const int wrong = run_map(map, m, point, out); wrong >= 0) return wrong;
    }
  return -1;
}

// Argument k of instance i.
template <class S>
S map_entry(const MapProgram& map, const MapProgram::Segment& segment, std::size_t k, int i,
            const Point<S>& point, const S* outer) {
  const MapProgram::Argument& a = map.arguments[k];
  if (a.source == MapArgument::Source::values) return S(a.values[static_cast<std::size_t>(i)]);
  if (a.source == MapArgument::Source::scalar) return outer[a.slot];
  const std::int32_t number = map.index(segment, k, i);
  if (a.kind == InputKind::mode) return S(point.modes[number]);
  if (a.kind == InputKind::previous) return S(point.previous[number]);
  return point[a.kind][number];
}

template <class S>
int Workspace<S>::run_each(const MapProgram& map, std::size_t number, const Point<S>& point,
                           S* out) {
  S* w = scratch_[number].data();
  const std::size_t arguments = map.arguments.size();
  for (const MapProgram::Segment& segment : map.segments)
    for (int i = segment.first; i < segment.first + segment.count; ++i) {
      S* argument = w + map.kernel.first_input();
      for (std::size_t k = 0; k < arguments; ++k)
        *argument++ = map_entry(map, segment, k, i, point, w_.data());
      const int failed = interpret(map.kernel, map.kernel.start[stage_count - 1], w);
      if (failed >= 0) return failed;
      for (std::size_t r = 0; r < map.result_slot.size(); ++r) {
        S& to = out[map.index(segment, arguments + r, i)];
        const S value = w[map.result_slot[r]];
        to = map.accumulate ? to + value : value;
      }
    }
  return -1;
}

template <class S>
int Workspace<S>::run_map(const MapProgram& map, std::size_t number, const Point<S>& point, S* out,
                          BlockCode code) {
  if (map.kernel.lazy) return run_each(map, number, point, out);
  const auto slot = [&](int k) {
    return scratch_[number].data() + static_cast<std::size_t>(k) * block_size;
  };
  for (int k = 0; k < map.kernel.slots; ++k) pointers_[static_cast<std::size_t>(k)] = slot(k);
  for (std::size_t k = 0; k < map.arguments.size(); ++k)
    if (map.arguments[k].source == MapArgument::Source::scalar) {
      S* to = slot(map.kernel.first_input() + static_cast<int>(k));
      std::fill(to, to + block_size, w_[static_cast<std::size_t>(map.arguments[k].slot)]);
    }
  for (const MapProgram::Segment& segment : map.segments)
    for (int done = 0; done < segment.count; done += block_size) {
      const int count = std::min(block_size, segment.count - done);
      const int failed =
          run_block(map, number, segment, segment.first + done, count, point, out, code);
      if (failed >= 0) return failed;
    }
  return -1;
}

// Assertions fail for the block; tables and external functions go entry by entry.
template <class S>
int block_special(const Instructions& code, const Instruction& n, S* d, const S* const* slot,
                  int count) {
  if (n.code == code_of(Op::assertion)) {
    for (int i = 0; i < count; ++i)
      if (!(value_of(slot[n.a][i]) != 0.0)) return n.c;
    for (int i = 0; i < count; ++i) d[i] = slot[n.b][i];
    return -1;
  }
  for (int i = 0; i < count; ++i) {
    std::array<S, max_external_arguments> x{};
    if (n.code == code_of(Op::table)) {
      const LookUp& l = code.look_ups[static_cast<std::size_t>(n.c)];
      x[0] = slot[n.a][i];
      if (n.b >= 0) x[1] = slot[n.b][i];
      d[i] = lifted(TableSource{l.table.get(), l.order}, x.data(), n.b < 0 ? 1 : 2);
    } else {
      for (int k = 0; k < n.b; ++k)
        x[static_cast<std::size_t>(k)] = slot[code.arguments[static_cast<std::size_t>(n.a + k)]][i];
      const External* f = code.externals[static_cast<std::size_t>(n.c)].get();
      d[i] = lifted(ExternalSource{f}, x.data(), n.b);
    }
  }
  return -1;
}

template <class S>
int interpret_block(const Instructions& code, S* base, const S* const* slot, int count) {
  const Instruction* n = code.list.data() + code.start[stage_count - 1];
  for (; n->code != code_of(Code::end); ++n) {
    S* d = base + static_cast<std::size_t>(n->d) * block_size;
    if (n->code == code_of(Op::assertion) || n->code == code_of(Op::table) ||
        n->code == code_of(Op::external)) {
      const int failed = block_special(code, *n, d, slot, count);
      if (failed >= 0) return failed;
    } else {
      block_operation(n->code, d, slot[n->a], slot[n->b], slot[n->c], count);
    }
  }
  return -1;
}

template <class S>
int Workspace<S>::run_block(const MapProgram& map, std::size_t number,
                            const MapProgram::Segment& segment, int first, int count,
                            const Point<S>& point, S* out, BlockCode code) {
  S* const base = scratch_[number].data();
  const std::int32_t* stride = map.strides.data() + segment.strides;
  for (std::size_t k = 0; k < map.arguments.size(); ++k) {
    const MapProgram::Argument& a = map.arguments[k];
    if (a.source == MapArgument::Source::scalar) continue;
    const auto slot = static_cast<std::size_t>(map.kernel.first_input()) + k;
    const bool plain = a.source == MapArgument::Source::input && a.kind != InputKind::mode &&
                       a.kind != InputKind::previous;
    // Machine code computes a multiple of four and must not read beyond the end.
    const bool whole = !code || count % block_step == 0;
    if (plain && whole && !segment.gather && stride[k] == 1) {
      const S* const values = point[a.kind];  // none: inputs that this program does not use
      pointers_[slot] = values ? values + map.index(segment, k, first) : nullptr;
      continue;
    }
    S* to = base + slot * block_size;
    pointers_[slot] = to;
    if (plain && !segment.gather) {
      const S* x = point[a.kind] + map.index(segment, k, first);
      for (int i = 0; i < count; ++i) to[i] = x[static_cast<std::ptrdiff_t>(stride[k]) * i];
    } else {
      for (int i = 0; i < count; ++i)
        to[i] = map_entry(map, segment, k, first + i, point, w_.data());
    }
  }
  const S* const* slot = pointers_.data();
  if (code) {
    code(base, slot, (count + block_step - 1) / block_step * block_step);
  } else {
    const int failed = interpret_block(map.kernel, base, slot, count);
    if (failed >= 0) return failed;
  }
  for (std::size_t r = 0; r < map.result_slot.size(); ++r) {
    const S* value = slot[map.result_slot[r]];
    const std::size_t k = map.arguments.size() + r;
    const auto put = [&](auto&& row) {
      if (map.accumulate)
        for (int i = 0; i < count; ++i) out[row(i)] = out[row(i)] + value[i];
      else
        for (int i = 0; i < count; ++i) out[row(i)] = value[i];
    };
    const int from = map.index(segment, k, first), step = stride[k];
    if (segment.gather)
      put([row = map.tables[k].data() + first](int i) { return row[i]; });
    else if (step == 1 && !map.accumulate)
      std::copy(value, value + count, out + from);
    else
      put([=](int i) { return from + step * i; });
  }
  return -1;
}

}  // namespace daedalus::graph
