// SPDX-License-Identifier: BSD-3-Clause
// The equations of a circuit while its elements put their parts into them (charge-oriented
// modified nodal analysis, Estevez Schwarz and Tischendorf 2000):
//   node n      sum of currents out of n, with d' of the charges       = 0
//   coil        d' of its flux - its voltage                           = 0
//   source      its voltage - what it shall be                         = 0
// Unknowns are node voltages, currents of coils and currents of voltage sources, in this order.
// Static parts, independent sources and charges are kept apart: operating points, small signals
// and the index need them one by one.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <daedalus/model.hpp>

#include "circuit/bulk.hpp"
#include "circuit/netlist/files.hpp"
#include "graph/relations.hpp"

namespace daedalus::circuit {

// Numbers of nodes begin with 0.
inline constexpr int ground = -1, no_node = -2;

// What may close a loop or separate a cutset.
enum class EdgeKind { capacitive, voltage, conducting, coil, current };
struct Edge {
  EdgeKind kind;
  int a, b;     // nodes
  int element;  // number of the element
  bool controlled = false;
  int branch = -1;  // current of a voltage edge or coil
};

// Differentiated by time: enters row `plus` and, with the other sign, row `minus`.
struct Charge {
  std::string name;
  Expr value;
  int plus = ground, minus = ground;     // rows
  bool linear = false;                   // in the unknowns, with constant coefficients
  bool tabled = false;                   // its value is in Network::capacitances
  double nominal = 1.0;                  // what is a large value of it
  int node_a = ground, node_b = ground;  // where it can be held by a voltage (UIC)
  double start = 0.0;                    // that voltage
  bool has_start = false;
};

// A pn junction: Newton's method must not overrun its exponential.
struct Junction {
  int a, b;
  double sign, n_vt, v_crit;
};

struct Branch {
  std::string name;  // of its element
  bool coil = false;
  bool sensed = false;  // an unknown only because it is printed
  double start = 0.0;   // of a coil with UIC
  Expr inductance;      // of a linear coil
  int flux = -1;        // its charge, of a linear coil
};

struct CouplingOf {
  int first, second;  // branches
  double factor;
  int element;
};

struct Switch {
  std::string name;
  Expr on, control;  // discrete variable; what is compared
  double rises_at, falls_at;
  bool starts_on;
  Where where{};
};

// An independent source: .dc and a DC value beside a shape replace what it has at the start.
struct IndependentSource {
  std::string name;
  int plus, minus;               // rows that its value enters, with these signs; ground: none
  double sign;                   // of its value in row `plus`
  Expr value;                    // over time
  std::optional<double> direct;  // DC, where it has a shape as well
  // What another value adds to the source parts of the rows.
  void change(double by, std::vector<std::pair<int, double>>& added) const {
    if (plus >= 0) added.emplace_back(plus, sign * by);
    if (minus >= 0) added.emplace_back(minus, -sign * by);
  }
};

// The values of a device at the operating point that people ask for: a formula, or its derivative
// by the voltage of a node.
struct DeviceQuantity {
  std::string name;  // ic, gm
  Expr value;
  enum { plain, slope, resistance } meaning = plain;  // slope: d value / d v(by); or 1 over it
  int by = ground;
};
struct Device {
  int element = -1;
  std::string kind;        // D, NPN, NMOS
  std::vector<int> nodes;  // all that its formulas depend on
  std::vector<DeviceQuantity> quantities;
  // In words, from the values of the quantities.
  std::function<std::string(const std::vector<double>&)> region;
};

class Network {
 public:
  explicit Network(std::string name);

  void reserve(std::size_t elements);  // room for so many
  // ---- layout: before the first equation ----
  int node(const std::string& name);             // ground: 0, gnd
  int find_node(const std::string& name) const;  // no_node: none
  int add_branch(std::string element, bool coil);
  int find_branch(const std::string& element) const;  // -1: none
  void close_layout();                                // makes the unknowns

