// SPDX-License-Identifier: BSD-3-Clause
// The coefficient table behind a method keeps what the method declares: order conditions of
// index-1 systems, stability, stiff accuracy; and a coefficient changed by 1e-6 is noticed.
#include <gtest/gtest.h>

#include <Eigen/QR>

#include "lab/stability_function.hpp"
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
  if (method.error_order > 0) {
    const analysis::AttainedOrder embedded = attained_order(s, Weights::embedded);
    EXPECT_EQ(embedded.convergence(), method.error_order)
        << "y " << embedded.y << ", z " << embedded.z;
  }
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

// Stiffly accurate: the row of alpha + Gamma of the last stage of the step (stages that only the
// dense output uses come after it) is the row of weights.
TEST_P(Coefficients, AreStifflyAccurateIfDeclared) {
  const RosenbrockScheme s = scheme_of(method);
  const int extra = explicit_in_y(method)
                        ? 0
                        : static_cast<const RosenbrockCoefficients*>(method.table)->extra_stages;
  const int last = s.stages - 1 - extra;
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

bool own_dense_output(const Method& m) {
  const analysis::TruncationNorms norms = analysis::published_norms(m.name);
  return norms.dense.y == 0.0 && norms.dense.z == 0.0;
}

// Residuals of the conditions up to `order` (of z up to order - 1) at several theta.
Eigen::VectorXd dense_residuals(const RosenbrockScheme& s, int order) {
  std::vector<double> list;
  for (const double theta : {0.2, 0.35, 0.5, 0.65, 0.8})
    for (const analysis::OrderCondition& c : dense_order_conditions(s, theta, order))
      if (c.order <= (c.kind == 'y' ? order : order - 1)) list.push_back(c.residual);
  return Eigen::Map<const Eigen::VectorXd>(list.data(), static_cast<Eigen::Index>(list.size()));
}

// Where a source has no dense output, ours is the solution of the conditions for all theta with the
// smallest sum of squares of the weights of l_i and k_i. The conditions are linear in these: their
// matrix is found by setting one weight after another to one, and its pseudo-inverse gives the
// weights back, every digit of them.
class OwnDenseOutputs : public Coefficients {};

TEST_P(OwnDenseOutputs, AreTheSmallestSolution) {
  RosenbrockScheme s = scheme_of(method);
  const auto count = static_cast<int>(s.dense.size());
  ASSERT_GT(count, 0);
  Eigen::VectorXd given(count);
  for (int k = 0; k < count; ++k) given[k] = static_cast<double>(s.dense[std::size_t(k)]);
  std::fill(s.dense.begin(), s.dense.end(), analysis::Quadruple(0));
  const Eigen::VectorXd none = dense_residuals(s, method.dense_order);
  Eigen::MatrixXd matrix(none.size(), count);
  for (int k = 0; k < count; ++k) {
    s.dense[std::size_t(k)] = 1;
    matrix.col(k) = dense_residuals(s, method.dense_order) - none;
    s.dense[std::size_t(k)] = 0;
  }
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> least_squares;
  least_squares.setThreshold(1e-9);
  least_squares.compute(matrix);
  const Eigen::VectorXd smallest = least_squares.solve(-none);
  EXPECT_LT((matrix * smallest + none).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((smallest - given).cwiseAbs().maxCoeff(), 1e-12);
}

// The norms are the published ones. Dense outputs of our own have none: the test above pins their
// coefficients, and the norms are the table's.
template <class View>
std::vector<std::string> unnoticed(const Method& m) {
  const View& table = *static_cast<const View*>(m.table);
  analysis::TruncationNorms norms = analysis::published_norms(m.name);
  if (own_dense_output(m))
    norms.dense =
        analysis::measured_norms(
            table, analysis::profile(table, analysis::highest(analysis::profile(table, 6))))
            .dense;
  return analysis::unnoticed_table_changes(table, norms, 1e-6);
}

void expect_changes_to_be_noticed(const Method& m) {
  ASSERT_NE(analysis::published_norms(m.name).embedded.y, 0.0) << "no norms for " << m.name;
  const std::vector<std::string> missed = explicit_in_y(m) ? unnoticed<RosenbrockBCoefficients>(m)
                                                           : unnoticed<RosenbrockCoefficients>(m);
  EXPECT_EQ(missed, std::vector<std::string>{});
}

// Some hundred coefficients times some thousand trees: the large tables take seconds.
constexpr int large = 10;
int stages_of(const Method& m) { return scheme_of(m).stages; }

class SmallTables : public Coefficients {};

TEST_P(SmallTables, ChangedByAMillionthAreNoticed) { expect_changes_to_be_noticed(method); }

// The one stage of the linearly implicit Euler method has no estimate and no norms to compare.
class OneStage : public Coefficients {};

TEST_P(OneStage, CoefficientsAreOnes) {
  const auto& table = *static_cast<const RosenbrockCoefficients*>(method.table);
  for (const double one : {table.gamma, table.weights[0], table.time_weights[0]})
    EXPECT_EQ(one, 1.0);
}

TEST(SlowCoefficients, ChangedByAMillionthAreNoticed) {
  for (const Table& t : rosenbrock_tables())
    if (stages_of(*t.method) >= large) expect_changes_to_be_noticed(*t.method);
}

std::vector<Table> tables_with(bool (*property)(const Method&)) {
  std::vector<Table> list;
  for (const Table& t : rosenbrock_tables())
    if (property(*t.method)) list.push_back(t);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Methods, Coefficients, ::testing::ValuesIn(rosenbrock_tables()), ByName{});
// A linear dense output has no coefficients.
INSTANTIATE_TEST_SUITE_P(Methods, OwnDenseOutputs,
                         ::testing::ValuesIn(tables_with([](const Method& m) {
                           return own_dense_output(m) && m.dense_order > 1;
                         })),
                         ByName{});
INSTANTIATE_TEST_SUITE_P(Methods, SmallTables, ::testing::ValuesIn(tables_with([](const Method& m) {
                           return stages_of(m) > 1 && stages_of(m) < large;
                         })),
                         ByName{});
INSTANTIATE_TEST_SUITE_P(Methods, OneStage, ::testing::ValuesIn(tables_with([](const Method& m) {
                           return stages_of(m) == 1;
                         })),
                         ByName{});

}  // namespace
}  // namespace daedalus::methods_test
