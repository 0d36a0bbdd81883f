// SPDX-License-Identifier: BSD-3-Clause
// Tables of the quasi-elastic contact (off-line regularisation, Arnold 1998, section 4.4): smax and
// weighted means over a contact family as tensor-product splines sigma(p) in 1 to 3 coordinates p,
// found by least squares with smoothing,
//   int omega (sigma - smax)^2 dp + sum_ij int mu_i mu_j (d^2 sigma/dp_i dp_j)^2 dp -> min  (4.27),
// integrals by Gauss points in every knot interval. A coordinate in which everything is even and
// nearly a parabola takes two functions only, (4.26). Claim: the result is the least-squares
// solution to round-off, has degree - 1 continuous derivatives in p, and can be evaluated inside
// callables wrapped in autodiff(), with exact derivatives of the spline.
//
//   const daedalus::TableRequest request{
//       .axes = {daedalus::TableAxis::uniform("q1", -1.5, 1.5, 40)},
//       .quantities = {{"smax", 4}, {"attack", 2}},
//       .profile = 1};
//   const daedalus::ContactTable table = daedalus::contact_table<1>(
//       disc, request, [](double s, const auto&) { return std::array<double, 1>{s}; });
//   problem.constraint = daedalus::autodiff([table](const auto&, const auto& q, auto& g) {
//     g[0] = q[1] - table.value(0, std::array{q[0]});
//   });
//
// Outside its axes a table throws Reject with coordinate, value and range: an integrator then tries
// a smaller step.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <daedalus/contact.hpp>
#include <daedalus/contact_condition.hpp>

namespace daedalus {

struct TableAxis {
  std::string name;
  std::vector<double>
      breaks;         // knots, increasing; with `even`: 0 and the place of the second value
  bool even = false;  // sigma(0) + (p/p_0)^2 (sigma(p_0) - sigma(0)), for all p

  static TableAxis uniform(std::string name, double low, double high, int intervals);
  static TableAxis parabola(std::string name, double p_0);
};

struct TableQuantity {
  std::string name;
  int degree = 4;                     // 1 to 5; the constraint needs two more than inputs of forces
  std::array<double, 3> smoothing{};  // mu_1, mu_2, mu_3 of (4.27); not used by even axes
};

struct TableRequest {
  std::vector<TableAxis> axes{};            // 1 to 3
  std::vector<TableQuantity> quantities{};  // the first one enters the constraint
  int samples = 4;                          // Gauss points per knot interval, 1 to 8
  // omega(p) > 0; empty: 1. Its values are not part of the key.
  std::function<double(const std::array<double, 3>& p)> weight{};
  // What the table was made for: the caller's hash of the profiles, the grid and nu.
  std::uint64_t profile = 0, grid = 0;
  double nu = 0.0;

  std::uint64_t key() const;  // of everything above but the weight
};

class ContactTable {
 public:
  using Sample = std::function<void(const std::array<double, 3>& p, double* values)>;
  // Throws InvalidArgument when a sampled value is not finite (with quantity and p) or the request
  // makes no sense (with field and value).
  static ContactTable build(const TableRequest& request, const Sample& sample);
  // Text with a line per number; errors are InvalidArgument with file, line and what was expected.
  void save(const std::string& path) const;
  static ContactTable load(const std::string& path);
  // The table of this request from `directory`, where it is stored under its key; built and stored
  // if it is not there. A file that is broken or belongs to another request is an error.
  static ContactTable stored(const std::string& directory, const TableRequest& request,
                             const Sample& sample);
  static std::string file_name(const TableRequest& request);

  int dimension() const;
  int quantities() const;
  const TableRequest& request() const;
  bool contains(const double* p) const;
  // All quantities at p, and the gradient of the first one; each may be null.
  void evaluate(const double* p, double* values, double* gradient) const;
  // Quantity k over any scalar of automatic differentiation.
  template <class S, std::size_t D>
  S value(int k, const std::array<S, D>& p) const;

  struct Data;  // not part of the interface

