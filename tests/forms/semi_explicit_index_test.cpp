// Semi-explicit problems that say their index as the other forms do, large and sparse ones
// included.
#include "forms/support.hpp"

namespace daedalus {
namespace {

// n copies of  x' = z - x, w' = x - w,  0 = x - (1 + i / n) sin t  with a few couplings
// x_i' += (w_{i+1} - w_i) / 10: index 2 in z, without Hessenberg blocks told.
SemiExplicitProblem many(int n) {
  SemiExplicitProblem p;
  p.name = "many";
  p.index = 2;
  p.f = autodiff([n](const auto&, const auto& y, const auto& z, auto& f) {
    for (int i = 0; i < n; ++i) {
      const int next = (i + 1) % n;
      f[i] = z[i] - y[i] + 0.1 * (y[n + next] - y[n + i]);
      f[n + i] = y[i] - y[n + i];
    }
  });
  p.g = autodiff([n](const auto& t, const auto& y, const auto&, auto& g) {
    using std::sin;
    for (int i = 0; i < n; ++i) g[i] = y[i] - (1.0 + static_cast<double>(i) / n) * sin(t);
  });
  p.y0 = Eigen::VectorXd::Zero(2 * n);
  p.z0.resize(n);
  for (int i = 0; i < n; ++i) p.z0[i] = 1.0 + static_cast<double>(i) / n;
  return p;
}

TEST(SemiExplicitIndex, IsDeclaredAndUsed) {
  const SemiExplicitProblem p = many(2);
  EXPECT_EQ(index_of(p), 2);
  EXPECT_EQ(check(p, 0.0).numerical_index, 2);
  for (const char* method : {"auto", "bdf", "radau5"}) {
    Options o;
    o.method = method;
    o.rtol = 1e-6;
    o.atol = 1e-6;
    const Solution s = solve(p, {0.0, 2.0}, o);
    ASSERT_TRUE(s.ok()) << method << s.message();
    EXPECT_NEAR(s.end().of(VariableClass::y)[1], 1.5 * std::sin(2.0), 1e-5) << method;
    const Variables::Range* z = s.variables().range_of(VariableClass::z);
    EXPECT_EQ(z->index, 2);
  }
  Options o;
  o.method = "rodas4";
  EXPECT_THROW(solve(p, {0.0, 1.0}, o), InvalidArgument);  // index 1 at most
}

TEST(SemiExplicitIndex, OfSingleVariables) {
  SemiExplicitProblem p = many(2);
  p.variable_index = {1, 1, 1, 1, 2, 2};
  const Solution s = solve(p, {0.0, 1.0}, {});
  ASSERT_TRUE(s.ok()) << s.message();
  p.variable_index = {1, 2};
  EXPECT_THROW(validate(p, 0.0), InvalidArgument);
  p.variable_index = {};
  p.index = 7;
  EXPECT_THROW(validate(p, 0.0), InvalidArgument);
  p.index = 3;
  p.hessenberg_blocks = {4};
  EXPECT_THROW(validate(p, 0.0), InvalidArgument);
}

TEST(SemiExplicitIndex, LargeSparseProblemsWork) {
  const int n = 2000;
  for (const char* method : {"auto", "bdf"}) {
    Options o;
    o.method = method;
    o.rtol = 1e-5;
    o.atol = 1e-5;
    o.output = Output::end;
    const Solution s = solve(many(n), {0.0, 1.0}, o);
    ASSERT_TRUE(s.ok()) << method << s.message();
    EXPECT_NE(s.choice().linear_solver, "dense");
    const auto y = s.end().of(VariableClass::y);
    for (int i = 0; i < n; i += 97)
      EXPECT_NEAR(y[i], (1.0 + static_cast<double>(i) / n) * std::sin(1.0), 1e-3) << method;
  }
}

}  // namespace
}  // namespace daedalus
