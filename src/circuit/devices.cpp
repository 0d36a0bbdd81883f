// SPDX-License-Identifier: BSD-3-Clause
// Devices at the operating point: what .op prints of each.
#include <algorithm>
#include <cmath>

#include "circuit/circuit_data.hpp"
#include "graph/gradient.hpp"

namespace daedalus {
namespace {

using namespace circuit;  // NOLINT: the public face of what is there

// d value / d v(node). Formulas depend on differences of voltages alone, so that a shift of all of
// them changes nothing: by ground it is what the other nodes lack to zero.
Expr slope(Network& net, const Expr& value, int node, const std::vector<int>& nodes) {
  if (value.is_number()) return 0.0;
  graph::Graph& g = net.builder.graph();
  const Expr weight(1.0);
  const auto by = [&](int n) {
    const Expr x = net.v(n);
    return graph::weighted_gradient(g, {&value, 1}, {&weight, 1}, {&x, 1}).front();
  };
  if (node != ground) return by(node);
  std::vector<int> others = nodes;
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  Expr sum = 0.0;
  for (const int n : others)
    if (n != ground) sum -= by(n);
  return sum;
}

}  // namespace

std::vector<DeviceValues> Circuit::devices() const {
  Network& net = data_->assembly->network;
  const StartPoint& point = data_->direct_point();
  std::vector<DeviceValues> list;
  if (!point.report.found) return list;
  graph::Outputs formulas;
  for (const Device& d : net.devices)
    for (const DeviceQuantity& q : d.quantities)
      formulas.add(q.meaning == DeviceQuantity::plain ? q.value
                                                      : slope(net, q.value, q.by, d.nodes));
  data_->equations->modes = point.modes;
  const std::vector<double> all =
      data_->equations->values(net.builder.graph(), formulas, point.x.data());
  auto value = all.begin();
  for (const Device& d : net.devices) {
    DeviceValues v;
    v.name = data_->assembly->part(d.element).name;
    v.kind = d.kind;
    const std::vector<double> own(value, value + static_cast<std::ptrdiff_t>(d.quantities.size()));
    for (std::size_t k = 0; k < own.size(); ++k) {
      const DeviceQuantity& q = d.quantities[k];
      v.values.emplace_back(q.name,
                            q.meaning == DeviceQuantity::resistance ? 1.0 / own[k] : own[k]);
    }
    if (d.region) v.region = d.region(own);
    value += static_cast<std::ptrdiff_t>(own.size());
    list.push_back(std::move(v));
  }
  return list;
}

}  // namespace daedalus
