// SPDX-License-Identifier: BSD-3-Clause
// What a run costs, start and steps apart, in instructions and processor time: instructions do not
// depend on what else the machine does.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solution.hpp>

namespace daedalus::scaling {

struct Cost {
  double seconds = 0.0;       // of the processor
  double instructions = 0.0;  // 0: the system does not count them
};
Cost operator-(const Cost& a, const Cost& b);

// Totals since the program started.
class Meter {
 public:
  Meter();
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  Cost now() const;

 private:
  int counter_ = -1;
};

struct Measured {
  std::string problem, solver;
  double size = 0.0;  // unknowns
  Cost start, step;   // all of start-up; the mean over the steps
  long steps = 0;
  double error = 0.0;  // largest error of a velocity, where it was asked for
  Counts counts;
  std::string failure;  // empty: none
};

// `steps` accepted steps (0: up to t_end), or what there is until t_end.
Measured measure(const Meter& meter, const Problem& problem, const Options& options, double t_end,
                 long steps, Eigen::VectorXd* end = nullptr);

// IDA with KLU and the exact sparse Jacobian; `suppress` leaves algebraic variables out of the
// test.
Measured measure_ida(const Meter& meter, const Problem& problem, double tol, double t_end,
                     bool suppress, Eigen::VectorXd* end);
bool have_ida();

// Exponent p of cost ~ size^p by least squares; of instructions if they were counted.
double exponent(const std::vector<double>& size, const std::vector<Cost>& cost);

}  // namespace daedalus::scaling
