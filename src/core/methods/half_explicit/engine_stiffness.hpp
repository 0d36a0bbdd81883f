// SPDX-License-Identifier: BSD-3-Clause
// Does stability limit the step? Said when three things come together, twice in succession.
//   1. The motion without its fast part, a polynomial through the last steps that leaves out all
//      that turns within a few of them, would let RODAS4 take steps more than twice as long, and
//      does not explain the error estimates.
//   2. The fast part is a mode whose eigenvalue lambda, found by power iteration, puts h lambda at
//      the boundary of stability, in whatever direction it lies.
//   3. The mode is not part of the solution: since the first steps its amplitude has been one that
//      RODAS4 damps soon. Methods with |R(iy)| > 1 (DOPRI5: 1.0001 at y = 1.1, 1.03 at 2) pump it
//      up to some hundred tolerances before the error test sees it, and do not let it down again;
//      the present amplitude does not tell a real vibration from that one.
// The error test itself gives the tolerance: no accepted step has a larger estimate.
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>

#include <daedalus/stepper/archive.hpp>
#include "methods/half_explicit/engine_mode.hpp"

namespace daedalus::half_explicit {

class StiffnessWatch {
 public:
  // The estimate falls like h^error_power. `rates`: so many leading values are derivatives of what
  // is tested (q'), the others the tested variables themselves.
  StiffnessWatch(TestEquation equation, int error_power, int values, int rates);

  void start();
  // A step of size h was accepted; `values` at its end. `error`: norm of the estimate in a scale
  // that keeps its unit.
  void accepted(double t, double h, double error, const Eigen::VectorXd& values);
  // Whether the eigenvalue is worth finding now: condition 1.
  bool suspects(const Eigen::VectorXd& scale);
  // Conditions 2 and 3; none of them without a mode.
  void conclude(Mode m);
  bool limited() const { return memory_.limited; }
  void archive(Archive& a) {
    Memory& m = memory_;
    a.within(m.count, 0, std::numeric_limits<int>::max());
    a(m.next, m.wait, m.unit, m.mean_step, m.unrest, m.found, m.limited, m.time, m.step, m.error,
      m.boundary, m.damping_ratio);
    a.within(m.opening_count, 0, opening);
    a(m.opening_step, m.opening_error, m.opening_time, values_);
  }

 private:
  // A polynomial of degree 4 over 32 steps leaves a fast mode out; the opening is eight windows.
  static constexpr int window = 32, opening = 256;
  bool motion_allows_more(const Eigen::VectorXd& scale);
  double early_amplitude(Mode m) const;

  TestEquation equation_;
  int error_power_, rates_;
  struct Memory {
    int count = 0, next = 0;               // accepted steps so far, and when to look again
    int wait = window / 2;                 // steps until the eigenvalue is looked for again
    double unit = 0.0;                     // the largest error of the window
    double mean_step = 0.0, unrest = 0.0;  // of its later half: h, deviation of log(error)
    bool found = false, limited = false;   // once, and twice in succession
    std::array<double, window> time{}, step{}, error{};
    double boundary = 0.0, damping_ratio = 0.0;  // of the last mode
    // The first steps since accuracy limited them, or since the start.
    int opening_count = 0;
    std::array<double, opening> opening_step{}, opening_error{};
    double opening_time = 0.0;
  } memory_;
  Eigen::MatrixXd values_;  // one column per step of the window
  Eigen::VectorXd work_;
};

}  // namespace daedalus::half_explicit
