// A run whose structure grew is saved and resumed bit for bit.
#include <cstring>

#include "branches/support.hpp"
#include "scratch_folder.hpp"

namespace daedalus::branches_test {
namespace {

void expect_same_bits(const Problem& p, const Options& o, double t_end) {
  const ScratchFolder folder;
  Integrator whole(p, o);
  ASSERT_EQ(whole.initialize(0.0, t_end), Status::success);
  // Saved once before the branch, and at two times after it.
  std::vector<std::string> files;
  for (const double t : {0.5, 1.3, 2.2}) {
    while (whole.t() < t && whole.step(t_end).status == Status::success) {
    }
    files.push_back(folder / ("at" + std::to_string(files.size())));
    whole.save(files.back());
  }
  ASSERT_EQ(whole.run(t_end), Status::success);
  const Solution expected = whole.solution();
  EXPECT_EQ(mentions(expected, "branch"), 1);
  for (const std::string& file : files) {
    Integrator resumed(p, o);
    resumed.resume(file);
    ASSERT_EQ(resumed.run(t_end), Status::success);
    const Solution s = resumed.solution();
    const VectorXd a = expected.end().y(), b = s.end().y();
    EXPECT_EQ(0,
              std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())));
    EXPECT_EQ(expected.times(), s.times());
    EXPECT_EQ(expected.warnings(), s.warnings());
    const Counts x = expected.statistics().total(), y = s.statistics().total();
    EXPECT_EQ(x.jacobian_columns, y.jacobian_columns);
    EXPECT_EQ(x.factorisations, y.factorisations);
    EXPECT_EQ(x.newton_iterations, y.newton_iterations);
  }
}

TEST(Branch, IsRememberedByCheckpoints) {
  for (const char* method : {"bdf", "radau5", "rodas4"})
    for (const Callable kind : {Callable::differentiable, Callable::plain}) {
      SCOPED_TRACE(method);
      expect_same_bits(ring(60, false, kind), options(method, 1e-5), 3.0);
    }
}

}  // namespace
}  // namespace daedalus::branches_test
