// SPDX-License-Identifier: BSD-3-Clause
// What a table holds. In every knot interval the basis functions that do not vanish there are
// polynomials in u = (x - x_i)/(x_{i+1} - x_i), written down once: no recursion at evaluation.
#pragma once

#include <vector>

#include <daedalus/contact_table.hpp>

namespace daedalus {

inline constexpr int widest_basis = 6;  // degree 5

// Basis functions of one axis: B-splines of a degree with all continuous derivatives a spline of
// that degree can have (de Boor 1978), the parabola of (4.26), or the constant 1.
class AxisBasis {
 public:
  AxisBasis() = default;  // the constant
  AxisBasis(const TableAxis& axis, int degree);

  int count() const { return count_; }  // functions in all
  int width() const { return width_; }  // that do not vanish in an interval
  int intervals() const { return static_cast<int>(origin_.size()); }
  int interval(double x) const;
  // Derivatives 0..order of the functions first, first + 1, ...; returns first.
  int evaluate(double x, int order, double (*out)[widest_basis]) const;
  bool contains(double x) const { return open_ || (x >= low_ && x <= high_); }

 private:
  int count_ = 1, width_ = 1, powers_ = 1;
  bool open_ = true, even_ = false;
  double low_ = 0.0, high_ = 0.0;
  std::vector<double> origin_{0.0}, scale_{1.0};  // 1 / length
  std::vector<double> poly_{1.0};                 // [interval][function][power]
};

struct ContactTable::Data {
  TableRequest request;
  // Quantities of one degree share basis values and are stored side by side.
  struct Group {
    int degree = 0;
    std::vector<int> members;
    std::array<AxisBasis, 3> basis;
    std::vector<double> coefficients;  // [function 1][function 2][function 3][member]
    std::size_t place(int i, int j, int l, int member) const {
      return ((static_cast<std::size_t>(i) * static_cast<std::size_t>(basis[1].count()) +
               static_cast<std::size_t>(j)) *
                  static_cast<std::size_t>(basis[2].count()) +
              static_cast<std::size_t>(l)) *
                 members.size() +
             static_cast<std::size_t>(member);
    }
    std::size_t functions() const {
      return static_cast<std::size_t>(basis[0].count()) *
             static_cast<std::size_t>(basis[1].count()) *
             static_cast<std::size_t>(basis[2].count());
    }
  };
  std::vector<Group> groups;
  std::vector<std::pair<int, int>> where;  // group and member of every quantity

  // Checks the request and lays out the groups, coefficients zero.
  explicit Data(TableRequest given);
};

// Tensor-product least squares; `values` are samples at all points of `points` (first axis slowest)
// with the weights given, result in the order of the functions.
struct FitPoints {
  std::array<std::vector<double>, 3> x, w;
};
FitPoints fit_points(const TableRequest& request);
std::vector<double> fit_splines(const ContactTable::Data& data, int quantity,
                                const FitPoints& points, const std::vector<double>& omega,
                                const std::vector<double>& values);

}  // namespace daedalus
