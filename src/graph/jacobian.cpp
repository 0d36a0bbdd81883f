// SPDX-License-Identifier: BSD-3-Clause
#include "graph/jacobian.hpp"

#include <algorithm>

#include "graph/rewrite.hpp"

namespace daedalus::graph {
namespace {

std::uint64_t key_of(int row, int column) {
  return std::uint64_t{static_cast<std::uint32_t>(column)} << 32 | static_cast<std::uint32_t>(row);
}

std::vector<char> variables_of(const Graph& graph, InputKind kind, int columns) {
  std::vector<char> variable(static_cast<std::size_t>(graph.size()), 0);
  for (int k = 0; k < std::min(columns, graph.count(kind)); ++k) {
    const int node = graph.input_node(kind, k);
    if (node >= 0) variable[static_cast<std::size_t>(node)] = 1;
  }
  return variable;
}

class JacobianBuilder {
 public:
  JacobianBuilder(Graph& graph, const Outputs& outputs, InputKind kind, int columns,
                  Elimination order)
      : graph_(graph), outputs_(outputs), kind_(kind), columns_(columns), order_(order) {}

  Jacobian run() {
    derive_single();
    for (const Map& map : outputs_.maps) derive_map(map);
    return assemble();
  }

 private:
  struct Entry {
    std::uint64_t key;
    Expr value;
  };
  // A derived map whose rows are still keys of entries.
  struct DerivedMap {
    Map map;
    std::vector<std::vector<std::uint64_t>> keys;
  };

  void derive_single() {
    std::vector<int> nodes, rows;
    for (const auto& s : outputs_.single)
      if (!s.value.is_number()) {
        nodes.push_back(s.value.node());
        rows.push_back(s.row);
      }
    for (const Partial& p : eliminate(graph_, nodes, variables_of(graph_, kind_, columns_), order_))
      single_.push_back(
          {key_of(rows[static_cast<std::size_t>(p.output)], graph_.number(p.input)), p.value});
  }

  // What scalar arguments of a map contribute: (argument, column, derivative of the scalar).
  struct ScalarPart {
    int argument, column;
    Expr value;
  };
  std::vector<ScalarPart> scalar_parts(const Map& map) {
    std::vector<int> nodes, number;
    for (std::size_t k = 0; k < map.arguments.size(); ++k)
      if (map.arguments[k].source == MapArgument::Source::scalar &&
          !map.arguments[k].scalar.is_number()) {
        nodes.push_back(map.arguments[k].scalar.node());
        number.push_back(static_cast<int>(k));
      }
    std::vector<ScalarPart> parts;
    for (const Partial& p : eliminate(graph_, nodes, variables_of(graph_, kind_, columns_), order_))
      parts.push_back(
          {number[static_cast<std::size_t>(p.output)], graph_.number(p.input), p.value});
    return parts;
  }

  void derive_map(const Map& map) {
    auto kernel = std::make_shared<Kernel>();
    Kernel plain;
    copy_kernel(*map.kernel, plain);
    Rewriter into(plain.graph(), kernel->graph());
    for (int k = 0; k < plain.argument_count(); ++k) kernel->argument(k);
    std::vector<int> results;
    for (const Expr& e : plain.results()) results.push_back(kernel->graph().node_of(into(e)));
    const std::vector<ScalarPart> scalars = scalar_parts(map);
    std::vector<char> variable(static_cast<std::size_t>(kernel->graph().size()), 0);
    const auto mark = [&](int argument) {
      variable[static_cast<std::size_t>(kernel->argument_node(argument))] = 1;
    };
    for (std::size_t k = 0; k < map.arguments.size(); ++k)
      if (map.arguments[k].source == MapArgument::Source::input && map.arguments[k].kind == kind_)
        mark(static_cast<int>(k));
    for (const ScalarPart& s : scalars) mark(s.argument);

    DerivedMap derived;
    derived.map = map;
    derived.map.rows.clear();
    for (const Partial& p : eliminate(kernel->graph(), results, variable, order_)) {
      const int k = kernel->graph().number(p.input);
      const auto& rows = map.rows[static_cast<std::size_t>(p.output)];
      const MapArgument& a = map.arguments[static_cast<std::size_t>(k)];
      if (a.source == MapArgument::Source::input) {
        kernel->add_result(p.value);
        auto& keys = derived.keys.emplace_back();
        for (std::size_t i = 0; i < rows.size(); ++i) keys.push_back(key_of(rows[i], a.index[i]));
        continue;
      }
      for (const ScalarPart& s : scalars) {
        if (s.argument != k) continue;
        const Expr slope = kernel->argument(kernel->argument_count());
        derived.map.arguments.push_back(MapArgument::of_scalar(s.value));
        kernel->add_result(p.value * slope);
        auto& keys = derived.keys.emplace_back();
        for (const int row : rows) keys.push_back(key_of(row, s.column));
      }
    }
    derived.map.kernel = kernel;
    if (!derived.keys.empty()) maps_.push_back(std::move(derived));
  }