 private:
  // Partial derivatives d^(i+j+l)/dp_1^i dp_2^j dp_3^l up to the total order, at [i][j][l].
  using Partials = std::array<std::array<std::array<double, 4>, 4>, 4>;
  void partials(int k, const double* p, int order, Partials& out) const;
  void check_dimension(std::size_t given) const;
  explicit ContactTable(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

namespace detail {
// The highest total order of derivatives that a scalar carries.
template <class S>
inline constexpr int derivative_order = 0;
template <class S, int N>
inline constexpr int derivative_order<Dual<S, N>> = 1 + derivative_order<S>;
template <class S, int K>
inline constexpr int derivative_order<Taylor<S, K>> = K + derivative_order<S>;
}  // namespace detail

// The Taylor polynomial at the value of p: increments p - value have no value themselves, so that
// powers beyond the order of the scalar vanish and nothing is left out.
template <class S, std::size_t D>
S ContactTable::value(int k, const std::array<S, D>& p) const {
  static_assert(D >= 1 && D <= 3, "tables have 1 to 3 coordinates");
  constexpr int order = detail::derivative_order<S>;
  static_assert(order <= 3, "derivatives up to order 3");
  check_dimension(D);
  Partials f;
  partials(k, detail::values_of(p).data(), order, f);
  if constexpr (order == 0) {
    return f[0][0][0];
  } else {
    constexpr double over[4] = {1.0, 1.0, 0.5, 1.0 / 6.0};
    std::array<std::array<S, 4>, 3> power;
    for (std::size_t d = 0; d < 3; ++d) {
      power[d][0] = S(1.0);
      if (d < D) power[d][1] = p[d] - value_of(p[d]);
      for (std::size_t i = 2; d < D && i <= order; ++i) power[d][i] = power[d][i - 1] * power[d][1];
    }
    S sum(f[0][0][0]);
    for (int i = 0; i <= order; ++i)
      for (int j = 0; j <= (D > 1 ? order - i : 0); ++j)
        for (int l = 0; l <= (D > 2 ? order - i - j : 0); ++l) {
          if (i + j + l == 0) continue;
          const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j),
                     c = static_cast<std::size_t>(l);
          S term = power[0][a];
          if (j > 0) term = i > 0 ? S(term * power[1][b]) : power[1][b];
          if (l > 0) term = i + j > 0 ? S(term * power[2][c]) : power[2][c];
          sum = sum + term * (f[a][b][c] * over[i] * over[j] * over[l]);
        }
    return sum;
  }
}

// Sampling function of a family: smax first, then the weighted means of `quantities`.
template <std::size_t D, class Zeta, class Quantities>
ContactTable::Sample table_sample(const ContactFamily<Zeta>& family, Quantities quantities) {
  return [family, quantities](const std::array<double, 3>& p, double* values) {
    std::array<double, D> at{};
    for (std::size_t i = 0; i < D; ++i) at[i] = p[i];
    const auto smooth = family.smooth(at, quantities);
    *values++ = smooth.value;
    for (const double mean : smooth.mean) *values++ = mean;
  };
}
// The request with grid and nu of a family.
template <class Zeta>
TableRequest with_family(TableRequest request, const ContactFamily<Zeta>& family) {
  request.grid = family.grid().hash();
  request.nu = family.nu();
  return request;
}
template <std::size_t D, class Zeta, class Quantities>
ContactTable contact_table(const ContactFamily<Zeta>& family, const TableRequest& request,
                           const Quantities& quantities) {
  return ContactTable::build(with_family(request, family), table_sample<D>(family, quantities));
}

// As quasi_elastic_contacts, with smax from one table per contact.
template <class Set>
void table_contacts(MultibodyProblem& problem, const Set& contacts,
                    const std::vector<ContactTable>& tables) {
  const auto shared = std::make_shared<const Set>(contacts);
  problem.lambda_names = detail::contact_names(contacts, "lambda");
  detail::check_contact_problem(problem, static_cast<int>(problem.lambda_names.size()));
  if (tables.size() != problem.lambda_names.size())
    throw InvalidArgument("table_contacts: " + std::to_string(tables.size()) +
                          " tables, allowed: one per contact");
  problem.constraint_count = static_cast<int>(problem.lambda_names.size());
  problem.constraint = autodiff([shared, tables](const auto& t, const auto& q, auto& g) {
    detail::for_contacts(*shared, [&](int i, const auto& c) {
      g[i] = c.height(t, q) - tables[static_cast<std::size_t>(i)].value(0, c.pose(t, q));
    });
  });
}

}  // namespace daedalus
