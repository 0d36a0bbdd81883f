// SPDX-License-Identifier: BSD-3-Clause
// Every kind of callable in every form gives NaN, infinity or an exception, at the start and later:
// the status and the message say which one and where, and the run keeps what was good.
#include "failure/support.hpp"

namespace daedalus {
namespace {

using namespace failure_test;

enum class Fault { nan, infinity, exception, other, reject };

// Methods call a Jacobian only when they need a new one: whether the fault was met at all.
bool met = false;

// Does what the fault says once t has passed `from`; returns Eval for rejections.
template <class Out>
Eval strike(Fault fault, double t, double from, Out&& out) {
  if (!(t >= from)) return Eval::ok;
  met = true;
  switch (fault) {
    case Fault::nan:
      out(0) = nan;
      return Eval::ok;
    case Fault::infinity:
      out(0) = -infinity;
      return Eval::ok;
    case Fault::exception:
      throw std::runtime_error("sensor unplugged");
    case Fault::other:
      throw 42;
    case Fault::reject:
      return Eval::reject;
  }
  return Eval::ok;
}

struct Case {
  const char* callable;  // the name the message must contain
  const char* method;
  const char* formulation;
  double step;
  Problem (*build)(Fault, double from);
};

Problem implicit_residual(Fault fault, double from) {
  ImplicitProblem p = implicit_decay();
  p.residual = [=](double t, In y, In yp, Out r) {
    r << yp[0] + y[0], y[1] - y[0];
    return strike(fault, t, from, r);
  };
  return p;
}
Problem implicit_leading(Fault fault, double from) {
  ImplicitProblem p = implicit_decay();
  p.leading_count = 1;
  p.yp0 = vec({-1.0});
  p.leading = [=](double t, In y, Out d) {
    d[0] = y[0];
    return strike(fault, t, from, d);
  };
  return p;
}
Problem implicit_jacobian(Fault fault, double from) {
  ImplicitProblem p = implicit_decay();
  p.jacobian_yp = [](double, In, In, MatrixOut J) { J << 1.0, 0.0, 0.0, 0.0; };
  p.jacobian_y = [=](double t, In, In, MatrixOut J) {
    J << 1.0, 0.0, -1.0, 1.0;
    return strike(fault, t, from, J);
  };
  return p;
}
Problem mass_rhs(Fault fault, double from) {
  MassMatrixProblem p = mass_decay();
  p.rhs = [=](double t, In y, Out f) {
    f << -y[0], -2.0 * y[1];
    return strike(fault, t, from, f);
  };
  return p;
}
Problem mass_mass(Fault fault, double from) {
  MassMatrixProblem p = mass_decay();
  p.mass_matrix = SparseMatrix();
  p.mass = [=](double t, In, MatrixOut M) {
    M << 1.0 + t, 0.0, 0.0, 1.0;
    return strike(fault, t, from, M);
  };
  return p;
}
Problem mass_jacobian(Fault fault, double from) {
  MassMatrixProblem p = mass_decay();
  p.jacobian = [=](double t, In, MatrixOut J) {
    J << -1.0, 0.0, 0.0, -2.0;
    return strike(fault, t, from, J);
  };
  return p;
}
Problem semi_f(Fault fault, double from) {
  SemiExplicitProblem p = decay();
  p.f = [=](double t, In, In z, Out f) {
    f[0] = -z[0];
    return strike(fault, t, from, f);
  };
  return p;
}
Problem semi_g(Fault fault, double from) {
  SemiExplicitProblem p = decay();
  p.g = [=](double t, In y, In z, Out g) {
    g[0] = z[0] - y[0];
    return strike(fault, t, from, g);
  };
  return p;
}
Problem body_mass(Fault fault, double from) {
  MultibodyProblem p = pendulum();
  p.mass = [=](double t, In, MatrixOut M) {
    M.setIdentity();
    return strike(fault, t, from, M);
  };
  return p;
}
Problem body_force(Fault fault, double from) {
  MultibodyProblem p = pendulum();
  p.force = [=](double t, In, In, Out f) {
    f << 0.0, -9.81;
    return strike(fault, t, from, f);
  };
  return p;
}
Problem body_constraint(Fault fault, double from) {
  MultibodyProblem p = pendulum();
  p.constraint = [=](double t, In q, Out g) {
    g[0] = 0.5 * (q.squaredNorm() - 1.0);
    return strike(fault, t, from, g);
  };
  return p;
}
Problem body_matrix(Fault fault, double from) {
  MultibodyProblem p = pendulum();
  p.constraint_jacobian = [=](double t, In q, MatrixOut G) {
    G = q.transpose();
    return strike(fault, t, from, G);
  };
  return p;
}
Problem body_offset(Fault fault, double from) {
  MultibodyProblem p = pendulum();
  p.constraint_time_derivative = [=](double t, In, Out g) {
    g[0] = 0.0;
    return strike(fault, t, from, g);
  };
  return p;
}
Problem body_curvature(Fault fault, double from) {
  MultibodyProblem p = pendulum();
  p.acceleration_term = [=](double t, In, In v, Out k) {
    k[0] = v.squaredNorm();
    return strike(fault, t, from, k);
  };
  return p;
}
Problem body_kinematics(Fault fault, double from) {
  MultibodyProblem p = pendulum();
  p.kinematics = [=](double t, In, MatrixOut T) {
    T.setIdentity();
    return strike(fault, t, from, T);
  };
  return p;
}
Problem body_dynamics(Fault fault, double from) {
  MultibodyProblem p = pendulum();
  p.dynamic_count = 1;
  p.c0 = vec({0.0});
  p.dynamics = [=](double t, In, In, In c, Out d) {
    d[0] = -c[0];
    return strike(fault, t, from, d);
  };
  return p;
}
Problem body_rows(Fault fault, double from) {
  MultibodyProblem p = pendulum();
  p.constraint_count = 0;
  p.constraint = {};
  p.constraint_jacobian = {};
  p.constraint_time_derivative = {};
  p.acceleration_term = {};
  p.nonholonomic_count = 1;
  p.nonholonomic_matrix = [=](double t, In, MatrixOut A) {
    A << 1.0, 0.0;
    return strike(fault, t, from, A);
  };
  return p;
}
Problem body_row_offset(Fault fault, double from) {
  Problem p = body_rows(Fault::nan, 1e9);
  std::get<MultibodyProblem>(p).nonholonomic_offset = [=](double t, In, Out a) {
    a[0] = 0.0;
    return strike(fault, t, from, a);
  };
  return p;
}

const Case cases[] = {
    {"residual", "implicit-euler", "auto", 0.0, implicit_residual},
    {"leading", "implicit-euler", "auto", 0.01, implicit_leading},
    {"jacobian", "implicit-euler", "auto", 0.0, implicit_jacobian},
    {"rhs", "rodas4", "auto", 0.0, mass_rhs},
    {"rhs", "implicit-euler", "auto", 0.0, mass_rhs},
    {"mass", "implicit-euler", "auto", 0.01, mass_mass},
    {"mass", "rodas4", "auto", 0.0, mass_mass},
    {"jacobian", "rodas4", "auto", 0.0, mass_jacobian},
    {"f", "rodas4", "auto", 0.0, semi_f},
    {"g", "rodas4", "auto", 0.0, semi_g},
    {"g", "implicit-euler", "auto", 0.0, semi_g},
    {"mass", "rk4", "index1", 0.0, body_mass},
    {"mass", "rodas4", "index1", 0.0, body_mass},
    {"force", "rk4", "index1", 0.0, body_force},
    {"force", "rodas4", "index1", 0.0, body_force},
    {"force", "half-explicit-euler", "index2", 0.01, body_force},
    {"force", "implicit-euler", "index3", 0.01, body_force},
    {"constraint", "rk4", "index1", 0.0, body_constraint},
    {"constraint", "implicit-euler", "index3", 0.01, body_constraint},
    {"constraint_jacobian", "rk4", "index1", 0.0, body_matrix},
    {"constraint_jacobian", "half-explicit-euler", "index2", 0.01, body_matrix},
    {"constraint_jacobian", "implicit-euler", "index2", 0.01, body_matrix},
    {"constraint_time_derivative", "half-explicit-euler", "index2", 0.01, body_offset},
    {"constraint_time_derivative", "implicit-euler", "index2", 0.01, body_offset},
    {"acceleration_term", "rk4", "index1", 0.0, body_curvature},
    {"acceleration_term", "rodas4", "index1", 0.0, body_curvature},
    {"kinematics", "rk4", "index1", 0.0, body_kinematics},
    {"dynamics", "rk4", "index1", 0.0, body_dynamics},
    {"dynamics", "half-explicit-euler", "index2", 0.01, body_dynamics},
    {"nonholonomic_matrix", "rk4", "index1", 0.0, body_rows},
    {"nonholonomic_offset", "half-explicit-euler", "index2", 0.01, body_row_offset},
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.callable << " by " << c.method; }

class Callbacks : public ::testing::TestWithParam<Case> {};

// `from` = 0.5 lies in the interval; the last good point comes before it.
void run(const Case& c, Fault fault, double from) {
  SCOPED_TRACE(std::string(c.callable) + " by " + c.method + " " + c.formulation +
               (from > 0.0 ? " later" : " at the start"));
  Options o = options(c.method, c.step, c.formulation);
  o.max_step = 0.05;
  const std::string quoted = std::string("'") + c.callable + "'";
  met = false;
  const Solution s = solve(c.build(fault, from), {0.0, 1.0}, o);
  if (!met) {
    EXPECT_EQ(s.status(), Status::success) << s.message();
    return;
  }
  // A Jacobian is first called at the beginning of the step after the one that passes `from`.
  const bool late = from > 0.0 && std::string(c.callable) == "jacobian";
  good_until(s, std::max(from, 0.0) + (late ? o.max_step : 0.0));
  EXPECT_THAT(s.message(), HasSubstr(quoted));
  EXPECT_THAT(s.message(), HasSubstr("t = "));
  switch (fault) {
    case Fault::nan:
    case Fault::infinity:
      EXPECT_EQ(s.status(), Status::not_finite) << s.message();
      break;
    case Fault::exception:
      EXPECT_EQ(s.status(), Status::callback_failed) << s.message();
      EXPECT_THAT(s.message(), HasSubstr("sensor unplugged"));
      ASSERT_TRUE(s.exception());
      EXPECT_THROW(std::rethrow_exception(s.exception()), std::runtime_error);
      break;
    case Fault::other:
      EXPECT_EQ(s.status(), Status::callback_failed) << s.message();
      ASSERT_TRUE(s.exception());
      EXPECT_THROW(std::rethrow_exception(s.exception()), int);
      break;
    case Fault::reject:
      EXPECT_THAT(s.status(), AnyOf(Status::left_domain, Status::inconsistent_start));
      EXPECT_THAT(s.message(), HasSubstr("reject"));
      break;
  }
  if (from > 0.0) {
    EXPECT_GT(s.end_time(), from - 0.06) << "the good part was not kept: " << s.message();
    EXPECT_GE(s.times().size(), 2u);
  } else {
    EXPECT_EQ(s.end_time(), 0.0);
  }
}

TEST_P(Callbacks, NanAtTheStart) { run(GetParam(), Fault::nan, -1.0); }
TEST_P(Callbacks, NanLater) { run(GetParam(), Fault::nan, 0.5); }
TEST_P(Callbacks, InfinityLater) { run(GetParam(), Fault::infinity, 0.5); }
TEST_P(Callbacks, ExceptionAtTheStart) { run(GetParam(), Fault::exception, -1.0); }
TEST_P(Callbacks, ExceptionLater) { run(GetParam(), Fault::exception, 0.5); }
TEST_P(Callbacks, SomethingElseThrownLater) { run(GetParam(), Fault::other, 0.5); }
TEST_P(Callbacks, SomethingElseThrownAtTheStart) { run(GetParam(), Fault::other, -1.0); }
TEST_P(Callbacks, RejectForever) { run(GetParam(), Fault::reject, 0.5); }
TEST_P(Callbacks, RejectAtTheStart) { run(GetParam(), Fault::reject, -1.0); }

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = std::to_string(info.index) + "_" + info.param.callable + "_" +
                     info.param.method + "_" + info.param.formulation;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(AllCallables, Callbacks, ::testing::ValuesIn(cases), case_name);

}  // namespace
}  // namespace daedalus
