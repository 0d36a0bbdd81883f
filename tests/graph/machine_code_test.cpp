// SPDX-License-Identifier: BSD-3-Clause
// Machine code gives the bits of the interpreter: values and Jacobians, every operation, branches,
// assertions, tables, external functions, maps.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <limits>

#include <daedalus/graph_table.hpp>

#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "graph/machine_code.hpp"
#include "graph/operations.hpp"
#include "graph/random_formula.hpp"

namespace daedalus::graph {
namespace {

struct Both {
  Program interpreted, compiled;
  Workspace<double> work_interpreted, work_compiled;
  std::shared_ptr<const MachineCode> code;

  Both(Graph& g, const Outputs& rows)
      : interpreted(g, rows),
        compiled(g, rows, MachineCode::program_options()),
        work_interpreted(interpreted),
        work_compiled(compiled),
        code(MachineCode::compile(compiled)) {}

  void compare(const Point<double>& point) {
    const auto n = static_cast<std::size_t>(interpreted.output_count());
    std::vector<double> a(n, -77.0), b(n, -88.0);
    const int first = work_interpreted.run(interpreted, point, a.data());
    const int second = code->run(compiled, work_compiled, point, b.data());
    ASSERT_EQ(first, second);
    if (first >= 0) return;
    for (std::size_t i = 0; i < n; ++i)
      if (a[i] == a[i] || b[i] == b[i]) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i]))
            << "row " << i << ": " << a[i] << " and " << b[i];
      }
  }
};

struct Machine : ::testing::Test {
  void SetUp() override {
    if (!MachineCode::available()) GTEST_SKIP() << MachineCode::reason();
  }
};

// Inputs are compared with those seen last, four, two and one at a time: a change of any single one
// must reach the result, whatever stage it belongs to, and also behind an assertion that failed.
TEST_F(Machine, SeesEveryInputThatChanges) {
  for (int n = 1; n <= 13; ++n) {
    Graph g;
    Expr sum = 0.0, fixed = 1.0;
    std::vector<double> p(static_cast<std::size_t>(n), 1.0), y = p, modes = p;
    for (int k = 0; k < n; ++k) {
      fixed += (k + 1.0) * g.parameter("p" + std::to_string(k)) + g.mode("m" + std::to_string(k));
      sum += sin(g.state("y" + std::to_string(k)));
    }
    Outputs rows;
    rows.add(sum * fixed);
    rows.add(g.asserted(sum < 1e3, fixed * cos(g.time()), "sum"));
    rows.add(fixed);
    Both both(g, rows);
    double t = 0.0;
    Point<double> point;
    point[InputKind::time] = &t;
    point[InputKind::parameter] = p.data();
    point[InputKind::state] = y.data();
    point.modes = modes.data();
    both.compare(point);
    for (std::vector<double>* vector : {&p, &y, &modes})
      for (double& value : *vector) {
        value += 0.5;
        both.compare(point);
        t += 0.25;
        both.compare(point);
      }
    // A failure in the middle of everything that changes leaves nothing half known.
    const double good = y[0];
    y[0] = std::numeric_limits<double>::quiet_NaN();
    p[0] = -3.0;
    t = 9.0;
    both.compare(point);
    y[0] = good;
    both.compare(point);
  }
}

TEST_F(Machine, RandomFormulasAndTheirJacobians) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const RandomFormula formula(seed, 6, 20 + 3 * static_cast<int>(seed));
    Graph g;
    const Outputs rows = lower(g, record(g, formula));
    Both f(g, rows), j(g, jacobian(g, rows, InputKind::state, 6).entries);
    for (unsigned k = 0; k < 3; ++k) {
      const auto x = random_point(7 * seed + k, 6);
      Point<double> point;
      point[InputKind::state] = x.data();
      f.compare(point);
      j.compare(point);
    }
  }
}

TEST_F(Machine, EveryOperationOnDelicateNumbers) {
  Graph g;
  const Expr x = g.state("x"), y = g.state("y");
  Outputs rows;
  for (int k = static_cast<int>(Op::add); k < static_cast<int>(Op::select); ++k) {
    const Op op = static_cast<Op>(k);
    rows.add(info(op).operand_count == 1 ? g.make(op, x) : g.make(op, x, y));
    rows.add(info(op).operand_count == 1 ? g.make(op, x * y) : g.make(op, x * y, x + y));
  }
  rows.add(select(x, y, 3.0));
  rows.add(x);
  Both both(g, rows);
  const double inf = INFINITY, tiny = 5e-324;
  const std::vector<double> values{0.0,   -0.0, 1.0, -1.0, 0.5, -2.5, 3.5,
                                   1e300, tiny, inf, -inf, NAN, 7.3};
  for (const double a : values)
    for (const double b : values) {
      const double v[2] = {a, b};
      Point<double> point;
      point[InputKind::state] = v;
      both.compare(point);
    }
}

