// SPDX-License-Identifier: BSD-3-Clause
// Digits of positions and velocities by method at a tolerance, and all methods and formulations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <daedalus/formulation.hpp>
#include <daedalus/mechanism/run.hpp>
#include <daedalus/mechanism_file.hpp>
#include <daedalus/method.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::mechanism_accuracy_test {
namespace {

MechanismFile file_of(const std::string& name) {
  return read_mechanism_file(std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files/" + name +
                             ".json");
}

// Digits over positions and velocities, lengths in parts of the characteristic one.
double digits(const MechanismFile& file, const ModelState& end) {
  const Reference& reference = *file.entry.reference;
  double worst = 1e-16;
  const std::vector<std::string>& names = end.variables().names;
  std::map<std::string, double> at;
  for (std::size_t k = 0; k < names.size(); ++k) at[names[k]] = end.y()[static_cast<int>(k)];
  for (const auto& [name, value] : reference.values) {
    const auto scale = file.entry.atol_scale.find(name);
    const double unit = scale == file.entry.atol_scale.end() ? 1.0 : scale->second;
    worst = std::max(worst, std::abs(at.at(name) - value) / (unit + std::abs(value)));
  }
  return -std::log10(worst);
}

struct Demand {
  const char* method;
  double tolerance, wanted;
};
// Order 4 and more: 3.5 digits at 1e-6. Others: 2.5.
constexpr Demand with_order[] = {{"hedop5", 1e-6, 3.5},       {"phem56", 1e-6, 3.5},
                                 {"adams-index2", 1e-6, 3.5}, {"rk4", 1e-6, 3.5},
                                 {"radau", 1e-6, 3.5},        {"auto", 1e-6, 3.5}};
constexpr Demand others[] = {{"bdf", 1e-6, 2.5}, {"bliedf", 1e-6, 2.5}};

void expect_digits(const std::string& name, const Demand& r) {
  SCOPED_TRACE(name + " " + r.method);
  const MechanismFile file = file_of(name);
  const auto m = file.assembled({});
  Options o = run_options(m->assembled, r.tolerance, r.method);
  o.output = Output::end;
  const Solution s = solve(m->assembled.problem, {0.0, file.entry.reference->t}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_GE(digits(file, s.end()), r.wanted);
}

TEST(Accuracy, OfNamedMethods) {
  for (const char* name :
       {"spinning-top", "simple-pendulum", "four-bar-space", "rolling-disc", "knife-edge"})
    for (const Demand& r : with_order) expect_digits(name, r);
  for (const Demand& r : others) expect_digits("spinning-top", r);
}

// The ones that carry errors farthest.
TEST(SlowAccuracy, OfNamedMethods) {
  for (const char* name : {"slider-crank-space", "andrews", "chain-10", "four-bar-planar",
                           "bricard", "double-pendulum", "gyroscope"}) {
    for (const Demand& r : with_order) expect_digits(name, r);
    for (const Demand& r : others) expect_digits(name, r);
  }
  for (const char* name : {"slider-crank-space", "andrews", "spinning-top"})
    expect_digits(name, {"generalised-alpha", 1e-5, 2.5});
}

// What the equations of a formulation hold, a projection of every step takes to round-off.
TEST(Constraints, OfIndex3AndGglAreMetToRoundOff) {
  for (const char* name : {"four-bar-space", "slider-crank-space", "andrews"})
    for (const char* method : {"radau", "bdf"})
      for (const char* formulation : {"index3", "ggl"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", name, method, formulation));
        const MechanismFile file = file_of(name);
        const auto m = file.assembled({});
        Options o = run_options(m->assembled, 1e-4, method);
        o.formulation = formulation;
        o.projection = ProjectionWhen::every_step;
        const Solution s = solve(m->assembled.problem, {0.0, 0.1 * file.entry.reference->t}, o);
        ASSERT_TRUE(s.ok()) << s.message();
        const double allowed = 1e-12 * m->assembled.report.length;
        EXPECT_LE(s.statistics().position_residual, allowed);
        EXPECT_LE(s.statistics().velocity_residual, allowed);
      }
}

// A crank on a sprung slider: in the plane, so that the linear view has its Euclidean space.
Assembled in_the_plane() {
  Mechanism m("plane", MechanismSpace::planar);
  m.gravity({0, -9.81});
  const BodyId cart = m.body({.name = "cart", .mass = 2.0, .inertia = planar_inertia(0.1)});
  const BodyId rod =
      m.body({.name = "rod", .mass = 1.0, .inertia = planar_inertia(0.1), .position = {0.5, 0}});
  const JointId rail = m.prismatic("rail", m.ground(), cart, {.at = {0, 0}, .axis = {1, 0}});
  m.revolute("hinge", cart, rod, {.at = {0, 0}});
  m.joint_spring("spring", rail, {.stiffness = 50.0});
  return m.assemble();
}
Assembled in_space() {
  Mechanism m("space");
  const BodyId rod = m.body({.name = "rod",
                             .mass = 1.0,
                             .inertia = diagonal(0.01, 0.1, 0.1),
                             .position = {0.5, 0, 0},
                             .angular_velocity = {0, 0, 1}});
  const BodyId other = m.body({.name = "other",
                               .mass = 0.5,
                               .inertia = diagonal(0.005, 0.05, 0.05),
                               .position = {1.5, 0, 0}});
  m.spherical("ball", m.ground(), rod, {.at = {0, 0, 0}});
  m.revolute("hinge", rod, other, {.at = {1, 0, 0}, .axis = {0, 1, 0.2}});
  return m.assemble();
}

// Every pair that the library takes ends well and near the others.
int walk(const Assembled& a, double t) {
  Options tight;
  tight.method = "adams-index2";
  tight.rtol = 1e-10;
  tight.atol = 1e-10;
  const Solution reference = solve(a.problem, {0.0, t}, tight);
  const int n = static_cast<int>(a.problem.q0.size());
  const Eigen::VectorXd wanted = reference.end().y().head(n);
  int runs = 0;
  for (const Method* method : all_methods())
    for (const Formulation& formulation : all_formulations()) {
      Options o;
      o.method = method->name;
      o.formulation = formulation.name;
      o.rtol = 1e-5;
      o.atol = 1e-5;
      if (method->fixed_step_only || method->error_order == 0) o.fixed_step = t / 256.0;
      SCOPED_TRACE(o.method + " " + o.formulation);
      try {
        const Solution s = solve(a.problem, {0.0, t}, o);
        ++runs;
        EXPECT_TRUE(s.ok()) << s.message();
        if (s.ok()) EXPECT_LT((s.end().y().head(n) - wanted).cwiseAbs().maxCoeff(), 5e-3);
      } catch (const InvalidArgument&) {  // the pair does not fit; said in words
      }
    }
  return runs;
}

TEST(Walk, AllMethodsInThePlane) { EXPECT_GT(walk(in_the_plane(), 0.2), 150); }
TEST(Walk, AllMethodsInSpace) { EXPECT_GT(walk(in_space(), 0.2), 60); }

}  // namespace
}  // namespace daedalus::mechanism_accuracy_test
