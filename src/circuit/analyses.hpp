// SPDX-License-Identifier: BSD-3-Clause
// What the dot lines of a netlist ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <daedalus/circuit.hpp>

#include "circuit/netlist/netlist.hpp"
#include "circuit/network.hpp"

namespace daedalus::circuit {

struct NodeValue {
  std::string node;
  double value;
  Where where{};
};

struct SweepRequest {
  std::string source;  // of a source, a parameter, or temp
  double from = 0.0, to = 0.0, step = 0.0;
  Where where{};
};

struct FrequencyRequest {
  std::string kind;  // dec, oct, lin
  int points = 10;
  double from = 1.0, to = 1.0;
  std::vector<double> frequencies() const;
};

struct TransientRequest {
  double step = 0.0, stop = 0.0, start = 0.0, max_step = 0.0;
  bool use_initial_conditions = false;
};

// v(a), v(a,b), i(r1), p(r1), and of .ac vdb vm vp vr vi.
struct Signal {
  std::string kind;
  std::vector<std::string> arguments;  // small letters
  std::string text;                    // "v(a,b)"
  Where where{};
};

// A line .meas tran.
struct MeasureRequest {
  std::string name;
  std::string what;  // find, when, min, max, pp, avg, rms, trig
  struct Crossing {
    Signal signal;
    double level = 0.0;
    int number = 1;      // the n-th one; -1: the last
    int direction = 0;   // 1 rising, -1 falling, 0 both
    double at = -1.0;    // a time instead
    double delay = 0.0;  // counted from here on
  };
  Signal signal;             // of find, min, max, pp, avg, rms
  Crossing when, to;         // of find WHEN, when; trig and targ
  double from = 0.0, until;  // interval
  Where where{};
};

struct Requests {
  std::vector<std::string> order;  // op, dc, tran, ac, pz as they stand in the file
  std::optional<TransientRequest> transient;
  std::vector<SweepRequest> sweep;
  std::optional<FrequencyRequest> frequencies;
  std::vector<NodeValue> initial, guesses;  // .ic, .nodeset
  std::vector<Signal> printed;              // of .print, .plot, .save, .probe
  std::vector<MeasureRequest> measures;
  double temperature = 300.15, nominal_temperature = 300.15, gmin = 1e-12;
  std::optional<double> rtol, voltage_tolerance, current_tolerance, charge_tolerance, shunt;
  OperatingPointOptions limits;
  std::string method;
  int max_order = 0;
};

// One line .meas; false, reported: wrong. `number` reads a value at the cursor.
bool read_measure(Cursor& cursor, const std::function<double(Cursor&)>& number, double tstop,
                  MeasureRequest& request);
// v(a,b) at the cursor; false: there is none.
bool read_signal(Cursor& cursor, Signal& signal);

// Reads commands and options; mistakes are reported.
Requests read_requests(Netlist& netlist, const Parameters& parameters);

}  // namespace daedalus::circuit
