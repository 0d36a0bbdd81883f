// SPDX-License-Identifier: BSD-3-Clause
// Contact conditions as problems: three treatments, jumps with plastic impacts, lift-off, several
// contacts, misuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/disc_hyperbola.hpp>
#include <daedalus/contact_condition.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::jump_test {
namespace {

using problems::Values;
using testing::AllOf, testing::HasSubstr;

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

Solution run(const Values& values, double t_end, Options o) {
  const problems::Entry& e = *problems::find_problem("disc-hyperbola");
  o.events = e.events(values);
  return solve(e.problem(values), {0.0, t_end}, o);
}

struct Disc2 {
  template <class S, class P>
  auto operator()(const S& s, const P& p) const {
    return problems::disc_hyperbola_model::Disc{}(s, p);
  }
};

// (4.18) by hand: v+ is the part of v- along the new slope, for M = m I.
TEST(PlasticImpact, ProjectsToTheNewTangent) {
  const auto problem = std::get<MultibodyProblem>(
      problems::find_problem("disc-hyperbola")->problem({{"treatment", 0.0}, {"mass", 3.0}}));
  const problems::disc_hyperbola_model::Disc disc;
  const double slope = disc.slope_at_jump();
  Eigen::VectorXd q(2), v(2), s(1);
  q << 0.0, disc.lowest();
  v << 2.0, -2.0 * slope;
  s << disc.contact_at_jump();
  const Eigen::VectorXd after = plastic_impact(problem, 0.0, q, v, s);
  EXPECT_NEAR(after[1], slope * after[0], 1e-14);
  EXPECT_NEAR(after[0], disc.impact_factor() * v[0], 1e-14);
  // At the old contact point nothing happens.
  s << -disc.contact_at_jump();
  EXPECT_NEAR((plastic_impact(problem, 0.0, q, v, s) - v).norm(), 0.0, 1e-14);
  EXPECT_THAT(message_of([&] { (void)plastic_impact(problem, 0.0, q, q.head(1), s); }),
              AllOf(HasSubstr("v has 1"), HasSubstr("2")));
}

// The contact point jumps when q1 passes zero, whatever the method; the speed falls to a quarter.
TEST(ContactJump, IsNoticedAndHandled) {
  for (const auto& [method, formulation] :
       std::vector<std::pair<std::string, std::string>>{{"bdf", "ggl"},
                                                        {"odassl", "overdetermined"},
                                                        {"rodas4", "index1"},
                                                        {"hedop5", "index2"}}) {
    const Solution s =
        run({{"treatment", 0.0}}, 0.7,
            {.method = method, .formulation = formulation, .rtol = 1e-6, .atol = 1e-6});
    ASSERT_TRUE(s.ok()) << method << ": " << s.message();
    ASSERT_EQ(s.events().size(), 1u) << method;
    const EventRecord& e = s.events()[0];
    EXPECT_EQ(e.name, "jump of disc to the right");
    EXPECT_NEAR(e.t, 0.632534, 2e-5) << method;
    EXPECT_NEAR(e.y[0], 0.0, 1e-5) << method;
    const Eigen::VectorXd after = [&] {
      Eigen::VectorXd v;
      for (std::size_t i = 0; i < s.times().size(); ++i)
        if (s.times()[i] == e.t) v = s.state(i).v();
      return v;
    }();
    EXPECT_NEAR(after.norm() / std::hypot(e.y[2], e.y[3]), 0.25, 1e-4) << method;
    EXPECT_GT(s.end()["s"], 0.0) << method;
  }
}

// The other impact: from the right, and back again after the disc has turned.
TEST(ContactJump, BackAndForth) {
  const Solution s = run({{"treatment", 0.0}, {"start", 0.5}}, 0.9,
                         {.method = "bdf", .formulation = "ggl", .rtol = 1e-7, .atol = 1e-7});
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_GE(s.events().size(), 2u);
  EXPECT_EQ(s.events()[0].name, "jump of disc to the left");
  EXPECT_EQ(s.events()[1].name, "jump of disc to the right");
  const auto speed = [&](std::size_t i) {
    return std::hypot(s.events()[i].y[2], s.events()[i].y[3]);
  };
  // Up and down the same slope: the speed comes back, and is a quarter of the first.
  EXPECT_NEAR(speed(1) / speed(0), 0.25, 1e-3);
}

// Without the monitor the run ends at the impasse point, penetrating the ground.
TEST(ContactJump, UnnoticedEndsAtTheImpassePoint) {
  const Solution s = run({{"treatment", 3.0}}, 1.0,
                         {.method = "bdf", .formulation = "ggl", .rtol = 1e-6, .atol = 1e-6});
  EXPECT_FALSE(s.ok());
  const problems::disc_hyperbola_model::Disc disc;
  EXPECT_NEAR(s.end()["q1"], disc.impasse_q1(), 1e-3);
  EXPECT_NEAR(s.end()["q1"] + s.end()["s"], disc.impasse_xi(), 2e-2);
}

// Quasi-elastic, on-line and from a table: through, with the energy kept.
TEST(QuasiElastic, PassesSmoothly) {
  const Options o{.method = "rodas4", .formulation = "index1", .rtol = 1e-7, .atol = 1e-7};
  const Solution online = run({}, 1.0, o), table = run({{"treatment", 2.0}}, 1.0, o);
  ASSERT_TRUE(online.ok() && table.ok());
  const auto& reference = *problems::find_problem("disc-hyperbola")->reference;
  for (const auto& [name, value] : reference.values)
    EXPECT_NEAR(online.end()[name], value, 2e-5) << name;
  EXPECT_NEAR(table.end()["q1"], online.end()["q1"], 2e-5);
  const auto energy = [](const ModelState& x) {
    return 0.5 * x.v().squaredNorm() + 9.81 * x["q2"];
  };
  EXPECT_NEAR(energy(online.end()), energy(online.start()), 1e-5);
  // The plastic impact has lost fifteen sixteenths of the kinetic energy by then.
  const Solution rigid = run({{"treatment", 0.0}}, 0.7, o);
  EXPECT_LT(energy(rigid.end()), energy(rigid.start()) - 8.0);
}

// Two masses on two grounds that do not know each other: two contacts, from a vector.
TEST(SeveralContacts, EachHasItsRow) {
  const auto contact = [](const char* name, int first) {
    return Contact{name, ContactFamily(problems::disc_hyperbola_model::rim(0.8, 12), 0.05, Disc2{}),
                   [first](const auto&, const auto& q) { return std::array{q[first]}; },
                   [first](const auto&, const auto& q) { return q[first + 1]; }};
  };
  const std::vector contacts{contact("near", 0), contact("far", 2)};
  const auto& family = contacts[0].family;
  MultibodyProblem p{.name = "two discs",
                     .space = euclidean(4),
                     .mass = autodiff([](const auto&, const auto&, auto& M) {
                       for (int i = 0; i < 4; ++i)
                         for (int j = 0; j < 4; ++j) M(i, j) = i == j ? 1.0 : 0.0;
                     }),
                     .force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
                       for (int i = 0; i < 4; ++i) f[i] = i % 2 == 0 ? 0.0 : -9.81;
                     })};
  p.q0 = Eigen::Vector4d(-1.0, family.rigid(std::array{-1.0}).value, 0.6,
                         family.rigid(std::array{0.6}).value);
  p.v0 = Eigen::Vector4d::Zero();
  rigid_contacts(p, contacts);
  EXPECT_EQ(p.constraint_count, 2);
  EXPECT_EQ(p.contact_count, 2);
  EXPECT_EQ(p.s_names, (std::vector<std::string>{"s near", "s far"}));
  Options o{.method = "bdf", .formulation = "ggl", .rtol = 1e-7, .atol = 1e-7};
  o.events = jump_events(p, contacts);
  ASSERT_EQ(o.events.size(), 6u);
  const Solution s = solve(p, {0.0, 0.65}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_GE(s.events().size(), 2u);
  // The far one, on the shorter way, jumps first; the impact of one leaves the other alone.
  EXPECT_EQ(s.events()[0].name, "jump of far to the left");
  EXPECT_EQ(s.events().back().name, "jump of near to the right");
  EXPECT_NEAR(s.events().back().t, 0.632534, 1e-5);
  EXPECT_THAT(message_of([&] { quasi_elastic_contacts(p, contacts); }),
              AllOf(HasSubstr("two discs"), HasSubstr("2 constraints")));
  EXPECT_THAT(message_of([&] {
                const std::vector one{contacts[0]};
                (void)jump_events(p, one);
              }),
              AllOf(HasSubstr("1 contacts"), HasSubstr("2 contact coordinates")));
}

