// SPDX-License-Identifier: BSD-3-Clause
// Every rank runs the same tests; one that fails on any rank fails all. Only rank 0 reports what
// went well.
#include <gtest/gtest.h>

#include <iostream>

#include "ranks/world.hpp"

namespace daedalus::test {
namespace {
Ranks* the_world = nullptr;
}
Ranks& world() { return *the_world; }
}  // namespace daedalus::test

int main(int argc, char** argv) {
  const std::unique_ptr<daedalus::Ranks> ranks = daedalus::start_ranks();
  daedalus::test::the_world = ranks.get();
  testing::InitGoogleTest(&argc, argv);
  if (ranks->rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (RUN_ALL_TESTS() == 0) return ranks->conclude(0, 1e9).code;
    std::cerr << "rank " << ranks->rank() << " failed\n";
    delete listeners.Release(listeners.default_result_printer());
    return ranks->conclude(1, 5.0).code;
  }
  return ranks->conclude(RUN_ALL_TESTS(), 5.0).code;
}
