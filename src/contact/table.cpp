// SPDX-License-Identifier: BSD-3-Clause
// Evaluation of tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/table_data.hpp"

namespace daedalus {

namespace {

// Polynomial pieces of the B-splines of a knot vector in the interval [t_i, t_{i+1}], in u, by the
// recursion of Cox and de Boor.
std::vector<std::vector<double>> pieces(const std::vector<double>& t, int i, int degree) {
  const auto at = [&t](int k) { return t[static_cast<std::size_t>(k)]; };
  const double origin = at(i), length = at(i + 1) - at(i);
  std::vector<std::vector<double>> b{{1.0}};  // functions i - k, ..., i of degree k
  for (int k = 1; k <= degree; ++k) {
    const auto size = static_cast<std::size_t>(k) + 1;
    std::vector<std::vector<double>> next(size, std::vector<double>(size, 0.0));
    for (int j = 0; j < k; ++j) {  // function i - (k - 1) + j of degree k - 1
      const int f = i - k + 1 + j;
      const double a = at(f), wide = at(f + k) - a;
      const std::vector<double>& p = b[static_cast<std::size_t>(j)];
      // (x - a)/wide times p goes to function f, (a + wide - x)/wide times p to function f - 1.
      for (std::size_t r = 0; r < p.size(); ++r) {
        auto& up = next[static_cast<std::size_t>(j) + 1];
        auto& down = next[static_cast<std::size_t>(j)];
        up[r] += p[r] * (origin - a) / wide;
        up[r + 1] += p[r] * length / wide;
        down[r] += p[r] * (a + wide - origin) / wide;
        down[r + 1] -= p[r] * length / wide;
      }
    }
    b = std::move(next);
  }
  return b;
}

}  // namespace

AxisBasis::AxisBasis(const TableAxis& axis, int degree) {
  low_ = axis.breaks.front();
  high_ = axis.breaks.back();
  open_ = even_ = axis.even;
  if (axis.even) {
    count_ = width_ = 2;
    powers_ = 3;
    scale_ = {1.0 / high_};
    poly_ = {1.0, 0.0, -1.0, 0.0, 0.0, 1.0};
    return;
  }
  const int n = static_cast<int>(axis.breaks.size()) - 1;
  count_ = n + degree;
  width_ = powers_ = degree + 1;
  std::vector<double> knots(static_cast<std::size_t>(degree), low_);
  knots.insert(knots.end(), axis.breaks.begin(), axis.breaks.end());
  knots.insert(knots.end(), static_cast<std::size_t>(degree), high_);
  origin_.clear();
  scale_.clear();
  poly_.clear();
  for (int i = 0; i < n; ++i) {
    origin_.push_back(axis.breaks[static_cast<std::size_t>(i)]);
    scale_.push_back(1.0 / (axis.breaks[static_cast<std::size_t>(i) + 1] - origin_.back()));
    for (const std::vector<double>& p : pieces(knots, i + degree, degree))
      poly_.insert(poly_.end(), p.begin(), p.end());
  }
}

int AxisBasis::interval(double x) const {
  if (origin_.size() == 1) return 0;
  const auto above = std::upper_bound(origin_.begin() + 1, origin_.end(), x);
  return static_cast<int>(above - origin_.begin()) - 1;
}

int AxisBasis::evaluate(double x, int order, double (*out)[widest_basis]) const {
  const int i = interval(x);
  const auto k = static_cast<std::size_t>(i);
  const double u = (x - origin_[k]) * scale_[k];
  const double* c = &poly_[k * static_cast<std::size_t>(width_ * powers_)];
  for (int f = 0; f < width_; ++f, c += powers_) {
    double value = 0.0, first = 0.0, second = 0.0, third = 0.0;
    for (int r = powers_ - 1; r >= 0; --r) {
      if (order > 2) third = third * u + 3.0 * second;
      if (order > 1) second = second * u + 2.0 * first;
      first = first * u + value;
      value = value * u + c[r];
    }
    out[0][f] = value;
    if (order > 0) out[1][f] = first * scale_[k];
    if (order > 1) out[2][f] = second * scale_[k] * scale_[k];
    if (order > 2) out[3][f] = third * scale_[k] * scale_[k] * scale_[k];
  }
  return even_ ? 0 : i;
}

int ContactTable::dimension() const { return static_cast<int>(data_->request.axes.size()); }
int ContactTable::quantities() const { return static_cast<int>(data_->request.quantities.size()); }
const TableRequest& ContactTable::request() const { return data_->request; }

void ContactTable::check_dimension(std::size_t given) const {
  if (static_cast<int>(given) != dimension())
    throw InvalidArgument(
        fmt::format("contact table: {} coordinates given, allowed: {}", given, dimension()));
}

bool ContactTable::contains(const double* p) const {
  for (int d = 0; d < dimension(); ++d)
    if (!data_->groups.front().basis[static_cast<std::size_t>(d)].contains(p[d])) return false;
  return true;
}

namespace {

[[noreturn]] void outside(const TableRequest& request, const double* p) {
  for (std::size_t d = 0; d < request.axes.size(); ++d) {
    const TableAxis& a = request.axes[d];
    if (!a.even && !(p[d] >= a.breaks.front() && p[d] <= a.breaks.back()))
      throw Reject(fmt::format("contact table: {} = {} lies outside [{}, {}]", a.name, p[d],
                               a.breaks.front(), a.breaks.back()));
  }
  throw Reject("contact table: a coordinate is not a number");
}

}  // namespace

void ContactTable::evaluate(const double* p, double* values, double* gradient) const {
  if (!contains(p)) outside(data_->request, p);
  const int dimensions = dimension();
  for (const Data::Group& g : data_->groups) {
    const bool slopes = gradient != nullptr && g.members.front() == 0;
    double b[3][2][widest_basis];
    int first[3];
    for (int d = 0; d < 3; ++d)
      first[d] = g.basis[static_cast<std::size_t>(d)].evaluate(d < dimensions ? p[d] : 0.0,
                                                               slopes ? 1 : 0, b[d]);
    const int n = static_cast<int>(g.members.size());
    if (values != nullptr)
      for (const int m : g.members) values[m] = 0.0;
    double slope[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < g.basis[0].width(); ++i)
      for (int j = 0; j < g.basis[1].width(); ++j) {
        const double weight = b[0][0][i] * b[1][0][j];
        const double* c = &g.coefficients[g.place(first[0] + i, first[1] + j, first[2], 0)];
        for (int l = 0; l < g.basis[2].width(); ++l, c += n) {
          if (values != nullptr)
            for (int m = 0; m < n; ++m)
              values[g.members[static_cast<std::size_t>(m)]] += weight * b[2][0][l] * c[m];
          if (slopes) {
            slope[0] += b[0][1][i] * b[1][0][j] * b[2][0][l] * c[0];
            slope[1] += b[0][0][i] * b[1][1][j] * b[2][0][l] * c[0];
            slope[2] += weight * b[2][1][l] * c[0];
          }
        }
      }
    if (slopes) std::copy(slope, slope + dimensions, gradient);
  }
}

void ContactTable::partials(int k, const double* p, int order, Partials& out) const {
  if (!contains(p)) outside(data_->request, p);
  const auto [group, member] = data_->where[static_cast<std::size_t>(k)];
  const Data::Group& g = data_->groups[static_cast<std::size_t>(group)];
  double b[3][4][widest_basis];
  int first[3];
  for (int d = 0; d < 3; ++d)
    first[d] =
        g.basis[static_cast<std::size_t>(d)].evaluate(d < dimension() ? p[d] : 0.0, order, b[d]);
  for (auto& plane : out)
    for (auto& row : plane) row.fill(0.0);
  for (int i = 0; i < g.basis[0].width(); ++i) {
    double along[4][4] = {};  // derivatives in axes 2 and 3
    for (int j = 0; j < g.basis[1].width(); ++j) {
      double last[4] = {};
      for (int l = 0; l < g.basis[2].width(); ++l) {
        const double c = g.coefficients[g.place(first[0] + i, first[1] + j, first[2] + l, member)];
        for (int r = 0; r <= order; ++r) last[r] += b[2][r][l] * c;
      }
      for (int q = 0; q <= order; ++q)
        for (int r = 0; q + r <= order; ++r) along[q][r] += b[1][q][j] * last[r];
    }
    for (int s = 0; s <= order; ++s)
      for (int q = 0; s + q <= order; ++q)
        for (int r = 0; s + q + r <= order; ++r)
          out[static_cast<std::size_t>(s)][static_cast<std::size_t>(q)]
             [static_cast<std::size_t>(r)] += b[0][s][i] * along[q][r];
  }
}

}  // namespace daedalus
