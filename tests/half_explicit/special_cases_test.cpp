// SPDX-License-Identifier: BSD-3-Clause
// Every extension of the multibody form on its own problem: q' = T(q) v, time-dependent
// constraints, singular M, dynamic variables c, contact coordinates s, friction, nonholonomic rows,
// SO(3). All methods of the family are held against their orders in y and lambda; the control of
// each case is the solution without the extension, which a run that ignored it would approach.
#include <Eigen/Geometry>

#include "half_explicit/support.hpp"

namespace daedalus {
namespace {

using namespace half_explicit_test;

constexpr double gravity = 9.81;

struct Special {
  Problem problem;
  double end;
  int steps;                // with which a method of order 4 shows its order
  VectorXd exact, control;  // (q, v, c, s, lambda) at the end
  int multipliers;
};

VectorXd reduced(SemiExplicitProblem p, double end) {
  const Options o{.method = "rodas5p", .rtol = 1e-13, .atol = 1e-13, .output = Output::end};
  return run(p, {0.0, end}, o).end().y();
}

// Order of `method` seen between n and 2 n steps, in y and in lambda; errors of the finer run.
struct Seen {
  double y, lambda, error_y, error_lambda;
};
Seen observe(const Special& c, const char* method, int n) {
  const auto errors = [&](int steps) {
    const Options o{.method = method,
                    .projection = ProjectionWhen::none,
                    .output = Output::end,
                    .fixed_step = c.end / steps};
    const VectorXd e = (run(c.problem, {0.0, c.end}, o).end().y() - c.exact).cwiseAbs();
    const int ny = static_cast<int>(e.size()) - c.multipliers;
    return std::pair(e.head(ny).maxCoeff(), e.tail(c.multipliers).maxCoeff());
  };
  const auto a = errors(n), b = errors(2 * n);
  return {std::log2(a.first / b.first), std::log2(a.second / b.second), b.first, b.second};
}

void check(const Special& c, const char* what) {
  for (const char* name : family) {
    const Method& m = *find_method(name);
    const double order_z = m.orders[VariableClass::lambda];
    // Low orders begin later, high ones meet round-off: three grids, one of which has to show the
    // order or more; all of them errors that shrink.
    const int n = m.order <= 3 ? 4 * c.steps : c.steps;
    double best_y = 0.0, best_z = 0.0;
    for (const int grid : {n, 2 * n, 4 * n}) {
      const Seen seen = observe(c, name, grid);
      if (seen.error_y > 1e-12 || grid == n) best_y = std::max(best_y, seen.y);
      if (seen.error_lambda > 1e-9 || grid == n) best_z = std::max(best_z, seen.lambda);
      if (grid != 4 * n) continue;
      EXPECT_LT(seen.error_y, 1e-3) << what << ", " << name;
      // The control is far away in the same measure.
      EXPECT_GT((c.exact - c.control).cwiseAbs().maxCoeff(), 20.0 * seen.error_y)
          << what << ", " << name;
    }
    EXPECT_GT(best_y, m.order - 0.3) << what << ", " << name;
    EXPECT_GT(best_z, order_z - 0.3) << what << ", " << name;
  }
}

const auto down = autodiff([](const auto&, const auto&, const auto&, auto& f) {
  f[0] = 0.0;
  f[1] = -gravity;
});

// The pendulum with q = (r, phi), v Cartesian, g = r - 1.
TEST(HalfExplicitForms, KinematicMatrix) {
  MultibodyProblem p;
  p.name = "polar pendulum";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.force = down;
  p.kinematics = autodiff([](const auto&, const auto& q, auto& T) {
    using std::cos, std::sin;
    T(0, 0) = cos(q[1]);
    T(0, 1) = sin(q[1]);
    T(1, 0) = -sin(q[1]) / q[0];
    T(1, 1) = cos(q[1]) / q[0];
  });
  p.constraint = autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[0] - 1.0; });
  p.q0 = vec({1.0, 0.0});
  p.v0 = vec({0.0, 0.5});
  SemiExplicitProblem r;
  r.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
    using std::cos;
    f[0] = y[1];
    f[1] = -gravity * cos(y[0]);
  });
  r.y0 = vec({0.0, 0.5});
  const VectorXd y = reduced(r, 0.5);
  const double phi = y[0], w = y[1];
  // v' . e_r = -w^2 = -g sin(phi) - lambda.
  const Special c{
      p, 0.5, 16,
      vec({1.0, phi, -std::sin(phi) * w, std::cos(phi) * w, w * w - gravity * std::sin(phi)}),
      // T = 1: r stays, phi' is v_2 and v_2' = -g.
      vec({1.0, 0.25 - 0.5 * gravity * 0.25, 0.0, 0.5 - 0.5 * gravity, 0.0}), 1};
  check(c, "T(q)");
}

