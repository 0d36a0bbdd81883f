// SPDX-License-Identifier: BSD-3-Clause
// Orders of half-explicit Runge-Kutta methods on index2-p2 in long double, and tables that lose
// them: claims HE-2 to HE-7.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <catalogue/index2.hpp>

#include <daedalus/method.hpp>

#include "kernel/herk_families.hpp"
#include "lab/herk_counterexamples.hpp"
#include "lab/herk_study.hpp"
#include "reproduce/arnold.hpp"
#include "reproduce/arnold_support.hpp"

namespace daedalus::experiments::arnold {
namespace {

struct Slope {
  double error_y = 0.0, error_z = 0.0;  // with the finer grid
  double y = 0.0, z = 0.0;              // orders
  bool ok = false;
};

// Between `steps` and twice as many on [0, 1].
Slope slope_of(const HerkTable& table, int steps) {
  using Second = problems::index2::Second;
  using Real = long double;
  const HerkNumbers<Real> numbers(table);
  const auto run = [&](int n) {
    const auto start = Second::start<Real>();
    const auto end = Second::end<Real>();
    const HerkStudy<Real> s = herk_study<Real>(
        numbers,
        [](const Real& t, const auto& y, const auto& z, auto& out) { Second::f(t, y, z, out); },
        [](const Real& t, const auto& y, auto& out) { Second::g(t, y, out); }, Real(0), Real(1), n,
        {start.y.begin(), start.y.end()}, {start.z});
    double y = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
      y = std::max(y, static_cast<double>(std::abs(s.y[i] - end.y[i])));
    return std::tuple{s.ok, y, static_cast<double>(std::abs(s.z[0] - end.z))};
  };
  const auto [ok1, y1, z1] = run(steps);
  const auto [ok2, y2, z2] = run(2 * steps);
  return {y2, z2, std::log2(y1 / y2), std::log2(z1 / z2), ok1 && ok2};
}

HerkTable table_of(const char* method) {
  return *static_cast<const HerkTable*>(find_method(method)->table);
}

struct Row {
  std::string label;
  HerkTable table;
  double error_y, order_y, error_z, order_z;  // another program with 30 digits, N = 160
  int nominal_y, nominal_z;
};

void add_rows(const std::string& id, const std::vector<Row>& rows, std::vector<Claim>& claims) {
  for (const Row& row : rows) {
    const Slope s = slope_of(row.table, 80);
    claims.push_back(list_claim(
        fmt::format("{}.{}.slopes", id, row.label),
        fmt::format("index2-p2, {}: slopes in y and z between 80 and 160 steps", row.label),
        Json{row.order_y, row.order_z}, Json{s.y, s.z}, 0.2,
        s.ok && std::abs(s.y - row.order_y) <= 0.2 && std::abs(s.z - row.order_z) <= 0.2));
    claims.push_back(list_claim(
        fmt::format("{}.{}.errors", id, row.label),
        fmt::format("index2-p2, {}: errors in y and z, 160 steps", row.label),
        Json{row.error_y, row.error_z}, Json{s.error_y, s.error_z}, Json{{"factor", 1.5}},
        within(s.error_y, row.error_y, 1.5) && within(s.error_z, row.error_z, 1.5)));
    claims.push_back(list_claim(
        fmt::format("{}.{}.orders", id, row.label),
        fmt::format("{}: order {} in y and {} in z", row.label, row.nominal_y, row.nominal_z),
        Json{row.nominal_y, row.nominal_z}, Json{s.y, s.z}, 0.2,
        s.ok && std::abs(s.y - row.nominal_y) <= 0.2 && std::abs(s.z - row.nominal_z) <= 0.2));
  }
}

std::vector<Claim> new_methods(Context&) {
  std::vector<Claim> claims;
  add_rows("arnold-HE-2",
           {{"herk2.c2=1", herk2_table("1"), 2.57e-6, 2.01, 9.2e-4, 0.98, 2, 1},
            {"herk2.c2=1/2", herk2_table("1/2"), 3.98e-6, 2.01, 9.2e-4, 0.99, 2, 1},
            {"herk3.c2=1/2", herk3_table("1/2"), 1.98e-9, 3.02, 2.85e-6, 2.02, 3, 2},
            {"herk3.c2=1/3", herk3_table("1/3"), 1.12e-9, 3.02, 2.62e-6, 2.03, 3, 2},
            {"henew4", table_of("henew4"), 3.44e-12, 3.94, 1.85e-8, 2.88, 4, 3},
            {"hedop5", table_of("hedop5"), 4.71e-16, 5.17, 1.11e-11, 3.86, 5, 4}},
           claims);
  return claims;
}

std::vector<Claim> older_methods(Context&) {
  std::vector<Claim> claims;
  add_rows("arnold-HE-3",
           {{"hem4", table_of("hem4"), 1.00e-11, 3.99, 3.70e-6, 2.01, 4, 2},
            {"hem5", table_of("hem5"), 3.31e-15, 4.99, 2.05e-8, 3.02, 5, 3}},
           claims);
  const Slope s = slope_of(table_of("phem56"), 80);
  claims.push_back(list_claim("arnold-HE-3.phem56.slopes",
                              "index2-p2, phem56: slopes in y and z between 80 and 160 steps",
                              Json{4.93, 4.21}, Json{s.y, s.z}, 0.2,
                              std::abs(s.y - 4.93) <= 0.2 && std::abs(s.z - 4.21) <= 0.2));
  return claims;
}

std::vector<Claim> without_explicit_stage(Context&) {
  std::vector<Claim> claims;
  add_rows("arnold-HE-4",
           {{"rk4", rk4_without_explicit_stage(), 1.36e-8, 1.96, 1.1e-3, 0.99, 2, 1},
            {"dopri5", dopri5_without_explicit_stage(), 1.50e-8, 1.98, 1.5e-3, 0.98, 2, 1}},
           claims);
  return claims;
}

std::vector<Claim> contractivity(Context&) {
  std::vector<Claim> claims;
  add_rows("arnold-HE-5", {{"kappa=1", henew4_kappa_one(), 2.77e-12, 4.02, 7.9e-7, 2.00, 4, 2}},
           claims);
  const Slope s = slope_of(henew4_kappa_three_halves(), 80);
  claims.push_back(list_claim("arnold-HE-5.kappa=3/2",
                              "kappa = 3/2: the method diverges (80 and 160 steps fail, or their "
                              "error exceeds 1)",
                              "no convergence", Json{s.error_y, s.error_z}, Json(),
                              !s.ok || !(s.error_z < 1.0)));
  return claims;
}

std::vector<Claim> low_order_in_z(Context&) {
  std::vector<Claim> claims;
  const Slope s = slope_of(dopri5_low_z_order(), 160);
  claims.push_back(list_claim("arnold-HE-6.slopes",
                              "Dormand-Prince with a last row for q_z = 2 alone: orders 5 in y and "
                              "3 in z (Corollary 3), 160 and 320 steps",
                              Json{5, 3}, Json{s.y, s.z}, Json{{"y", 0.5}, {"z", 0.2}},
                              s.ok && std::abs(s.y - 5.0) <= 0.5 && std::abs(s.z - 3.0) <= 0.2,
                              "another program with another such row: 5.37 and 2.95"));
  const Slope full = slope_of(table_of("hedop5"), 160);
  claims.push_back(
      list_claim("arnold-HE-6.useless",
                 "such methods have large errors in z (ratio to those of hedop5 at 320 "
                 "steps)",
                 "above 100", s.error_z / full.error_z, Json(), s.error_z > 100.0 * full.error_z));
  return claims;
}

std::vector<Claim> calls(Context&) {
  std::vector<Claim> claims;
  const std::pair<const char*, long> published[] = {{"henew4", 4}, {"hem4", 5},  {"hedop5", 6},
                                                    {"hem5", 8},   {"herk2", 2}, {"herk3", 3}};
  for (const auto& [method, expected] : published) {
    const Run r = constant_steps("andrews", method, 600);
    const double each =
        static_cast<double>(r.f()) / static_cast<double>(std::max(r.statistics.accepted, 1L));
    claims.push_back(list_claim(fmt::format("arnold-HE-7.{}", method),
                                fmt::format("{}: f calls per step (Tables 3.3, 3.5)", method),
                                expected, each, 0,
                                r.ok && r.f() == expected * r.statistics.accepted));
  }
  return claims;
}

}  // namespace

std::vector<Experiment> order_experiments() {
  const auto e = [](int n, const char* title, double seconds, std::vector<Claim> (*run)(Context&),
                    Basis basis, Parts parts = {}) -> Experiment {
    return {.id = fmt::format("arnold-HE-{}", n),
            .title = title,
            .source = source,
            .basis = std::move(basis),
            .parts = std::move(parts),
            .seconds = seconds,
            .run = run};
  };
  return {e(2, "Orders of the new methods", 0.05, new_methods,
            Basis::own("another program in 30-digit arithmetic on a problem of ours"),
            {{"orders", Basis::printed("Example 22, Table 3.5")}}),
          e(3, "Orders of HEM4 and HEM5", 0.05, older_methods,
            Basis::own("another program in 30-digit arithmetic on a problem of ours"),
            {{"orders", Basis::printed("Example 22, Table 3.5")}}),
          e(4, "Standard coefficients without explicit first stage", 0.05, without_explicit_stage,
            Basis::own("another program in 30-digit arithmetic on a problem of ours"),
            {{"orders", Basis::printed("Remark 21")}}),
          e(5, "Contractivity: kappa = 1 and kappa > 1", 0.05, contractivity,
            Basis::own("another program in 30-digit arithmetic on a problem of ours"),
            {{"kappa=3/2", Basis::printed("Remark 18: kappa > 1 diverges")}}),
          e(6, "Corollary 3: low order in z", 0.05, low_order_in_z, Basis::theorem("Corollary 3"),
            {{"useless", Basis::printed("Example 22 d")}}),
          e(7, "Calls of f per step", 0.1, calls, Basis::printed("Tables 3.3 and 3.5"))};
}

}  // namespace daedalus::experiments::arnold
