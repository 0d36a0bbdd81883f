// SPDX-License-Identifier: BSD-3-Clause
// Numbers that no double can hold, and keys in any order.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/trajectory_file.hpp>

#include "scratch_folder.hpp"

namespace daedalus::numbers_test {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
  try {
    read_trajectory(path);
  } catch (const FileError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Numbers, OutOfRangeIsAnErrorWithItsPlace) {
  const ScratchFolder folder;
  for (const char* number : {"1e400", "-1e400", "1e-400"})
    EXPECT_THAT(refusal(folder / "a.csv", std::string("t,x\n0,1\n1,") + number + "\n"),
                HasSubstr("line 3, column 3"))
        << number;
  EXPECT_THAT(refusal(folder / "a.json", "{\"trajectory\":\n{\"t\":[1e400],\"y\":{}}}"),
              HasSubstr("line 2, column"));
}

TEST(Numbers, KeysStandInAnyOrder) {
  const ScratchFolder folder;
  const std::string path = folder / "a.json";
  std::ofstream(path) << R"({"trajectory":{"y":{"\u03c6":[3,4]},"t":[1,2]},"version":1})";
  const FileTrajectory read = read_trajectory(path);
  EXPECT_EQ(read.t, (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(read.y, (std::vector<double>{3.0, 4.0}));
  EXPECT_EQ(read.names, std::vector<std::string>{"\xcf\x86"});
  EXPECT_THAT(refusal(path, R"({"trajectory":{"y":{"x":[3]},"t":[1,2]}})"),
              HasSubstr("'x' has 1 values for 2 times"));
}

}  // namespace
}  // namespace daedalus::numbers_test
