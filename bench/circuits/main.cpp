// SPDX-License-Identifier: BSD-3-Clause
// daedalus_circuits [--ours] [--largest] [--method=NAME] [--rtol=a,b,...] [circuit...]
// Circuits here and by ngspice in one run: CPU time of the transient analysis at equal measured
// error. For every setting of the peer the least time of ours with at most its error counts.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bench/circuits/solvers.hpp"

namespace daedalus::bench {
namespace {

struct Settings {
  bool only_ours = false, largest = false;
  std::string method;
  std::vector<double> rtol{1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4,
                           3e-5, 1e-5, 3e-6, 1e-6, 1e-7, 1e-8};
  std::vector<std::string> circuits;
};

Settings read(int count, char** words) {
  Settings s;
  for (int k = 1; k < count; ++k) {
    const std::string w = words[k];
    if (w == "--ours") {
      s.only_ours = true;
    } else if (w == "--largest") {
      s.largest = true;
    } else if (w.rfind("--method=", 0) == 0) {
      s.method = w.substr(9);
    } else if (w.rfind("--rtol=", 0) == 0) {
      s.rtol.clear();
      for (std::size_t at = 7; at < w.size();) {
        const std::size_t end = std::min(w.find(',', at), w.size());
        s.rtol.push_back(std::stod(w.substr(at, end - at)));
        at = end + 1;
      }
    } else {
      s.circuits.push_back(w);
    }
  }
  return s;
}

std::vector<PeerSetting> peer_settings(const CircuitRow& row) {
  std::vector<PeerSetting> list{{"default", "", 0.0}};
  if (row.large) return list;
  list.push_back({"reltol 1e-5", ".options reltol=1e-5", 0.0});
  list.push_back({"reltol 1e-6, trtol 1", ".options reltol=1e-6 trtol=1", 0.0});
  list.push_back({"+ T/5e4", ".options reltol=1e-6 trtol=1 chgtol=1e-18", 1.0 / 5e4});
  return list;
}

void print(const CircuitRow& row, const char* side, const Measured& m, const std::string& note) {
  if (m.ok)
    fmt::print("{:<12} {:<9} {:<22} {:>7} {:>6} {:>11.3f} {:>10.1e}  {}\n", row.name, side,
               m.setting, m.steps, m.rejected, 1e3 * m.seconds, m.error, note);
  else
    fmt::print("{:<12} {:<9} {:<22} {}\n", row.name, side, m.setting, m.message);
  std::fflush(stdout);
}

struct Standing {
  double logarithms = 0.0, worst = 0.0, worst_large = 0.0;
  int count = 0, lost = 0;
  std::string worst_row;
};

void compare(const CircuitRow& row, const PeerSetting& setting, const std::vector<Measured>& ours,
             double preparation, Standing& standing) {
  const Measured peer = run_ngspice(row, setting, 5.0);
  if (!peer.ok) return print(row, "ngspice", peer, "");
  double least = HUGE_VAL;
  for (const Measured& m : ours)
    if (m.ok && m.error <= peer.error) least = std::min(least, m.seconds);
  // Of a large circuit the whole of both runs is compared, reading and start included.
  if (row.large) least += preparation;
  const double ratio = least / peer.seconds;
  print(row, "ngspice", peer,
        std::isfinite(ratio) ? fmt::format("ours/peer {:.2f}", ratio) : "not reached by ours");
  if (!std::isfinite(ratio)) {
    ++standing.lost;
    return;
  }
  standing.logarithms += std::log(ratio);
  ++standing.count;
  if (ratio > standing.worst) {
    standing.worst = ratio;
    standing.worst_row = row.name + ", " + peer.setting;
  }
  if (row.nodes >= 10000) standing.worst_large = std::max(standing.worst_large, ratio);
}

int run(const Settings& settings) {
  const bool peer = !settings.only_ours && have_ngspice();
  if (!peer && !settings.only_ours)
    fmt::print("ngspice is not installed (package ngspice): the comparison is left out.\n");
  fmt::print("{:<12} {:<9} {:<22} {:>7} {:>6} {:>11} {:>10}\n", "circuit", "side", "setting",
             "steps", "reject", "ms", "error");
  Standing standing;
  for (const CircuitRow& row : circuit_rows(settings.circuits, settings.largest)) {
    if (row.large)
      for (const auto& [phase, seconds] : phases(row))
        fmt::print("{:<12} {:<9} {:<22} {:>26.3f}\n", row.name, "daedalus", phase, 1e3 * seconds);
    const OurCircuit circuit(row);
    fmt::print("{:<12} {:<9} {:<22} {:>26.3f}\n", row.name, "daedalus", "read, analyse, start",
               1e3 * circuit.preparation_seconds());
    std::vector<Measured> ours;
    for (const double rtol : settings.rtol) {
      if (row.large && rtol < 1e-4) continue;  // far beyond what the peer reaches there
      ours.push_back(circuit.run(rtol, settings.method, row.large ? 0.0 : 0.02));
      Measured shown = ours.back();
      shown.setting += fmt::format(" {:.0e}", rtol);
      print(row, "daedalus", shown, "");
    }
    if (!peer) continue;
    for (const PeerSetting& setting : peer_settings(row))
      compare(row, setting, ours, circuit.preparation_seconds(), standing);
  }
  if (standing.count > 0)
    fmt::print(
        "geometric mean of ours/peer over {} rows: {:.3f}; largest {:.2f} ({}); largest with 10^4 "
        "nodes or more {:.3f}; not reached {}\n",
        standing.count, std::exp(standing.logarithms / standing.count), standing.worst,
        standing.worst_row, standing.worst_large, standing.lost);
  return 0;
}

}  // namespace
}  // namespace daedalus::bench

int main(int count, char** words) {
  try {
    return daedalus::bench::run(daedalus::bench::read(count, words));
  } catch (const std::exception& error) {
    fmt::print(stderr, "daedalus_circuits: {}\n", error.what());
    return 1;
  }
}
