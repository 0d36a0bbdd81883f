// SPDX-License-Identifier: BSD-3-Clause
#include "model/tangent.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "graph/jacobian.hpp"
#include "graph/reach.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

using graph::InputKind;

// Behind the vectors of the slot.
constexpr int time_vector = 5, parameter_vector = 6;
// Nodes of formulas that are derived, and derivatives per row: beyond that dual numbers are
// cheaper.
constexpr std::size_t max_nodes = 4000;
constexpr int max_per_row = 8;

std::vector<int> nodes_of(const graph::Graph& g, const graph::Outputs& rows) {
  std::vector<int> roots;
  for (const auto& s : rows.single)
    if (!s.value.is_number()) roots.push_back(s.value.node());
  return graph::reached(g, roots);
}

// -0 is no direction.
bool no_direction(const Dual4& x) {
  const auto bits = [&](std::size_t k) { return std::bit_cast<std::uint64_t>(x.d[k]); };
  return ((bits(0) | bits(1)) | (bits(2) | bits(3))) << 1 == 0;
}

// Two directions at a time: the compiler does not see that they do not overlap.
void add_multiple(std::array<double, 4>& sum, double factor, const std::array<double, 4>& d) {
  using Two = double __attribute__((vector_size(16)));
  Two s0, s1, d0, d1;
  std::memcpy(&s0, sum.data(), sizeof s0);
  std::memcpy(&s1, sum.data() + 2, sizeof s1);
  std::memcpy(&d0, d.data(), sizeof d0);
  std::memcpy(&d1, d.data() + 2, sizeof d1);
  s0 += factor * d0;
  s1 += factor * d1;
  std::memcpy(sum.data(), &s0, sizeof s0);
  std::memcpy(sum.data() + 2, &s1, sizeof s1);
}

}  // namespace

std::unique_ptr<Tangent> Tangent::make(graph::Graph& g, const graph::Outputs& lowered,
                                       const FormulaSettings& settings,
                                       const std::array<int, 5>& sizes) {
  if (!lowered.maps.empty() || nodes_of(g, lowered).size() > max_nodes) return nullptr;
  std::vector<Entry> entries;
  for (int vector = 0; vector <= time_vector; ++vector) {
    const bool time = vector == time_vector;
    const InputKind kind = time ? InputKind::time : settings.kinds[at(vector)];
    const int n = time ? 1 : sizes[at(vector)];
    if (n == 0 || kind == no_kind) continue;
    const graph::Jacobian j = graph::jacobian(g, lowered, kind, n);
    std::vector<int> column(j.inner.size());
    for (int c = 0; c < n; ++c)
      for (int k = j.outer[at(c)]; k < j.outer[at(c) + 1]; ++k) column[at(k)] = c;
    for (const auto& s : j.entries.single)
      entries.push_back({j.inner[at(s.row)], vector, column[at(s.row)], s.value});
  }
  if (static_cast<int>(entries.size()) > max_per_row * (lowered.count + 1)) return nullptr;
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    return std::pair(x.vector, x.column) < std::pair(y.vector, y.column);
  });
  graph::Outputs joint = lowered;
  for (const Entry& e : entries) joint.add(e.value);
  std::unique_ptr<Tangent> made(new Tangent(g, joint, settings));
  made->rows_ = lowered.count;
  for (const Entry& e : entries) {
    std::vector<Column>& columns = made->columns_;
    made->row_of_.push_back(e.row);
    if (columns.empty() || columns.back().vector != e.vector || columns.back().number != e.column)
      columns.push_back({e.vector, e.column, 0});
    columns.back().end = static_cast<int>(made->row_of_.size());
  }
  made->sizes_ = sizes;
  made->find_reads(settings.kinds);
  return made;
}

