// SPDX-License-Identifier: BSD-3-Clause
// The examples of Arnold (1998), chapters 1 to 3: exact solutions leave no residual, the perturbed
// solutions given there in closed form leave the residuals stated, references follow from the
// equations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "evaluate.hpp"

namespace daedalus::catalogue_test::arnold_theory_test {
namespace {

using problems::Entry;
using problems::find_problem;
using problems::Values;

constexpr double pi = 3.14159265358979323846;

Vector vec(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), static_cast<Eigen::Index>(values.size()));
}
double largest(const Vector& v) { return v.cwiseAbs().maxCoeff(); }
double distance(const Vector& a, const Vector& b) { return largest(a - b); }

template <class Form>
Form example(const char* name, const Values& values = {}) {
  return std::get<Form>(find_problem(name)->problem(values));
}
Vector exact(const Entry& e, double t, const Values& values) {
  return ordered(e.exact(t, values), variables_of(e.problem(values)).names);
}

// Residual of the exact solution, its derivative by differences of order 6.
double defect(const Entry& e, const Values& values, double t, double shift = 0.0) {
  const auto x = [&](double s) { return Vector(exact(e, s, values).array() + shift); };
  const double h = 2e-3;
  const auto pair = [&](int k) { return Vector(x(t + k * h) - x(t - k * h)); };
  const Vector xp = (0.75 * pair(1) - 0.15 * pair(2) + pair(3) / 60.0) / h;
  return largest(residual(e.problem(values), t, x(t), xp));
}

struct Case {
  const char* name;
  int index, size;
  std::vector<Values> values;  // sets of parameters with a known solution
};
const std::vector<Case> cases{
    {"nilpotent", 3, 3, {{}, {{"m", 2.0}}, {{"m", 5.0}, {"omega", 0.7}}}},
    {"arnold-8", 2, 3, {{}, {{"mu0", 0.0}}, {{"mu0", 0.3}}}},
    {"arnold-9", 2, 5, {{}, {{"mu", 0.2}}}},
    {"arnold-10", 2, 3, {{}}},
    {"arnold-11", 2, 5, {{}}},
    {"arnold-12", 3, 8, {{}, {{"mu", 0.0}, {"nu", 0.5}}}},
    {"arnold-13", 3, 5, {}},
    {"arnold-14", 2, 3, {{}, {{"y10", -3.0}}}},
    {"arnold-16",
     1,
     12,
     {{}, {{"rho", -2.0}, {"second", 0.5}}, {{"N", 15.0}, {"L", 2.0}, {"second", 1.0}}}},
    {"arnold-18", 2, 3, {{}}},
    {"arnold-19", 2, 4, {{}, {{"reduced", 1.0}}}},
    {"two-branch", 2, 3, {{}}},
    {"toy-contact", 3, 6, {}}};

TEST(ArnoldTheory, EntriesDescribeThemselves) {
  for (const Case& c : cases) {
    const Entry* e = find_problem(c.name);
    ASSERT_NE(e, nullptr) << c.name;
    const Problem problem = e->problem();
    EXPECT_NO_THROW(validate(problem, e->t0)) << c.name;
    EXPECT_EQ(e->form, form_of(problem)) << c.name;
    EXPECT_EQ(e->index, c.index) << c.name;
    EXPECT_EQ(index_of(problem), c.index) << c.name;
    const Variables all = variables_of(problem);
    EXPECT_EQ(all.start.size(), c.size) << c.name;
    EXPECT_THAT(e->suites, testing::ElementsAre("arnold")) << c.name;
    EXPECT_NE(e->source.find("Arnold (1998)"), std::string::npos) << c.name;
    EXPECT_FALSE(e->equations.empty()) << c.name;
    ASSERT_TRUE(e->reference.has_value()) << c.name;
    EXPECT_EQ(e->reference->t, e->t_end) << c.name;
    std::vector<std::string> names;
    for (const auto& [name, value] : e->reference->values) names.push_back(name);
    EXPECT_THAT(names, testing::UnorderedElementsAreArray(all.names)) << c.name;
  }
}

