// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/bulk.hpp"

namespace daedalus::circuit {
namespace {

using graph::InputKind;
using graph::MapArgument;

// Elements with the same ends on ground have the same formula.
struct Ends {
  bool a, b;
};
constexpr Ends all_ends[] = {{true, true}, {true, false}, {false, true}};

std::vector<std::size_t> members(const Bulk& bulk, Ends ends) {
  std::vector<std::size_t> list;
  for (std::size_t k = 0; k < bulk.size(); ++k)
    if ((bulk.a[k] >= 0) == ends.a && (bulk.b[k] >= 0) == ends.b) list.push_back(k);
  return list;
}

template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<std::size_t>& which) {
  std::vector<T> list;
  list.reserve(which.size());
  for (const std::size_t k : which) list.push_back(all[k]);
  return list;
}

// The arguments of a map over these elements; the flow from a to b as a formula of them.
Expr flow(const Bulk& bulk, Ends ends, const std::vector<std::size_t>& which, InputKind kind,
          graph::Kernel& kernel, graph::Map& map) {
  map.count = static_cast<int>(which.size());
  const auto argument = [&](MapArgument what) {
    map.arguments.push_back(std::move(what));
    return kernel.argument(static_cast<int>(map.arguments.size()) - 1);
  };
  const Expr value = argument(MapArgument::of_values(chosen(bulk.value, which)));
  Expr difference = 0.0;
  if (ends.a) difference += argument(MapArgument::of_input(kind, chosen(bulk.a, which)));
  if (ends.b) difference -= argument(MapArgument::of_input(kind, chosen(bulk.b, which)));
  return value * difference;
}

}  // namespace

void add_flows(const Bulk& bulk, InputKind kind, double sign, graph::Outputs& outputs) {
  for (const Ends ends : all_ends) {
    const std::vector<std::size_t> which = members(bulk, ends);
    if (which.empty()) continue;
    auto kernel = std::make_shared<graph::Kernel>();
    graph::Map map;
    const Expr out = sign * flow(bulk, ends, which, kind, *kernel, map);
    if (ends.a) {
      kernel->add_result(out);
      map.rows.push_back(chosen(bulk.a, which));
    }
    if (ends.b) {
      kernel->add_result(-out);
      map.rows.push_back(chosen(bulk.b, which));
    }
    map.kernel = std::move(kernel);
    map.accumulate = true;
    outputs.maps.push_back(std::move(map));
  }
}

void add_values(const Bulk& bulk, const std::vector<int>& rows, graph::Outputs& outputs) {
  for (const Ends ends : all_ends) {
    const std::vector<std::size_t> which = members(bulk, ends);
    if (which.empty()) continue;
    auto kernel = std::make_shared<graph::Kernel>();
    graph::Map map;
    kernel->add_result(flow(bulk, ends, which, InputKind::state, *kernel, map));
    map.rows.push_back(chosen(rows, which));
    map.kernel = std::move(kernel);
    outputs.maps.push_back(std::move(map));
  }
}

}  // namespace daedalus::circuit