void Tangent::find_reads(const VectorKinds& kinds) {
  const graph::Program& program = all_.program();
  for (const graph::Program::Fixed& f : program.fixed())
    if (f.value == 0.0 && !std::signbit(f.value) && f.row < rows_)
      zeros_.push_back({f.row, std::min(f.count, rows_ - f.row)});
  std::sort(zeros_.begin(), zeros_.end(),
            [](const Zeros& x, const Zeros& y) { return x.row < y.row; });
  std::array<int, parameter_vector + 2> start{};  // of each plain vector
  for (int v = 0; v < parameter_vector; ++v)
    start[at(v) + 1] = start[at(v)] + (v == time_vector ? 1 : sizes_[at(v)]);
  for (int stage = 0; stage < graph::stage_count; ++stage)
    for (const graph::Program::Load& l : program.loads(stage)) {
      if (l.kind == InputKind::mode || l.kind == InputKind::previous) {
        reads_modes_ = true;
        continue;
      }
      const auto k = std::find(kinds.begin(), kinds.end(), l.kind) - kinds.begin();
      const int vector = l.kind == InputKind::time        ? time_vector
                         : l.kind == InputKind::parameter ? parameter_vector
                                                          : static_cast<int>(k);
      if (vector == parameter_vector) {
        if (parameter_count_ == 0) first_parameter_ = l.first;
        parameter_count_ = l.first + l.count;
        continue;
      }
      const int first = vector == time_vector ? 0 : l.first;
      reads_.push_back({vector, first, l.count, start[at(vector)] + first});
    }
  input_count_ = at(start[parameter_vector] + parameter_count_);
}

// False where one has a direction.
bool Tangent::load_parameters(const Dual4* from, Memory& memory) const {
  const std::size_t n = memory.parameters.size();
  from += first_parameter_;
  if (n == 0 ||
      std::memcmp(static_cast<const void*>(memory.parameters.data()), from, n * sizeof(Dual4)) == 0)
    return true;
  if (!std::all_of(from, from + n, no_direction)) return false;
  std::copy(from, from + n, memory.parameters.begin());
  double* to = memory.inputs.data() + (input_count_ - n);
  for (std::size_t k = 0; k < n; ++k) to[k] = from[k].v;
  memory.known = false;
  return true;
}

// Whether the point is the one seen last.
bool Tangent::load(const Arguments<Dual4>& a, Memory& memory) const {
  const std::array<const Dual4*, parameter_vector> vectors{a.x[0], a.x[1], a.x[2],
                                                           a.x[3], a.x[4], &a.t};
  std::uint64_t changed = !memory.known || reads_modes_;
  for (const Read& r : reads_) {
    const Dual4* const from = vectors[at(r.vector)] + r.first;
    double* const to = memory.inputs.data() + r.place;
    for (int k = 0; k < r.count; ++k) {
      changed |= std::bit_cast<std::uint64_t>(to[k]) ^ std::bit_cast<std::uint64_t>(from[k].v);
      to[k] = from[k].v;
    }
  }
  return changed == 0;
}

Arguments<double> Tangent::plain(const Arguments<Dual4>& a, const Memory& memory) const {
  Arguments<double> x;
  const double* next = memory.inputs.data();
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    x.x[k] = next;
    x.n[k] = a.x[k] ? sizes_[k] : 0;
    next += sizes_[k];
  }
  x.t = *next++;
  x.p = next;
  x.parameter_count = parameter_count_;
  x.modes = a.modes;
  x.mode_count = a.mode_count;
  return x;
}

bool Tangent::run(const Arguments<Dual4>& a, Dual4* out) const {
  return memory_.with(*this, [&](Memory& memory) {
    if (!load_parameters(a.p, memory)) return false;
    if (!load(a, memory)) {
      memory.known = false;  // also where an assertion fails
      all_.run(plain(a, memory), memory.results.data());
      memory.known = true;
    }
    const double* const value = memory.results.data();
    int row = 0;
    for (const Zeros& z : zeros_) {
      for (; row < z.row; ++row) out[row] = Dual4(value[row]);
      std::fill_n(out + row, z.count, Dual4(0.0));
      row += z.count;
    }
    for (; row < rows_; ++row) out[row] = Dual4(value[row]);
    // Of the inputs few have a direction at a time.
    const double* const slope = value + rows_;
    const std::array<const Dual4*, parameter_vector> vectors{a.x[0], a.x[1], a.x[2],
                                                             a.x[3], a.x[4], &a.t};
    int k = 0;
    for (const Column& c : columns_) {
      const Dual4& x = vectors[at(c.vector)][c.number];
      if (!no_direction(x))
        for (; k < c.end; ++k) add_multiple(out[row_of_[at(k)]].d, slope[k], x.d);
      k = c.end;
    }
    return true;
  });
}

}  // namespace daedalus
