// SPDX-License-Identifier: BSD-3-Clause
// Misuse is refused before the first step by an InvalidArgument that names field, value and remedy.
#include "failure/support.hpp"

namespace daedalus {
namespace {

using namespace failure_test;

template <class P, class Change>
Problem with(P p, Change&& change) {
  change(p);
  return p;
}

TEST(WrongSizes, OfImplicitProblems) {
  using P = ImplicitProblem;
  const P p = implicit_decay();
  refused(with(p, [](P& x) { x.residual = {}; }), {"implicit decay", "residual", "missing"});
  refused(with(p, [](P& x) { x.y0 = VectorXd(); }), {"y0", "empty"});
  refused(with(p, [](P& x) { x.yp0 = vec({1.0}); }), {"yp0", "1", "2"});
  refused(with(p, [](P& x) { x.y0[1] = nan; }), {"y0", "entry 2", "nan"});
  refused(with(p, [](P& x) { x.yp0[0] = infinity; }), {"yp0", "inf"});
  refused(with(p, [](P& x) { x.leading_count = 1, x.yp0 = VectorXd(); }), {"leading"});
  refused(with(p,
               [](P& x) {
                 x.leading_count = 3;
                 x.yp0 = VectorXd();
               }),
          {"leading"});
  refused(with(p, [](P& x) { x.variable_index = {1}; }), {"variable_index", "1", "2"});
  refused(with(p, [](P& x) { x.variable_index = {1, 7}; }), {"variable_index", "7"});
  refused(with(p, [](P& x) { x.index = 9; }), {"index", "9"});
  refused(with(p, [](P& x) { x.variables = {"a"}; }), {"variables"});
  refused(with(p, [](P& x) { x.variables = {"a", "a"}; }), {"'a'", "twice"});
  refused(with(p, [](P& x) { x.equations = {"a", "b", "c"}; }), {"equations", "3"});
  refused(with(p, [](P& x) { x.jacobian_y = [](double, In, In, MatrixOut J) { J.setZero(); }; }),
          {"jacobian_y", "jacobian_yp"});
  refused(with(p, [](P& x) { x.initial_equation_count = 1; }), {"initial_equations"});
  refused(with(p, [](P& x) { x.initial_equation_count = -1; }), {"initial_equation_count"});
  refused(with(p, [](P& x) { x.parameters = {{"k", nan}}; }), {"parameters", "'k'"});
  refused(with(p, [](P& x) { x.parameters = {{"k", 1.0}, {"k", 2.0}}; }), {"'k'", "twice"});
}

TEST(WrongSizes, OfMassMatrixProblems) {
  using P = MassMatrixProblem;
  const P p = mass_decay();
  refused(with(p, [](P& x) { x.rhs = {}; }), {"rhs", "missing"});
  refused(with(p, [](P& x) { x.y0 = VectorXd(); }), {"y0"});
  refused(with(p,
               [](P& x) {
                 x.y0 = vec({1.0, 2.0, 3.0});
                 x.rhs = [](double, In y, Out f) { f = y; };
               }),
          {"mass_matrix", "2 x 2", "3 x 3"});
  refused(with(p, [](P& x) { x.mass = [](double, In, MatrixOut M) { M.setIdentity(); }; }),
          {"mass", "mass_matrix"});
  refused(with(p, [](P& x) { x.y0[0] = nan; }), {"y0", "entry 1"});
  refused(with(p, [](P& x) { x.mass_matrix.coeffRef(0, 0) = nan; }), {"mass_matrix", "nan"});
  refused(with(p, [](P& x) { x.variables = {"a", "b", "c"}; }), {"variables", "3", "2"});
}

TEST(WrongSizes, OfSemiExplicitProblems) {
  using P = SemiExplicitProblem;
  const P p = decay();
  refused(with(p, [](P& x) { x.f = {}; }), {"f", "missing"});
  refused(with(p, [](P& x) { x.g = {}; }), {"g", "z0"});
  refused(with(p, [](P& x) { x.z0 = VectorXd(); }), {"g", "z0"});
  refused(with(p, [](P& x) { x.z0[0] = nan; }), {"z0", "entry 1"});
  refused(with(p, [](P& x) { x.hessenberg_blocks = {2}; }), {"hessenberg_blocks", "2", "1"});
  refused(with(p, [](P& x) { x.hessenberg_blocks = {0, 1}; }), {"hessenberg_blocks", "0"});
  refused(with(p, [](P& x) { x.y_names = {"a"}, x.z_names = {"a"}; }), {"'a'", "twice"});
  refused(with(p, [](P& x) { x.equations = {"a"}; }), {"equations"});
}

TEST(WrongSizes, OfMultibodyProblems) {
  using P = MultibodyProblem;
  const P p = pendulum();
  refused(with(p, [](P& x) { x.space = Space(); }), {"space"});
  refused(with(p, [](P& x) { x.q0 = vec({1.0}); }), {"q0", "1", "2"});
  refused(with(p, [](P& x) { x.v0 = vec({1.0, 2.0, 3.0}); }), {"v0", "3", "2"});
  refused(with(p, [](P& x) { x.lambda0 = vec({1.0, 2.0}); }), {"lambda0", "2", "1"});
  refused(with(p, [](P& x) { x.c0 = vec({1.0}); }), {"c0"});
  refused(with(p, [](P& x) { x.s0 = vec({1.0}); }), {"s0"});
  refused(with(p, [](P& x) { x.v0[1] = nan; }), {"v0", "entry 2"});
  refused(with(p, [](P& x) { x.constraint_count = 0; }), {"constraint"});
  refused(with(p, [](P& x) { x.constraint_count = 3; }), {"constraint_count", "3", "2"});
  refused(with(p, [](P& x) { x.constraint_count = -1; }), {"constraint_count", "-1"});
  refused(with(p, [](P& x) { x.nonholonomic_count = 1; }), {"nonholonomic_matrix"});
  refused(with(p, [](P& x) { x.dynamic_count = 1; }), {"dynamics"});
  refused(with(p, [](P& x) { x.contact_count = 1; }), {"contact"});
  refused(with(p, [](P& x) { x.force = {}; }), {"force", "missing"});
  refused(with(p,
               [](P& x) {
                 x.velocity_count = 3;
                 x.v0 = vec({0, 0, 0});
               }),
          {"velocity_count", "kinematics"});
  refused(with(p, [](P& x) { x.q_names = {"a"}; }), {"q_names"});
  refused(with(p, [](P& x) { x.q_names = {"a", "b"}, x.v_names = {"b", "c"}; }), {"'b'", "twice"});
  // A name that collides with one the library would give: two variables of one name otherwise.
  refused(with(p, [](P& x) { x.q_names = {"v1", "b"}; }), {"'v1'"});
  refused(with(p,
               [](P& x) {
                 x.space = so3_space();
                 x.q0 = VectorXd::Zero(9);
                 x.v0 = VectorXd::Zero(3);
                 x.kinematics = [](double, In, MatrixOut T) { T.setIdentity(); };
               }),
          {"kinematics", "Euclidean"});
}

// A start value off the group is no rotation at all.
TEST(WrongSizes, APointOffTheGroupIsRefused) {
  MultibodyProblem p;
  p.name = "top";
  p.space = so3_space();
  p.force = [](double, In, In, Out f) { f.setZero(); };
  p.q0 = VectorXd::Zero(9);
  p.v0 = VectorXd::Zero(3);
  refused(p, {"q0"});
}

TEST(Writing, ToTooFewEntriesIsFoundAndNamed) {
  refused(with(decay(), [](SemiExplicitProblem& p) { p.f = [](double, In, In, Out) {}; }),
          {"f", "entry 1", "unwritten"});
  refused(with(mass_decay(),
               [](MassMatrixProblem& p) { p.rhs = [](double, In, Out f) { f[0] = 1.0; }; }),
          {"rhs", "entry 2 of 2"});
  refused(with(implicit_decay(),
               [](ImplicitProblem& p) { p.residual = [](double, In, In, Out r) { r[1] = 0.0; }; }),
          {"residual", "entry 1"});
  refused(with(pendulum(),
               [](MultibodyProblem& p) {
                 p.constraint_jacobian = [](double, In q, MatrixOut G) { G(0, 0) = q[0]; };
               }),
          {"constraint_jacobian", "(1, 2)"});
  refused(with(pendulum(),
               [](MultibodyProblem& p) {
                 p.mass = [](double, In, MatrixOut M) { M(0, 0) = M(1, 1) = 1.0; };
               }),
          {"mass", "(2, 1)"});
}

TEST(Writing, PastTheOutputIsFoundAndNamed) {
  refused(with(decay(),
               [](SemiExplicitProblem& p) {
                 p.g = [](double, In, In, Out g) { g.data()[0] = 0.0, g.data()[1] = 0.0; };
               }),
          {"g", "outside"});
  refused(with(pendulum(),
               [](MultibodyProblem& p) {
                 p.force = [](double, In, In, Out f) { f.setZero(), f.data()[-1] = 1.0; };
               }),
          {"force", "outside"});
}

TEST(BadOptions, EachFieldIsNamed) {
  const auto bad = [](auto&& change, std::initializer_list<const char*> words) {
    Options o;
    o.method = "rodas4";
    change(o);
    refused(decay(), {0.0, 1.0}, o, words);
  };
  using O = Options;
  bad([](O& o) { o.rtol = -1.0; }, {"rtol", "-1"});
  bad([](O& o) { o.rtol = nan; }, {"rtol", "nan"});
  bad([](O& o) { o.atol = -1e-6; }, {"atol"});
  bad([](O& o) { o.atol = {1e-6, 1e-6, 1e-6}; }, {"atol", "3", "2"});
  bad([](O& o) { o.atol = VectorXd(); }, {"atol"});
  bad([](O& o) { o.rtol = 0.0, o.atol = 0.0; }, {"atol", "rtol"});
  bad([](O& o) { o.initial_step = -0.1; }, {"initial_step", "-0.1"});
  bad([](O& o) { o.max_step = nan; }, {"max_step"});
  bad([](O& o) { o.min_step = -1.0; }, {"min_step"});
  bad([](O& o) { o.min_step = 1.0, o.max_step = 0.1; }, {"min_step", "max_step"});
  bad([](O& o) { o.max_steps = 0; }, {"max_steps", "0"});
  bad([](O& o) { o.fixed_step = -0.1; }, {"fixed_step"});
  bad([](O& o) { o.step_sequence = {0.1, 0.0}; }, {"step_sequence", "0"});
  bad([](O& o) { o.step_sequence = {-0.1}; }, {"step_sequence"});
  bad([](O& o) { o.safety = 1.5; }, {"safety", "1.5"});
  bad([](O& o) { o.safety = nan; }, {"safety", "nan"});
  bad([](O& o) { o.project_output = true; }, {"project_output", "output_times"});
  bad([](O& o) { o.min_ratio = 1.0; }, {"least_ratio", "1"});
  bad([](O& o) { o.linear_algebra = LinearAlgebra::null_space; },
      {"linear_algebra", "null-space", "multibody"});
  bad([](O& o) { o.max_ratio = 0.5; }, {"largest_ratio", "0.5"});
  bad([](O& o) { o.stabilisation = -0.1; }, {"stabilisation", "-0.1"});
  bad([](O& o) { o.untested = {"q"}; }, {"untested", "'q'"});
  bad([](O& o) { o.fixed = {"zz"}; }, {"fixed", "'zz'"});
  bad([](O& o) { o.events = {{"no function", {}}}; }, {"events", "no function"});
  bad(
      [](O& o) {
        o.events = {
            {"x", [](const StateView&) { return 1.0; }, Crossing::any, EventAction::handle, {}}};
      },
      {"events", "'x'", "handler"});
  bad([](O& o) { o.method_options = {{"stages", 3.0}}; }, {"method_options", "stages"});
  bad([](O& o) { o.output = Output::times, o.output_times = {nan}; }, {"output_times"});
  bad([](O& o) { o.output = Output::times, o.output_times = {0.5, 0.2}; }, {"output_times"});
  bad([](O& o) { o.output = Output::times, o.output_times = {2.0}; }, {"output_times", "2"});
}

TEST(BadOptions, NamesGetTheNearestSuggested) {
  refused(decay(), {0.0, 1.0}, options("half-explicit-eulr"),
          {"method", "'half-explicit-eulr'", "half-explicit-euler"});
  refused(decay(), {0.0, 1.0}, options("implicit-eular"), {"implicit-euler"});
  refused(pendulum(), {0.0, 1.0}, options("auto", 0.0, "indx1"), {"formulation", "index1"});
  Options o;
  o.control = "elementry";
  refused(decay(), {0.0, 1.0}, o, {"control", "elementary"});
  o = {};
  o.untested = {"z2"};
  refused(decay(), {0.0, 1.0}, o, {"untested", "z1"});
}

TEST(BadOptions, AMethodThatDoesNotFitSaysWhy) {
  SemiExplicitProblem p = decay();
  p.hessenberg_blocks = {1};
  refused(p, {0.0, 1.0}, options("rodas4"), {"rodas4", "index 1", "index 2"});
  refused(decay(), {0.0, 1.0}, options("rk4"), {"rk4", "multibody"});
  refused(pendulum(), {0.0, 1.0}, options("rodas4", 0.0, "index3"), {"rodas4", "index"});
  refused(pendulum(), {0.0, 1.0}, options("half-explicit-euler"), {"fixed_step"});
  refused(decay(), {0.0, 1.0}, options("rodas4", 0.0, "index1"), {"formulation", "multibody"});
  refused(implicit_decay(), {0.0, 1.0}, options("rodas4"), {"rodas4", "implicit"});
  // Two wrong things: one of them is named.
  Options both = options("no such method");
  both.rtol = -1.0;
  refused(decay(), {0.0, 1.0}, both, {});
}

}  // namespace
}  // namespace daedalus
