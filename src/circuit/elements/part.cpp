// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/elements/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/nearest.hpp"

namespace daedalus::circuit {
namespace {

constexpr std::array<ElementKind, 16> element_kinds{
    {{'r', 2, "R1 n+ n- value", make_resistor},
     {'c', 2, "C1 n+ n- value", make_capacitor},
     {'l', 2, "L1 n+ n- value", make_coil},
     {'k', 0, "K1 L1 L2 coupling", make_coupling},
     {'v', 2, "V1 n+ n- value", make_voltage_source},
     {'i', 2, "I1 n+ n- value", make_current_source},
     {'e', 2, "E1 n+ n- c+ c- gain", make_controlled},
     {'g', 2, "G1 n+ n- c+ c- gain", make_controlled},
     {'f', 2, "F1 n+ n- V1 gain", make_current_controlled},
     {'h', 2, "H1 n+ n- V1 resistance", make_current_controlled},
     {'b', 2, "B1 n+ n- V=expression", make_behavioural},
     {'d', 2, "D1 anode cathode model", make_diode},
     {'q', 3, "Q1 c b e model", make_bipolar},
     {'m', 4, "M1 d g s b model", make_mos},
     {'j', 3, "J1 d g s model", make_jfet},
     {'s', 4, "S1 n+ n- c+ c- model", make_switch}}};
constexpr ElementKind current_switch{'w', 2, "W1 n+ n- V1 model", make_switch};

}  // namespace

Part::~Part() = default;

bool has_two_terminals(char kind) {
  return std::string_view("rclviefghbdsw").find(kind) != std::string_view::npos;
}

void Part::declare_all(Context& c) {
  declare(c);
  if (!c.sensed.count(name) || !has_two_terminals(kind) || c.network.find_branch(name) >= 0) return;
  sensed_ = c.network.add_branch(name, false);
  c.network.branches.back().sensed = true;
}

void Part::stamp_all(Context& c) {
  if (sensed_ >= 0) c.network.begin_sensing(sensed_, nodes[0], nodes[1]);
  const std::size_t first_charge = c.network.charges.size();
  stamp(c);
  c.network.end_sensing();
  add_capacitances(c.network, first_charge);
}

// q(m1,gs) by the voltage of its first node is cgs.
void Part::add_capacitances(Network& network, std::size_t first_charge) const {
  if (network.devices.empty() || network.devices.back().element != number) return;
  Device& device = network.devices.back();
  for (std::size_t k = first_charge; k < network.charges.size(); ++k) {
    const Charge& q = network.charges[k];
    if (q.tabled || q.value.is_number()) continue;
    const std::size_t comma = q.name.find(',');
    const std::string which =
        comma == std::string::npos ? "" : q.name.substr(comma + 1, q.name.size() - comma - 2);
    device.quantities.push_back({"c" + which, q.value, DeviceQuantity::slope, q.node_a});
  }
}

const ElementKind* element_kind(char letter) {
  if (letter == 'w') return &current_switch;
  for (const ElementKind& k : element_kinds)
    if (k.letter == letter) return &k;
  return nullptr;
}

int Context::node(const std::string& name) const {
  if (name == "0" || name == "gnd") return ground;
  if (const auto port = level.ports.find(name); port != level.ports.end()) return port->second;
  if (level.prefix.empty() ||
      std::find(netlist.globals.begin(), netlist.globals.end(), name) != netlist.globals.end())
    return network.node(name);
  return network.node(level.prefix + name);
}

int Context::existing_node(const std::string& name, Where where) const {
  if (name == "0" || name == "gnd") return ground;
  if (const auto port = level.ports.find(name); port != level.ports.end()) return port->second;
  for (const std::string& full : {level.prefix + name, name})
    if (const int n = network.find_node(full); n != no_node) return n;
  std::string hint = model::name_hint(name, network.node_names);
  // q where only Q1#b is near: an inner node, meant is the one outside.
  files.error(where, fmt::format("node {} in the expression does not exist", name), hint);
  return no_node;
}

int Context::branch_of(const std::string& element) const {
  const int own = network.find_branch(level.prefix + element);
  return own >= 0 ? own : network.find_branch(element);
}

const ModelCard* Context::model(const std::string& name, const Level** found_at) const {
  return find_defined(level, name, &Body::models, found_at);
}

std::vector<std::string> Context::models() const {
  std::vector<std::string> list;
  for (const Level* at = &level; at; at = at->above)
    for (const auto& [name, card] : at->body->models) list.push_back(card.written);
  return list;
}

Expr settable(Context& context, const Part& part, const Value& value) {
  const auto formula = context.level.parameters->formula(value);
  if (!formula) return 0.0;
  if (!formula->is_number() || part.number >= context.settable_limit || !value.number)
    return *formula;
  if (context.network.builder.find(part.written)) return *formula;
  if (!part.level->prefix.empty()) return *formula;
  return context.network.add_parameter(part.written, formula->number());
}

double number_or(Context& context, const Value& value, double otherwise) {
  return context.level.parameters->number(value).value_or(otherwise);
}

}  // namespace daedalus::circuit