// A bead on the parabola y = x^2 / 2 + rise t^2.
Special rheonomic(double rise) {
  MultibodyProblem p;
  p.name = "moving parabola";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.force = down;
  p.constraint = autodiff([rise](const auto& t, const auto& q, auto& g) {
    g[0] = q[1] - 0.5 * q[0] * q[0] - rise * t * t;
  });
  p.q0 = vec({1.0, 0.5});
  p.v0 = vec({0.3, 0.3});
  const auto state = [&](double up) {
    SemiExplicitProblem r;
    r.f = autodiff([up](const auto&, const auto& y, const auto&, auto& f) {
      f[0] = y[1];
      f[1] = -(y[0] * y[1] * y[1] + (gravity + 2.0 * up) * y[0]) / (1.0 + y[0] * y[0]);
    });
    r.y0 = vec({1.0, 0.3});
    const VectorXd y = reduced(r, 1.0);
    const double a = -(y[0] * y[1] * y[1] + (gravity + 2.0 * up) * y[0]) / (1.0 + y[0] * y[0]);
    return vec({y[0], 0.5 * y[0] * y[0] + up, y[1], y[0] * y[1] + 2.0 * up,
                -(gravity + y[1] * y[1] + y[0] * a + 2.0 * up)});
  };
  return {p, 1.0, 32, state(rise), state(0.0), 1};
}

TEST(HalfExplicitForms, TimeDependentConstraint) { check(rheonomic(0.4), "g_t"); }

// The same bead touching the curve at the foot point s: h = (q - gamma(s)) . gamma'(s) = 0,
// g = (q - gamma(s)) . n(s) (Arnold 1998, Remark 29).
TEST(HalfExplicitForms, ContactCoordinates) {
  Special c = rheonomic(0.4);
  auto& p = std::get<MultibodyProblem>(c.problem);
  p.contact_count = 1;
  p.contact = autodiff([](const auto& t, const auto& q, const auto& s, auto& h) {
    h[0] = (q[0] - s[0]) + (q[1] - 0.5 * s[0] * s[0] - 0.4 * t * t) * s[0];
  });
  p.constraint = autodiff([](const auto& t, const auto& q, const auto& s, auto& g) {
    g[0] = -s[0] * (q[0] - s[0]) + (q[1] - 0.5 * s[0] * s[0] - 0.4 * t * t);
  });
  p.s0 = vec({0.95});
  const auto with_s = [](const VectorXd& x, double s) {
    return vec({x[0], x[1], x[2], x[3], s, x[4]});
  };
  // The control keeps s at its first value.
  c.control = with_s(c.exact, 1.0);
  c.exact = with_s(c.exact, c.exact[0]);
  check(c, "s");
}

// M = diag(1, 0), g = w - x^2, a spring -w on the massless coordinate: lambda = -w and
// x'' = 2 x lambda = -2 x^3.
TEST(HalfExplicitForms, SingularMassMatrix) {
  MultibodyProblem p;
  p.name = "massless coordinate";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.mass = autodiff([](const auto&, const auto&, auto& M) {
    M(0, 0) = 1.0;
    M(0, 1) = M(1, 0) = M(1, 1) = 0.0;
  });
  p.force = autodiff([](const auto&, const auto& q, const auto&, auto& f) {
    f[0] = 0.0;
    f[1] = -q[1];
  });
  p.constraint = autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[1] - q[0] * q[0]; });
  p.q0 = vec({1.0, 1.0});
  p.v0 = vec({0.2, 0.4});
  SemiExplicitProblem r;
  r.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
    f[0] = y[1];
    f[1] = -2.0 * y[0] * y[0] * y[0];
  });
  r.y0 = vec({1.0, 0.2});
  const VectorXd y = reduced(r, 1.0);
  const double w = y[0] * y[0];
  check({p, 1.0, 16, vec({y[0], w, y[1], 2.0 * y[0] * y[1], -w}), vec({1.2, 1.44, 0.2, 0.48, 0.0}),
         1},  // without force on x
        "singular M");
}

