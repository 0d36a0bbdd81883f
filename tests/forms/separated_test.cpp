// SPDX-License-Identifier: BSD-3-Clause
// The formulation 'separated': M x' = f with a constant singular M, split by singular values. A
// linearly implicit method takes the same steps on both forms (Steinebach 1988, Lemma 9.6).
#include <gtest/gtest.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/daedalus.hpp>

namespace daedalus {
namespace {

Solution amplifier(const std::string& formulation, double rtol, double atol) {
  const problems::Entry& entry = *problems::find_problem("transistor-amplifier");
  Options o;
  o.method = "rodas4";
  o.formulation = formulation;
  o.rtol = rtol;
  o.atol = atol;
  o.output = Output::end;
  return solve(entry.problem(), {0.0, 0.01}, o);
}

// Without a relative tolerance the error norm does not depend on the coordinates (V is orthogonal),
// so that not only the results but also the step counts agree.
TEST(Separated, TakesTheStepsOfTheDirectTreatment) {
  const Solution direct = amplifier("auto", 0.0, 1e-6);
  const Solution separated = amplifier("separated", 0.0, 1e-6);
  ASSERT_TRUE(direct.ok()) << direct.message();
  ASSERT_TRUE(separated.ok()) << separated.message();
  EXPECT_EQ(separated.choice().formulation, "separated");
  EXPECT_EQ(direct.statistics().accepted, separated.statistics().accepted);
  EXPECT_LT((direct.end().y() - separated.end().y()).norm(), 1e-8);
  // Negative control: another tolerance does take other steps.
  EXPECT_NE(amplifier("auto", 0.0, 1e-5).statistics().accepted, direct.statistics().accepted);
}

TEST(Separated, NeedsAConstantMassMatrix) {
  Options o;
  o.formulation = "separated";
  EXPECT_THROW(solve(problems::find_problem("kvaerno-a")->problem(), {-1.0, 0.0}, o),
               InvalidArgument);
  EXPECT_THROW(solve(problems::find_problem("akzo")->problem(), {0.0, 1.0}, o), InvalidArgument);
}

}  // namespace
}  // namespace daedalus