TEST(ArnoldTheory, ExactSolutionsSatisfyTheEquations) {
  for (const Case& c : cases) {
    const Entry& e = *find_problem(c.name);
    EXPECT_EQ(c.values.empty(), !e.exact) << c.name;
    for (const Values& values : c.values) {
      EXPECT_LT(distance(exact(e, e.t0, values), variables_of(e.problem(values)).start), 1e-14)
          << c.name;
      for (const double part : {0.1, 0.5, 0.9}) {
        const double t = e.t0 + part * (e.t_end - e.t0);
        // Truncation h^6 x^(7)/140, 2e-11 for the fastest mode exp(-15.2 t); rounding 1e-13.
        const double scale = std::max(1.0, largest(exact(e, t, values)));
        EXPECT_LT(defect(e, values, t), 1e-10 * scale) << c.name;
        EXPECT_GT(defect(e, values, t, 1e-4), 1e-5) << c.name << ", a shifted solution";
      }
    }
  }
}

TEST(ArnoldTheory, ParametersMatterAndBadOnesAreNamed) {
  for (const Case& c : cases) {
    const Entry& e = *find_problem(c.name);
    for (const Parameter& p : e.parameters) {
      if (p.name == "m" || p.name == "N" || p.name == "reduced") continue;  // other equations
      const auto fingerprint = [&](double value) {
        const Problem problem = e.problem({{p.name, value}});
        const Variables all = variables_of(problem);
        Random random(1);
        const Vector x = all.start + 0.1 * random.vector(all.start.size());
        Vector both(2 * x.size());
        both << residual(problem, 0.3, x, random.vector(x.size())), all.start;
        return both;
      };
      EXPECT_GT(distance(fingerprint(p.value + 0.25), fingerprint(p.value)), 1e-6)
          << c.name << " " << p.name;
    }
  }
  const struct {
    const char *name, *parameter;
    double value;
  } wrong[] = {{"nilpotent", "m", 1.0},
               {"nilpotent", "m", 2.5},
               {"arnold-16", "N", 0.0},
               {"arnold-16", "L", -1.0},
               {"arnold-19", "reduced", 0.5}};
  for (const auto& w : wrong) try {
      (void)find_problem(w.name)->problem({{w.parameter, w.value}});
      ADD_FAILURE() << w.name << " took " << w.parameter << " = " << w.value;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(w.name),
                                               testing::HasSubstr("'" + std::string(w.parameter)),
                                               testing::HasSubstr("allowed")));
    }
  // sin(pi/4) = L/(N + 1) puts the first mode of one point at Lambda = 2.
  EXPECT_THROW((void)find_problem("arnold-16")->problem({{"N", 1.0}, {"L", std::sqrt(2.0)}}),
               InvalidArgument);
}

// N is nilpotent of index m: the chain of derivatives is m - 1 long.
TEST(Nilpotent, SolutionIsASumOfDerivatives) {
  const Entry& e = *find_problem("nilpotent");
  const double t = 0.4;
  const Vector x = ordered(e.exact(t, {}), {"x1", "x2", "x3"});
  EXPECT_NEAR(x[2], std::sin(t + 3.0), 1e-15);
  EXPECT_NEAR(x[1], std::sin(t + 2.0) - std::cos(t + 3.0), 1e-15);
  EXPECT_NEAR(x[0], std::sin(t + 1.0) - std::cos(t + 2.0) - std::sin(t + 3.0), 1e-15);
  EXPECT_EQ(example<SemiExplicitProblem>("nilpotent", {{"m", 4.0}}).hessenberg_blocks.size(), 3U);
}

