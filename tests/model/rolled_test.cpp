// SPDX-License-Identifier: BSD-3-Clause
// Repeated equations stay rolled, from the builder to the Jacobian of the run.
#include <gtest/gtest.h>

#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

#include "model/compiled.hpp"
#include "model/models.hpp"

namespace daedalus {
namespace {

TEST(RolledModel, LineOfTheCatalogue) {
  const auto model = testing_models::transmission_line(10).model();
  EXPECT_EQ(model->form(), "mass-matrix");
  EXPECT_EQ(model->structure().index, 1);
  Options o;
  o.rtol = 1e-9;
  o.atol = 1e-9;
  model->apply(o);
  const Solution s = solve(model->problem(), {0.0, 2.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  // The catalogue's reference at t = 2.
  EXPECT_NEAR(s.end()["a[1]"], 0.14453315720451072, 1e-6);
  EXPECT_NEAR(s.end()["a[2]"], 0.20274953127386638, 1e-6);
  EXPECT_NEAR(s.end()["w[10]"], 0.018518748198497109, 1e-6);
  const auto problem = std::get<MassMatrixProblem>(model->problem());
  EXPECT_EQ(problem.equations[1], "coil [1]");
}

TEST(RolledModel, FormulasDoNotGrowWithTheModel) {
  const auto small = testing_models::transmission_line(10).model();
  const auto large = testing_models::transmission_line(1000).model();
  // Inputs are nodes; formulas are not repeated.
  const int inputs = 3 * 3990 + 3990;
  EXPECT_LE(large->data().graph->size() - small->data().graph->size(), inputs);
  const SparseDerivatives* known =
      std::get<MassMatrixProblem>(large->problem()).rhs.sparse_derivatives();
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->pattern(0).cols, 4000);
  EXPECT_LT(known->pattern(0).nonzeros(), 4 * 4000);
}

// A relation in a kernel makes one event per instance.
TEST(RolledModel, RelationsOfKernels) {
  using graph::InputKind;
  using graph::MapArgument;
  ModelBuilder m("drops");
  const int n = 3, x = m.variables("x", n, {.start = 1.0, .fixed = true});
  auto kernel = std::make_shared<graph::Kernel>();
  const Expr rate = kernel->argument(0), state = kernel->argument(1), speed = kernel->argument(2);
  kernel->add_result(rate - select(state > 0.5, -speed, 0.0));
  m.equations(kernel, n,
              {MapArgument::of_input(InputKind::derivative, {x, x + 1, x + 2}),
               MapArgument::of_input(InputKind::state, {x, x + 1, x + 2}),
               MapArgument::of_values({1.0, 2.0, 4.0})});
  const auto model = m.model();
  Options o;
  model->apply(o);
  const Solution s = solve(model->problem(), {0.0, 1.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_EQ(s.events().size(), 3u);
  EXPECT_NEAR(s.events()[0].t, 0.125, 1e-9);
  EXPECT_NEAR(s.events()[1].t, 0.25, 1e-9);
  EXPECT_NEAR(s.events()[2].t, 0.5, 1e-9);
  for (const char* name : {"x[1]", "x[2]", "x[3]"}) EXPECT_NEAR(s.end()[name], 0.5, 1e-9) << name;
}

}  // namespace
}  // namespace daedalus
