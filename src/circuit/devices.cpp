// SPDX-License-Identifier: BSD-3-Clause
// Devices at the operating point: what .op prints of each.
#include <algorithm>

#include "circuit/circuit_data.hpp"
#include "graph/jacobian.hpp"
#include "graph/lower.hpp"

namespace daedalus {
namespace {

using namespace circuit;  // NOLINT: the public face of what is there

// Derivatives of formulas by the voltages of nodes, at a point.
class Slopes {
 public:
  Slopes(Circuit::Data& data, const StartPoint& point) : net_(data.assembly->network) {
    graph::Graph& g = net_.builder.graph();
    graph::Outputs formulas;
    for (const Device& d : net_.devices)
      for (const DeviceQuantity& q : d.quantities)
        if (q.meaning != DeviceQuantity::plain) formulas.add(q.value);
    j_ = graph::jacobian(g, graph::lower(g, formulas), graph::InputKind::state, net_.unknowns());
    entries_ = data.equations->values(g, j_.entries, point.x.data());
  }

  // Of formula `row`. Formulas depend on differences of voltages alone, so that a shift of all of
  // them changes nothing: by ground it is what the other nodes lack to zero.
  double by(int row, int node, const std::vector<int>& nodes) const {
    if (node != ground) return entry(row, node);
    std::vector<int> others = nodes;
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    double sum = 0.0;
    for (const int n : others)
      if (n != ground) sum -= entry(row, n);
    return sum;
  }

 private:
  double entry(int row, int column) const {
    const auto begin = j_.inner.begin() + j_.outer[static_cast<std::size_t>(column)];
    const auto end = j_.inner.begin() + j_.outer[static_cast<std::size_t>(column) + 1];
    const auto place = std::lower_bound(begin, end, row);
    return place == end || *place != row
               ? 0.0
               : entries_[static_cast<std::size_t>(place - j_.inner.begin())];
  }

  Network& net_;
  graph::Jacobian j_;
  std::vector<double> entries_;
};

}  // namespace

std::vector<DeviceValues> Circuit::devices() const {
  Network& net = data_->assembly->network;
  const StartPoint& point = data_->direct_point();
  std::vector<DeviceValues> list;
  if (!point.report.found) return list;
  data_->equations->modes = point.modes;
  graph::Outputs formulas;
  for (const Device& d : net.devices)
    for (const DeviceQuantity& q : d.quantities)
      if (q.meaning == DeviceQuantity::plain) formulas.add(q.value);
  const std::vector<double> plain =
      data_->equations->values(net.builder.graph(), formulas, point.x.data());
  const Slopes slopes(*data_, point);
  auto value = plain.begin();
  int slope = 0;
  for (const Device& d : net.devices) {
    DeviceValues v;
    v.name = data_->assembly->part(d.element).name;
    v.kind = d.kind;
    std::vector<double> own;
    for (const DeviceQuantity& q : d.quantities) {
      double x = q.meaning == DeviceQuantity::plain ? *value++ : slopes.by(slope++, q.by, d.nodes);
      x += 0.0;  // no -0
      if (q.meaning == DeviceQuantity::resistance) x = 1.0 / x;
      own.push_back(x);
      v.values.emplace_back(q.name, x);
    }
    if (d.region) v.region = d.region(own);
    list.push_back(std::move(v));
  }
  return list;
}

}  // namespace daedalus
