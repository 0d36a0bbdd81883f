// SPDX-License-Identifier: BSD-3-Clause
// What the experiments on Wieloch (2022) share: runs of the heavy top with exact start values, the
// error measures of remark 26, comparison with tabulated errors above round-off, observed orders.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <catalogue/heavy_top.hpp>
#include <daedalus/solve.hpp>

#include "reproduce/experiment.hpp"
#include "reproduce/support.hpp"

namespace daedalus::experiments::wieloch {

using Json = nlohmann::ordered_json;
using problems::HeavyTop;

Experiment experiment(int number, const char* title, double seconds,
                      std::vector<Claim> (*run)(Context&), Basis basis, Parts parts = {});

// 2-norms per class; q is measured by the entries of R and x, also where it is a quaternion.
struct Errors {
  double q = 0.0, v = 0.0, lambda = 0.0;
  double operator[](int i) const { return i == 0 ? q : i == 1 ? v : lambda; }
};
inline constexpr const char* class_names[] = {"q", "v", "lambda"};

struct Study {
  HeavyTop form = HeavyTop::r3xso3;
  std::string method{};
  int n = 0;                    // steps of length 1 / n, unless `steps` are given
  std::vector<double> steps{};  // from 0 to t_end
  std::map<std::string, double> settings{};
  double t_end = 1.0;
  std::string formulation = "auto";
  double accuracy = 1e-12;  // of the nonlinear equations: tolerance of the run
};

struct Run {
  bool ok = false;
  std::string message{};
  Errors largest{};  // ERR2: the largest difference per component over all steps, then the norm
  Errors end{};      // ERR1: at t_end
  double position = 0.0, velocity = 0.0;  // largest |Phi|, |B v|
  long steps = 0;
  long newton_iterations = 0;
  double mean_step() const { return 1.0 / static_cast<double>(steps); }  // t_end = 1
};
// Errors are infinite after a run that did not reach its end.
Run run(const Study& study);
// All states of a run, one per column, classes q, v, lambda.
Eigen::MatrixXd trajectory(const Study& study);

// Round-off of double precision with steps 1 / n: lambda 1.4e-12 n^2; q 1e-10, v 1e-9.
Errors round_off(double n);

double log2_ratio(double coarse, double fine);
// p of error ~ h^p by least squares.
double slope_of(const std::vector<double>& h, const std::vector<double>& e);

struct ValueRow {
  HeavyTop form;
  std::string_view method;
  bool corrected;  // start
  int n;
  std::array<double, 3> largest, end;  // 0: no such class
};
std::vector<ValueRow> rows_of(HeavyTop form, std::string_view method, bool corrected = true);
Study study_of(const ValueRow& row);

// Half a unit of the fourth of four digits.
inline constexpr double four_digits = 5e-4;
bool to_four_digits(double measured, double expected);

struct Comparison {
  std::vector<Run> runs{};
  // Claim id.values: all numbers above 100 times round-off to four digits. Claim id.slopes: the
  // slopes between neighbours within 0.1 of those of the table, from 5 times round-off on.
  std::vector<Claim> claims{};
};
Comparison compare(const std::string& id, const std::string& what,
                   const std::vector<ValueRow>& rows);
// Numbers q, v, lambda beside given ones (0: not given), to four digits.
Claim value_claim(const std::string& id, const std::string& what, const Errors& expected,
                  const Errors& measured, double n);

// The orders of the classes between the two last runs, whose steps are halved, within 0.2; classes
// below `least` times round-off are left out and named in the remark.
Claim order_claim(const std::string& id, const std::string& what, const Errors& expected,
                  const std::vector<Run>& runs, double least = 100.0);
// The same over any number of runs with their mean steps, by least squares.
Claim order_over_means(const std::string& id, const std::string& what, const Errors& expected,
                       const std::vector<Run>& runs);

// Numbers in JSON: not a number and infinity as text.
Json number(double value);
Json numbers(const Errors& e, bool constrained);

}  // namespace daedalus::experiments::wieloch
