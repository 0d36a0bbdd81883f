// SPDX-License-Identifier: BSD-3-Clause
// Runs of the program DAE2SOL. What the thesis leaves open is fixed once for all tables: a step is
// accepted from eta = 0.9 on, the next one is 0.8 h eta, at most 2 h, after a rejection h eta; none
// exceeds a twentieth of the interval, the run begins with that, and the test of the first step
// looks at all variables, as printed. Of 450 such rules this one meets most of the printed numbers
// of steps, 19 of 27; halving and doubling meets 13, h eta as printed 6. `spread` tells what other
// readings would have given, so that no agreement rests on a choice that is not shown.
#pragma once

#include "reproduce/tischendorf_support.hpp"

namespace daedalus::experiments::tischendorf {

// A run that has not ended by then does not get on: the tables have at most 1603.
inline constexpr long max_attempts = 5000;

struct Setting {
  std::string control = "dae2sol-fitted";
  int mode = 1;  // "Steuerung 1": P x is tested; 2: all variables
  bool first_test_of_all = true;
  double first_step = 1.0;  // over the largest one; 0: chosen by the library
  long max_steps = max_attempts;
  std::function<void(const StateView&)> sink{};  // every accepted state
};

struct Run {
  Status status = Status::success;
  double t = 0.0;
  long accepted = 0, rejected = 0;
  double h_min = 0.0, h_max = 0.0;
  Eigen::VectorXd end{};
  long total() const { return accepted + rejected; }
};

// The readings of what is open: two first tests, four first steps, the fitted rule or halving and
// doubling with an order that may change at once or stays for k + 1 steps.
std::vector<Setting> readings(int mode, long max_steps);

Options program_options(double tolerance, double length, const Setting& setting);
Run run(const std::string& problem, double t_end, double tolerance, const Setting& setting = {});

// A sentence: smallest and largest number of accepted steps over the readings, and how many of them
// reach the end.
std::string spread(const std::string& problem, double t_end, double tolerance, int mode = 1);

}  // namespace daedalus::experiments::tischendorf
