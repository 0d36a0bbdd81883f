// SPDX-License-Identifier: BSD-3-Clause
// Both engines: what a step costs, time in the algebraic equations, mass matrices that change, the
// separation of a constant singular mass matrix, and solving backwards.
#include <algorithm>

#include "catalogue/catalogue.hpp"
#include "formulation/separated_system.hpp"
#include "kernel/rosenbrock_table.hpp"
#include "lab/stability_function.hpp"
#include "rosenbrock/support.hpp"

namespace daedalus::rosenbrock_test {
namespace {

// acc * s_f + rej * (s_f - 1) evaluations with s_f of the 1988 report: 4 for DAE4SF, 2 for DAE3S,
// 3, 4 and 6 for DAE3NS, DAE33NS and DAE34NS; the value at the beginning of a step survives a
// rejection.
TEST(Counting, OfEvaluationsIsThatOfTheReport) {
  const std::pair<const char*, long> expected[] = {
      {"dae3s", 2},   {"dae4sf", 4},  {"dae4sf-1988", 4}, {"dae4s", 5},   {"dae3ns", 3},
      {"dae33ns", 4}, {"dae34ns", 6}, {"rodas3", 3},      {"rodas6p", 16}};
  for (const auto& [name, evaluations] : expected) {
    Options o = with_tolerance(name, 1e-9);
    o.initial_step = 0.5;  // far too long: there are rejections
    for (const MethodOption& option : find_method(name)->options)
      if (option.key == "verify_matrix") o.method_options[option.key] = 0.0;
    const Solution s = solve(generic(), {0.0, 1.0}, (o.start = StartStrategy::solve, o));
    ASSERT_TRUE(s.ok()) << name << s.message();
    const Statistics& all = s.statistics();
    const Counts& c = all.in(Phase::step);
    EXPECT_GT(all.rejected, 0) << name;
    EXPECT_EQ(c.function_evaluations, evaluations * all.accepted + (evaluations - 1) * all.rejected)
        << name;
    EXPECT_EQ(c.jacobian_evaluations, all.accepted) << name;
    const bool explicit_in_y = find_method(name)->view == View::partitioned;
    EXPECT_EQ(c.factorisations, explicit_in_y ? all.accepted : all.steps()) << name;
  }
}

// Stages 17 to 19 of rodas6p are computed where the interpolant is asked for, and only there.
TEST(Counting, DenseStagesAreComputedOnDemand) {
  const auto run = [](Output output) {
    Options o = with_tolerance("rodas6p", 1e-6);
    o.output = output;
    return solve(circle(), {0.0, 1.0}, o).statistics();
  };
  const Statistics end = run(Output::end), dense = run(Output::dense);
  EXPECT_EQ(end.in(Phase::output).function_evaluations, 0);
  // And one or two more evaluations for the test of values between steps.
  EXPECT_GE(dense.in(Phase::output).function_evaluations, 3 * dense.accepted);
  EXPECT_LE(dense.in(Phase::output).function_evaluations, 5 * dense.accepted);
  EXPECT_EQ(end.in(Phase::step).function_evaluations, dense.in(Phase::step).function_evaluations);
}

TEST(Engines, TakeTimeInTheAlgebraicEquations) {
  for (const Method* m : family()) {
    if (m->fixed_step_only) continue;
    const Solution s = solve(time_dependent(), {0.0, 2.0}, with_tolerance(m->name, 1e-7));
    ASSERT_TRUE(s.ok()) << m->name << ": " << s.message();
    EXPECT_LT((s.end().y() - exact_time_dependent(2.0)).cwiseAbs().maxCoeff(), 2e-5) << m->name;
  }
}

TEST(Engines, SolveBackwards) {
  for (const char* name : {"rodas5p", "dae34ns", "tsit5da"}) {
    SemiExplicitProblem p = time_dependent();
    const Eigen::VectorXd from = exact_time_dependent(1.5);
    p.y0 = from.head(1);
    p.z0 = from.tail(2);
    const Solution s = solve(p, {1.5, 0.0}, with_tolerance(name, 1e-8));
    ASSERT_TRUE(s.ok()) << name << s.message();
    EXPECT_LT((s.end().y() - exact_time_dependent(0.0)).cwiseAbs().maxCoeff(), 1e-6) << name;
  }
}

TEST(Engines, GivenDerivativesOfTheConstraintsAreUsed) {
  SemiExplicitProblem p = circle();
  p.g = [](double, In y, In z, Out g) { g[0] = y[0] * y[0] + z[0] * z[0] - 1.0; };
  int calls = 0;
  p.g_y = [&calls](double, In y, In, MatrixOut J) { J(0, 0) = 2.0 * y[0], ++calls; };
  p.g_z = [](double, In, In z, MatrixOut J) { J(0, 0) = 2.0 * z[0]; };
  const Solution plain = solve(circle(), {0.0, 1.0}, with_tolerance("dae34ns", 1e-7)),
                 given = solve(p, {0.0, 1.0}, with_tolerance("dae34ns", 1e-7));
  ASSERT_TRUE(given.ok()) << given.message();
  EXPECT_GE(calls, given.statistics().accepted);
  EXPECT_EQ(given.statistics().accepted, plain.statistics().accepted);
  EXPECT_LT((given.end().y() - plain.end().y()).norm(), 1e-13);
}

// M(y) y' = f: (2 + sin y1) y1' + y2' = ..., y1 + y2^3 = c(t); y1 = cos t, y2 = sin t.
MassMatrixProblem changing_mass() {
  MassMatrixProblem p;
  p.name = "changing mass matrix";
  p.mass = autodiff([](const auto&, const auto& y, auto& M) {
    using std::sin;
    M(0, 0) = 2.0 + sin(y[0]);
    M(0, 1) = y[1];
    M(1, 0) = 0.0;
    M(1, 1) = 0.0;
  });
  p.rhs = autodiff([](const auto& t, const auto& y, auto& f) {
    using std::cos, std::sin;
    f[0] = -(2.0 + sin(y[0])) * sin(t) + y[1] * cos(t);
    f[1] = y[0] + y[1] * y[1] * y[1] - cos(t) - sin(t) * sin(t) * sin(t);
  });
  p.y0 = vec({std::cos(0.5), std::sin(0.5)});
  return p;
}

TEST(Engines, StateDependentMassMatrix) {
  for (const Method* m : family()) {
    if (m->fixed_step_only) continue;
    const Options o = with_tolerance(m->name, 1e-7);
    if (m->view == View::partitioned) {
      EXPECT_THROW(solve(changing_mass(), {0.5, 1.5}, o), InvalidArgument) << m->name;
      continue;
    }
    const Solution s = solve(changing_mass(), {0.5, 1.5}, o);
    ASSERT_TRUE(s.ok()) << m->name << ": " << s.message();
    EXPECT_LT((s.end().y() - vec({std::cos(1.5), std::sin(1.5)})).cwiseAbs().maxCoeff(), 1e-5)
        << m->name;
  }
}

TEST(Separation, FindsRankAndFactors) {
  Eigen::MatrixXd M(3, 3);
  M << 1, -1, 0, -1, 1, 0, 0, 0, 5;
  const Separation s = separate(M);
  EXPECT_EQ(s.rank, 2);
  EXPECT_LT(s.gap, 1e-14);
  Eigen::MatrixXd identity = Eigen::MatrixXd::Zero(3, 3);
  identity(0, 0) = identity(1, 1) = 1.0;
  EXPECT_LT((s.left * M * s.right - identity).norm(), 1e-13);
  M(0, 1) += 3e-15;  // neither zero nor clearly different from it
  EXPECT_GT(separate(M).gap, 1e-17);
  const auto amplifier =
      std::get<MassMatrixProblem>(problems::find_problem("transistor-amplifier")->problem());
  EXPECT_EQ(separate(Eigen::MatrixXd(amplifier.mass_matrix)).rank, 5);
}

// Lemma 9.6 of Steinebach (1988) with given steps, so that rounding does not feed back through the
// step size; tests/forms compares the steps that the control takes.
void expect_same_steps(const Problem& p, Interval interval, Options given) {
  for (const char* name : {"rodas4", "dae4sf", "rodas5p"}) {
    given.method = name;
    given.formulation = "auto";
    const Solution a = solve(p, interval, given);
    given.formulation = "separated";
    const Solution b = solve(p, interval, given);
    ASSERT_TRUE(a.ok() && b.ok()) << a.message() << b.message();
    EXPECT_EQ(b.choice().formulation, "separated");
    ASSERT_EQ(a.times().size(), b.times().size());
    for (std::size_t i = 0; i < a.times().size(); ++i)
      ASSERT_LT((a.state(i).y() - b.state(i).y()).cwiseAbs().maxCoeff(), 1e-10)
          << name << " at " << a.times()[i];
  }
}

TEST(Separation, TakesTheSameStepsAsTheDirectTreatment) {
  const problems::Entry& e = *problems::find_problem("transistor-amplifier");
  const Solution direct = solve(e.problem(), {0.0, 0.02}, {.method = "rodas4", .rtol = 1e-5});
  ASSERT_TRUE(direct.ok()) << direct.message();
  Options given{.rtol = 1e-5, .atol = 1e-5};
  for (std::size_t i = 1; i < direct.times().size(); ++i)
    given.step_sequence.push_back(direct.times()[i] - direct.times()[i - 1]);
  expect_same_steps(e.problem(), {0.0, 0.02}, given);
}

// Rows and columns of diag(1, 1, 0, 0) x' = f turned by two reflections: no row or column of the
// matrix is zero.
TEST(Separation, OfATurnedMatrixToo) {
  const Eigen::Vector4d u = Eigen::Vector4d(1.0, -2.0, 3.0, 1.0).normalized(),
                        v = Eigen::Vector4d(2.0, 1.0, 1.0, -3.0).normalized();
  const Eigen::Matrix4d left = Eigen::Matrix4d::Identity() - 2.0 * u * u.transpose(),
                        right = Eigen::Matrix4d::Identity() - 2.0 * v * v.transpose();
  const Eigen::Matrix4d turned =
      left * Eigen::Vector4d(1.0, 1.0, 0.0, 0.0).asDiagonal() * right.transpose();
  EXPECT_GT(turned.rowwise().norm().minCoeff(), 0.1);
  EXPECT_GT(turned.colwise().norm().minCoeff(), 0.1);
  MassMatrixProblem p;
  p.name = "turned";
  p.mass_matrix = turned.sparseView();
  p.rhs = autodiff([left, right](const auto&, const auto& w, auto& f) {
    using std::sqrt;
    auto x = 0.0 * w[0], y = x, z = x, s = x;  // right^T w: example 3 of Steinebach (1988)
    for (int j = 0; j < 4; ++j) {
      x += right(j, 0) * w[j], y += right(j, 1) * w[j];
      z += right(j, 2) * w[j], s += right(j, 3) * w[j];
    }
    const auto fourth = y * y * y * y;
    for (int i = 0; i < 4; ++i)
      f[i] = left(i, 0) * z - left(i, 1) * 0.5 * sqrt(sqrt(s)) +
             left(i, 2) * (x * x + z * z - fourth / s) + left(i, 3) * (s - fourth);
  });
  p.y0 = right * Eigen::Vector4d(0.0, 1.0, 1.0, 1.0);
  Options given{.fixed_step = 0.05};
  expect_same_steps(p, {0.0, 1.0}, given);
  given.method = "rodas5p";
  given.formulation = "separated";
  const Solution s = solve(p, {0.0, 1.0}, given);
  ASSERT_TRUE(s.ok()) << s.message();
  const Eigen::Vector4d exact(std::sin(1.0), std::exp(-0.5), std::cos(1.0), std::exp(-2.0));
  EXPECT_LT((right.transpose() * s.end().y() - exact).norm(), 1e-5);
}

TEST(Separation, ReportsModelVariablesAndDenseOutput) {
  const problems::Entry& e = *problems::find_problem("transistor-amplifier");
  Options o{.method = "rodas4",
            .formulation = "separated",
            .rtol = 1e-6,
            .atol = 1e-6,
            .output = Output::dense};
  const Solution s = solve(e.problem(), {0.0, 0.01}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.variables().names.front(), "U1");
  o.formulation = "auto";
  const Solution direct = solve(e.problem(), {0.0, 0.01}, o);
  EXPECT_LT((s.at(0.00777).y() - direct.at(0.00777).y()).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Separation, OtherFormulationsOfMassMatricesAreRefused) {
  EXPECT_THROW(solve(changing_mass(), {0.5, 1.0}, {.formulation = "index2"}), InvalidArgument);
}

// A start with z off by delta, and steps so short that nothing else is left of the estimate: it
// contains R(infinity) - Rhat(infinity) of delta. The option subtract_inherited takes that out; a
// consistent start makes no difference.
TEST(Inherited, ErrorsOfZStayInTheEstimateUnlessSubtracted) {
  const auto estimate = [](const Method& m, double delta, double subtract) {
    SemiExplicitProblem p = circle();
    p.y0 = vec({0.6});
    p.z0 = vec({0.8 + delta});
    const double h = 1e-7;
    Options o{.method = m.name, .rtol = 1e-30, .atol = 1.0, .norm = ErrorNorm::maximum};
    o.start = StartStrategy::given;
    o.initial_step = h;
    o.max_step = h;
    if (subtract >= 0.0) o.method_options["subtract_inherited"] = subtract;
    double error = 0.0;
    o.trace = [&error](const StepRecord& r) { error = r.error; };
    const Solution s = solve(p, {0.0, h}, o);
    EXPECT_TRUE(s.ok()) << m.name << s.message();
    return error;
  };
  const double delta = 1e-3;
  const auto at_infinity = [](const Method& m, analysis::Weights weights) {
    const analysis::RosenbrockScheme scheme(*static_cast<const RosenbrockCoefficients*>(m.table));
    return analysis::StabilityFunction(scheme, weights).at_infinity();
  };
  int checked = 0;
  for (const Method* m : family()) {
    if (m->fixed_step_only || m->view == View::partitioned) continue;
    const double share = std::abs(at_infinity(*m, analysis::Weights::main) -
                                  at_infinity(*m, analysis::Weights::embedded));
    const bool offered = std::any_of(m->options.begin(), m->options.end(),
                                     [](const auto& o) { return o.key == "subtract_inherited"; });
    EXPECT_EQ(offered, share > 1e-6) << m->name << " " << share;
    if (!offered) continue;
    ++checked;
    // delta^2 is left by the curvature of the circle.
    EXPECT_NEAR(estimate(*m, delta, 0.0), share * delta, 0.02 * share * delta) << m->name;
    EXPECT_LT(estimate(*m, delta, 1.0), 0.02 * share * delta) << m->name;
    EXPECT_NEAR(estimate(*m, 0.0, 0.0), estimate(*m, 0.0, 1.0), 1e-15) << m->name;
  }
  EXPECT_EQ(checked, 3);  // dae3s, dae4s, ros34pw2
}

}  // namespace
}  // namespace daedalus::rosenbrock_test
