// The coefficient table behind a method keeps what the method declares: order conditions of
// index-1 systems, stability, stiff accuracy; and a coefficient changed by 1e-6 is noticed.
#include <gtest/gtest.h>

#include "analysis/stability_function.hpp"
#include "methods/models.hpp"
#include "order_conditions/perturbation.hpp"

namespace daedalus::methods_test {
namespace {

using analysis::RosenbrockScheme;
using analysis::Weights;

struct Table {
  const Method* method;
};
std::string label(const Table& t) { return methods_test::label(t.method->name); }
void PrintTo(const Table& t, std::ostream* out) { *out << t.method->name; }
struct ByName {
  template <class Info>
  std::string operator()(const Info& test) const {
    return label(test.param);
  }
};

std::vector<Table> rosenbrock_tables() {
  std::vector<Table> found;
  for (const Method* m : all_methods())
    if (m->family == "rosenbrock") found.push_back({m});
  return found;
}

bool explicit_in_y(const Method& m) { return m.view == View::partitioned; }

RosenbrockScheme scheme_of(const Method& m) {
  if (explicit_in_y(m)) return {*static_cast<const RosenbrockBCoefficients*>(m.table)};
  return {*static_cast<const RosenbrockCoefficients*>(m.table)};
}

class Coefficients : public ::testing::TestWithParam<Table> {
 protected:
  void SetUp() override {
    ASSERT_NE(method.table, nullptr) << method.name << " does not show its table";
  }
  const Method& method = *GetParam().method;
};

TEST_P(Coefficients, AttainTheDeclaredOrders) {
  const RosenbrockScheme s = scheme_of(method);
  const analysis::AttainedOrder main = attained_order(s, Weights::main);
  EXPECT_EQ(main.convergence(), method.order) << "y " << main.y << ", z " << main.z;
  EXPECT_LE(method.orders[VariableClass::y], main.y);
  EXPECT_LE(method.orders[VariableClass::z], main.z + 1);
  const analysis::AttainedOrder embedded = attained_order(s, Weights::embedded);
  EXPECT_EQ(embedded.convergence(), method.error_order)
      << "y " << embedded.y << ", z " << embedded.z;
  if (s.dense_rows > 0) {
    const analysis::AttainedOrder dense = attained_dense_order(s);
    EXPECT_EQ(std::min(dense.y, dense.z + 1), method.dense_order)
        << "y " << dense.y << ", z " << dense.z;
  }
}

TEST_P(Coefficients, HaveTheDeclaredStability) {
  const RosenbrockScheme s = scheme_of(method);
  const analysis::StabilityFunction R(s, Weights::main);
  // Necessary for convergence on index-1 systems at all.
  EXPECT_LT(std::abs(R.at_infinity()), 1.0);
  if (explicit_in_y(method)) {
    EXPECT_EQ(method.stability, Stability::none);
  } else {
    const analysis::StabilityScan scan = scan_stability(R);
    EXPECT_EQ(scan.l_stable, method.stability == Stability::l_stable) << scan.r_infinity;
    EXPECT_EQ(scan.a_stable, method.stability != Stability::none) << scan.max_on_axis;
  }
}

// Stiffly accurate: the last row of alpha + Gamma is the row of weights.
TEST_P(Coefficients, AreStifflyAccurateIfDeclared) {
  const RosenbrockScheme s = scheme_of(method);
  const int last = s.stages - 1;
  double difference = 0.0;
  for (int j = 0; j < s.stages; ++j) {
    const auto k = static_cast<std::size_t>(last * s.stages + j);
    difference = std::max(
        difference,
        std::abs(static_cast<double>(s.alpha[k] + s.gamma[k] - s.mu[static_cast<std::size_t>(j)])));
  }
  if (method.stiffly_accurate)
    EXPECT_LT(difference, 1e-12);
  else
    EXPECT_GT(difference, 1e-8);
}

// The norms are the published ones where there are any, else the table's own: then they pin the
// coefficients that no order condition does.
template <class View>
std::vector<std::string> unnoticed(const Method& m) {
  const View& table = *static_cast<const View*>(m.table);
  analysis::TruncationNorms norms = analysis::published_norms(m.name);
  if (norms.main.y == 0.0 && norms.main.z == 0.0)
    norms = analysis::measured_norms(
        table, analysis::profile(table, analysis::highest(analysis::profile(table, 6))));
  return analysis::unnoticed_table_changes(table, norms, 1e-6);
}

TEST_P(Coefficients, ChangedByAMillionthAreNoticed) {
  const std::vector<std::string> missed = explicit_in_y(method)
                                              ? unnoticed<RosenbrockBCoefficients>(method)
                                              : unnoticed<RosenbrockCoefficients>(method);
  EXPECT_EQ(missed, std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Methods, Coefficients, ::testing::ValuesIn(rosenbrock_tables()), ByName{});

}  // namespace
}  // namespace daedalus::methods_test
