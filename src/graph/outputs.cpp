// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/graph.hpp>
#include <daedalus/types.hpp>

namespace daedalus::graph {
namespace {

[[noreturn]] void refuse_map(std::size_t map, const std::string& what) {
  throw InvalidArgument("map " + std::to_string(map) + ": " + what);
}

void check_argument(std::size_t map, std::size_t k, const Map& m, const Graph& graph) {
  const MapArgument& a = m.arguments[k];
  const std::string which = "argument " + std::to_string(k);
  const auto count = static_cast<std::size_t>(m.count);
  if (a.source == MapArgument::Source::input) {
    if (a.index.size() != count)
      refuse_map(map, which + " has " + std::to_string(a.index.size()) + " indices for " +
                          std::to_string(count) + " instances");
    for (const int i : a.index)
      if (i < 0) refuse_map(map, which + " has the index " + std::to_string(i));
    if (a.kind == InputKind::argument)
      refuse_map(map, which + " is an argument of a kernel itself");
  } else if (a.source == MapArgument::Source::values) {
    if (a.values.size() != count)
      refuse_map(map, which + " has " + std::to_string(a.values.size()) + " values for " +
                          std::to_string(count) + " instances");
  } else if (a.scalar.graph() && a.scalar.graph() != &graph) {
    refuse_map(map, which + ", '" + text(a.scalar) + "', belongs to another graph");
  }
}

void check_map(std::size_t number, const Map& m, const Graph& graph) {
  if (!m.kernel) refuse_map(number, "has no kernel");
  if (m.count < 0) refuse_map(number, "has the count " + std::to_string(m.count));
  if (static_cast<int>(m.arguments.size()) != m.kernel->argument_count())
    refuse_map(number, "has " + std::to_string(m.arguments.size()) +
                           " arguments; its kernel takes " +
                           std::to_string(m.kernel->argument_count()));
  if (m.rows.size() != m.kernel->results().size())
    refuse_map(number, "has rows for " + std::to_string(m.rows.size()) +
                           " results; its kernel has " +
                           std::to_string(m.kernel->results().size()));
  for (std::size_t k = 0; k < m.arguments.size(); ++k) check_argument(number, k, m, graph);
  for (const auto& rows : m.rows)
    if (rows.size() != static_cast<std::size_t>(m.count))
      refuse_map(number, "has " + std::to_string(rows.size()) + " rows for " +
                             std::to_string(m.count) + " instances");
}

}  // namespace

MapArgument MapArgument::of_input(InputKind kind, std::vector<int> index) {
  MapArgument a;
  a.source = Source::input;
  a.kind = kind;
  a.index = std::move(index);
  return a;
}
MapArgument MapArgument::of_values(std::vector<double> values) {
  MapArgument a;
  a.source = Source::values;
  a.values = std::move(values);
  return a;
}
MapArgument MapArgument::of_scalar(const Expr& scalar) {
  MapArgument a;
  a.source = Source::scalar;
  a.scalar = scalar;
  return a;
}

void Outputs::check(const Graph& graph) const {
  std::vector<char> set(static_cast<std::size_t>(count), 0);
  const auto take = [&](int row, const std::string& who) -> char& {
    if (row < 0 || row >= count)
      throw InvalidArgument(who + " sets row " + std::to_string(row) + " of " +
                            std::to_string(count));
    return set[static_cast<std::size_t>(row)];
  };
  for (const Single& s : single) {
    if (s.value.graph() && s.value.graph() != &graph)
      throw InvalidArgument("'" + text(s.value) + "' belongs to another graph");
    char& taken = take(s.row, "'" + text(s.value, 80) + "'");
    if (taken) throw InvalidArgument("row " + std::to_string(s.row) + " is set twice");
    taken = 1;
  }
  for (std::size_t m = 0; m < maps.size(); ++m) {
    check_map(m, maps[m], graph);
    for (const auto& rows : maps[m].rows)
      for (const int row : rows) {
        char& taken = take(row, "map " + std::to_string(m));
        if (maps[m].accumulate) continue;
        if (taken) refuse_map(m, "sets row " + std::to_string(row) + ", which is set already");
        taken = 1;
      }
  }
}

}  // namespace daedalus::graph
