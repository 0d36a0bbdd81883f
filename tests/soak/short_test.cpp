// SPDX-License-Identifier: BSD-3-Clause
// The soak in short: every class, some of its problems, the automatic choice and named methods in
// turns. `make soak` runs many more.
#include <gtest/gtest.h>

#include "soak/soak.hpp"

namespace daedalus::soak {
namespace {

constexpr long runs_per_class = 60;
constexpr std::uint64_t seed = 1;

std::string told(const Tally& t) {
  std::ostringstream out;
  out << "seed " << seed << '\n';
  print_table(out, {t});
  print_messages(out, {t});
  print_bad(out, {t}, 10);
  return out.str();
}

// What is known not to hold yet (docs/soak.md), of so many runs with this seed; it must not grow.
struct Open {
  long silent = 0, failed = 0;
};
Open open_in(const std::string& name) {
  static_cast<void>(name);
  return {};
}

class Soak : public ::testing::TestWithParam<std::string> {};

TEST_P(Soak, NoWrongAnswerInSilence) {
  SoakSettings s;
  s.classes = {find_class(GetParam())};
  s.seed = seed;
  s.runs = runs_per_class;
  const Tally t = soak(s).front();
  const Open open = open_in(GetParam());
  EXPECT_LE(t.of(Verdict::silent), open.silent) << told(t);
  EXPECT_LE(t.of(Verdict::failed), open.failed) << told(t);
  EXPECT_EQ(t.of(Verdict::refused), 0) << told(t);
  EXPECT_EQ(t.of(Verdict::hung), 0) << told(t);
  // A warning may excuse an error, but it is no rule.
  EXPECT_LE(t.of(Verdict::warned), runs_per_class / 20) << told(t);
  EXPECT_LE(t.index_wrong, t.index_checked / 25) << told(t);
}

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (const ProblemClass& c : all_classes()) names.push_back(c.name);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& i) {
  std::string name = i.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Classes, Soak, ::testing::ValuesIn(class_names()), test_name);

}  // namespace
}  // namespace daedalus::soak
