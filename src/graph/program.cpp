// SPDX-License-Identifier: BSD-3-Clause
#include "graph/program.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include <daedalus/types.hpp>

#include "graph/reach.hpp"

namespace daedalus::graph {
namespace {

int stage_of_kind(InputKind kind) {
  switch (kind) {
    case InputKind::parameter:
    case InputKind::mode:
    case InputKind::previous:
      return 0;
    case InputKind::time:
      return 1;
    default:
      return 2;
  }
}

// Inputs between two that are read are loaded as well: one run costs less than two.
int max_gap(InputKind kind) { return stage_of_kind(kind) == 0 ? 8 : 2; }

std::vector<int> sorted_inputs(Graph& graph, const std::vector<int>& order) {
  std::vector<int> inputs;
  for (const int i : order)
    if (graph.node(i).op == Op::input) inputs.push_back(i);
  std::sort(inputs.begin(), inputs.end(), [&](int a, int b) {
    return std::pair(graph.kind(a), graph.number(a)) < std::pair(graph.kind(b), graph.number(b));
  });
  std::vector<int> whole;
  for (const int i : inputs) {
    if (!whole.empty() && graph.kind(whole.back()) == graph.kind(i)) {
      const InputKind kind = graph.kind(i);
      const int last = graph.number(whole.back()), next = graph.number(i);
      if (next - last - 1 <= max_gap(kind))
        for (int k = last + 1; k < next; ++k) whole.push_back(graph.input(kind, k).node());
    }
    whole.push_back(i);
  }
  return whole;
}

std::vector<const Outputs::Single*> by_row(const Outputs& outputs) {
  std::vector<const Outputs::Single*> rows;
  rows.reserve(outputs.single.size());
  for (const auto& s : outputs.single) rows.push_back(&s);
  const auto below = [](const auto* a, const auto* b) { return a->row < b->row; };
  if (!std::is_sorted(rows.begin(), rows.end(), below))
    std::stable_sort(rows.begin(), rows.end(), below);
  return rows;
}

}  // namespace

Program::Program(Graph& graph, const Outputs& outputs, ProgramOptions options)
    : outputs_(outputs.count) {
  std::vector<int> roots;
  const std::vector<const Outputs::Single*> rows = by_row(outputs);
  for (const auto* s : rows)
    if (!s->value.is_number()) roots.push_back(graph.node_of(s->value));
  for (const Map& map : outputs.maps)
    for (const MapArgument& a : map.arguments)
      if (a.source == MapArgument::Source::scalar) roots.push_back(graph.node_of(a.scalar));
  const Schedule plan = schedule(graph, roots, {true, options.fuse ? Fuse::all : Fuse::none});
  const std::vector<int> inputs = sorted_inputs(graph, plan.order);
  std::vector<int> slot;
  instructions_ = allocate_slots(graph, plan, inputs, roots, options.reuse_slots, slot);
  for (const Step& s : plan.steps)
    if (is_assertion(s.code) && messages_.size() <= static_cast<std::size_t>(s.c))
      messages_.resize(static_cast<std::size_t>(s.c) + 1);
  for (std::size_t k = 0; k < messages_.size(); ++k)
    messages_[k] = graph.assertion(static_cast<int>(k)).message;
  for (const Map& map : outputs.maps) maps_.push_back(compile_map(map, options, messages_));
  add_loads(graph, inputs);
  add_rows(graph, outputs, rows, slot);
}

void Program::add_loads(const Graph& graph, const std::vector<int>& inputs) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const InputKind kind = graph.kind(inputs[k]);
    const int number = graph.number(inputs[k]);
    auto& list = loads_[static_cast<std::size_t>(stage_of_kind(kind))];
    if (!list.empty() && list.back().kind == kind &&
        list.back().first + list.back().count == number)
      ++list.back().count;
    else
      list.push_back({kind, number, 1, instructions_.first_input() + static_cast<int>(k)});
  }
}

void Program::add_rows(Graph& graph, const Outputs& outputs,
                       const std::vector<const Outputs::Single*>& singles,
                       const std::vector<int>& slot) {
  std::vector<char> set(static_cast<std::size_t>(outputs.count), 0);
  for (const auto* s : singles) {
    set[static_cast<std::size_t>(s->row)] = 1;
    if (s->value.is_number())
      fix(s->row, s->value.number());
    else
      store(s->row, slot[static_cast<std::size_t>(s->value.node())]);
  }
  for (std::size_t m = 0; m < maps_.size(); ++m) {
    for (std::size_t k = 0; k < maps_[m].arguments.size(); ++k) {
      const MapArgument& a = outputs.maps[m].arguments[k];
      if (a.source == MapArgument::Source::scalar)
        maps_[m].arguments[k].slot = slot[static_cast<std::size_t>(graph.node_of(a.scalar))];
    }
    if (maps_[m].accumulate) continue;
    for (const auto& rows : outputs.maps[m].rows)
      for (const int row : rows) set[static_cast<std::size_t>(row)] = 1;
  }
  for (int row = 0; row < outputs.count; ++row)
    if (!set[static_cast<std::size_t>(row)]) fix(row, 0.0);
}

void Program::store(int row, int slot) {
  if (!stores_.empty()) {
    Store& last = stores_.back();
    if (last.row + last.count == row && last.slot + last.count == slot) {
      ++last.count;
      return;
    }
  }
  stores_.push_back({row, slot, 1});
}

void Program::fix(int row, double value) {
  if (!fixed_.empty()) {
    Fixed& last = fixed_.back();
    if (last.row + last.count == row &&
        std::bit_cast<std::uint64_t>(last.value) == std::bit_cast<std::uint64_t>(value)) {
      ++last.count;
      return;
    }
  }
  fixed_.push_back({row, 1, value});
}

std::size_t Program::memory() const {
  const auto of = [](const Instructions& i) {
    return i.list.size() * sizeof(Instruction) + i.constants.size() * sizeof(double) +
           static_cast<std::size_t>(i.slots) * sizeof(double);
  };
  std::size_t bytes =
      of(instructions_) + stores_.size() * sizeof(Store) + fixed_.size() * sizeof(Fixed);
  for (const MapProgram& m : maps_) {
    bytes += of(m.kernel);
    for (const auto& a : m.arguments) bytes += 8 * a.values.size();
    for (const auto& t : m.tables) bytes += 4 * t.size();
    bytes += 8 * m.strides.size() + sizeof(MapProgram::Segment) * m.segments.size();
  }
  return bytes;
}

}  // namespace daedalus::graph
