// SPDX-License-Identifier: BSD-3-Clause
// What is measured: a circuit, a variable of it, and values of that at given times.
#pragma once

#include <string>
#include <vector>

namespace daedalus::bench {

struct CircuitRow {
  std::string name;      // "halfwave", "mesh-100"
  std::string variable;  // "v(out)"
  std::string netlist;   // its text
  std::vector<double> times, values;
  double scale = 1.0;  // largest value
  double t_end = 0.0;
  int nodes = 0;  // about
  bool large = false;
};

// Of small circuits the files of the test folder, of large ones generated text with closed forms.
std::vector<CircuitRow> circuit_rows(const std::vector<std::string>& wanted, bool with_largest);

std::string mesh_text(int n);  // n x n nodes
std::string ladder_text(int n);
std::string oscillators_text(int rows, int stages);  // ring oscillators beside each other

// Cost and error of one run.
struct Measured {
  bool ok = false;
  std::string setting, message;
  double seconds = 0.0;  // CPU time of the integration
  double error = 0.0;    // largest over the times, in parts of the scale
  long steps = 0, rejected = 0, iterations = 0;
};

}  // namespace daedalus::bench
