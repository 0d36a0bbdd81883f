// SPDX-License-Identifier: BSD-3-Clause
// One drawn problem with what is known of its solution, and the classes that draw them.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>

#include "soak/random.hpp"

namespace daedalus::soak {

// A quantity that keeps its value at the start; an error of one tolerance changes it by about
// `scale` tolerances.
struct Conserved {
  std::string name;
  std::function<double(const StateView&)> value;
  double scale = 1.0;
  int index = 1;
};

struct ExpectedEvents {
  std::string name;
  std::vector<double> times;
  double slope = 1.0;  // smallest |d/dt| of the variable that crosses, at these times
};

struct Case {
  std::string description{};
  Problem problem{};
  double t0 = 0.0, t1 = 1.0;
  int index = 1;          // the true one
  bool stiff = false;     // for implicit methods only
  bool named_too = true;  // named methods as well as the automatic choice
  // Of these components of the error, those of index k count with h^(k-1).
  std::function<Eigen::VectorXd(double t)> solution{};
  Eigen::MatrixXd components{};        // rows: combinations of variables; empty: the variables
  std::vector<int> component_index{};  // empty: that of the variables in the formulation chosen
  std::vector<Conserved> conserved{};
  std::vector<Event> events{};
  std::vector<ExpectedEvents> expected{};
  std::vector<double> break_times{};
  std::vector<double> jumps{};  // values next to these times depend on the time found: not judged
  // Runs cannot reach t1: what has to be in the message of one that says so.
  std::string has_to_name{};
  StartStrategy start = StartStrategy::automatic;
  bool between_steps = false;  // always with values between the steps
  double amplification = 1.0;  // of errors by the equations themselves, where it is measured
  // The same at t, where it grows beyond what is drawn: errors may be as much larger.
  std::function<double(double t)> growth{};
  double turns = 0.0;  // of the fastest signal, in radians over the interval; 0: few
};

// As much as transforms of condition 10 do with the growth that linear classes draw.
constexpr double max_amplification = 30.0;

struct ProblemClass {
  std::string name;
  std::string description;
  Case (*make)(Random&);
};
std::span<const ProblemClass> all_classes();
// A problem of the class that does not amplify errors so much that one tolerance becomes a wrong
// answer: those that do are drawn again.
Case draw(const ProblemClass& problem_class, Random&);
const ProblemClass* find_class(std::string_view name);  // nullptr: there is none

// Each in a file of its own.
Case draw_linear_index0(Random&);
Case draw_linear_index1(Random&);
Case draw_linear_index2(Random&);
Case draw_linear_index3(Random&);
Case draw_nonlinear_index1(Random&);
Case draw_hessenberg2(Random&);
Case draw_plane_linkage(Random&);
Case draw_space_linkage(Random&);
Case draw_multipliers(Random&);
Case draw_branches(Random&);
Case draw_break_times(Random&);
Case draw_crossings(Random&);
Case draw_impacts(Random&);
Case draw_switches(Random&);
Case draw_stiffness_jump(Random&);
Case draw_fast_signal(Random&);
Case draw_quadrature(Random&);

}  // namespace daedalus::soak
