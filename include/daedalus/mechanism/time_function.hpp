// SPDX-License-Identifier: BSD-3-Clause
// Functions of time for drives and forces: numbers, polynomials, oscillations, tables, steps,
// formulas. A TimeFunction is a value, immutable and shared by copies.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <daedalus/expr.hpp>

namespace daedalus {

namespace mechanism {
struct ProfileData;
}

class TimeFunction {
 public:
  TimeFunction(double constant = 0.0);  // NOLINT: a number is a function of time
  explicit TimeFunction(std::shared_ptr<const mechanism::ProfileData> data)
      : data_(std::move(data)) {}
  double operator()(double t) const;
  double rate(double t) const;          // first derivative
  double acceleration(double t) const;  // second derivative
  bool constant() const;
  // Twice continuously differentiable: what a drive needs.
  bool smooth() const;
  const std::vector<double>& break_times() const;  // knots where a derivative below the third jumps
  const mechanism::ProfileData& data() const { return *data_; }

 private:
  std::shared_ptr<const mechanism::ProfileData> data_;
};

enum class TableKind { spline, linear };        // spline: cubic, twice continuously differentiable
enum class TableEnd { hold, periodic, error };  // before the first and after the last time

// c[0] + c[1] t + c[2] t^2 + ...
TimeFunction polynomial(const std::vector<double>& coefficients);
// offset + amplitude sin(omega t + phase)
TimeFunction harmonic(double offset, double amplitude, double omega, double phase = 0.0);
// From y0 at t0 to y1 at t1 with continuous second derivative.
TimeFunction smooth_step(double t0, double t1, double y0, double y1);
// Through the points (t[i], y[i]); t rises strictly, a spline needs four points.
TimeFunction table(const std::vector<double>& t, const std::vector<double>& y,
                   TableKind kind = TableKind::spline, TableEnd end = TableEnd::hold);
// A formula in time, the input graph().time() of its graph. Inputs of kind InputKind::argument are
// the joint coordinates and rates that a force names; a drive has none.
TimeFunction formula(const Expr& value);

}  // namespace daedalus
