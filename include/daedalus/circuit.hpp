// SPDX-License-Identifier: BSD-3-Clause
// Electric circuits from netlists in the SPICE tradition: what they are made of, their index and
// the elements that cause it, operating points, small signals, and the problem to be solved.
//
//   const Circuit circuit = read_circuit("amplifier.cir");
//   circuit.index().text;                     // "index 2: loop v1-c1-c2 (a, b, 0); ..."
//   const OperatingPoint op = circuit.operating_point();
//   const Entry entry = circuit.entry();      // like one of the catalogue
//   solve(entry.problem(), {entry.t0, entry.t_end});
//
// Names are those of SPICE, in small letters: v(out), i(l1), i(v1), inside subcircuits v(x1.m).
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <daedalus/entry.hpp>
#include <daedalus/model_file.hpp>

namespace daedalus {

class Solution;

// The index by the theorem of Estevez Schwarz and Tischendorf (2000): it never exceeds 2 for
// passive circuits with independent sources, and only loops of capacitors and voltage sources and
// cutsets of coils and current sources cause 2.
struct CircuitIndex {
  int topology = 1;         // of the graph alone
  int numerical = -1;       // of the equations at the operating point; -1: not computed
  bool by_numbers = false;  // controlled sources take part: the theorem does not apply
  std::vector<std::vector<std::string>> loops, cutsets;  // elements; each causes index 2
  std::vector<std::string> cause;                        // all elements of them, once
  std::vector<std::string> variables;  // of the highest index, where it is above 1
  std::vector<int> levels;             // per unknown, where the index is above 2; else empty
  std::string text;
};

struct OperatingPoint {
  struct Attempt {
    std::string method;  // newton, gmin stepping, source stepping, homotopy, pseudo-transient
    int iterations = 0;
    std::string reached;  // in words
  };
  bool found = false;
  std::string method;  // that found it
  int iterations = 0;  // of all attempts
  std::vector<std::pair<std::string, double>> values;
  std::vector<Attempt> attempts;
  std::string message;
  double operator[](const std::string& name) const;  // InvalidArgument for an unknown name
};

struct OperatingPointOptions {
  std::vector<std::string> skip;  // attempts to leave out, by name
  int max_iterations = 200;       // of one solution
  int max_source_steps = 10000;   // of source stepping
};

// What people ask of a device at the operating point: currents, conductances, capacitances, power.
struct DeviceValues {
  std::string name, kind;  // kind: D, NPN, NMOS, R, ...
  std::string region;      // active, saturation, ...; empty where there is none
  std::vector<std::pair<std::string, double>> values;
};

// The result of a line .meas; NaN, with a reason, where it cannot be had.
struct Measured {
  std::string name;
  double value = 0.0;
  std::string problem;
};

// Small signals: amplitudes at frequency f.
struct SmallSignal {
  double f = 0.0;  // Hz
  std::vector<std::complex<double>> values;
};

// One point of .dc; `swept` are the values of the sources.
struct DirectSweep {
  std::vector<std::string> swept_names, names;
  struct Point {
    std::vector<double> swept, values;
  };
  std::vector<Point> points;
  std::vector<std::string> jumps;  // where the solution jumps, in sentences
  bool complete = false;
  std::string message;
};

// Steps are controlled to this part of the tolerance that is asked for. Errors of oscillators add
// up, and values between steps and variables of index 2 have a lower order than the steps: with it
// rtol is the error of what is printed.
inline constexpr double circuit_tolerance_share = 0.03;

// The circuit as a drawing shows it: ground is node 0; edges of loops and cutsets that cause
// index 2 are marked.
struct CircuitGraph {
  struct Edge {
    std::string element, kind;  // kind: capacitive, voltage, conducting, coil, current
    int from = 0, to = 0;
    bool marked = false;
  };
  std::vector<std::string> nodes;
  std::vector<Edge> edges;
};

class Circuit {
 public:
  Circuit();
  ~Circuit();
  Circuit(Circuit&&) noexcept;
  Circuit& operator=(Circuit&&) noexcept;

  const std::string& title() const;
  const std::string& file() const;
  std::vector<std::pair<char, int>> elements() const;  // kind and number of them
  int nodes() const;                                   // without ground
  std::vector<std::string> analyses() const;           // op dc tran ac pz, as asked for
  std::vector<std::string> printed() const;            // of .print: v(a,b), i(r1), p(r1)
  bool measures() const;                               // has lines .meas
  std::vector<SourceDiagnostic> warnings() const;
  std::vector<std::string> names() const;  // of the unknowns

  const CircuitIndex& index() const;
  CircuitGraph graph() const;
  // Where a run begins: sources at t = 0, with UIC the given voltages and currents.
  OperatingPoint operating_point(const OperatingPointOptions& options = {}) const;
  // Of .op .dc .ac .pz: with the DC values of sources that have a shape as well, without UIC.
  OperatingPoint direct_point() const;
  std::vector<DeviceValues> devices() const;  // there
  // Lines .meas of a run with dense output; problem variables are those of entry().
  std::vector<Measured> measure(const Solution& solution) const;
  // The same circuit with other values of parameters, in another formulation: charge (F(t, x, x')
  // = 0), charge-variables or conventional (M x' = f); empty or auto: chosen.
  Circuit with(const Values& values, const std::string& formulation = {}) const;
  std::string formulation() const;
  // Both end at the first point where `cancel` says so, with the points before it.
  DirectSweep direct_sweep(const std::function<bool()>& cancel = {}) const;
  // At the frequencies of .ac, in names().
  std::vector<SmallSignal> small_signals(const std::function<bool()>& cancel = {}) const;
  std::vector<std::complex<double>> poles() const;  // rad/s
  Entry entry() const;  // the transient problem; without .tran over one second
  // Of a run of it: tolerances by kind of variable (V, A, C), what .options and .tran say, events.
  // rtol 0: that of the netlist, or 1e-6. Includes circuit_tolerance_share.
  Options options(double rtol = 0.0) const;
  // Why options().method is what it is; empty: it is auto.
  std::string method_reason() const;
  std::size_t corner_count() const;  // times until tstop where sources are not smooth

  struct Data;
  explicit Circuit(std::shared_ptr<Data> data);

 private:
  std::shared_ptr<Data> data_;
};

// 4.7k, 10meg, 3kohm: a number as netlists have it; nothing where it is none.
std::optional<double> netlist_number(std::string_view text);

// Throw InvalidModel with all that is wrong, or FileError where the file cannot be read.
// `allow_files`: .include and .lib may name files outside the folder of the netlist.
Circuit read_circuit(const std::string& path, bool allow_files = false);
Circuit read_circuit_text(std::string text, const std::string& name,
                          const std::string& folder = ".", bool allow_files = false);

}  // namespace daedalus
