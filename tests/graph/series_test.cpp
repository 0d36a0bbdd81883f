// SPDX-License-Identifier: BSD-3-Clause
// Taylor arithmetic on graphs against Taylor numbers of a fixed order, which are tested by
// themselves.
#include <gtest/gtest.h>

#include "graph/numbers.hpp"
#include "graph/random_formula.hpp"
#include "graph/series.hpp"

namespace daedalus::graph {
namespace {

constexpr int order = 5;
using Number = Taylor<double, order>;

TEST(GraphSeries, RandomFormulasAgreeWithTaylorNumbers) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const RandomFormula formula(seed, 3, 40);
    Graph g;
    const Outputs rows = record(g, formula);
    std::vector<Expr> outputs;
    for (const auto& s : rows.single) outputs.push_back(s.value);
    Series series(g, outputs, order);
    std::vector<Number> x(3);
    for (int k = 0; k < 3; ++k) {
      const auto c = random_point(10 * seed + static_cast<unsigned>(k), order + 1);
      for (std::size_t i = 0; i <= order; ++i) x[static_cast<std::size_t>(k)].c[i] = c[i];
      series.set(g.input(InputKind::state, k), c);
    }
    series.evaluate(order);
    const auto exact = formula(x);
    for (std::size_t r = 0; r < exact.size(); ++r)
      for (int k = 0; k <= order; ++k) {
        const double e = exact[r].c[static_cast<std::size_t>(k)];
        EXPECT_NEAR(series.coefficient(outputs[r], k), e, 1e-11 * (1.0 + std::fabs(e)))
            << "seed " << seed << " order " << k;
      }
  }
}

TEST(GraphSeries, DerivativesOfCoefficients) {
  using D = Dual<double, 2>;
  using DualNumber = Taylor<D, 3>;
  Graph g;
  const Expr x = g.state("x"), y = g.state("y");
  const auto functions = [](const auto& a, const auto& b) {
    using std::atan2, std::exp, std::max, std::pow, std::sin, std::sqrt, std::tanh;
    using S = std::decay_t<decltype(a)>;
    return std::vector<S>{a * b / (a + 2.0), sin(a * b) - exp(a) * b, pow(b, 2.5) + pow(b, a),
                          atan2(a, b) + sqrt(b) * tanh(a), max(a, b) * pow(a, 3.0)};
  };
  const auto outputs = functions(x, y);
  Series series(g, outputs, 3);
  const std::vector<double> cx{0.7, 0.4, -0.3, 0.2}, cy{1.3, -0.2, 0.5, 0.3};
  series.set(x, cx);
  series.set(y, cy);
  series.evaluate(3);
  DualNumber dx(D::variable(cx[0], 0)), dy(D::variable(cy[0], 1));
  for (std::size_t k = 1; k <= 3; ++k) {
    dx.c[k] = D(cx[k]);
    dy.c[k] = D(cy[k]);
  }
  const auto exact = functions(dx, dy);
  for (std::size_t r = 0; r < outputs.size(); ++r) {
    double found[2][4] = {};
    series.derivatives(outputs[r], 3,
                       [&](int node, int k, double value) { found[node == y.node()][k] = value; });
    for (std::size_t k = 0; k <= 3; ++k)
      for (std::size_t j = 0; j < 2; ++j)
        EXPECT_NEAR(found[j][k], exact[r].c[k].d[j], 1e-12 * (1.0 + std::fabs(exact[r].c[k].d[j])))
            << "function " << r << " by " << j << " coefficient " << k;
  }
}

TEST(GraphSeries, PowersAtZero) {
  Graph g;
  const Expr x = g.state("x");
  const std::vector<Expr> outputs{pow(x, 2.0), pow(x, 10.0), pow(x, 2.5), x * 0.0 + 4.0};
  Series series(g, outputs, 4);
  series.set(x, std::vector<double>{0.0, 1.0, 0.5});
  series.evaluate(4);
  EXPECT_EQ(series.coefficient(outputs[0], 2), 1.0);
  EXPECT_EQ(series.coefficient(outputs[0], 3), 1.0);
  EXPECT_EQ(series.coefficient(outputs[1], 4), 0.0);
  EXPECT_EQ(series.coefficient(outputs[2], 2), 0.0);
  EXPECT_TRUE(std::isnan(series.coefficient(outputs[2], 3))) << "there is no third derivative";
  EXPECT_EQ(series.coefficient(outputs[3], 0), 4.0);
}

TEST(GraphSeries, TheBranchOfTheValueIsTaken) {
  Graph g;
  const Expr x = g.state("x");
  const std::vector<Expr> outputs{select(x > 1.0, x * x, -x), abs(x), floor(x) + x};
  Series series(g, outputs, 2);
  series.set(x, std::vector<double>{-0.5, 1.0});
  series.evaluate(2);
  EXPECT_EQ(series.coefficient(outputs[0], 1), -1.0);
  EXPECT_EQ(series.coefficient(outputs[1], 1), -1.0);
  EXPECT_EQ(series.coefficient(outputs[2], 0), -1.5);
  series.set(x, std::vector<double>{2.0, 1.0});
  series.evaluate(2);
  EXPECT_EQ(series.coefficient(outputs[0], 1), 4.0);
  EXPECT_EQ(series.coefficient(outputs[0], 2), 1.0);
}

}  // namespace
}  // namespace daedalus::graph
