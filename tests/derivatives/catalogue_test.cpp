// SPDX-License-Identifier: BSD-3-Clause
// Exact Jacobians of every catalogue problem in every view against central differences with
// Richardson's extrapolation, and against the library's own difference quotients.
#include "derivatives/support.hpp"

namespace daedalus {
namespace {

using namespace derivatives_test;

// Fourth order: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / (12 h).
template <class F>
VectorXd quotient(F&& f, double h) {
  return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
}

VectorXd evaluate(System& system, double t, const VectorXd& x, const VectorXd& xd) {
  VectorXd r(static_cast<Eigen::Index>(system.equations.size()));
  if (LinearView* linear = system.linear_view())
    EXPECT_EQ(linear->rhs(t, x.data(), r.data()), Outcome::ok);
  else
    EXPECT_EQ(system.residual_view()->residual(t, x.data(), xd.data(), r.data()), Outcome::ok);
  return r;
}

class ExactJacobians : public ::testing::TestWithParam<Lowered> {};

TEST_P(ExactJacobians, AgreeWithDifferences) {
  const auto system = lowered(GetParam());
  const State s = nearby(*system, GetParam());
  system->prepare(s);
  const Matrices exact = matrices(*system, s);
  const int n = system->layout.tangents();
  // Sizes of rows: cancellation in a row limits all of its entries.
  const VectorXd values = evaluate(*system, s.t, s.x, s.xd);
  for (int j = 0; j < n; ++j) {
    // Diodes change on the scale of 0.026 V while potentials are near 6 V.
    const double h = 1e-4 * (1e-2 + std::abs(s.x[j]));
    const VectorXd column = quotient(
        [&](double e) {
          VectorXd w = VectorXd::Zero(n), x(s.x.size());
          w[j] = e;
          system->layout.plus(s.x.data(), w.data(), x.data());
          return evaluate(*system, s.t, x, s.xd);
        },
        h);
    for (int i = 0; i < column.size(); ++i) {
      const double size = exact.J.row(i).cwiseAbs().maxCoeff() + std::abs(values[i]) + 1e-12;
      EXPECT_NEAR(exact.J(i, j), column[i], 1e-6 * size + 1e-14 * size / h)
          << system->equations[static_cast<std::size_t>(i)] << " by " << system->layout.name(j);
    }
    if (system->linear_view()) continue;
    const VectorXd rate = quotient(
        [&](double e) {
          VectorXd xd = s.xd;
          xd[j] += e;
          return evaluate(*system, s.t, s.x, xd);
        },
        1e-2);
    EXPECT_LT((exact.E.col(j) - rate).cwiseAbs().maxCoeff(),
              1e-9 * (1.0 + exact.E.cwiseAbs().maxCoeff() + values.cwiseAbs().maxCoeff()))
        << system->layout.name(j);
  }
}

TEST_P(ExactJacobians, AgreeWithTheLibrarysOwnDifferences) {
  const auto exact = lowered(GetParam()), differences = lowered(GetParam(), true);
  const State s = nearby(*exact, GetParam());
  exact->prepare(s);
  differences->prepare(s);
  const Matrices a = matrices(*exact, s), b = matrices(*differences, s);
  const VectorXd values = evaluate(*exact, s.t, s.x, s.xd);
  for (int i = 0; i < a.J.rows(); ++i)
    for (int j = 0; j < a.J.cols(); ++j) {
      // A first-order quotient with increment d = 1.5e-8 |x|: error d f'' / 2 + round-off / d.
      const double size = a.J.row(i).cwiseAbs().maxCoeff() + std::abs(values[i]) + 1e-12;
      const double increment = 1.5e-8 * std::max(std::abs(s.x[j]), 1e-10);
      EXPECT_NEAR(a.J(i, j), b.J(i, j), 1e-4 * size + 1e-14 * std::abs(values[i]) / increment)
          << exact->equations[static_cast<std::size_t>(i)] << " by " << exact->layout.name(j);
    }
  // Both lead to the same structure, so the same number of colours is spent.
  EXPECT_EQ(exact->counter.now().jacobian_columns, differences->counter.now().jacobian_columns);
}

std::string label(const ::testing::TestParamInfo<Lowered>& info) {
  std::string name = info.param.label;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, ExactJacobians, ::testing::ValuesIn(all_lowered()), label);

}  // namespace
namespace derivatives_test {
void PrintTo(const Lowered& l, std::ostream* out);
void PrintTo(const Lowered& l, std::ostream* out) { *out << l.label; }
}  // namespace derivatives_test
}  // namespace daedalus
