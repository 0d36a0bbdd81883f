// SPDX-License-Identifier: BSD-3-Clause
#include "model/tangent.hpp"

#include "graph/jacobian.hpp"
#include "graph/reach.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

using graph::InputKind;

constexpr int time_vector = 5;
// Nodes of formulas that are derived, and derivatives per row: beyond that dual numbers are cheaper.
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
  if (!settings.machine_code || !graph::MachineCode::available() || !lowered.maps.empty() ||
      nodes_of(g, lowered).size() > max_nodes)
    return nullptr;
  graph::Outputs joint = lowered;
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
    for (const auto& s : j.entries.single) {
      entries.push_back({j.inner[at(s.row)], vector, column[at(s.row)]});
      joint.add(s.value);
    }
  }
  if (static_cast<int>(entries.size()) > max_per_row * (lowered.count + 1)) return nullptr;
  std::unique_ptr<Tangent> made(new Tangent(g, joint, settings));
  if (!made->all_.uses_machine_code()) return nullptr;
  made->rows_ = lowered.count;
  made->entries_ = std::move(entries);
  made->sizes_ = sizes;
  for (const int node : nodes_of(g, joint))
    if (g.node(node).op == graph::Op::input && g.kind(node) == InputKind::parameter) {
      made->parameters_.push_back(g.number(node));
      made->parameter_count_ = std::max(made->parameter_count_, g.number(node) + 1);
    }
  return made;
}

bool Tangent::run(const Arguments<Dual4>& a, Dual4* out) const {
  for (const int k : parameters_)
    for (const double d : a.p[k].d)
      if (d != 0.0) return false;
  // One per thread; it grows to the largest that was asked for and stays.
  static thread_local std::vector<double> memory;
  std::size_t size = at(parameter_count_ + all_.count());
  for (const int n : sizes_) size += at(n);
  if (memory.size() < size) memory.resize(size);
  Arguments<double> plain;
  double* next = memory.data();
  plain.t = a.t.v;
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    plain.x[k] = next;
    plain.n[k] = a.x[k] ? sizes_[k] : 0;
    for (int i = 0; i < plain.n[k]; ++i) *next++ = a.x[k][i].v;
  }
  plain.p = next;
  plain.parameter_count = parameter_count_;
  for (const int k : parameters_) next[k] = a.p[k].v;
  next += parameter_count_;
  plain.modes = a.modes;
  plain.mode_count = a.mode_count;
  all_.run(plain, next);
  for (int r = 0; r < rows_; ++r) out[r] = Dual4(next[r]);
  const double* slope = next + rows_;
  for (const Entry& e : entries_) {
    const Dual4& x = e.vector == time_vector ? a.t : a.x[at(e.vector)][e.column];
    Dual4& y = out[e.row];
    for (std::size_t k = 0; k < 4; ++k) y.d[k] += *slope * x.d[k];
    ++slope;
  }
  return true;
}

}  // namespace daedalus
