// What is read of a temporary is a value: nothing here may refer to what has ended. The sanitizers
// run this.
#include "failure/support.hpp"

namespace daedalus {
namespace {

using namespace failure_test;

Solution run() {
  Options o;
  o.output = Output::steps;
  Event crossing;
  crossing.name = "half";
  crossing.when = [](const StateView& s) { return s.y()[0] - 0.5; };
  o.events = {crossing};
  return solve(decay(), {0.0, 1.0}, o);
}

TEST(Temporaries, StatesGiveValues) {
  const auto y = run().end().y();
  const auto z = run().state(0).of(VariableClass::z);
  const auto all = run().at(1.0).all();
  static_assert(std::is_same_v<decltype(y), const VectorXd>);
  static_assert(std::is_same_v<decltype(z), const VectorXd>);
  EXPECT_NEAR(y[0], std::exp(-1.0), 1e-4);
  EXPECT_EQ(z[0], 1.0);
  EXPECT_EQ(all, y);
  const Solution s = run();
  const auto& kept = s.end().y();  // bound to a temporary vector, which lives on
  EXPECT_EQ(kept, y);
  // A state that has a name is looked at, not copied.
  const ModelState end = s.end();
  static_assert(std::is_same_v<decltype(end.y()), In>);
  EXPECT_EQ(end.y().data(), end.view().y().data());
}

TEST(Temporaries, SolutionsGiveValues) {
  int events = 0;
  for (const EventRecord& e : run().events()) {
    EXPECT_EQ(e.name, "half");
    ++events;
  }
  EXPECT_EQ(events, 1);
  double last = 0.0;
  for (const double t : run().times()) last = t;
  EXPECT_EQ(last, 1.0);
  const auto& statistics = run().statistics();
  EXPECT_GT(statistics.accepted, 0);
  const Counts& counts = run().statistics().in(Phase::step);
  EXPECT_GT(counts.function_evaluations + counts.residual_evaluations, 0);
  const auto& choice = run().choice();
  EXPECT_FALSE(choice.method.empty());
  const auto& message = run().message();
  EXPECT_THAT(message, HasSubstr("Reached"));
  const auto& warnings = run().warnings();
  EXPECT_TRUE(warnings.empty());
  const auto& names = run().variables().names;
  EXPECT_EQ(names.size(), 2u);
  const auto& of_state = run().end().variables().names;
  EXPECT_EQ(of_state, names);
  const auto& tolerances = Tolerance({1e-3, 1e-4}).values();
  EXPECT_EQ(tolerances[1], 1e-4);
}

// A view of a temporary does not compile.
template <class T>
concept HasView = requires {
  std::declval<T>().view();
};
static_assert(HasView<const ModelState&> && !HasView<ModelState>);

// As an argument a temporary lives long enough.
double first_of(const StateView& s) { return s.y()[0]; }
TEST(Temporaries, AreArgumentsOfFunctions) {
  EXPECT_NEAR(first_of(run().end()), std::exp(-1.0), 1e-4);
}

TEST(Tolerances, TakeVectorsOfAnyKind) {
  Options o;
  o.atol = Eigen::Vector2d(1e-3, 1e-5);
  EXPECT_EQ(o.atol[1], 1e-5);
  o.atol = 2.0 * Eigen::Vector2d(1e-3, 1e-5);
  EXPECT_EQ(o.atol.size(), 2);
  EXPECT_EQ(o.atol[0], 2e-3);
  o.atol = vec({1e-4, 1e-6});
  EXPECT_EQ(o.atol[1], 1e-6);
  EXPECT_TRUE(solve(decay(), {0.0, 1.0}, o).ok());
}

}  // namespace
}  // namespace daedalus
