// SPDX-License-Identifier: BSD-3-Clause
// An element of the expanded circuit: first it says which inner nodes and currents it has, then it
// puts its equations into the network.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "circuit/netlist/netlist.hpp"
#include "circuit/network.hpp"

namespace daedalus::circuit {

// One level of the hierarchy of subcircuits.
struct Level {
  const Body* body = nullptr;
  const Level* above = nullptr;  // where the instance stands
  const Level* around =
      nullptr;         // where its subcircuit is defined: models and subcircuits of there
  std::string prefix;  // "x1." or empty
  std::map<std::string, int> ports;
  std::unique_ptr<Parameters> parameters;
  const Subcircuit* subcircuit = nullptr;
};

// The model or subcircuit of this name that is known at a level: from where it is defined outwards,
// else (for libraries that rely on it) from where it is used. `table`: of a body.
template <class Table>
auto find_defined(const Level& level, const std::string& name, Table table, const Level** found_at)
    -> decltype(&(level.body->*table).begin()->second) {
  for (const auto next : {&Level::around, &Level::above})
    for (const Level* at = &level; at; at = at->*next)
      if (const auto found = (at->body->*table).find(name); found != (at->body->*table).end()) {
        *found_at = at;
        return &found->second;
      }
  return nullptr;
}

// What elements are made in: name spaces of their level, and where to complain.
struct Context {
  Network& network;
  Files& files;
  const Level& level;
  const Netlist& netlist;
  int settable_limit;  // elements of larger circuits do not become parameters
  const std::unordered_set<std::string>& sensed;  // elements whose currents are printed

  int node(const std::string& name) const;
  // -2, reported: there is no such node.
  int existing_node(const std::string& name, Where where) const;
  int branch_of(const std::string& element) const;  // of this level, else of the whole; -1: none
  const ModelCard* model(const std::string& name, const Level** found_at) const;
  std::vector<std::string> models() const;
  std::string inner_name(const std::string& element) const { return level.prefix + element; }
};

class Part {
 public:
  virtual ~Part();
  virtual void declare(Context&) {}
  virtual void stamp(Context&) = 0;
  void declare_all(Context& c);  // with the current of a sensed element
  void stamp_all(Context& c);
  // Nodes that its formulas depend on, inner ones too.
  virtual std::vector<int> all_nodes() const { return nodes; }
  // What controls a linear source: voltages of nodes, or the current of a branch (-1: none).
  virtual std::vector<int> control_nodes() const { return {}; }
  virtual int control_branch() const { return -1; }

  std::string name;     // with its path, small letters
  std::string written;  // as it stands in the file
  char kind = 0;
  int number = -1;
  std::vector<int> nodes;
  Where where{};
  const Level* level = nullptr;

 protected:
  // Its numbers go into tables: one of many, and nobody asks for its current.
  bool is_tabled(const Context& c) const { return number >= c.settable_limit && sensed_ < 0; }
  void edge(Context& c, EdgeKind type, int a, int b, bool controlled = false, int branch = -1) {
    c.network.edges.push_back({type, a, b, number, controlled, branch});
  }

  // Quantities of .op; capacitances are added from the charges of the element.
  Device& device(Context& c, std::string type) {
    c.network.devices.push_back({number, std::move(type), all_nodes(), {}, {}});
    return c.network.devices.back();
  }

 private:
  void add_capacitances(Network& network, std::size_t first_charge) const;
  int sensed_ = -1;  // branch
};
// Elements between two nodes, whose currents can be printed.
bool has_two_terminals(char kind);

// What an element line gives besides its nodes; null, reported, if it is wrong.
using Maker = std::unique_ptr<Part> (*)(Context& context, Cursor& cursor, const Part& head);
struct ElementKind {
  char letter;
  int nodes;          // that stand after the name
  const char* usage;  // "R1 n+ n- value"
  Maker make;
};
const ElementKind* element_kind(char letter);

// A value that may be set from outside: a parameter of the model under the element's name.
Expr settable(Context& context, const Part& part, const Value& value);
// Numbers that decide on structure.
double number_or(Context& context, const Value& value, double otherwise);

std::unique_ptr<Part> make_resistor(Context&, Cursor&, const Part&);
std::unique_ptr<Part> make_capacitor(Context&, Cursor&, const Part&);
std::unique_ptr<Part> make_coil(Context&, Cursor&, const Part&);
std::unique_ptr<Part> make_coupling(Context&, Cursor&, const Part&);
std::unique_ptr<Part> make_voltage_source(Context&, Cursor&, const Part&);
std::unique_ptr<Part> make_current_source(Context&, Cursor&, const Part&);
std::unique_ptr<Part> make_controlled(Context&, Cursor&, const Part&);          // E G
std::unique_ptr<Part> make_current_controlled(Context&, Cursor&, const Part&);  // F H
std::unique_ptr<Part> make_behavioural(Context&, Cursor&, const Part&);
std::unique_ptr<Part> make_diode(Context&, Cursor&, const Part&);
std::unique_ptr<Part> make_bipolar(Context&, Cursor&, const Part&);
std::unique_ptr<Part> make_mos(Context&, Cursor&, const Part&);
std::unique_ptr<Part> make_jfet(Context&, Cursor&, const Part&);
std::unique_ptr<Part> make_switch(Context&, Cursor&, const Part&);  // S W

}  // namespace daedalus::circuit
