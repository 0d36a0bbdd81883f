// SPDX-License-Identifier: BSD-3-Clause
#include "model/tangent.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "graph/jacobian.hpp"
#include "graph/reach.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

using graph::InputKind;

// Place of t among the vectors of inputs.
constexpr int time_vector = 5;
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
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& x, const Entry& y) { return x.row < y.row; });
  graph::Outputs joint = lowered;
  for (const Entry& e : entries) joint.add(e.value);
  std::unique_ptr<Tangent> made(new Tangent(g, joint, settings));
  made->rows_ = lowered.count;
  made->first_.assign(at(lowered.count) + 1, 0);
  for (const Entry& e : entries) {
    ++made->first_[at(e.row) + 1];
    made->places_.push_back({e.vector, e.column});
  }
  for (std::size_t r = 1; r < made->first_.size(); ++r) made->first_[r] += made->first_[r - 1];
  made->sizes_ = sizes;
  for (const int node : nodes_of(g, joint)) {
    if (g.node(node).op != graph::Op::input) continue;
    const InputKind kind = g.kind(node);
    made->reads_modes_ =
        made->reads_modes_ || kind == InputKind::mode || kind == InputKind::previous;
    if (kind != InputKind::parameter) continue;
    made->parameters_.push_back(g.number(node));
    made->parameter_count_ = std::max(made->parameter_count_, g.number(node) + 1);
  }
  made->input_count_ = at(1 + made->parameter_count_);
  for (const int n : sizes) made->input_count_ += at(n);
  return made;
}

// Whether the point is the one seen last.
bool Tangent::load(const Arguments<Dual4>& a, Memory& memory, Arguments<double>& plain) const {
  double* next = memory.inputs.data();
  std::uint64_t changed = !memory.known || reads_modes_;
  const auto put = [&changed](double& to, double value) {
    changed |= std::bit_cast<std::uint64_t>(to) ^ std::bit_cast<std::uint64_t>(value);
    to = value;
  };
  plain.t = a.t.v;
  put(*next++, a.t.v);
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    plain.x[k] = next;
    plain.n[k] = a.x[k] ? sizes_[k] : 0;
    for (int i = 0; i < plain.n[k]; ++i) put(next[i], a.x[k][i].v);
    next += sizes_[k];
  }
  plain.p = next;
  plain.parameter_count = parameter_count_;
  for (const int k : parameters_) put(next[k], a.p[k].v);
  plain.modes = a.modes;
  plain.mode_count = a.mode_count;
  return changed == 0;
}

bool Tangent::run(const Arguments<Dual4>& a, Dual4* out) const {
  std::uint64_t directed = 0;
  for (const int k : parameters_)
    for (const double d : a.p[k].d) directed |= std::bit_cast<std::uint64_t>(d);
  if (directed << 1 != 0) return false;  // -0 is none
  memory_.with(*this, [&](Memory& memory) {
    Arguments<double> plain;
    if (!load(a, memory, plain)) {
      memory.known = false;  // also where an assertion fails
      all_.run(plain, memory.results.data());
      memory.known = true;
    }
    const double* const value = memory.results.data();
    const double* slope = value + rows_;
    const Dual4* const vectors[] = {a.x[0], a.x[1], a.x[2], a.x[3], a.x[4], &a.t};
    const Place* place = places_.data();
    for (int r = 0; r < rows_; ++r) {
      std::array<double, 4> sum{};
      for (int k = first_[at(r)]; k < first_[at(r) + 1]; ++k, ++place, ++slope) {
        const std::array<double, 4>& d = vectors[place->vector][place->column].d;
        for (std::size_t i = 0; i < 4; ++i) sum[i] += *slope * d[i];
      }
      out[r] = Dual4(value[r], sum);
    }
  });
  return true;
}

}  // namespace daedalus
