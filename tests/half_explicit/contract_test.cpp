// SPDX-License-Identifier: BSD-3-Clause
// The step contract on the general form (the suites over all methods have multibody problems).
#include <daedalus/testing/stepper.hpp>

#include "half_explicit/support.hpp"

namespace daedalus {
namespace {

using namespace half_explicit_test;

Options fixed(const char* method, LinearAlgebra algebra) {
  return {
      .method = method, .output = Output::end, .fixed_step = 1.0 / 64, .linear_algebra = algebra};
}

TEST(HalfExplicitContract, HoldsForTheGeneralForm) {
  const Problem p = problems::find_problem("index2-p3")->problem();
  for (const char* method : family)
    for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
      const Options o = fixed(method, algebra);
      for (const testing::ContractReport& r :
           {testing::check_resume(p, {0.0, 0.25}, o), testing::check_rejections(p, {0.0, 0.25}, o),
            testing::check_same_bits(p, {0.0, 0.25}, o)})
        EXPECT_TRUE(r.ok()) << method << ": " << r.text();
    }
}

// Asking for values between steps does not change the steps.
TEST(HalfExplicitContract, DenseOutputLeavesNoTrace) {
  const Problem p = problems::find_problem("index2-p3")->problem();
  for (const char* method : family) {
    Options o = fixed(method, LinearAlgebra::dense);
    const VectorXd plain = run(p, {0.0, 1.0}, o).end().y();
    o.output = Output::dense;
    const VectorXd dense = run(p, {0.0, 1.0}, o).end().y();
    EXPECT_LT((plain - dense).cwiseAbs().maxCoeff(), 1e-15) << method;
  }
}

}  // namespace
}  // namespace daedalus
