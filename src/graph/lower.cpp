// SPDX-License-Identifier: BSD-3-Clause
#include "graph/lower.hpp"

#include <cmath>

#include "graph/rewrite.hpp"

namespace daedalus::graph {
namespace {

// x^p for a number p, or false where the library's power stays.
bool cheaper_power(const Expr& x, double p, Expr& result) {
  const double size = std::fabs(p), whole = std::floor(size);
  if (size > max_squaring_exponent) return false;
  const bool half = size - whole == 0.5;
  if (size != whole && !half) return false;
  result = 1.0;
  if (whole > 0.0) result = natural_power(x, static_cast<int>(whole));
  if (half) result = result * sqrt(x);
  if (p < 0.0) result = 1.0 / result;
  return true;
}

Rewriter::Rule lowering(const Graph& from) {
  return [&from](int node, std::span<const Expr> x, Expr& result) {
    switch (from.node(node).op) {
      case Op::no_event:
        return result = x[0], true;
      case Op::power:
        return x[1].is_number() && !x[0].is_number() && cheaper_power(x[0], x[1].number(), result);
      default:
        return false;
    }
  };
}

}  // namespace

Expr natural_power(const Expr& x, int n) {
  if (n == 1) return x;
  const Expr half = natural_power(x, n / 2);
  return n % 2 == 0 ? half * half : half * half * x;
}

Outputs lower(Graph& graph, const Outputs& outputs) {
  Outputs lowered;
  lowered.count = outputs.count;
  Rewriter rewrite(graph, graph, lowering(graph));
  for (const auto& s : outputs.single) lowered.single.push_back({s.row, rewrite(s.value)});
  for (const Map& map : outputs.maps) {
    auto kernel = std::make_shared<Kernel>();
    copy_kernel(*map.kernel, *kernel, lowering(map.kernel->graph()));
    Map copy = map;
    copy.kernel = kernel;
    for (MapArgument& a : copy.arguments) a.scalar = rewrite(a.scalar);
    lowered.maps.push_back(std::move(copy));
  }
  return lowered;
}

}  // namespace daedalus::graph