  // ---- equations ----
  Expr v(int n) const { return n == ground ? Expr(0.0) : x_[static_cast<std::size_t>(n)]; }
  Expr v(int a, int b) const { return v(a) - v(b); }
  Expr i(int branch) const { return x_[static_cast<std::size_t>(row_of_branch(branch))]; }
  Expr time() { return builder.time(); }
  void current(int from, int to, const Expr& value);         // through an element
  void source_current(int from, int to, const Expr& value);  // of an independent source
  void branch_current(int branch, int from, int to);         // its current leaves `from`
  void branch_row(int branch, const Expr& value);
  void branch_source(int branch, const Expr& value);
  void add_charge(Charge charge);
  // Linear elements of large circuits, by number: from node to node.
  void conductance(int a, int b, double value) { conductances.add(a, b, value); }
  void add_capacitance(Charge charge, double value);
  // From here to end_sensing() what flows out of node `at` (or, at ground, out of `other`) goes
  // through the current of the branch, which becomes an unknown.
  void begin_sensing(int branch, int at, int other);
  void end_sensing();
  int row_at(int node) const {  // where currents out of a node go
    return sensed_ >= 0 && node == sensed_node_ ? row_of_branch(sensed_) : node;
  }
  int row_of_branch(int branch) const { return branch_rows_[static_cast<std::size_t>(branch)]; }

  int unknowns() const { return static_cast<int>(x_.size()); }
  int nodes() const { return static_cast<int>(node_names.size()); }
  const Expr& unknown(int k) const { return x_[static_cast<std::size_t>(k)]; }

  // Comparisons in expressions of B sources become modes that are changed at located times.
  void extract_relations();
  int mode_count() { return builder.graph().count(graph::InputKind::mode); }

  // A parameter of the model; its value is needed before there is a model.
  Expr add_parameter(const std::string& name, double value, ParameterOptions options = {});
  // By number: defaults, replaced by `values`.
  std::vector<std::pair<int, double>> parameter_values(
      const std::map<std::string, double>& values) const;
  std::vector<Parameter> parameters() const;  // by number, with their defaults

  // Of a parameter, or of the direct value of a source, whatever the case of its letters; -1: none.
  int parameter_number(const std::string& name) const;

  ModelBuilder builder;
  std::vector<std::string> node_names;
  std::vector<Branch> branches;
  std::vector<std::string> unknown_names;  // v(out), i(l1)
  std::vector<std::string> row_names;
  std::vector<Expr> fixed_part, source_part;  // by row
  std::vector<Charge> charges;
  Bulk conductances, capacitances;
  std::vector<int> capacitance_charges;  // numbers of the charges of `capacitances`
  std::vector<IndependentSource> sources;
  std::vector<Device> devices;
  std::vector<Edge> edges;
  std::vector<Junction> junctions;
  std::vector<Switch> switches;
  int last_switching = -1;  // discrete variable: the time of it; -1: nothing switches
  bool compares = false;    // an expression of the netlist may hold comparisons
  bool warned_of_powers = false;
  graph::Relations relations;
  std::vector<CouplingOf> couplings;
  // AC magnitude as a right-hand side: row, value.
  struct Excitation {
    int row;
    double re, im;
  };
  std::vector<Excitation> excitations;
  // Adds the corners of a source in (from, to].
  using Corners = std::function<void(double from, double to, std::vector<double>& times)>;
  std::vector<Corners> corners;
  Expr gmin;  // parallel to every pn junction
  double temperature = 300.15, nominal_temperature = 300.15;
  double tstep = 0.0, tstop = 0.0;  // of .tran: defaults of source shapes

 private:
  struct Default {
    std::string name;
    int number;
    double value;
  };
  std::vector<Default> defaults_;
  void flow(std::vector<Expr>& rows, int from, int to, const Expr& value);
  void replace_relations();

  std::unordered_map<std::string, int> node_numbers_, branch_numbers_;
  std::unordered_map<std::string, int> default_numbers_;  // small letters: place in defaults_
  std::vector<int> branch_rows_;
  std::vector<Expr> x_;
  // Of the element that is sensed: its branch (-1: none), the node, and the sign of the current.
  int sensed_ = -1, sensed_node_ = no_node;
  double sensed_sign_ = 1.0;
};

}  // namespace daedalus::circuit
