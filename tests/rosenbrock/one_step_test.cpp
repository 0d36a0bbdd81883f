// SPDX-License-Identifier: BSD-3-Clause
// One step of length 0.1 on example 3 of Steinebach (1988), main and embedded solution, against
// values computed in 40-digit arithmetic from the coefficients in the form alpha, Gamma, mu: they
// check the transformed tables and both engines.
#include <daedalus/stepper.hpp>
#include "formulation/lower.hpp"
#include "rosenbrock/support.hpp"
#include "start/consistent.hpp"

namespace daedalus::rosenbrock_test {
namespace {

struct Step {
  const char* method;
  double main[4], embedded[4];  // y1, y2, z1, z2
};
// clang-format off
constexpr Step steps[] = {
    {"dae3s",
     {0.0998737569216585, 0.9512364071050238, 0.9962127076497578, 0.8190130371572859},
     {0.0998671013841265, 0.9512372919499399, 0.9960089667049007, 0.8197733459866661}},
    {"dae4s",
     {0.0998336603903026, 0.9512295897579705, 0.9950169014109915, 0.8187312395335160},
     {0.0998395470516626, 0.9512305645971335, 0.9951477664255313, 0.8187266008219195}},
    {"dae4sf",
     {0.0998352165828990, 0.9512295129305016, 0.9950620555075446, 0.8187675349618369},
     {0.0998360044720378, 0.9512296597276599, 0.9950778132903224, 0.8187712648638857}},
    {"dae4sf-1988",
     {0.0998355144295827, 0.9512295639175405, 0.9950847910364271, 0.8190055951253416},
     {0.0998362393989896, 0.9512296997482377, 0.9950992904245643, 0.8189973875387118}},
    {"dae3ns",
     {0.0998709472934472, 0.9512264016221005, 0.9951282625422411, 0.8190782833735680},
     {0.1, 0.9513178565573660, 0.9961284188034188, 0.8199408706739086}},
    {"dae33ns",
     {0.0998866103390189, 0.9512217016097007, 0.9947729046077900, 0.8186274227475766},
     {0.0998490933117754, 0.9511865115288955, 0.9939652820234953, 0.8183494603821276}},
    {"dae34ns",
     {0.0998370993737651, 0.9512294987181382, 0.9949725614048271, 0.8188409540782607},
     {0.0998341912086427, 0.9512293742988070, 0.9949949804080728, 0.8187117155627789}},
    {"rodas3",
     {0.09980588250051, 0.95122464823887, 0.99500930974474, 0.81870114063560},
     {0.09983374896017, 0.95124828654015, 0.99667497920351, 0.81881172458960}},
    {"rodas3p",
     {0.09983864183017, 0.95123010343075, 0.99550983265810, 0.81883837672057},
     {0.09981836569256, 0.95122885558803, 0.99550983265810, 0.81883338534971}},
    {"ros34pw2",
     {0.09980502258368, 0.95122417720566, 0.99431462686084, 0.81895004209763},
     {0.09981201045858, 0.95122765899458, 0.99530952367099, 0.81889657071634}},
    {"rodas4",
     {0.09983422093944, 0.95122954869934, 0.99500458474140, 0.81873209337042},
     {0.09982528601252, 0.95122791062099, 0.99492590330959, 0.81872552449265}},
    {"rodas4p",
     {0.09983426918760, 0.95122956412003, 0.99500956071140, 0.81873527563485},
     {0.09979348859491, 0.95122231030149, 0.99497731478842, 0.81869231132261}},
    {"rodas4p2",
     {0.09983469786609, 0.95122958148152, 0.99500675643171, 0.81873337520320},
     {0.09981316164313, 0.95122584545073, 0.99497999056970, 0.81871219618617}},
    {"rodas4pw",
     {0.09982257246977, 0.95122837412508, 0.99496897498472, 0.81872387623785},
     {0.09986653990533, 0.95123422639587, 0.99914389203299, 0.81914582586014}},
    {"rodas5",
     {0.09983336729526, 0.95122941879642, 0.99500271221584, 0.81873073033742},
     {0.09983379332736, 0.95122942436326, 0.99501902833498, 0.81874420984268}},
    {"rodas5p",
     {0.09983323072403, 0.95122940959663, 0.99500317863753, 0.81873064904699},
     {0.09983440736915, 0.95122950421577, 0.99501955982431, 0.81873974088683}},
    {"rodas6p",
     {0.09983342030107, 0.95122942454202, 0.99500415847426, 0.81873075418788},
     {0.09983338876724, 0.95122942280525, 0.99500410797936, 0.81873083125800}},
    {"tsit5da",
     {0.09983315263950, 0.95122942419440, 0.99500387489570, 0.81873080951547},
     {0.09983473131651, 0.95122932100831, 0.99497217519009, 0.81873038597280}},
    {"grk4t",
     {0.09983519571641, 0.95122971433775, 0.99527388953947, 0.81532612765185},
     {0.09980841571295, 0.95122480655550, 0.99750313796057, 0.80147237556462}},
};
// clang-format on

struct Result {
  Eigen::VectorXd main, embedded;
};

Result one_step(const Method& m, const Problem& given, double h) {
  const auto problem = std::make_shared<const Problem>(given);
  const auto system = lower(problem, "", m.view, {}, 0.0);
  State state = model_start(*system, *problem, 0.0);
  system->prepare(state);
  StartRequest start;
  start.weight = Eigen::VectorXd::Constant(system->layout.tangents(), 1e-10);
  EXPECT_EQ(make_consistent(*system, state, start).status, Status::success);
  const auto stepper = m.make(*system, [&m](std::string_view key) {
    for (const MethodOption& o : m.options)
      if (o.key == key) return o.standard;
    return 0.0;
  });
  EXPECT_EQ(stepper->start({StartReason::begin, state, nullptr}), Outcome::ok);
  const Attempt a = stepper->attempt({0, 0.0, h, h, m.order, start.weight});
  EXPECT_EQ(a.outcome, Outcome::ok);
  Result r{stepper->trial().x, stepper->trial().x};
  for (int i = 0; i < r.main.size(); ++i)
    r.embedded[i] -= a.estimates.front().value[static_cast<std::size_t>(i)];
  return r;
}

TEST(OneStep, GivesTheTabulatedDigits) {
  for (const Step& s : steps) {
    const Method* m = find_method(s.method);
    ASSERT_NE(m, nullptr) << s.method;
    const Result r = one_step(*m, example_three(), 0.1);
    for (int i = 0; i < 4; ++i) {
      // Fourteen decimals are tabulated; large coefficients (up to 150) cost a digit of round-off.
      EXPECT_NEAR(r.main[i], s.main[i], 1e-13) << s.method << ", component " << i;
      // The z of its estimate comes from the constraints, not from the embedded solution.
      if (m->name == "rodas3p" && i >= 2) continue;
      EXPECT_NEAR(r.embedded[i], s.embedded[i], 1e-13) << s.method << ", embedded, component " << i;
    }
  }
}

// The list has no gaps, and the values tell methods apart.
TEST(OneStep, CoversTheFamily) {
  for (const Method* m : family()) {
    if (m->name == "linearly-implicit-euler") continue;  // by hand, below
    int found = 0;
    for (const Step& s : steps) found += m->name == s.method;
    EXPECT_EQ(found, 1) << m->name;
  }
  for (const Step& a : steps)
    for (const Step& b : steps)
      if (&a != &b) {
        EXPECT_GT(std::abs(a.main[2] - b.main[2]), 1e-9) << a.method << b.method;
      }
}

// y' = y^2 + t, y(0) = 1, h = 0.1: u = (F + h F_t) / (1/h - J) = (1 + 0.1) / (10 - 2).
TEST(OneStep, OfTheLinearlyImplicitEulerMethodByHand) {
  const MassMatrixProblem problem{
      .name = "riccati",
      .rhs = autodiff([](const auto& t, const auto& y, auto& f) { f[0] = y[0] * y[0] + t; }),
      .y0 = Eigen::VectorXd::Ones(1),
      .index = 0};
  const Solution s =
      solve(problem, {0.0, 0.1}, {.method = "linearly-implicit-euler", .fixed_step = 0.1});
  EXPECT_NEAR(s.end().y()[0], 1.1375, 1e-15);
}

// A mass-matrix problem with M = diag(1, 1, 0, 0) takes the same step in either treatment.
TEST(OneStep, IsTheSameOnTheMassMatrixForm) {
  MassMatrixProblem p;
  p.name = "example 3 with a mass matrix";
  p.mass_matrix = SparseMatrix(4, 4);
  p.mass_matrix.insert(0, 0) = 1.0;
  p.mass_matrix.insert(1, 1) = 1.0;
  p.rhs = autodiff([](const auto&, const auto& x, auto& f) {
    using std::sqrt;
    const auto square = x[1] * x[1];
    const auto fourth = square * square;
    f[0] = x[2];
    f[1] = -0.5 * sqrt(sqrt(x[3]));
    f[2] = x[0] * x[0] + x[2] * x[2] - fourth / x[3];
    f[3] = x[3] - fourth;
  });
  p.y0 = vec({0.0, 1.0, 1.0, 1.0});
  for (const Step& s : steps) {
    Options o{.method = s.method, .output = Output::end, .fixed_step = 0.1};
    for (const char* formulation : {"auto", "separated"}) {
      o.formulation = formulation;
      const Solution solution = solve(p, {0.0, 0.1}, o);
      ASSERT_TRUE(solution.ok()) << s.method << ": " << solution.message();
      for (int i = 0; i < 4; ++i)
        EXPECT_NEAR(solution.end().y()[i], s.main[i], 1e-13) << s.method << " " << formulation;
    }
  }
}

}  // namespace
}  // namespace daedalus::rosenbrock_test