  // By columns, rows ascending in each: counted first, since columns are short and many.
  std::vector<std::uint64_t> sorted_keys() const {
    std::vector<std::size_t> start(static_cast<std::size_t>(columns_) + 1, 0);
    const auto each = [this](auto&& use) {
      for (const Entry& e : single_) use(e.key);
      for (const DerivedMap& m : maps_)
        for (const auto& list : m.keys)
          for (const std::uint64_t key : list) use(key);
    };
    each([&start](std::uint64_t key) { ++start[(key >> 32) + 1]; });
    for (std::size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
    std::vector<std::uint64_t> keys(start.back());
    std::vector<std::size_t> place(start.begin(), start.end() - 1);
    each([&](std::uint64_t key) { keys[place[key >> 32]++] = key; });
    for (std::size_t c = 0; c + 1 < start.size(); ++c)
      std::sort(keys.begin() + static_cast<std::ptrdiff_t>(start[c]),
                keys.begin() + static_cast<std::ptrdiff_t>(start[c + 1]));
    return keys;
  }

  Jacobian assemble() {
    std::vector<std::uint64_t> keys = sorted_keys();
    Jacobian j;
    j.rows = outputs_.count;
    j.columns = columns_;
    j.outer.assign(static_cast<std::size_t>(columns_) + 1, 0);
    std::vector<char> shared;  // entries that several contribute to are sums
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0 && keys[i] == keys[i - 1]) {
        shared.back() = 1;
        continue;
      }
      shared.push_back(0);
      j.inner.push_back(static_cast<int>(keys[i] & 0xffffffffu));
      ++j.outer[static_cast<std::size_t>(keys[i] >> 32) + 1];
    }
    for (std::size_t c = 1; c < j.outer.size(); ++c) j.outer[c] += j.outer[c - 1];
    const auto row_of = [&j](std::uint64_t key) {
      const auto column = static_cast<std::size_t>(key >> 32);
      return static_cast<int>(std::lower_bound(j.inner.begin() + j.outer[column],
                                               j.inner.begin() + j.outer[column + 1],
                                               static_cast<int>(key & 0xffffffffu)) -
                              j.inner.begin());
    };
    j.entries.count = static_cast<int>(j.inner.size());
    for (const Entry& e : single_) j.entries.single.push_back({row_of(e.key), e.value});
    for (DerivedMap& m : maps_) {
      for (const auto& list : m.keys) {
        auto& rows = m.map.rows.emplace_back();
        rows.reserve(list.size());
        for (const std::uint64_t key : list) {
          rows.push_back(row_of(key));
          if (shared[static_cast<std::size_t>(rows.back())]) m.map.accumulate = true;
        }
      }
      j.entries.maps.push_back(std::move(m.map));
    }
    return j;
  }

  Graph& graph_;
  const Outputs& outputs_;
  InputKind kind_;
  int columns_;
  Elimination order_;
  std::vector<Entry> single_;
  std::vector<DerivedMap> maps_;
};

}  // namespace

Jacobian jacobian(Graph& graph, const Outputs& outputs, InputKind kind, int columns,
                  Elimination order) {
  return JacobianBuilder(graph, outputs, kind, columns, order).run();
}

}  // namespace daedalus::graph