TEST(LiftOff, OfAFastCam) {
  const problems::Entry& e = *problems::find_problem("cam-follower");
  Options o{.method = "rodas4", .formulation = "index1", .rtol = 1e-6, .atol = 1e-6};
  for (const double speed : {20.0, 150.0}) {
    o.events = e.events({{"speed", speed}});
    const Solution s = solve(e.problem({{"speed", speed}}), {0.0, 0.05}, o);
    EXPECT_LT(s.start()["lambda"], 0.0);
    EXPECT_EQ(s.status(), speed > 100.0 ? Status::stopped_by_event : Status::success) << speed;
  }
  EXPECT_THAT(message_of([] { (void)lift_off("x", -1); }), HasSubstr("-1"));
}

// The non-convex cam: the flat face leaves one lobe for the next, three times a turn.
TEST(ContactJump, OfTheCam) {
  const problems::Entry& e = *problems::find_problem("cam-follower");
  Options o{.method = "bdf", .formulation = "ggl", .rtol = 1e-6, .atol = 1e-6};
  o.events = e.events({{"treatment", 0.0}});
  const Solution s = solve(e.problem({{"treatment", 0.0}}), {0.0, 0.2}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_GE(s.events().size(), 1u);
  // By symmetry half way between two lobes.
  EXPECT_NEAR(s.events()[0].y[0], 3.14159265358979 / 3.0, 1e-5);
}

}  // namespace
}  // namespace daedalus::jump_test
