// SPDX-License-Identifier: BSD-3-Clause
// What text() prints is read back as the same node, every number bit for bit.
#include <bit>
#include <random>

#include <gtest/gtest.h>

#include "graph/random_formula.hpp"
#include "model_text/formulas.hpp"

namespace daedalus::model {
namespace {

void expect_back(const Expr& e, Scope& scope) {
  const std::string written = text(e, 1'000'000);
  const ReadFormula result = read_formula(written, scope);
  ASSERT_TRUE(result.value) << written << '\n' << text(result.wrong);
  EXPECT_TRUE(result.value->same(e)) << written << "\nis read as\n" << text(*result.value);
}

TEST(RoundTrip, RandomFormulas) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    graph::Graph g;
    NamedScope scope(g);
    const graph::RandomFormula formula(seed, 4, 4 + static_cast<int>(seed % 20));
    std::vector<Expr> x;
    for (int k = 0; k < 4; ++k) x.push_back(scope.state("x" + std::to_string(k)));
    for (const Expr& e : formula(x)) expect_back(e, scope);
  }
}

// Every operation, put together at random.
Expr random_expression(std::mt19937& random, const std::vector<Expr>& leaves, int depth) {
  if (depth == 0) return leaves[random() % leaves.size()];
  const auto operand = [&] { return random_expression(random, leaves, depth - 1); };
  const auto names = function_names();
  switch (random() % 12) {
    case 0:
      return operand() + operand();
    case 1:
      return operand() - operand();
    case 2:
      return operand() * operand();
    case 3:
      return operand() / operand();
    case 4:
      return -operand();
    case 5:
      return pow(operand(), operand());
    case 6:
      return select(operand() < operand(), operand(), operand());
    case 7:
      return (operand() >= operand()) && !(operand() == operand());
    case 8:
      return (operand() > operand()) || (operand() != operand());
    case 9:
      return asserted(leaves[0] <= operand(), operand(), "a \"quoted\" \\ message");
    default: {
      const std::string_view name = names[random() % names.size()];
      std::vector<Expr> arguments;
      for (int k = 0; k < function_arity(name); ++k) arguments.push_back(operand());
      return function(name, arguments);
    }
  }
}

TEST(RoundTrip, EveryOperation) {
  std::mt19937 random(7);
  for (int k = 0; k < 3000; ++k) {
    graph::Graph g;
    NamedScope scope(g);
    const Expr x = scope.state("x"), y = scope.state("a.b[2]"), d = g.parameter("d");
    scope.add("d", d);
    const Expr e =
        random_expression(random, {x, y, d, der(x), pre(y), g.time(), 0.1, -3.0, 2.0}, 1 + k % 4);
    if (e.is_number() || text(e).find("/0)") != std::string::npos) continue;
    expect_back(e, scope);
  }
}

TEST(RoundTrip, NumbersKeepTheirBits) {
  std::mt19937_64 random(3);
  graph::Graph g;
  NamedScope scope(g);
  for (int k = 0; k < 20000; ++k) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const ReadFormula result = read_formula(text(Expr(value)), scope);
    ASSERT_TRUE(result.value && result.value->is_number()) << text(Expr(value));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(result.value->number()),
              std::bit_cast<std::uint64_t>(value))
        << text(Expr(value));
  }
}

}  // namespace
}  // namespace daedalus::model
