// SPDX-License-Identifier: BSD-3-Clause
// Tables for look-up in expressions: piecewise polynomials over one or two arguments.
#pragma once

#include <string>
#include <vector>

namespace daedalus::graph {

// Values at grid points, interpolated. Derivatives of any order are those of the pieces; at a grid
// point the piece to the right counts.
class Table {
 public:
  enum class Interpolation {
    hold,    // the value of the grid point to the left; one argument only
    linear,  // in two arguments bilinear
    akima    // cubic with continuous slopes, no overshoot at corners (Akima 1970)
  };
  enum class Beyond { hold, extrapolate };  // left and right of the grid: the last value or piece

  // x increases strictly, at least one point (akima: two); values[i] belongs to x[i].
  // Otherwise InvalidArgument that names the table and the entry.
  Table(std::string name, std::vector<double> x, std::vector<double> values,
        Interpolation interpolation = Interpolation::linear, Beyond beyond = Beyond::extrapolate);
  // values[i * y.size() + j] belongs to (x[i], y[j]); linear only.
  Table(std::string name, std::vector<double> x, std::vector<double> y, std::vector<double> values,
        Beyond beyond = Beyond::extrapolate);

  const std::string& name() const { return name_; }
  int argument_count() const { return y_.empty() ? 1 : 2; }
  Interpolation interpolation() const { return interpolation_; }
  Beyond beyond() const { return beyond_; }
  const std::vector<double>& grid() const { return x_; }
  const std::vector<double>& second_grid() const { return y_; }
  const std::vector<double>& values() const { return values_; }

  double at(double x, int order = 0) const;  // d^order / dx^order
  double at(double x, double y, int order_x = 0, int order_y = 0) const;
  bool vanishes(int order) const;  // the derivative of this order is zero everywhere

 private:
  std::string name_;
  std::vector<double> x_, y_, values_;
  std::vector<double> coefficients_;  // four per piece, in powers of x - x_[i]
  Interpolation interpolation_;
  Beyond beyond_;
};

}  // namespace daedalus::graph
