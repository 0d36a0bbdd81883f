// SPDX-License-Identifier: BSD-3-Clause
// What every entry promises: names, sizes, forms, references, parameters that matter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <daedalus/method.hpp>

#include "evaluate.hpp"
#include "modelica/unit.hpp"

namespace daedalus::catalogue_test {
namespace {

using problems::all_problems;
using problems::Entry;
using problems::find_problem;
using problems::Values;

// The names scripts rely on.
const std::vector<std::string> core_names{
    "pendulum",       "robertson",    "akzo",       "transistor-amplifier",
    "ring-modulator", "slider-crank", "car-axis",   "ring-modulator-index2",
    "andrews",        "brenan",       "kvaerno-a",  "jay",
    "jay-nonlinear",  "arevalo",      "knife-edge", "weissinger",
    "van-der-pol",    "hires",        "pollution",  "heavy-top-r3xso3"};

TEST(Catalogue, HoldsTheCoreSuite) {
  for (const std::string& name : core_names) {
    const Entry* entry = find_problem(name);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_EQ(entry->name, name);
    EXPECT_THAT(entry->suites, testing::Contains("core")) << name;
  }
  EXPECT_EQ(find_problem("no-such-problem"), nullptr);
}

// Names are looked up in a list that the build files make: each leads to the entry of that name.
TEST(Catalogue, FindsEveryEntryByItsName) {
  for (const Entry* entry : problems::all_problems())
    EXPECT_EQ(find_problem(entry->name), entry) << entry->name;
  for (const Method* method : all_methods())
    EXPECT_EQ(find_method(method->name), method) << method->name;
  for (const char* name : {"", "rodas", "implicit_euler", "rodas4 ", "daedalus"})
    EXPECT_EQ(find_method(name), nullptr) << name;
}

// The problems of Steinebach (1988), and what stands beside them.
const std::vector<std::string> steinebach_names{
    "steinebach-1",      "steinebach-2",       "steinebach-3",
    "steinebach-linear", "steinebach-generic", "amplifier-dc",
    "amplifier-100hz",   "amplifier-1khz",     "axle",
    "car-axis-baumgarte"};

TEST(Catalogue, HoldsTheProblemsOfSteinebach) {
  for (const std::string& name : steinebach_names) {
    const Entry* entry = find_problem(name);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_THAT(entry->suites, testing::ElementsAre("steinebach")) << name;
    EXPECT_EQ(entry->index, 1) << name;
  }
  // Nobody must take the stand-in for the original.
  EXPECT_NE(find_problem("axle")->title.find("stand-in"), std::string::npos);
  EXPECT_NE(find_problem("axle")->source.find("stand-in"), std::string::npos);
}

TEST(Catalogue, NamesAreUnique) {
  std::set<std::string> names;
  for (const Entry* entry : all_problems()) EXPECT_TRUE(names.insert(entry->name).second);
}

class EntryTest : public testing::TestWithParam<std::string> {
 protected:
  const Entry& entry() const { return *find_problem(GetParam()); }
};

TEST_P(EntryTest, DescribesItself) {
  const Entry& e = entry();
  EXPECT_FALSE(e.title.empty());
  EXPECT_FALSE(e.source.empty());
  EXPECT_FALSE(e.equations.empty());
  EXPECT_LT(e.t0, e.t_end);
  const Problem problem = e.problem();
  const std::array<std::string, 4> forms{"implicit", "mass-matrix", "semi-explicit", "multibody"};
  EXPECT_EQ(e.form, forms[problem.index()]);
  std::visit([&](const auto& p) { EXPECT_EQ(p.name, e.name); }, problem);
}

TEST_P(EntryTest, DeclaresTheIndexOfItsForm) {
  const Problem problem = entry().problem();
  int index = -1;
  if (const auto* p = std::get_if<ImplicitProblem>(&problem)) index = p->index;
  if (const auto* p = std::get_if<MassMatrixProblem>(&problem)) {
    index = p->index;
    const int largest = p->variable_index.empty()
                            ? std::min(index, 1)
                            : *std::max_element(p->variable_index.begin(), p->variable_index.end());
    EXPECT_EQ(largest, index);
  }
  if (const auto* p = std::get_if<SemiExplicitProblem>(&problem))
    index = 1 + static_cast<int>(p->hessenberg_blocks.size());
  if (const auto* p = std::get_if<MultibodyProblem>(&problem))
    index = p->constraint_count > 0 ? 3 : 2;
  EXPECT_EQ(entry().index, index);
}

TEST_P(EntryTest, HasOneNamePerVariableAndEquation) {
  const Problem problem = entry().problem();
  const Variables all = variables_of(problem);
  ASSERT_EQ(static_cast<std::size_t>(all.start.size()), all.names.size());
  const std::set<std::string> unique(all.names.begin(), all.names.end());
  EXPECT_EQ(unique.size(), all.names.size());
  if (const auto* p = std::get_if<MultibodyProblem>(&problem)) {
    EXPECT_EQ(p->q0.size(), p->space.points());
    EXPECT_EQ(p->v0.size(), p->velocities());
    EXPECT_EQ(p->lambda0.size(), p->multipliers());
  } else if (const auto* s = std::get_if<SemiExplicitProblem>(&problem)) {
    EXPECT_EQ(s->equations.size(), all.names.size());
    EXPECT_EQ(static_cast<Eigen::Index>(s->y_names.size()), s->y0.size());
    int blocks = 0;
    for (const int n : s->hessenberg_blocks) blocks += n;
    EXPECT_TRUE(blocks == 0 || blocks == s->y0.size());
  } else if (const auto* m = std::get_if<MassMatrixProblem>(&problem)) {
    EXPECT_EQ(m->equations.size(), all.names.size());
  }
  for (const auto& [name, scale] : entry().atol_scale) {
    EXPECT_EQ(unique.count(name), 1U) << name;
    EXPECT_GT(scale, 0.0);
  }
}

TEST_P(EntryTest, ReferenceNamesEveryVariable) {
  const Entry& e = entry();
  ASSERT_TRUE(e.reference.has_value());
  EXPECT_EQ(e.reference->t, e.t_end);
  EXPECT_GE(e.reference->digits, 5);
  EXPECT_FALSE(e.reference->source.empty());
  std::vector<std::string> names;
  for (const auto& [name, value] : e.reference->values) {
    names.push_back(name);
    EXPECT_TRUE(std::isfinite(value)) << name;
  }
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(variables_of(e.problem()).names));
  for (const std::string& name : e.reference->counted) EXPECT_THAT(names, testing::Contains(name));
}

// Every callable is generic: derivatives of all of them are exact.
TEST_P(EntryTest, IsDifferentiable) {
  const Problem problem = entry().problem();
  if (const auto* p = std::get_if<ImplicitProblem>(&problem)) {
    EXPECT_TRUE(p->residual.differentiable());
  }
  if (const auto* p = std::get_if<MassMatrixProblem>(&problem)) {
    EXPECT_TRUE(p->rhs.differentiable());
    EXPECT_TRUE(!p->mass || p->mass.differentiable());
  }
  if (const auto* p = std::get_if<SemiExplicitProblem>(&problem)) {
    EXPECT_TRUE(p->f.differentiable() && p->g.differentiable());
  }
  if (const auto* p = std::get_if<MultibodyProblem>(&problem)) {
    EXPECT_TRUE((!p->mass || p->mass.differentiable()) && p->force.differentiable());
    EXPECT_TRUE(p->constraint_count == 0 || p->constraint.differentiable());
    EXPECT_TRUE(p->nonholonomic_count == 0 || p->nonholonomic_matrix.differentiable());
  }
}

// A parameter that changes neither an equation nor a start value is a slip in the list of fields.
// All others are moved off their defaults first: a default of zero may hide one (gravity).
TEST_P(EntryTest, EveryParameterMatters) {
  const Entry& e = entry();
  Values moved;
  for (const Parameter& p : e.parameters) moved[p.name] = p.value == 0.0 ? 0.5 : 1.01 * p.value;
  const auto fingerprint = [&](const Values& values) {
    const Problem problem = e.problem(values);
    const Variables all = variables_of(problem);
    Random random(1);
    const Vector x = variables_of(e.problem()).start + 0.1 * random.vector(all.start.size());
    const double t = 0.1 * (e.t0 + e.t_end);
    const auto* p = std::get_if<MultibodyProblem>(&problem);
    if (p != nullptr && !p->space.is_euclidean()) {
      // q' is no vector of equations on a group: M, f and g themselves instead.
      const int nq = static_cast<int>(p->q0.size()), nv = static_cast<int>(p->v0.size());
      const Vector q = x.head(nq), v = x.segment(nq, nv);
      const Matrix M = mass_matrix(*p, t, q);
      const auto a = arguments(t, q.data(), nq, v.data(), nv);
      Vector parts(M.size() + nv + p->constraint_count + all.start.size());
      parts << M.reshaped(), evaluate(p->force, a, nv),
          evaluate(p->constraint, arguments(t, q.data(), nq), p->constraint_count), all.start;
      return parts;
    }
    Vector both(2 * all.start.size());
    both << residual(problem, t, x, random.vector(x.size())), all.start;
    return both;
  };
  const Vector before = fingerprint(moved);
  EXPECT_TRUE(before.allFinite());
  for (const Parameter& p : e.parameters) {
    Values one = moved;
    one[p.name] *= 1.5;
    EXPECT_GT((fingerprint(one) - before).cwiseAbs().maxCoeff(), 0.0) << p.name;
  }
  EXPECT_EQ(fingerprint(moved), before);
}

TEST_P(EntryTest, UnknownParameterIsNamedWithTheKnownOnes) {
  const Entry& e = entry();
  try {
    (void)e.problem({{"lenght", 2.0}});
    FAIL() << "an unknown parameter was accepted";
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_THAT(message, testing::HasSubstr("'lenght'"));
    EXPECT_THAT(message, testing::HasSubstr(e.name));
    for (const Parameter& p : e.parameters) EXPECT_THAT(message, testing::HasSubstr(p.name));
  }
}

INSTANTIATE_TEST_SUITE_P(Core, EntryTest, testing::ValuesIn(core_names), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

INSTANTIATE_TEST_SUITE_P(Steinebach, EntryTest, testing::ValuesIn(steinebach_names),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Parameters, OverridesReachTheProblem) {
  const auto problem =
      std::get<MultibodyProblem>(find_problem("pendulum")->problem({{"length", 2.0}}));
  EXPECT_EQ(problem.q0[0], 2.0);
  EXPECT_EQ(position_constraints(problem, 0.0, problem.q0, problem.v0)[0], 0.0);
}

// --set length=2m and the axes of reports rest on these.
TEST(Units, AreReadableAndBelongToSomethingThatExists) {
  for (const Entry* entry : all_problems()) {
    const std::vector<std::string> variables = variables_of(entry->problem()).names;
    std::set<std::string> known(variables.begin(), variables.end());
    for (const Parameter& p : entry->parameters) known.insert(p.name);
    for (const auto& [name, unit] : entry->units) {
      EXPECT_EQ(known.count(name), 1U) << entry->name << ": " << name;
      EXPECT_TRUE(modelica::parse_unit(unit)) << entry->name << ": " << unit;
    }
  }
  for (const char* name : {"pendulum", "transistor-amplifier", "ring-modulator", "andrews",
                           "wheelset", "slider-crank", "heavy-top-r3xso3", "truck9", "knife-edge"})
    EXPECT_FALSE(find_problem(name)->units.empty()) << name;
  EXPECT_EQ(find_problem("heavy-top-se3")->units.at("U2"), "m/s");
  EXPECT_EQ(find_problem("andrews")->units.at("I7"), "kg.m2");
}

TEST(Counted, AsInThePublicTestSet) {
  const auto counted = [](const char* name) { return find_problem(name)->reference->counted; };
  EXPECT_EQ(counted("andrews").size(), 7U);
  EXPECT_EQ(counted("andrews").front(), "beta");
  EXPECT_EQ(counted("car-axis"), (std::vector<std::string>{"xl", "yl", "xr", "yr"}));
  EXPECT_EQ(counted("slider-crank").size(), 7U);
  EXPECT_EQ(counted("slider-crank").back(), "q4");
  EXPECT_TRUE(counted("transistor-amplifier").empty());
}

TEST(Scales, RobertsonIsMeasuredPerVariable) {
  const std::map<std::string, double> expected{{"y1", 1e-8}, {"y2", 1e-13}, {"y3", 1.0}};
  EXPECT_EQ(find_problem("robertson")->atol_scale, expected);
}

}  // namespace
}  // namespace daedalus::catalogue_test