// A bead on y = x^2 / 2 pushed by c1' = (sin t - c1) / 0.2; c2' = lambda.
TEST(HalfExplicitForms, DynamicVariables) {
  MultibodyProblem p;
  p.name = "actuated bead";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.dynamic_count = 2;
  p.force = autodiff([](const auto& x, auto& f) {
    f[0] = x.c[0];
    f[1] = -gravity + 0.0 * x.v[0];
  });
  p.constraint =
      autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[1] - 0.5 * q[0] * q[0]; });
  p.dynamics = autodiff(
      [](const auto& t, const auto&, const auto&, const auto& c, const auto& lambda, auto& d) {
        using std::sin;
        d[0] = (sin(t) - c[0]) / 0.2;
        d[1] = lambda[0];
      });
  p.q0 = vec({0.5, 0.125});
  p.v0 = vec({0.0, 0.0});
  p.c0 = vec({0.3, 0.0});
  SemiExplicitProblem r;
  r.f = autodiff([](const auto& time, const auto& y, const auto&, auto& f) {
    using std::sin;
    const auto a = (y[2] - y[0] * y[1] * y[1] - gravity * y[0]) / (1.0 + y[0] * y[0]);
    f[0] = y[1];
    f[1] = a;
    f[2] = (sin(time) - y[2]) / 0.2;
    f[3] = -(gravity + y[1] * y[1] + y[0] * a);
  });
  r.y0 = vec({0.5, 0.0, 0.3, 0.0});
  const VectorXd y = reduced(r, 1.0);
  const double a = (y[2] - y[0] * y[1] * y[1] - gravity * y[0]) / (1.0 + y[0] * y[0]);
  const VectorXd exact = vec({y[0], 0.5 * y[0] * y[0], y[1], y[0] * y[1], y[2], y[3],
                              -(gravity + y[1] * y[1] + y[0] * a)});
  VectorXd control = exact;
  control[4] = 0.3;
  control[5] = 0.0;
  check({p, 1.0, 32, exact, control, 1}, "c");
}

// A bead on y = x^2/2, moving to the right under the given force.
template <class Force>
MultibodyProblem sliding_bead(Force force) {
  MultibodyProblem p;
  p.name = "friction";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.force = autodiff(force);
  p.constraint =
      autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[1] - 0.5 * q[0] * q[0]; });
  p.q0 = vec({-1.0, 0.5});
  p.v0 = vec({std::sqrt(0.5) * 2.0, -std::sqrt(0.5) * 2.0});
  return p;
}

// Coulomb friction: normal force -lambda (-x, 1), friction mu lambda (1, x).
MultibodyProblem rubbing_bead(double mu) {
  return sliding_bead([mu](const auto&, const auto& q, const auto&, const auto& lambda, auto& f) {
    f[0] = mu * lambda[0];
    f[1] = -gravity + mu * lambda[0] * q[0];
  });
}

// Along the curve, tan(th) = x: v' = -g sin(th) - mu N, N = g cos(th) + kappa v^2.
TEST(HalfExplicitForms, ForcesThatDependOnLambda) {
  constexpr double mu = 0.3;
  const auto state = [](double friction) {
    SemiExplicitProblem r;
    r.f = autodiff([friction](const auto&, const auto& y, const auto&, auto& f) {
      using std::sqrt;
      const auto w = sqrt(1.0 + y[0] * y[0]);
      f[0] = y[1] / w;
      f[1] = -gravity * y[0] / w - friction * (gravity / w + y[1] * y[1] / (w * w * w));
    });
    r.y0 = vec({-1.0, 2.0});
    const VectorXd y = reduced(r, 0.5);
    const double x = y[0], v = y[1], w = std::sqrt(1.0 + x * x);
    return vec({x, 0.5 * x * x, v / w, x * v / w, -(gravity / w + v * v / (w * w * w)) / w});
  };
  check({rubbing_bead(mu), 0.5, 24, state(mu), state(0.0), 1}, "friction");
  // One Newton iteration at least per stage, and a converged one: lambda to round-off is what makes
  // the constraint hold.
  const Options o{.method = "hedop5",
                  .projection = ProjectionWhen::none,
                  .output = Output::end,
                  .fixed_step = 0.5 / 48};
  const Solution s = run(rubbing_bead(mu), {0.0, 0.5}, o);
  EXPECT_GE(counts(s, Phase::step).newton_iterations, 6 * 48);
  EXPECT_LT(s.statistics().velocity_residual, 1e-13);
}

