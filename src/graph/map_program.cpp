// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <daedalus/types.hpp>

#include "graph/program.hpp"
#include "graph/rewrite.hpp"

namespace daedalus::graph {
namespace {

// Shorter runs than this are cheaper by index tables.
constexpr int min_mean_segment = 8;

// Index i of every argument and result; null: values, and scalars.
using Tables = std::vector<const std::vector<int>*>;
Tables tables_of(const Map& map) {
  Tables tables;
  for (const MapArgument& a : map.arguments)
    tables.push_back(a.source == MapArgument::Source::input ? &a.index : nullptr);
  for (const auto& r : map.rows) tables.push_back(&r);
  return tables;
}

int run_length(const Tables& tables, int first, int count) {
  int end = std::min(first + 1, count - 1);
  const auto step = [](const std::vector<int>& t, int i) {
    return t[static_cast<std::size_t>(i)] - t[static_cast<std::size_t>(i) - 1];
  };
  while (end + 1 < count) {
    for (const auto* t : tables)
      if (t && step(*t, end + 1) != step(*t, first + 1)) return end + 1 - first;
    ++end;
  }
  return end + 1 - first;
}

void find_segments(MapProgram& m, const Tables& tables) {
  for (int first = 0; first < m.count;) {
    const int length = run_length(tables, first, m.count);
    m.segments.push_back({first, length, false, static_cast<int>(m.strides.size())});
    for (const auto* t : tables) {
      const auto i = static_cast<std::size_t>(first);
      m.starts.push_back(t ? (*t)[i] : 0);
      m.strides.push_back(t && length > 1 ? (*t)[i + 1] - (*t)[i] : 1);
    }
    first += length;
    if (static_cast<int>(m.segments.size()) * min_mean_segment > m.count + min_mean_segment) {
      m.starts.assign(tables.size(), 0);
      m.strides.assign(tables.size(), 0);
      m.segments.assign(1, {0, m.count, true, 0});
      for (const auto* t : tables) {
        m.tables.emplace_back();
        if (t) m.tables.back().assign(t->begin(), t->end());
      }
      return;
    }
  }
}

}  // namespace

MapProgram compile_map(const Map& map, ProgramOptions options, std::vector<std::string>& messages) {
  MapProgram m;
  m.count = map.count;
  m.accumulate = map.accumulate;
  Kernel kernel;  // a copy: results that are numbers become nodes
  copy_kernel(*map.kernel, kernel);
  Graph& inside = kernel.graph();
  std::vector<int> roots;
  for (const Expr& e : kernel.results()) roots.push_back(inside.node_of(e));
  const Schedule plan = schedule(inside, roots, {false, options.fuse ? Fuse::pairs : Fuse::none});
  std::vector<int> inputs;
  for (int k = 0; k < kernel.argument_count(); ++k)
    inputs.push_back(inside.input(InputKind::argument, k).node());
  for (const int i : plan.order)
    if (inside.node(i).op == Op::input && inside.kind(i) != InputKind::argument)
      throw InvalidArgument("a kernel uses '" + text(inside.expr(i)) +
                            "', which is not one of its arguments");
  std::vector<int> slot;
  m.kernel = allocate_slots(inside, plan, inputs, roots, options.reuse_slots, slot);
  // Assertions of kernels are numbered after those before them.
  for (Instruction& n : m.kernel.list)
    if (n.code == code_of(Op::assertion)) {
      messages.push_back(inside.assertion(n.c).message);
      n.c = static_cast<int>(messages.size()) - 1;
    }
  for (const int r : roots) m.result_slot.push_back(slot[static_cast<std::size_t>(r)]);
  for (const MapArgument& a : map.arguments) {
    MapProgram::Argument to{a.source, a.kind, a.values, -1, 0};
    if (!a.index.empty()) to.length = 1 + *std::max_element(a.index.begin(), a.index.end());
    m.arguments.push_back(std::move(to));
  }
  find_segments(m, tables_of(map));
  return m;
}

}  // namespace daedalus::graph
