// The step contract on the general form (the suites over all methods have multibody problems), and
// allocations there.
#include <daedalus/testing/stepper.hpp>

#include "half_explicit/support.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DAEDALUS_OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define DAEDALUS_OWN_MALLOC 0
#else
#define DAEDALUS_OWN_MALLOC 1
#endif
#else
#define DAEDALUS_OWN_MALLOC 1
#endif

#if DAEDALUS_OWN_MALLOC && defined(__GLIBC__)
namespace {
volatile long allocations = 0;
}  // namespace
extern "C" {
void* __libc_malloc(std::size_t size);
void* malloc(std::size_t size) {
  allocations = allocations + 1;
  return __libc_malloc(size);
}
}
#endif

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

#if DAEDALUS_OWN_MALLOC && defined(__GLIBC__)
TEST(HalfExplicitContract, NothingIsAllocatedAfterTheFirstSteps) {
  const Problem p = problems::find_problem("index2-p3")->problem();
  for (const char* method : family)
    for (const bool controlled : {false, true}) {
      Options o = fixed(method, LinearAlgebra::dense);
      o.output = Output::none;
      if (controlled) {
        o.fixed_step = 0.0;
        o.max_step = o.initial_step = 1.0 / 64;
      }
      long before = 0, allocating = 0;
      o.progress = [&](const Progress& at) {
        if (at.steps > 10 && allocations != before) ++allocating;
        before = allocations;
      };
      const Solution s = run(p, {0.0, 1.0}, o);
      EXPECT_GE(s.statistics().accepted, 64);
      EXPECT_EQ(allocating, 0) << method << ", controlled " << controlled;
    }
}
#endif

}  // namespace
}  // namespace daedalus
