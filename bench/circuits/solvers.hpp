// SPDX-License-Identifier: BSD-3-Clause
// The two sides of the comparison.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/circuits/rows.hpp"

namespace daedalus::bench {

struct PeerSetting {
  std::string name, options;    // a line .options of it
  double max_step_share = 0.0;  // of the interval; 0: its own
};

bool have_ngspice();
// The transient analysis alone: what repeated analyses add to the CPU time of the process. Of large
// circuits the whole of its run.
Measured run_ngspice(const CircuitRow& row, const PeerSetting& setting, double longest_seconds);

// CPU seconds of what precedes the operating point, one by one.
std::vector<std::pair<std::string, double>> phases(const CircuitRow& row);

class OurCircuit {
 public:
  explicit OurCircuit(const CircuitRow& row);
  ~OurCircuit();
  double preparation_seconds() const;  // reading, operating point, index
  // `solve` and nothing else.
  Measured run(double rtol, const std::string& method, double least_seconds) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace daedalus::bench