// (2.50): continuous and discrete perturbed solution of Example 9.
TEST(Example9, PerturbedSolutionLeavesDeltaAndTheta) {
  const double Delta = 3e-4, Theta = 2e-5, eps = 1e-2, mu = 0.7, D = Delta + Theta / eps;
  const Problem problem = find_problem("arnold-9")->problem({{"mu", mu}});
  for (const double t : {0.0, 0.123, 1.0}) {
    const double s = std::sin(t / eps), c = std::cos(t / eps), growth = Theta * D + mu * D * D;
    const Vector x = vec({Theta * s, Theta * c, growth * t, D * c, -D * s});
    const Vector xp = vec({Theta / eps * c, -Theta / eps * s, growth, 0.0, 0.0});
    const Vector stated = vec({-Delta * c, Delta * s, 0.0, Theta * s, Theta * c});
    EXPECT_LT(distance(residual(problem, t, x, xp), stated), 1e-17);
    // Another mu misses the growth of y3 by D^2.
    const Problem other = find_problem("arnold-9")->problem({{"mu", mu + 1.0}});
    EXPECT_NEAR(residual(other, t, x, xp)[2], -D * D, 1e-17);
  }
}

TEST(Example9, PerturbedEulerSolutionLeavesDeltaAndTheta) {
  const double Delta = 3e-4, Theta = 2e-5, mu = 0.7;
  const int steps = 64;
  const double h = 1.0 / steps, D = Delta + Theta / h, growth = Theta * D + 2.0 * mu * D * D;
  const Problem problem = find_problem("arnold-9")->problem({{"mu", mu}});
  const auto x = [&](int n) {
    const double angle = (2 * n - 1) * pi / 4.0;
    return vec({Theta * std::sin(n * pi / 2.0), Theta * std::cos(n * pi / 2.0), n * h * growth,
                std::sqrt(2.0) * D * std::cos(angle), -std::sqrt(2.0) * D * std::sin(angle)});
  };
  for (int n = 1; n <= steps; ++n) {
    const Vector r = residual(problem, n * h, x(n), (x(n) - x(n - 1)) / h);
    EXPECT_NEAR(std::abs(r[0]), Delta, 1e-15);
    EXPECT_NEAR(std::abs(r[1]), Delta, 1e-15);
    EXPECT_NEAR(r[2], 0.0, 1e-15);
    EXPECT_NEAR(r.tail(2).norm(), Theta, 1e-17);
  }
  EXPECT_DOUBLE_EQ(x(steps)[2], Theta * D + 2.0 * mu * D * D);
}

// (2.52): implicit Euler with theta_n = (-1)^n Theta is a recursion for y2; the sequence leaves
// exactly theta_n, and y2 - 1 = 0.064 Theta^2/h at t = 1.
TEST(Example10, PerturbedEulerSolutionDriftsQuadratically) {
  const Problem problem = find_problem("arnold-10")->problem();
  const double h = 1e-2, Theta = 1e-4;
  double theta = Theta, before = 1.0;
  Vector x = vec({Theta, 1.0, 0.0});
  for (int n = 0; n < 100; ++n) {
    theta = -theta;
    double eta = before;
    for (int k = 0; k < 5; ++k) {
      const double a = eta - before, b = before + eta + 0.5 / eta;
      eta -= (a * b - 2.0 * theta) / (b + a * (1.0 - 0.5 / (eta * eta)));
    }
    const double y1 = 1.0 + theta - eta * eta;
    const Vector next = vec({y1, eta, -(y1 - x[0]) / h});
    const Vector r = residual(problem, h * (n + 1), next, (next - x) / h);
    ASSERT_LT(distance(r, vec({0.0, 0.0, theta})), 1e-13) << n;
    x = next;
    before = eta;
  }
  EXPECT_NEAR((x[1] - 1.0) / (Theta * Theta / h), 0.064, 5e-4);
}

