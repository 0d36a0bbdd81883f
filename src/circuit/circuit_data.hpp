// SPDX-License-Identifier: BSD-3-Clause
// What is behind a Circuit: the netlist, its equations, and what has been found out about them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <daedalus/circuit.hpp>
#include "circuit/assembly.hpp"
#include "circuit/operating_point.hpp"
#include "circuit/topology.hpp"
#include "circuit/transient_equations.hpp"

namespace daedalus {

struct Circuit::Data {
  std::string file;
  std::shared_ptr<circuit::Netlist> netlist;
  std::shared_ptr<circuit::Assembly> assembly;
  circuit::Topology topology;
  std::unique_ptr<circuit::StaticEquations> equations;
  std::string formulation;                    // asked for; empty: chosen here
  std::optional<circuit::StartPoint> point;   // where a run begins: operating point, or UIC
  std::optional<circuit::StartPoint> direct;  // operating point with the DC values of sources
  std::optional<CircuitIndex> index;
  circuit::TransientEquations transient;

  const circuit::StartPoint& operating_point();
  const circuit::StartPoint& direct_point();  // of .op .dc .ac .pz: without UIC
};

}  // namespace daedalus

namespace daedalus::circuit {

// Loops of voltage sources, nodes where only current sources meet, islands without direct path:
// reported.
void check_topology(const Topology& topology, const Assembly& assembly, Files& files);
// Where no operating point exists: nodes that controlled current sources alone should hold.
void blame_controlled_currents(const Topology& topology, const Assembly& assembly, Files& files);
// What holds at the start: .ic, or with UIC voltages of capacitors and currents of coils.
Conditions start_conditions(const Assembly& assembly, Files& files, bool with_uic = true);
// Where given voltages contradict each other at x: all capacitors give way alike. False: they
// agree.
bool relax_contradictions(const std::vector<double>& x, Conditions& conditions);
// Warnings: what starts with another voltage or current than it was given.
void report_relaxed(const std::vector<double>& x, const Conditions& conditions,
                    const Assembly& assembly, Files& files);
std::vector<NodeGuess> start_guesses(const Assembly& assembly);
CircuitIndex index_report(Circuit::Data& data);
// What switches and comparisons do during a run.
std::vector<Event> switching_events(std::shared_ptr<Circuit::Data> data);
Problem transient_problem(Circuit::Data& data);
Entry circuit_entry(std::shared_ptr<Circuit::Data> data);
// E of E x' + J x: capacitances and inductances by row and unknown, at the operating point.
struct Linearised {
  SparsePattern e_pattern, j_pattern;
  std::vector<double> e, j;
};
Linearised linearised(Circuit::Data& data, const StartPoint& at);
// What a step of implicit Euler of length h answers to a fixed perturbation of all equations.
std::vector<double> euler_answer(Circuit::Data& data, double h);
// One linearised step of implicit Euler from the operating point; empty: its matrix is singular.
std::vector<double> euler_step(Circuit::Data& data, double h);
void add_dense(const SparsePattern& pattern, const std::vector<double>& values,
               Eigen::MatrixXd& matrix);
std::shared_ptr<Circuit::Data> read_circuit_data(std::shared_ptr<Netlist> netlist, std::string file,
                                                 const Values& values,
                                                 const std::string& formulation = {});

}  // namespace daedalus::circuit
