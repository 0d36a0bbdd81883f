// SPDX-License-Identifier: BSD-3-Clause
// The problem that is integrated. Linear charges enter as they are; every other charge becomes a
// variable q = q(voltages), so that only q' occurs, with a constant matrix, and sums of charges are
// conserved by every method that conserves linear invariants.
#include <fmt/format.h>

#include <algorithm>

#include "circuit/circuit_data.hpp"

namespace daedalus::circuit {
namespace {

constexpr double large_current =
    1e-3;  // A, where 1 V is a large voltage: atol 1e-9 A beside 1e-6 V

// Fills what the circuit knows into a problem of any form that has one vector of variables.
bool same_as_defaults(const Circuit::Data& data, const Values& values) {
  for (const Parameter& p : data.model->parameters()) {
    const auto given = values.find(p.name);
    if (given != values.end() && given->second != p.value) return false;
  }
  return true;
}

// Fills what the circuit knows into a problem of any form that has one vector of variables.
template <class P>
void complete(P& p, const std::map<std::string, double>& starts, int index,
              const std::vector<std::string>& high, std::vector<double> breaks) {
  for (std::size_t k = 0; k < p.variables.size(); ++k)
    if (const auto start = starts.find(p.variables[k]); start != starts.end())
      p.y0[static_cast<Eigen::Index>(k)] = start->second;
  p.index = index;
  if (index >= 2 && !high.empty()) {
    p.variable_index.assign(p.variables.size(), 1);
    for (std::size_t k = 0; k < p.variables.size(); ++k)
      if (std::find(high.begin(), high.end(), p.variables[k]) != high.end())
        p.variable_index[k] = 2;
  }
  p.break_times = std::move(breaks);
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
      const Expr variable =
          m.variable(q.name, {.start = net.start_of(q.name), .nominal = q.nominal, .unit = "C"});
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
    complete(*p, data.starts, number, index.variables, std::move(breaks));
  else if (auto* q = std::get_if<MassMatrixProblem>(&problem))
    complete(*q, data.starts, number, index.variables, std::move(breaks));
  return problem;
}

Entry circuit_entry(std::shared_ptr<Circuit::Data> data) {
  Entry entry = data->model->entry();
  const Assembly& a = *data->assembly;
  entry.name = data->file;
  entry.title = data->netlist->title;
  entry.source = data->file;
  entry.stiff = true;
  entry.t0 = 0.0;
  entry.t_end = a.requests.transient ? a.requests.transient->stop : 1.0;
  entry.index = data->index->topology;
  entry.notes.push_back(data->index->text);
  for (const std::string& name : a.network.unknown_names)
    if (name[0] == 'i') entry.atol_scale[name] = large_current;
  // Other values mean another operating point, and parameters may decide on structure: the circuit
  // is put together again.
  const auto of = [data](const Values& values) {
    return same_as_defaults(*data, values) ? data
                                           : read_circuit_data(data->netlist, data->file, values);
  };
  entry.build = [of](const Values& values) { return transient_problem(*of(values), values); };
  if (entry.build_events)
    entry.build_events = [of](const Values& values) { return of(values)->model->events(values); };
  // With index 2 the values are trusted: currents in loops and voltages in cutsets are right after
  // the first step, and nothing else depends on them.
  entry.start = data->index->topology >= 2 ? StartStrategy::given : StartStrategy::automatic;
  entry.fixed.clear();
  return entry;
}

}  // namespace daedalus::circuit
