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
    const Conditions conditions = start_conditions(*assembly, netlist->files);
    std::vector<NodeGuess> guesses;
    for (const NodeValue& v : assembly->requests.guesses)
      if (const int node = assembly->network.find_node(v.node); node >= 0)
        guesses.push_back({node, v.value});
    point = find_operating_point(*equations, assembly->network, conditions, guesses, {});
  }
  return *point;
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

}  // namespace

std::shared_ptr<Circuit::Data> read_circuit_data(std::shared_ptr<Netlist> netlist, std::string file,
                                                 const Values& values) {
  auto data = std::make_shared<Circuit::Data>();
  data->file = std::move(file);
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
  data->operating_point();
  data->index = index_report(*data);
  // Corners of devices and edges of switching reject the steps of methods that do not iterate:
  // M x' = f is for networks that are linear altogether.
  data->transient = transient_equations(data->assembly->network,
                                        {data->assembly, &data->assembly->network.builder.graph()},
                                        net_is_linear(data->assembly->network));
  return data;
}

}  // namespace circuit

const std::string& Circuit::title() const { return data_->netlist->title; }
const std::string& Circuit::file() const { return data_->file; }
int Circuit::nodes() const { return data_->assembly->network.nodes(); }
std::vector<std::string> Circuit::analyses() const { return data_->assembly->requests.order; }
std::vector<std::string> Circuit::printed() const { return data_->assembly->requests.printed; }
std::vector<std::string> Circuit::names() const { return data_->assembly->network.unknown_names; }
const CircuitIndex& Circuit::index() const { return *data_->index; }

std::vector<std::pair<char, int>> Circuit::elements() const {
  std::map<char, int> counts;
  for (const auto& part : data_->assembly->parts) ++counts[part->kind];
  return {counts.begin(), counts.end()};
}

std::vector<SourceDiagnostic> Circuit::warnings() const { return data_->netlist->files.sorted(); }

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
