// SPDX-License-Identifier: BSD-3-Clause
// Tables in floating point are made once per process and set of parameters.
#include <gtest/gtest.h>

#include <thread>

#include "kernel/herk_families.hpp"
#include "methods/half_explicit/engine_tables.hpp"

namespace daedalus::half_explicit {
namespace {

TEST(Tables, AreMadeOncePerSetOfParameters) {
  int made = 0;
  Configurations configurations([&](const Configurations::Parameters& p) {
    ++made;
    return dormand_prince(hedop5_table(p[0]));
  });
  const auto first = configurations.with({"9/10"}), again = configurations.with({"9/10"});
  EXPECT_EQ(first, again);
  EXPECT_EQ(made, 1);
  const auto other = configurations.with({"4/5"});
  EXPECT_EQ(made, 2);
  EXPECT_NE(first->numbers.c_hat.back(), other->numbers.c_hat.back());
  EXPECT_EQ(configurations.with({"9/10"}), first) << "a third set must not replace the first";
}

TEST(Tables, AreMadeOnceByManyThreads) {
  int made = 0;  // guarded by the lock that is tested: the thread sanitizer sees it otherwise
  Configurations configurations([&](const Configurations::Parameters&) {
    ++made;
    return dormand_prince(hedop5_table());
  });
  std::vector<std::shared_ptr<const Configuration>> got(8);
  std::vector<std::thread> threads;
  for (auto& g : got) threads.emplace_back([&] { g = configurations.with(); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(made, 1);
  for (const auto& g : got) EXPECT_EQ(g, got.front());
}

TEST(Tables, ASingularParameterIsRefusedEveryTime) {
  Configurations configurations(
      [](const Configurations::Parameters& p) { return dormand_prince(hedop5_table(p[0])); });
  for (int k = 0; k < 2; ++k) EXPECT_THROW(configurations.with({"1"}), InvalidArgument);
  EXPECT_NO_THROW(configurations.with({"19/20"}));
}

}  // namespace
}  // namespace daedalus::half_explicit