TEST_F(Machine, BranchesAssertionsTablesAndCalls) {
  Graph g;
  const Expr x = g.state("x"), y = g.state("y"), p = g.parameter("p"), m = g.mode("m"),
             t = g.time();
  const auto table =
      std::make_shared<Table>("table", std::vector<double>{-1, 0, 2}, std::vector<double>{3, 1, 4},
                              Table::Interpolation::akima);
  auto function = std::make_shared<External>();
  function->name = "mix";
  function->argument_count = 3;
  function->value = [](std::span<const double> v) { return v[0] - 2 * v[1] + 3 * v[2]; };
  const Expr arguments[] = {x, y * p, sin(x)};
  const Expr e = g.external(function, arguments);
  Outputs rows;
  rows.add(select(x > y, exp(x) * sin(y) + e, select(m, cos(x) * g.table(table, x), e - exp(y))) *
           p);
  rows.add(asserted(x < 1.5, x * y + exp(p) * sin(t), "x is too large") + e);
  rows.add(exp(p * m) + sin(t) * exp(p));
  rows.add(select(x > 0.0, select(y > 0.0, tan(x) * exp(y), tanh(x)), x) + g.table(table, y));
  Both both(g, rows);
  double pv = 1.25, mv = 0.0, tv = 0.0;
  for (unsigned k = 0; k < 200; ++k) {
    const auto v = random_point(k, 2);
    pv = k % 7 == 0 ? 0.1 * k : pv;
    mv = k % 3;
    tv = k % 5;
    Point<double> point;
    point[InputKind::state] = v.data();
    point[InputKind::parameter] = &pv;
    point[InputKind::time] = &tv;
    point.modes = &mv;
    both.compare(point);
  }
  const double beyond[2] = {2.0, 0.0};
  Point<double> point;
  point[InputKind::state] = beyond;
  point[InputKind::parameter] = &pv;
  point[InputKind::time] = &tv;
  point.modes = &mv;
  both.compare(point);
}

TEST_F(Machine, Maps) {
  Graph g;
  const int n = 1003;  // not a multiple of a block
  auto kernel = std::make_shared<Kernel>();
  const Expr a = kernel->argument(0), b = kernel->argument(1), c = kernel->argument(2),
             s = kernel->argument(3);
  kernel->add_result(a * b - c / (1.0 + a * a) + s);
  kernel->add_result(select(a > b && c < 1.0, exp(a) - pow(1.0 + c * c, b), max(b, abs(c)) * s));
  kernel->add_result(a);
  kernel->add_result(7.0);
  const Expr t = g.time();
  Map map;
  map.kernel = kernel;
  map.count = n;
  std::vector<int> i0, i1, r0, r1, r2, r3;
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    i0.push_back(i);
    i1.push_back(n - i);
    values.push_back(0.01 * i);
    r0.push_back(i);
    r1.push_back(n + 2 * i);
    r2.push_back(n + 2 * i + 1);
    r3.push_back(3 * n + (i * 19) % n);
  }
  map.arguments = {MapArgument::of_input(InputKind::state, i0),
                   MapArgument::of_input(InputKind::state, i1), MapArgument::of_values(values),
                   MapArgument::of_scalar(sin(t))};
  map.rows = {r0, r1, r2, r3};
  Outputs rows;
  rows.count = 4 * n;
  rows.maps.push_back(map);
  rows.check(g);
  Both both(g, rows), j(g, jacobian(g, lower(g, rows), InputKind::state, n + 1).entries);
  for (unsigned k = 0; k < 3; ++k) {
    const auto x = random_point(k, n + 1);
    const double tv = k;
    Point<double> point;
    point[InputKind::state] = x.data();
    point[InputKind::time] = &tv;
    both.compare(point);
    j.compare(point);
  }
}

TEST_F(Machine, ManyLiveValues) {
  // More values than registers: a sum of products of everything with everything.
  Graph g;
  std::vector<Expr> x, v;
  for (int k = 0; k < 40; ++k) x.push_back(g.state("x" + std::to_string(k)));
  for (int k = 0; k < 40; ++k)
    v.push_back(sqrt(1.0 + x[static_cast<std::size_t>(k)] * x[static_cast<std::size_t>(k)]));
  Outputs rows;
  for (std::size_t r = 0; r < 40; ++r) {
    Expr sum = 0.0;
    for (std::size_t c = 0; c < 40; ++c) sum += v[(r * c) % 40] * v[(r + c) % 40];
    rows.add(sum);
  }
  Both both(g, rows);
  const auto at = random_point(3, 40);
  Point<double> point;
  point[InputKind::state] = at.data();
  both.compare(point);
}

TEST(MachineSwitch, TheEnvironmentTurnsItOff) {
  ::setenv("DAEDALUS_JIT", "off", 1);
  EXPECT_FALSE(MachineCode::available());
  EXPECT_FALSE(MachineCode::reason().empty());
  Graph g;
  Outputs rows;
  rows.add(g.state("x"));
  EXPECT_EQ(MachineCode::compile(Program(g, rows, MachineCode::program_options())), nullptr);
  ::unsetenv("DAEDALUS_JIT");
}

}  // namespace
}  // namespace daedalus::graph