// Derivatives by lambda and factorisations are what a stage with friction costs: one of each serves
// all its iterations, as the one factorisation of a stage without friction does. A derivative in
// every iteration would be twice as many: the second confirms the first.
TEST(HalfExplicitForms, OneDerivativeByLambdaPerStage) {
  const MultibodyProblem smooth = sliding_bead(
      [](const auto&, const auto&, const auto&, auto& f) { f[0] = 0.0, f[1] = -gravity; });
  const MultibodyProblem rough = rubbing_bead(0.3);
  for (const char* method : family) {
    const Options o{.method = method,
                    .projection = ProjectionWhen::none,
                    .output = Output::end,
                    .fixed_step = 0.5 / 48};
    const long stages = counts(run(smooth, {0.0, 0.5}, o), Phase::step).factorisations;
    const Solution s = run(rough, {0.0, 0.5}, o);
    const Counts& n = counts(s, Phase::step);
    ASSERT_GE(stages, 48) << method;
    EXPECT_EQ(n.jacobian_evaluations, stages) << method;
    EXPECT_EQ(n.factorisations, stages) << method;
    EXPECT_GE(n.newton_iterations, 2 * stages) << method;
  }
}

TEST(HalfExplicitForms, NonholonomicConstraints) {
  const problems::Entry& e = *problems::find_problem("knife-edge");
  const Problem p = e.problem();
  const double end = 1.0;
  const Variables v = run(p, {0.0, 0.0}, {.method = "hedop5"}).variables();
  VectorXd exact(v.size());
  for (const auto& [name, value] : e.exact(end, {})) exact[v.find(name)] = value;
  VectorXd control(v.size());
  for (const auto& [name, value] : e.exact(0.0, {})) control[v.find(name)] = value;
  check({p, end, 16, exact, control, v.range_of(VariableClass::lambda)->count}, "nonholonomic");
}

// A body on SO(3) whose third axis keeps its inclination; compared with the classical Runge-Kutta
// method in the index-1 form on a fine grid.
TEST(HalfExplicitForms, RotationGroup) {
  MultibodyProblem p;
  p.name = "guided body";
  p.space = so3_space();
  p.constraint_count = 1;
  p.mass = autodiff([](const auto&, const auto&, auto& M) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) M(i, j) = i == j ? 1.0 + 0.5 * i : 0.0;
  });
  p.force = autodiff([](const auto& t, const auto& q, const auto& w, auto& f) {
    using std::sin;
    f[0] = (1.5 - 2.0) * w[1] * w[2] + 2.0 * q[5];
    f[1] = (2.0 - 1.0) * w[2] * w[0] - 2.0 * q[2];
    f[2] = (1.0 - 1.5) * w[0] * w[1] + sin(3.0 * t);
  });
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(1.2, Eigen::Vector3d(1.0, 2.0, -1.0).normalized()).toRotationMatrix();
  const double level = R(2, 2);
  p.constraint = autodiff([level](const auto&, const auto& q, auto& g) { g[0] = q[8] - level; });
  p.q0 = Eigen::Map<const VectorXd>(R.data(), 9);
  const Eigen::Vector3d row(-R(2, 1), R(2, 0), 0.0), w(0.7, -1.1, 0.9);
  p.v0 = w - row * (row.dot(w) / row.squaredNorm());
  const auto fine = [](const MultibodyProblem& body) -> VectorXd {
    const Options o{.method = "rk4",
                    .projection = ProjectionWhen::none,
                    .output = Output::end,
                    .fixed_step = 1.0 / 4096};
    return run(body, {0.0, 1.0}, o).end().y();
  };
  // Without the constraint the axis leaves its inclination.
  MultibodyProblem free = p;
  free.constraint_count = 0;
  free.constraint = {};
  VectorXd control = VectorXd::Zero(13);
  control.head(12) = fine(free);
  check({p, 1.0, 8, fine(p), control, 1}, "SO(3)");
}

}  // namespace
}  // namespace daedalus
