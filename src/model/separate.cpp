// SPDX-License-Identifier: BSD-3-Clause
#include "model/separate.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "graph/lower.hpp"
#include "graph/reach.hpp"
#include "graph/rewrite.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

using graph::InputKind;
using graph::MapArgument;

graph::Jacobian rates_of(const FlatModel& flat) {
  graph::Graph& g = *flat.graph;
  return graph::jacobian(g, graph::lower(g, flat.residuals), InputKind::derivative,
                         static_cast<int>(flat.variables.size()));
}

bool reads_rates(const graph::Graph& g, const graph::Outputs& rows) {
  const std::vector<graph::KindSet> depends = graph::dependence(g);
  return std::any_of(rows.single.begin(), rows.single.end(), [&](const auto& s) {
    return !s.value.is_number() &&
           (depends[at(s.value.node())] & graph::kind_bit(InputKind::derivative)) != 0;
  });
}

// Groups of one map: rods and lines have an inside and a few places at their ends.
constexpr std::size_t max_groups = 16;

// Instances by which of their arguments are algebraic.
std::map<std::uint64_t, std::vector<std::size_t>> groups_of(const graph::Map& m,
                                                            const std::vector<char>& algebraic) {
  std::vector<std::uint64_t> kinds(at(m.count), 0);
  int bit = 0;
  for (const MapArgument& a : m.arguments) {
    if (a.source != MapArgument::Source::input || a.kind != InputKind::state) continue;
    for (std::size_t i = 0; i < a.index.size(); ++i)
      kinds[i] |= std::uint64_t{algebraic[at(a.index[i])] != 0} << bit;
    bit = std::min(bit + 1, 63);
  }
  std::map<std::uint64_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < kinds.size(); ++i) groups[kinds[i]].push_back(i);
  return groups;
}

bool maps_can_be_split(const FlatModel& flat, const std::vector<char>& algebraic,
                       const std::vector<char>& has_rate) {
  return std::all_of(
      flat.residuals.maps.begin(), flat.residuals.maps.end(), [&](const graph::Map& m) {
        for (const auto& rows : m.rows)
          for (const int r : rows)
            if (has_rate[at(r)] != has_rate[at(m.rows[0].front())]) return false;
        return m.arguments.size() < 64 && groups_of(m, algebraic).size() <= max_groups;
      });
}

}  // namespace

std::vector<int> diagonal_places(const graph::Jacobian& j) {
  std::vector<int> entries(at(j.rows), 0), place(at(j.rows), -1);
  for (const int r : j.inner) ++entries[at(r)];
  std::vector<char> taken(at(j.rows), 0);
  for (int c = 0; c < j.columns; ++c) {
    const int first = j.outer[at(c)], count = j.outer[at(c) + 1] - first;
    if (count == 0) continue;
    if (count > 1 || entries[at(j.inner[at(first)])] != 1) return {};
    place[at(j.inner[at(first)])] = c;
    taken[at(c)] = 1;
  }
  int next = 0;
  for (int& p : place) {
    if (p >= 0) continue;
    while (taken[at(next)]) ++next;
    p = next++;
  }
  return place;
}

bool all_ones(const graph::Jacobian& j) {
  const auto is_one = [](const Expr& e) { return e.is_number(1.0); };
  return std::all_of(j.entries.single.begin(), j.entries.single.end(),
                     [&](const auto& s) { return is_one(s.value); }) &&
         std::all_of(j.entries.maps.begin(), j.entries.maps.end(), [&](const graph::Map& m) {
           const auto& results = m.kernel->results();
           return !m.accumulate && std::all_of(results.begin(), results.end(), is_one);
         });
}

std::vector<graph::Map> split_by_kind(const graph::Map& map, const std::vector<char>& algebraic) {
  std::vector<graph::Map> parts;
  for (const auto& [kinds, instances] : groups_of(map, algebraic)) {
    graph::Map part{map.kernel, static_cast<int>(instances.size()), {}, {}, map.accumulate};
    const auto taken = [&which = instances](const auto& from) {
      std::decay_t<decltype(from)> to;
      if (from.empty()) return to;
      to.reserve(which.size());
      for (const std::size_t i : which) to.push_back(from[i]);
      return to;
    };
    for (const MapArgument& a : map.arguments)
      part.arguments.push_back({a.source, a.kind, taken(a.index), taken(a.values), a.scalar});
    for (const auto& rows : map.rows) part.rows.push_back(taken(rows));
    parts.push_back(std::move(part));
  }
  return parts;
}

std::shared_ptr<const graph::Kernel> negated(const graph::Kernel& kernel) {
  auto other = std::make_shared<graph::Kernel>();
  for (int k = 0; k < kernel.argument_count(); ++k) other->argument(k);
  graph::Rewriter copy(kernel.graph(), other->graph());
  for (const Expr& e : kernel.results()) other->add_result(-copy(e));
  return other;
}

std::vector<char> separable(const FlatModel& flat, const std::vector<char>& differentiated) {
  std::vector<char> algebraic;
  for (const char d : differentiated) algebraic.push_back(d == 0);
  if (std::find(algebraic.begin(), algebraic.end(), 1) == algebraic.end()) return {};
  const graph::Jacobian rates = rates_of(flat);
  if (rates.inner.empty() || !all_ones(rates) || diagonal_places(rates).empty()) return {};
  // Initial equations with derivatives need a form that has them.
  if (reads_rates(*flat.graph, flat.initial)) return {};
  std::vector<char> has_rate(at(rates.rows), 0);
  for (const int r : rates.inner) has_rate[at(r)] = 1;
  return maps_can_be_split(flat, algebraic, has_rate) ? algebraic : std::vector<char>{};
}

void point_rates_up(FlatModel& flat) {
  const graph::Jacobian rates = rates_of(flat);
  enum : char { none, down, other };
  std::vector<char> state(at(rates.rows), none);
  const auto see = [&](int entry, const Expr& value) {
    char& s = state[at(rates.inner[at(entry)])];
    s = s == none && value.is_number(-1.0) ? down : other;
  };
  for (const auto& s : rates.entries.single) see(s.row, s.value);
  for (const graph::Map& m : rates.entries.maps)
    for (std::size_t k = 0; k < m.rows.size(); ++k)
      for (const int entry : m.rows[k])
        see(entry, m.accumulate ? Expr(0.0) : m.kernel->results()[k]);
  for (auto& s : flat.residuals.single)
    if (state[at(s.row)] == down) s.value = -s.value;
  for (graph::Map& m : flat.residuals.maps)
    if (std::all_of(m.rows.begin(), m.rows.end(), [&](const std::vector<int>& rows) {
          return std::all_of(rows.begin(), rows.end(), [&](int r) { return state[at(r)] == down; });
        }))
      m.kernel = negated(*m.kernel);
}

}  // namespace daedalus
