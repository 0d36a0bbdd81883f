// SPDX-License-Identifier: BSD-3-Clause
// The problem that is integrated. Linear charges enter as they are; every other charge becomes a
// variable q = q(voltages), so that only q' occurs, with a constant matrix, and sums of charges are
// conserved by every method that conserves linear invariants.
#include <fmt/format.h>

#include <algorithm>

#include "circuit/circuit_data.hpp"

namespace daedalus::circuit {
namespace {

constexpr double large_current = 1e-3;  // A, where 1 V is a large voltage

// Fills what the circuit knows into a problem of any form that has one vector of variables.
template <class P>
void complete(P& p, Circuit::Data& data, int index, const std::vector<std::string>& high,
              std::vector<double> breaks) {
  const Assembly& a = *data.assembly;
  const StartPoint& start = data.operating_point();
  StaticEquations& eq = *data.equations;
  eq.charges(start.x.data());
  const int n = a.network.unknowns();
  for (std::size_t k = 0; k < p.variables.size(); ++k) {
    const auto unknown = std::find(a.network.unknown_names.begin(), a.network.unknown_names.end(),
                                   p.variables[k]);
    if (unknown != a.network.unknown_names.end()) {
      p.y0[static_cast<Eigen::Index>(k)] =
          start.x[static_cast<std::size_t>(unknown - a.network.unknown_names.begin())];
      continue;
    }
    for (std::size_t q = 0; q < a.network.charges.size(); ++q)
      if (a.network.charges[q].name == p.variables[k])
        p.y0[static_cast<Eigen::Index>(k)] = eq.charge[q];
  }
  static_cast<void>(n);
  p.index = index;
  if (index >= 2 && !high.empty()) {
    p.variable_index.assign(p.variables.size(), 1);
    for (std::size_t k = 0; k < p.variables.size(); ++k)
      if (std::find(high.begin(), high.end(), p.variables[k]) != high.end())
        p.variable_index[k] = 2;
  }
  p.break_times = std::move(breaks);
  for (std::size_t k = 0; k < a.network.switches.size(); ++k) {
    const Expr& on = a.network.switches[k].on;
    const auto mode = static_cast<std::size_t>(on.graph()->number(on.node()));
    if (mode < p.modes.size()) p.modes[mode] = start.modes[mode];
  }
}

}  // namespace

void finish_model(Assembly& a) {
  Network& net = a.network;
  ModelBuilder& m = net.builder;
  std::vector<Expr> row(net.fixed_part.size());
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = net.fixed_part[k] + net.source_part[k];
  for (const Charge& q : net.charges) {
    Expr rate;
    if (q.linear) {
      rate = der(q.value);
    } else {
      const Expr variable = m.variable(q.name, {.nominal = q.nominal, .unit = "C"});
      m.equation(variable, q.value, {.name = "charge " + q.name});
      rate = der(variable);
    }
    if (q.plus != ground) row[static_cast<std::size_t>(q.plus)] += rate;
    if (q.minus != ground) row[static_cast<std::size_t>(q.minus)] -= rate;
  }
  for (std::size_t k = 0; k < row.size(); ++k) m.equation(row[k], 0.0, {.name = net.row_names[k]});
  for (const Switch& s : net.switches) {
    m.when(s.control > s.rises_at, {.name = s.name + " closes"}).set(s.on, 1.0);
    m.when(s.control < s.falls_at, {.name = s.name + " opens"}).set(s.on, 0.0);
  }
  m.set_title(net.builder.name());
  if (a.requests.transient) m.set_interval({0.0, a.requests.transient->stop});
}

Problem transient_problem(Circuit::Data& data, const Values& values) {
  Problem problem = data.model->problem(values);
  const CircuitIndex& index = *data.index;
  const int number = index.by_numbers && index.numerical >= 0 ? index.numerical : index.topology;
  std::vector<double> breaks;
  const double stop = data.assembly->network.tstop;
  for (const Network::Corners& corners : data.assembly->network.corners) corners(0.0, stop, breaks);
  std::sort(breaks.begin(), breaks.end());
  // Corners that differ by round-off alone are one.
  breaks.erase(std::unique(breaks.begin(), breaks.end(),
                           [](double x, double y) { return y - x <= 1e-13 * y; }),
               breaks.end());
  while (!breaks.empty() && breaks.back() >= stop * (1.0 - 1e-13)) breaks.pop_back();
  if (auto* p = std::get_if<ImplicitProblem>(&problem))
    complete(*p, data, number, index.variables, std::move(breaks));
  else if (auto* q = std::get_if<MassMatrixProblem>(&problem))
    complete(*q, data, number, index.variables, std::move(breaks));
  return problem;
}

Entry circuit_entry(std::shared_ptr<Circuit::Data> data) {
  Entry entry = data->model->entry();
  const Assembly& a = *data->assembly;
  entry.name = data->file;
  entry.title = data->netlist.title;
  entry.source = data->file;
  entry.stiff = true;
  entry.t0 = 0.0;
  entry.t_end = a.requests.transient ? a.requests.transient->stop : 1.0;
  entry.index = data->index->topology;
  entry.notes.push_back(data->index->text);
  for (const std::string& name : a.network.unknown_names)
    if (name[0] == 'i') entry.atol_scale[name] = large_current;
  entry.build = [data](const Values& values) { return transient_problem(*data, values); };
  return entry;
}

}  // namespace daedalus::circuit
