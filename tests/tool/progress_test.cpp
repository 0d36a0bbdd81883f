// SPDX-License-Identifier: BSD-3-Clause
#include "tool/progress.hpp"

#include <csignal>
#include <sstream>

#include <gtest/gtest.h>

namespace daedalus::cli {
namespace {

TEST(ProgressBar, ShowsThePartAndWipesItself) {
  std::ostringstream out;
  {
    ProgressBar bar(out, true, 2.0, std::chrono::seconds(0));
    bar.update({.t = 4.0, .t_end = 6.0, .h = 0.1, .steps = 17});
    EXPECT_NE(out.str().find("50 %"), std::string::npos) << out.str();
    EXPECT_NE(out.str().find("17 steps"), std::string::npos) << out.str();
    EXPECT_NE(out.str().find("t = 4 of 6"), std::string::npos) << out.str();
  }
  EXPECT_EQ(out.str().substr(out.str().size() - 4), "\r\033[K");
}

TEST(ProgressBar, IsSilentInShortRunsAndOutsideTerminals) {
  std::ostringstream out;
  {
    ProgressBar soon(out, true, 0.0);
    soon.update({.t = 0.5, .t_end = 1.0, .h = 0.1, .steps = 1});
    ProgressBar never(out, false, 0.0, std::chrono::seconds(0));
    never.update({.t = 0.5, .t_end = 1.0, .h = 0.1, .steps = 1});
  }
  EXPECT_EQ(out.str(), "");
}

void earlier_handler(int) {}

TEST(Interrupt, AsksTheRunToStopAndPutsTheEarlierHandlerBack) {
  const auto before = std::signal(SIGINT, earlier_handler);
  {
    const InterruptGuard guard;
    EXPECT_FALSE(InterruptGuard::requested());
    std::raise(SIGINT);
    EXPECT_TRUE(InterruptGuard::requested());
  }
  EXPECT_EQ(std::signal(SIGINT, before), earlier_handler);
}

TEST(Interrupt, IsIgnoredWhereItWasIgnoredBefore) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  {
    const InterruptGuard guard;
    std::raise(SIGINT);
    EXPECT_FALSE(InterruptGuard::requested());
  }
  EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);
}

}  // namespace
}  // namespace daedalus::cli