// y' = g_y^T (g_y g_y^T)^{-1} theta' solves (2.53) with g(y) = theta; from f = -g_y^T z.
TEST(Example11, PerturbedSolutionLiesWithinTheBounds) {
  const auto p = example<SemiExplicitProblem>("arnold-11");
  const double Theta = 3e-3, eps = 1e-3;
  const auto gradient = [&](const Vector& y) {
    Matrix columns(3, 2);
    for (int k = 0; k < 2; ++k) {
      const Vector z = -Vector::Unit(2, k);
      columns.col(k) = evaluate(p.f, arguments(0.0, y.data(), 3, z.data(), 2), 3);
    }
    return columns;
  };
  double max_z = 0.0;
  const auto rate = [&](double t, const Vector& y) {
    const Matrix G = gradient(y);
    const Vector slope = Theta / eps * vec({std::cos(t / eps), -std::sin(t / eps)});
    const Vector z = -PivotedLu(G.transpose() * G).solve(slope);
    max_z = std::max(max_z, largest(z));
    return evaluate(p.f, arguments(t, y.data(), 3, z.data(), 2), 3);
  };
  Vector y = vec({0.0, 0.0, -Theta});
  const int steps = 4000;  // 25 per period
  const double h = 1.0 / steps;
  for (int n = 0; n < steps; ++n) {
    const double t = n * h;
    const Vector k1 = rate(t, y), k2 = rate(t + h / 2, y + h / 2 * k1),
                 k3 = rate(t + h / 2, y + h / 2 * k2), k4 = rate(t + h, y + h * k3);
    y += h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  const Vector theta = Theta * vec({std::sin(1.0 / eps), std::cos(1.0 / eps)});
  EXPECT_LT(distance(evaluate(p.g, arguments(1.0, y.data(), 3), 2), theta), 1e-3 * Theta);
  const double ratio = y[0] / (Theta * Theta / eps);
  EXPECT_GT(ratio, 1.0 / 72.0);
  EXPECT_LT(ratio, 0.5);
  EXPECT_LT(max_z, 1.01 * Theta / eps);
  EXPECT_GT(max_z, 0.3 * Theta / eps);
}

TEST(Example12, PerturbedSolutionLeavesTheta) {
  const double Theta = 1e-4, eps = 0.05, mu = 0.4, nu = 1.5;
  const double e2 = eps * eps, K = Theta * Theta * (1.0 / e2 + nu / (e2 * eps) + mu / (e2 * e2));
  const Problem problem = find_problem("arnold-12")->problem({{"mu", mu}, {"nu", nu}});
  const Problem turned = find_problem("arnold-12")->problem({{"mu", mu}, {"nu", -nu}});
  for (const double t : {0.0, 0.4, 1.0}) {
    const double s = std::sin(t / eps), c = std::cos(t / eps), w = Theta / eps, a = Theta / e2;
    const Vector x =
        vec({Theta * s, Theta * c, 0.5 * K * t * t, w * c, -w * s, K * t, a * s, a * c});
    const Vector xp = vec({w * c, -w * s, K * t, -a * s, -a * c, K, 0.0, 0.0});
    const Vector stated = vec({0.0, 0.0, 0.0, 0.0, 0.0, 0.0, Theta * s, Theta * c});
    EXPECT_LT(distance(residual(problem, t, x, xp), stated), 1e-16);
    EXPECT_NEAR(residual(turned, t, x, xp)[5], 2.0 * nu * w * a, 1e-16);
  }
}

// The force and its derivatives by q1, v1, v2, lambda.
std::array<Dual4, 2> force_at(const MultibodyProblem& p, double q1, double v1, double v2) {
  const std::array<Dual4, 2> q{Dual4::variable(q1, 0), Dual4(-q1 * q1)},
      v{Dual4::variable(v1, 1), Dual4::variable(v2, 2)};
  const Dual4 lambda = Dual4::variable(0.7, 3);
  Arguments<Dual4> a = arguments(Dual4(0.0), q.data(), 2, v.data(), 2);
  a.x[2] = &lambda;
  a.n[2] = 1;
  std::array<Dual4, 2> f;
  EXPECT_EQ(p.force(a, f.data(), 2), Eval::ok);
  return f;
}

TEST(Example13, FrictionOpposesTheMotion) {
  const double mu0 = 0.03, q1 = 0.6, v1 = 0.3, v2 = -0.36, speed = std::hypot(v1, v2);
  const auto f = force_at(example<MultibodyProblem>("arnold-13", {{"mu0", mu0}}), q1, v1, v2);
  const double normal = 0.7 * std::hypot(2.0 * q1, 1.0);
  EXPECT_NEAR(f[0].v, -mu0 * normal * v1 / speed, 1e-16);
  EXPECT_NEAR(f[1].v - 1.0, -mu0 * normal * v2 / speed, 1e-15);
  EXPECT_NEAR(f[0].d[1], -mu0 * normal * v2 * v2 / (speed * speed * speed), 1e-15);
  // At rest and without friction: gravity, and derivatives that are numbers.
  for (const double friction : {0.0, mu0}) {
    const auto rest =
        force_at(example<MultibodyProblem>("arnold-13", {{"mu0", friction}}), 1.0, 0.0, 0.0);
    EXPECT_EQ(rest[0].v, 0.0);
    EXPECT_EQ(rest[1].v, 1.0);
    for (const Dual4& component : rest)
      for (const double slope : component.d) EXPECT_EQ(slope, 0.0);
  }
}

// q1(5), v1(5), lambda(5) by the classical Runge-Kutta method in the minimal coordinate, 12 digits.
TEST(Example13, ReferenceFollowsFromTheEquations) {
  const Entry& e = *find_problem("arnold-13");
  const auto p = std::get<MultibodyProblem>(e.problem());
  const Vector x = ordered(e.reference->values, {"q1", "q2", "v1", "v2", "lambda"});
  EXPECT_NEAR(x[0], -0.626097827077, 1e-12);
  EXPECT_NEAR(x[2], 0.688129740950, 1e-12);
  EXPECT_NEAR(x[4], 0.7581969093, 1e-10);
  const Vector q = x.head(2), v = x.segment(2, 2);
  EXPECT_LT(std::abs(position_constraints(p, 5.0, q, v)[0]), 1e-15);
  EXPECT_LT(std::abs(velocity_constraints(p, 5.0, q, v)[0]), 1e-15);
  EXPECT_NEAR(motion(p, 5.0, q, v).lambda[0], x[4], 1e-15);
  EXPECT_NEAR(evaluate(p.invariants.at(0).value, arguments(5.0, q.data(), 2, v.data(), 2), 1)[0],
              1.0, 1e-15);
  // The equations themselves, index 1, 1000 steps: the error is of the size 1e-10.
  Vector y = vec({1.0, -1.0, 0.0, 0.0});
  const auto rate = [&](const Vector& at) {
    Vector r(4);
    r << at.tail(2), motion(p, 0.0, at.head(2), at.tail(2)).acceleration;
    return r;
  };
  const double h = 5e-3;
  for (int n = 0; n < 1000; ++n) {
    const Vector k1 = rate(y), k2 = rate(y + h / 2 * k1), k3 = rate(y + h / 2 * k2),
                 k4 = rate(y + h * k3);
    y += h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  EXPECT_LT(distance(y, x.head(4)), 1e-8);
}

// (2.89): w' + alpha w = alpha Theta cos(t/eps) gives the solution of the stabilised system with
// theta = Theta cos(t/eps); its multiplier grows like sqrt(alpha).
TEST(Example14, PerturbedSolutionOfTheStabilisedSystem) {
  const double y10 = 0.5, Theta = 1e-3;
  const auto p = example<SemiExplicitProblem>("arnold-14", {{"y10", y10}});
  for (const double alpha : {1.0, 100.0, 1e4}) {
    const double eps = 1.0 / std::sqrt(alpha), b = eps * eps * alpha * alpha;
    const auto w = [&](double t) {
      return Theta *
             (b / (1.0 + b) * std::cos(t / eps) + eps * alpha / (1.0 + b) * std::sin(t / eps));
    };
    const auto slope = [&](double t) {
      return Theta / eps *
             (-b / (1.0 + b) * std::sin(t / eps) + eps * alpha / (1.0 + b) * std::cos(t / eps));
    };
    for (const double t : {0.0, 0.3, 1.0}) {
      const double y1 = y10 + 0.5 * (w(t) - w(0.0)), rate = 0.5 * slope(t);
      const Vector x = vec({y1, w(t) - y1, rate}), xp = vec({rate, rate, 0.0});
      const Vector r = residual(p, t, x, xp);
      EXPECT_LT(largest(r.head(2)), 1e-15);
      const Vector f = evaluate(p.f, arguments(t, x.data(), 2, x.data() + 2, 1), 2);
      EXPECT_NEAR(f.sum() / alpha + r[2], Theta * std::cos(t / eps), 1e-15);
      // Without the stabilising term w is left instead.
      EXPECT_NEAR(r[2], w(t), 1e-15);
    }
    // Equal for alpha = 1.
    EXPECT_GE(std::abs(0.5 * slope(0.5 * pi * eps)), 0.25 * std::sqrt(alpha) * Theta * (1 - 1e-12));
  }
}

// Figure 2.6, N = 6, L = pi: alpha_i from U' = -f_z g_z^{-1} g_y U, increasing.
TEST(Example16, ModesGrowAndDecayAsStated) {
  const struct {
    double rho;
    std::vector<double> alpha;
  } rows[] = {{0.0, {-13.3646, -0.0801, 4.0053, 4.5262, 5.3601, 5.9878}},
              {-2.0, {-0.1453, 0.5718, 1.5433, 2.7001, 3.4500, 15.2339}}};
  for (const auto& row : rows) {
    const auto p = example<SemiExplicitProblem>("arnold-16", {{"rho", row.rho}});
    Matrix f_v(6, 6), g_u(6, 6), g_v(6, 6);
    const Vector zero = Vector::Zero(6);
    for (int k = 0; k < 6; ++k) {
      const Vector unit = Vector::Unit(6, k);
      f_v.col(k) = evaluate(p.f, arguments(0.0, zero.data(), 6, unit.data(), 6), 6);
      g_v.col(k) = evaluate(p.g, arguments(0.0, zero.data(), 6, unit.data(), 6), 6);
      g_u.col(k) = evaluate(p.g, arguments(0.0, unit.data(), 6, zero.data(), 6), 6);
    }
    const Matrix rate = f_v * PivotedLu(g_v).solve_columns(g_u);  // symmetric: functions of A
    const PencilEigenvalues modes = pencil_eigenvalues(rate, Matrix::Identity(6, 6));
    Vector alpha = modes.alpha.real().cwiseQuotient(modes.beta);
    std::sort(alpha.begin(), alpha.end());
    for (int i = 0; i < 6; ++i)
      EXPECT_NEAR(alpha[i], row.alpha[static_cast<std::size_t>(i)], 5e-5) << row.rho;
  }
  // What is put into the second mode grows by exp(-alpha_2), alpha_2 = -13.3646 (rho = 0).
  const Entry& e = *find_problem("arnold-16");
  const auto second = [&](double t) {
    return Vector(exact(e, t, {{"second", 1.0}}) - exact(e, t, {})).cwiseAbs().maxCoeff();
  };
  EXPECT_NEAR(std::log(second(1.0) / second(0.0)), 13.3646, 5e-5);
}

// y1 - y2 is conserved, f_z = (1, 1) everywhere: one point of the parabola, whatever z.
TEST(Example18, DifferenceIsConserved) {
  const auto p = example<SemiExplicitProblem>("arnold-18");
  Random random(4);
  for (int i = 0; i < 3; ++i) {
    const Vector y = random.vector(2), z = random.vector(1);
    const Vector f = evaluate(p.f, arguments(0.0, y.data(), 2, z.data(), 1), 2);
    EXPECT_EQ(f[0], f[1]);
    EXPECT_EQ(f[0], z[0]);
  }
  // Example 10 has the same constraint and another direction.
  const auto other = example<SemiExplicitProblem>("arnold-10");
  const Vector y = random.vector(2), z = random.vector(1);
  EXPECT_EQ(evaluate(p.g, arguments(0.0, y.data(), 2), 1),
            evaluate(other.g, arguments(0.0, y.data(), 2), 1));
  const Vector f = evaluate(other.f, arguments(0.0, y.data(), 2, z.data(), 1), 2);
  EXPECT_NE(f[0], f[1]);
}

// F + gamma_x^T eta = 0 and gamma = 0 hold for a second solution, with eta = 1/2 and not -1/2; with
// the multiplier kept out of the side condition they do not.
TEST(Example19, ExtendedSystemHasASecondSolution) {
  const auto p = example<ImplicitProblem>("arnold-19", {{"reduced", 1.0}});
  ASSERT_EQ(p.extra_count, 1);
  EXPECT_EQ(p.side_equations, std::vector<int>{2});
  EXPECT_EQ(p.side_variables, std::vector<int>{2});
  for (const double t : {0.25, 1.0}) {
    const double s = std::sqrt(t);
    const Vector x = vec({-t / 2.0, -t / 2.0, s, 0.0}), xp = vec({-0.5, -0.5, 0.5 / s, 0.0});
    EXPECT_EQ(evaluate(p.extra_constraints, arguments(t, x.data(), 4), 1)[0], 0.0);
    const Vector F = residual(p, t, x, xp), gamma_x = vec({1.0, 1.0, 2.0 * s, 0.0});
    EXPECT_LT(largest(F + 0.5 * gamma_x), 1e-15);
    EXPECT_GT(largest(F - 0.5 * gamma_x), 0.9);
    const Vector corrected = vec({1.0, 1.0, 0.0, 0.0});
    EXPECT_NEAR(largest(F + 0.5 * corrected), s, 1e-15);
  }
}

// An implicit Euler step to the opposite point with z = -1/h, not 1/h.
TEST(TwoBranch, EulerStepHasASecondSolution) {
  const Problem problem = find_problem("two-branch")->problem();
  const double h = 0.01;
  const Vector x = variables_of(problem).start;
  const auto left = [&](double z) {
    const Vector next = vec({-x[0], -x[1], z});
    return largest(residual(problem, h, next, (next - x) / h));
  };
  EXPECT_LT(left(-1.0 / h), 1e-13);
  EXPECT_GT(left(1.0 / h), 100.0);
}

// Reference of the contact model: motion in s alone, then all equations at the end.
TEST(ToyContact, ReferenceFollowsFromTheEquations) {
  const Entry& e = *find_problem("toy-contact");
  const Problem problem = e.problem();
  const auto acceleration = [](double s, double w) {
    const double a = 1.0 + 0.9 * s * s, m = a * a + 4.0 * s * s, m_s = 3.6 * a * s + 8.0 * s;
    return (-2.0 * s - 0.5 * m_s * w * w) / m;
  };
  double s = 1.0, w = 0.0;
  const double h = 1e-3;
  for (int n = 0; n < 2000; ++n) {
    const double a1 = acceleration(s, w), w2 = w + h / 2 * a1, a2 = acceleration(s + h / 2 * w, w2),
                 w3 = w + h / 2 * a2, a3 = acceleration(s + h / 2 * w2, w3), w4 = w + h * a3,
                 a4 = acceleration(s + h * w3, w4);
    s += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  const Vector x = ordered(e.reference->values, variables_of(problem).names);
  const auto at = [&](const char* name) { return ordered(e.reference->values, {name})[0]; };
  EXPECT_NEAR(at("s"), s, 1e-11);
  EXPECT_NEAR(at("v2"), -2.0 * s * w, 1e-11);
  // q'' from the reference's own s and v2 = -2 s s'.
  const double sr = at("s"), wr = at("v2") / (-2.0 * sr), ar = acceleration(sr, wr);
  const double v1_rate = (1.0 + 0.9 * sr * sr) * ar + 1.8 * sr * wr * wr;
  const double v2_rate = -2.0 * (wr * wr + sr * ar);
  const auto left = [&](const Vector& state) {
    return largest(
        residual(problem, 2.0, state, vec({state[2], state[3], v1_rate, v2_rate, 0.0, 0.0})));
  };
  EXPECT_LT(left(x), 1e-14);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (i == 2 || i == 3) continue;  // q' = v is what their rows say
    EXPECT_GT(left(x + 1e-6 * Vector::Unit(x.size(), i)), 1e-7) << i;
  }
}

}  // namespace
}  // namespace daedalus::catalogue_test::arnold_theory_test
