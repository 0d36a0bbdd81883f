// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "circuit/circuit_data.hpp"

namespace daedalus {

using namespace circuit;  // NOLINT: the public face of what is there

Circuit::Circuit() = default;
Circuit::~Circuit() = default;
Circuit::Circuit(Circuit&&) noexcept = default;
Circuit& Circuit::operator=(Circuit&&) noexcept = default;
Circuit::Circuit(std::shared_ptr<Data> data) : data_(std::move(data)) {}

const StartPoint& Circuit::Data::operating_point() {
  if (!point) {
    Conditions conditions = start_conditions(*assembly, netlist->files);
    const auto find = [&] {
      point = find_operating_point(*equations, assembly->network, conditions,
                                   start_guesses(*assembly), assembly->requests.limits);
    };
    find();
    if (point->report.found && relax_contradictions(point->x, conditions)) find();
    if (point->report.found) report_relaxed(point->x, conditions, *assembly, netlist->files);
  }
  return *point;
}

const StartPoint& Circuit::Data::direct_point() {
  const Network& net = assembly->network;
  const auto& run = assembly->requests.transient;
  const bool differs = (run && run->use_initial_conditions) ||
                       std::any_of(net.sources.begin(), net.sources.end(),
                                   [](const IndependentSource& s) { return s.direct.has_value(); });
  if (!differs) return operating_point();
  if (!direct) {
    Conditions conditions = start_conditions(*assembly, netlist->files, false);
    const std::vector<double> at_start = equations->source_values(assembly->network);
    for (std::size_t k = 0; k < net.sources.size(); ++k)
      if (net.sources[k].direct)
        net.sources[k].change(*net.sources[k].direct - at_start[k], conditions.added);
    direct = find_operating_point(*equations, net, conditions, start_guesses(*assembly),
                                  assembly->requests.limits);
  }
  return *direct;
}

namespace circuit {

namespace {

void prepare_equations(Circuit::Data& data, const Values& values) {
  data.equations = std::make_unique<StaticEquations>(data.assembly->network);
  for (const auto& [number, value] : data.assembly->network.parameter_values(values))
    data.equations->parameters[static_cast<std::size_t>(number)] = value;
}

bool net_is_linear(const Network& net) {
  return net.junctions.empty() && net.switches.empty() && !net.compares &&
         std::all_of(net.charges.begin(), net.charges.end(),
                     [](const Charge& q) { return q.linear; });
}

// Corners of devices and edges of switching reject the steps of methods that do not iterate: of
// itself M x' = f is for networks that are linear altogether.
CircuitForm form_of(const Network& net, const std::string& asked) {
  if (asked.empty() || asked == "auto")
    return net_is_linear(net) ? CircuitForm::conventional : CircuitForm::charge;
  for (const CircuitForm form :
       {CircuitForm::charge, CircuitForm::charge_variables, CircuitForm::conventional})
    if (name_of(form) == asked) {
      const auto nonlinear = std::find_if(net.charges.begin(), net.charges.end(),
                                          [](const Charge& q) { return !q.linear; });
      if (form == CircuitForm::conventional && nonlinear != net.charges.end())
        throw InvalidArgument(fmt::format(
            "formulation: 'conventional' needs linear charges, and {} is not; take charge or "
            "charge-variables",
            nonlinear->name));
      return form;
    }
  throw InvalidArgument(fmt::format(
      "formulation: '{}' is none of circuits; these are charge, charge-variables, conventional",
      asked));
}

}  // namespace

std::shared_ptr<Circuit::Data> read_circuit_data(std::shared_ptr<Netlist> netlist, std::string file,
                                                 const Values& values,
                                                 const std::string& formulation) {
  auto data = std::make_shared<Circuit::Data>();
  data->file = std::move(file);
  data->formulation = formulation;
  data->netlist = std::move(netlist);
  Files& files = data->netlist->files;
  files.throw_if_wrong();
  data->assembly = assemble(*data->netlist, values);
  files.throw_if_wrong();
  const Network& net = data->assembly->network;
  data->topology = analyse_topology(net.edges, net.nodes());
  check_topology(data->topology, *data->assembly, files);
  start_conditions(*data->assembly, files);  // reports unknown nodes
  files.throw_if_wrong();
  prepare_equations(*data, values);
  if (!data->operating_point().report.found) {
    blame_controlled_currents(data->topology, *data->assembly, files);
    files.throw_if_wrong();
  }
  data->index = index_report(*data);
  data->transient = transient_equations(data->assembly->network,
                                        {data->assembly, &data->assembly->network.builder.graph()},
                                        form_of(net, formulation));
  return data;
}

}  // namespace circuit

const std::string& Circuit::title() const { return data_->netlist->title; }
const std::string& Circuit::file() const { return data_->file; }
int Circuit::nodes() const { return data_->assembly->network.nodes(); }
std::vector<std::string> Circuit::analyses() const { return data_->assembly->requests.order; }
std::vector<std::string> Circuit::printed() const {
  std::vector<std::string> list;
  for (const Signal& s : data_->assembly->requests.printed) list.push_back(s.text);
  return list;
}
std::vector<std::string> Circuit::names() const { return data_->assembly->network.unknown_names; }
const CircuitIndex& Circuit::index() const { return *data_->index; }

std::vector<std::pair<char, int>> Circuit::elements() const {
  std::map<char, int> counts;
  for (const auto& part : data_->assembly->parts) ++counts[part->kind];
  return {counts.begin(), counts.end()};
}

std::vector<SourceDiagnostic> Circuit::warnings() const { return data_->netlist->files.sorted(); }

OperatingPoint Circuit::direct_point() const { return data_->direct_point().report; }

Circuit Circuit::with(const Values& values, const std::string& formulation) const {
  if (values.empty() && formulation == data_->formulation) return Circuit(data_);
  return Circuit(read_circuit_data(data_->netlist, data_->file, values, formulation));
}

std::string Circuit::formulation() const { return std::string(name_of(data_->transient.form)); }

OperatingPoint Circuit::operating_point(const OperatingPointOptions& options) const {
  if (options.skip.empty()) return data_->operating_point().report;
  const Conditions conditions = start_conditions(*data_->assembly, data_->netlist->files);
  return find_operating_point(*data_->equations, data_->assembly->network, conditions, {}, options)
      .report;
}

CircuitGraph Circuit::graph() const {
  constexpr const char* kinds[] = {"capacitive", "voltage", "conducting", "coil", "current"};
  const Network& net = data_->assembly->network;
  CircuitGraph graph;
  graph.nodes.emplace_back("0");
  graph.nodes.insert(graph.nodes.end(), net.node_names.begin(), net.node_names.end());
  for (const Edge& e : net.edges)
    graph.edges.push_back({data_->assembly->part(e.element).name,
                           kinds[static_cast<std::size_t>(e.kind)], e.a + 1, e.b + 1, false});
  for (const auto& loop : data_->topology.loops)
    for (const int e : loop) graph.edges[static_cast<std::size_t>(e)].marked = true;
  for (const Topology::Cutset& cutset : data_->topology.cutsets)
    for (const int e : cutset.edges) graph.edges[static_cast<std::size_t>(e)].marked = true;
  return graph;
}

Entry Circuit::entry() const { return circuit_entry(data_); }

std::size_t Circuit::corner_count() const {
  std::vector<double> breaks;
  const Network& net = data_->assembly->network;
  for (const auto& corners : net.corners) corners(0.0, net.tstop, breaks);
  return breaks.size();
}

std::optional<double> netlist_number(std::string_view text) { return read_number(text).value; }

Circuit read_circuit(const std::string& path, bool allow_files) {
  return Circuit(
      read_circuit_data(std::make_shared<Netlist>(read_netlist(path, allow_files)), path, {}));
}

Circuit read_circuit_text(std::string text, const std::string& name, const std::string& folder,
                          bool allow_files) {
  return Circuit(read_circuit_data(
      std::make_shared<Netlist>(read_netlist_text(std::move(text), name, folder, allow_files)),
      name, {}));
}

}  // namespace daedalus
